//! Rules of our own about what an event log proves.

use super::own::{error, warning};
use super::{Rule, Scope};

const COPY_LOG: &str = "keep events.jsonl as the client wrote it";
const REPEAT: &str = "repeat the run with a client that replays as the benchmark asks";

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "x-log-missing",
        scope: Scope::Own,
        title: "a run folder holds its event log",
        section: "§8.1",
        explain: "Only events.jsonl shows what was sent and when; without it nothing about salt, \
                  delays, order, window and cache can be proven. A submission has no logs, and is \
                  not asked for them.",
        fix: COPY_LOG,
        messages: &[
            warning("warn", "there is no event log", "events.jsonl in every run folder"),
            warning("empty", "the event log is empty", "events.jsonl in every run folder"),
        ],
    },
    Rule {
        id: "x-log-unusable",
        scope: Scope::Own,
        title: "the event log can be read to its end",
        section: "§8.1",
        explain: "Every line of events.jsonl is one event, the last one included: a run whose log \
                  breaks off was killed.",
        fix: COPY_LOG,
        messages: &[error("fail", "the event log cannot be used: {reason}", "one event a line")],
    },
    Rule {
        id: "x-log-order",
        scope: Scope::Own,
        title: "events stand where they can be",
        section: "§6.1",
        explain: "A turn is issued once, then may give a first token, then ends once: with a reply, \
                  or with an error and none. The last event is the end of the session.",
        fix: COPY_LOG,
        messages: &[error(
            "fail",
            "{count} events cannot be where they are: {found}",
            "issue, first token, end, once for each turn",
        )],
    },
    Rule {
        id: "x-turn-order",
        scope: Scope::Own,
        title: "no turn of a conversation before the reply to the one before it",
        section: "§6.1",
        explain: "A conversation has one turn in flight at most, and its turns are sent in the data \
                  set's order, each after the previous reply has ended.",
        fix: REPEAT,
        messages: &[error(
            "fail",
            "{count} turns were sent too early: {found}",
            "each turn after the reply to the one before it",
        )],
    },
    Rule {
        id: "x-session-id",
        scope: Scope::Own,
        title: "a trajectory keeps its session id",
        section: "§6.1",
        explain: "The logical id is the conversation's in the first pass and `<id>__repeat_<n>` in \
                  pass n, the same from the first turn's issue to the last turn's end.",
        fix: REPEAT,
        messages: &[
            error("fail", "{count} events under another id: {found}", "one id for each trajectory"),
            error("gap", "{count} trajectories skip a pass: {found}", "passes counted from 1"),
        ],
    },
    Rule {
        id: "x-slots",
        scope: Scope::Own,
        title: "no more turns in flight than slots",
        section: "§6.1",
        explain: "The point's concurrency is how many conversations are active at once, and each \
                  has one turn in flight at most.",
        fix: REPEAT,
        messages: &[error("fail", "{found} turns in flight at once", "at most {slots}")],
    },
    Rule {
        id: "x-salt",
        scope: Scope::Own,
        title: "every prompt was sent with the salt",
        section: "§2.9.5",
        explain: "Around the first system message stand `[salt: H(pass)]` and \
                  `[salt: H(conversation)]`, where H is BLAKE2b with two bytes of output in \
                  hexadecimal. Where the log holds prompts, they are looked at; else the markers \
                  that the client counted in each body, and, where the data sets are given, the \
                  body's digest (x-replay-digest).",
        fix: "repeat the run with `cache.salt: true` (reference client: `enable_salt: true`)",
        messages: &[
            error("fail", "{count} turns without the salt: {found}", "two markers in every prompt"),
            error("fail-2", "{count} turns with another salt: {found}", "H(pass), H(conversation)"),
        ],
    },
    Rule {
        id: "x-sampling",
        scope: Scope::Own,
        title: "the template's arguments as sent are the model's",
        section: "§3.2",
        explain: "Where the log holds prompts, each has exactly the chat template arguments that \
                  the benchmark lists for the model. All other sampling parameters stand in \
                  config.yaml (x-config-mismatch) and, where the data sets are given, in the \
                  body's digest (x-replay-digest).",
        fix: "repeat the run with the benchmark's sampling parameters",
        messages: &[error("fail", "{count} turns with other arguments: {found}", "{expected}")],
    },
    Rule {
        id: "x-tool-delays",
        scope: Scope::Own,
        title: "think and tool times were waited out",
        section: "§6.1",
        explain: "Where the data sets are given: a turn is not issued before the previous reply's \
                  end and its recorded delay, less 2 ms for timers.",
        fix: "repeat the run with `load.tool_delays: recorded` (reference client: \
              `inject_tool_delay: true`)",
        messages: &[error(
            "fail",
            "{count} turns were issued before their recorded delay, by up to {worst}: {found}",
            "the recorded delay between a reply's end and the next turn",
        )],
    },
    Rule {
        id: "x-window",
        scope: Scope::Own,
        title: "the performance window closes when a slot finds no trajectory left",
        section: "§6.4",
        explain: "Tracking starts before the first turn and stops once: when the first \
                  conversation ends that cannot be followed by another one. The log's times may \
                  differ from that moment by 0.1 s before and 1 s after.",
        fix: REPEAT,
        messages: &[error(
            "fail",
            "the performance window is not the benchmark's: {found}",
            "open from the start until the first slot finds no trajectory left",
        )],
    },
    Rule {
        id: "x-log-counts",
        scope: Scope::Own,
        title: "the summary's numbers are the log's",
        section: "§4.1",
        explain: "Counts, duration, and the totals and percentiles of TTFT and latency follow from \
                  the event log; token counts do, too, where they are the server's. They may \
                  differ by one part in a million.",
        fix: "write the numbers again with `scenario report --write`",
        messages: &[error("fail", "{count} numbers differ from the log: {found}", "the log's")],
    },
    Rule {
        id: "x-passes",
        scope: Scope::Own,
        title: "whole passes over the data set were replayed",
        section: "§6.4",
        explain: "The log holds every conversation of the benchmark's data set in each pass, and \
                  the same turns each time.",
        fix: "replay whole passes (`mix.passes`), without `mix.take` and `mix.trajectories`",
        messages: &[
            error("fail", "{found} conversations were replayed", "{expected}, the whole data set"),
            error("turns", "{found} turns a pass were replayed", "{expected}, the whole data set"),
            error("uneven", "{count} conversations miss a pass: {found}", "whole passes"),
            error("unequal", "{count} trajectories are cut short: {found}", "all turns each time"),
        ],
    },
    Rule {
        id: "x-dataset",
        scope: Scope::Own,
        title: "the replayed data set is the benchmark's",
        section: "§6.5",
        explain: "The data set is one file, used unchanged; its SHA-256 stands in the manifest of \
                  a result directory and in config.yaml of a run folder of ours. Data sets that \
                  are given to the audit must be the ones of the run.",
        fix: "replay the benchmark's file; give the audit the files of the run",
        messages: &[
            error("fail", "data set {name} has the SHA-256 {found}", "{expected}"),
            error("count", "{found} data sets were replayed: {names}", "one, {expected}"),
            error(
                "given",
                "data set {name} has the SHA-256 {found}, the given file {expected}",
                "",
            ),
        ],
    },
    Rule {
        id: "x-replay-digest",
        scope: Scope::Own,
        title: "the replay digest can be made again",
        section: "§6.4",
        explain: "The digest is SHA-256 over session id, turn and body digest of every sent turn in \
                  plan order. It is made again from the log, and, where the data sets are given, \
                  from them: every body's digest is then compared with the logged one, which \
                  proves salt, sampling, tools and history as sent.",
        fix: "keep the run folder as the client wrote it; give the audit the scenario of the run",
        messages: &[
            error("fail", "the stored replay digest is {found}", "{expected}, from the log"),
            error(
                "workload",
                "the stored replay digest is {found}",
                "{expected}, from the data sets",
            ),
            error("bodies", "{count} turns were sent with another body: {found}", "the workload's"),
        ],
    },
    Rule {
        id: "x-cache-legality",
        scope: Scope::Own,
        title: "the server reused no more of a prompt than the salt allows",
        section: "§2.9.5",
        explain: "A server may reuse its trajectory's earlier prompts (with `generated_tokens: keep` \
                  also its replies to them), and of another conversation's prompt in the same pass \
                  what stands before the conversation's salt marker. Nothing else: not another \
                  pass, and not another point. A later turn's `cached_tokens` are held against the \
                  server's own counts of the earlier prompts, with 32 tokens of grace; a first \
                  turn's against the counted tokens up to the marker where a tokenizer is given, \
                  else against 1.5 times their share of the prompt's bytes and 64 tokens, and \
                  always against the prompt less 8 tokens.",
        fix: "empty the server's prefix cache before every point (vLLM: POST /reset_prefix_cache, \
              SGLang: POST /flush_cache), and let it look at the salt",
        messages: &[error(
            "fail",
            "{count} of {examined} turns took more from the prefix cache than can be there: {found}",
            "at most what earlier prompts under the same salt left ({basis})",
        )],
    },
    Rule {
        id: "x-self-check",
        scope: Scope::Own,
        title: "the client's own check of the replay passed",
        section: "§6.1",
        explain: "A run of ours counts what it did while it does it; what does not add up stands in \
                  self_check.json.",
        fix: "repeat the run",
        messages: &[error("fail", "{check}: {found}", "no violation")],
    },
];
