//! The endpoint's shared state.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use http::HeaderName;
use tokio::sync::{Semaphore, watch};

use crate::clock::{Clock, Nanos, nanos};

use super::cache::{Lookup, PrefixCache, Prompt};
use super::config::{Config, ConfigError};
use super::faults::{Fault, FaultKind, Selector};
use super::latency::Latency;
use super::record::Recorder;
use super::replies::RecordedReplies;

/// Most prompts whose replies are kept.
const MAX_ANSWERED: usize = 1 << 20;

/// A simulated OpenAI-compatible endpoint.
pub struct Simulator {
    config: Config,
    recorded: Option<Arc<dyn RecordedReplies>>,
    clock: Clock,
    latency: Latency,
    session_header: HeaderName,
    cache: Mutex<PrefixCache>,
    /// Prompts that were answered, where whole replies are kept.
    answered: Mutex<HashSet<u64>>,
    slots: Option<Arc<Semaphore>>,
    /// The request count after which the endpoint goes away.
    refuse_after: Option<u64>,
    /// The request count after which the endpoint is killed by the next request.
    die_after: Option<u64>,
    idle_limit: Option<Nanos>,
    gone: watch::Sender<bool>,
    dead: watch::Sender<bool>,
    stopped: watch::Sender<bool>,
    counters: Counters,
    recorder: Option<Arc<dyn Recorder>>,
}

/// What the metrics page shows. Counts only grow; gauges are the current state.
#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) requests: AtomicU64,
    pub(super) running: AtomicUsize,
    pub(super) waiting: AtomicUsize,
    pub(super) prefix_queries: AtomicU64,
    pub(super) prefix_hits: AtomicU64,
    pub(super) prompt_tokens: AtomicU64,
    pub(super) generation_tokens: AtomicU64,
    pub(super) finished_stop: AtomicU64,
    pub(super) finished_length: AtomicU64,
    pub(super) finished_abort: AtomicU64,
}

impl Simulator {
    /// An endpoint that answers from `recorded`, or with scripted replies, on the time of `clock`.
    ///
    /// # Errors
    /// A setting outside its range.
    pub fn new(
        config: Config,
        recorded: Option<Arc<dyn RecordedReplies>>,
        clock: Clock,
    ) -> Result<Arc<Self>, ConfigError> {
        Self::build(config, recorded, clock, None)
    }

    /// The same, which hands a record of every request to `recorder`.
    ///
    /// # Errors
    /// A setting outside its range.
    pub fn with_recorder(
        config: Config,
        recorded: Option<Arc<dyn RecordedReplies>>,
        clock: Clock,
        recorder: Arc<dyn Recorder>,
    ) -> Result<Arc<Self>, ConfigError> {
        Self::build(config, recorded, clock, Some(recorder))
    }

    fn build(
        config: Config,
        recorded: Option<Arc<dyn RecordedReplies>>,
        clock: Clock,
        recorder: Option<Arc<dyn Recorder>>,
    ) -> Result<Arc<Self>, ConfigError> {
        config.check()?;
        let session_header = config.session_header.parse().map_err(|_| ConfigError {
            setting: "session_header",
            found: format!("{:?}", config.session_header),
            expected: "the name of an HTTP header",
        })?;
        let refuse_after = after(&config.faults, &FaultKind::Refuse);
        let die_after = after(&config.faults, &FaultKind::Die);
        let idle_limit = config.faults.iter().filter_map(idle_limit).min();
        Ok(Arc::new(Self {
            latency: Latency::new(&config),
            cache: Mutex::new(PrefixCache::new(config.cache)),
            answered: Mutex::default(),
            slots: config
                .max_running
                .map(|n| Arc::new(Semaphore::new(n.min(Semaphore::MAX_PERMITS)))),
            dead: watch::Sender::new(false),
            gone: watch::Sender::new(refuse_after == Some(0)),
            stopped: watch::Sender::new(false),
            counters: Counters::default(),
            session_header,
            refuse_after,
            die_after,
            idle_limit,
            recorder,
            recorded,
            clock,
            config,
        }))
    }

    /// Whether a `refuse` or `die` fault has taken the endpoint away. A TCP listener is closed by itself;
    /// in-memory connectors ask here.
    pub fn is_gone(&self) -> bool {
        *self.gone.borrow()
    }

    pub(super) fn watch_gone(&self) -> watch::Receiver<bool> {
        self.gone.subscribe()
    }

    pub(super) fn watch_dead(&self) -> watch::Receiver<bool> {
        self.dead.subscribe()
    }

    pub(super) fn watch_stopped(&self) -> watch::Receiver<bool> {
        self.stopped.subscribe()
    }

    /// Lets every connection end after its current reply.
    pub(super) fn stop(&self) {
        self.stopped.send_replace(true);
    }

    pub(super) fn idle_limit(&self) -> Option<Nanos> {
        self.idle_limit
    }

    pub(super) fn config(&self) -> &Config {
        &self.config
    }

    pub(super) fn clock(&self) -> Clock {
        self.clock
    }

    pub(super) fn latency(&self) -> Latency {
        self.latency
    }

    pub(super) fn session_header(&self) -> &HeaderName {
        &self.session_header
    }

    pub(super) fn recorded(&self) -> Option<&dyn RecordedReplies> {
        self.recorded.as_deref()
    }

    pub(super) fn recorder(&self) -> Option<&Arc<dyn Recorder>> {
        self.recorder.as_ref()
    }

    pub(super) fn counters(&self) -> &Counters {
        &self.counters
    }

    pub(super) fn slots(&self) -> Option<&Arc<Semaphore>> {
        self.slots.as_ref()
    }

    /// Requests under way.
    pub(super) fn running(&self) -> usize {
        self.counters.running.load(Ordering::Relaxed)
    }

    /// Counts a request; its number from 1. None when the endpoint is gone.
    pub(super) fn count_request(&self) -> Option<u64> {
        let number = self.counters.requests.fetch_add(1, Ordering::Relaxed) + 1;
        if self.die_after.is_some_and(|limit| number > limit) {
            self.gone.send_replace(true);
            self.dead.send_replace(true);
            return None;
        }
        if let Some(limit) = self.refuse_after
            && number >= limit
        {
            self.gone.send_replace(true);
            return (number == limit).then_some(number);
        }
        Some(number)
    }

    /// Looks a prompt up in the prefix cache, which keeps it from now on.
    pub(super) fn cache_lookup(&self, prompt: &Prompt) -> Lookup {
        let found = self.cache.lock().unwrap_or_else(PoisonError::into_inner).lookup(prompt);
        self.counters.prefix_queries.fetch_add(found.prompt_tokens, Ordering::Relaxed);
        self.counters.prefix_hits.fetch_add(found.cached_tokens, Ordering::Relaxed);
        self.counters.prompt_tokens.fetch_add(found.prompt_tokens, Ordering::Relaxed);
        found
    }

    /// Whether a prompt was answered before; from now on it was.
    pub(super) fn was_answered(&self, prompt: u64) -> bool {
        let mut answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
        if answered.len() >= MAX_ANSWERED {
            answered.clear();
        }
        !answered.insert(prompt)
    }

    /// Empties the prefix cache, as a server that is started anew has it.
    pub fn empty_cache(&self) {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.answered.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The share of the prefix cache that is in use.
    pub(super) fn cache_usage(&self) -> f64 {
        let used = self.cache.lock().unwrap_or_else(PoisonError::into_inner).len();
        #[expect(clippy::cast_precision_loss, reason = "never above a u32")]
        let used = used as f64;
        used / f64::from(self.config.cache.capacity_blocks.max(1))
    }
}

/// The lowest request count after which a fault of this kind strikes.
fn after(faults: &[Fault], kind: &FaultKind) -> Option<u64> {
    let count = |fault: &Fault| match fault.selectors.as_slice() {
        [Selector::After(count), ..] => *count,
        _ => 0,
    };
    faults.iter().filter(|fault| fault.kind == *kind).map(count).min()
}

fn idle_limit(fault: &Fault) -> Option<Nanos> {
    match fault.kind {
        FaultKind::Idle(limit) => Some(nanos(limit)),
        _ => None,
    }
}
