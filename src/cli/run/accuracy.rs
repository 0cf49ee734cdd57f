//! The accuracy of a run: prepared before the first point, taken after each, judged at the end.
//!
//! Nothing here runs while a point is measured, and nothing here loses a measured point: what goes
//! wrong is told and noted, and a resumed run takes up what is missing.

use std::path::Path;
use std::sync::Arc;

use tokio::runtime::Runtime;

use super::point::Session;
use crate::accuracy::swe_bench::JobPlan;
use crate::accuracy::{
    AccuracyVerdict, DomainScore, GroundTruth, InlineScores, PointAccuracy, Required, TruthSource,
    TurnCounts,
};
use crate::cli::console::Console;
use crate::cli::failure::Failure;
use crate::cli::prepare::Prepared;
use crate::cli::scoring::{self, RunPath, Scoring, accuracy_file};
use crate::replay::{Live, StopLevel};
use crate::report::{CurvePoint, scores_text, verdict_text};
use crate::results::PointState;
use crate::ruleset::{ModelRules, Ruleset};
use crate::scenario::model::Accuracy;

/// What the accuracy of a run takes.
pub(super) struct AccuracyRun<'a> {
    wanted: &'a Accuracy,
    truth: Option<Arc<GroundTruth>>,
    swe_bench: SweBench,
    rules: Result<(&'a Ruleset, &'a ModelRules), String>,
    sweep: Option<(u32, u32)>,
    /// Whether this run has all points of the sweep.
    is_whole: bool,
}

/// Who runs SWE-bench.
enum SweBench {
    /// Nobody: no point of this run has a job.
    None,
    /// We do.
    Jobs(Box<JobPlan>),
    /// The client that measures these points.
    Client(Vec<u32>),
}

/// The accuracy of one point.
#[derive(Debug)]
pub(super) struct PointScore {
    /// The numbers.
    pub(super) accuracy: PointAccuracy,
    /// Why something that was asked for is missing.
    pub(super) missing: Vec<String>,
}

impl<'a> AccuracyRun<'a> {
    /// Reads the recorded answers, and makes sure that the SWE-bench service is there and takes
    /// jobs. None when the scenario asks for no accuracy.
    pub(super) fn prepare(
        prepared: &'a Prepared,
        by_client: bool,
        runtime: &Runtime,
        console: &Console,
    ) -> Result<Option<Self>, Failure> {
        let scenario = &prepared.scenario;
        let wanted = &scenario.accuracy;
        if *wanted == Accuracy::default() {
            return Ok(None);
        }
        let truth = wanted.inline.then(|| ground_truth(prepared)).transpose()?;
        let sweep = scenario.load.concurrency.points();
        let run: Vec<u32> = prepared.plan.points.iter().map(|point| point.concurrency).collect();
        let swe_bench = match jobs(prepared, &run, runtime, console)? {
            None => SweBench::None,
            Some(jobs) if by_client => SweBench::Client(jobs.at),
            Some(jobs) => SweBench::Jobs(Box::new(jobs)),
        };
        let rules = rules(prepared);
        if let Err(why) = &rules {
            console.message(why);
        }
        let is_whole = sweep.iter().all(|point| run.contains(point));
        let stated = |key| scenario.statements().system_number(key);
        let lowest = stated("c_min_override").or_else(|| sweep.iter().copied().min());
        let highest = stated("max_supported_concurrency").or_else(|| sweep.iter().copied().max());
        let sweep = lowest.zip(highest);
        Ok(Some(Self { wanted, truth, swe_bench, rules, sweep, is_whole }))
    }

    /// Takes the accuracy of a finished point, as far as its folder does not hold it yet.
    pub(super) fn after_point(
        &self,
        session: &Session<'_>,
        folder: &Path,
        row: &CurvePoint,
    ) -> PointScore {
        // There is no replay under way, and the live view has nothing to tell.
        session.live.send_replace(Live::default());
        let concurrency = row.concurrency;
        let output_length = if self.wanted.output_length { row.osl_mean } else { None };
        let accuracy = PointAccuracy { concurrency, output_length, ..PointAccuracy::default() };
        let mut score = PointScore { accuracy, missing: Vec::new() };
        if row.state != PointState::Complete {
            // A resumed run replays the point, and scores it then.
            return score;
        }
        if self.wanted.output_length && output_length.is_none() {
            let why = "no token counts of the whole run; `scenario score --tokenizer` makes them";
            score.missing.push(format!("output length: {why}"));
        }
        if let Some(truth) = &self.truth {
            match inline(session, truth, folder, concurrency) {
                Ok(inline) => score.accuracy.inline = inline,
                Err(why) => score.missing.push(format!("inline score: {why}")),
            }
        }
        let swe_bench = match &self.swe_bench {
            SweBench::Jobs(jobs) if jobs.at.contains(&concurrency) => {
                super::swe_bench::run(session, jobs, folder, concurrency)
            }
            SweBench::Client(at) if at.contains(&concurrency) => of_client(folder),
            _ => return score,
        };
        match swe_bench {
            Ok(swe_bench) => score.accuracy.swe_bench = Some(swe_bench),
            Err(why) => score.missing.push(format!("SWE-bench: {why}")),
        }
        score
    }

    /// Judges the curve; none where there are no gates.
    pub(super) fn verdict(
        &self,
        scores: &[PointScore],
        interrupted: bool,
    ) -> Option<AccuracyVerdict> {
        let rules = *self.rules.as_ref().ok()?;
        let points: Vec<PointAccuracy> = scores.iter().map(|score| score.accuracy).collect();
        let required = if interrupted {
            Required::default()
        } else {
            Required {
                inline: self.wanted.inline,
                output_length: self.wanted.output_length,
                // A part of the sweep cannot have a run in every region.
                swe_bench: self.is_whole && self.wanted.swe_bench.is_some(),
            }
        };
        Some(AccuracyVerdict::new(rules, self.sweep, &points, required))
    }

    /// The verdict for people, or without gates the scores and why there are none.
    pub(super) fn text(&self, scores: &[PointScore], verdict: Option<&AccuracyVerdict>) -> String {
        match (verdict, &self.rules) {
            (None, Err(why)) => {
                let points: Vec<PointAccuracy> =
                    scores.iter().map(|score| score.accuracy).collect();
                format!("{}\n\n{why}", scores_text(&points))
            }
            (verdict, _) => verdict.map(verdict_text).unwrap_or_default(),
        }
    }
}

/// The SWE-bench score that the client left.
fn of_client(folder: &Path) -> Result<f64, String> {
    let (_, results) = accuracy_file(folder).map_err(|failure| failure.summary())?;
    results.swe_bench_score().ok_or_else(|| "the client left no score".to_owned())
}

/// The recorded answers of the data sets. What is wrong with these was told when their prompts
/// were made.
fn ground_truth(prepared: &Prepared) -> Result<Arc<GroundTruth>, Failure> {
    let take = |name: &str| prepared.scenario.mix.take.get(name).copied();
    let sources: Vec<TruthSource> = prepared
        .scenario
        .datasets
        .iter()
        .map(|set| TruthSource {
            path: set.path.clone(),
            take: take(&set.name),
            name: Some(set.name.clone()),
        })
        .collect();
    let read = GroundTruth::read(&sources).map_err(|error| {
        Failure::could_not("accuracy.inline: the recorded answers cannot be read").because(&error)
    })?;
    Ok(Arc::new(read.truth))
}

/// The SWE-bench jobs of the points of this run, at a service that takes them.
fn jobs(
    prepared: &Prepared,
    run: &[u32],
    runtime: &Runtime,
    console: &Console,
) -> Result<Option<JobPlan>, Failure> {
    let plan = JobPlan::new(&prepared.scenario);
    let plan = plan.map_err(|error| Failure::usage(error.to_string()))?;
    let Some(mut plan) = plan else { return Ok(None) };
    plan.at.retain(|point| run.contains(point));
    if plan.at.is_empty() {
        console
            .warning("accuracy.swe_bench.at: names no point of this run, so SWE-bench is not run");
        return Ok(None);
    }
    runtime.block_on(plan.service.ready()).map_err(|error| {
        let url = plan.service.url().trim_end_matches('/');
        let failure = Failure::could_not(format!("{url}: the SWE-bench service cannot be used"));
        let failure = failure.because_text(error.to_string());
        match error.help() {
            Some(help) => failure.help(help),
            None => failure,
        }
    })?;
    Ok(Some(plan))
}

/// The ruleset and the model whose gates hold, or why there are none.
fn rules(prepared: &Prepared) -> Result<(&Ruleset, &ModelRules), String> {
    let scenario = &prepared.scenario;
    let ruleset = scenario.ruleset().ok_or_else(|| {
        "no accuracy gates: the scenario names no ruleset (compliance.ruleset)".to_owned()
    })?;
    let name = scenario.model.benchmark.as_deref().unwrap_or(&scenario.model.name);
    let model = ruleset.recognise(name);
    let model = model.ok_or_else(|| {
        let ruleset = &ruleset.name;
        format!("no accuracy gates: `{name}` is no model of {ruleset} (model.benchmark)")
    })?;
    Ok((ruleset, model))
}

/// Scores the replies of a point; none when no turn can be scored.
fn inline(
    session: &Session<'_>,
    truth: &Arc<GroundTruth>,
    folder: &Path,
    concurrency: u32,
) -> Result<Option<f64>, String> {
    let told = |failure: Failure| failure.summary();
    let (_, results) = accuracy_file(folder).map_err(told)?;
    // scores.json is written before.
    if results.inline_score().is_some() {
        return Ok(results.inline_score());
    }
    let stopped = || session.stop.level() > StopLevel::Run;
    let scoring = Scoring { truth, tokens: None, stopped: &stopped };
    let run = RunPath { path: folder.to_owned(), concurrency };
    let Some(mut measured) = scoring.measure(&run).map_err(told)? else {
        return Err("interrupted".to_owned());
    };
    let mut files = Vec::new();
    measured.set_inline(true, &mut files).map_err(told)?;
    files.push((measured.results_path.clone(), measured.results.to_json()));
    scoring::write(&files).map_err(told)?;
    let line = inline_line(&measured.scores);
    session.console.message(&format!("point r{concurrency}: {line}"));
    Ok(measured.scores.score)
}

/// One line about inline scores.
fn inline_line(scores: &InlineScores) -> String {
    let Some(score) = scores.score else {
        return "no inline score, as no turn has ground truth".to_owned();
    };
    let percent = |score: f64| format!("{:.2} %", score * 100.0);
    let domain =
        |domain: &DomainScore| format!("{} {}, ", domain.domain.name(), percent(domain.score));
    let domains: String = scores.domains.iter().map(domain).collect();
    let TurnCounts { scored, missing, .. } = scores.turns;
    format!(
        "inline score {} ({domains}{scored} turns, {missing} of them without a reply)",
        percent(score)
    )
}
