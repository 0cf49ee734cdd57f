//! Where the turns go: the scenario's URLs, or the embedded simulated endpoint on a port of this
//! machine, in a thread of its own.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::oneshot;

use crate::cli::failure::Failure;
use crate::cli::probe;
use crate::client::{self, Connect as _, Endpoint, TcpConnector};
use crate::clock::Clock;
use crate::host;
use crate::prompt::{Library, RecordedTable};
use crate::scenario::ValidScenario;
use crate::scenario::model::{Replies, Simulated};
use crate::simulator::{self, ReplySource, Simulator};

/// How long a server may take to list its models, when it is looked at before the first point.
const LOOK_TIMEOUT: Duration = Duration::from_secs(2);

/// What fits into a pipe to the simulated endpoint.
const PIPE_BYTES: usize = 64 * 1024;

/// An endpoint to replay against.
pub(super) struct Target {
    /// URLs, request heads and limits.
    pub(super) endpoint: Arc<Endpoint>,
    /// How streams are opened.
    pub(super) connector: Arc<TcpConnector>,
    config: client::Config,
    embedded: Option<Embedded>,
}

/// The running simulated endpoint.
struct Embedded {
    simulator: Arc<Simulator>,
    /// Where it listens; none where it answers over pipes.
    port: Option<Port>,
}

/// The thread that serves a port.
struct Port {
    shutdown: oneshot::Sender<()>,
    thread: JoinHandle<()>,
}

impl Target {
    /// Prepares the endpoint of a scenario, and starts it where it is the simulated one.
    ///
    /// With `in_memory`, the simulated one answers over pipes on the runtime that replays, so that
    /// both live in one time.
    pub(super) fn start(
        scenario: &ValidScenario,
        library: &Arc<Library>,
        in_memory: bool,
    ) -> Result<Self, Failure> {
        let section = &scenario.endpoint;
        let (urls, embedded) = match &section.simulated {
            Some(simulated) if in_memory => {
                let simulator = simulator(simulated, scenario, library)?;
                (vec!["http://simulated".to_owned()], Some(Embedded { simulator, port: None }))
            }
            Some(simulated) => {
                let (url, embedded) = Embedded::start(simulated, scenario, library)?;
                (vec![url], Some(embedded))
            }
            None => (section.urls.clone(), None),
        };
        let exposed = |(name, value): (&String, &crate::units::Secret)| {
            (name.clone(), value.expose().to_owned())
        };
        let config = client::Config {
            urls,
            api_key: section.api_key.clone(),
            headers: section.headers.iter().map(exposed).collect(),
            session_header: section.session_header.clone(),
            connect_timeout: section.connect_timeout.get(),
            max_idle: section.max_idle.get(),
            ca_file: section.ca_file.clone(),
        };
        let unusable = |error: client::ConfigError| Failure::usage(error.to_string());
        let endpoint = Arc::new(Endpoint::new(&config).map_err(unusable)?);
        let piped = embedded.as_ref().filter(|embedded| embedded.port.is_none());
        let connector = match piped.map(|embedded| Arc::clone(&embedded.simulator)) {
            Some(simulator) => TcpConnector::in_memory(move || {
                let (ours, theirs) = tokio::io::duplex(PIPE_BYTES);
                tokio::spawn(Arc::clone(&simulator).serve_connection(theirs));
                ours
            }),
            None => TcpConnector::new(&endpoint).map_err(unusable)?,
        };
        Ok(Self { endpoint, connector: Arc::new(connector), config, embedded })
    }

    /// The URLs.
    pub(super) fn urls(&self) -> &[String] {
        &self.config.urls
    }

    /// Opens one connection to every URL, so that a dead endpoint is known before a point starts.
    pub(super) async fn check(&self, timeout: Duration) -> Result<(), Failure> {
        for url in 0..self.endpoint.urls() {
            let connected = match tokio::time::timeout(timeout, self.connector.connect(url)).await {
                Ok(Ok(_)) => continue,
                Ok(Err(failure)) => failure.message,
                Err(_) => format!("no answer within endpoint.connect_timeout ({timeout:?})"),
            };
            let label = self.endpoint.label(url);
            return Err(Failure::could_not(format!("{label}: the endpoint cannot be reached"))
                .because_text(connected)
                .help(
                    "start the server, or correct endpoint.urls; `scenario probe URL` shows what \
                     a server answers",
                ));
        }
        Ok(())
    }

    /// Whether any URL leads to a simulated endpoint, the embedded one or a `scenario serve`; what
    /// is measured then is no real system.
    pub(super) async fn is_simulated(&self) -> bool {
        if self.embedded.is_some() {
            return true;
        }
        for url in &self.config.urls {
            let config = client::Config { urls: vec![url.clone()], ..self.config.clone() };
            if probe::is_simulated(&config, LOOK_TIMEOUT).await {
                return true;
            }
        }
        false
    }

    /// Readies the endpoint for a point: the simulated one forgets what it has cached. The salt
    /// repeats from point to point, so that else each would find the prompts of the one before it.
    pub(super) fn begin_point(&self) {
        if let Some(embedded) = &self.embedded {
            embedded.simulator.empty_cache();
        }
    }

    /// Ends the simulated endpoint, where there is one.
    pub(super) fn stop(self) {
        if let Some(Port { shutdown, thread }) = self.embedded.and_then(|embedded| embedded.port) {
            // Either may be gone already; the run is over in any case.
            let _ = shutdown.send(());
            let _ = thread.join();
        }
    }
}

impl Embedded {
    fn start(
        simulated: &Simulated,
        scenario: &ValidScenario,
        library: &Arc<Library>,
    ) -> Result<(String, Self), Failure> {
        let failed = |error: &dyn std::error::Error| {
            Failure::could_not("the simulated endpoint cannot be started").because(error)
        };
        let listener = host::listen((Ipv4Addr::LOCALHOST, 0)).map_err(|e| failed(&e))?;
        listener.set_nonblocking(true).map_err(|e| failed(&e))?;
        let url = format!("http://{}", listener.local_addr().map_err(|e| failed(&e))?);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|e| failed(&e))?;
        let simulator = simulator(simulated, scenario, library)?;
        let (shutdown, stopped) = oneshot::channel();
        let served = Arc::clone(&simulator);
        let serve = move || {
            runtime.block_on(async {
                if let Ok(listener) = tokio::net::TcpListener::from_std(listener) {
                    let stopped = async {
                        let _ = stopped.await;
                    };
                    served.serve(listener, stopped).await;
                }
            });
        };
        let thread = std::thread::Builder::new().name("simulated".to_owned()).spawn(serve);
        let port = Port { shutdown, thread: thread.map_err(|e| failed(&e))? };
        Ok((url, Self { simulator, port: Some(port) }))
    }
}

/// The simulated endpoint of a scenario.
fn simulator(
    simulated: &Simulated,
    scenario: &ValidScenario,
    library: &Arc<Library>,
) -> Result<Arc<Simulator>, Failure> {
    let config = simulator_config(simulated, scenario);
    let replies = Arc::new(RecordedTable::new(Arc::clone(library)));
    Simulator::new(config, Some(replies), Clock::start())
        .map_err(|error| Failure::usage(format!("endpoint.simulated: {error}")))
}

/// The simulated endpoint as the scenario wants it; it answers any model and checks the key that
/// the scenario sends.
fn simulator_config(simulated: &Simulated, scenario: &ValidScenario) -> simulator::Config {
    simulator::Config {
        ttft: simulated.ttft.get(),
        inter_token: simulated.inter_token.get(),
        prefill_rate: simulated.prefill_rate,
        batch_slowdown: simulated.batch_slowdown,
        chunk_tokens: simulated.chunk_tokens,
        replies: match simulated.replies {
            Replies::Recorded => ReplySource::Recorded { wrong_share: simulated.wrong_share },
            Replies::Scripted => ReplySource::Scripted,
        },
        cache: simulator::CacheConfig {
            block_tokens: simulated.cache.block_tokens,
            capacity_blocks: simulated.cache.capacity_blocks,
            ignores_salt: simulated.cache.ignores_salt,
            ..simulator::CacheConfig::default()
        },
        output_cache: simulated.output_cache,
        reasoning_field: simulated.reasoning_field.clone(),
        session_header: scenario.endpoint.session_header.clone(),
        seed: simulated.seed,
        faults: simulated.faults.clone(),
        api_key: scenario.endpoint.api_key.clone(),
        ..simulator::Config::default()
    }
}
