//! From files of other tools to rows.

use std::collections::{BTreeMap, HashSet};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::super::findings::{At, excerpt};
use super::super::model::is_digits;
use super::draft::{Draft, Row};
use super::format::Format;
use super::job::Job;
use super::redact::{Kind, Redacted, Redactor};
use super::rows;
use super::shelf::{Mark, mark};
use crate::diagnostics::Diagnostic;

/// What to do on the way.
#[derive(Clone, Debug)]
pub struct Options {
    /// Read the input as this; none to look at each file's first object.
    pub format: Option<Format>,
    /// Mend what can be mended; otherwise such conversations are left out.
    pub repair: bool,
    /// Replace what looks like a secret.
    pub redact: bool,
    /// The longest delay in milliseconds; longer ones are cut to it.
    pub max_delay_ms: u64,
    /// The system prompt of conversations that have none.
    pub system: Option<String>,
    /// Tokens of a block in block-hash traces; none for what the format has.
    pub block_tokens: Option<u64>,
    /// Findings to keep for each file.
    pub findings: usize,
    /// Bytes of one JSON value.
    pub value_bytes: usize,
    /// Bytes of one conversation.
    pub conversation_bytes: usize,
    /// Where conversations wait whose pieces stand scattered in a file; none for where the system
    /// keeps temporary files.
    pub spool: Option<PathBuf>,
}

impl Default for Options {
    /// Detected format, no repair, nothing redacted, delays of up to 5 minutes, 100 findings, values
    /// and conversations of 64 MiB.
    fn default() -> Self {
        Self {
            format: None,
            repair: false,
            redact: false,
            max_delay_ms: 300_000,
            system: None,
            block_tokens: None,
            findings: 100,
            value_bytes: 64 << 20,
            conversation_bytes: 64 << 20,
            spool: None,
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
    /// What was redacted, by its kind.
    pub redacted: BTreeMap<Kind, Redacted>,
}

/// Converts files into one data set.
///
/// Memory holds one conversation; beside it some 20 bytes for the id of each conversation written, and
/// of formats that scatter conversations over a file some 200 bytes for each conversation of the file,
/// 16 for each message, and 40 for each event that has an id. Their texts wait on the disk.
pub struct Converter<W> {
    out: W,
    pub(super) options: Options,
    /// What ids are taken.
    ids: HashSet<Mark>,
    pub(super) summary: Summary,
    diagnostics: Vec<Diagnostic>,
    errors: u64,
    redactor: Option<Redactor>,
}

impl<W: Write> Converter<W> {
    /// A converter that writes to `out`.
    pub fn new(out: W, options: Options) -> Self {
        Self {
            out,
            redactor: options.redact.then(Redactor::default),
            options,
            ids: HashSet::new(),
            summary: Summary::default(),
            diagnostics: Vec::new(),
            errors: 0,
        }
    }

    /// Converts one file; `path` is its name in findings and announces the compression.
    ///
    /// # Errors
    /// The writer's, or those of the disk. What is wrong with the input becomes diagnostics.
    pub fn file(&mut self, path: &Path, stored: impl Read) -> io::Result<()> {
        let mut job = Job::new(path, &self.options);
        self.read(&mut job, stored)?;
        self.flush(&mut job)?;
        if job.count == 0 && job.findings.errors() == 0 {
            job.findings.push(&At::default(), nothing(job.format));
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
    pub fn finish(mut self) -> (W, Summary) {
        if let Some(redactor) = self.redactor {
            self.summary.redacted.clone_from(redactor.counts());
        }
        (self.out, self.summary)
    }

    /// Counts a conversation that cannot be read.
    pub(super) fn unreadable(&mut self, job: &mut Job<'_>, line: u64, why: String) {
        job.count += 1;
        self.summary.left_out += 1;
        job.findings.push(&At::row(line), Diagnostic::error("import-shape", why));
    }

    /// Writes one conversation.
    pub(super) fn write(&mut self, job: &mut Job<'_>, mut draft: Draft) -> io::Result<()> {
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
        if let Some(redactor) = &mut self.redactor {
            redactor.conversation(&mut ready);
        }
        self.summary.conversations += 1;
        for row in &ready.rows {
            match row {
                Row::Assistant { .. } => self.summary.assistant_turns += 1,
                Row::User { .. } | Row::Tool { .. } => self.summary.client_turns += 1,
            }
        }
        rows::write(&mut self.out, &id, &ready)
    }

    /// The conversation's id in the set: its own, made fit for a header, or the file's name and a
    /// number. None when it is taken and that is not to be repaired.
    fn id(&mut self, job: &mut Job<'_>, draft: &Draft) -> Option<String> {
        let stem = || {
            let name = PathBuf::from(job.path.file_name().unwrap_or_default());
            let name = name.to_string_lossy();
            format!("{}-{}", name.split('.').next().unwrap_or_default(), job.count)
        };
        let mut id = draft.id.clone().filter(|id| !id.is_empty()).unwrap_or_else(stem);
        if let Some(redactor) = &mut self.redactor {
            redactor.replace(&mut id);
        }
        let mut id: String =
            id.chars().map(|c| if c.is_ascii_graphic() { c } else { '-' }).take(200).collect();
        if id.rsplit_once("__repeat_").is_some_and(|(_, n)| is_digits(n)) {
            id = id.replace("__repeat_", "-repeat-");
        }
        if self.ids.insert(mark(id.as_bytes())) {
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
        while !self.ids.insert(mark(format!("{id}-{n}").as_bytes())) {
            n += 1;
        }
        let other = format!("{id}-{n}");
        let finding = Diagnostic::warning("import-duplicate", text)
            .note(format!("repaired: it is now {}", excerpt(&other)));
        job.findings.push(&at, finding);
        Some(other)
    }
}

/// The finding for a file without a conversation.
fn nothing(format: Option<Format>) -> Diagnostic {
    let finding = Diagnostic::error("import-empty", "the file holds no conversation");
    match format {
        Some(Format::Events) => finding
            .note("an event log holds prompts only where they were asked for")
            .help("replay with `log: { prompts: true }`"),
        Some(_) => finding,
        None => {
            let names: Vec<_> = Format::ALL.iter().map(|format| format.name()).collect();
            finding.help(format!("known formats: {}", names.join(", ")))
        }
    }
}
