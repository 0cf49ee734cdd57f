//! Building the library: one pass over the trajectories.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;

use super::digests::Digests;
use super::library::{Conversation, Library, Turn};
use super::template::{PromptOptions, RequestTemplate};
use crate::clock::nanos;
use crate::dataset::{Message, Row, SharedIds, ToolResult, Trajectory};
use crate::wire::json;

/// Why a trajectory cannot become prompts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// Salting needs a system prompt to salt.
    #[error(
        "conversation `{id}` has no system prompt, so it cannot be salted: give its first row a \
         `system` text, or set `cache.salt: false`"
    )]
    NoSystemPrompt {
        /// The source id.
        id: String,
    },
    /// The same id stands twice in one data set, or one data set has an id that two others share and
    /// are told apart by: replies, salt and session ids could not be told apart.
    #[error("conversation id `{id}` occurs more than once in the data sets of the mix")]
    DuplicateId {
        /// The source id.
        id: String,
    },
    /// More conversations, turns or distinct tool lists than 32 bits count.
    #[error("the data sets hold more than {} conversations or turns", u32::MAX)]
    TooLarge,
}

impl BuildError {
    /// The code of the finding that this error becomes.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoSystemPrompt { .. } => "salt-without-system-prompt",
            Self::DuplicateId { .. } => "duplicate-conversation-id",
            Self::TooLarge => "dataset-too-large",
        }
    }
}

/// Takes trajectories one at a time and builds a [`Library`].
#[derive(Debug)]
pub struct LibraryBuilder {
    arena: Vec<u8>,
    conversations: Vec<Conversation>,
    ids: SharedIds,
    tails: Vec<Bytes>,
    tail_index: HashMap<Bytes, u32>,
    samples: u32,
    template: RequestTemplate,
    options: PromptOptions,
}

impl LibraryBuilder {
    /// An empty library of requests of this form. `expected_bytes` is a hint of the data sets'
    /// uncompressed size, so that the arena is allocated once.
    pub fn new(template: RequestTemplate, options: PromptOptions, expected_bytes: usize) -> Self {
        Self {
            arena: Vec::with_capacity(expected_bytes),
            conversations: Vec::new(),
            ids: SharedIds::default(),
            tails: Vec::new(),
            tail_index: HashMap::new(),
            samples: 0,
            template,
            options,
        }
    }

    /// Adds a trajectory of the data set with this index.
    pub fn add(&mut self, dataset: u32, trajectory: &Trajectory) -> Result<(), BuildError> {
        if self.options.salt && trajectory.system.is_none() {
            return Err(BuildError::NoSystemPrompt { id: trajectory.id.clone() });
        }
        let id: Arc<str> = trajectory.id.as_str().into();
        u32::try_from(self.conversations.len()).map_err(|_| BuildError::TooLarge)?;
        self.note(dataset, &id)?;
        let system = trajectory.system.as_deref().map(|text| self.push_escaped(text));
        let start = self.arena.len();
        let first_sample = self.samples;
        let turns = self.push_rows(trajectory, start, u32::from(system.is_some()))?;
        let count = u32::try_from(turns.len()).map_err(|_| BuildError::TooLarge)?;
        self.samples = self.samples.checked_add(count).ok_or(BuildError::TooLarge)?;
        let conversation = Conversation { id, dataset, turns, first_sample, system, start };
        self.conversations.push(conversation);
        Ok(())
    }

    /// Notes the id of a trajectory that takes no part: it may be shared all the same.
    pub fn note(&mut self, dataset: u32, id: &str) -> Result<(), BuildError> {
        let fresh = self.ids.add(dataset, id);
        if fresh { Ok(()) } else { Err(BuildError::DuplicateId { id: id.to_owned() }) }
    }

    /// Calls conversations whose id stands in several data sets by the name of their data set, too
    /// ([`SharedIds`]). `names` are those of the data sets.
    pub fn tell_apart(&mut self, names: &[&str]) -> Result<(), BuildError> {
        let mut given = HashSet::new();
        for conversation in &mut self.conversations {
            if !self.ids.is_shared(&conversation.id) {
                continue;
            }
            let name = names.get(conversation.dataset as usize).copied().unwrap_or_default();
            let id = self.ids.name(name, &conversation.id);
            if self.ids.contains(&id) || !given.insert(id.clone()) {
                return Err(BuildError::DuplicateId { id });
            }
            conversation.id = id.into();
        }
        Ok(())
    }

    /// The finished library.
    pub fn finish(mut self) -> Library {
        self.arena.shrink_to_fit();
        Library {
            arena: self.arena.into(),
            conversations: self.conversations,
            tails: self.tails,
            template: self.template,
            options: self.options,
            digests: Digests::default(),
        }
    }

    fn push_rows(
        &mut self,
        trajectory: &Trajectory,
        start: usize,
        system_messages: u32,
    ) -> Result<Vec<Turn>, BuildError> {
        let mut turns: Vec<Turn> = Vec::new();
        let mut messages = system_messages;
        let mut default_tail = None;
        for row in &trajectory.rows {
            let range = self.push_row(row, start, &mut messages);
            if !row.is_client_turn() {
                if let Some(turn) = turns.last_mut().filter(|turn| turn.reply.is_none()) {
                    turn.reply = Some(range);
                }
                continue;
            }
            let own = row.tools.as_deref().filter(|own| trajectory.tools.as_deref() != Some(own));
            let tail = match (own, default_tail) {
                (None, Some(tail)) => tail,
                (own, _) => {
                    let tools = own.or(trajectory.tools.as_deref());
                    let tail = self.intern_tail(tools, trajectory.max_tokens)?;
                    if own.is_none() {
                        default_tail = Some(tail);
                    }
                    tail
                }
            };
            let (turn, delay) = (row.turn, row.delay.map_or(0, nanos));
            turns.push(Turn { turn, delay, messages, end: self.arena.len(), tail, reply: None });
        }
        Ok(turns)
    }

    fn intern_tail(
        &mut self,
        tools: Option<&str>,
        max_tokens: Option<u64>,
    ) -> Result<u32, BuildError> {
        let tail = Bytes::from(self.template.tail(tools, max_tokens));
        if let Some(index) = self.tail_index.get(&tail) {
            return Ok(*index);
        }
        let index = u32::try_from(self.tails.len()).map_err(|_| BuildError::TooLarge)?;
        self.tails.push(tail.clone());
        self.tail_index.insert(tail, index);
        Ok(index)
    }

    /// Appends the messages of a row, with commas between them, and returns where the last stands.
    fn push_row(&mut self, row: &Row, start: usize, messages: &mut u32) -> Range<usize> {
        let mut from = self.arena.len();
        match &row.message {
            Message::User { content } => {
                from = self.begin_message(start, messages, "user");
                self.push_text(",\"content\":", content);
                self.arena.push(b'}');
            }
            Message::Assistant { content, reasoning, tool_calls, .. } => {
                from = self.begin_message(start, messages, "assistant");
                let (content, reasoning) = (content.as_deref(), reasoning.as_deref());
                self.push_assistant(content, reasoning, tool_calls.as_deref());
                self.arena.push(b'}');
            }
            Message::Tool { results } => {
                for ToolResult { tool_call_id, content } in results {
                    from = self.begin_message(start, messages, "tool");
                    self.push_text(",\"content\":", content);
                    self.push_text(",\"tool_call_id\":", tool_call_id);
                    self.arena.push(b'}');
                }
            }
        }
        from..self.arena.len()
    }

    /// Message keys in the reference client's order: role, content, `tool_calls`, reasoning. Absent
    /// ones are left out. A generated text gets its clearing space here.
    fn push_assistant(
        &mut self,
        content: Option<&str>,
        reasoning: Option<&str>,
        tool_calls: Option<&str>,
    ) {
        let clear = self.options.clear_generated;
        match content {
            Some(text) if !text.is_empty() => self.push_generated(",\"content\":", text),
            _ if clear && tool_calls.is_some() => self.push_text(",\"content\":", " "),
            Some(_) => self.push_text(",\"content\":", ""),
            None => {}
        }
        if let Some(calls) = tool_calls {
            self.arena.extend_from_slice(b",\"tool_calls\":");
            self.arena.extend_from_slice(calls.as_bytes());
        }
        if let Some(text) = reasoning {
            self.arena.push(b',');
            json::push_string(&mut self.arena, &self.options.reasoning_field);
            self.push_generated(":", text);
        }
    }

    fn push_generated(&mut self, key: &str, text: &str) {
        let inside = self.arena.len() + key.len() + 1;
        self.push_text(key, text);
        if self.options.clear_generated && !text.is_empty() {
            self.arena.insert(inside, b' ');
        }
    }

    /// Opens a message and returns where it starts.
    fn begin_message(&mut self, start: usize, messages: &mut u32, role: &str) -> usize {
        if self.arena.len() > start {
            self.arena.push(b',');
        }
        *messages += 1;
        let from = self.arena.len();
        self.arena.extend_from_slice(b"{\"role\":\"");
        self.arena.extend_from_slice(role.as_bytes());
        self.arena.push(b'"');
        from
    }

    fn push_text(&mut self, key: &str, text: &str) {
        self.arena.extend_from_slice(key.as_bytes());
        json::push_string(&mut self.arena, text);
    }

    /// Appends the inside of a JSON string literal and returns where it stands.
    fn push_escaped(&mut self, text: &str) -> Range<usize> {
        let start = self.arena.len();
        json::push_string(&mut self.arena, text);
        start + 1..self.arena.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::digest::sha256;
    use crate::prompt::{BodyDigest, salt_markers};

    fn row(turn: u32, message: Message) -> Row {
        Row { line: u64::from(turn), turn, message, delay: None, tools: None }
    }

    fn user(text: &str) -> Message {
        Message::User { content: text.to_owned() }
    }

    fn assistant(content: Option<&str>, reasoning: Option<&str>, calls: Option<&str>) -> Message {
        Message::Assistant {
            content: content.map(str::to_owned),
            reasoning: reasoning.map(str::to_owned),
            tool_calls: calls.map(str::to_owned),
            intent_codes: Vec::new(),
        }
    }

    fn tool(results: &[(&str, &str)]) -> Message {
        let result = |(id, text): &(&str, &str)| ToolResult {
            tool_call_id: (*id).to_owned(),
            content: (*text).to_owned(),
        };
        Message::Tool { results: results.iter().map(result).collect() }
    }

    fn trajectory(rows: Vec<Row>) -> Trajectory {
        Trajectory {
            id: "sim_001".to_owned(),
            system: Some("Be \"brief\".".to_owned()),
            tools: Some("[1]".to_owned()),
            max_tokens: None,
            rows,
        }
    }

    fn library(options: PromptOptions, trajectories: &[Trajectory]) -> Arc<Library> {
        let template = RequestTemplate::new("m", Vec::new(), false);
        let mut builder = LibraryBuilder::new(template, options, 0);
        for trajectory in trajectories {
            builder.add(0, trajectory).unwrap();
        }
        Arc::new(builder.finish())
    }

    fn bodies(library: &Arc<Library>, pass: u32) -> Vec<String> {
        let session = library.session(0, pass);
        let text = |i| String::from_utf8(session.body(i).rope().to_vec()).unwrap();
        (0..session.turns().len()).map(text).collect()
    }

    fn two_turns() -> Trajectory {
        trajectory(vec![
            row(1, user("hé")),
            row(2, assistant(None, Some("think"), Some(r#"[{"id":"a"}]"#))),
            row(3, tool(&[("a", "x"), ("b", "")])),
            row(4, assistant(Some("bye"), None, None)),
        ])
    }

    #[test]
    fn a_body_is_the_salted_system_prompt_and_the_recorded_history() {
        let keep = PromptOptions { clear_generated: false, ..PromptOptions::default() };
        let library = library(keep, &[two_turns()]);
        assert_eq!(
            bodies(&library, 2),
            [
                r#"{"model":"m","messages":[{"role":"system","content":"[salt: ba75]\n\nBe \"brief\".\n\n[salt: 4d58]"},{"role":"user","content":"hé"}],"stream":true,"tools":[1]}"#,
                r#"{"model":"m","messages":[{"role":"system","content":"[salt: ba75]\n\nBe \"brief\".\n\n[salt: 4d58]"},{"role":"user","content":"hé"},{"role":"assistant","tool_calls":[{"id":"a"}],"reasoning_content":"think"},{"role":"tool","content":"x","tool_call_id":"a"},{"role":"tool","content":"","tool_call_id":"b"}],"stream":true,"tools":[1]}"#,
            ]
        );
        assert_eq!(&**library.session(0, 2).id(), "sim_001__repeat_2");
        assert_eq!(&**library.session(0, 1).id(), "sim_001");
        let messages: Vec<u32> = library.session(0, 1).turns().iter().map(|t| t.messages).collect();
        assert_eq!(messages, [2, 5]);
    }

    #[test]
    fn clearing_puts_a_space_into_every_generated_text_and_none_elsewhere() {
        let options = PromptOptions { salt: false, ..PromptOptions::default() };
        let rows = vec![
            row(1, user("u")),
            row(2, assistant(None, Some("r"), Some("[2]"))),
            row(3, tool(&[("a", "x")])),
            row(4, assistant(Some("c\n"), Some(""), None)),
            row(5, user("v")),
            row(6, assistant(Some(""), None, Some("[3]"))),
            row(7, tool(&[("b", "y")])),
            row(8, assistant(Some(""), None, None)),
            row(9, user("w")),
        ];
        let library = library(options, &[trajectory(rows)]);
        let last = bodies(&library, 1).pop().unwrap();
        let history = last.split_once(r#""},{"#).unwrap().1;
        assert_eq!(
            history,
            r#""role":"user","content":"u"},{"role":"assistant","content":" ","tool_calls":[2],"reasoning_content":" r"},{"role":"tool","content":"x","tool_call_id":"a"},{"role":"assistant","content":" c\n","reasoning_content":""},{"role":"user","content":"v"},{"role":"assistant","content":" ","tool_calls":[3]},{"role":"tool","content":"y","tool_call_id":"b"},{"role":"assistant","content":""},{"role":"user","content":"w"}],"stream":true,"tools":[1]}"#
        );
    }

    #[test]
    fn reasoning_takes_the_configured_key() {
        let options = PromptOptions {
            reasoning_field: "reasoning".to_owned(),
            clear_generated: false,
            salt: false,
        };
        let bodies = bodies(&library(options, &[two_turns()]), 1);
        assert!(bodies[1].contains(r#""reasoning":"think""#), "{}", bodies[1]);
    }

    #[test]
    fn digests_along_a_session_equal_digests_of_whole_bodies() {
        let library = library(PromptOptions::default(), &[two_turns()]);
        let session = library.session(0, 3);
        let mut digest = BodyDigest::default();
        for index in 0..session.turns().len() {
            let body = session.body(index);
            assert_eq!(digest.next(&body), sha256(&body.rope().to_vec()));
            assert_eq!(body.len(), body.to_bytes().len() as u64);
            assert_eq!(salt_markers(&body), 2);
        }
    }

    #[test]
    fn unsalted_bodies_hold_no_marker_even_when_the_text_looks_like_one() {
        let options = PromptOptions { salt: false, ..PromptOptions::default() };
        let mut looks_salted = two_turns();
        looks_salted.system = Some("[salt: 4461]\n\nx\n\n[salt: 4d58]".to_owned());
        let library = library(options, &[looks_salted]);
        assert_eq!(salt_markers(&library.session(0, 1).body(0)), 0);
    }

    #[test]
    fn a_row_may_bring_its_own_tools_and_equal_tools_are_kept_once() {
        let mut own = two_turns();
        own.rows[2].tools = Some("[9]".to_owned());
        own.rows[0].tools = Some("[1]".to_owned());
        let library = library(PromptOptions::default(), &[own]);
        let bodies = bodies(&library, 1);
        assert!(bodies[0].ends_with(r#""tools":[1]}"#) && bodies[1].ends_with(r#""tools":[9]}"#));
        assert_eq!(library.tails.len(), 2);
    }

    #[test]
    fn a_missing_system_prompt_and_a_shared_id_are_refused() {
        let template = RequestTemplate::new("m", Vec::new(), false);
        let mut builder = LibraryBuilder::new(template, PromptOptions::default(), 0);
        let mut bare = two_turns();
        bare.system = None;
        let id = || "sim_001".to_owned();
        assert_eq!(builder.add(0, &bare), Err(BuildError::NoSystemPrompt { id: id() }));
        builder.add(0, &two_turns()).unwrap();
        assert_eq!(builder.add(0, &two_turns()), Err(BuildError::DuplicateId { id: id() }));
    }

    #[test]
    fn delays_and_recorded_replies_belong_to_their_turn() {
        let mut delayed = two_turns();
        delayed.rows[2].delay = Some(Duration::from_millis(50));
        let library = library(PromptOptions::default(), &[delayed]);
        let turns = &library.conversations()[0].turns;
        assert_eq!((turns[0].delay, turns[1].delay), (0, 50_000_000));
        let reply = |i: usize| &library.arena[turns[i].reply.clone().unwrap()];
        assert_eq!(reply(1), br#"{"role":"assistant","content":" bye"}"#);
        assert_eq!(
            reply(0),
            br#"{"role":"assistant","content":" ","tool_calls":[{"id":"a"}],"reasoning_content":" think"}"#
        );
    }
}
