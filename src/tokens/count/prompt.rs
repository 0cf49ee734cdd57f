//! Counting the requests of a conversation.

use serde_json::{Map, Value as Json};

use super::text::TextCounter;
use crate::tokens::error::CountError;
use crate::tokens::reference::Reference;
use crate::tokens::template::Conversation;

/// Counts the prompts of one conversation, turn after turn, and of further passes over it.
#[derive(Debug)]
pub struct PromptCounter<'r> {
    reference: &'r Reference,
    conversation: Option<Conversation>,
    text: TextCounter<'r>,
}

impl<'r> PromptCounter<'r> {
    /// A counter for one conversation at a time.
    pub fn new(reference: &'r Reference) -> Self {
        let text = TextCounter::new(reference.tokenizer());
        Self { reference, conversation: None, text }
    }

    /// Takes up a conversation: all its messages as the requests carry them (salted and cleared),
    /// the tools and the `chat_template_kwargs`. What was learnt from earlier conversations stays,
    /// so that passes that differ only in their salt share their counts.
    pub fn begin(&mut self, messages: &[Json], tools: Option<&Json>, kwargs: &Map<String, Json>) {
        self.conversation = Some(self.reference.template().prepare(messages, tools, kwargs));
    }

    /// The input length (ISL) of the request with the first `messages` messages: its tokens
    /// through the template with the generation prompt.
    ///
    /// # Errors
    /// When the template refuses the conversation or the tokenizer the text.
    pub fn count(&mut self, messages: usize) -> Result<u64, CountError> {
        let Some(conversation) = &self.conversation else {
            return Err(CountError::Source("no conversation was begun".to_owned()));
        };
        let text = self.reference.template().render_prefix(conversation, messages, true)?;
        Ok(self.text.count(text)?)
    }

    /// How many bytes were really tokenised so far.
    pub fn tokenized_bytes(&self) -> u64 {
        self.text.tokenized_bytes()
    }
}
