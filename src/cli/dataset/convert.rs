//! `scenario dataset convert`: recorded conversations of other tools become a data set.

use std::fs::File;
use std::path::PathBuf;

use clap::ValueEnum;

use super::{count, store_failure};
use crate::cli::context::Context;
use crate::cli::failure::{ExitStatus, Failure};
use crate::dataset::Store;
use crate::dataset::import::{Converter, Format, Options, Summary};
use crate::diagnostics::{SourceMap, render_human};
use crate::units::HumanDuration;

const EXAMPLES: &str = "\
Examples:
  scenario dataset convert chats.jsonl --out set.jsonl
  scenario dataset convert --from swe-agent runs/*.traj.json --out coding.jsonl.gz
  scenario dataset convert ~/.claude/projects/app/*.jsonl --repair --max-delay 30s \\
      --system 'You are a coding agent.' --out sessions.jsonl

  scenario dataset convert --redact chats.jsonl --out shareable.jsonl
  scenario dataset convert results/x/points/r8/events.jsonl --out set.jsonl

What a format cannot carry over is written in datasets/README.md. Memory holds one conversation;
formats that scatter conversations over a file keep their texts beside the output meanwhile.

Exit codes: 0 all converted, 1 conversations were left out or lines could not be read (the others
are written), 2 wrong usage, a file cannot be opened or the output exists, 3 it cannot be written";

/// Convert recorded conversations of other tools into a data set
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The recorded files; .gz and .zst are decompressed
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The file to write; names in .gz are compressed
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Their format [default: seen from each file]
    #[arg(long, value_enum, value_name = "FORMAT")]
    from: Option<From>,
    /// Mend conversations (ids, orphaned results, missing results) instead of leaving them out
    #[arg(long)]
    repair: bool,
    /// Cut longer delays to this
    #[arg(long, value_name = "DURATION", default_value = "5m")]
    max_delay: HumanDuration,
    /// System prompt of conversations that have none; salted runs need one
    #[arg(long, value_name = "TEXT")]
    system: Option<String>,
    /// Replace what looks like a secret, a private key, a mail address or a home path; equal ones
    /// stay equal
    #[arg(long)]
    redact: bool,
    /// Tokens of a block in block-hash traces [default: 512, with `chat_id` 16]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    block_tokens: Option<u64>,
    /// Overwrite the output
    #[arg(long)]
    force: bool,
}

/// The formats by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum From {
    /// One object with `messages` and `tools` a conversation; also growing snapshots
    Openai,
    /// Session files of Claude Code
    ClaudeCode,
    /// Trajectory files of mini-swe-agent and SWE-agent
    SweAgent,
    /// `conversations` of `from` and `value`
    Sharegpt,
    /// Event logs with prompts, the reference client's or those of a run with `log.prompts`
    Events,
    /// Requests as lengths and block hashes, without text; the text is made up
    Mooncake,
}

impl From {
    fn format(self) -> Format {
        match self {
            Self::Openai => Format::OpenAi,
            Self::ClaudeCode => Format::ClaudeCode,
            Self::SweAgent => Format::SweAgent,
            Self::Sharegpt => Format::ShareGpt,
            Self::Events => Format::Events,
            Self::Mooncake => Format::Mooncake,
        }
    }
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &Context) -> Result<ExitStatus, Failure> {
    let console = &context.console;
    let options = Options {
        format: args.from.map(From::format),
        repair: args.repair,
        max_delay_ms: u64::try_from(args.max_delay.get().as_millis()).unwrap_or(u64::MAX),
        system: args.system.clone().filter(|text| !text.is_empty()),
        redact: args.redact,
        block_tokens: args.block_tokens,
        // Beside the output, where the space must be anyway.
        spool: Some(match args.out.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
            _ => PathBuf::from("."),
        }),
        ..Options::default()
    };
    // All of them before anything is written.
    for path in &args.files {
        File::open(path).map_err(|error| {
            Failure::usage(format!("cannot open {}", path.display())).because(&error)
        })?;
    }
    let store = Store::create(&args.out, args.force).map_err(|error| store_failure(&error))?;
    let mut converter = Converter::new(store, options);
    for path in &args.files {
        let could_not = |error: std::io::Error| {
            Failure::could_not(format!("cannot convert {}", path.display())).because(&error)
        };
        let file = File::open(path).map_err(could_not)?;
        converter.file(path, file).map_err(could_not)?;
    }
    let findings = converter.diagnostics();
    console.findings(&render_human(findings, &SourceMap::default(), console.stderr_color()));
    let errors = converter.errors();
    let (store, summary) = converter.finish();
    if summary.conversations == 0 {
        return Err(Failure::Findings("nothing was converted, and nothing written\n".to_owned()));
    }
    let stored = store.finish().map_err(|error| store_failure(&error))?;
    console.message(&format!(
        "{}: {}, {}, {}; {} left out, {} replaced by a longer one",
        args.out.display(),
        count(summary.conversations, "conversation", "conversations"),
        count(summary.client_turns, "client turn", "client turns"),
        count(summary.assistant_turns, "assistant turn", "assistant turns"),
        summary.left_out,
        count(summary.replaced, "snapshot", "snapshots"),
    ));
    if args.redact {
        console.message(&format!("redacted: {}", redacted(&summary)));
    }
    console.message(&format!("sha256: {}", stored.sha256));
    Ok(if errors == 0 { ExitStatus::Success } else { ExitStatus::Findings })
}

/// How often each kind was replaced, and by how many placeholders.
fn redacted(summary: &Summary) -> String {
    let kinds = summary.redacted.iter().map(|(kind, redacted)| {
        let (one, more) = kind.names();
        format!("{} ({} different)", count(redacted.times, one, more), redacted.different)
    });
    let kinds: Vec<_> = kinds.collect();
    if kinds.is_empty() { "nothing".to_owned() } else { kinds.join(", ") }
}
