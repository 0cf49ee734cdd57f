//! Over real sockets and in real time.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use scenario::clock::Clock;
use scenario::simulator::{Config, ReplySource, Simulator};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::rig::{STREAM, body};

struct Server {
    address: SocketAddr,
    shutdown: oneshot::Sender<()>,
    served: JoinHandle<()>,
}

async fn serve(faults: &[&str]) -> Server {
    let config = Config {
        replies: ReplySource::Scripted,
        faults: faults.iter().map(|fault| fault.parse().unwrap()).collect(),
        ..Config::default()
    };
    let simulator = Simulator::new(config, None, Clock::start()).unwrap();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (shutdown, stopped) = oneshot::channel::<()>();
    let served = tokio::spawn(Arc::clone(&simulator).serve(listener, async {
        let _ = stopped.await;
    }));
    Server { address, shutdown, served }
}

/// A blocking exchange on a thread of its own: what was read, and how reading ended.
async fn exchange(address: SocketAddr, keep_alive: bool) -> (String, Result<(), ErrorKind>) {
    let exchange = move || {
        let mut stream = TcpStream::connect(address).map_err(|error| error.kind())?;
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let body = body(STREAM);
        let connection = if keep_alive { "keep-alive" } else { "close" };
        let head = format!(
            "POST /v1/chat/completions HTTP/1.1\r\nHost: {address}\r\nConnection: {connection}\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).map_err(|error| error.kind())?;
        stream.write_all(body.as_bytes()).map_err(|error| error.kind())?;
        let mut bytes = Vec::new();
        let ended = stream.read_to_end(&mut bytes).map(|_| ()).map_err(|error| error.kind());
        Ok((String::from_utf8_lossy(&bytes).into_owned(), ended))
    };
    let done: Result<_, ErrorKind> = tokio::task::spawn_blocking(exchange).await.unwrap();
    done.unwrap_or_else(|kind| (String::new(), Err(kind)))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_over_tcp_and_a_clean_stop() {
    let server = serve(&[]).await;
    let (text, ended) = exchange(server.address, false).await;
    assert!(text.starts_with("HTTP/1.1 200 OK\r\n"), "{text}");
    assert!(text.contains("data: [DONE]\n\n") && text.ends_with("0\r\n\r\n"), "{text}");
    assert_eq!(ended, Ok(()));
    // An idle connection does not hold the server up.
    let _idle = TcpStream::connect(server.address).unwrap();
    server.shutdown.send(()).unwrap();
    tokio::time::timeout(Duration::from_secs(20), server.served).await.unwrap().unwrap();
    assert_eq!(exchange(server.address, false).await.1, Err(ErrorKind::ConnectionRefused));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reset_is_a_real_one_and_a_cut_is_not() {
    let server = serve(&["reset@request:1", "reset=3@request:2", "cut=3@request:3"]).await;
    assert_eq!(
        exchange(server.address, true).await,
        (String::new(), Err(ErrorKind::ConnectionReset))
    );
    let (_, ended) = exchange(server.address, true).await;
    assert_eq!(ended, Err(ErrorKind::ConnectionReset));
    let (text, ended) = exchange(server.address, true).await;
    assert!(text.ends_with("\u{fffd}\r\n"), "{text}");
    assert_eq!(ended, Ok(()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endpoint_that_goes_away_refuses_connections() {
    let server = serve(&["refuse@after:1"]).await;
    let open = TcpStream::connect(server.address).unwrap();
    let (text, _) = exchange(server.address, false).await;
    assert!(text.contains("[DONE]"), "{text}");
    let mut tries = 0;
    while exchange(server.address, false).await.1 != Err(ErrorKind::ConnectionRefused) {
        tries += 1;
        assert!(tries < 100, "the listener stays open");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    drop(open);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replies_that_never_end_do_not_hold_the_stop_up() {
    let server = serve(&["stall=1"]).await;
    let stalled = tokio::spawn(exchange(server.address, true));
    tokio::time::sleep(Duration::from_millis(200)).await;
    server.shutdown.send(()).unwrap();
    tokio::time::timeout(Duration::from_secs(20), server.served).await.unwrap().unwrap();
    let (text, _) = stalled.await.unwrap();
    assert!(!text.contains("[DONE]"));
}
