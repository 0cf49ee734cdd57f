//! The streaming reader.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::conversation::Conversation;
use super::facts::Facts;
use super::findings::{At, Findings};
use super::lines::{LineError, Lines};
use super::model::Trajectory;
use super::row::{self, Line, Parsed};
use super::source::{Compression, Source, SourceError};
use crate::diagnostics::Diagnostic;
use crate::digest;

/// Bounds of what is read. They are far above any honest data set and keep a broken or hostile
/// file from filling the memory.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Findings to keep.
    pub findings: usize,
    /// Bytes of one line.
    pub line_bytes: usize,
    /// Bytes of text, decompressed.
    pub total_bytes: u64,
    /// Bytes of the rows of one conversation.
    pub conversation_bytes: usize,
    /// The longest `delay_seconds`.
    pub delay: Duration,
}

impl Default for Limits {
    /// 100 findings, lines of 64 MiB, 8 GiB of text, conversations of 512 MiB, delays of 7 days.
    fn default() -> Self {
        Self {
            findings: 100,
            line_bytes: 64 << 20,
            total_bytes: 8 << 30,
            conversation_bytes: 512 << 20,
            delay: Duration::from_hours(7 * 24),
        }
    }
}

/// Why a file could not be opened as a data set.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The operating system said no.
    #[error("cannot open the data set {}: {source}", .path.display())]
    Open {
        /// The file as the user named it.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A directory.
    #[error("the data set {} is a directory, expected a file", .path.display())]
    Directory {
        /// The path as the user named it.
        path: PathBuf,
    },
}

/// Reads a data set file trajectory by trajectory; one trajectory is in memory at a time.
///
/// Trajectories with an error are left out; the errors are in [`Reader::diagnostics`], each with
/// its row. The file is good when [`Reader::errors`] is 0 after the last trajectory. (Rows that
/// belong to a trajectory which was handed out before make an error when they are found.)
pub struct Reader<R: Read = File> {
    lines: Option<Lines<R>>,
    limits: Limits,
    findings: Findings,
    facts: Facts,
    current: Option<Conversation>,
    /// Ids of the conversations that ended, with the line of their last row.
    ended: HashMap<String, u64>,
    /// A row could not be read since the last good one.
    lost: bool,
    done: bool,
}

impl Reader {
    /// Opens a file; `.gz` and `.zst` are decompressed.
    ///
    /// # Errors
    /// The file cannot be opened. What is wrong inside it becomes diagnostics.
    pub fn open(path: &Path, limits: Limits) -> Result<Self, ReadError> {
        let failed = |source| ReadError::Open { path: path.to_owned(), source };
        let file = File::open(path).map_err(failed)?;
        if file.metadata().map_err(failed)?.is_dir() {
            return Err(ReadError::Directory { path: path.to_owned() });
        }
        Ok(Self::new(path, file, limits))
    }
}

impl<R: Read> Reader<R> {
    /// Reads from `stored`; `name` is the file's name in findings, and announces the compression.
    pub fn new(name: &Path, stored: R, limits: Limits) -> Self {
        let compression = Compression::of_name(name);
        let mut findings = Findings::new(name, limits.findings);
        let lines = match Source::new(stored, compression) {
            Ok(source) => Some(Lines::new(source, limits.line_bytes, limits.total_bytes)),
            Err(error) => {
                findings.push(&At::default(), source_finding(&error));
                None
            }
        };
        Self {
            done: lines.is_none(),
            lines,
            limits,
            findings,
            facts: Facts::new(compression),
            current: None,
            ended: HashMap::new(),
            lost: false,
        }
    }

    /// What was found so far; complete after the last trajectory. At most `limits.findings`, and
    /// one that says how many more there are.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        self.findings.list()
    }

    /// How many errors were found so far, those over the limit included.
    pub fn errors(&self) -> u64 {
        self.findings.errors()
    }

    /// How many warnings were found so far, those over the limit included.
    pub fn warnings(&self) -> u64 {
        self.findings.warnings()
    }

    /// The next trajectory without an error; none at the end.
    pub fn next_trajectory(&mut self) -> Option<Trajectory> {
        while !self.done {
            match self.step() {
                Ok(Step::Read) => {}
                Ok(Step::Ended(conversation)) => {
                    if let Some(trajectory) = self.close(conversation) {
                        return Some(trajectory);
                    }
                }
                Ok(Step::End) => return self.end(true),
                Err(error) => {
                    let whole = self.stop(&error);
                    return self.end(whole);
                }
            }
        }
        None
    }

    /// Reads what is left and returns the file's facts.
    pub fn finish(&mut self) -> Facts {
        while self.next_trajectory().is_some() {}
        self.facts.clone()
    }

    /// Takes one line.
    fn step(&mut self) -> Result<Step, LineError> {
        let Some(lines) = &mut self.lines else { return Ok(Step::End) };
        let Some((number, mut line)) = lines.next()? else { return Ok(Step::End) };
        if number == 1 {
            if let Some(rest) = line.strip_prefix(b"\xef\xbb\xbf") {
                self.findings.push(&At::row(1), byte_order_mark());
                line = rest;
            } else if line.starts_with(b"\xff\xfe") || line.starts_with(b"\xfe\xff") {
                self.findings.push(&At::row(1), utf16());
                return Ok(Step::End);
            }
            if let bracket @ (b"[" | b"{") = line.trim_ascii() {
                self.facts.rows += 1;
                self.findings.push(&At::row(1), one_document(bracket));
                return Ok(Step::End);
            }
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            return Ok(Step::Read);
        }
        let bytes = line.len();
        match row::parse(number, line, self.limits.delay, &mut self.findings) {
            Line::Metadata => self.facts.metadata_rows += 1,
            Line::Row(row) => {
                self.facts.rows += 1;
                return Ok(self.take(*row, bytes).map_or(Step::Read, Step::Ended));
            }
            Line::Unreadable => {
                self.facts.rows += 1;
                self.lose();
            }
        }
        Ok(Step::Read)
    }

    /// Notes a row of which nobody knows where it belongs.
    fn lose(&mut self) {
        self.lost = true;
        if let Some(current) = &mut self.current {
            current.lost_row();
        }
    }

    /// Adds a row to its conversation; returns the one that it ended.
    fn take(&mut self, row: Parsed, bytes: usize) -> Option<Conversation> {
        let Some(id) = row.id.clone() else {
            self.lose();
            return None;
        };
        let turn = row.turn;
        let restarts = turn == Some(1)
            && self.current.as_ref().is_some_and(|now| now.id() == id && now.is_under_way());
        let mut ended = None;
        if restarts || self.current.as_ref().is_none_or(|now| now.id() != id) {
            ended = self.current.take();
            if let Some(ended) = &ended {
                self.ended.insert(ended.id().to_owned(), ended.last_line());
            }
            self.current = Some(self.begin(&id, &row));
        }
        self.lost = false;
        let current = self.current.as_mut()?;
        let line = row.line;
        let before = current.bytes();
        current.push(row, bytes);
        let limit = self.limits.conversation_bytes;
        if current.bytes() > limit {
            if before <= limit {
                let text = format!("the conversation is longer than {limit} bytes");
                let at = At::turn(line, current.id(), turn);
                self.findings.push(&at, Diagnostic::error("dataset-too-large", text));
            }
            current.give_up();
        }
        ended
    }

    /// A conversation that starts with this row, which may not be its first.
    fn begin(&mut self, id: &str, row: &Parsed) -> Conversation {
        let at = At::turn(row.line, id, row.turn);
        let mut conversation = Conversation::new(id.to_owned());
        if let Some(last) = self.ended.get(id) {
            let (code, text, help) = if row.turn == Some(1) {
                (
                    "dataset-duplicate-conversation",
                    "this conversation id was used before",
                    "give each conversation an id of its own",
                )
            } else {
                (
                    "dataset-scattered-conversation",
                    "the rows of this conversation do not stand together",
                    "move all rows of a conversation next to each other",
                )
            };
            let finding = Diagnostic::error(code, text)
                .note(format!("its earlier rows ended in row {last}"))
                .help(help);
            self.findings.push(&at, finding);
            conversation.lost_row();
        }
        if self.lost && row.turn != Some(1) {
            conversation.lost_row();
        }
        conversation
    }

    /// Checks a conversation that ended.
    fn close(&mut self, conversation: Conversation) -> Option<Trajectory> {
        let trajectory = conversation.finish(&mut self.findings);
        match &trajectory {
            Some(trajectory) => self.facts.add(trajectory),
            None => self.facts.broken_trajectories += 1,
        }
        trajectory
    }

    /// Records an error behind which nothing can be read; whether the stored file is known to
    /// have an end.
    fn stop(&mut self, error: &LineError) -> bool {
        let read = self.lines.as_ref().map_or(0, Lines::line);
        let (finding, finite) = match error {
            LineError::Source(error) => (source_finding(error), true),
            LineError::TooLong(limit) => {
                let text = format!("is longer than {limit} bytes");
                let finding = Diagnostic::error("dataset-too-large", text)
                    .note("a data set has one message on each line")
                    .help("check that this is a data set in JSON Lines");
                (finding, false)
            }
            LineError::TooMuch(limit) => {
                let text = format!("lies behind {limit} bytes of text, the most that is read");
                let finding = Diagnostic::error("dataset-too-large", text)
                    .note("counted after decompression")
                    .help("split the data set");
                (finding, false)
            }
        };
        let finding = finding.note("nothing from this row on was read");
        self.findings.push(&At::row(read + 1), finding);
        // The rest of the last conversation is missing.
        self.lose();
        finite
    }

    /// Closes the file and its last conversation. With `finite`, the stored bytes that were not
    /// needed are read for the digest.
    fn end(&mut self, finite: bool) -> Option<Trajectory> {
        self.done = true;
        let last = self.current.take().and_then(|conversation| self.close(conversation));
        if let Some(lines) = self.lines.take() {
            self.facts.uncompressed_bytes = lines.total();
            if finite && let Ok((sha256, bytes)) = lines.into_source().finish() {
                self.facts.sha256 = Some(digest::hex(&sha256));
                self.facts.stored_bytes = bytes;
            }
        }
        if self.facts.rows == 0 && self.findings.errors() == 0 {
            let finding = Diagnostic::error("dataset-empty", "the data set has no rows")
                .help("expected JSON Lines: one message on each line");
            self.findings.push(&At::default(), finding);
        }
        self.findings.close();
        last
    }
}

/// What came of one line.
enum Step {
    /// It was taken.
    Read,
    /// It was taken and ended a conversation.
    Ended(Conversation),
    /// There is no further line.
    End,
}

fn source_finding(error: &SourceError) -> Diagnostic {
    let (code, help) = match error {
        SourceError::Read(_) => ("dataset-read", "check the file and its disk"),
        SourceError::Truncated(_) => ("dataset-archive", "copy or download the file again"),
        SourceError::Damaged { .. } => {
            ("dataset-archive", "copy or download the file again; its name must fit its content")
        }
        SourceError::Mismatch { .. } => (
            "dataset-archive",
            "rename the file: .gz for gzip, .zst for Zstandard, neither for plain text",
        ),
    };
    Diagnostic::error(code, error.to_string()).help(help)
}

fn byte_order_mark() -> Diagnostic {
    Diagnostic::warning("dataset-byte-order-mark", "starts with a byte order mark")
        .note("it is skipped here; other readers refuse the file")
        .help("save the file as UTF-8 without a byte order mark")
}

/// A pretty-printed document would give a finding on each of its lines.
fn one_document(bracket: &[u8]) -> Diagnostic {
    let kind = if bracket == b"[" { "an array" } else { "an object" };
    let text = format!("starts {kind} that goes on on the next line");
    Diagnostic::error("dataset-syntax", text)
        .note("nothing from this row on was read")
        .help("a data set is JSON Lines: one object on each line, no brackets around them")
}

fn utf16() -> Diagnostic {
    Diagnostic::error("dataset-encoding", "starts with the byte order mark of UTF-16")
        .help("data sets are UTF-8; convert the file, for example with iconv")
}
