//! An in-memory server that a test scripts byte by byte.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use scenario::client::{Config, Connect, Endpoint, Exchange, Rope, SlotClient};
use scenario::clock::Clock;
use scenario::wire::Failure;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream, duplex};

/// One request as the server read it.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// Request line and headers as sent.
    pub(crate) head: String,
    /// The body.
    pub(crate) body: Vec<u8>,
}

/// Any byte stream.
pub(crate) trait Io: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> Io for T {}

/// The server's end of one connection.
pub(crate) struct Peer {
    io: Box<dyn Io>,
    buffer: Vec<u8>,
    seen: Arc<Mutex<Vec<Request>>>,
}

impl Peer {
    /// The server's end of a connection that a test opened itself.
    pub(crate) fn new(io: impl Io + 'static) -> Self {
        Self { io: Box::new(io), buffer: Vec::new(), seen: Arc::default() }
    }

    /// Reads one request; none when the client closed the connection.
    pub(crate) async fn request(&mut self) -> Option<Request> {
        loop {
            if let Some(end) = self.buffer.windows(4).position(|four| four == b"\r\n\r\n") {
                let head = String::from_utf8(self.buffer[..end].to_vec()).unwrap();
                let length: usize = head
                    .lines()
                    .find_map(|line| {
                        line.to_ascii_lowercase()
                            .strip_prefix("content-length: ")
                            .map(str::to_owned)
                    })
                    .map_or(0, |text| text.parse().unwrap());
                if self.buffer.len() >= end + 4 + length {
                    let body = self.buffer[end + 4..end + 4 + length].to_vec();
                    self.buffer.drain(..end + 4 + length);
                    let request = Request { head, body };
                    self.seen.lock().unwrap().push(request.clone());
                    return Some(request);
                }
            }
            if self.io.read_buf(&mut self.buffer).await.unwrap_or(0) == 0 {
                return None;
            }
        }
    }

    /// Writes raw bytes.
    pub(crate) async fn write(&mut self, bytes: impl AsRef<[u8]>) {
        let _ = self.io.write_all(bytes.as_ref()).await;
        let _ = self.io.flush().await;
    }

    /// Writes the head of a chunked event stream.
    pub(crate) async fn stream_head(&mut self) {
        self.write(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n",
        )
        .await;
    }

    /// Writes one HTTP chunk.
    pub(crate) async fn chunk(&mut self, bytes: impl AsRef<[u8]>) {
        let bytes = bytes.as_ref();
        let mut framed = format!("{:x}\r\n", bytes.len()).into_bytes();
        framed.extend_from_slice(bytes);
        framed.extend_from_slice(b"\r\n");
        self.write(framed).await;
    }

    /// Writes one event whose delta is the given JSON.
    pub(crate) async fn delta(&mut self, delta: &str) {
        self.chunk(format!("data: {}\n\n", chunk_json(delta))).await;
    }

    /// Ends a stream in the usual way: finish reason, `[DONE]`, last chunk.
    pub(crate) async fn stream_end(&mut self) {
        self.chunk(
            "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
        )
        .await;
        self.write("0\r\n\r\n").await;
    }

    /// Answers with a small whole reply that says `text`.
    pub(crate) async fn say(&mut self, text: &str) {
        self.stream_head().await;
        self.delta(&format!("{{\"content\":{text:?}}}")).await;
        self.stream_end().await;
    }
}

/// A chunk whose only choice has this delta.
pub(crate) fn chunk_json(delta: &str) -> String {
    format!("{{\"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":null}}]}}")
}

/// Sleeps in virtual time.
pub(crate) async fn sleep_ms(ms: u64) {
    tokio::time::sleep(Duration::from_millis(ms)).await;
}

type Serving = Pin<Box<dyn Future<Output = ()> + Send>>;
type Serve = Box<dyn Fn(usize, Peer) -> Serving + Send + Sync>;

/// Connects to a scripted server: `serve` gets the number of the connection (from 0) and its end.
pub(crate) struct Pipes {
    serve: Serve,
    opened: AtomicUsize,
    seen: Arc<Mutex<Vec<Request>>>,
    delay: Duration,
}

impl Connect for Pipes {
    type Io = DuplexStream;

    async fn connect(&self, _url: usize) -> Result<DuplexStream, Failure> {
        if !self.delay.is_zero() {
            tokio::time::sleep(self.delay).await;
        }
        let (near, far) = duplex(64 << 10);
        let peer = Peer { seen: Arc::clone(&self.seen), ..Peer::new(far) };
        tokio::spawn((self.serve)(self.opened.fetch_add(1, Ordering::Relaxed), peer));
        Ok(near)
    }
}

/// A client at a scripted server.
pub(crate) struct Rig {
    pub(crate) client: SlotClient<Pipes>,
    pub(crate) clock: Clock,
    pipes: Arc<Pipes>,
}

/// An exchange with its stamps in milliseconds.
#[derive(Debug)]
pub(crate) struct Timed {
    pub(crate) first: Option<u64>,
    pub(crate) completed: u64,
    pub(crate) exchange: Exchange,
}

impl Timed {
    /// The reply's content, or the failure as `kind: message`.
    pub(crate) fn text(&self) -> String {
        match &self.exchange.outcome {
            Ok(reply) => reply.content.joined(),
            Err(failure) => format!("{}: {}", failure.kind.name(), failure.message),
        }
    }
}

impl Rig {
    /// A client with the default configuration.
    pub(crate) fn new<F, S>(serve: S) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
        S: Fn(usize, Peer) -> F + Send + Sync + 'static,
    {
        Self::with(&Config::new(vec!["http://pipe".to_owned()]), Duration::ZERO, serve)
    }

    /// A client with this configuration, whose connections take `delay` to open.
    pub(crate) fn with<F, S>(config: &Config, delay: Duration, serve: S) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
        S: Fn(usize, Peer) -> F + Send + Sync + 'static,
    {
        let pipes = Arc::new(Pipes {
            serve: Box::new(move |n, peer| Box::pin(serve(n, peer))),
            opened: AtomicUsize::new(0),
            seen: Arc::default(),
            delay,
        });
        let clock = Clock::start();
        let endpoint = Arc::new(Endpoint::new(config).unwrap());
        Self { client: SlotClient::new(endpoint, Arc::clone(&pipes), clock), clock, pipes }
    }

    /// One exchange with a timeout.
    pub(crate) async fn exchange_within(&mut self, timeout_ms: u64) -> Timed {
        let mut body = Rope::default();
        body.push(Bytes::from_static(b"{\"model\":"));
        body.push(Bytes::from_static(b"\"m\"}"));
        let now = self.clock.now();
        let mut told = None;
        let exchange = self
            .client
            .exchange(0, "conv-1", body, now, now + timeout_ms * 1_000_000, &mut |at| {
                assert!(told.replace(at).is_none(), "the first token was told twice");
            })
            .await;
        assert_eq!(told, exchange.first_token_at);
        Timed { first: told.map(whole_ms), completed: whole_ms(exchange.completed_at), exchange }
    }

    /// One exchange with an hour's timeout.
    pub(crate) async fn exchange(&mut self) -> Timed {
        self.exchange_within(3_600_000).await
    }

    /// How many connections were opened.
    pub(crate) fn opened(&self) -> usize {
        self.pipes.opened.load(Ordering::Relaxed)
    }

    /// The requests that the server read whole.
    pub(crate) fn seen(&self) -> Vec<Request> {
        self.pipes.seen.lock().unwrap().clone()
    }
}

fn whole_ms(nanos: u64) -> u64 {
    assert_eq!(nanos % 1_000_000, 0, "not a whole millisecond: {nanos}");
    nanos / 1_000_000
}
