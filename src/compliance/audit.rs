//! The audit: every check, in the official order.

use std::path::{Path, PathBuf};

use crate::diagnostics::{Diagnostic, Severity, SourceMap};
use crate::ruleset::Ruleset;
use crate::scenario::model::Check;

use super::checks;
use super::context::{Context, Curve, Kind};
use super::finding::{Finding, Sink};
use super::locate::located;
use super::log::Workload;
use super::power::Computation;
use super::registry::Registries;
use super::rules::{
    accuracy, accuracy_files, curve, drafters, engagement, files, log, metrics, names, own,
    placement, power, regions, seeds, single_turn, steady, submission, system_description,
    utilization,
};
use super::view::View;

/// What an audit found.
#[derive(Clone, Debug)]
pub struct Report {
    /// The directory that was judged: the path given, or the only submission below it.
    pub path: PathBuf,
    /// What it was taken for.
    pub kind: Kind,
    /// Whether a point says that its endpoint was simulated; no rule forbids that, but whoever
    /// reads the verdict must know.
    pub simulated: bool,
    /// Every result in the order of evaluation, passed checks included.
    pub findings: Vec<Finding>,
}

impl Report {
    /// The faults, without the checks that passed.
    pub fn faults(&self) -> impl Iterator<Item = &Finding> + Clone {
        // A check of the author's own may ask to be mentioned only.
        let is_fault = |finding: &&Finding| {
            finding.severity() != Severity::Note || finding.message.key == "note"
        };
        self.findings.iter().filter(is_fault)
    }

    /// The faults for the renderers, each at its line where its file has one, and the texts of the
    /// files that they point into.
    pub fn located(&self) -> (Vec<Diagnostic>, SourceMap) {
        located(&self.path, self.faults())
    }

    /// How many findings have a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity() == severity).count()
    }

    /// Whether the tree passes; with `strict`, warnings fail it too.
    pub fn passes(&self, strict: bool) -> bool {
        self.count(Severity::Error) == 0 && !(strict && self.count(Severity::Warning) > 0)
    }
}

/// What an audit is given beside the tree and the rules.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// What should have been sent, to hold event logs against.
    pub workload: Option<Workload>,
    /// The author's own rules; none for those that a result directory's scenario holds.
    pub checks: Option<Vec<Check>>,
}

/// Judges the tree at a path: a submission, a result directory or a run folder. Never fails: what
/// cannot be read is a finding.
pub fn audit(path: &Path, ruleset: &Ruleset, registries: &Registries) -> Report {
    audit_with(path, ruleset, registries, &Given::default())
}

/// The same, with what else is given.
pub fn audit_with(
    path: &Path,
    ruleset: &Ruleset,
    registries: &Registries,
    given: &Given,
) -> Report {
    let context = Context::read(path, ruleset, registries);
    let mut sink = Sink::default();
    submission::registries(&context, &mut sink);
    if submission::path(&context, &mut sink) {
        if context.kind == Kind::Submission {
            whole(&context, &mut sink);
        } else {
            systems(&context, &mut sink);
        }
        own::check(&context, &mut sink);
        log::check(&context, given.workload.as_ref(), &mut sink);
        own::output_caching(&context, &mut sink);
        checks::check(&context, given.checks.as_deref(), &mut sink);
    }
    let (path, kind) = (context.root().to_owned(), context.kind);
    let simulated = context.is_simulated();
    Report { path, kind, simulated, findings: sink.finish() }
}

/// A submission.
fn whole(context: &Context<'_>, sink: &mut Sink) {
    let has_results = submission::directories(context, sink);
    submission::sources(context, sink);
    if !has_results || !submission::systems(context, sink) {
        return;
    }
    systems(context, sink);
    context.curves().for_each(|curve| utilization::check(curve, sink));
    submission::accuracy_present(context, sink);
}

fn systems(context: &Context<'_>, sink: &mut Sink) {
    for system in &context.systems {
        let power = power::descriptor(context, system, sink);
        if system.curves.is_empty() {
            sink.add("benchmark-model-dir", "fail", &system.path);
        }
        for curve in &system.curves {
            check_curve(context, curve, power.as_ref(), sink);
        }
    }
}

/// One curve; of a run folder only the rules about its one point.
fn check_curve(context: &Context<'_>, curve: &Curve, power: Option<&Computation>, sink: &mut Sink) {
    let mut view = View::new(context.kind, context.ruleset, curve);
    if !files::points(&view, sink) {
        return;
    }
    files::disclosures(&view, sink);
    system_description::check(&mut view, sink);
    let declared = system_description::override_of(&view, sink);
    names::models(&view, sink);
    if let (Ok(declared), false) = (declared, context.kind == Kind::Run) {
        regions::derive(&mut view, declared, sink);
    }
    points(&view, power, sink);
    files::unparsed(&view, sink);
    names::shared(&view, context, sink);
    if let Ok(sets) = &context.registries.seed_sets {
        seeds::check(&view, sets, sink);
    }
    if let Ok(list) = &context.registries.drafters {
        drafters::check(&view, list, sink);
    }
    accuracy_files::load(&mut view, sink);
    if context.kind != Kind::Run {
        curve::benchmark_type(&view, sink);
        curve::count(&view, sink);
        curve::offline_present(&view, sink);
        curve::offline_ordering(&view, sink);
        curve::coverage(&view, sink);
        names::consistency(&view, sink);
        accuracy::coverage(&view, sink);
    }
    accuracy::agentic(&view, sink);
    single_turn::check(&view, sink);
}

/// The rules of every point that parsed.
fn points(view: &View<'_>, power: Option<&Computation>, sink: &mut Sink) {
    for (files, point) in &view.loaded {
        placement::check(view, point, &files.point.path, sink);
        if !files::summary(files, sink) {
            continue;
        }
        let Ok(summary) = &files.measured else { continue };
        let path = files.summary.path.as_path();
        placement::duration(view, point, summary, path, sink);
        steady::basis(point, path, sink);
        metrics::queries(view.ruleset, point, summary, path, sink);
        metrics::check(point, summary, path, sink);
        if let Some(power) = power {
            engagement::check(files, point, summary, power, sink);
        }
    }
}
