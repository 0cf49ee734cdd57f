//! One file on its way.

use std::io::{self, Read, Write};
use std::path::Path;

use super::super::findings::{At, Findings};
use super::super::json::Members;
use super::super::source::{Compression, Source};
use super::block_trace::{self, Held, Traces};
use super::claude_code::{self, Sessions};
use super::convert::{Converter, Options};
use super::event_log::Log;
use super::format::Format;
use super::shelf::{Grown, Shelf};
use super::values::{Raw, Values};
use super::{openai, sharegpt, swe_agent};
use crate::diagnostics::Diagnostic;

/// What is known of a file so far.
pub(super) struct Job<'a> {
    pub(super) path: &'a Path,
    pub(super) format: Option<Format>,
    pub(super) findings: Findings,
    /// Conversations seen.
    pub(super) count: u64,
    /// Conversations that may go on.
    shelf: Shelf,
    sessions: Sessions,
    log: Log,
    traces: Traces,
}

impl<'a> Job<'a> {
    pub(super) fn new(path: &'a Path, options: &Options) -> Self {
        Self {
            path,
            format: options.format,
            findings: Findings::new(path, options.findings),
            count: 0,
            shelf: Shelf::new(options.spool.as_deref()),
            sessions: Sessions::default(),
            log: Log::default(),
            traces: Traces::default(),
        }
    }

    fn refuse(&mut self, line: u64, code: &'static str, why: String, help: &str) {
        let finding = Diagnostic::error(code, why).help(help.to_owned());
        self.findings.push(&At::row(line), finding);
    }
}

impl<W: Write> Converter<W> {
    /// Reads the whole file.
    pub(super) fn read(&mut self, job: &mut Job<'_>, stored: impl Read) -> io::Result<()> {
        let source = match Source::new(stored, Compression::of_name(job.path)) {
            Ok(source) => source,
            Err(error) => {
                let finding = Diagnostic::error("import-read", error.to_string());
                job.findings.push(&At::default(), finding);
                return Ok(());
            }
        };
        let mut values = Values::new(source, self.options.value_bytes);
        loop {
            match values.next() {
                Ok(Some(raw)) => self.value(job, &raw)?,
                Ok(None) => return Ok(()),
                Err(error) => {
                    let finding = Diagnostic::error("import-read", error.to_string())
                        .note("nothing from here on was read");
                    job.findings.push(&At::default(), finding);
                    return Ok(());
                }
            }
        }
    }

    /// Takes one JSON value.
    fn value(&mut self, job: &mut Job<'_>, raw: &Raw) -> io::Result<()> {
        let Ok(text) = std::str::from_utf8(&raw.text) else {
            let help = "convert the file, for example with iconv";
            job.refuse(raw.line, "import-syntax", "is not UTF-8".to_owned(), help);
            return Ok(());
        };
        let members = match Members::parse(text) {
            Ok(members) => members,
            Err(error) => {
                let help = if error.is_eof() {
                    "the file may have been cut"
                } else {
                    "expected a JSON object"
                };
                let why = error.to_string();
                let why = why.split(" at line ").next().unwrap_or_default();
                let why = format!("is not a JSON object: {why}");
                job.refuse(raw.line, "import-syntax", why, help);
                return Ok(());
            }
        };
        let Some(format) = job.format.or_else(|| Format::of(&members)) else {
            let help = "name the format with --from";
            job.refuse(raw.line, "import-format", "is of no known format".to_owned(), help);
            return Ok(());
        };
        job.format = Some(format);
        self.take(job, format, raw.line, text, &members)
    }

    /// Takes one object of a known format.
    fn take(
        &mut self,
        job: &mut Job<'_>,
        format: Format,
        line: u64,
        text: &str,
        members: &Members<'_>,
    ) -> io::Result<()> {
        let Job { shelf, sessions, log, traces, findings, .. } = job;
        let read = match format {
            Format::ClaudeCode => {
                return sessions.hold(shelf, line, text, members, findings);
            }
            Format::OpenAi => match openai::hold(shelf, line, members) {
                Ok(held) => {
                    self.snapshot(job, line, held?.1);
                    return Ok(());
                }
                Err(why) => Err(why),
            },
            Format::Events => match log.hold(shelf, line, members, findings)? {
                Ok(()) => return Ok(()),
                Err(why) => Err(why),
            },
            Format::Mooncake => {
                match traces.hold(shelf, line, text, members, &self.options, findings)? {
                    Ok(Held::Waits) => return Ok(()),
                    Ok(Held::Alone(draft)) => Ok(draft),
                    Err(why) => Err(why),
                }
            }
            Format::SweAgent => swe_agent::read(line, members, findings),
            Format::ShareGpt => sharegpt::read(line, members),
        };
        match read {
            Ok(draft) => self.write(job, draft),
            Err(why) => {
                self.unreadable(job, line, why);
                Ok(())
            }
        }
    }

    fn snapshot(&mut self, job: &mut Job<'_>, line: u64, grown: Grown) {
        self.summary.replaced += u64::from(grown != Grown::New);
        if grown == Grown::Rewritten {
            let text = "the snapshot does not begin like the shorter one of the same conversation";
            let finding =
                Diagnostic::warning("import-rewritten", text).note("the longer one counts");
            job.findings.push(&At::row(line), finding);
        }
    }

    /// Writes what waited for more.
    pub(super) fn flush(&mut self, job: &mut Job<'_>) -> io::Result<()> {
        let Some(format) = job.format else { return Ok(()) };
        let shelf = std::mem::replace(&mut job.shelf, Shelf::new(None));
        let (mut spool, items) = shelf.open();
        for (index, item) in (0..).zip(items) {
            if item.pieces.is_empty() && format != Format::OpenAi {
                continue;
            }
            if item.bytes > self.options.conversation_bytes as u64 {
                let limit = self.options.conversation_bytes;
                let why = format!("the conversation is longer than {limit} bytes");
                self.unreadable(job, item.line, why);
                continue;
            }
            let findings = &mut job.findings;
            let draft = match format {
                Format::OpenAi => openai::draft(&mut spool, &item, findings)?,
                Format::Events => job.log.draft(index, &mut spool, &item, findings)?,
                Format::Mooncake => block_trace::draft(&mut spool, &item, &self.options)?,
                Format::ClaudeCode => {
                    let draft = claude_code::draft(&mut spool, &item, findings)?;
                    if draft.steps.is_empty() {
                        continue;
                    }
                    Ok(draft)
                }
                Format::SweAgent | Format::ShareGpt => continue,
            };
            match draft {
                Ok(draft) => self.write(job, draft)?,
                Err(why) => self.unreadable(job, item.line, why),
            }
        }
        Ok(())
    }
}
