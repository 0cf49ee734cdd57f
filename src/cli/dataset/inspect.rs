//! `scenario dataset inspect`: counts and spreads of a data set file.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::{Value, json};

use super::count;
use crate::cli::context::Context;
use crate::cli::failure::{ExitStatus, Failure};
use crate::dataset::{Facts, Limits, Quantiles, Reader, Statistics};
use crate::diagnostics::{SourceMap, render_human};
use crate::units::bytes;

const EXAMPLES: &str = "\
Examples:
  scenario dataset inspect datasets/coding.jsonl
  scenario dataset inspect --format json set.jsonl.zst

Exit codes: 0 fine, 1 the data set has errors (its usable trajectories are counted all the same),
2 the file cannot be opened";

/// Count what a data set holds, and show how it is spread
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The data set file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// How to print what a data set holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people.
    #[default]
    Text,
    /// One JSON document.
    Json,
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &Context) -> Result<ExitStatus, Failure> {
    let console = &context.console;
    let mut reader = Reader::open(&args.file, Limits::default())
        .map_err(|error| Failure::usage(error.to_string()))?;
    let mut groups = Groups::default();
    while let Some(trajectory) = reader.next_trajectory() {
        let group =
            if trajectory.is_workflow() { &mut groups.workflow } else { &mut groups.coding };
        group.add(&trajectory);
    }
    let facts = reader.finish();
    let findings = reader.diagnostics();
    console.findings(&render_human(findings, &SourceMap::default(), console.stderr_color()));
    match args.format {
        Format::Text => console.out(&text(&args.file, &facts, &groups))?,
        Format::Json => {
            console.out_line(&format!("{:#}", document(&args.file, &facts, &groups)))?;
        }
    }
    Ok(if reader.errors() == 0 { ExitStatus::Success } else { ExitStatus::Findings })
}

/// Trajectories by what they are.
#[derive(Default)]
struct Groups {
    coding: Statistics,
    workflow: Statistics,
}

impl Groups {
    /// The groups that are not empty, with their names.
    fn named(&self) -> impl Iterator<Item = (&'static str, &Statistics)> {
        [("coding", &self.coding), ("workflow", &self.workflow)]
            .into_iter()
            .filter(|(_, group)| group.trajectories > 0)
    }
}

fn text(file: &Path, facts: &Facts, groups: &Groups) -> String {
    let mut out = format!("{}\n", file.display());
    let mut line = |name: &str, value: String| {
        let _ = writeln!(out, "  {name:<16}{value}");
    };
    let stored = bytes(facts.stored_bytes);
    let text = bytes(facts.uncompressed_bytes);
    line(
        "stored",
        match facts.compression.name() {
            name @ "plain text" => format!("{text}, {name}"),
            name => format!("{stored} of {name}, {text} of text"),
        },
    );
    line("sha256", facts.sha256.clone().unwrap_or_else(|| "not read to the end".to_owned()));
    let dropped = match facts.metadata_rows {
        0 => String::new(),
        n => format!(", and {n} of metadata, dropped"),
    };
    line("rows", format!("{}{dropped}", facts.rows));
    line(
        "trajectories",
        format!("{} usable, {} broken", facts.trajectories, facts.broken_trajectories),
    );
    line("client turns", facts.client_turns.to_string());
    line("assistant turns", facts.assistant_turns.to_string());
    line(
        "system prompt",
        match (facts.without_system, &facts.first_without_system) {
            (0, _) | (_, None) => "in every trajectory".to_owned(),
            (n, Some(id)) => format!("missing in {n}, such as `{id}`: they cannot be salted"),
        },
    );
    let total = facts.total_delay.as_secs_f64();
    line(
        "delays",
        format!("{total:.2} s in a pass, longest {:.2} s", facts.longest_delay.as_secs_f64()),
    );
    for (name, group) in groups.named() {
        group_text(&mut out, name, group);
    }
    out
}

fn group_text(out: &mut String, name: &str, group: &Statistics) {
    let _ = writeln!(out, "\n{name}: {}", count(group.trajectories, "trajectory", "trajectories"));
    let mut line = |name: &str, value: String| {
        let _ = writeln!(out, "  {name:<16}{value}");
    };
    line(
        "answers",
        format!(
            "{}: {} with reasoning, {} with intent codes, {} call tools ({} several at once)",
            group.assistant_turns,
            group.reasoning_turns,
            group.intent_turns,
            group.calling_turns,
            group.parallel_turns
        ),
    );
    let mut tools: Vec<_> = group.tools.iter().collect();
    tools.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), name.as_str()));
    let shown: Vec<_> =
        tools.iter().take(10).map(|(name, count)| format!("{name} {count}")).collect();
    let more = match tools.len().saturating_sub(10) {
        0 => String::new(),
        n => format!(", and {n} more"),
    };
    line("tool calls", if shown.is_empty() { "none".to_owned() } else { shown.join(", ") + &more });
    line("", format!("{:>10} {:>10} {:>10} {:>10}", "least", "median", "p90", "most"));
    let mut spread = |name: &str, quantiles: Quantiles, show: fn(u64) -> String| {
        let Quantiles { min, p50, p90, max, .. } = quantiles;
        let [min, p50, p90, max] = [min, p50, p90, max].map(show);
        line(name, format!("{min:>10} {p50:>10} {p90:>10} {max:>10}"));
    };
    spread("client turns", group.client_turns.quantiles(), |n| n.to_string());
    spread("prompt text", group.prompt_bytes.quantiles(), bytes);
    spread("reply text", group.reply_bytes.quantiles(), bytes);
    spread("delay", group.delay_ms.quantiles(), |n| format!("{n} ms"));
}

fn document(file: &Path, facts: &Facts, groups: &Groups) -> Value {
    let groups: serde_json::Map<_, _> =
        groups.named().map(|(name, group)| (name.to_owned(), group_document(group))).collect();
    json!({
        "version": 1,
        "file": file.display().to_string(),
        "compression": facts.compression.name(),
        "sha256": facts.sha256,
        "stored_bytes": facts.stored_bytes,
        "text_bytes": facts.uncompressed_bytes,
        "rows": facts.rows,
        "metadata_rows": facts.metadata_rows,
        "trajectories": facts.trajectories,
        "broken_trajectories": facts.broken_trajectories,
        "client_turns": facts.client_turns,
        "assistant_turns": facts.assistant_turns,
        "without_system": facts.without_system,
        "total_delay_seconds": facts.total_delay.as_secs_f64(),
        "longest_delay_seconds": facts.longest_delay.as_secs_f64(),
        "groups": groups,
    })
}

fn group_document(group: &Statistics) -> Value {
    json!({
        "trajectories": group.trajectories,
        "assistant_turns": group.assistant_turns,
        "reasoning_turns": group.reasoning_turns,
        "intent_turns": group.intent_turns,
        "calling_turns": group.calling_turns,
        "parallel_turns": group.parallel_turns,
        "tool_calls": group.tools,
        "client_turns": group.client_turns.quantiles(),
        "prompt_bytes": group.prompt_bytes.quantiles(),
        "reply_bytes": group.reply_bytes.quantiles(),
        "delay_ms": group.delay_ms.quantiles(),
    })
}
