//! A model's reference tokenizer together with its chat template.

use std::path::Path;
use std::sync::Arc;

use super::error::LoadError;
use super::template::{ChatTemplate, TemplateOptions};
use super::tokenizer::{ModelConfig, Tokenizer};

/// What official token counts are made with.
#[derive(Debug)]
pub struct Reference {
    tokenizer: Arc<Tokenizer>,
    template: ChatTemplate,
}

impl Reference {
    /// Loads both from a model directory (`model.tokenizer` of a scenario).
    ///
    /// # Errors
    /// A missing, unknown or broken tokenizer or template; the message says which and what to do.
    pub fn load(directory: &Path, options: TemplateOptions) -> Result<Self, LoadError> {
        let tokenizer = Arc::new(Tokenizer::load(directory)?);
        let template = ChatTemplate::load(&ModelConfig::load(directory)?, options)?;
        Ok(Self { tokenizer, template })
    }

    /// From parts.
    pub fn new(tokenizer: impl Into<Arc<Tokenizer>>, template: ChatTemplate) -> Self {
        Self { tokenizer: tokenizer.into(), template }
    }

    /// The tokenizer.
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    /// The chat template.
    pub fn template(&self) -> &ChatTemplate {
        &self.template
    }
}
