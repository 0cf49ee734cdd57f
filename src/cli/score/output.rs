//! What `score` prints.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::Args;
use super::gates::Gates;
use crate::accuracy::{AccuracyVerdict, Domain, TurnScore};
use crate::cli::failure::Failure;
use crate::cli::scoring::Measured;
use crate::report::{SIMULATED, explain_text, inline_text, percent, table, verdict_text};

/// How many of the worst turns are shown where one point is scored.
const WORST: usize = 5;

/// The scores as text, without a trailing newline.
pub(super) fn text(
    args: &Args,
    measured: &[Measured],
    verdict: Option<&AccuracyVerdict>,
    gates: &Gates,
) -> Result<String, Failure> {
    let mut text = String::new();
    if let Some(conversation) = &args.explain {
        let several = measured.len() > 1;
        let mut explained = false;
        for one in measured {
            if let Some(part) = explain_text(&one.scores, conversation) {
                explained = true;
                separate(&mut text);
                if several {
                    let _ = writeln!(text, "{}", title(one));
                }
                text.push_str(&part);
            }
        }
        return if explained { Ok(text) } else { Err(unknown(conversation, measured)) };
    }
    match (measured, args.worst) {
        ([_, _, ..], None) => text.push_str(&points_table(measured)),
        (all, worst) => {
            for one in all {
                separate(&mut text);
                let scores = inline_text(&one.scores, worst.unwrap_or(WORST));
                let _ = write!(text, "{}\n{scores}\n\n{}", title(one), output_length(one));
            }
        }
    }
    if measured.iter().any(|one| one.simulated) {
        let _ = write!(text, "\n\n{SIMULATED}");
    }
    separate(&mut text);
    match (verdict, &gates.none_because) {
        (Some(verdict), _) => text.push_str(&verdict_text(verdict)),
        (None, Some(why)) => text.push_str(why),
        (None, None) => {}
    }
    Ok(text.trim_end().to_owned())
}

/// One row per point.
fn points_table(measured: &[Measured]) -> String {
    let header =
        ["concurrency", "turns", "no reply", "inline %", "coding %", "workflow %", "OSL mean"];
    let row = |one: &Measured| {
        let of = |domain| {
            let found = one.scores.domains.iter().find(|found| found.domain == domain);
            percent(found.map(|found| found.score))
        };
        let length = one.output_length.as_ref();
        vec![
            one.run.concurrency.to_string(),
            one.scores.turns.scored.to_string(),
            one.scores.turns.missing.to_string(),
            percent(one.scores.score),
            of(Domain::Coding),
            of(Domain::Workflow),
            length.map_or_else(|| "-".to_owned(), |length| format!("{:.1}", length.mean)),
        ]
    };
    table(&header, measured.iter().map(row).collect(), &[])
}

/// The scores as one JSON document.
pub(super) fn json(
    args: &Args,
    measured: &[Measured],
    verdict: Option<&AccuracyVerdict>,
) -> Result<String, Failure> {
    let mut points = Vec::new();
    let mut explained = false;
    for one in measured {
        let mut point = point(one, args.worst.unwrap_or(WORST));
        if let Some(conversation) = &args.explain {
            let turns: Vec<&TurnScore> =
                one.scores.per_turn.iter().filter(|t| t.conversation == *conversation).collect();
            let excluded: Vec<_> =
                one.scores.excluded.iter().filter(|t| t.conversation == *conversation).collect();
            explained |= !turns.is_empty() || !excluded.is_empty();
            point["explain"] = json!({ "per_turn": turns, "excluded_turns": excluded });
        }
        points.push(point);
    }
    match &args.explain {
        Some(conversation) if !explained => Err(unknown(conversation, measured)),
        _ => {
            let document = json!({ "points": points, "verdict": verdict });
            Ok(format!("{document:#}"))
        }
    }
}

fn point(one: &Measured, worst: usize) -> Value {
    let scores = &one.scores;
    let mut turns: Vec<&TurnScore> = scores.per_turn.iter().filter(|t| t.score < 1.0).collect();
    turns.sort_by(|a, b| a.score.total_cmp(&b.score));
    turns.truncate(worst);
    let domains: Value = scores
        .domains
        .iter()
        .map(|domain| {
            let value = json!({ "score": domain.score, "scored": domain.scored });
            (domain.domain.name().to_owned(), value)
        })
        .collect::<serde_json::Map<_, _>>()
        .into();
    let length = one.output_length.as_ref();
    json!({
        "folder": one.run.path.display().to_string(),
        "concurrency": one.run.concurrency,
        "complete": one.facts.complete,
        "simulated": one.simulated,
        "inline": {
            "score": scores.score,
            "passes": scores.passes,
            "turns": scores.turns,
            "domains": domains,
            "worst": turns,
        },
        "output_length": length.map(|length| json!({
            "mean": length.mean, "token_counts": length.token_counts,
        })),
        "swe_bench": one.results.swe_bench_score(),
    })
}

fn title(one: &Measured) -> String {
    let complete = if one.facts.complete { "" } else { ", not complete" };
    let concurrency = match one.run.concurrency {
        0 => "concurrency unknown".to_owned(),
        known => format!("concurrency {known}"),
    };
    format!("{} ({concurrency}{complete})", one.run.path.display())
}

fn output_length(one: &Measured) -> String {
    match &one.output_length {
        None => "Mean output length: unknown, no token counts".to_owned(),
        Some(length) => {
            let by = match length.token_counts.as_deref() {
                Some("server-reported") => " (counted by the server, not official)",
                _ => "",
            };
            format!("Mean output length: {:.1} tokens per turn{by}", length.mean)
        }
    }
}

fn separate(text: &mut String) {
    if !text.is_empty() {
        text.push_str("\n\n");
    }
}

fn unknown(conversation: &str, measured: &[Measured]) -> Failure {
    let scores = measured.first().map(|one| &one.scores);
    let ids = scores.into_iter().flat_map(|scores| {
        let scored = scores.per_turn.iter().map(|turn| turn.conversation.as_str());
        scored.chain(scores.excluded.iter().map(|turn| turn.conversation.as_str()))
    });
    let failure =
        Failure::usage(format!("--explain {conversation}: no such conversation was played"));
    match crate::yaml::nearest(conversation, ids) {
        Some(nearest) => failure.help(format!("did you mean `{nearest}`?")),
        None => failure.help("name its source id, without `__repeat_…`"),
    }
}
