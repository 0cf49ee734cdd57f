//! The prompt inside an issued line.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::error::ReadErrorKind;

/// A logged prompt: the JSON texts of its parts, as they stand in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedPrompt {
    /// The list of messages.
    pub messages: String,
    /// The list of tools, where tools were sent.
    pub tools: Option<String>,
    /// The object of template arguments, where there are any.
    pub chat_template_kwargs: Option<String>,
}

#[derive(Deserialize)]
struct Issued<'a> {
    #[serde(borrow, default)]
    data: Option<&'a RawValue>,
}

impl LoggedPrompt {
    /// The prompt of one issued line; none when the log was written without prompts, or the turn
    /// was never sent.
    ///
    /// # Errors
    /// When the line is not what an issued line is.
    pub fn of_line(line: &[u8]) -> Result<Option<Self>, ReadErrorKind> {
        let Some(data) = serde_json::from_slice::<Issued<'_>>(line)?.data else { return Ok(None) };
        let parts: Vec<&RawValue> = serde_json::from_str(data.get())?;
        let part = |at: usize| {
            let text = parts.get(at).map(|part| part.get());
            text.filter(|text| *text != "null").map(str::to_owned)
        };
        let (tools, chat_template_kwargs) = (part(4), part(5));
        Ok(part(3).map(|messages| Self { messages, tools, chat_template_kwargs }))
    }
}
