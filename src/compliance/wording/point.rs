//! Rules about the disclosure of one point.

use super::{Message, Rule, Scope, Severity};

const fn error(key: &'static str, found: &'static str, required: &'static str) -> Message {
    Message { key, severity: Severity::Error, found, required }
}

const fn warning(key: &'static str, found: &'static str, required: &'static str) -> Message {
    Message { key, severity: Severity::Warning, found, required }
}

const fn note(key: &'static str, found: &'static str) -> Message {
    Message { key, severity: Severity::Note, found, required: "" }
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "config-file-present",
        scope: Scope::Point,
        title: "every point has config.yaml",
        section: "§8.1",
        explain: "config.yaml must be a file of UTF-8 YAML that is a mapping. Its content is not \
                  judged.",
        fix: "add the client's resolved configuration as config.yaml",
        messages: &[
            error("fail", "the point has no config.yaml", "the client's resolved configuration"),
            error("invalid", "config.yaml is unusable: {reason}", "a YAML mapping"),
        ],
    },
    Rule {
        id: "measurement-points-present",
        scope: Scope::Point,
        title: "every point has point.yaml",
        section: "§1, §8.1",
        explain: "Every point needs point.yaml; a curve where none can be used is a finding of its \
                  own.",
        fix: "add point.yaml with the point's disclosure",
        messages: &[
            error("fail-2", "the point has no point.yaml", "point.yaml"),
            error("fail", "no point of the curve has a usable point.yaml", "at least one"),
        ],
    },
    Rule {
        id: "point-config-valid",
        scope: Scope::Point,
        title: "point.yaml fits its schema",
        section: "§8.3",
        explain: "point.yaml must be a YAML mapping with the fields of the schema: concurrency, \
                  runtime_settings and its runtime are required, and every known field has its \
                  type. A warmup completes no more than it issues, and has a concurrency unless \
                  none was performed.",
        fix: "correct the named field of point.yaml",
        messages: &[
            error(
                "warmup-completed-exceeds-issued",
                "{field}: {found}",
                "no more completed than issued",
            ),
            error(
                "warmup-concurrency-zero",
                "{field}: {found}",
                "a concurrency, unless no warmup was performed",
            ),
        ],
    },
    Rule {
        id: "point-rules-skipped",
        scope: Scope::Point,
        title: "the point could not be judged in full",
        section: "§9.1",
        explain: "A warning beside every missing or invalid point.yaml: the rules that need it did \
                  not run for this point.",
        fix: "mend point.yaml first; more findings may follow",
        messages: &[warning(
            "warn",
            "rules that need point.yaml did not run",
            "a usable point.yaml",
        )],
    },
    Rule {
        id: "point-dirname-concurrency",
        scope: Scope::Point,
        title: "the directory is named after the concurrency",
        section: "§1, §8.1",
        explain: "A warning when N of the directory r<N> is not the concurrency of point.yaml.",
        fix: "rename the directory, or correct concurrency",
        messages: &[warning("warn", "concurrency {found} in {directory}", "r{found}")],
    },
    Rule {
        id: "point-disclosure-complete",
        scope: Scope::Point,
        title: "the disclosure is complete",
        section: "§8.3",
        explain: "None of division, max_supported_concurrency, model_name, model_precision, \
                  link_to_model, dataset_name, dataset_type, dataset_link, shared_src, shared_docs, \
                  seed_set and target_cohort may be absent, null or empty. In a run folder, \
                  shared_src and shared_docs may be.",
        fix: "fill the fields in point.yaml",
        messages: &[error("fail", "nothing in {fields}", "a value in each")],
    },
    Rule {
        id: "region-declared",
        scope: Scope::Point,
        title: "region is a known word",
        section: "§8.3",
        explain: "region, where stated, must be one of low_latency, low_concurrency, \
                  med_concurrency, high_concurrency, margin and submitters_choice.",
        fix: "write the region that the concurrency lies in, or leave it out",
        messages: &[error("fail", "region is {found}", "{allowed}")],
    },
    Rule {
        id: "region-placement",
        scope: Scope::Point,
        title: "region is the one that the concurrency lies in",
        section: "§8.3",
        explain: "A warning when a declared region, other than submitters_choice, is not the one \
                  computed from C_min and C_max; low_latency ends at C_min itself.",
        fix: "write the computed region",
        messages: &[warning("warn", "region is {found} at {concurrency}", "{computed}")],
    },
    Rule {
        id: "concurrency-in-range",
        scope: Scope::Point,
        title: "the concurrency lies within the margin",
        section: "§5.4, §9.1",
        explain: "The concurrency may be at most 1.10 times C_max, rounded up in binary floating \
                  point; dedicated Offline runs are exempt.",
        fix: "leave the point out, or declare a higher max_supported_concurrency",
        messages: &[error("fail", "concurrency {found}", "1 to {end}")],
    },
    Rule {
        id: "load-pattern",
        scope: Scope::Point,
        title: "the load pattern keeps a fixed concurrency",
        section: "§6.1",
        explain: "load_pattern must be concurrency or agentic_inference, and the concurrency above \
                  0; dedicated Offline runs are exempt.",
        fix: "write agentic_inference for an agentic point",
        messages: &[
            error("fail", "load_pattern is {found}", "concurrency or agentic_inference"),
            error("fail-2", "concurrency is {found}", "a number above 0"),
        ],
    },
    Rule {
        id: "streaming-config",
        scope: Scope::Point,
        title: "chunk forwarding in the client",
        section: "§6.5",
        explain: "Tells stream_all_chunks, which is about the client's inside and not about the \
                  server's streaming. Never a fault.",
        fix: "nothing to mend",
        messages: &[note("pass", "stream_all_chunks is {found}")],
    },
    Rule {
        id: "point-duration",
        scope: Scope::Point,
        title: "the point was measured long enough",
        section: "§6.2",
        explain: "A warning when the steady-state window's duration, or without one the whole run's, \
                  is below 600 s up to concurrency 32, above it 1200 s, or 2400 s for agentic \
                  points.",
        fix: "measure more whole passes over the data set",
        messages: &[warning(
            "warn",
            "{found} s at {concurrency} ({basis})",
            "at least {minimum} s",
        )],
    },
    Rule {
        id: "steady-state-valid",
        scope: Scope::Point,
        title: "steady_state uses the detector's words",
        section: "§4.4",
        explain: "status, verdict and every state must be words of the vocabulary; one finding for \
                  all.",
        fix: "copy the block from the detector's report",
        messages: &[error("fail", "unknown words: {found}", "the detector's vocabulary")],
    },
    Rule {
        id: "steady-state-consistency",
        scope: Scope::Point,
        title: "steady_state agrees with itself",
        section: "§4.4",
        explain: "windowable needs a stated span of at least 4 super-passes and no drifting state; \
                  insufficient_passes needs fewer than 4.",
        fix: "copy the block from the detector's report",
        messages: &[error("fail", "{found}", "a status that fits the window and the states")],
    },
    Rule {
        id: "steady-state-basis",
        scope: Scope::Point,
        title: "the steady-state window is the official result",
        section: "§4.4",
        explain: "A warning when there is no steady_state block, when its status is not windowable, \
                  and when its verdict is drifting_up or drifting_down.",
        fix: "measure longer, until the window is steady",
        messages: &[
            warning("warn", "no steady_state block", "the detector's report"),
            warning("warn-2", "status {found}", "windowable"),
            warning("drifting", "verdict {found}", "a steady state"),
            warning("drifting-metrics", "verdict {found}: {metrics}", "a steady state"),
        ],
    },
    Rule {
        id: "warmup-present",
        scope: Scope::Point,
        title: "the warmup is declared",
        section: "§6.3.3",
        explain: "point.yaml must have a warmup block, all zero where none was performed.",
        fix: "declare the warmup",
        messages: &[error("fail", "no warmup block", "a warmup block")],
    },
    Rule {
        id: "warmup-logs-retained",
        scope: Scope::Point,
        title: "the warmup's logs are kept",
        section: "§6.3.2",
        explain: "A warning when logs_retained is false or absent, unless no warmup was performed.",
        fix: "keep the warmup's request logs and set logs_retained",
        messages: &[
            warning("warn", "logs_retained is false", "true"),
            warning("warn-2", "logs_retained is absent", "true"),
        ],
    },
    Rule {
        id: "warmup-salt",
        scope: Scope::Point,
        title: "the warmup is not salted",
        section: "§6.3.3",
        explain: "A warning when runtime_settings.warmup.salt is true.",
        fix: "warm up without salt",
        messages: &[warning("warn", "runtime_settings.warmup.salt is true", "no salt")],
    },
    Rule {
        id: "offline-declared",
        scope: Scope::Point,
        title: "offline is a known word",
        section: "§5.7",
        explain: "offline, where stated, must be dedicated, elected or none.",
        fix: "leave it out at an agentic point",
        messages: &[error("fail", "offline is {found}", "dedicated, elected or none")],
    },
    Rule {
        id: "seed-set-membership",
        scope: Scope::Point,
        title: "the seed set is a published one",
        section: "§4.6",
        explain: "seed_set must be an id of the registry.",
        fix: "name a published seed set",
        messages: &[error("fail", "seed_set is {found}", "one of {allowed}")],
    },
    Rule {
        id: "seed-runtime-match",
        scope: Scope::Point,
        title: "the run used the seeds of its set",
        section: "§4.6",
        explain: "Each of scheduler_rng_seed, sample_index_rng_seed and model_seed must be the \
                  set's; a missing one differs. A warning when only the names of version 0.7 stand \
                  there.",
        fix: "measure with the set's seeds and write them under runtime_settings.runtime",
        messages: &[
            error("fail", "{found}", "the seeds of set {set}: {expected}"),
            warning("warn", "only the seed names of version 0.7", "model_seed and the new names"),
        ],
    },
    Rule {
        id: "seed-set-adoption",
        scope: Scope::Point,
        title: "the seed set may be adopted for the cohort",
        section: "§4.6",
        explain: "target_cohort must be the cohort that the set was published with, or one of the \
                  next three. Not judged when no set of the registry names cohorts.",
        fix: "measure with a seed set of the cohort",
        messages: &[error("fail", "set {set} for {found}", "one of {allowed}")],
    },
    Rule {
        id: "seed-config-legacy",
        scope: Scope::Point,
        title: "seeds without a seed set",
        section: "§4.6",
        explain: "Without seed_set, the scheduler and the sample-index seed must be 42 as in version \
                  0.7, with a warning when they are; one finding for each.",
        fix: "measure with a published seed set and name it",
        messages: &[
            error("fail", "{field} is {found} without a seed set", "a published seed set"),
            warning("warn", "{field} is 42, as version 0.7 had it", "a published seed set"),
        ],
    },
    Rule {
        id: "target-cohort",
        scope: Scope::Point,
        title: "target_cohort has the form of a cohort",
        section: "§4.6",
        explain: "target_cohort must be four digits, a hyphen, two digits and -C0 or -C1.",
        fix: "write YYYY-MM-C0 or YYYY-MM-C1",
        messages: &[error("fail", "target_cohort is {found}", "YYYY-MM-C0 or YYYY-MM-C1")],
    },
    Rule {
        id: "approved-drafter",
        scope: Scope::Point,
        title: "the drafter is approved",
        section: "§2.9.4",
        explain: "A drafter in speculative_decoding must be on the benchmark's list: by \
                  weight_checksum, or by target_checksum and an equal configuration. The benchmark \
                  is the first declared model_name, else the directory's.",
        fix: "use an approved drafter and copy its checksum, or run without",
        messages: &[
            error("fail", "a drafter, but {benchmark} has no approved one", "no drafter"),
            error("fail-2", "a drafter that is not on the list of {benchmark}", "an approved one"),
        ],
    },
    Rule {
        id: "drafter-approval-lead-time",
        scope: Scope::Point,
        title: "the drafter was approved early enough",
        section: "§2.9.4",
        explain: "target_cohort must be at least two cohorts after the drafter's approval; a warning \
                  when either is no cohort.",
        fix: "submit to a later cohort, or use another drafter",
        messages: &[
            error("fail", "target_cohort is {found}", "{earliest} or later"),
            warning("warn", "target {found}, approved {approved}: not both cohorts", "two cohorts"),
        ],
    },
];
