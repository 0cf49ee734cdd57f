//! The simulated endpoint in a process of its own.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::cli::failure::Failure;

/// How the endpoint answers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Latency {
    pub(super) ttft: Duration,
    pub(super) inter_token: Duration,
    /// Fragments of a reply.
    pub(super) chunks: u32,
}

/// A running `scenario serve`; killed when dropped.
pub(super) struct Server {
    child: Child,
    /// Its base URL.
    pub(super) url: String,
}

impl Server {
    /// Starts one that answers like `latency` and records every request in `record`, if given.
    pub(super) fn start(
        program: &Path,
        latency: Latency,
        record: Option<&Path>,
    ) -> Result<Self, Failure> {
        let failed = |error: &dyn std::error::Error| {
            Failure::could_not("the simulated endpoint cannot be started").because(error)
        };
        let mut command = Command::new(program);
        // As cheap as it can be: nothing is looked up in a prefix cache.
        command.args(["serve", "--quiet", "--port", "0", "--cache-blocks", "0", "--force"]);
        command.args(["--ttft", &format!("{}us", latency.ttft.as_micros())]);
        command.args(["--inter-token", &format!("{}us", latency.inter_token.as_micros())]);
        command.args(["--chunks", &latency.chunks.to_string()]);
        if let Some(record) = record {
            command.arg("--record").arg(record);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| failed(&error))?;
        let out = child.stdout.take();
        let mut server = Self { child, url: String::new() };
        if let Some(out) = out {
            BufReader::new(out).read_line(&mut server.url).map_err(|error| failed(&error))?;
        }
        server.url = server.url.trim().to_owned();
        if server.url.is_empty() {
            return Err(Failure::could_not("the simulated endpoint ended before it served"));
        }
        Ok(server)
    }

    /// Ends it in order, so that its record is whole.
    pub(super) fn stop(mut self) -> Result<(), Failure> {
        let pid = Pid::from_child(&self.child);
        let ended = kill_process(pid, Signal::TERM).map_err(std::io::Error::from);
        let ended = ended.and_then(|()| self.child.wait());
        ended.map(drop).map_err(|error| {
            Failure::could_not("the simulated endpoint cannot be stopped").because(&error)
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
