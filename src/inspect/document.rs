//! The survey as one JSON document.

use serde_json::{Map, Value as Json, json};

use super::histogram::histogram;
use super::prefix::Reuse;
use super::survey::{File, Group, Survey};
use crate::dataset::Spread;

impl Survey {
    /// One JSON document: `version` 2, counts of the file, `tokens` says how they were counted.
    pub fn document(&self, file: &File) -> Json {
        let File { path, facts } = file;
        let groups: Map<_, _> =
            self.groups().map(|(name, group)| (name.to_owned(), document(group))).collect();
        json!({
            "version": 2,
            "file": path.display().to_string(),
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
            "tokens": if self.estimated { "estimated" } else { "exact" },
            "prefix_sharing": {
                "salted": reuse(&self.sharing.salted),
                "unsalted": reuse(&self.sharing.unsalted),
            },
            "kv_cache": {
                "bytes_per_token": self.kv_bytes_per_token,
                "footprints": self.footprints(),
            },
            "groups": groups,
        })
    }
}

fn reuse(reuse: &Reuse) -> Json {
    json!({
        "prompt_tokens": reuse.prompt_tokens,
        "within_trajectories": reuse.within_trajectories,
        "across_trajectories": reuse.across_trajectories,
        "to_prefill": reuse.to_prefill(),
    })
}

fn document(group: &Group) -> Json {
    let statistics = &group.statistics;
    json!({
        "trajectories": statistics.trajectories,
        "assistant_turns": statistics.assistant_turns,
        "reasoning_turns": statistics.reasoning_turns,
        "intent_turns": statistics.intent_turns,
        "calling_turns": statistics.calling_turns,
        "parallel_turns": statistics.parallel_turns,
        "scorable_turns": group.scorable_turns,
        "tool_calls": statistics.tools,
        "tools_defined": group.tools_defined,
        "intents": group.intents,
        "client_turns": spread(&statistics.client_turns),
        "prompt_bytes": statistics.prompt_bytes.quantiles(),
        "reply_bytes": statistics.reply_bytes.quantiles(),
        "isl": spread(&group.isl),
        "osl": spread(&group.osl),
        "growth": spread(&group.growth),
        "delay_ms": spread(&statistics.delay_ms),
    })
}

/// The quantiles, and the histogram beside them.
fn spread(spread: &Spread) -> Json {
    let mut document = json!(spread.quantiles());
    if let Json::Object(members) = &mut document {
        members.insert("histogram".to_owned(), json!(histogram(spread.numbers())));
    }
    document
}
