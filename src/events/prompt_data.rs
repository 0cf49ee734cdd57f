//! A request body as the reference client's `PromptData`.

use std::io;

use serde::Deserialize;
use serde_json::value::RawValue;

/// The parts of a request body that a `PromptData` repeats.
#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow, default)]
    messages: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tools: Option<&'a RawValue>,
    #[serde(borrow, default)]
    chat_template_kwargs: Option<&'a RawValue>,
}

/// Appends the `PromptData` array of `body`, a JSON object: text, token ids, messages, tools,
/// chat template arguments and two more that a chat request never sets.
pub(super) fn write(line: &mut Vec<u8>, body: &[u8]) -> io::Result<()> {
    let body: Body<'_> = serde_json::from_slice(body)?;
    line.extend_from_slice(br#"["PromptData",null,null"#);
    for part in [body.messages, body.tools, body.chat_template_kwargs] {
        line.push(b',');
        line.extend_from_slice(part.map_or("null", RawValue::get).as_bytes());
    }
    line.extend_from_slice(b",null,null]");
    Ok(())
}
