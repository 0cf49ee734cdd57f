//! Rules about one system.

use super::{Message, Rule, Scope, Severity};

const fn error(key: &'static str, found: &'static str, required: &'static str) -> Message {
    Message { key, severity: Severity::Error, found, required }
}

const fn warning(key: &'static str, found: &'static str, required: &'static str) -> Message {
    Message { key, severity: Severity::Warning, found, required }
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "benchmark-model-dir",
        scope: Scope::System,
        title: "a system holds a model",
        section: "§1, §8.1",
        explain: "Every system must hold at least one directory; each is a curve of one model.",
        fix: "put the points under results/<system>/<model>/r<N>/",
        messages: &[error("fail", "the system holds no directory", "<system>/<model>/")],
    },
    Rule {
        id: "power-descriptor",
        scope: Scope::System,
        title: "system_power.json is complete and adds up",
        section: "§4.5.2, Appendix E",
        explain: "Every system needs system_power.json, unless its first readable system_desc.json \
                  says RDI or Serviced. It must fit the schema, its cooling must be the one that \
                  system_desc.json names, every part of the sum must be given or have a default in \
                  Appendix D, the scale-out network must be wide enough, and `computed` (0.5 W) \
                  and `provisioned_power_kw` (0.005 kW) must agree with the recomputation.",
        fix: "correct the named field of system_power.json; leave `computed` out to have it \
              computed",
        messages: &[
            error("fail", "there is no system_power.json", "system_power.json for the system"),
            error(
                "fail-2",
                "cooling is {cooling}, but system_desc.json implies an overhead of {overhead}",
                "the cooling of system_desc.json",
            ),
            error("computation-problem", "{problem}", "{required}"),
            error(
                "value-count",
                "{field} gives {found}",
                "exactly one of value_w, value_kw, value_pj",
            ),
            error(
                "mlc-default-source",
                "{field} is a default from {found}",
                "a source of D.1, D.2, D.3 or D.4",
            ),
            error("source-not-url", "{field} cites {found}", "a source that is an http(s) URL"),
            warning(
                "warn",
                "node sets name the ensembles {unknown}, which system_desc.json does not have",
                "ensembles of system_desc.json",
            ),
            warning("computation-warning", "{problem}", "{required}"),
        ],
    },
    Rule {
        id: "power-estimated",
        scope: Scope::System,
        title: "the power figure uses no default",
        section: "§4.5.2, Appendix D",
        explain: "A warning when a default of Appendix D, stated as mlc_default or filled in for an \
                  absent value, reaches the total; not when declared_provisioned_power governs. The \
                  result is then tagged as estimated.",
        fix: "cite a public source for the figure",
        messages: &[warning("warn", "estimated from defaults: {estimates}", "sourced figures")],
    },
];
