//! Rows in the file's words.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::draft::{Call, Ready, Row};
use crate::wire::json::push_string;

/// Writes the rows of a conversation, one on each line.
pub(super) fn write(to: &mut impl Write, id: &str, ready: &Ready) -> io::Result<()> {
    let mut line = Vec::new();
    for n in 0..ready.rows.len() {
        line.clear();
        push_row(&mut line, id, ready, n);
        to.write_all(&line)?;
    }
    Ok(())
}

fn push_row(out: &mut Vec<u8>, id: &str, ready: &Ready, n: usize) {
    let row = &ready.rows[n];
    out.extend_from_slice(b"{\"conversation_id\":");
    push_string(out, id);
    let mut head = String::new();
    let role = match row {
        Row::User { .. } => "user",
        Row::Assistant { .. } => "assistant",
        Row::Tool { .. } => "tool",
    };
    let _ = write!(head, ",\"turn\":{},\"role\":\"{role}\"", n + 1);
    out.extend_from_slice(head.as_bytes());
    match row {
        Row::User { content, delay } => {
            member(out, "content", content);
            if n == 0 {
                if let Some(system) = &ready.system {
                    member(out, "system", system);
                }
                if let Some(tools) = &ready.tools {
                    out.extend_from_slice(b",\"tools\":");
                    out.extend_from_slice(tools.as_bytes());
                }
            }
            push_delay(out, *delay);
        }
        Row::Assistant { content, reasoning, calls } => {
            if let Some(content) = content {
                member(out, "content", content);
            }
            if !reasoning.is_empty() {
                member(out, "reasoning_content", reasoning);
            }
            for (k, (id, call)) in calls.iter().enumerate() {
                out.extend_from_slice(if k == 0 { &b",\"tool_calls\":["[..] } else { b"," });
                push_call(out, id, call);
            }
            if !calls.is_empty() {
                out.push(b']');
            }
        }
        Row::Tool { results, delay } => {
            for (k, (id, content)) in results.iter().enumerate() {
                out.extend_from_slice(if k == 0 { &b",\"tool_results\":[{"[..] } else { b",{" });
                out.extend_from_slice(b"\"tool_call_id\":");
                push_string(out, id);
                member(out, "content", content);
                out.push(b'}');
            }
            out.push(b']');
            push_delay(out, *delay);
        }
    }
    out.extend_from_slice(b"}\n");
}

fn push_call(out: &mut Vec<u8>, id: &str, call: &Call) {
    if let Some(whole) = &call.whole {
        out.extend_from_slice(whole.as_bytes());
        return;
    }
    out.extend_from_slice(b"{\"id\":");
    push_string(out, id);
    out.extend_from_slice(b",\"type\":\"function\",\"function\":{\"name\":");
    push_string(out, &call.name);
    out.extend_from_slice(b",\"arguments\":");
    out.extend_from_slice(call.arguments.as_bytes());
    out.extend_from_slice(b"}}");
}

fn member(out: &mut Vec<u8>, key: &str, text: &str) {
    out.extend_from_slice(b",\"");
    out.extend_from_slice(key.as_bytes());
    out.extend_from_slice(b"\":");
    push_string(out, text);
}

fn push_delay(out: &mut Vec<u8>, delay: Option<u64>) {
    if let Some(millis) = delay {
        let text = format!(",\"delay_seconds\":{}.{:03}", millis / 1000, millis % 1000);
        out.extend_from_slice(text.as_bytes());
    }
}
