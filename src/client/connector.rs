//! TCP and TLS connections.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use rustls_platform_verifier::BuilderVerifierExt;

use super::endpoint::Target;
use super::stream::Stream;
use super::{ConfigError, Connect, Endpoint};
use crate::wire::{Failure, FailureKind};

/// Connects over TCP, and over TLS where the URL says `https`.
pub struct TcpConnector {
    targets: Vec<TcpTarget>,
}

struct TcpTarget {
    target: Target,
    tls: Option<(TlsConnector, ServerName<'static>)>,
    /// The address that last answered. Names are looked up once, so that no turn waits for a name
    /// server, and again when that address answers no more.
    address: Mutex<Option<SocketAddr>>,
}

impl TcpConnector {
    /// A connector to the endpoint's URLs. Connects to nothing yet.
    ///
    /// # Errors
    /// [`ConfigError`] where `endpoint.ca_file` or a host name cannot be used for TLS.
    pub fn new(endpoint: &Endpoint) -> Result<Self, ConfigError> {
        let targets = (0..endpoint.urls()).map(|url| endpoint.target(url));
        let config = if targets.clone().any(|target| target.tls) {
            Some(Arc::new(tls_config(endpoint.ca_file.as_deref())?))
        } else {
            None
        };
        let targets = targets
            .map(|target| {
                let tls = match &config {
                    Some(config) if target.tls => {
                        let name = ServerName::try_from(target.host.clone()).map_err(|error| {
                            ConfigError::Url {
                                url: target.label.clone(),
                                problem: error.to_string(),
                            }
                        })?;
                        Some((TlsConnector::from(Arc::clone(config)), name))
                    }
                    _ => None,
                };
                Ok(TcpTarget { target: target.clone(), tls, address: Mutex::new(None) })
            })
            .collect::<Result<_, ConfigError>>()?;
        Ok(Self { targets })
    }
}

impl Connect for TcpConnector {
    type Io = Stream;

    async fn connect(&self, url: usize) -> Result<Stream, Failure> {
        let target = &self.targets[url.min(self.targets.len() - 1)];
        let label = &target.target.label;
        let tcp = target.tcp().await.map_err(|error| {
            Failure::new(FailureKind::Connect, format!("cannot connect to {label}: {error}"))
        })?;
        let Some((connector, name)) = &target.tls else { return Ok(Stream::Plain(tcp)) };
        match connector.connect(name.clone(), tcp).await {
            Ok(tls) => Ok(Stream::Tls(Box::new(tls))),
            Err(error) => {
                let message = format!("TLS handshake with {label} failed: {error}");
                Err(Failure::new(FailureKind::Tls, message))
            }
        }
    }
}

impl TcpTarget {
    async fn tcp(&self) -> io::Result<TcpStream> {
        let known = *self.address.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(address) = known
            && let Ok(stream) = open(address).await
        {
            return Ok(stream);
        }
        let (host, port) = (self.target.host.as_str(), self.target.port);
        let mut last = None;
        for address in tokio::net::lookup_host((host, port)).await? {
            match open(address).await {
                Ok(stream) => {
                    *self.address.lock().unwrap_or_else(PoisonError::into_inner) = Some(address);
                    return Ok(stream);
                }
                Err(error) => last = Some(error),
            }
        }
        let none = || io::Error::new(io::ErrorKind::NotFound, format!("`{host}` has no address"));
        Err(last.unwrap_or_else(none))
    }
}

async fn open(address: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(address).await?;
    // Requests are written whole; waiting for more bytes would only delay their last segment.
    stream.set_nodelay(true)?;
    Ok(stream)
}

fn tls_config(ca_file: Option<&Path>) -> Result<ClientConfig, ConfigError> {
    let tls = |error: tokio_rustls::rustls::Error| ConfigError::Tls(error.to_string());
    let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(tls)?;
    let builder = match ca_file {
        Some(path) => builder.with_root_certificates(roots(path)?),
        None => builder.with_platform_verifier().map_err(tls)?,
    };
    let mut config = builder.with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

fn roots(path: &Path) -> Result<RootCertStore, ConfigError> {
    let fail = |problem: String| ConfigError::CaFile { path: path.display().to_string(), problem };
    let mut roots = RootCertStore::empty();
    let certificates = CertificateDer::pem_file_iter(path).map_err(|e| fail(e.to_string()))?;
    for certificate in certificates {
        let certificate = certificate.map_err(|error| fail(error.to_string()))?;
        roots.add(certificate).map_err(|error| fail(error.to_string()))?;
    }
    if roots.is_empty() {
        return Err(fail("holds no PEM certificate".to_owned()));
    }
    Ok(roots)
}
