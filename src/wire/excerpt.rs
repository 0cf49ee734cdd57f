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
        Value::Object(map) => ["error", "message", "detail", "msg"]
            .iter()
            .find_map(|key| map.get(*key).and_then(find_message)),
        Value::Array(list) => list.first().and_then(find_message),
        _ => None,
    }
}
