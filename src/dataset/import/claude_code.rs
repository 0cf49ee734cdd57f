//! Claude Code sessions: JSON Lines of events with `sessionId`, one file for each session.
//!
//! Sub-agents (`isSidechain`) become conversations of their own, `<session>-agent-<n>`. `thinking`
//! becomes reasoning, `tool_use` a call, `tool_result` a result, timestamps delays.
//!
//! Lost: the system prompt and the tool definitions, which the file does not hold (`--system` gives
//! one), images, summaries, meta events, usage, file snapshots, and branches that were left.

use super::super::findings::{At, Findings};
use super::super::json::{self, Members};
use super::draft::{Call, Draft, Step, What};
use super::parts;
use crate::diagnostics::Diagnostic;

/// The conversations of one session.
#[derive(Default)]
pub(super) struct Session {
    pub(super) id: String,
    main: Draft,
    agents: Vec<(String, Draft)>,
}

/// What an event is of: its session.
pub(super) fn session_of(members: &Members<'_>) -> Option<String> {
    parts::first_text(members, &["sessionId"])
}

impl Session {
    /// The session that starts in this line.
    pub(super) fn new(id: String, line: u64) -> Self {
        Self {
            main: Draft { line, id: Some(id.clone()), ..Draft::default() },
            id,
            agents: Vec::new(),
        }
    }

    /// The conversations: the session's own and its agents'.
    pub(super) fn into_drafts(self) -> Vec<Draft> {
        let agents = self.agents.into_iter().map(|(_, draft)| draft);
        std::iter::once(self.main).chain(agents).filter(|draft| !draft.steps.is_empty()).collect()
    }

    /// Takes one event.
    pub(super) fn take(
        &mut self,
        line: u64,
        members: &Members<'_>,
        findings: &mut Findings,
    ) -> Result<(), String> {
        let kind = parts::first_text(members, &["type"]).unwrap_or_default();
        let meta = members.get("isMeta").is_some_and(|raw| raw.get() == "true");
        if !matches!(kind.as_str(), "user" | "assistant") || meta {
            return Ok(());
        }
        let message = members.get("message").ok_or("`message` is missing")?;
        let message = json::object(message).map_err(|why| format!("`message` {why}"))?;
        let at = members.get("timestamp").and_then(parts::time);
        let steps = read_message(line, &kind, at, &message, findings)?;
        self.draft(line, members).steps.extend(steps);
        Ok(())
    }

    /// The conversation that an event belongs to. A sub-agent without an id of its own begins
    /// with a message that has no parent.
    fn draft(&mut self, line: u64, members: &Members<'_>) -> &mut Draft {
        if members.get("isSidechain").is_none_or(|raw| raw.get() != "true") {
            return &mut self.main;
        }
        let agent = parts::first_text(members, &["agentId"]);
        let parent = members.get("parentUuid").is_some();
        let known = match &agent {
            Some(agent) => self.agents.iter().position(|(known, _)| known == agent),
            None => self.agents.len().checked_sub(1).filter(|_| parent),
        };
        let at = known.unwrap_or_else(|| {
            let id = format!("{}-agent-{}", self.id, self.agents.len() + 1);
            let draft = Draft { line, id: Some(id), ..Draft::default() };
            self.agents.push((agent.unwrap_or_default(), draft));
            self.agents.len() - 1
        });
        &mut self.agents[at].1
    }
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
            _ => What::Assistant { content: text, reasoning: String::new(), calls: Vec::new() },
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
        let (content, reasoning) = (texts.join("\n"), thoughts.join("\n"));
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
