//! What is answered: the recorded reply (sometimes a wrong one), or a scripted one.

use super::hash;

/// The bytes of text that count as one token.
pub(super) const TOKEN_BYTES: usize = 4;

/// The simulated token count of a text of this many bytes.
pub(super) fn tokens(bytes: usize) -> u64 {
    bytes.div_ceil(TOKEN_BYTES) as u64
}

/// One tool call of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    /// The call's id.
    pub id: String,
    /// The function's name.
    pub name: String,
    /// The arguments' JSON text.
    pub arguments: String,
}

/// A data set's own reply to a turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedReply {
    /// The text.
    pub content: Option<String>,
    /// The reasoning.
    pub reasoning: Option<String>,
    /// The tool calls.
    pub tool_calls: Vec<ToolCall>,
}

/// A table of recorded replies.
pub trait RecordedReplies: Send + Sync {
    /// The reply that follows the first `messages` messages (system prompt included) of the
    /// conversation `source_id`; none where the record has none.
    fn reply(&self, source_id: &str, messages: usize) -> Option<RecordedReply>;
}

/// The session that a request belongs to.
#[derive(Clone, Copy, Debug)]
pub(super) struct SessionId<'a> {
    /// As sent.
    pub(super) logical: &'a str,
    /// Without the pass: the id in the data set.
    pub(super) source: &'a str,
}

impl<'a> SessionId<'a> {
    /// Splits `<source>__repeat_<n>`.
    pub(super) fn parse(logical: &'a str) -> Self {
        let source = match logical.rsplit_once("__repeat_") {
            Some((source, pass)) if is_number(pass) => source,
            _ => logical,
        };
        Self { logical, source }
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether this turn's reply is one of the wrong ones.
pub(super) fn is_wrong(share: f64, seed: u64, session: SessionId<'_>, messages: usize) -> bool {
    let turn = (messages as u64).to_le_bytes();
    hash::unit(hash::of(seed, &[b"wrong", session.logical.as_bytes(), &turn])) < share
}

/// Garbles a reply: letters and digits change, lengths and the JSON of arguments do not. No
/// recorded intent or command survives it.
pub(super) fn garble(reply: RecordedReply) -> RecordedReply {
    RecordedReply {
        content: reply.content.map(|text| text.chars().map(rotate).collect()),
        reasoning: reply.reasoning.map(|text| text.chars().map(rotate).collect()),
        tool_calls: reply
            .tool_calls
            .into_iter()
            .map(|call| ToolCall { arguments: garble_json(&call.arguments), ..call })
            .collect(),
    }
}

/// Half a turn of the alphabet, or of the ten digits.
fn rotate(c: char) -> char {
    match c {
        'a'..='m' | 'A'..='M' => char::from_u32(c as u32 + 13).unwrap_or(c),
        'n'..='z' | 'N'..='Z' => char::from_u32(c as u32 - 13).unwrap_or(c),
        '0'..='4' => char::from_u32(c as u32 + 5).unwrap_or(c),
        '5'..='9' => char::from_u32(c as u32 - 5).unwrap_or(c),
        other => other,
    }
}

/// Garbles the string values of a JSON text; keys, escapes, numbers and words stay.
fn garble_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('"') {
        let (before, string) = rest.split_at(open + 1);
        out.push_str(before);
        let end = string_end(string);
        let (inner, after) = string.split_at(end);
        if after.trim_start_matches('"').trim_start().starts_with(':') {
            out.push_str(inner);
        } else {
            garble_string(inner, &mut out);
        }
        let close = usize::from(!after.is_empty());
        out.push_str(&after[..close]);
        rest = &after[close..];
    }
    out.push_str(rest);
    out
}

/// Where the string's closing quote is, or the text's end.
fn string_end(string: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in string.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at,
            _ => {}
        }
    }
    string.len()
}

fn garble_string(inner: &str, out: &mut String) {
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(rotate(c));
            continue;
        }
        out.push(c);
        if let Some(kind) = chars.next() {
            out.push(kind);
            if kind == 'u' {
                out.extend(chars.by_ref().take(4));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pass_is_split_off_the_session_id() {
        assert_eq!(SessionId::parse("sim_001__repeat_12").source, "sim_001");
        assert_eq!(SessionId::parse("sim_001").source, "sim_001");
        assert_eq!(SessionId::parse("a__repeat_").source, "a__repeat_");
        assert_eq!(SessionId::parse("a__repeat_x").source, "a__repeat_x");
        assert_eq!(SessionId::parse("a__repeat_1__repeat_2").source, "a__repeat_1");
    }

    #[test]
    fn garbling_keeps_lengths_keys_and_escapes() {
        let arguments = r#"{"command": "grep -rn \"x\" é\n\u00e9 12", "n": 3, "b": true}"#;
        let reply = RecordedReply {
            content: Some("intent: I001".to_owned()),
            reasoning: None,
            tool_calls: vec![ToolCall {
                id: "call_a".to_owned(),
                name: "bash".to_owned(),
                arguments: arguments.to_owned(),
            }],
        };
        let wrong = garble(reply);
        assert_eq!(wrong.content.as_deref(), Some("vagrag: V556"));
        assert_eq!(wrong.tool_calls[0].name, "bash");
        let garbled = &wrong.tool_calls[0].arguments;
        assert_eq!(garbled, r#"{"command": "terc -ea \"k\" é\n\u00e9 67", "n": 3, "b": true}"#);
        assert_eq!(garbled.len(), arguments.len());
    }

    #[test]
    fn garbling_takes_any_text_as_arguments() {
        for text in ["", "\"", "\"\\", "\"\\u12", "{\"a", "no json \"x\":\"y\" é"] {
            assert_eq!(garble_json(text).len(), text.len(), "{text}");
        }
    }

    #[test]
    fn the_share_of_wrong_replies_holds() {
        let wrong = (0..4_000)
            .filter(|&messages| is_wrong(0.25, 1, SessionId::parse("sim_001"), messages))
            .count();
        assert!((900..1_100).contains(&wrong), "{wrong}");
        assert!(!is_wrong(0.0, 1, SessionId::parse("sim_001"), 2));
        assert!(is_wrong(1.0, 1, SessionId::parse("sim_001"), 2));
    }
}
