//! The JSON shapes inside a line.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::wire::{FailureKind, ToolCallDelta, Usage};

/// One line; keys that are not listed are ignored, as the reference client's readers ignore ours.
#[derive(Deserialize)]
pub(super) struct Line<'a> {
    #[serde(borrow)]
    pub(super) event_type: Cow<'a, str>,
    pub(super) timestamp_ns: u64,
    #[serde(borrow, default)]
    pub(super) sample_uuid: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) conversation_id: Cow<'a, str>,
    #[serde(default)]
    pub(super) turn: Option<u32>,
    #[serde(borrow, default)]
    pub(super) data: Option<&'a RawValue>,
    #[serde(default)]
    pub(super) format: Option<Format>,
    #[serde(borrow, default)]
    pub(super) prompt: Option<Prompt<'a>>,
    #[serde(default)]
    pub(super) failure: Option<FailureClass>,
    #[serde(borrow, default)]
    pub(super) finish_reason: Option<Cow<'a, str>>,
    #[serde(default)]
    pub(super) usage: Option<Usage>,
    #[serde(default)]
    pub(super) chunks: Option<u32>,
    #[serde(default)]
    pub(super) first_tool_calls: Option<usize>,
}

#[derive(Deserialize)]
pub(super) struct Format {
    pub(super) version: u32,
}

#[derive(Deserialize)]
pub(super) struct Prompt<'a> {
    #[serde(borrow, default)]
    pub(super) sha256: Option<Cow<'a, str>>,
    #[serde(default)]
    pub(super) bytes: Option<u64>,
    #[serde(default)]
    pub(super) salt_markers: u8,
}

#[derive(Deserialize)]
pub(super) struct FailureClass {
    pub(super) kind: FailureKind,
    #[serde(default)]
    pub(super) status: Option<u16>,
}

/// A message of a `PromptData`, as far as the salt needs it.
#[derive(Deserialize)]
pub(super) struct PromptMessage<'a> {
    #[serde(borrow, default)]
    pub(super) role: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) content: Option<&'a RawValue>,
}

/// A logged text: none, one text, or the chunk groups (first chunk, then the rest).
#[derive(Debug, PartialEq, Eq)]
pub(super) enum LoggedText {
    None,
    Whole(String),
    Chunks(Vec<String>),
}

impl<'de> Deserialize<'de> for LoggedText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Texts;
        impl<'de> Visitor<'de> for Texts {
            type Value = LoggedText;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("null, a text, or a list of texts")
            }

            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(LoggedText::None)
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(LoggedText::Whole(text.to_owned()))
            }

            fn visit_string<E>(self, text: String) -> Result<Self::Value, E> {
                Ok(LoggedText::Whole(text))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut chunks = Vec::new();
                while let Some(chunk) = list.next_element()? {
                    chunks.push(chunk);
                }
                Ok(LoggedText::Chunks(chunks))
            }
        }
        deserializer.deserialize_any(Texts)
    }
}

/// One entry of the logged tool calls: a chunk's deltas, or a whole call of a reply that was not
/// streamed.
#[derive(Debug)]
pub(super) enum CallGroup {
    Chunk(Vec<Call>),
    Whole(Call),
}

impl<'de> Deserialize<'de> for CallGroup {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Group;
        impl<'de> Visitor<'de> for Group {
            type Value = CallGroup;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a tool call or a list of tool-call deltas")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut calls = Vec::new();
                while let Some(call) = list.next_element()? {
                    calls.push(call);
                }
                Ok(CallGroup::Chunk(calls))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                Call::deserialize(MapAccessDeserializer::new(map)).map(CallGroup::Whole)
            }
        }
        deserializer.deserialize_any(Group)
    }
}

/// A tool call or a part of one, as it stands in a log.
#[derive(Debug, Deserialize)]
pub(super) struct Call {
    #[serde(default)]
    index: Option<u32>,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    function: Option<Function>,
}

#[derive(Debug, Deserialize)]
struct Function {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    arguments: Option<String>,
}

impl Call {
    /// The delta; `position` stands in for an index that was not logged.
    pub(super) fn into_delta(self, position: u32) -> ToolCallDelta {
        let (name, arguments) = match self.function {
            Some(function) => (function.name, function.arguments.unwrap_or_default()),
            None => (None, String::new()),
        };
        let index = self.index.unwrap_or(position);
        ToolCallDelta { index, id: self.id, name, arguments }
    }
}
