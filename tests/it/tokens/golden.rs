//! The reference client's recorded run, counted again.
//!
//! The tokenizer of that run lies beside the checkout only; without it the test says so and ends.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::UNIX_EPOCH;

use scenario::tokens::Reference;
use scenario::tokens::count::{PromptCounter, ReplyCounter};
use scenario::tokens::template::TemplateOptions;
use scenario::wire::{Reply, Text, ToolCallDelta};
use serde_json::{Map, Value as Json};

/// The texts of an output or reasoning entry: the first chunk and the rest.
fn text(entry: &Json, first: bool) -> Text {
    let parts: Vec<&str> = match entry {
        Json::String(text) => vec![text],
        Json::Array(parts) => parts.iter().map(|part| part.as_str().unwrap()).collect(),
        _ => Vec::new(),
    };
    let cut = usize::from(first).min(parts.len());
    Text { first: parts[..cut].concat(), rest: parts[cut..].concat() }
}

fn deltas(groups: &[Json]) -> Vec<ToolCallDelta> {
    let delta = |delta: &Json| ToolCallDelta {
        index: u32::try_from(delta["index"].as_u64().unwrap()).unwrap(),
        id: delta["id"].as_str().map(str::to_owned),
        name: delta["function"]["name"].as_str().map(str::to_owned),
        arguments: delta["function"]["arguments"].as_str().unwrap_or_default().to_owned(),
    };
    groups.iter().flat_map(|group| group.as_array().unwrap()).map(delta).collect()
}

/// A recorded reply. A list says that the first chunk was of that kind.
fn reply(data: &Json) -> Reply {
    let calls: &[Json] = data[3].as_array().map_or(&[], Vec::as_slice);
    let [output, reasoning] = [&data[1], &data[2]];
    let first_is_call = reasoning.is_null() && output.as_array().is_some_and(Vec::is_empty);
    let cut = usize::from(first_is_call).min(calls.len());
    Reply {
        content: text(output, output.is_array()),
        reasoning: text(reasoning, reasoning.is_array()),
        first_tool_calls: deltas(&calls[..cut]),
        tool_calls: deltas(&calls[cut..]),
        ..Reply::default()
    }
}

#[test]
fn recorded_counts_are_reproduced() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let directory = root.join("../shared/golden/reference-replay/tokenizer");
    if !directory.is_dir() {
        println!("left out: there is no {}", directory.display());
        return;
    }
    let reference = Reference::load(&directory, TemplateOptions::at(UNIX_EPOCH)).unwrap();
    let replies = ReplyCounter::new(&reference).unwrap();
    let recorded = root.join("tests/fixtures/reference-replay");
    let summary = std::fs::read_to_string(recorded.join("result_summary.json")).unwrap();
    let summary: Json = serde_json::from_str(&summary).unwrap();
    let events = std::fs::read_to_string(recorded.join("events.jsonl")).unwrap();
    let (mut issued, mut first) = (BTreeMap::new(), BTreeMap::new());
    let (mut inputs, mut outputs, mut tpot) = (Vec::new(), Vec::new(), 0.0);
    let mut tracked = false;
    for line in events.lines() {
        let event: Json = serde_json::from_str(line).unwrap();
        let sample = event["sample_uuid"].to_string();
        match event["event_type"].as_str().unwrap() {
            "session.start_performance_tracking" => tracked = true,
            "session.stop_performance_tracking" => tracked = false,
            "sample.issued" if tracked => drop(issued.insert(sample, event["data"].clone())),
            "sample.recv_first" => {
                let _ = first.insert(sample, event["timestamp_ns"].as_u64().unwrap());
            }
            "sample.complete" => {
                let Some(prompt) = issued.get(&sample) else { continue };
                let empty = Map::new();
                let messages = prompt[3].as_array().unwrap();
                let mut counter = PromptCounter::new(&reference);
                let tools = Some(&prompt[4]).filter(|tools| !tools.is_null());
                counter.begin(messages, tools, prompt[5].as_object().unwrap_or(&empty));
                inputs.push(counter.count(messages.len()).unwrap());
                let counts = replies.count(&reply(&event["data"])).unwrap();
                outputs.push(counts.output);
                let duration = event["timestamp_ns"].as_u64().unwrap() - first[&sample];
                #[expect(clippy::cast_precision_loss, reason = "as the summary was made")]
                if counts.after_first > 0 {
                    tpot += duration as f64 / counts.after_first as f64;
                }
            }
            _ => {}
        }
    }
    for (name, counts) in [("input_sequence_lengths", inputs), ("output_sequence_lengths", outputs)]
    {
        let block = &summary[name];
        assert_eq!(block["total"].as_u64(), Some(counts.iter().sum()), "{name}");
        assert_eq!(block["min"].as_u64(), counts.iter().min().copied(), "{name}");
        assert_eq!(block["max"].as_u64(), counts.iter().max().copied(), "{name}");
    }
    let total = summary["tpot"]["total"].as_f64().unwrap();
    assert!((tpot / total - 1.0).abs() < 1e-12, "TPOT {tpot}, recorded {total}");
}
