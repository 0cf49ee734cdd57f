//! The replay digest once more: from the log alone, and from the workload.

use std::collections::{BTreeMap, HashMap};

use super::evidence::{Evidence, Fault};
use super::sessions::{Session, Sessions};
use super::workload::Workload;
use crate::digest::hex;
use crate::events::SampleId;
use crate::plan::order::{SetSize, passes};
use crate::plan::{Assignment, sequence};
use crate::prompt::BodyDigest;
use crate::replay::ReplayDigest;
use crate::scenario::model::Order;

const RULE: &str = "x-replay-digest";

/// How trajectories were put in order, as a run folder states it.
#[derive(Clone, Debug)]
pub(in crate::compliance) struct Mix {
    /// Trajectories of one pass, data set after data set.
    pub(in crate::compliance) sets: Vec<u32>,
    pub(in crate::compliance) order: Order,
    pub(in crate::compliance) seed: u64,
    /// The index of every issued turn over all client turns of the data sets.
    pub(in crate::compliance) samples: HashMap<SampleId, u64>,
}

/// Compares the digest of the log's bodies in plan order with the stored one. Says nothing where
/// the log has no digests or the plan's order is not known.
pub(super) fn of_log(sessions: &Sessions, mix: &Mix, stored: &str, faults: &mut Vec<Fault>) {
    if sessions.list().iter().all(|session| session.digests.is_empty()) {
        return;
    }
    let Some(order) = plan_order(sessions, mix) else { return };
    let mut digest = ReplayDigest::default();
    for session in order {
        for (turn, body) in &session.digests {
            digest.push(&session.id, *turn, body);
        }
    }
    let found = digest.finish();
    if found != stored {
        let fault = Fault::new(RULE, "fail").with("found", stored);
        faults.push(fault.with("expected", found));
    }
}

/// The trajectories in plan order: file order follows from the samples' indices.
fn plan_order<'a>(sessions: &'a Sessions, mix: &Mix) -> Option<Vec<&'a Session>> {
    let mut sources: BTreeMap<u64, &str> = BTreeMap::new();
    let mut first: HashMap<&str, u64> = HashMap::new();
    for session in sessions.list() {
        let index = *mix.samples.get(&session.first_sample)?;
        let known = first.entry(session.source()).or_insert(index);
        *known = index.min(*known);
    }
    for session in sessions.list() {
        sources.insert(first[session.source()], session.source());
    }
    let sources: Vec<&str> = sources.into_values().collect();
    let sizes: Vec<SetSize> =
        mix.sets.iter().map(|&trajectories| SetSize::once(trajectories, trajectories)).collect();
    let whole: usize = mix.sets.iter().map(|&size| size as usize).sum();
    if whole == 0 || whole != sources.len() {
        return None;
    }
    let budget = sessions.list().len();
    let plan = sequence(passes(&sizes, mix.order, mix.seed), budget);
    let id = |assignment: &Assignment| {
        session_id(sources[assignment.conversation as usize], assignment.pass)
    };
    plan.iter().map(|assignment| sessions.named(&id(assignment))).collect()
}

/// Compares every sent body with the one that the workload has for its turn, and the digest over
/// them with the stored one.
pub(super) fn of_workload(
    sessions: &Sessions,
    workload: &Workload,
    stored: Option<&str>,
    faults: &mut Vec<Fault>,
) {
    let (mut other, mut digest) = (Evidence::default(), ReplayDigest::default());
    let mut known = 0;
    for assignment in workload.sequence.iter() {
        let source = &workload.library.conversations()[assignment.conversation as usize].id;
        let Some(session) = sessions.named(&session_id(source, assignment.pass)) else { continue };
        known += 1;
        compare(session, workload, *assignment, &mut other, &mut digest);
    }
    for session in sessions.list().iter().filter(|_| known < sessions.list().len()) {
        let is_planned = |assignment: &&Assignment| {
            let source = &workload.library.conversations()[assignment.conversation as usize].id;
            **source == *session.source() && assignment.pass == session.pass
        };
        if !workload.sequence.iter().any(|assignment| is_planned(&assignment)) {
            let text = || format!("{} is no trajectory of the plan", session.id);
            other.add(Some(session.line), text);
        }
    }
    let found = digest.turns();
    faults.extend(other.fault(RULE, "bodies"));
    let expected = digest.finish();
    if let Some(stored) =
        stored.filter(|stored| found > 0 && other.count() == 0 && *stored != expected)
    {
        let fault = Fault::new(RULE, "workload").with("found", stored);
        faults.push(fault.with("expected", expected));
    }
}

fn compare(
    session: &Session,
    workload: &Workload,
    assignment: Assignment,
    other: &mut Evidence,
    digest: &mut ReplayDigest,
) {
    let prompts = workload.library.session(assignment.conversation, assignment.pass);
    let mut sent = session.digests.iter().peekable();
    let mut bodies = BodyDigest::default();
    for (index, turn) in prompts.turns().iter().enumerate() {
        let Some((number, logged)) = sent.peek() else { break };
        let body = bodies.next(&prompts.body(index));
        if *number != turn.turn {
            continue;
        }
        if *logged != body {
            let text = || {
                let (id, found, wanted) = (&session.id, hex(logged), hex(&body));
                format!("{id} turn {number}: {found} was sent for {wanted}")
            };
            other.add(Some(session.line), text);
        }
        digest.push(&session.id, turn.turn, &body);
        sent.next();
    }
    if let Some((number, _)) = sent.next() {
        let text = || format!("{} turn {number} is not in the data sets", session.id);
        other.add(Some(session.line), text);
    }
}

/// The logical id of a source conversation in a pass.
fn session_id(source: &str, pass: u32) -> String {
    if pass == 1 { source.to_owned() } else { format!("{source}__repeat_{pass}") }
}
