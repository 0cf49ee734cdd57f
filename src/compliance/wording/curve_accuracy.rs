//! Rules about a curve's accuracy.

use super::{Message, Rule, Scope, Severity};

const fn error(key: &'static str, found: &'static str, required: &'static str) -> Message {
    Message { key, severity: Severity::Error, found, required }
}

const fn warning(key: &'static str, found: &'static str, required: &'static str) -> Message {
    Message { key, severity: Severity::Warning, found, required }
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "accuracy-coverage",
        scope: Scope::Curve,
        title: "one accuracy run in each region",
        section: "§4.3, §5.3",
        explain: "Points with an accuracy run (an entry that is not the inline one) are matched one \
                  to one to the four regions, as many as possible, the lowest concurrency first and \
                  elected points last. Every region needs one, no run may be left over, and every \
                  Offline point needs one too.",
        fix: "run accuracy at exactly one point of each region, and at the Offline point",
        messages: &[
            error("missing-bands", "no accuracy run for {bands}", "one in each region"),
            error("extra-results", "accuracy runs too many: {listed}", "{expected} in all"),
            error("fail", "the Offline point r{concurrency} has no accuracy run", "one"),
        ],
    },
    Rule {
        id: "accuracy-gate",
        scope: Scope::Curve,
        title: "single-turn accuracy reaches its thresholds",
        section: "§15",
        explain: "For models with single-turn thresholds, per accuracy file: each metric, averaged \
                  over the entries by samples and read as a fraction where it is at most 1, must lie \
                  within its bounds.",
        fix: "find out why the served model answers worse than the reference",
        messages: &[
            error("fail", "{metric} is {found}", "at least {bound}"),
            error("fail-2", "{metric} is {found}", "at most {bound}"),
            warning("warn-2", "an unnamed score, taken for {metric}", "the metric's name"),
            warning(
                "no-thresholds",
                "no thresholds are known for {model}",
                "a model of the benchmark",
            ),
        ],
    },
    Rule {
        id: "accuracy-sample-count",
        scope: Scope::Curve,
        title: "single-turn accuracy ran on enough samples",
        section: "§15",
        explain: "For models with single-turn thresholds: the sum over entries of samples times \
                  repeats must reach the data set's size. Skipped when no entry has counts.",
        fix: "run the whole accuracy data set",
        messages: &[error("fail", "{found} samples", "at least {minimum}")],
    },
    Rule {
        id: "agentic-accuracy",
        scope: Scope::Curve,
        title: "agentic thresholds are known",
        section: "§3.2",
        explain: "A warning when an agentic curve's directory names no model with published agentic \
                  thresholds.",
        fix: "check the model directory's name",
        messages: &[warning(
            "warn",
            "no agentic thresholds are known for {model}",
            "a model of the benchmark",
        )],
    },
    Rule {
        id: "agentic-accuracy-inline",
        scope: Scope::Curve,
        title: "inline accuracy reaches its floor at every point",
        section: "§4.3",
        explain: "Every readable point of an agentic curve must have an inline entry whose score is \
                  a fraction from 0 to 1 and, in percent, at least the model's floor.",
        fix: "score the performance run with the inline scorer; when it is below the floor, the \
              served model or its settings differ from the reference",
        messages: &[
            error("missing", "no inline score at {listed}", "one at every point"),
            error("score-not-fraction", "the inline score at {concurrency} is {found}", "0 to 1"),
            error("fail", "the inline score at {concurrency} is {found} %", "at least {floor} %"),
        ],
    },
    Rule {
        id: "agentic-accuracy-swebench",
        scope: Scope::Curve,
        title: "mean SWE-bench accuracy reaches its floor",
        section: "§4.3",
        explain: "The mean over the four regions of the score of the entry swe_bench, in percent, \
                  must reach the model's floor. Several runs in one region are averaged first, with \
                  a warning; fewer than four regions that pass are a warning too.",
        fix: "run SWE-bench at one point of each region",
        messages: &[
            error(
                "score-not-fraction",
                "the score of swe_bench at {concurrency} is {found}",
                "0 to 1",
            ),
            error("fail", "the mean over {regions} regions is {found} %", "at least {floor} %"),
            warning("warn", "no entry swe_bench was found", "one in each region"),
            warning(
                "warn-2",
                "{listed} lie in one region ({region}) and were averaged",
                "one a region",
            ),
            warning("warn-3", "the mean over {regions} regions is {found} %", "four regions"),
        ],
    },
    Rule {
        id: "agentic-osl-range",
        scope: Scope::Curve,
        title: "the mean output length lies in the model's range",
        section: "§4.3",
        explain: "output_sequence_lengths_full_run.output_sequence_lengths.avg of every point of an \
                  agentic curve must lie in the model's range, bounds included; one warning for the \
                  points where it is absent.",
        fix: "check sampling, chat template and max_tokens; answers differ in length from the \
              reference",
        messages: &[
            error("fail", "{found} tokens a turn at {concurrency}", "{low} to {high}"),
            warning("warn", "no full-run mean at {listed}", "it in every result_summary.json"),
        ],
    },
];
