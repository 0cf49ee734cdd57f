//! Whole passes: every conversation equally often, with the same turns each time.

use std::collections::BTreeMap;

use super::evidence::{Evidence, Fault};
use super::sessions::Session;
use crate::ruleset::DatasetFacts;

/// Faults in what was replayed, against one pass of the benchmark.
pub(super) fn faults(sessions: &[Session], pass: &DatasetFacts, faults: &mut Vec<Fault>) {
    const RULE: &str = "x-passes";
    let mut sources: BTreeMap<&str, Vec<&Session>> = BTreeMap::new();
    for session in sessions {
        sources.entry(session.source()).or_default().push(session);
    }
    let passes = sessions.iter().map(|session| session.pass).max().unwrap_or_default();
    let (mut uneven, mut unequal) = (Evidence::default(), Evidence::default());
    let mut turns = 0_u64;
    for (source, mut of_source) in sources.iter().map(|(source, list)| (source, list.clone())) {
        of_source.sort_by_key(|session| session.pass);
        let has = |pass: u32| of_source.iter().any(|session| session.pass == pass);
        if let Some(missing) = (1..=passes).find(|pass| !has(*pass)) {
            let line = of_source.first().map(|session| session.line);
            uneven.add(line, || format!("{source} is not in pass {missing} of {passes}"));
        }
        let whole = of_source.iter().filter(|session| !session.failed);
        turns += whole.clone().map(|session| u64::from(session.turns.0)).max().unwrap_or_default();
        let mut whole = whole.copied();
        if let Some(first) = whole.next() {
            for other in whole.filter(|other| other.turns != first.turns) {
                let text = || {
                    let (turns, before) = (other.turns.0, first.turns.0);
                    format!("{} has {turns} turns, {} has {before}", other.id, first.id)
                };
                unequal.add(Some(other.line), text);
            }
        }
    }
    let found = sources.len() as u64;
    if found != u64::from(pass.trajectories) {
        let fault = Fault::new(RULE, "fail").with("found", found);
        faults.push(fault.with("expected", pass.trajectories));
    } else if turns != u64::from(pass.client_turns) && !sessions.iter().any(|one| one.failed) {
        let fault = Fault::new(RULE, "turns").with("found", turns);
        faults.push(fault.with("expected", pass.client_turns));
    }
    faults.extend(uneven.fault(RULE, "uneven"));
    faults.extend(unequal.fault(RULE, "unequal"));
}
