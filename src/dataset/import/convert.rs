//! From a file of another tool to rows.

use std::collections::BTreeSet;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::super::findings::{At, Findings, excerpt};
use super::super::json::Members;
use super::super::model::is_digits;
use super::super::source::{Compression, Source};
use super::claude_code::{self, Session};
use super::draft::{Draft, Row};
use super::format::Format;
use super::values::{Raw, Values};
use super::{openai, rows, sharegpt, swe_agent};
use crate::diagnostics::Diagnostic;

/// What to do on the way.
#[derive(Clone, Debug)]
pub struct Options {
    /// Read the input as this; none to look at each file's first object.
    pub format: Option<Format>,
    /// Mend what can be mended; otherwise such conversations are left out.
    pub repair: bool,
    /// The longest delay in milliseconds; longer ones are cut to it.
    pub max_delay_ms: u64,
    /// The system prompt of conversations that have none.
    pub system: Option<String>,
    /// Findings to keep for each file.
    pub findings: usize,
    /// Bytes of one JSON value.
    pub value_bytes: usize,
}

impl Default for Options {
    /// Detected format, no repair, delays of up to 5 minutes, 100 findings, values of 256 MiB.
    fn default() -> Self {
        Self {
            format: None,
            repair: false,
            max_delay_ms: 300_000,
            system: None,
            findings: 100,
            value_bytes: 256 << 20,
        }
    }
}

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Conversations written.
    pub conversations: u64,
    /// Conversations left out because of an error.
    pub left_out: u64,
    /// Snapshots that a longer one of the same conversation replaced.
    pub replaced: u64,
    /// Client turns written.
    pub client_turns: u64,
    /// Assistant turns written.
    pub assistant_turns: u64,
}

/// Converts files into one data set.
pub struct Converter<W> {
    out: W,
    options: Options,
    ids: BTreeSet<String>,
    summary: Summary,
    diagnostics: Vec<Diagnostic>,
    errors: u64,
}

/// One file on its way.
struct Job<'a> {
    path: &'a Path,
    format: Option<Format>,
    findings: Findings,
    /// The last snapshot; the next may be a longer one.
    snapshot: Option<Draft>,
    session: Option<Session>,
    count: u64,
}

impl<W: Write> Converter<W> {
    /// A converter that writes to `out`.
    pub fn new(out: W, options: Options) -> Self {
        Self {
            out,
            options,
            ids: BTreeSet::new(),
            summary: Summary::default(),
            diagnostics: Vec::new(),
            errors: 0,
        }
    }

    /// Converts one file; `path` is its name in findings and announces the compression.
    ///
    /// # Errors
    /// The writer's. What is wrong with the input becomes diagnostics.
    pub fn file(&mut self, path: &Path, stored: impl Read) -> io::Result<()> {
        let mut job = Job {
            path,
            format: self.options.format,
            findings: Findings::new(path, self.options.findings),
            snapshot: None,
            session: None,
            count: 0,
        };
        match Source::new(stored, Compression::of_name(path)) {
            Ok(source) => self.values(&mut job, source)?,
            Err(error) => {
                job.findings
                    .push(&At::default(), Diagnostic::error("import-read", error.to_string()));
            }
        }
        self.flush(&mut job)?;
        if job.count == 0 && job.findings.errors() == 0 {
            let finding = Diagnostic::error("import-empty", "the file holds no conversation")
                .help("known formats: openai, claude-code, swe-agent, sharegpt");
            job.findings.push(&At::default(), finding);
        }
        job.findings.close();
        self.errors += job.findings.errors();
        self.diagnostics.extend_from_slice(job.findings.list());
        Ok(())
    }

    /// What was found in all files.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// How many errors were found, those over the limit included.
    pub fn errors(&self) -> u64 {
        self.errors
    }

    /// The writer and what was written to it.
    pub fn finish(self) -> (W, Summary) {
        (self.out, self.summary)
    }

    fn values<R: Read>(&mut self, job: &mut Job<'_>, source: Source<R>) -> io::Result<()> {
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
        let mut refuse = |code: &'static str, why: String, help: &str| {
            let finding = Diagnostic::error(code, why).help(help.to_owned());
            job.findings.push(&At::row(raw.line), finding);
        };
        let Ok(text) = std::str::from_utf8(&raw.text) else {
            refuse(
                "import-syntax",
                "is not UTF-8".to_owned(),
                "convert the file, for example with iconv",
            );
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
                refuse("import-syntax", format!("is not a JSON object: {why}"), help);
                return Ok(());
            }
        };
        let Some(format) = job.format.or_else(|| Format::of(&members)) else {
            let why = "is of no known format".to_owned();
            refuse("import-format", why, "name the format with --from");
            return Ok(());
        };
        job.format = Some(format);
        let read = match format {
            Format::ClaudeCode => return self.event(job, raw.line, &members),
            Format::OpenAi => openai::read(raw.line, &members, &mut job.findings),
            Format::SweAgent => swe_agent::read(raw.line, &members, &mut job.findings),
            Format::ShareGpt => sharegpt::read(raw.line, &members),
        };
        match read {
            Ok(draft) if format == Format::OpenAi => self.snapshot(job, draft),
            Ok(draft) => self.write(job, draft),
            Err(why) => {
                self.unreadable(job, raw.line, why);
                Ok(())
            }
        }
    }

    fn unreadable(&mut self, job: &mut Job<'_>, line: u64, why: String) {
        job.count += 1;
        self.summary.left_out += 1;
        job.findings.push(&At::row(line), Diagnostic::error("import-shape", why));
    }

    /// Keeps the longer of two snapshots of one conversation.
    fn snapshot(&mut self, job: &mut Job<'_>, draft: Draft) -> io::Result<()> {
        let Some(before) = job.snapshot.take() else {
            job.snapshot = Some(draft);
            return Ok(());
        };
        if openai::continues(&before, &draft) {
            self.summary.replaced += 1;
            let longer = draft.steps.len() >= before.steps.len();
            job.snapshot = Some(if longer { draft } else { before });
            return Ok(());
        }
        job.snapshot = Some(draft);
        self.write(job, before)
    }

    fn event(&mut self, job: &mut Job<'_>, line: u64, members: &Members<'_>) -> io::Result<()> {
        let Some(id) = claude_code::session_of(members) else { return Ok(()) };
        if job.session.as_ref().is_none_or(|session| session.id != id) {
            self.flush(job)?;
        }
        let session = job.session.get_or_insert_with(|| Session::new(id, line));
        if let Err(why) = session.take(line, members, &mut job.findings) {
            job.findings.push(&At::row(line), Diagnostic::error("import-shape", why));
        }
        Ok(())
    }

    /// Writes what waited for more.
    fn flush(&mut self, job: &mut Job<'_>) -> io::Result<()> {
        if let Some(draft) = job.snapshot.take() {
            self.write(job, draft)?;
        }
        for draft in job.session.take().map(Session::into_drafts).into_iter().flatten() {
            self.write(job, draft)?;
        }
        Ok(())
    }

    /// Writes one conversation.
    fn write(&mut self, job: &mut Job<'_>, mut draft: Draft) -> io::Result<()> {
        job.count += 1;
        let line = draft.line;
        let Some(id) = self.id(job, &draft) else {
            self.summary.left_out += 1;
            return Ok(());
        };
        if draft.system.as_ref().is_none_or(String::is_empty) {
            draft.system.clone_from(&self.options.system);
        }
        let Some(mut ready) = draft.finish(&id, &self.options, &mut job.findings) else {
            self.summary.left_out += 1;
            return Ok(());
        };
        if ready.drop_thoughts_alone() {
            let finding =
                Diagnostic::warning("import-thoughts", "answers of reasoning alone are dropped");
            job.findings.push(&At::turn(line, &id, None), finding);
        }
        self.summary.conversations += 1;
        for row in &ready.rows {
            match row {
                Row::Assistant { .. } => self.summary.assistant_turns += 1,
                Row::User { .. } | Row::Tool { .. } => self.summary.client_turns += 1,
            }
        }
        let mut bytes = Vec::new();
        rows::write(&mut bytes, &id, &ready);
        self.out.write_all(&bytes)
    }

    /// The conversation's id in the set: its own, made fit for a header, or the file's name and a
    /// number. None when it is taken and that is not to be repaired.
    fn id(&mut self, job: &mut Job<'_>, draft: &Draft) -> Option<String> {
        let stem = || {
            let name = PathBuf::from(job.path.file_name().unwrap_or_default());
            let name = name.to_string_lossy();
            format!("{}-{}", name.split('.').next().unwrap_or_default(), job.count)
        };
        let id = draft.id.clone().filter(|id| !id.is_empty()).unwrap_or_else(stem);
        let mut id: String =
            id.chars().map(|c| if c.is_ascii_graphic() { c } else { '-' }).take(200).collect();
        if id.rsplit_once("__repeat_").is_some_and(|(_, n)| is_digits(n)) {
            id = id.replace("__repeat_", "-repeat-");
        }
        if self.ids.insert(id.clone()) {
            return Some(id);
        }
        let text = format!("the conversation {} was there before", excerpt(&id));
        let at = At::turn(draft.line, &id, None);
        if !self.options.repair {
            let finding = Diagnostic::error("import-duplicate", text)
                .note("the conversation is left out")
                .help("--repair gives it another id");
            job.findings.push(&at, finding);
            return None;
        }
        let mut n = 2;
        while !self.ids.insert(format!("{id}-{n}")) {
            n += 1;
        }
        let other = format!("{id}-{n}");
        let finding = Diagnostic::warning("import-duplicate", text)
            .note(format!("repaired: it is now {}", excerpt(&other)));
        job.findings.push(&at, finding);
        Some(other)
    }
}
