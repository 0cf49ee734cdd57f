//! TCP and TLS connections.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::DuplexStream;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{self, ClientConfig, RootCertStore};

use rustls_platform_verifier::BuilderVerifierExt;

use super::endpoint::Target;
use super::stream::Stream;
use super::{ConfigError, Connect, Endpoint};
use crate::wire::{Failure, FailureKind};

/// Opens the other end of a pipe in memory.
type OpenPipe = Box<dyn Fn() -> DuplexStream + Send + Sync>;

/// Connects over TCP, and over TLS where the URL says `https`; or to a server in this process.
pub struct TcpConnector {
    targets: Vec<TcpTarget>,
    pipe: Option<OpenPipe>,
    connect_timeout: Duration,
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
        let config = Arc::new(tls_config(endpoint)?);
        let targets = targets
            .map(|target| {
                let tls = if target.tls {
                    let name = ServerName::try_from(target.host.clone()).map_err(|error| {
                        ConfigError::Url { url: target.label.clone(), problem: error.to_string() }
                    })?;
                    Some((TlsConnector::from(Arc::clone(&config)), name))
                } else {
                    None
                };
                Ok(TcpTarget { target: target.clone(), tls, address: Mutex::new(None) })
            })
            .collect::<Result<_, ConfigError>>()?;
        Ok(Self { targets, pipe: None, connect_timeout: endpoint.connect_timeout })
    }

    /// A connector to a server in this process, for every URL: `open` gives our end of a pipe to
    /// it.
    pub fn in_memory(open: impl Fn() -> DuplexStream + Send + Sync + 'static) -> Self {
        Self { targets: Vec::new(), pipe: Some(Box::new(open)), connect_timeout: Duration::MAX }
    }
}

impl Connect for TcpConnector {
    type Io = Stream;

    async fn connect(&self, url: usize) -> Result<Stream, Failure> {
        if let Some(open) = &self.pipe {
            return Ok(Stream::Pipe(open()));
        }
        let target = &self.targets[url.min(self.targets.len() - 1)];
        let label = &target.target.label;
        let tcp = target.tcp(self.connect_timeout).await.map_err(|error| {
            let hint = match error.kind() {
                ErrorKind::ConnectionRefused => "; is the server running?",
                _ => "",
            };
            let message = format!("cannot connect to {label}: {error}{hint}");
            Failure::new(FailureKind::Connect, message)
        })?;
        let Some((connector, name)) = &target.tls else { return Ok(Stream::Plain(tcp)) };
        match connector.connect(name.clone(), tcp).await {
            Ok(tls) => Ok(Stream::Tls(Box::new(tls))),
            Err(error) => {
                let hint = tls_hint(&error);
                let message = format!("TLS handshake with {label} failed: {error}{hint}");
                Err(Failure::new(FailureKind::Tls, message))
            }
        }
    }
}

impl TcpTarget {
    /// Opens a connection to the first of the host's addresses that answers.
    async fn tcp(&self, limit: Duration) -> io::Result<TcpStream> {
        let known = *self.address.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(address) = known
            && let Ok(stream) = open(address).await
        {
            return Ok(stream);
        }
        let (host, port) = (self.target.host.as_str(), self.target.port);
        let addresses: Vec<SocketAddr> = tokio::net::lookup_host((host, port)).await?.collect();
        // An address that swallows packets must leave time for the next one.
        let share = limit / u32::try_from(addresses.len().max(1)).unwrap_or(u32::MAX);
        let mut last = None;
        for address in addresses {
            match timeout(share, open(address)).await {
                Ok(Ok(stream)) => {
                    *self.address.lock().unwrap_or_else(PoisonError::into_inner) = Some(address);
                    return Ok(stream);
                }
                Ok(Err(error)) => last = Some(error),
                Err(_) => last = Some(io::Error::new(ErrorKind::TimedOut, "no answer")),
            }
        }
        let none = || io::Error::new(ErrorKind::NotFound, format!("`{host}` has no address"));
        Err(last.unwrap_or_else(none))
    }
}

/// What may help with a failed handshake.
fn tls_hint(error: &io::Error) -> &'static str {
    let cause = error.get_ref().and_then(|cause| cause.downcast_ref::<rustls::Error>());
    match cause {
        Some(rustls::Error::InvalidCertificate(_)) => {
            "; endpoint.ca_file names the certificates to trust"
        }
        Some(rustls::Error::InvalidMessage(_)) => {
            "; the server may not speak TLS, then its URL begins with http://"
        }
        _ => "",
    }
}

async fn open(address: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(address).await?;
    // Requests are written whole; waiting for more bytes would only delay their last segment.
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// How TLS is spoken to the endpoint: HTTP/1.1 only, trusting `endpoint.ca_file` or else what the
/// system trusts.
///
/// # Errors
/// [`ConfigError`] where a URL is `https` and the trusted certificates cannot be used.
pub fn tls_config(endpoint: &Endpoint) -> Result<ClientConfig, ConfigError> {
    let tls = |error: rustls::Error| ConfigError::Tls(error.to_string());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(tls)?;
    let used = (0..endpoint.urls()).any(|url| endpoint.target(url).tls);
    let builder = match &endpoint.ca_file {
        Some(path) if used => builder.with_root_certificates(roots(path)?),
        None if used => builder.with_platform_verifier().map_err(tls)?,
        // A machine without any trusted certificate can still speak plain HTTP.
        _ => builder.with_root_certificates(RootCertStore::empty()),
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
