//! The workload that should have been sent.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::digest::salt_hex;
use crate::plan::Assignment;
use crate::prompt::Library;
use crate::tokens::count::TextCounter;
use crate::tokens::{CountError, Reference};

/// A scenario's prompts in plan order, made from its data sets.
#[derive(Clone, Debug)]
pub struct Workload {
    /// The prompts.
    pub library: Arc<Library>,
    /// The trajectories in plan order.
    pub sequence: Arc<[Assignment]>,
    /// SHA-256 of each data set's file, in the scenario's order.
    pub datasets: Vec<String>,
    /// Tokens up to the conversation's salt marker of a first prompt, by logical id, where they
    /// were counted.
    pub heads: HashMap<Arc<str>, u64>,
}

/// What of a request body the template renders.
#[derive(Deserialize)]
struct Request {
    messages: Vec<Value>,
    #[serde(default)]
    tools: Option<Value>,
    #[serde(default)]
    chat_template_kwargs: Map<String, Value>,
}

impl Workload {
    /// Counts the tokens up to the conversation's salt marker of every trajectory's first prompt.
    /// Where the template hides the marker nothing is counted.
    ///
    /// # Errors
    /// When the template refuses a prompt, or the tokenizer a text.
    pub fn count_heads(&mut self, reference: &Reference) -> Result<(), CountError> {
        let mut counter = TextCounter::new(reference.tokenizer());
        for assignment in self.sequence.iter() {
            let session = self.library.session(assignment.conversation, assignment.pass);
            let body = session.body(0).to_bytes();
            let request: Request = serde_json::from_slice(&body)
                .map_err(|error| CountError::Source(error.to_string()))?;
            let template = reference.template();
            let Request { messages, tools, chat_template_kwargs } = request;
            let prompt = template.prepare(&messages, tools.as_ref(), &chat_template_kwargs);
            let mut text = template.render_prefix(&prompt, messages.len(), true)?;
            let marker = format!("[salt: {}]", salt_hex(&session.conversation().id));
            // The pass's marker may read the same; the conversation's is the later one.
            let Some(end) = text.rfind(&marker) else { continue };
            text.truncate(end);
            self.heads.insert(Arc::clone(session.id()), counter.count(text)?);
        }
        Ok(())
    }
}
