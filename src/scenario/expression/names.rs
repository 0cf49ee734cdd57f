//! The vocabulary of checks.

use crate::yaml::nearest;

/// A name, or a family of names that differ in their last part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    /// The name, or what stands before the dot.
    pub name: &'static str,
    /// The last parts; empty for a name that stands alone.
    pub parts: &'static [&'static str],
    /// What it is.
    pub meaning: &'static str,
}

/// Times in milliseconds.
const TIMES: &[&str] = &[
    "p1_ms", "p5_ms", "p10_ms", "p25_ms", "p50_ms", "p75_ms", "p80_ms", "p90_ms", "p95_ms",
    "p97_ms", "p99_ms", "p99_9_ms", "min_ms", "max_ms", "avg_ms",
];
/// Counts of tokens.
const TOKENS: &[&str] = &[
    "p1", "p5", "p10", "p25", "p50", "p75", "p80", "p90", "p95", "p97", "p99", "p99_9", "min",
    "max", "avg", "total",
];

const fn one(name: &'static str, meaning: &'static str) -> Name {
    Name { name, parts: &[], meaning }
}

const fn many(name: &'static str, parts: &'static [&'static str], meaning: &'static str) -> Name {
    Name { name, parts, meaning }
}

const NAMES: &[Name] = &[
    one("concurrency", "the point's concurrency"),
    one("region", "the ruleset's region of the point, such as `low_concurrency`"),
    one("simulated", "whether the endpoint was simulated"),
    one("duration_s", "seconds of the performance window"),
    many("turns", &["issued", "completed", "failed"], "turns of the performance window"),
    many("ttft", TIMES, "time to first token"),
    many("tpot", TIMES, "time per output token"),
    many("latency", TIMES, "time of a whole turn"),
    many("isl", TOKENS, "input length in tokens per turn"),
    many("osl", TOKENS, "output length in tokens per turn"),
    many("osl_full_run", TOKENS, "output length over the whole run, the tail included"),
    one("system_tps", "output tokens a second of the whole system"),
    one("tps_per_user", "1000 / P90 of TPOT in ms"),
    one("e2e_avg_interactivity", "output tokens a second of turn time"),
    one("qps", "completed turns a second"),
    one("token_counts", "where token counts come from: `official` or `server-reported`"),
    many(
        "prefix_cache",
        &["hit_percent", "cached_tokens", "prompt_tokens"],
        "what the server says of its prefix cache",
    ),
    many(
        "finish_reasons",
        &["stop", "length", "tool_calls", "content_filter", "function_call", "other"],
        "turns by the server's reason to stop",
    ),
    many("steady_state", &["status", "verdict"], "what the steady-state detector says"),
    many(
        "accuracy",
        &["inline_percent", "swe_bench_percent"],
        "scores in percent, where they were measured",
    ),
];

/// Every name and family, in the order of the documentation.
pub fn names() -> &'static [Name] {
    NAMES
}

impl Name {
    /// The names in full.
    pub fn spelled(&self) -> impl Iterator<Item = String> {
        let alone = self.parts.is_empty().then(|| self.name.to_owned());
        let parts = self.parts.iter().map(|part| format!("{}.{part}", self.name));
        alone.into_iter().chain(parts)
    }
}

/// Whether a name is known.
///
/// # Errors
/// What to do about one that is not.
pub fn known(name: &str) -> Result<(), String> {
    let all: Vec<String> = NAMES.iter().flat_map(Name::spelled).collect();
    if all.iter().any(|known| known == name) {
        return Ok(());
    }
    if let Some(family) = NAMES.iter().find(|family| family.name == name) {
        let parts: Vec<&str> = family.parts.iter().take(4).copied().collect();
        return Err(format!("name one of its values: `{name}.` and {} …", parts.join(", ")));
    }
    if let Some((family, part)) = name.split_once('.')
        && let Some(family) =
            NAMES.iter().find(|known| known.name == family && !known.parts.is_empty())
    {
        // A part without its unit is near to none by its letters.
        let unit =
            |known: &&&str| known.strip_prefix(part).is_some_and(|rest| rest.starts_with('_'));
        let near = family.parts.iter().find(unit).copied();
        return Err(match near.or_else(|| nearest(part, family.parts.iter().copied())) {
            Some(part) => format!("did you mean `{}.{part}`?", family.name),
            None => format!("there are {}", family.parts.join(", ")),
        });
    }
    if let Some(near) = nearest(name, all.iter().map(String::as_str)) {
        return Err(format!("did you mean `{near}`?"));
    }
    let all: Vec<&str> = NAMES.iter().map(|name| name.name).collect();
    Err(format!("there are {}", all.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known_or_something_near_is() {
        for name in ["concurrency", "ttft.p90_ms", "osl.total", "accuracy.inline_percent"] {
            assert_eq!(known(name), Ok(()));
        }
        for (name, help) in [
            ("concurency", "did you mean `concurrency`?"),
            ("ttft.p90", "did you mean `ttft.p90_ms`?"),
            ("tttf.p90_ms", "did you mean `ttft.p90_ms`?"),
            ("ttft", "name one of its values: `ttft.` and p1_ms, p5_ms, p10_ms, p25_ms …"),
            ("accuracy.xyz", "there are inline_percent, swe_bench_percent"),
        ] {
            assert_eq!(known(name), Err(help.to_owned()), "{name}");
        }
        assert!(known("zebra").unwrap_err().starts_with("there are concurrency, region"));
    }
}
