//! `scenario serve` in a process of its own.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// The program under test.
pub(crate) const SCENARIO: &str = env!("CARGO_BIN_EXE_scenario");

/// A running server; killed when dropped.
pub(crate) struct Server {
    child: Child,
    /// Its base URL.
    pub(crate) url: String,
}

impl Server {
    /// Starts a server that answers with `chunks` fragments.
    pub(crate) fn start(ttft: &str, inter_token: &str, chunks: u32, record: Option<&Path>) -> Self {
        Self::with(&[], ttft, inter_token, chunks, record)
    }

    /// The same with further arguments.
    pub(crate) fn with(
        more: &[&str],
        ttft: &str,
        inter_token: &str,
        chunks: u32,
        record: Option<&Path>,
    ) -> Self {
        let mut command = Command::new(SCENARIO);
        // A server as cheap as it can be: nothing is looked up in a prefix cache.
        command.args(["serve", "--quiet", "--port", "0", "--cache-blocks", "0", "--ttft", ttft]);
        command.args(["--inter-token", inter_token, "--chunks", &chunks.to_string()]);
        command.args(more);
        if let Some(path) = record {
            command.args(["--force", "--record"]).arg(path);
        }
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the server starts");
        let mut url = String::new();
        let out = child.stdout.take().expect("piped");
        BufReader::new(out).read_line(&mut url).expect("the server tells its URL");
        Self { child, url: url.trim().to_owned() }
    }

    /// CPU time that it took so far.
    pub(crate) fn cpu(&self) -> Duration {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()));
        let stat = stat.unwrap_or_default();
        let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
        let ticks: u64 = fields.skip(11).take(2).filter_map(|t| t.parse::<u64>().ok()).sum();
        Duration::from_millis(ticks * 10)
    }

    /// Ends it in an orderly way, so that its record is whole.
    pub(crate) fn stop(mut self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        let _ = self.child.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
