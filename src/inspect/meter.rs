//! Token counts of one trajectory at a time: exact, or estimated.

use std::collections::HashMap;

use serde_json::{Map, Value as Json, json};

use super::messages;
use crate::dataset::{Message, Row, Trajectory};
use crate::digest::salt_hex;
use crate::tokens::count::{ReplyCounter, TextCounter};
use crate::tokens::template::Conversation;
use crate::tokens::{CountError, Reference};

/// What the estimate takes a message's frame to cost.
const FRAME: u64 = 4;
/// Bytes of a token, for the estimate.
const BYTES: u64 = 4;
/// Different beginnings that are remembered to be compared with.
const MAX_HEADS: usize = 1000;

/// Counting failed.
#[derive(Debug, thiserror::Error)]
#[error("the conversation `{id}` cannot be counted: {source}")]
pub struct MeterError {
    id: String,
    source: CountError,
}

/// Counts tokens.
pub struct Meter<'r>(Kind<'r>);

enum Kind<'r> {
    Estimate,
    Exact(Box<Exact<'r>>),
}

struct Exact<'r> {
    reference: &'r Reference,
    prompts: TextCounter<'r>,
    parts: TextCounter<'r>,
    replies: ReplyCounter<'r>,
    kwargs: &'r Map<String, Json>,
    /// The first prompt of the first trajectory with a system prompt and tools, plain and salted.
    heads: HashMap<(Option<String>, Option<String>), [String; 2]>,
}

/// The counts of one trajectory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Counted {
    /// ISL of each client turn.
    pub(super) prompts: Vec<u64>,
    /// OSL of each recorded answer, by the client turn that it answers; none where there is none.
    pub(super) replies: Vec<Option<u64>>,
    /// Tokens of each prompt but the first that the one before begins with.
    pub(super) kept: Vec<u64>,
    /// Tokens that the first prompt begins with like another trajectory's with the same system prompt
    /// and tools: salted, and plain. For the estimate none is compared with; the system prompt alone,
    /// and together with the tools.
    pub(super) head: [u64; 2],
    /// Tokens of the first so many messages, for those asked for.
    pub(super) until: u64,
}

impl<'r> Meter<'r> {
    /// Estimates: a token for every four bytes of a text, and four for the frame of each message.
    pub fn estimate() -> Self {
        Self(Kind::Estimate)
    }

    /// Counts with a tokenizer and chat template, which gets these `chat_template_kwargs`.
    ///
    /// # Errors
    /// The tokenizer fails on an empty reply.
    pub fn exact(
        reference: &'r Reference,
        kwargs: &'r Map<String, Json>,
    ) -> Result<Self, CountError> {
        Ok(Self(Kind::Exact(Box::new(Exact {
            reference,
            prompts: TextCounter::new(reference.tokenizer()),
            parts: TextCounter::new(reference.tokenizer()),
            replies: ReplyCounter::new(reference)?,
            kwargs,
            heads: HashMap::new(),
        }))))
    }

    /// Whether the counts are estimates.
    pub fn is_estimate(&self) -> bool {
        matches!(self.0, Kind::Estimate)
    }

    /// Counts a trajectory; `common` is how many of its messages another one begins with, the tools
    /// included.
    pub(super) fn count(
        &mut self,
        trajectory: &Trajectory,
        common: usize,
    ) -> Result<Counted, MeterError> {
        match &mut self.0 {
            Kind::Estimate => Ok(estimate(trajectory, common)),
            Kind::Exact(exact) => exact
                .count(trajectory, common)
                .map_err(|source| MeterError { id: trajectory.id.clone(), source }),
        }
    }
}

fn text_tokens(text: &str) -> u64 {
    (text.len() as u64).div_ceil(BYTES)
}

/// The estimated tokens of a row's messages without their frames, and how many messages there are.
fn row_tokens(row: &Row) -> (u64, u64) {
    let tokens = |text: &Option<String>| text.as_deref().map_or(0, text_tokens);
    match &row.message {
        Message::User { content } => (text_tokens(content), 1),
        Message::Assistant { content, reasoning, tool_calls, .. } => {
            (tokens(content) + tokens(reasoning) + tokens(tool_calls), 1)
        }
        Message::Tool { results } => {
            let sum = results.iter().map(|result| text_tokens(&result.content)).sum();
            (sum, results.len() as u64)
        }
    }
}

fn estimate(trajectory: &Trajectory, common: usize) -> Counted {
    let system = trajectory.system.as_deref().map_or(0, |text| text_tokens(text) + FRAME);
    let own_tools =
        |row: &Row| row.tools.as_deref().or(trajectory.tools.as_deref()).map_or(0, text_tokens);
    let mut counted = Counted::default();
    let (mut history, mut messages) = (system, usize::from(trajectory.system.is_some()));
    let mut tools_before = None;
    for row in &trajectory.rows {
        let (texts, count) = row_tokens(row);
        if !row.is_client_turn()
            && let Some(reply) = counted.replies.last_mut().filter(|reply| reply.is_none())
        {
            *reply = Some(texts);
        }
        history += texts + count * FRAME;
        messages += usize::try_from(count).unwrap_or(usize::MAX);
        if row.is_client_turn() {
            let tools = own_tools(row);
            let prompt = tools + history + FRAME;
            if let Some(before) = counted.prompts.last() {
                // Other tools stand before all messages.
                let same = tools_before == Some(tools);
                counted.kept.push(if same { *before } else { system });
            }
            tools_before = Some(tools);
            counted.prompts.push(prompt);
            counted.replies.push(None);
        }
        if messages <= common {
            counted.until = trajectory.rows.first().map_or(0, own_tools) + history;
        }
    }
    let tools = trajectory.tools.as_deref().map_or(0, text_tokens);
    counted.head = [system, system + tools];
    counted
}

impl Exact<'_> {
    fn count(&mut self, trajectory: &Trajectory, common: usize) -> Result<Counted, CountError> {
        let mut counted = Counted::default();
        let mut all: Vec<Json> = messages::system(trajectory).into_iter().collect();
        let mut ends = Vec::new();
        for row in &trajectory.rows {
            if let Some(reply) = messages::reply(row) {
                let tokens = self.replies.count(&reply)?.output;
                if let Some(open) = counted.replies.last_mut().filter(|open| open.is_none()) {
                    *open = Some(tokens);
                }
            } else {
                counted.replies.push(None);
            }
            all.extend(messages::of_row(row));
            if row.is_client_turn() {
                ends.push((all.len(), row.tools.as_deref().or(trajectory.tools.as_deref())));
            }
        }
        let mut before: Option<(String, u64)> = None;
        let mut prepared: Option<(Option<&str>, Conversation)> = None;
        for (end, tools) in &ends {
            if prepared.as_ref().is_none_or(|(known, _)| known != tools) {
                prepared = Some((*tools, self.prepare(&all, *tools)));
            }
            let Some((_, conversation)) = &prepared else { continue };
            let text = self.reference.template().render_prefix(conversation, *end, true)?;
            let tokens = self.prompts.count(text.clone())?;
            if let Some((previous, known)) = &before {
                let common = common_prefix(previous, &text);
                let whole = common == previous.len();
                counted.kept.push(if whole { *known } else { self.part(&text[..common])? });
            } else {
                let salted = self.salted(trajectory, &all, *tools, *end)?;
                counted.head = self.head(trajectory, &text, &salted)?;
            }
            counted.prompts.push(tokens);
            before = Some((text, tokens));
        }
        if common > usize::from(trajectory.system.is_some()) {
            let conversation = self.prepare(&all, trajectory.tools.as_deref());
            let text = self.reference.template().render_prefix(&conversation, common, false)?;
            counted.until = self.part(&text)?;
        }
        Ok(counted)
    }

    fn prepare(&self, all: &[Json], tools: Option<&str>) -> Conversation {
        let tools = messages::parsed(tools);
        self.reference.template().prepare(all, tools.as_ref(), self.kwargs)
    }

    /// The first prompt as a salted run sends it.
    fn salted(
        &self,
        trajectory: &Trajectory,
        all: &[Json],
        tools: Option<&str>,
        end: usize,
    ) -> Result<String, CountError> {
        let mut first: Vec<Json> = all[..end].to_vec();
        if let (Some(system), Some(message)) = (&trajectory.system, first.first_mut()) {
            let (pass, own) = (salt_hex("1"), salt_hex(&trajectory.id));
            let content = format!("[salt: {pass}]\n\n{system}\n\n[salt: {own}]");
            *message = json!({ "role": "system", "content": content });
        }
        let conversation = self.prepare(&first, tools);
        Ok(self.reference.template().render_prefix(&conversation, end, true)?)
    }

    /// What the first prompt, salted and plain, has in common with the known one of its kind.
    fn head(
        &mut self,
        trajectory: &Trajectory,
        plain: &str,
        salted: &str,
    ) -> Result<[u64; 2], CountError> {
        let key = (trajectory.system.clone(), trajectory.tools.clone());
        if let Some([known_salted, known_plain]) = self.heads.get(&key) {
            let common = [common_prefix(known_salted, salted), common_prefix(known_plain, plain)];
            return Ok([self.part(&salted[..common[0]])?, self.part(&plain[..common[1]])?]);
        }
        if self.heads.len() < MAX_HEADS {
            self.heads.insert(key, [salted.to_owned(), plain.to_owned()]);
        }
        Ok([0, 0])
    }

    fn part(&mut self, text: &str) -> Result<u64, CountError> {
        Ok(self.parts.count(text.to_owned())?)
    }
}

/// How many bytes two texts have in common at their beginning, up to a character's end.
fn common_prefix(a: &str, b: &str) -> usize {
    let same = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    (0..=same).rev().find(|at| a.is_char_boundary(*at)).unwrap_or(0)
}
