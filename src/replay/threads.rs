//! The threads that measure.

use std::io;

use tokio::runtime::{Builder, Runtime};

use super::note::ThreadIndex;

/// The event loops that slots run on, one to a thread. They share nothing: a slot, its connection
/// and its timer stay on one of them from the first turn to the last.
#[derive(Debug)]
pub struct Threads {
    first: Runtime,
    others: Vec<Runtime>,
}

impl Threads {
    /// So many threads, one at least; none runs before a replay does.
    ///
    /// # Errors
    /// When the system gives no event loop, for example for want of file descriptors.
    pub fn new(count: ThreadIndex) -> io::Result<Self> {
        let runtime = || Builder::new_current_thread().enable_all().build();
        let others = (1..count).map(|_| runtime()).collect::<io::Result<_>>()?;
        Ok(Self { first: runtime()?, others })
    }

    /// One thread with this runtime, which may have a clock of its own.
    pub fn of(runtime: Runtime) -> Self {
        Self { first: runtime, others: Vec::new() }
    }

    /// The event loop of the first thread, which is the caller's.
    pub fn first(&self) -> &Runtime {
        &self.first
    }

    /// The event loops of the threads that a replay starts.
    pub(super) fn others(&self) -> &[Runtime] {
        &self.others
    }

    /// How many there are.
    pub fn count(&self) -> ThreadIndex {
        1 + ThreadIndex::try_from(self.others.len()).expect("as many as `new` was asked for")
    }

    /// All of them.
    pub fn runtimes(&self) -> impl Iterator<Item = &Runtime> {
        std::iter::once(&self.first).chain(&self.others)
    }
}
