//! Claude Code sessions: JSON Lines of events with `sessionId`, one file for each session.
//!
//! Sub-agents (`isSidechain`) become conversations of their own, `<session>-agent-<n>`. `thinking`
//! becomes reasoning, `tool_use` a call, `tool_result` a result, timestamps delays.
//!
//! Lost: the system prompt and the tool definitions, which the file does not hold (`--system` gives
//! one), images, summaries, meta events, usage, file snapshots, and the branches of a session that
//! were left (events count in file order).

use std::collections::{BTreeMap, HashMap};
use std::io;

use serde_json::value::RawValue;

use super::super::findings::{At, Findings};
use super::super::json::{self, Members};
use super::draft::{Call, Draft, Step, What};
use super::parts;
use super::shelf::{Item, Mark, Shelf, mark};
use super::spool::Spool;
use crate::diagnostics::Diagnostic;

/// Which event belongs to which conversation.
#[derive(Default)]
pub(super) struct Sessions {
    /// The sub-agents of each session, in the order in which they began.
    agents: BTreeMap<String, Vec<u32>>,
    /// The conversation of each event, by the event's `uuid`.
    events: HashMap<Mark, u32>,
}

impl Sessions {
    /// Puts one event on the shelf of the conversation that it belongs to.
    pub(super) fn hold(
        &mut self,
        shelf: &mut Shelf,
        line: u64,
        text: &str,
        members: &Members<'_>,
        findings: &mut Findings,
    ) -> io::Result<()> {
        let kind = parts::first_text(members, &["type"]).unwrap_or_default();
        let meta = members.get("isMeta").is_some_and(|raw| raw.get() == "true");
        let Some(session) = parts::first_text(members, &["sessionId"]) else { return Ok(()) };
        if !matches!(kind.as_str(), "user" | "assistant") || meta {
            return Ok(());
        }
        let uuid = parts::first_text(members, &["uuid"]).map(|uuid| mark(uuid.as_bytes()));
        if uuid.is_some_and(|uuid| self.events.contains_key(&uuid)) {
            let finding = Diagnostic::warning("import-twice", "this event was there before")
                .note("it counts once; reported once for the whole file");
            findings.push_once("event twice".to_owned(), &At::row(line), finding);
            return Ok(());
        }
        let index = self.conversation(shelf, line, &session, members);
        if let Some(uuid) = uuid {
            self.events.insert(uuid, index);
        }
        shelf.append(index, format!("{line} {text}").as_bytes())
    }

    /// The conversation of an event. A sub-agent without an id of its own goes on with the event's
    /// parent, and begins with a message that has none.
    fn conversation(
        &mut self,
        shelf: &mut Shelf,
        line: u64,
        session: &str,
        members: &Members<'_>,
    ) -> u32 {
        if members.get("isSidechain").is_none_or(|raw| raw.get() != "true") {
            return shelf.find(mark(format!("main {session}").as_bytes()), line, Some(session));
        }
        let agents = self.agents.entry(session.to_owned()).or_default();
        let name = format!("{session}-agent-{}", agents.len() + 1);
        let index = if let Some(agent) = parts::first_text(members, &["agentId"]) {
            let key = mark(format!("agent {session} {agent}").as_bytes());
            shelf.find(key, line, Some(&name))
        } else {
            let parent = parts::first_text(members, &["parentUuid"]);
            let known = parent.as_ref().and_then(|uuid| self.events.get(&mark(uuid.as_bytes())));
            let known = known.copied().filter(|index| agents.contains(index));
            let last = agents.last().copied().filter(|_| parent.is_some());
            known.or(last).unwrap_or_else(|| {
                shelf.add(Item { line, id: Some(name.clone()), ..Item::default() })
            })
        };
        if !agents.contains(&index) {
            agents.push(index);
        }
        index
    }
}

/// A conversation from the shelf: an event with its line in each piece.
pub(super) fn draft(spool: &mut Spool, item: &Item, findings: &mut Findings) -> io::Result<Draft> {
    let mut draft = Draft { line: item.line, id: item.id.clone(), ..Draft::default() };
    for piece in &item.pieces {
        let text = spool.read(*piece)?;
        let text = String::from_utf8_lossy(&text);
        let (line, event) = text.split_once(' ').unwrap_or_default();
        let line = line.parse().unwrap_or(item.line);
        match take(line, event, findings) {
            Ok(steps) => draft.steps.extend(steps),
            Err(why) => {
                findings.push(&At::row(line), Diagnostic::error("import-shape", why));
            }
        }
    }
    Ok(draft)
}

fn take(line: u64, event: &str, findings: &mut Findings) -> Result<Vec<Step>, String> {
    let raw: &RawValue = serde_json::from_str(event).map_err(|error| error.to_string())?;
    let members = json::object(raw)?;
    let kind = parts::first_text(&members, &["type"]).unwrap_or_default();
    let message = members.get("message").ok_or("`message` is missing")?;
    let message = json::object(message).map_err(|why| format!("`message` {why}"))?;
    let at = members.get("timestamp").and_then(parts::time);
    read_message(line, &kind, at, &message, findings)
}

fn read_message(
    line: u64,
    kind: &str,
    at: Option<i64>,
    message: &Members<'_>,
    findings: &mut Findings,
) -> Result<Vec<Step>, String> {
    let Some(raw) = message.get("content") else { return Ok(Vec::new()) };
    let place = format!("line {line}");
    let step = |what| Step { place: place.clone(), at, what };
    if json::kind(raw) == "text" {
        let text = json::text(raw)?;
        return Ok(vec![step(match kind {
            "user" => What::User(text),
            _ => {
                What::Assistant { content: Some(text), reasoning: String::new(), calls: Vec::new() }
            }
        })]);
    }
    let (mut texts, mut thoughts, mut calls, mut steps) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for block in json::array(raw).map_err(|why| format!("`message.content` {why}"))? {
        let block =
            json::object(block).map_err(|why| format!("a block of `message.content` {why}"))?;
        match parts::first_text(&block, &["type"]).unwrap_or_default().as_str() {
            "text" => texts.extend(parts::first_text(&block, &["text"])),
            "thinking" => thoughts.extend(parts::first_text(&block, &["thinking"])),
            "tool_use" => calls.push(Call {
                id: parts::first_text(&block, &["id"]),
                name: parts::first_text(&block, &["name"]).ok_or("a `tool_use` has no `name`")?,
                arguments: parts::arguments(block.get("input")),
                whole: None,
            }),
            "tool_result" => {
                let content = block.get("content").map(parts::content).transpose()?;
                let (content, others) = content.unwrap_or_default();
                left_out(line, others, findings);
                let id = parts::first_text(&block, &["tool_use_id"]);
                steps.push(step(What::Result { id, content }));
            }
            "redacted_thinking" => {}
            _ => left_out(line, 1, findings),
        }
    }
    if kind == "user" {
        if !texts.is_empty() {
            steps.push(step(What::User(texts.join("\n"))));
        }
    } else {
        let content = (!texts.is_empty()).then(|| texts.join("\n"));
        let reasoning = thoughts.join("\n");
        steps.push(step(What::Assistant { content, reasoning, calls }));
    }
    Ok(steps)
}

fn left_out(line: u64, blocks: usize, findings: &mut Findings) {
    if blocks > 0 {
        let text = format!("{blocks} content blocks are no text and are left out");
        findings.push(&At::row(line), Diagnostic::warning("import-content-parts", text));
    }
}
