//! Real sockets: TCP, TLS, and what goes wrong before HTTP.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use scenario::client::{Config, ConfigError, Endpoint, Exchange, Rope, SlotClient, TcpConnector};
use scenario::clock::Clock;
use scenario::wire::FailureKind;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::pipe::Peer;

fn tls_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/tls").join(name)
}

fn acceptor() -> TlsAcceptor {
    let chain = vec![CertificateDer::from_pem_file(tls_file("server.pem")).unwrap()];
    let key = PrivateKeyDer::from_pem_file(tls_file("server.key")).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    TlsAcceptor::from(Arc::new(config))
}

/// A server on a free port that answers `per_connection` requests on each connection; gives its
/// port and the number of connections so far.
async fn serve(tls: bool, per_connection: usize) -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let accepted = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&accepted);
    tokio::spawn(async move {
        let acceptor = acceptor();
        while let Ok((tcp, _)) = listener.accept().await {
            counter.fetch_add(1, Ordering::Relaxed);
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let mut peer = if tls {
                    let Ok(stream) = acceptor.accept(tcp).await else { return };
                    Peer::new(stream)
                } else {
                    Peer::new(tcp)
                };
                for _ in 0..per_connection {
                    if peer.request().await.is_none() {
                        return;
                    }
                    peer.say("ok").await;
                }
            });
        }
    });
    (port, accepted)
}

fn client(config: &Config) -> SlotClient<TcpConnector> {
    let endpoint = Arc::new(Endpoint::new(config).unwrap());
    let connector = Arc::new(TcpConnector::new(&endpoint).unwrap());
    SlotClient::new(endpoint, connector, Clock::start())
}

async fn exchange(client: &mut SlotClient<TcpConnector>) -> Exchange {
    let mut body = Rope::default();
    body.push(Bytes::from_static(b"{}"));
    client.exchange(0, "c", body, 0, u64::MAX / 2, &mut |_| ()).await
}

async fn failure(url: String, ca_file: Option<PathBuf>) -> (FailureKind, String) {
    let config = Config { ca_file, ..Config::new(vec![url]) };
    let failure = exchange(&mut client(&config)).await.outcome.unwrap_err();
    (failure.kind, failure.message)
}

#[tokio::test]
async fn plain_tcp_and_tls_carry_exchanges() {
    for tls in [false, true] {
        let (port, accepted) = serve(tls, 2).await;
        let scheme = if tls { "https" } else { "http" };
        let config = Config {
            ca_file: tls.then(|| tls_file("ca.pem")),
            ..Config::new(vec![format!("{scheme}://localhost:{port}")])
        };
        let mut client = client(&config);
        for n in 0..4 {
            let exchange = exchange(&mut client).await;
            assert_eq!(exchange.outcome.unwrap().content.joined(), "ok");
            let first = exchange.first_token_at.unwrap();
            assert!(first <= exchange.completed_at);
            // Every second request finds its connection closed by the server.
            assert_eq!(exchange.connect.is_some(), n % 2 == 0, "{scheme} {n}");
            tokio::time::sleep(std::time::Duration::from_millis(30)).await;
        }
        assert_eq!(accepted.load(Ordering::Relaxed), 2);
    }
}

#[tokio::test]
async fn a_reset_while_idle_is_no_failure() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((tcp, _)) = listener.accept().await {
            // Dropping the socket sends a reset instead of an orderly end.
            tcp.set_zero_linger().unwrap();
            let mut peer = Peer::new(tcp);
            peer.request().await;
            peer.say("ok").await;
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    });
    let mut client = client(&Config::new(vec![format!("http://127.0.0.1:{port}")]));
    for _ in 0..5 {
        let exchange = exchange(&mut client).await;
        assert_eq!(exchange.outcome.unwrap().content.joined(), "ok");
        assert!(exchange.connect.is_some() && !exchange.resent);
        tokio::time::sleep(std::time::Duration::from_millis(60)).await;
    }
}

#[tokio::test]
async fn exchanges_can_run_on_any_thread() {
    let (port, _) = serve(false, 9).await;
    let mut client = client(&Config::new(vec![format!("http://127.0.0.1:{port}")]));
    let task = tokio::spawn(async move { exchange(&mut client).await.outcome.is_ok() });
    assert!(task.await.unwrap());
}

#[tokio::test]
async fn what_goes_wrong_before_http_is_classified() {
    let closed = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    let (kind, message) = failure(format!("http://127.0.0.1:{closed}"), None).await;
    assert_eq!(kind, FailureKind::Connect);
    insta::assert_snapshot!(
        message.replace(&closed.to_string(), "PORT"),
        @"cannot connect to http://127.0.0.1:PORT: Connection refused (os error 111); is the server running?"
    );

    let (kind, message) = failure("http://no-such-host.invalid".to_owned(), None).await;
    assert_eq!(kind, FailureKind::Connect);
    assert!(message.starts_with("cannot connect to http://no-such-host.invalid: "), "{message}");

    // A certificate that nobody here trusts.
    let (port, _) = serve(true, 1).await;
    let own = Some(tls_file("server.pem"));
    let (kind, message) = failure(format!("https://127.0.0.1:{port}"), own).await;
    assert_eq!(kind, FailureKind::Tls);
    insta::assert_snapshot!(message.replace(&port.to_string(), "PORT"), @"TLS handshake with https://127.0.0.1:PORT failed: invalid peer certificate: UnknownIssuer; endpoint.ca_file names the certificates to trust");

    // TLS spoken to a plain server, and the other way round.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let plain = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        let (tcp, _) = listener.accept().await.unwrap();
        Peer::new(tcp).write("HTTP/1.1 400 Bad Request\r\n\r\n").await;
    });
    let ca = Some(tls_file("ca.pem"));
    let (kind, message) = failure(format!("https://127.0.0.1:{plain}"), ca).await;
    assert_eq!(kind, FailureKind::Tls);
    insta::assert_snapshot!(message.replace(&plain.to_string(), "PORT"), @"TLS handshake with https://127.0.0.1:PORT failed: received corrupt message of type InvalidContentType; the server may not speak TLS, then its URL begins with http://");
    let (port, _) = serve(true, 1).await;
    let (kind, _) = failure(format!("http://127.0.0.1:{port}"), None).await;
    assert!(matches!(kind, FailureKind::MalformedStream | FailureKind::Reset), "{kind:?}");
}

#[test]
fn certificates_that_cannot_be_used_are_named() {
    let refused = |ca_file: PathBuf| {
        let urls = vec!["https://localhost".to_owned()];
        let endpoint =
            Endpoint::new(&Config { ca_file: Some(ca_file), ..Config::new(urls) }).unwrap();
        match TcpConnector::new(&endpoint).err() {
            Some(ConfigError::CaFile { problem, .. }) => problem,
            other => panic!("{other:?}"),
        }
    };
    insta::assert_snapshot!(refused(tls_file("none.pem")), @"I/O error: No such file or directory (os error 2)");
    insta::assert_snapshot!(refused(tls_file("make.sh")), @"holds no PEM certificate");
}
