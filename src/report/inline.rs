//! Inline scores as text.

use std::fmt::Write as _;

use super::table::table;
use crate::accuracy::{Action, Comparison, ExcludedTurn, InlineScores, TurnScore};

/// The most characters of a list of actions in a table.
const MAX_CELL: usize = 48;

/// The score, its domains, and the `worst` worst turns; no trailing newline.
pub fn inline_text(scores: &InlineScores, worst: usize) -> String {
    let mut text = headline(scores);
    if !scores.domains.is_empty() {
        let row = |domain: &crate::accuracy::DomainScore| {
            vec![
                domain.domain.name().to_owned(),
                domain.scored.to_string(),
                percent(Some(domain.score)),
            ]
        };
        let rows = scores.domains.iter().map(row).collect();
        let _ = write!(text, "\n\n{}", table(&["domain", "turns", "score %"], rows, &["domain"]));
    }
    let mut turns: Vec<&TurnScore> = scores.per_turn.iter().filter(|t| t.score < 1.0).collect();
    // The sort is stable: turns of equal score stay in the order of the report.
    turns.sort_by(|a, b| a.score.total_cmp(&b.score));
    if !turns.is_empty() && worst > 0 {
        let shown = turns.len().min(worst);
        let rows = turns.iter().take(worst).map(|turn| row(turn)).collect();
        let _ = write!(text, "\n\nWorst {shown} of {} imperfect turns:\n", turns.len());
        text.push_str(&table(&TURN_COLUMNS, rows, &TURN_TEXTS));
    }
    text
}

/// Every turn of a conversation, expected and found side by side; none when the data sets have no
/// such conversation or nothing of it was issued.
pub fn explain_text(scores: &InlineScores, conversation: &str) -> Option<String> {
    let turns: Vec<&TurnScore> =
        scores.per_turn.iter().filter(|turn| turn.conversation == conversation).collect();
    let excluded: Vec<&ExcludedTurn> =
        scores.excluded.iter().filter(|turn| turn.conversation == conversation).collect();
    if turns.is_empty() && excluded.is_empty() {
        return None;
    }
    let mut text = conversation.to_owned();
    if !turns.is_empty() {
        let sum: f64 = turns.iter().map(|turn| turn.score).sum();
        #[expect(clippy::cast_precision_loss, reason = "turns of one conversation")]
        let mean = sum / turns.len() as f64;
        let _ = write!(text, ": {} % over {} turns\n\n", percent(Some(mean)), turns.len());
        let rows = turns.iter().map(|turn| row(turn)[1..].to_vec()).collect();
        text.push_str(&table(&TURN_COLUMNS[1..], rows, &TURN_TEXTS));
    }
    if !excluded.is_empty() {
        let turns: Vec<String> = excluded.iter().map(|turn| turn.turn.to_string()).collect();
        let _ = write!(text, "\n\nNot scored, without ground truth: turn {}", turns.join(", "));
    }
    Some(text)
}

fn headline(scores: &InlineScores) -> String {
    let counts = scores.turns;
    let mut text = match scores.score {
        Some(score) => format!("Inline score {} %", percent(Some(score))),
        None => "No inline score".to_owned(),
    };
    let _ = write!(
        text,
        ": {} of {} issued turns have ground truth ({} pass{}), {} of them no reply",
        counts.scored,
        counts.issued,
        scores.passes,
        if scores.passes == 1 { "" } else { "es" },
        counts.missing,
    );
    text
}

const TURN_COLUMNS: [&str; 6] = ["conversation", "pass", "turn", "score %", "expected", "found"];
const TURN_TEXTS: [&str; 3] = ["conversation", "expected", "found"];

fn row(turn: &TurnScore) -> Vec<String> {
    let (expected, found) = match &turn.found {
        Comparison::Actions { expected, found } => (actions(expected), actions(found)),
        Comparison::Intents { expected, found } => {
            let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
            (expected.join(" or "), found.clone().unwrap_or_else(|| "-".to_owned()))
        }
    };
    vec![
        turn.conversation.clone(),
        turn.pass.to_string(),
        turn.turn.to_string(),
        percent(Some(turn.score)),
        cut(&expected),
        if turn.missing { "(no reply)".to_owned() } else { cut(&found) },
    ]
}

fn actions(actions: &[Action]) -> String {
    // Only so many names fit; a hostile reply has millions.
    let names: Vec<&str> = actions.iter().take(MAX_CELL).map(|action| action.name()).collect();
    if names.is_empty() { "-".to_owned() } else { names.join(" ") }
}

fn cut(text: &str) -> String {
    if text.chars().count() <= MAX_CELL {
        return text.to_owned();
    }
    text.chars().take(MAX_CELL - 1).chain(['…']).collect()
}

/// A fraction in percent with two digits, or `-`.
pub fn percent(fraction: Option<f64>) -> String {
    fraction.map_or_else(|| "-".to_owned(), |fraction| format!("{:.2}", fraction * 100.0))
}
