//! OpenAI chat snapshots: one object for each conversation, with `messages` and `tools`.
//!
//! Several snapshots of one conversation (the same id, or without one each the next's beginning) are
//! one conversation, wherever they stand in the file: the longest wins.
//!
//! Lost: the borders between content parts (their texts are joined by line ends), parts that are no
//! text, `name`, `refusal`, `audio`, log probabilities, sampling parameters, empty messages, system messages after the first request (they become part of the next request with
//! `--repair`), tool calls that are no functions.

use std::io;

use serde_json::value::RawValue;

use super::super::calls;
use super::super::findings::{At, Findings, excerpt};
use super::super::json::{self, Members};
use super::draft::{Call, Draft, Step, What};
use super::parts;
use super::shelf::{Grown, Item, Shelf};
use super::spool::Spool;
use crate::diagnostics::Diagnostic;
use crate::wire;

/// The keys that may hold a conversation's id.
const IDS: &[&str] = &["conversation_id", "session_id", "id", "instance_id"];

/// Puts one snapshot on the shelf; a message for the user where it is none.
pub(super) fn hold(
    shelf: &mut Shelf,
    line: u64,
    members: &Members<'_>,
) -> Result<io::Result<(u32, Grown)>, String> {
    let id = parts::first_text(members, IDS);
    let tools = members.get("tools").map(tools).transpose()?.unwrap_or_default();
    let raw = members.get("messages").ok_or("`messages` is missing")?;
    let list = json::array(raw).map_err(|why| format!("`messages` {why}"))?;
    let texts: Vec<&[u8]> = list.iter().map(|message| message.get().as_bytes()).collect();
    Ok(shelf.grow(line, id.as_deref(), tools.as_bytes(), &texts))
}

/// Tool definitions as compact JSON; empty where the list is.
pub(super) fn tools(raw: &RawValue) -> Result<String, String> {
    let compact = wire::json::compact(raw.get()).map_err(|error| format!("`tools`: {error}"))?;
    if compact == "[]" {
        return Ok(String::new());
    }
    calls::check_tools(raw)?;
    Ok(compact)
}

/// A conversation from the shelf: a message in each piece, the tools in its head.
pub(super) fn draft(
    spool: &mut Spool,
    item: &Item,
    findings: &mut Findings,
) -> io::Result<Result<Draft, String>> {
    let mut draft = Draft { line: item.line, id: item.id.clone(), ..Draft::default() };
    if let Some((head, _)) = item.head {
        let tools = String::from_utf8(spool.read(head)?).unwrap_or_default();
        draft.tools = (!tools.is_empty()).then_some(tools);
    }
    for (n, piece) in item.pieces.iter().enumerate() {
        let text = spool.read(*piece)?;
        let place = format!("messages[{n}]");
        if let Err(why) = one_message(&place, &text, &mut draft, findings) {
            return Ok(Err(format!("`{place}` {why}")));
        }
    }
    Ok(Ok(draft))
}

fn one_message(
    place: &str,
    text: &[u8],
    draft: &mut Draft,
    findings: &mut Findings,
) -> Result<(), String> {
    let text = std::str::from_utf8(text).map_err(|_| "is not UTF-8")?;
    let raw: &RawValue = serde_json::from_str(text).map_err(|error| error.to_string())?;
    read_message(place, &json::object(raw)?, draft, findings)
}

/// Reads an array of messages in OpenAI's shape.
pub(super) fn messages(
    members: &Members<'_>,
    key: &str,
    draft: &mut Draft,
    findings: &mut Findings,
) -> Result<(), String> {
    let raw = members.get(key).ok_or_else(|| format!("`{key}` is missing"))?;
    let list = json::array(raw).map_err(|why| format!("`{key}` {why}"))?;
    for (n, message) in list.into_iter().enumerate() {
        let place = format!("{key}[{n}]");
        let message = json::object(message).map_err(|why| format!("`{place}` {why}"))?;
        read_message(&place, &message, draft, findings)
            .map_err(|why| format!("`{place}` {why}"))?;
    }
    Ok(())
}

fn read_message(
    place: &str,
    message: &Members<'_>,
    draft: &mut Draft,
    findings: &mut Findings,
) -> Result<(), String> {
    let role = parts::first_text(message, &["role"]).ok_or("has no `role`")?;
    // mini-swe-agent's note of why it stopped, and SWE-agent's examples, are no conversation.
    if role == "exit" || message.get("is_demo").is_some_and(|raw| raw.get() == "true") {
        return Ok(());
    }
    let (recorded, others) = match message.get("content") {
        Some(raw) => parts::content(raw).map(|(text, others)| (Some(text), others))?,
        None => (None, 0),
    };
    let content = recorded.clone().unwrap_or_default();
    if others > 0 {
        let text = format!("`{place}`: {others} content parts are no text and are left out");
        findings.push(&At::row(draft.line), Diagnostic::warning("import-content-parts", text));
    }
    let what = match role.as_str() {
        "system" | "developer" if draft.steps.is_empty() && draft.system.is_none() => {
            draft.system = (!content.is_empty()).then_some(content);
            return Ok(());
        }
        "system" | "developer" => {
            let text =
                format!("`{place}` is a second system message; it becomes part of a request");
            findings.push(&At::row(draft.line), Diagnostic::warning("import-system", text));
            What::User(content)
        }
        "user" => What::User(content),
        "assistant" => What::Assistant {
            content: recorded,
            reasoning: parts::first_text(message, &["reasoning_content", "reasoning", "thought"])
                .unwrap_or_default(),
            calls: calls_of(message)?,
        },
        "tool" | "function" => What::Result { id: answered(message), content },
        other => return Err(format!("has the role {}", excerpt(other))),
    };
    let at = ["timestamp", "created_at", "created"]
        .iter()
        .find_map(|key| parts::time(message.get(key)?));
    draft.steps.push(Step { place: place.to_owned(), at, what });
    Ok(())
}

fn calls_of(message: &Members<'_>) -> Result<Vec<Call>, String> {
    let Some(raw) = message.get("tool_calls") else { return Ok(Vec::new()) };
    let mut calls = Vec::new();
    for (n, raw) in json::array(raw)?.into_iter().enumerate() {
        let call = json::object(raw)?;
        let function =
            call.get("function").ok_or_else(|| format!("calls no function in tool_calls[{n}]"))?;
        let function = json::object(function)?;
        let name = parts::first_text(&function, &["name"])
            .ok_or_else(|| format!("has no name in tool_calls[{n}]"))?;
        let fits = parts::first_text(&call, &["type"]).as_deref() == Some("function")
            && function
                .get("arguments")
                .is_some_and(|raw| matches!(json::kind(raw), "text" | "an object"));
        let whole =
            wire::json::compact(raw.get()).map_err(|error| format!("tool_calls[{n}]: {error}"))?;
        calls.push(Call {
            id: parts::first_text(&call, &["id"]),
            name,
            arguments: parts::arguments(function.get("arguments")),
            whole: fits.then_some(whole),
        });
    }
    Ok(calls)
}

/// The call that a message answers; SWE-agent writes a list of one.
fn answered(message: &Members<'_>) -> Option<String> {
    parts::first_text(message, &["tool_call_id"]).or_else(|| {
        let ids = json::array(message.get("tool_call_ids")?).ok()?;
        json::text(ids.first()?).ok()
    })
}
