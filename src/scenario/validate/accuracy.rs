//! `accuracy`: what is measured, and where.

use crate::client::{self, Config, ConfigError};
use crate::ruleset::{BANDS, Ruleset};

use crate::units::mask_url_credentials;

use super::super::model::{Accuracy, SweBench};
use super::context::{Context, and_list};
use super::{endpoint, rules};

/// Checks the accuracy section.
pub(super) fn check(context: &mut Context<'_>) {
    let Some(accuracy) = &context.scenario.accuracy else { return };
    if let Some(swe_bench) = &accuracy.swe_bench {
        service(context, swe_bench);
        needs(context, swe_bench);
        places(context, swe_bench);
    }
    if let Some(ruleset) = context.ruleset {
        by_rules(context, accuracy, ruleset);
    }
}

/// The service's URL and token can be used.
fn service(context: &mut Context<'_>, swe_bench: &SweBench) {
    if let Err(error) = client::Endpoint::new(&Config::new(vec![swe_bench.service.clone()])) {
        let why = match error {
            ConfigError::Url { problem, .. } => problem,
            other => other.to_string(),
        };
        let url = mask_url_credentials(&swe_bench.service);
        let message = format!("the service's URL `{url}` cannot be used: {why}");
        context
            .error(&["accuracy", "swe_bench", "service"], "service-url", message)
            .help("write it like http://localhost:18080");
    }
    if let Some(token) = &swe_bench.token {
        endpoint::secret(context, &["accuracy", "swe_bench", "token"], token);
    }
}

/// What a job needs and only the user has.
fn needs(context: &mut Context<'_>, swe_bench: &SweBench) {
    if swe_bench.instance_ids.is_none() {
        context
            .error(
                &["accuracy", "swe_bench"],
                "swe-bench-ids",
                "`accuracy.swe_bench.instance_ids` is missing".to_owned(),
            )
            .help("name a file with the ids of SWE-bench Verified in order, one per line");
    }
    let endpoint = context.scenario.endpoint.as_ref();
    if swe_bench.endpoint.is_none() && endpoint.is_some_and(|e| e.simulated.is_some()) {
        context
            .error(
                &["accuracy", "swe_bench"],
                "swe-bench-endpoint",
                "SWE-bench cannot run against the embedded simulated endpoint".to_owned(),
            )
            .help("name a server with `endpoint.urls`, or with `endpoint` in `swe_bench`");
    }
}

/// Every place is a point of the sweep.
fn places(context: &mut Context<'_>, swe_bench: &SweBench) {
    let Some(load) = &context.scenario.load else { return };
    let points = load.concurrency.points();
    for (i, place) in swe_bench.at.iter().enumerate() {
        if !points.contains(place) {
            context
                .error(
                    &["accuracy", "swe_bench", "at", &i.to_string()],
                    "swe-bench-point",
                    format!("SWE-bench is to run at {place}, which is no point of the sweep"),
                )
                .help(format!("points: {}", and_list(&points)));
        }
    }
}

/// What the ruleset wants measured.
fn by_rules(context: &mut Context<'_>, accuracy: &Accuracy, ruleset: &Ruleset) {
    let planned = context.scenario.has_submission;
    if planned && !accuracy.inline {
        context
            .breach(
                &["accuracy"],
                "ruleset-accuracy",
                "the rules require the inline score at every point".to_owned(),
            )
            .help("write `accuracy: { inline: true }`");
    }
    let Some(swe_bench) = &accuracy.swe_bench else {
        if planned {
            context
                .breach(
                    &["accuracy"],
                    "ruleset-accuracy",
                    "the rules require SWE-bench at one point in each region".to_owned(),
                )
                .help("add `accuracy.swe_bench` with `service` and `at`");
        }
        return;
    };
    let wanted = ruleset.accuracy.swe_bench_instances;
    if swe_bench.instances != wanted {
        context
            .breach(
                &["accuracy", "swe_bench", "instances"],
                "ruleset-accuracy",
                format!("the rules require {wanted} instances, found {}", swe_bench.instances),
            )
            .help(format!("write `instances: {wanted}`"));
    }
    template(context, swe_bench, ruleset);
    bands(context, swe_bench, ruleset);
}

/// The template that the model needs.
fn template(context: &mut Context<'_>, swe_bench: &SweBench, ruleset: &Ruleset) {
    let model = context.scenario.model.as_ref().and_then(|model| model.benchmark.as_deref());
    let Some(rules) = model.and_then(|model| ruleset.model(model)) else { return };
    if rules.swe_bench_template != swe_bench.template {
        let wanted = rules.swe_bench_template.as_deref();
        context
            .breach(
                &["accuracy", "swe_bench", "template"],
                "ruleset-accuracy",
                match wanted {
                    Some(wanted) => format!("{} needs the template `{wanted}`", rules.title),
                    None => format!("{} has no template of its own", rules.title),
                },
            )
            .help(match wanted {
                Some(wanted) => format!("write `template: {wanted}`"),
                None => "remove `template`".to_owned(),
            });
    }
}

/// Exactly one run in each region. A point of the ultra-low region may stand for the region that
/// it lies in, too, so runs are matched to regions.
fn bands(context: &mut Context<'_>, swe_bench: &SweBench, ruleset: &Ruleset) {
    let Some(load) = &context.scenario.load else { return };
    let points = load.concurrency.points();
    let Some(regions) = rules::regions_of(context, &points, ruleset) else { return };
    let wanted = ruleset.accuracy.runs;
    let matched = regions.match_bands(&swe_bench.at).filled();
    if swe_bench.at.len() != wanted || matched != wanted {
        let bounds: Vec<String> = BANDS
            .iter()
            .map(|band| {
                let (low, high) = regions.bounds(*band);
                format!("{band} {low}-{high}")
            })
            .collect();
        context
            .breach(
                &["accuracy", "swe_bench", "at"],
                "ruleset-accuracy",
                format!("SWE-bench must run at {wanted} points, one in each region"),
            )
            .note(format!("it is to run at {}", and_list(&swe_bench.at)))
            .note(format!("the regions are {}", bounds.join(", ")));
    }
}
