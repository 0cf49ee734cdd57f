//! Generated data sets: the same bytes for ever, the counts that were asked for, no finding.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;

use scenario::dataset::generate::{Profile, Request, Summary, generate};
use scenario::dataset::{Limits, Reader};
use scenario::digest::sha256_hex;
use serde_json::Value;

fn request(profile: Profile, scale: &str) -> Request {
    Request { profile, seed: 42, scale: scale.parse().unwrap(), turns: None, context: None }
}

fn written(request: &Request) -> (Vec<u8>, Summary) {
    let mut bytes = Vec::new();
    let summary = generate(request, &mut bytes).unwrap();
    (bytes, summary)
}

#[test]
fn the_same_request_gives_the_same_bytes_on_every_machine() {
    let sets =
        [(Profile::Coding, "0.1"), (Profile::Workflow, "0.1"), (Profile::OfficialShape, "0.01")]
            .map(|(profile, scale)| {
                let (first, second) =
                    (written(&request(profile, scale)), written(&request(profile, scale)));
                assert_eq!(first, second);
                format!("{profile:?} {} {}", first.0.len(), sha256_hex(&first.0))
            });
    insta::assert_snapshot!(sets.join("\n"), @r"
Coding 267006 75fab16d6adee91d0d08ee4ce2908d02cb08c133641f568403f99641e8bdbb74
Workflow 453978 23fad78f3f134a4dedbca7fccf08ecbac2b8d15d4de68cae7ec25359ce7d7586
OfficialShape 585224 5670615ebc7e4afb61039f967d14716eb158d0e4fc29bf2ce4886e0991b49302
");
    let other = Request { seed: 43, ..request(Profile::Workflow, "0.02") };
    assert_ne!(written(&other).0, written(&request(Profile::Workflow, "0.02")).0);
}

/// What a set holds, counted from its JSON alone.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    trajectories: u64,
    workflow: u64,
    client_turns: u64,
    assistant_turns: u64,
    tool_calls: u64,
    parallel: u64,
    reasoning: u64,
    delays: u64,
    intents: u64,
    unanswered: u64,
    not_ascii: u64,
    systems: BTreeMap<String, u64>,
}

fn count(text: &[u8]) -> Counts {
    let mut counts = Counts::default();
    let (mut id, mut turn, mut open) = (String::new(), 0_u64, Vec::<String>::new());
    for line in std::str::from_utf8(text).unwrap().lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        if row["conversation_id"] != *id {
            counts.unanswered += turn % 2;
            row["conversation_id"].as_str().unwrap().clone_into(&mut id);
            turn = 0;
            counts.trajectories += 1;
            counts.workflow += u64::from(id.starts_with("sim_"));
            *counts.systems.entry(row["system"].as_str().unwrap().to_owned()).or_default() += 1;
            assert!(row["tools"].as_array().is_some_and(|tools| !tools.is_empty()));
            open.clear();
        }
        turn += 1;
        assert_eq!(row["turn"], turn);
        counts.not_ascii += u64::from(!line.is_ascii());
        if row["role"] == "assistant" {
            counts.assistant_turns += 1;
            let calls = row["tool_calls"].as_array().cloned().unwrap_or_default();
            counts.tool_calls += calls.len() as u64;
            counts.parallel += u64::from(calls.len() > 1);
            counts.reasoning += u64::from(row["reasoning_content"].is_string());
            counts.intents += u64::from(row["intent_codes"].is_array());
            for call in &calls {
                let arguments = call["function"]["arguments"].as_str().unwrap();
                assert!(serde_json::from_str::<Value>(arguments).unwrap().is_object());
                open.push(call["id"].as_str().unwrap().to_owned());
            }
        } else {
            counts.client_turns += 1;
            counts.delays += u64::from(row["delay_seconds"].is_number());
            for result in row["tool_results"].as_array().into_iter().flatten() {
                let id = result["tool_call_id"].as_str().unwrap();
                open.remove(open.iter().position(|open| open == id).unwrap());
                if counts.workflow > 0 {
                    let content = result["content"].as_str().unwrap();
                    assert!(serde_json::from_str::<Value>(content).is_ok(), "{content}");
                }
            }
            assert!(open.is_empty(), "{id} {turn}: {open:?}");
        }
    }
    counts.unanswered += turn % 2;
    counts
}

/// Reads a set with the reader and with the second code above; both must agree.
fn checked(bytes: &[u8]) -> Counts {
    let mut reader = Reader::new(Path::new("generated.jsonl"), bytes, Limits::default());
    let facts = reader.finish();
    assert_eq!(reader.diagnostics(), []);
    let counts = count(bytes);
    assert_eq!(
        [
            facts.trajectories,
            facts.workflow_trajectories,
            facts.client_turns,
            facts.assistant_turns
        ],
        [counts.trajectories, counts.workflow, counts.client_turns, counts.assistant_turns]
    );
    assert_eq!(facts.reasoning_turns, counts.reasoning);
    assert_eq!(facts.intent_turns, counts.intents);
    assert_eq!(facts.without_system, 0);
    counts
}

#[test]
fn counts_are_those_asked_for() {
    let (bytes, summary) = written(&request(Profile::OfficialShape, "0.1"));
    let counts = checked(&bytes);
    assert_eq!((counts.trajectories, counts.workflow), (61, 50));
    assert_eq!((counts.client_turns, counts.assistant_turns), (3033, 3032));
    assert_eq!(counts.unanswered, 1);
    assert_eq!(
        summary,
        Summary {
            trajectories: counts.trajectories,
            client_turns: counts.client_turns,
            assistant_turns: counts.assistant_turns,
            tool_calls: counts.tool_calls,
            rows: counts.client_turns + counts.assistant_turns,
            bytes: bytes.len() as u64,
        }
    );
    // One system prompt for each domain, and everything that the real thing has.
    let mut shared: Vec<_> = counts.systems.values().copied().collect();
    shared.sort_unstable();
    assert_eq!(shared, [11, 50]);
    assert!(counts.parallel > 100 && counts.not_ascii > 1000, "{counts:?}");
    assert!(counts.reasoning * 10 > counts.assistant_turns * 5, "{counts:?}");
    assert_eq!(counts.delays, counts.client_turns - counts.trajectories);
    assert!(counts.intents > 1500);
}

#[test]
fn the_official_shape_has_its_counts_and_its_size() {
    let (bytes, summary) = written(&request(Profile::OfficialShape, "1"));
    assert_eq!(summary.trajectories, 613);
    assert_eq!((summary.client_turns, summary.assistant_turns), (30_335, 30_328));
    assert!((57_000_000..61_000_000).contains(&bytes.len()), "{}", bytes.len());
    // The longest conversation: about 200 kB of text, and some 20 % of JSON around it.
    let (mut longest, mut now, mut id) = (0, 0, &b""[..]);
    for row in bytes.split_inclusive(|byte| *byte == b'\n') {
        let own = row.split(|byte| *byte == b',').next().unwrap();
        now = if own == id { now } else { 0 } + row.len();
        (id, longest) = (own, longest.max(now));
    }
    assert!((200_000..250_000).contains(&longest), "{longest}");
}

#[test]
fn sizes_follow_the_arguments() {
    let small =
        Request { turns: Some(9), context: Some(60_000), ..request(Profile::Coding, "0.5") };
    let (bytes, summary) = written(&small);
    assert_eq!((summary.trajectories, summary.client_turns), (12, 108));
    checked(&bytes);
    let mean = bytes.len() / 12;
    assert!((25_000..60_000).contains(&mean), "{mean}");
    let large = Request { context: Some(240_000), ..small };
    let grown = written(&large).0.len();
    assert!(grown > bytes.len() * 3 && grown < bytes.len() * 5, "{grown}");
}

#[test]
fn one_turn_and_one_trajectory_are_enough() {
    for profile in [Profile::Coding, Profile::Workflow, Profile::OfficialShape] {
        let tiny = Request { turns: Some(1), context: Some(1000), ..request(profile, "0.000001") };
        let (bytes, summary) = written(&tiny);
        checked(&bytes);
        assert_eq!(summary.client_turns, summary.trajectories);
    }
}

/// Text of few words packs to almost nothing; real agent logs pack to a quarter or so.
#[test]
fn the_text_is_as_varied_as_real_text() {
    for (profile, scale) in [(Profile::Coding, "0.1"), (Profile::Workflow, "0.1")] {
        let (bytes, _) = written(&request(profile, scale));
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        packed.write_all(&bytes).unwrap();
        let packed = packed.finish().unwrap().len();
        let tenths = bytes.len() * 10 / packed;
        assert!((25..80).contains(&tenths), "{profile:?}: {tenths} tenths");
    }
}
