//! Rules about the measurement of one point.

use super::{Message, Rule, Scope, Severity};

const fn error(key: &'static str, found: &'static str, required: &'static str) -> Message {
    Message { key, severity: Severity::Error, found, required }
}

const fn warning(key: &'static str, found: &'static str, required: &'static str) -> Message {
    Message { key, severity: Severity::Warning, found, required }
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "result-summary-present",
        scope: Scope::Point,
        title: "every point has result_summary.json",
        section: "§1, §8.1",
        explain: "Every point needs result_summary.json, also one without a usable point.yaml.",
        fix: "add the client's summary of the performance run",
        messages: &[
            error("fail", "the point has no result_summary.json", "result_summary.json"),
            error("fail-2", "the point has no result_summary.json either", "result_summary.json"),
        ],
    },
    Rule {
        id: "result-file-valid",
        scope: Scope::Point,
        title: "result_summary.json fits its schema",
        section: "§8.3",
        explain: "result_summary.json must be JSON with n_samples_completed and duration_ns, every \
                  known field of its type, and percentiles under numbers from 0 to 100 that do not \
                  contradict each other.",
        fix: "use the client's own file",
        messages: &[
            error("percentile-key", "{field} has the key {found}", "numbers from 0 to 100"),
            error("percentile-conflict", "{field} states {found} twice, differently", "one value"),
        ],
    },
    Rule {
        id: "min-query-count",
        scope: Scope::Point,
        title: "enough queries completed",
        section: "§6.4",
        explain: "For data sets with a known size, n_samples_completed must reach it. No agentic \
                  data set is among them.",
        fix: "measure a whole pass",
        messages: &[error("fail", "{found} completed of {dataset}", "at least {minimum}")],
    },
    Rule {
        id: "metric-consistency-duration",
        scope: Scope::Point,
        title: "the duration is positive",
        section: "§9.1",
        explain: "duration_ns must be above 0.",
        fix: "repeat the run; nothing was measured",
        messages: &[error("fail", "duration_ns is {found}", "more than 0")],
    },
    Rule {
        id: "metric-consistency-accounting",
        scope: Scope::Point,
        title: "completed and failed make up issued",
        section: "§9.1",
        explain: "Where n_samples_issued is above 0, n_samples_completed + n_samples_failed must \
                  equal it.",
        fix: "use the client's own counts",
        messages: &[error("fail", "{completed} completed + {failed} failed", "{issued} issued")],
    },
    Rule {
        id: "metric-consistency-output-tokens",
        scope: Scope::Point,
        title: "output tokens are not negative",
        section: "§9.1",
        explain: "output_sequence_lengths.total, without its fraction, must not be negative.",
        fix: "use the client's own counts",
        messages: &[error("fail", "{found} output tokens", "0 or more")],
    },
    Rule {
        id: "metric-consistency-system-tps",
        scope: Scope::Point,
        title: "system_tps follows from tokens and duration",
        section: "§4.1, §9.1",
        explain: "A stored system_tps must be within 1 % of output tokens / duration.",
        fix: "leave system_tps out, or write the derived value",
        messages: &[error("fail", "system_tps is {found}", "{derived} within 1 %")],
    },
    Rule {
        id: "metric-consistency-tpot-p90",
        scope: Scope::Point,
        title: "the 90th percentile of TPOT is there",
        section: "§4.1, §9.1",
        explain: "tpot.percentiles must have 90, finite and above 0; dedicated Offline runs are \
                  exempt.",
        fix: "measure with streaming, so that the time per output token is known",
        messages: &[
            error("fail", "no 90th percentile of tpot", "it"),
            error("fail-2", "the 90th percentile of tpot is {found} ms", "a finite time above 0"),
        ],
    },
    Rule {
        id: "metric-consistency-tps-per-user",
        scope: Scope::Point,
        title: "tps_per_user follows from TPOT",
        section: "§4.1, §9.1",
        explain: "A stored tps_per_user must be within 1 % of 1000 / (90th percentile of tpot in \
                  ms).",
        fix: "leave tps_per_user out, or write the derived value",
        messages: &[error("fail", "tps_per_user is {found}", "{derived} within 1 %")],
    },
    Rule {
        id: "metric-consistency-tps-per-kw",
        scope: Scope::Point,
        title: "system_tps_per_kw follows from throughput and power",
        section: "§4.5.3",
        explain: "A stored system_tps_per_kw must be within 1 % of system_tps / the power of the \
                  nodes that the point uses. Skipped when nodes_used or the power is invalid.",
        fix: "leave system_tps_per_kw out, or write the derived value",
        messages: &[error(
            "fail",
            "system_tps_per_kw is {found}",
            "{derived} within 1 %, from {kw} kW",
        )],
    },
    Rule {
        id: "agentic-metric-consistency",
        scope: Scope::Point,
        title: "e2e_avg_interactivity follows from tokens and turn times",
        section: "§4.1",
        explain: "A stored e2e_avg_interactivity must be within 1 % of output tokens / seconds of \
                  turn time, and these must be known: from the named sums, or from the totals where \
                  no turn failed.",
        fix: "leave e2e_avg_interactivity out, or write the derived value",
        messages: &[
            error(
                "fail",
                "e2e_avg_interactivity is {found}, but cannot be derived",
                "the two sums",
            ),
            error("fail-2", "e2e_avg_interactivity is {found}", "{derived} within 1 %"),
        ],
    },
    Rule {
        id: "nodes-used",
        scope: Scope::Point,
        title: "nodes_used fits the system and the parallelism",
        section: "§4.5.3",
        explain: "Each entry of nodes_used must name another ensemble, exactly one node set, and 1 \
                  to as many nodes as are provisioned; together they must hold DP x TP x PP x EP \
                  accelerators. A warning when a whole node could be left out. Only the first part \
                  is judged for disaggregated systems and unknown parallelism.",
        fix: "declare the nodes that the point really engages",
        messages: &[
            error("fail", "{problems}", "nodes that exist and hold the parallelism"),
            warning("warn", "{spare}", "no more nodes than needed"),
        ],
    },
    Rule {
        id: "maximal-engagement",
        scope: Scope::Point,
        title: "the point replicates as far as it fits",
        section: "§4.5.3",
        explain: "data_parallel must be floor(provisioned accelerators / (TP x PP x EP)), or \
                  dp_shortfall must state both numbers and a reason, which is still a warning. \
                  Warnings too where the parallelism, or the accelerators per node, are unknown, or \
                  the system is disaggregated.",
        fix: "engage all replicas, or declare dp_shortfall",
        messages: &[
            error("fail", "a replica of {replica} accelerators, {dp} times", "at least 1 of each"),
            error("fail-2", "data_parallel is {dp}", "at most {maximum}"),
            error("fail-3", "data_parallel is {dp} without dp_shortfall", "{maximum}"),
            error("fail-4", "dp_shortfall states {stated}", "{dp} of {maximum}"),
            warning("warn", "no parallelism in system_desc.json", "tensor_parallel and the others"),
            warning("warn-2", "a disaggregated system, not judged", ""),
            warning("warn-3", "the accelerators per node are unknown", "accelerators_per_node"),
            warning("warn-5", "data_parallel is {dp}: {reason}", "{maximum}"),
            warning("shortfall-unneeded", "dp_shortfall at full engagement", "none"),
        ],
    },
    Rule {
        id: "accuracy-valid",
        scope: Scope::Point,
        title: "the accuracy results can be read",
        section: "§4.3",
        explain: "accuracy_results.json must be JSON with at least one entry; entries of a list need \
                  a unique dataset_name and a score, aliases must agree, and at most one entry may \
                  be the inline one. A file with any fault does not count for the curve.",
        fix: "use the client's own file",
        messages: &[
            error("fail", "no entries", "at least one data set"),
            error("scores-not-collection", "accuracy_scores is {found}", "a list or a mapping"),
            error("entry-not-mapping", "an entry is {found}", "a mapping"),
            error("entry-unnamed", "an entry's dataset_name is {found}", "a name"),
            error("dataset-duplicate", "the data set {found} stands twice", "one entry a data set"),
            error("score-missing", "{found} has no score", "a score, or null"),
            error("alias-conflict", "{found} differ", "equal values"),
            error("performance-duplicate", "inline entries {found}", "at most one"),
        ],
    },
];
