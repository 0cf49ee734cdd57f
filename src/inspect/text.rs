//! The survey for people.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::histogram::histogram;
use super::survey::{File, Group, Survey};
use crate::dataset::{Facts, Quantiles, Spread};
use crate::units::bytes;

/// Columns of the longest bar.
const BAR: u64 = 40;
/// Words of a vocabulary that are shown.
const WORDS: usize = 12;

impl Survey {
    /// The spreads of a group by name.
    pub(super) fn spreads(group: &Group) -> [(&'static str, &Spread); 5] {
        let statistics = &group.statistics;
        [
            ("client turns", &statistics.client_turns),
            ("ISL", &group.isl),
            ("OSL", &group.osl),
            ("growth per turn", &group.growth),
            ("delay, ms", &statistics.delay_ms),
        ]
    }

    /// How tokens were counted.
    pub(super) fn method(&self) -> &'static str {
        if self.estimated {
            "estimated, 4 bytes each and 4 for the frame of a message; --tokenizer counts them"
        } else {
            "exact, of the reference tokenizer and chat template, without salt markers"
        }
    }

    /// Several paragraphs.
    pub fn text(&self, file: &File) -> String {
        let mut out = format!("{}\n", file.path.display());
        for (name, value) in facts(&file.facts) {
            let _ = writeln!(out, "  {name:<16}{value}");
        }
        let _ = writeln!(out, "  {:<16}{}", "tokens", self.method());
        self.sharing_text(&mut out);
        self.kv_text(&mut out);
        for (name, group) in self.groups() {
            group_text(&mut out, name, group);
        }
        out
    }

    fn sharing_text(&self, out: &mut String) {
        let _ =
            writeln!(out, "\nprompt tokens of a pass, as a perfect prefix cache would see them");
        let _ = writeln!(
            out,
            "  {:<16}{:>14} {:>14} {:>14} {:>14}",
            "", "all", "inside", "across", "to prefill"
        );
        for (name, reuse) in
            [("salted", &self.sharing.salted), ("unsalted", &self.sharing.unsalted)]
        {
            let _ = writeln!(
                out,
                "  {name:<16}{:>14} {:>14} {:>14} {:>14}",
                number(reuse.prompt_tokens),
                number(reuse.within_trajectories),
                number(reuse.across_trajectories),
                number(reuse.to_prefill()),
            );
        }
        out.push_str(SHARING_NOTE);
    }

    fn kv_text(&self, out: &mut String) {
        let footprints = self.footprints();
        if footprints.is_empty() {
            return;
        }
        let per_token = self
            .kv_bytes_per_token
            .map_or(String::new(), |bytes| format!(", {bytes} bytes a token"));
        let _ = writeln!(out, "\nKV cache of the active conversations, nothing shared{per_token}");
        let _ = writeln!(
            out,
            "  {:<16}{:>26} {:>32}",
            "slots", "at average turns", "the largest, at their ends"
        );
        for footprint in footprints {
            let show = |tokens: u64, size: Option<u64>| match size {
                Some(size) => format!("{} tokens, {}", number(tokens), bytes(size)),
                None => format!("{} tokens", number(tokens)),
            };
            let _ = writeln!(
                out,
                "  {:<16}{:>26} {:>32}",
                footprint.slots,
                show(footprint.mean_tokens, footprint.mean_bytes),
                show(footprint.most_tokens, footprint.most_bytes),
            );
        }
    }
}

const SHARING_NOTE: &str = "  inside: like the prompt before in the same trajectory; across: further, like an earlier \
trajectory.\n  Salted, a further pass needs the same again; unsalted, it needs nothing.\n";

/// A number with its thousands apart.
pub(super) fn number(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// What is known of the file.
pub(super) fn facts(facts: &Facts) -> Vec<(&'static str, String)> {
    let text = bytes(facts.uncompressed_bytes);
    let stored = match facts.compression.name() {
        name @ "plain text" => format!("{text}, {name}"),
        name => format!("{} of {name}, {text} of text", bytes(facts.stored_bytes)),
    };
    let dropped = match facts.metadata_rows {
        0 => String::new(),
        n => format!(", and {n} of metadata, dropped"),
    };
    let system = match (facts.without_system, &facts.first_without_system) {
        (0, _) | (_, None) => "in every trajectory".to_owned(),
        (n, Some(id)) => format!("missing in {n}, such as `{id}`: they cannot be salted"),
    };
    vec![
        ("stored", stored),
        ("sha256", facts.sha256.clone().unwrap_or_else(|| "not read to the end".to_owned())),
        ("rows", format!("{}{dropped}", facts.rows)),
        (
            "trajectories",
            format!("{} usable, {} broken", facts.trajectories, facts.broken_trajectories),
        ),
        ("client turns", facts.client_turns.to_string()),
        ("assistant turns", facts.assistant_turns.to_string()),
        ("system prompt", system),
        (
            "delays",
            format!(
                "{:.2} s in a pass, longest {:.2} s",
                facts.total_delay.as_secs_f64(),
                facts.longest_delay.as_secs_f64()
            ),
        ),
    ]
}

/// The most frequent words of a vocabulary.
pub(super) fn words(words: &BTreeMap<String, u64>, of: &str) -> String {
    let mut sorted: Vec<_> = words.iter().collect();
    sorted.sort_by_key(|(word, count)| (std::cmp::Reverse(**count), word.as_str()));
    let shown: Vec<_> =
        sorted.iter().take(WORDS).map(|(word, count)| format!("{word} {count}")).collect();
    match sorted.len().saturating_sub(WORDS) {
        _ if shown.is_empty() => format!("no {of}"),
        0 => shown.join(", "),
        n => format!("{}, and {n} more {of}", shown.join(", ")),
    }
}

/// The lines about a group's answers.
pub(super) fn answers(group: &Group) -> Vec<(&'static str, String)> {
    let statistics = &group.statistics;
    vec![
        (
            "answers",
            format!(
                "{}: {} with reasoning, {} with intent codes, {} call tools ({} several at once)",
                statistics.assistant_turns,
                statistics.reasoning_turns,
                statistics.intent_turns,
                statistics.calling_turns,
                statistics.parallel_turns
            ),
        ),
        ("scorable", format!("{} turns, by the inline scorer", group.scorable_turns)),
        ("tool calls", words(&statistics.tools, "tools")),
        ("tools defined", words(&group.tools_defined, "tools")),
        ("intents", words(&group.intents, "codes")),
    ]
}

fn group_text(out: &mut String, name: &str, group: &Group) {
    let trajectories = group.statistics.trajectories;
    let noun = if trajectories == 1 { "trajectory" } else { "trajectories" };
    let _ = writeln!(out, "\n{name}: {trajectories} {noun}");
    for (name, value) in answers(group) {
        let _ = writeln!(out, "  {name:<16}{value}");
    }
    let _ =
        writeln!(out, "  {:<16}{:>10} {:>10} {:>10} {:>10}", "", "least", "median", "p90", "most");
    let mut line = |name: &str, spread: &Spread, show: fn(u64) -> String| {
        let Quantiles { min, p50, p90, max, .. } = spread.quantiles();
        let [min, p50, p90, max] = [min, p50, p90, max].map(show);
        let _ = writeln!(out, "  {name:<16}{min:>10} {p50:>10} {p90:>10} {max:>10}");
    };
    let spreads = Survey::spreads(group);
    for (name, spread) in spreads {
        line(name, spread, number);
    }
    line("prompt text", &group.statistics.prompt_bytes, bytes);
    line("reply text", &group.statistics.reply_bytes, bytes);
    for (name, spread) in spreads {
        histogram_text(out, name, spread);
    }
}

fn histogram_text(out: &mut String, name: &str, spread: &Spread) {
    let bins = histogram(spread.numbers());
    let Some(most) = bins.iter().map(|bin| bin.count).max() else { return };
    let _ = writeln!(out, "  {name}");
    for bin in bins {
        // Something is seen of every bin that is not empty.
        let length = (bin.count * BAR).div_ceil(most);
        let bar = "█".repeat(usize::try_from(length).unwrap_or(0));
        let range = format!("{}–{}", number(bin.from), number(bin.to - 1));
        let line = format!("    {range:>21} {:>8} {bar}", number(bin.count));
        let _ = writeln!(out, "{}", line.trim_end());
    }
}
