//! The JSON of a chat-completions chunk or whole reply, borrowed from the bytes it came in.
//!
//! Typed and lenient: null and absent mean the same, unknown keys are skipped unread. Nothing here
//! allocates for a text without escapes.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::Usage;
use super::again::Place;

/// A chunk (`chat.completion.chunk`) or a whole reply (`chat.completion`).
#[derive(Debug, Default, Deserialize)]
pub(super) struct Chunk<'a> {
    #[serde(default, borrow)]
    pub(super) choices: First<Choice<'a>>,
    #[serde(default)]
    pub(super) usage: Option<Box<UsageJson>>,
    /// An error object or text.
    #[serde(default, borrow)]
    pub(super) error: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub(super) object: MaybeText<'a>,
    #[serde(default, borrow)]
    pub(super) message: Option<&'a RawValue>,
}

impl Chunk<'_> {
    /// The server's counts, where it sent any.
    pub(super) fn usage(&self) -> Option<Usage> {
        let json = self.usage.as_ref()?;
        if json.prompt_tokens.is_none() && json.completion_tokens.is_none() {
            return None;
        }
        let reasoning = json.completion_tokens_details.as_ref().and_then(|d| d.reasoning_tokens);
        Some(Usage {
            prompt_tokens: json.prompt_tokens.unwrap_or(0),
            completion_tokens: json.completion_tokens.unwrap_or(0),
            cached_tokens: json.prompt_tokens_details.as_ref().and_then(|d| d.cached_tokens),
            reasoning_tokens: reasoning.or(json.reasoning_tokens),
        })
    }
}

impl Chunk<'_> {
    /// The chunk's text where it is all that the chunk says: no reason to stop, no counts, no
    /// beginning of a tool call, and no text of another kind.
    pub(super) fn only_text(&self) -> Option<(&str, Place)> {
        let choice = self.choices.first.as_ref()?;
        let delta = choice.delta.as_ref()?;
        let more =
            self.usage.is_some() || choice.message.is_some() || !choice.finish_reason.is_empty();
        let mut calls = delta.tool_calls.iter();
        match (delta.content.as_str(), delta.reasoning(), calls.next(), calls.next()) {
            _ if more => None,
            ("", reasoning, None, None) => Some((reasoning, Place::Reasoning)),
            (content, "", None, None) => Some((content, Place::Content)),
            ("", "", Some(call), None) => {
                call.only_arguments().map(|(text, index)| (text, Place::Arguments(index)))
            }
            _ => None,
        }
    }
}

/// One choice, streamed (`delta`) or whole (`message`).
#[derive(Debug, Default, Deserialize)]
pub(super) struct Choice<'a> {
    #[serde(default, borrow)]
    pub(super) delta: Option<Delta<'a>>,
    #[serde(default, borrow)]
    pub(super) message: Option<Box<Delta<'a>>>,
    #[serde(default, borrow)]
    pub(super) finish_reason: MaybeText<'a>,
}

/// What a chunk adds to the reply.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Delta<'a> {
    #[serde(default, borrow)]
    pub(super) content: MaybeText<'a>,
    #[serde(default, borrow)]
    pub(super) reasoning_content: MaybeText<'a>,
    #[serde(default, borrow)]
    pub(super) reasoning: MaybeText<'a>,
    #[serde(default, borrow)]
    pub(super) tool_calls: Many<ToolCall<'a>>,
}

impl Delta<'_> {
    /// The reasoning under either key; never both, since some servers send the same text twice.
    pub(super) fn reasoning(&self) -> &str {
        if self.reasoning_content.is_empty() {
            self.reasoning.as_str()
        } else {
            self.reasoning_content.as_str()
        }
    }
}

/// One delta of a tool call, or a whole one.
#[derive(Debug, Default, Deserialize)]
pub(super) struct ToolCall<'a> {
    #[serde(default)]
    pub(super) index: Option<u32>,
    #[serde(default, borrow)]
    pub(super) id: MaybeText<'a>,
    #[serde(default, borrow)]
    pub(super) function: Option<Function<'a>>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Function<'a> {
    #[serde(default, borrow)]
    pub(super) name: MaybeText<'a>,
    #[serde(default, borrow)]
    pub(super) arguments: Arguments<'a>,
}

/// A fragment of the arguments' text. Servers send it as a JSON string; a bare object is taken as
/// its own text.
pub(super) enum Arguments<'a> {
    /// As it stands in the chunk; null is nothing.
    Raw(Option<&'a RawValue>),
    /// Decoded.
    Text(MaybeText<'a>),
}

impl Arguments<'_> {
    fn text(&self) -> Result<Cow<'_, str>, serde_json::Error> {
        match self {
            Self::Raw(None) => Ok(Cow::Borrowed("")),
            Self::Raw(Some(raw)) if raw.get().starts_with('"') => {
                serde_json::from_str::<MaybeText<'_>>(raw.get()).map(|text| text.0)
            }
            Self::Raw(Some(raw)) => Ok(Cow::Borrowed(raw.get())),
            Self::Text(text) => Ok(Cow::Borrowed(text.as_str())),
        }
    }
}

impl Default for Arguments<'_> {
    fn default() -> Self {
        Self::Raw(None)
    }
}

/// The text, however it is held.
impl fmt::Debug for Arguments<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text().fmt(f)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Arguments<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::deserialize(deserializer).map(Self::Raw)
    }
}

impl ToolCall<'_> {
    /// The function's name; empty where it is not in this delta.
    pub(super) fn name(&self) -> &str {
        self.function.as_ref().map_or("", |function| function.name.as_str())
    }

    /// The fragment of the arguments' text.
    pub(super) fn arguments(&self) -> Result<Cow<'_, str>, serde_json::Error> {
        self.function.as_ref().map_or(Ok(Cow::Borrowed("")), |function| function.arguments.text())
    }

    /// The position of the call whose arguments this adds to, where it says nothing else.
    fn only_arguments(&self) -> Option<(&str, u32)> {
        match (self.index, self.function.as_ref()?) {
            (Some(index), Function { name, arguments: Arguments::Text(text) })
                if self.id.is_empty() && name.is_empty() =>
            {
                Some((text.as_str(), index))
            }
            _ => None,
        }
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct UsageJson {
    #[serde(default)]
    pub(super) prompt_tokens: Option<u64>,
    #[serde(default)]
    pub(super) completion_tokens: Option<u64>,
    #[serde(default)]
    pub(super) prompt_tokens_details: Option<PromptDetails>,
    #[serde(default)]
    pub(super) completion_tokens_details: Option<CompletionDetails>,
    #[serde(default)]
    pub(super) reasoning_tokens: Option<u64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct PromptDetails {
    #[serde(default)]
    pub(super) cached_tokens: Option<u64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct CompletionDetails {
    #[serde(default)]
    pub(super) reasoning_tokens: Option<u64>,
}

/// A text that may be null; borrowed where it has no escapes. (A derived `Option<Cow<str>>` would
/// never borrow.)
#[derive(Debug, Default)]
pub(super) struct MaybeText<'a>(Cow<'a, str>);

impl<'a> MaybeText<'a> {
    pub(super) fn borrowed(text: &'a str) -> Self {
        Self(Cow::Borrowed(text))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for MaybeText<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = MaybeText<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or null")
            }

            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(MaybeText::default())
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(MaybeText(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(MaybeText(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_any(TextVisitor)
    }
}

/// A list that is nearly always missing, and is small then; null is empty.
#[derive(Debug)]
pub(super) struct Many<T>(Vec<T>);

impl<T> Many<T> {
    pub(super) fn new(list: Vec<T>) -> Self {
        Self(list)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter()
    }
}

impl<T> Default for Many<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Many<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::<Vec<T>>::deserialize(deserializer).map(|list| Self(list.unwrap_or_default()))
    }
}

/// The first element of a list that nearly always has one, which takes no allocation; null is
/// empty. What follows is checked and dropped.
#[derive(Debug)]
pub(super) struct First<T> {
    pub(super) first: Option<T>,
}

impl<T> Default for First<T> {
    fn default() -> Self {
        Self { first: None }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for First<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FirstVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for FirstVisitor<T> {
            type Value = First<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list or null")
            }

            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(First::default())
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let first = seq.next_element()?;
                while seq.next_element::<T>()?.is_some() {}
                Ok(First { first })
            }
        }
        deserializer.deserialize_any(FirstVisitor(PhantomData))
    }
}
