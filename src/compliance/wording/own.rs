//! Rules of our own, for faults that the official checker lets pass.

use super::{Message, Rule, Scope, Severity};

pub(super) const fn error(
    key: &'static str,
    found: &'static str,
    required: &'static str,
) -> Message {
    Message { key, severity: Severity::Error, found, required }
}

pub(super) const fn warning(
    key: &'static str,
    found: &'static str,
    required: &'static str,
) -> Message {
    Message { key, severity: Severity::Warning, found, required }
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "x-path-escape",
        scope: Scope::Own,
        title: "no link leads out of the tree",
        section: "§8.1",
        explain: "A symbolic link that leads out of the audited directory is not followed; what it \
                  should give counts as unreadable.",
        fix: "replace the link by a copy",
        messages: &[error("fail", "the link leads out of the tree", "files inside the tree")],
    },
    Rule {
        id: "x-name-not-utf8",
        scope: Scope::Own,
        title: "file names are UTF-8",
        section: "§8.1",
        explain: "A name that is not UTF-8 cannot be reviewed or archived reliably.",
        fix: "rename the file",
        messages: &[warning("warn", "the name is not UTF-8", "a UTF-8 name")],
    },
    Rule {
        id: "x-duplicate-key",
        scope: Scope::Own,
        title: "no key stands twice",
        section: "§8.1",
        explain: "Where a key stands twice in a JSON or YAML mapping, parsers disagree about which \
                  one counts.",
        fix: "remove one of the two",
        messages: &[error("fail", "a key stands twice: {found}", "unique keys")],
    },
    Rule {
        id: "x-not-finite",
        scope: Scope::Own,
        title: "numbers are finite",
        section: "§8.3",
        explain: "NaN and infinities are no JSON, and pass comparisons that they should fail.",
        fix: "find out why the value could not be computed",
        messages: &[error("fail", "{found} is not a finite number", "a finite number")],
    },
    Rule {
        id: "x-limit",
        scope: Scope::Own,
        title: "the tree was looked at in full",
        section: "§8.1",
        explain: "A tree beyond the audit's limits is judged in part: at most 1024 points of a curve \
                  are read.",
        fix: "leave the surplus out",
        messages: &[error("fail", "{found} points, of which {read} were read", "at most {read}")],
    },
    Rule {
        id: "x-division-mismatch",
        scope: Scope::Own,
        title: "point.yaml and system_desc.json name one division",
        section: "§8.2, §8.3",
        explain: "division stands in both files; in any letter case it must be the same.",
        fix: "write the same division in both files",
        messages: &[error("fail", "division is {found}", "{expected}, as in system_desc.json")],
    },
    Rule {
        id: "x-max-concurrency-mismatch",
        scope: Scope::Own,
        title: "point.yaml and system_desc.json name one C_max",
        section: "§8.2, §8.3",
        explain: "max_supported_concurrency stands in both files and must be the same.",
        fix: "write the same max_supported_concurrency in both files",
        messages: &[error(
            "fail",
            "max_supported_concurrency is {found}",
            "{expected}, as in system_desc.json",
        )],
    },
    Rule {
        id: "x-run-incomplete",
        scope: Scope::Own,
        title: "the run came to its end",
        section: "§6.4",
        explain: "A summary with complete: false, or with a state other than complete, is of a run \
                  that was cut short.",
        fix: "repeat the run",
        messages: &[error("fail", "{field} is {found}", "a complete run")],
    },
    Rule {
        id: "x-drafter-differs",
        scope: Scope::Own,
        title: "one drafter along the curve",
        section: "§2.9.4",
        explain: "Points of one curve may switch speculative decoding off, but not use different \
                  drafters.",
        fix: "measure every point with the same drafter",
        messages: &[error(
            "fail",
            "another drafter than at {first}",
            "one drafter along the curve",
        )],
    },
    Rule {
        id: "x-swe-bench-name",
        scope: Scope::Own,
        title: "the SWE-bench entry is called swe_bench",
        section: "§4.3",
        explain: "An accuracy run under another name than swe_bench fills its region, but its score \
                  is never looked at.",
        fix: "call the entry swe_bench",
        messages: &[error("fail", "an accuracy run called {found}", "swe_bench")],
    },
    Rule {
        id: "x-output-caching",
        scope: Scope::Own,
        title: "a repeated trajectory is not faster",
        section: "§2.9.5",
        explain: "Where a result directory has an output_caching.json (`audit.output_caching` of a \
                  scenario): one trajectory's output per second of turn time, played again and \
                  again under a new salt each time, may exceed what it was among different \
                  trajectories by the threshold at most, which is 10 % or what the scenario says, \
                  whichever is less. The percentage is computed anew.",
        fix: "switch off whatever keeps whole replies in the server or before it",
        messages: &[
            error(
                "fail",
                "{conversation}, repeated, is {found} % faster ({rates})",
                "at most {threshold} %",
            ),
            warning(
                "warn",
                "{conversation} cannot be compared: turns failed, or nothing was generated",
                "two phases without a failed turn",
            ),
            error(
                "unusable",
                "output_caching.json cannot be used: {reason}",
                "as the run wrote it",
            ),
        ],
    },
    Rule {
        id: "x-check",
        scope: Scope::Own,
        title: "the scenario's own checks hold",
        section: "the scenario, compliance.checks",
        explain: "Each of the scenario's `compliance.checks` is evaluated over every point's \
                  results; its severity is the finding's. A check that needs a value which the \
                  point does not have is not held, unless it asks `is defined` itself.",
        fix: "look at the point's report, or change the check",
        messages: &[
            error("error", "check {id}: {found}", "{required}"),
            warning("warning", "check {id}: {found}", "{required}"),
            Message {
                key: "note",
                severity: Severity::Note,
                found: "check {id}: {found}",
                required: "{required}",
            },
            error("unusable", "the scenario's checks cannot be read: {reason}", "a scenario"),
        ],
    },
    Rule {
        id: "x-config-mismatch",
        scope: Scope::Own,
        title: "config.yaml agrees with the benchmark and with point.yaml",
        section: "§3.2, §6.1",
        explain: "For agentic points: config.yaml must have the point's concurrency, salt and tool \
                  delays on, no stop at the first user, a header that carries the conversation's \
                  id, whole passes, the tail drained, streamed replies, and exactly the model's \
                  sampling parameters: each as listed, and none beside them.",
        fix: "repeat the run with the benchmark's settings",
        messages: &[error("fail", "{field} is {found}", "{expected}")],
    },
];
