//! A model's chat template, ready to render.

use std::io;
use std::sync::Arc;
use std::time::SystemTime;

use minijinja::{Environment, Value};
use serde_json::{Map, Value as Json};

use super::convert::{self, Prefix};
use super::messages::{self, Convention};
use super::{engine, engine::NAME, stack};
use crate::tokens::error::{LoadError, TemplateError};
use crate::tokens::tokenizer::{ModelConfig, SpecialTokens};

/// The longest text that a template may write, in bytes.
const MAX_OUTPUT: usize = 256 * 1024 * 1024;

/// What rendering depends on beside the conversation.
#[derive(Clone, Copy, Debug)]
pub struct TemplateOptions {
    /// The moment that `strftime_now` prints (in UTC); one per run, so that counts can be repeated.
    pub now: SystemTime,
    /// How messages are prepared.
    pub convention: Convention,
    /// Whether tool-call arguments that are JSON text become objects.
    pub parse_arguments: bool,
}

impl TemplateOptions {
    /// The reference client's ways, at `now`.
    pub fn at(now: SystemTime) -> Self {
        Self { now, convention: Convention::default(), parse_arguments: true }
    }
}

/// One conversation to render.
#[derive(Clone, Copy, Debug)]
pub struct Rendering<'a> {
    /// The messages, as chat-completion requests carry them.
    pub messages: &'a [Json],
    /// The tools; none when no tools were sent.
    pub tools: Option<&'a Json>,
    /// `chat_template_kwargs`: further variables, which win over special tokens.
    pub kwargs: &'a Map<String, Json>,
    /// Whether the text ends with the start of an assistant's turn.
    pub add_generation_prompt: bool,
}

/// A conversation prepared for rendering its prefixes.
#[derive(Clone, Debug)]
pub struct Conversation {
    messages: Arc<[Value]>,
    tools: Value,
    kwargs: Vec<(String, Value)>,
}

impl Conversation {
    /// How many messages it has.
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// Whether it has no message.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }
}

/// The chat template of a model; cheap to share between threads.
#[derive(Debug)]
pub struct ChatTemplate {
    default: Option<Environment<'static>>,
    tool_use: Option<Environment<'static>>,
    names: Vec<String>,
    special_tokens: Vec<(String, Value)>,
    options: TemplateOptions,
}

impl ChatTemplate {
    /// The template of a model directory.
    ///
    /// # Errors
    /// No template, or one that does not compile.
    pub fn load(config: &ModelConfig, options: TemplateOptions) -> Result<Self, LoadError> {
        let templates = config.templates()?;
        let mut loaded = Self::empty(&config.special_tokens(), options);
        for template in &templates {
            let place = match template.name.as_str() {
                "default" => &mut loaded.default,
                "tool_use" => &mut loaded.tool_use,
                _ => continue,
            };
            let environment = engine::environment(&template.source, options.now)
                .map_err(|source| LoadError::Template { path: template.path.clone(), source })?;
            *place = Some(environment);
        }
        loaded.names = templates.into_iter().map(|template| template.name).collect();
        Ok(loaded)
    }

    /// A template from its source.
    ///
    /// # Errors
    /// A source that breaks Jinja's grammar.
    pub fn from_source(
        source: &str,
        special_tokens: &SpecialTokens,
        options: TemplateOptions,
    ) -> Result<Self, TemplateError> {
        let mut template = Self::empty(special_tokens, options);
        template.default = Some(engine::environment(source, options.now)?);
        template.names.push("default".to_owned());
        Ok(template)
    }

    fn empty(special_tokens: &SpecialTokens, options: TemplateOptions) -> Self {
        let special_tokens =
            special_tokens.iter().map(|(name, text)| (name.clone(), Value::from(text.as_str())));
        Self {
            default: None,
            tool_use: None,
            names: Vec::new(),
            special_tokens: special_tokens.collect(),
            options,
        }
    }

    /// The text of a conversation.
    ///
    /// # Errors
    /// The template's own refusal, a failed operation, or a template that does not end.
    pub fn render(&self, rendering: &Rendering<'_>) -> Result<String, TemplateError> {
        let conversation = self.prepare(rendering.messages, rendering.tools, rendering.kwargs);
        let len = conversation.len();
        self.render_prefix(&conversation, len, rendering.add_generation_prompt)
    }

    /// Prepares a conversation, so that its prefixes can be rendered without converting its
    /// messages again.
    pub fn prepare(
        &self,
        messages: &[Json],
        tools: Option<&Json>,
        kwargs: &Map<String, Json>,
    ) -> Conversation {
        let TemplateOptions { convention, parse_arguments, .. } = self.options;
        let prepared = messages.iter().map(|message| {
            convert::value(&messages::prepare(message, convention, parse_arguments))
        });
        Conversation {
            messages: prepared.collect(),
            tools: tools.map_or_else(|| Value::from(()), convert::value),
            kwargs: kwargs
                .iter()
                .map(|(name, json)| (name.clone(), convert::value(json)))
                .collect(),
        }
    }

    /// The text of the first `len` messages.
    ///
    /// # Errors
    /// As [`Self::render`].
    pub fn render_prefix(
        &self,
        conversation: &Conversation,
        len: usize,
        add_generation_prompt: bool,
    ) -> Result<String, TemplateError> {
        let with_tools = !conversation.tools.is_none();
        let environment =
            self.tool_use
                .as_ref()
                .filter(|_| with_tools)
                .or(self.default.as_ref())
                .ok_or_else(|| TemplateError::NoDefault { names: self.names.join(", ") })?;
        let prefix = Prefix {
            messages: Arc::clone(&conversation.messages),
            len: len.min(conversation.messages.len()),
        };
        // Later names win: transformers passes these four beside the others.
        let mut variables = self.special_tokens.clone();
        variables.extend(conversation.kwargs.iter().cloned());
        variables.extend([
            ("messages".to_owned(), Value::from_object(prefix)),
            ("tools".to_owned(), conversation.tools.clone()),
            ("documents".to_owned(), Value::from(())),
            ("add_generation_prompt".to_owned(), Value::from(add_generation_prompt)),
        ]);
        let variables = Value::from_pairs(variables);
        stack::deep(move || render(environment, variables))
    }
}

/// Renders the environment's template.
fn render(environment: &Environment<'_>, variables: Value) -> Result<String, TemplateError> {
    let template = environment.get_template(NAME).map_err(|error| engine::failure(&error))?;
    let mut output = Output(Vec::new());
    template.render_captured_to(variables, &mut output).map_err(|error| engine::failure(&error))?;
    String::from_utf8(output.0)
        .map_err(|error| TemplateError::Render { line: 0, message: error.to_string() })
}

/// A buffer that refuses to grow without end.
struct Output(Vec<u8>);

impl io::Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_OUTPUT {
            return Err(io::Error::other("the text is too long"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
