//! Rules about the tree as a whole and the registries.

use super::{Message, Rule, Scope, Severity};

const fn error(key: &'static str, found: &'static str, required: &'static str) -> Message {
    Message { key, severity: Severity::Error, found, required }
}

const fn warning(key: &'static str, found: &'static str, required: &'static str) -> Message {
    Message { key, severity: Severity::Warning, found, required }
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "path-exists",
        scope: Scope::Submission,
        title: "the submission exists",
        section: "§1",
        explain: "The audited path must exist; nothing else is looked at otherwise.",
        fix: "give the submission's directory, or the organisation's directory above it",
        messages: &[error("fail", "there is nothing at this path", "a directory")],
    },
    Rule {
        id: "required-dir",
        scope: Scope::Submission,
        title: "results/ and docs/ exist",
        section: "§1, §8.1",
        explain: "`results/` and `docs/` must be directories, each a finding of its own. Without \
                  results/ the audit ends after src/; without docs/ it goes on.",
        fix: "put results under results/<system>/<model>/r<N>/ and documents under docs/; pareto/ \
              and documentation/ are the names of version 0.7",
        messages: &[error("fail", "there is no directory {name}/{hint}", "results/ and docs/")],
    },
    Rule {
        id: "src-dir",
        scope: Scope::Submission,
        title: "src/ holds an implementation",
        section: "§1, §2.2.1",
        explain: "`src/` must be a directory with at least one directory in it; loose files do not \
                  count.",
        fix: "put each implementation into a directory of its own below src/",
        messages: &[
            error("fail", "there is no directory src/", "src/<implementation>/"),
            error("fail-2", "src/ holds no directory", "src/<implementation>/"),
        ],
    },
    Rule {
        id: "src-readme",
        scope: Scope::Submission,
        title: "every implementation has a README.md",
        section: "§1, §2.2.1",
        explain: "Every directory of src/ must hold a file named README.md, in any letter case, at \
                  its own top level.",
        fix: "say in README.md how to build, launch and reproduce the implementation",
        messages: &[error("fail", "src/{name}/ has no README.md", "src/{name}/README.md")],
    },
    Rule {
        id: "system-results-dir",
        scope: Scope::Submission,
        title: "results/ holds a system",
        section: "§1, §8.1",
        explain: "results/ must hold at least one directory; each is a system.",
        fix: "put the points under results/<system>/<model>/r<N>/",
        messages: &[error("fail", "results/ holds no directory", "results/<system>/")],
    },
    Rule {
        id: "accuracy-present",
        scope: Scope::Submission,
        title: "accuracy results exist",
        section: "§15",
        explain: "Somewhere below results/ there must be a file accuracy_results.json, or a \
                  results.json whose accuracy_scores is not empty. Only existence is judged.",
        fix: "add accuracy_results.json to the points with accuracy runs",
        messages: &[error("fail", "no accuracy results below results/", "accuracy_results.json")],
    },
    Rule {
        id: "seed-set-registry",
        scope: Scope::Submission,
        title: "the seed registry can be read",
        section: "§4.6",
        explain: "The file named by MLPERF_ENDPOINTS_SEED_SETS must be a seed registry. When it is \
                  not, the rules seed-set-* and seed-runtime-match do not run.",
        fix: "mend the file or unset MLPERF_ENDPOINTS_SEED_SETS",
        messages: &[warning("unavailable", "{reason}", "a registry with a list seed_sets")],
    },
    Rule {
        id: "drafter-list-registry",
        scope: Scope::Submission,
        title: "the list of approved drafters can be read",
        section: "§2.9.4",
        explain: "The file named by MLPERF_ENDPOINTS_APPROVED_DRAFTERS must be a list of drafters. \
                  When it is not, approved-drafter and drafter-approval-lead-time do not run.",
        fix: "mend the file or unset MLPERF_ENDPOINTS_APPROVED_DRAFTERS",
        messages: &[warning("unavailable", "{reason}", "a mapping with a list drafters")],
    },
];
