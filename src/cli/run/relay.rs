//! A program that measures in our place: started, listened to, and stopped by signals.

use std::fs::File;
use std::io::{self, Read, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

use crate::cli::console::Console;
use crate::clock::{Clock, Nanos, nanos};
use crate::replay::{StopHandle, StopLevel};

/// How often the child and the signals are looked at.
const LOOK: Duration = Duration::from_millis(50);
/// How long the child may take to end after a signal.
const GRACE: Duration = Duration::from_mins(1);
/// How long after that it may take to end after the next, stronger one.
const LAST_GRACE: Duration = Duration::from_secs(10);
/// How long its pipes may stay open behind it, held by processes of its own.
const PIPES: Duration = Duration::from_secs(2);
/// A line that is redrawn in place is relayed so often.
const REDRAWN: Duration = Duration::from_secs(3);
/// The last lines, for a failure.
const TAIL: usize = 10;
/// The longest line that is relayed.
const MAX_LINE: usize = 4096;

/// How the program ended.
#[derive(Debug)]
pub(super) struct Ended {
    /// Its exit status.
    pub(super) status: ExitStatus,
    /// Its last lines.
    pub(super) tail: Vec<String>,
    /// It did not end by itself when it was told to, and was killed.
    pub(super) was_killed: bool,
}

/// What relaying needs.
pub(super) struct Relay<'a> {
    /// Where lines go.
    pub(super) console: &'a Console,
    /// What stands before each.
    pub(super) headline: &'a str,
    /// Raised by signals, which are passed on.
    pub(super) stop: &'a StopHandle,
    /// A file that takes everything that the program prints.
    pub(super) log: &'a Path,
}

/// One line; redrawn ones end in a carriage return.
struct Line {
    text: String,
    redrawn: bool,
}

impl Relay<'_> {
    /// Runs a program to its end, in a process group of its own: signals reach it through us alone.
    ///
    /// # Errors
    /// It cannot be started, or its output cannot be kept.
    pub(super) fn run(&self, command: &mut Command) -> io::Result<Ended> {
        let log = File::create(self.log)?;
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = Group(command.process_group(0).spawn()?);
        let (lines, relayed) = mpsc::channel();
        let pipes: [Option<Box<dyn Read + Send>>; 2] = [
            child.0.stdout.take().map(|pipe| Box::new(pipe) as _),
            child.0.stderr.take().map(|pipe| Box::new(pipe) as _),
        ];
        for pipe in pipes.into_iter().flatten() {
            let (lines, log) = (lines.clone(), log.try_clone()?);
            std::thread::spawn(move || listen(pipe, log, &lines));
        }
        drop(lines);
        self.follow(&mut child, &relayed)
    }

    fn follow(&self, child: &mut Group, lines: &Receiver<Line>) -> io::Result<Ended> {
        let clock = Clock::start();
        let (mut tail, mut redrawn) = (Vec::new(), None);
        let mut stopping = Stopping::default();
        let status = loop {
            match lines.recv_timeout(LOOK) {
                Ok(line) => self.relay(line, &mut tail, &mut redrawn, clock.now()),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => std::thread::sleep(LOOK),
            }
            if let Some(status) = child.0.try_wait()? {
                break status;
            }
            stopping.step(self, child, clock.now());
        };
        let end = clock.now().saturating_add(nanos(PIPES));
        while let Ok(line) = lines.recv_timeout(LOOK) {
            self.relay(line, &mut tail, &mut redrawn, clock.now());
            if clock.now() >= end {
                break;
            }
        }
        Ok(Ended { status, tail, was_killed: stopping.killed })
    }

    /// Relays a line, and remembers the last ones.
    fn relay(&self, line: Line, tail: &mut Vec<String>, redrawn: &mut Option<Nanos>, now: Nanos) {
        if line.text.trim().is_empty() {
            return;
        }
        if line.redrawn {
            let is_new = redrawn.is_none_or(|last| now.saturating_sub(last) >= nanos(REDRAWN));
            if !is_new {
                return;
            }
            *redrawn = Some(now);
        }
        self.console.message(&format!("{} | {}", self.headline, line.text));
        if tail.len() == TAIL {
            tail.remove(0);
        }
        tail.push(line.text);
    }
}

/// How far the child was told to stop.
#[derive(Default)]
struct Stopping {
    asked: Option<Nanos>,
    urged: Option<Nanos>,
    killed: bool,
}

impl Stopping {
    /// The first signal is passed on; the second one, or a child that does not end, kills it.
    fn step(&mut self, relay: &Relay<'_>, child: &Group, now: Nanos) {
        let level = relay.stop.level();
        if level > StopLevel::Run && self.asked.is_none() {
            self.asked = Some(now);
            child.signal(Signal::INT);
        }
        let over = |since: Option<Nanos>, grace: Duration| {
            since.is_some_and(|since| now.saturating_sub(since) >= nanos(grace))
        };
        if over(self.asked, GRACE) && self.urged.is_none() {
            self.urged = Some(now);
            child.signal(Signal::TERM);
        }
        if (level == StopLevel::Abort || over(self.urged, LAST_GRACE)) && !self.killed {
            self.killed = true;
            child.signal(Signal::KILL);
        }
    }
}

/// A child and all that it started; killed when dropped.
struct Group(Child);

impl Group {
    fn signal(&self, signal: Signal) {
        let id = i32::try_from(self.0.id()).ok().and_then(Pid::from_raw);
        if let Some(id) = id {
            // It may just have ended.
            let _ = kill_process_group(id, signal);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.signal(Signal::KILL);
        let _ = self.0.wait();
    }
}

/// Cuts what comes through a pipe into lines, until it is closed.
fn listen(mut pipe: Box<dyn Read + Send>, mut log: File, lines: &Sender<Line>) {
    let (mut buffer, mut line) = ([0; 8192], Vec::new());
    let send = |line: &mut Vec<u8>, redrawn: bool| {
        let text = String::from_utf8_lossy(line).trim_end().to_owned();
        line.clear();
        lines.send(Line { text: plain(&text), redrawn }).is_ok()
    };
    while let Ok(length @ 1..) = pipe.read(&mut buffer) {
        // What cannot be kept is relayed all the same.
        let _ = log.write_all(&buffer[..length]);
        for &byte in &buffer[..length] {
            let ends = matches!(byte, b'\n' | b'\r');
            if ends && !send(&mut line, byte == b'\r') {
                return;
            }
            if !ends && line.len() < MAX_LINE {
                line.push(byte);
            }
        }
    }
    send(&mut line, false);
}

/// A line without control characters and colours.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        if character == '\u{1b}' {
            rest.by_ref().find(char::is_ascii_alphabetic);
        } else if !character.is_control() || character == '\t' {
            plain.push(character);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_relayed_without_colours() {
        assert_eq!(plain("\u{1b}[1;32mINFO\u{1b}[0m a\tb\u{7}"), "INFO a\tb");
        assert_eq!(plain("\u{1b}["), "");
    }

    #[test]
    fn output_is_cut_at_line_feeds_and_carriage_returns() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let (lines, relayed) = mpsc::channel();
        let text = b"one\n10%\r20%\rdone\r\nlast";
        listen(Box::new(&text[..]), File::create(&path).unwrap(), &lines);
        drop(lines);
        let found: Vec<(String, bool)> = relayed.iter().map(|l| (l.text, l.redrawn)).collect();
        let expected = [
            ("one", false),
            ("10%", true),
            ("20%", true),
            ("done", true),
            ("", false),
            ("last", false),
        ];
        assert_eq!(found, expected.map(|(text, redrawn)| (text.to_owned(), redrawn)));
        assert_eq!(std::fs::read(&path).unwrap(), text);
    }
}
