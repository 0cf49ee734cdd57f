//! Which gates hold.

use std::borrow::Cow;
use std::path::Path;

use super::folder::Found;
use crate::accuracy::{AccuracyVerdict, Required};
use crate::cli::failure::Failure;
use crate::cli::scoring::Measured;
use crate::ruleset::{ModelRules, Ruleset};

/// The ruleset and the model whose gates hold, or why there are none.
pub(super) struct Gates {
    ruleset: Option<Cow<'static, Ruleset>>,
    model: Option<String>,
    sweep: Option<(u32, u32)>,
    /// Why nothing is judged.
    pub(super) none_because: Option<String>,
}

/// Chooses the gates: what the user names, else what the run says. A run without a ruleset is
/// judged by none; one of the reference client by the first that knows its model.
pub(super) fn choose(
    ruleset: Option<&str>,
    model: Option<&str>,
    found: &Found,
) -> Result<Gates, Failure> {
    let wanted = ruleset.or(found.ruleset.as_deref());
    let name = model.or(found.model.as_deref());
    // The scenario may name a file beside it, and the run does not know where that was.
    if let (None, Some(file)) = (ruleset, wanted)
        && Ruleset::is_file(file)
        && !Path::new(file).is_file()
    {
        let why = format!("no gates: the ruleset {file} is not here; name it with --ruleset");
        return Ok(Gates { ruleset: None, model: None, sweep: None, none_because: Some(why) });
    }
    let ruleset = match wanted {
        Some(wanted) => Some(Ruleset::find(wanted).map_err(|error| {
            let failure = Failure::usage(error.to_string());
            if ruleset.is_some() {
                failure
            } else {
                failure.help("the scenario named it; name it with --ruleset")
            }
        })?),
        None if model.is_some() || found.is_foreign => {
            let knows = |ruleset: &&Ruleset| name.is_some_and(|n| ruleset.recognise(n).is_some());
            Ruleset::all().iter().find(knows).map(Cow::Borrowed)
        }
        None => None,
    };
    let known = |ruleset: &Ruleset| {
        ruleset.models.iter().map(|model| model.canonical.as_str()).collect::<Vec<_>>().join(", ")
    };
    let recognised = |ruleset: &Ruleset| {
        name.and_then(|name| ruleset.recognise(name)).map(|rules| rules.canonical.clone())
    };
    let canonical = ruleset.as_deref().and_then(recognised);
    let none_because = match (&ruleset, name, &canonical) {
        (Some(_), _, Some(_)) => None,
        (Some(ruleset), Some(name), None) => Some(format!(
            "no gates: `{name}` is no model of {} (it has {}); name one with --model",
            ruleset.name,
            known(ruleset)
        )),
        (Some(_), None, _) => {
            Some("no gates: the run names no model; name one with --model".to_owned())
        }
        (None, ..) => Some(
            "no gates: the run names no ruleset; name one with --ruleset, or a model with --model"
                .to_owned(),
        ),
    };
    if let (Some(name), Some(why)) = (model, &none_because) {
        return Err(Failure::usage(format!("--model {name}: {why}")));
    }
    Ok(Gates { ruleset, model: canonical, sweep: found.sweep, none_because })
}

impl Gates {
    /// The ruleset.
    pub(super) fn ruleset(&self) -> Option<&Ruleset> {
        self.ruleset.as_deref()
    }

    fn model(&self) -> Option<(&Ruleset, &ModelRules)> {
        let ruleset = self.ruleset()?;
        ruleset.model(self.model.as_deref()?).map(|model| (ruleset, model))
    }

    /// Judges what was measured. What was not is no fault here: a run may be scored in part.
    pub(super) fn judge(&self, measured: &[Measured]) -> Option<AccuracyVerdict> {
        let rules = self.model()?;
        let points: Vec<_> = measured.iter().map(Measured::point).collect();
        Some(AccuracyVerdict::new(rules, self.sweep, &points, Required::default()))
    }
}
