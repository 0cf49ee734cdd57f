//! What to show of a server's own words.

use serde_json::Value;

/// The most characters of a server's text that an error message repeats.
const MAX_CHARS: usize = 300;

/// The start of `bytes` as one printable line.
pub fn excerpt(bytes: &[u8]) -> String {
    // Four bytes a character at most; one more character shows that something was left out.
    let end = bytes.len().min((MAX_CHARS + 1) * 4);
    let text = String::from_utf8_lossy(&bytes[..end]);
    let mut line = String::new();
    for (taken, word) in text.trim().chars().enumerate() {
        if taken == MAX_CHARS {
            line.push('…');
            break;
        }
        line.push(if word.is_control() { ' ' } else { word });
    }
    line
}

/// The message in a JSON error body: `{"error": {"message": …}}` and the other shapes in use
/// (`{"error": "…"}`, `{"message": "…"}`, `{"detail": …}`, a bare text); none where there is none.
pub fn error_message(body: &[u8]) -> Option<String> {
    let value: Value = serde_json::from_slice(body).ok()?;
    find_message(&value).map(|text| excerpt(text.as_bytes())).filter(|text| !text.is_empty())
}

fn find_message(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Object(map) => {
            let text = ["error", "message", "detail", "msg"]
                .iter()
                .find_map(|key| map.get(*key).and_then(find_message))?;
            // Python's validators say which field was refused beside the message.
            match map.get("loc") {
                Some(Value::Array(path)) => Some(format!("{}: {text}", dotted(path))),
                _ => Some(text),
            }
        }
        Value::Array(list) => list.first().and_then(find_message),
        _ => None,
    }
}

fn dotted(path: &[Value]) -> String {
    let parts: Vec<String> = path
        .iter()
        .map(|part| part.as_str().map_or_else(|| part.to_string(), str::to_owned))
        .collect();
    parts.join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_message_in_every_shape() {
        for (body, message) in [
            (r#"{"error":{"message":"a","type":"b"}}"#, Some("a")),
            (r#"{"error":"a"}"#, Some("a")),
            (r#"{"object":"error","message":"a"}"#, Some("a")),
            (r#"{"detail":"a"}"#, Some("a")),
            (r#"{"detail":[{"loc":["body","tools",0],"msg":"a"}]}"#, Some("body.tools.0: a")),
            (r#"{"error":null,"message":"a"}"#, Some("a")),
            (r#""a""#, Some("a")),
            (r#"{"error":{"message":"a\nb\u0000"}}"#, Some("a b ")),
            (r#"{"error":{}}"#, None),
            (r#"{"error":""}"#, None),
            ("<html>", None),
            ("", None),
            ("7", None),
        ] {
            assert_eq!(error_message(body.as_bytes()).as_deref(), message, "{body}");
        }
    }

    #[test]
    fn deep_json_is_no_trouble() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(error_message(deep.as_bytes()), None);
    }

    #[test]
    fn excerpts_are_short_single_lines() {
        assert_eq!(excerpt(b"  a\r\n\tb\xff "), "a   b\u{fffd}");
        assert_eq!(excerpt(&[b'x'; 300]).chars().count(), 300);
        assert_eq!(excerpt(&[b'x'; 301]).chars().count(), 301);
        assert_eq!(excerpt("é".repeat(5000).as_bytes()).chars().count(), 301);
    }
}
