//! OpenAI chat snapshots: one object for each conversation, with `messages` and `tools`.
//!
//! Several snapshots of one conversation that follow each other (the same id, or each one the
//! next's beginning) are one conversation: the longest wins.
//!
//! Lost: content parts that are no text, `name`, `refusal`, `audio`, log probabilities, sampling
//! parameters, system messages after the first request (they become part of the next request with
//! `--repair`), tool calls that are no functions.

use super::super::calls;
use super::super::findings::{At, Findings, excerpt};
use super::super::json::{self, Members};
use super::draft::{Call, Draft, Step, What};
use super::parts;
use crate::diagnostics::Diagnostic;
use crate::wire;

/// The keys that may hold a conversation's id.
const IDS: &[&str] = &["conversation_id", "session_id", "id", "instance_id"];

/// Reads one snapshot.
pub(super) fn read(
    line: u64,
    members: &Members<'_>,
    findings: &mut Findings,
) -> Result<Draft, String> {
    let mut draft = Draft { line, id: parts::first_text(members, IDS), ..Draft::default() };
    if let Some(tools) = members.get("tools") {
        let compact =
            wire::json::compact(tools.get()).map_err(|error| format!("`tools`: {error}"))?;
        if compact != "[]" {
            calls::check_tools(tools)?;
            draft.tools = Some(compact);
        }
    }
    messages(members, "messages", &mut draft, findings)?;
    Ok(draft)
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
    let (content, others) = match message.get("content") {
        Some(raw) => parts::content(raw)?,
        None => (String::new(), 0),
    };
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
            content,
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
    for (n, call) in json::array(raw)?.into_iter().enumerate() {
        let call = json::object(call)?;
        let function =
            call.get("function").ok_or_else(|| format!("calls no function in tool_calls[{n}]"))?;
        let function = json::object(function)?;
        calls.push(Call {
            id: parts::first_text(&call, &["id"]),
            name: parts::first_text(&function, &["name"])
                .ok_or_else(|| format!("has no name in tool_calls[{n}]"))?,
            arguments: parts::arguments(function.get("arguments")),
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

/// Whether `later` is a later snapshot of `earlier`'s conversation.
pub(super) fn continues(earlier: &Draft, later: &Draft) -> bool {
    match (&earlier.id, &later.id) {
        (Some(one), Some(other)) => one == other,
        _ => {
            earlier.system == later.system
                && later.steps.len() > earlier.steps.len()
                && later.steps.starts_with(&earlier.steps)
        }
    }
}
