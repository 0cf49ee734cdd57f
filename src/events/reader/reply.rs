//! A reply put together from its logged line.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::error::ReadErrorKind;
use super::line::{CallGroup, Line, LoggedText};
use crate::wire::{FinishReason, Reply, Text, ToolCallDelta};

/// The reply of a complete line whose data is `data`.
pub(super) fn parse(line: &Line<'_>, data: &RawValue) -> Result<Reply, ReadErrorKind> {
    let parts: Vec<&RawValue> = serde_json::from_str(data.get())?;
    let name = parts.first().map(|name| name.get());
    if name != Some(r#""TextModelOutput""#) {
        let found = name.unwrap_or("an empty list");
        return Err(ReadErrorKind::Shape(format!(
            "the data of a complete turn is {found}, expected a TextModelOutput"
        )));
    }
    let text = |at: usize| match parts.get(at) {
        Some(part) => serde_json::from_str(part.get()),
        None => Ok(LoggedText::None),
    };
    let (content, reasoning) = (text(1)?, text(2)?);
    let groups: Option<Vec<CallGroup>> = match parts.get(3) {
        Some(part) => serde_json::from_str(part.get())?,
        None => None,
    };
    let (content, content_is_first) = split(content);
    let (reasoning, reasoning_is_first) = split(reasoning);
    // Without a count of ours, the first chunk held a tool call if it held no text.
    let calls_are_first = match line.first_tool_calls {
        Some(deltas) => deltas > 0,
        None => !content_is_first && !reasoning_is_first,
    };
    let groups = groups.unwrap_or_default();
    let known_chunks = content.pieces() + reasoning.pieces() + groups.len();
    let (first_tool_calls, tool_calls) = calls(groups, calls_are_first);
    Ok(Reply {
        content: content.text,
        reasoning: reasoning.text,
        first_tool_calls,
        tool_calls,
        finish_reason: line.finish_reason.as_deref().map(FinishReason::parse),
        usage: line.usage,
        // The reference client does not log how many chunks there were; these there were at least.
        chunks: line.chunks.unwrap_or_else(|| u32::try_from(known_chunks).unwrap_or(u32::MAX)),
    })
}

struct Split {
    text: Text,
}

impl Split {
    fn pieces(&self) -> usize {
        usize::from(!self.text.first.is_empty()) + usize::from(!self.text.rest.is_empty())
    }
}

/// The text, and whether the reply's first chunk belonged to it.
fn split(logged: LoggedText) -> (Split, bool) {
    let text = match logged {
        LoggedText::None => Text::default(),
        LoggedText::Whole(rest) => Text { first: String::new(), rest },
        LoggedText::Chunks(chunks) => {
            let mut chunks = chunks.into_iter();
            let first = chunks.next().unwrap_or_default();
            Text { first, rest: chunks.collect() }
        }
    };
    let is_first = !text.first.is_empty();
    (Split { text }, is_first)
}

/// The first chunk's deltas, and all others merged by index.
fn calls(
    groups: Vec<CallGroup>,
    first_chunk_is_call: bool,
) -> (Vec<ToolCallDelta>, Vec<ToolCallDelta>) {
    let mut first = Vec::new();
    let mut merged: BTreeMap<u32, ToolCallDelta> = BTreeMap::new();
    for (at, group) in groups.into_iter().enumerate() {
        match group {
            CallGroup::Chunk(calls) => {
                let deltas = calls.into_iter().zip(0..).map(|(call, at)| call.into_delta(at));
                if at == 0 && first_chunk_is_call {
                    first = deltas.collect();
                } else {
                    deltas.for_each(|delta| merge(&mut merged, delta));
                }
            }
            CallGroup::Whole(call) => {
                let position = u32::try_from(at).unwrap_or(u32::MAX);
                merge(&mut merged, call.into_delta(position));
            }
        }
    }
    (first, merged.into_values().collect())
}

fn merge(merged: &mut BTreeMap<u32, ToolCallDelta>, delta: ToolCallDelta) {
    let call = merged
        .entry(delta.index)
        .or_insert_with(|| ToolCallDelta { index: delta.index, ..ToolCallDelta::default() });
    call.id = call.id.take().or(delta.id);
    call.name = call.name.take().or(delta.name);
    call.arguments.push_str(&delta.arguments);
}
