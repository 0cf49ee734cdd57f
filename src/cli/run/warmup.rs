//! What a point's warm-up did, as files of its run folder.

use std::fmt::Write as _;

use serde_json::json;

use crate::replay::WarmupReport;
use crate::results::{ExtraFile, WarmupDeclaration};
use crate::scenario::ValidScenario;

/// A warm-up that was performed, or none.
#[derive(Default)]
pub(super) struct WarmedUp {
    /// The block of point.yaml.
    pub(super) declaration: WarmupDeclaration,
    /// `warmup.jsonl`: one line per request.
    pub(super) log: Option<ExtraFile>,
}

impl WarmedUp {
    /// What is declared of a warm-up.
    pub(super) fn new(scenario: &ValidScenario, report: &WarmupReport) -> Self {
        let submission = scenario.submission.as_ref();
        let stated = submission.and_then(|submission| submission.warmup.clone());
        let stated = stated.unwrap_or_default();
        let nanos = std::time::Duration::from_nanos(report.duration);
        let declaration = WarmupDeclaration {
            duration_s: nanos.as_secs_f64(),
            requests_issued: report.issued.into(),
            requests_completed: report.completed.into(),
            data_source: "the scenario's fixed warm-up prompt, no text of the data sets".to_owned(),
            concurrency: report.concurrency.into(),
            initialization_steps: stated.initialization_steps,
            logs_retained: true,
            link_logs: stated.link_logs,
        };
        let mut log = String::new();
        for request in &report.requests {
            let line = json!({
                "request": request.number,
                "issued_ns": request.issued_at,
                "ended_ns": request.ended_at,
                "failure": request.failure,
            });
            writeln!(log, "{line}").expect("writing to a string cannot fail");
        }
        let log = ExtraFile { path: "warmup.jsonl".into(), content: log.into_bytes() };
        Self { declaration, log: Some(log) }
    }
}
