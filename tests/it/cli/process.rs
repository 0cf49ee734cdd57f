//! Running the binary.

use std::fmt;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Nothing that a test starts may take longer.
const PATIENCE: Duration = Duration::from_mins(1);

/// A directory of its own for the commands of one test.
pub(crate) struct Sandbox {
    directory: tempfile::TempDir,
    env: Vec<(String, String)>,
}

impl Sandbox {
    /// An empty directory.
    pub(crate) fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap(), env: Vec::new() }
    }

    /// Sets an environment variable for every command that follows; there are no others.
    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    /// A path inside.
    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.directory.path().join(relative)
    }

    /// Writes a file.
    pub(crate) fn write(&self, relative: &str, text: &str) {
        let path = self.path(relative);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Reads a file.
    pub(crate) fn read(&self, relative: impl AsRef<Path>) -> String {
        let path = self.directory.path().join(relative);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// Every file below a directory, relative to the sandbox, sorted.
    pub(crate) fn files(&self, relative: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut open = vec![self.path(relative)];
        while let Some(directory) = open.pop() {
            for entry in std::fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                } else {
                    let path = path.strip_prefix(self.directory.path()).unwrap().to_owned();
                    found.push(path.to_str().unwrap().to_owned());
                }
            }
        }
        found.sort();
        found
    }

    /// The command with these arguments, not yet started, in a clean environment.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_scenario"));
        command.args(arguments).current_dir(self.directory.path()).env_clear();
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs the command to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Done {
        self.start(arguments).wait()
    }

    /// Starts the command.
    pub(crate) fn start(&self, arguments: &[&str]) -> Running {
        let child = self.command(arguments).spawn().unwrap();
        Running { child, directory: self.directory.path().to_owned() }
    }
}

/// A command that runs. It is killed when dropped.
pub(crate) struct Running {
    child: Child,
    directory: PathBuf,
}

impl Running {
    /// The process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal by name, such as `INT`.
    pub(crate) fn signal(&self, name: &str) {
        let status =
            Command::new("kill").arg(format!("-{name}")).arg(self.id().to_string()).status();
        assert!(status.unwrap().success());
    }

    /// Waits until something is so, and fails when the command ends first or it takes too long.
    pub(crate) fn wait_until(&mut self, so: impl Fn() -> bool) {
        let end = Instant::now() + PATIENCE;
        while !so() {
            let ended = self.child.try_wait().unwrap();
            assert!(ended.is_none() && Instant::now() < end, "ended early: {ended:?}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Reads stdout up to the first line for which `wanted` gives something.
    pub(crate) fn stdout_until<T>(&mut self, wanted: impl Fn(&str) -> Option<T>) -> T {
        let stdout = BufReader::new(self.child.stdout.take().unwrap());
        for line in stdout.lines() {
            if let Some(found) = wanted(&line.unwrap()) {
                return found;
            }
        }
        panic!("stdout ended early");
    }

    /// Waits for the end, and fails when it does not come.
    pub(crate) fn wait(mut self) -> Done {
        let (stdout, stderr) = (self.child.stdout.take(), self.child.stderr.take());
        let read = |pipe: Option<Box<dyn Read + Send>>| {
            std::thread::spawn(move || {
                let mut text = Vec::new();
                pipe.map(|mut pipe| pipe.read_to_end(&mut text));
                text
            })
        };
        let stdout = read(stdout.map(|pipe| Box::new(pipe) as _));
        let stderr = read(stderr.map(|pipe| Box::new(pipe) as _));
        let end = Instant::now() + PATIENCE;
        let status = loop {
            match self.child.try_wait().unwrap() {
                Some(status) => break status,
                None if Instant::now() > end => panic!("still running after {PATIENCE:?}"),
                None => std::thread::sleep(Duration::from_millis(10)),
            }
        };
        let (stdout, stderr) = (stdout.join().unwrap(), stderr.join().unwrap());
        Done::new(&Output { status, stdout, stderr }, &self.directory)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A command that ended.
pub(crate) struct Done {
    /// The exit code; none after a signal.
    pub(crate) code: Option<i32>,
    /// As printed, but for what depends on how busy the machine was.
    pub(crate) stdout: String,
    /// As printed, but for what depends on how busy the machine was.
    pub(crate) stderr: String,
    /// As printed.
    pub(crate) whole_stderr: String,
    directory: PathBuf,
}

/// What was printed, without that the machine was too busy to measure well: tests run many at once.
fn without_load(bytes: &[u8]) -> String {
    let text = String::from_utf8(bytes.to_vec()).expect("output is UTF-8");
    let told = |line: &&str| !line.contains("client-limited") && !line.contains("CLIENT-LIMITED");
    text.split_inclusive('\n').filter(told).collect()
}

impl Done {
    fn new(output: &Output, directory: &Path) -> Self {
        Self {
            code: output.status.code(),
            stdout: without_load(&output.stdout),
            stderr: without_load(&output.stderr),
            whole_stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            directory: directory.to_owned(),
        }
    }

    /// The last line of stdout.
    pub(crate) fn last_line(&self) -> &str {
        self.stdout.lines().last().unwrap_or_default()
    }
}

/// What a snapshot holds.
impl fmt::Display for Done {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code = self.code.map_or("killed".to_owned(), |code| code.to_string());
        let text = format!(
            "exit code: {code}\n----- stdout -----\n{}\n----- stderr -----\n{}",
            self.stdout.trim_end(),
            self.stderr.trim_end()
        );
        let directory = self.directory.display().to_string();
        f.write_str(text.replace(&directory, "[DIR]").trim_end())
    }
}

/// Compares a [`Done`] with an inline snapshot, with what differs from run to run replaced.
macro_rules! assert_done {
    ($done:expr, @$expected:literal) => {{
        let done = $done;
        insta::with_settings!({filters => vec![
            (r"127\.0\.0\.1:\d+", "127.0.0.1:[PORT]"),
            (r"\b\d{8}T\d{6}Z[0-9A-Za-z-]*", "[RUN]"),
            // Measured times, in messages and in the rows of the table.
            (r"\b\d+(\.\d+)? (ms|s)\b", "[TIME]"),
            (r"(?m)^ +\d+( +[\d.]+)+$", "[ROW]"),
            (r"[0-9a-f]{64}", "[DIGEST]"),
        ]}, {
            insta::assert_snapshot!(done.to_string(), @$expected);
        });
    }};
}
pub(crate) use assert_done;
