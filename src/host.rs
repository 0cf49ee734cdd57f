//! Facts and limits of the machine that runs the client.
//!
//! Owns what the manifest says about this host, the limit of open files, the queue of a listening
//! socket, and the memory and CPU time that the process takes. Uses nothing else of the crate; what
//! the system does not tell is none.

use std::fs;
use std::io;
use std::net::{TcpListener, ToSocketAddrs};
use std::num::NonZero;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

/// What a reader of the results needs to know of the client machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    /// The host's name.
    pub hostname: String,
    /// The operating system, as its distribution names itself.
    pub os: String,
    /// The kernel's name and release.
    pub kernel: String,
    /// The machine's architecture.
    pub architecture: String,
    /// The processor, as the kernel names it.
    pub cpu_model: Option<String>,
    /// Processors that this process may use.
    pub cpus: Option<u64>,
    /// Memory of the machine in bytes; a container's own limit is not looked at.
    pub memory_bytes: Option<u64>,
    /// Files and sockets that this process may have open (soft limit); none for no limit.
    pub open_files: Option<u64>,
}

impl Host {
    /// The facts of this machine, now.
    pub fn probe() -> Self {
        let system = rustix::system::uname();
        let text = |part: &std::ffi::CStr| part.to_string_lossy().into_owned();
        let read = |path| fs::read_to_string(path).ok();
        let release = read("/etc/os-release").as_deref().and_then(distribution);
        Self {
            hostname: text(system.nodename()),
            os: release.unwrap_or_else(|| text(system.sysname())),
            kernel: format!("{} {}", text(system.sysname()), text(system.release())),
            architecture: text(system.machine()),
            cpu_model: read("/proc/cpuinfo").as_deref().and_then(cpu_model),
            cpus: std::thread::available_parallelism()
                .ok()
                .and_then(|cpus| u64::try_from(cpus.get()).ok()),
            memory_bytes: read("/proc/meminfo")
                .as_deref()
                .and_then(|text| kibibytes(text, "MemTotal:")),
            open_files: getrlimit(Resource::Nofile).current,
        }
    }
}

/// The most connections that wait to be accepted; the system may allow fewer.
const BACKLOG: i32 = 4096;

/// Listens at the first of `addresses` that it can. Unlike the standard library's, the queue of
/// connections holds as many as a client with thousands of slots opens at once; the system drops
/// what does not fit, and the client tries again only after a second.
///
/// # Errors
/// When the address is taken, or not one of this machine.
pub fn listen(addresses: impl ToSocketAddrs) -> io::Result<TcpListener> {
    let listener = TcpListener::bind(addresses)?;
    rustix::net::listen(&listener, BACKLOG)?;
    Ok(listener)
}

/// The limits of open files before and after [`raise_open_files`]; none for no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenFiles {
    /// The soft limit that the process was started with.
    pub before: Option<u64>,
    /// The soft limit from now on.
    pub now: Option<u64>,
}

impl OpenFiles {
    /// Whether so many connections fit, leaving some files for everything else.
    pub fn suffice_for(self, connections: u64) -> bool {
        self.connections().is_none_or(|most| most >= connections)
    }

    /// How many connections fit, leaving some files for everything else; none for no limit.
    pub fn connections(self) -> Option<u64> {
        const OTHER_FILES: u64 = 64;
        self.now.map(|limit| limit.saturating_sub(OTHER_FILES))
    }
}

/// Raises the soft limit of open files to the hard one, so that each slot can have its connection.
/// Where the system refuses, the limit stays as it was.
pub fn raise_open_files() -> OpenFiles {
    let before = getrlimit(Resource::Nofile);
    if before.current != before.maximum {
        let wanted = Rlimit { current: before.maximum, maximum: before.maximum };
        // macOS refuses more than its own constant; what holds is read back below.
        let _refused = setrlimit(Resource::Nofile, wanted);
    }
    OpenFiles { before: before.current, now: getrlimit(Resource::Nofile).current }
}

/// The first and last local port that the system gives to outgoing connections; together they bound
/// how many connections to one address there can be.
pub fn local_ports() -> Option<(u16, u16)> {
    let text = fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").ok()?;
    let mut ports = text.split_whitespace().map(str::parse);
    Some((ports.next()?.ok()?, ports.next()?.ok()?))
}

/// The physical memory that this process takes now, in bytes.
pub fn resident_bytes() -> Option<u64> {
    kibibytes(&fs::read_to_string("/proc/self/status").ok()?, "VmRSS:")
}

/// The most physical memory that this process took so far, in bytes.
pub fn peak_resident_bytes() -> Option<u64> {
    kibibytes(&fs::read_to_string("/proc/self/status").ok()?, "VmHWM:")
}

/// The CPU time that this process took so far, all its threads together.
pub fn process_cpu() -> Duration {
    cpu_time(ClockId::ProcessCPUTime)
}

/// The CPU time that the calling thread took so far.
pub fn thread_cpu() -> Duration {
    cpu_time(ClockId::ThreadCPUTime)
}

fn cpu_time(clock: ClockId) -> Duration {
    Duration::try_from(clock_gettime(clock)).unwrap_or_default()
}

/// How many OS threads can run at once; at least 1.
pub fn parallelism() -> NonZero<usize> {
    std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN)
}

/// The value in bytes of a `/proc` line such as `MemTotal:  24684084 kB`.
fn kibibytes(text: &str, key: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(key))?;
    let number = rest.trim().strip_suffix("kB")?.trim();
    number.parse::<u64>().ok()?.checked_mul(1024)
}

/// The processor of `/proc/cpuinfo`: the key is `model name` on x86 and `Processor` or `cpu model`
/// elsewhere; many ARM kernels name none.
fn cpu_model(text: &str) -> Option<String> {
    text.lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(key, _)| matches!(key.trim(), "model name" | "Processor" | "cpu model"))
        .map(|(_, value)| value.trim().to_owned())
        .filter(|value| !value.is_empty())
}

/// `PRETTY_NAME` of `/etc/os-release`, without its quotes.
fn distribution(text: &str) -> Option<String> {
    let value = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(value.trim().trim_matches(['"', '\'']).to_owned()).filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_proc_files() {
        let meminfo = "MemTotal:       24684084 kB\nMemFree:        16054912 kB\n";
        assert_eq!(kibibytes(meminfo, "MemTotal:"), Some(24_684_084 * 1024));
        assert_eq!(kibibytes(meminfo, "SwapTotal:"), None);
        assert_eq!(kibibytes("MemTotal: lots\n", "MemTotal:"), None);
        assert_eq!(kibibytes("MemTotal: 99999999999999999999 kB\n", "MemTotal:"), None);
        let cpuinfo = "processor\t: 0\nmodel\t\t: 207\nmodel name\t: Some(R) Chip\n";
        assert_eq!(cpu_model(cpuinfo).as_deref(), Some("Some(R) Chip"));
        assert_eq!(cpu_model("processor\t: 0\n"), None);
        let release = "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 13\"\n";
        assert_eq!(distribution(release).as_deref(), Some("Debian GNU/Linux 13"));
    }

    #[test]
    fn this_machine_has_facts() {
        let host = Host::probe();
        assert!(!host.hostname.is_empty() && !host.os.is_empty() && !host.architecture.is_empty());
        assert!(host.cpus.is_some_and(|cpus| cpus > 0));
        let text = serde_json::to_string(&host).unwrap();
        assert_eq!(serde_json::from_str::<Host>(&text).unwrap(), host);
    }

    #[test]
    fn the_limit_of_open_files_never_falls() {
        let limits = raise_open_files();
        let unlimited = u64::MAX;
        assert!(limits.now.unwrap_or(unlimited) >= limits.before.unwrap_or(unlimited));
        assert_eq!(raise_open_files().before, limits.now);
        assert!(OpenFiles { before: None, now: None }.suffice_for(u64::MAX));
        assert!(!OpenFiles { before: Some(256), now: Some(256) }.suffice_for(200));
        assert!(OpenFiles { before: Some(256), now: Some(1024) }.suffice_for(512));
        assert_eq!(OpenFiles { before: Some(32), now: Some(32) }.connections(), Some(0));
    }

    #[test]
    fn cpu_time_counts_work_and_not_waiting() {
        let (process, thread) = (process_cpu(), thread_cpu());
        std::thread::sleep(Duration::from_millis(20));
        let waited = thread_cpu().saturating_sub(thread);
        assert!(waited < Duration::from_millis(15), "{waited:?}");
        let mut sum = 0_u64;
        while thread_cpu().saturating_sub(thread) < Duration::from_millis(20) {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
        assert!(process_cpu().saturating_sub(process) >= Duration::from_millis(19));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn local_ports_are_a_range() {
        let (first, last) = local_ports().unwrap();
        assert!(first < last, "{first} {last}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn memory_is_counted() {
        let held = vec![1_u8; 32 << 20];
        let now = resident_bytes().unwrap();
        assert!(now > held.len() as u64);
        assert!(peak_resident_bytes().unwrap() >= now.min(held.len() as u64));
    }
}
