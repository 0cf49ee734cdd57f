//! Event logs with prompts: `events.jsonl` of the reference client, or of a run with `log.prompts`.
//!
//! Each issued line repeats the whole history; the longest one of a conversation, over all passes,
//! is the conversation. Salt markers are taken away where they are this conversation's and this
//! pass's own; so are, in a log of this program, the spaces of `generated_tokens: clear`.
//!
//! Lost: recorded answers to the last request of each conversation (no later prompt repeats them;
//! what the model replied is another text), turns behind a failure that no pass sent,
//! `intent_codes`, tools that differ from turn to turn, sampling parameters and token limits, the
//! recorded delays: what is written is the time from a reply to the next request in pass 1, which
//! is the recorded delay and the client's own time, and none for a conversation's first request.

use std::collections::HashMap;
use std::io;

use serde_json::value::RawValue;

use super::super::findings::{At, Findings};
use super::super::json::{self, Members};
use super::super::model::is_digits;
use super::draft::{Draft, Step, What};
use super::openai;
use super::parts;
use super::shelf::{Grown, Item, Mark, Shelf, mark};
use super::spool::Spool;
use crate::diagnostics::Diagnostic;
use crate::digest::salt_hex;

/// What a log says beside its prompts.
#[derive(Default)]
pub(super) struct Log {
    /// It was written by this program, which may clear generated texts.
    ours: bool,
    /// When the last reply of a conversation was complete, in nanoseconds.
    replied: HashMap<Mark, u64>,
    /// The requests of each conversation that followed a reply in pass 1.
    waits: HashMap<u32, Vec<Wait>>,
}

/// One request that followed a reply.
#[derive(Clone, Copy)]
struct Wait {
    /// Where its new messages begin and end.
    from: usize,
    to: usize,
    millis: u64,
}

impl Log {
    /// Takes one event. The inner error is the user's.
    pub(super) fn hold(
        &mut self,
        shelf: &mut Shelf,
        line: u64,
        members: &Members<'_>,
        findings: &mut Findings,
    ) -> io::Result<Result<(), String>> {
        self.ours |= members.get("format").is_some();
        let session = parts::first_text(members, &["conversation_id"]).unwrap_or_default();
        let at = members.get("timestamp_ns").and_then(|raw| raw.get().parse::<u64>().ok());
        match parts::first_text(members, &["event_type"]).unwrap_or_default().as_str() {
            "sample.complete" => {
                if let Some(at) = at.filter(|_| members.get("data").is_some()) {
                    self.replied.insert(mark(session.as_bytes()), at);
                }
                Ok(Ok(()))
            }
            "sample.issued" => {
                let parts = match prompt(members) {
                    Ok(Some(parts)) => parts,
                    Ok(None) => return Ok(Ok(())),
                    Err(why) => return Ok(Err(why)),
                };
                self.issued(shelf, line, &session, at, &parts, findings)
            }
            _ => Ok(Ok(())),
        }
    }

    fn issued(
        &mut self,
        shelf: &mut Shelf,
        line: u64,
        session: &str,
        at: Option<u64>,
        prompt: &Prompt<'_>,
        findings: &mut Findings,
    ) -> io::Result<Result<(), String>> {
        let (source, pass) = match session.rsplit_once("__repeat_") {
            Some((source, pass)) if is_digits(pass) => (source, pass),
            _ => (session, "1"),
        };
        let mut texts: Vec<&[u8]> =
            prompt.messages.iter().map(|message| message.get().as_bytes()).collect();
        let unsalted = prompt.messages.first().and_then(|first| unsalted(first, source, pass));
        if let (Some(unsalted), Some(first)) = (&unsalted, texts.first_mut()) {
            *first = unsalted.as_bytes();
        }
        let tools = match prompt.tools.map(openai::tools).transpose() {
            Ok(tools) => tools.unwrap_or_default(),
            Err(why) => return Ok(Err(why)),
        };
        let replied = self.replied.remove(&mark(session.as_bytes()));
        let before = shelf.find(mark(source.as_bytes()), line, Some(source));
        let from = shelf.item(before).pieces.len();
        let (index, grown) = shelf.grow(line, Some(source), tools.as_bytes(), &texts)?;
        if grown == Grown::Rewritten || index != before {
            let text = "the prompt does not begin like the earlier ones of its conversation";
            let finding =
                Diagnostic::warning("import-rewritten", text).note("the longer history counts");
            findings.push(&At::turn(line, source, None), finding);
        }
        if let (Grown::Longer, "1", Some(replied), Some(at)) = (grown, pass, replied, at)
            && texts.len() > from
            && from > 0
        {
            let millis = at.saturating_sub(replied) / 1_000_000;
            let wait = Wait { from, to: texts.len(), millis };
            self.waits.entry(index).or_default().push(wait);
        }
        Ok(Ok(()))
    }

    /// A conversation from the shelf.
    pub(super) fn draft(
        &self,
        index: u32,
        spool: &mut Spool,
        item: &Item,
        findings: &mut Findings,
    ) -> io::Result<Result<Draft, String>> {
        let mut draft = match openai::draft(spool, item, findings)? {
            Ok(draft) => draft,
            Err(why) => return Ok(Err(why)),
        };
        // The system message is no step.
        let heads = item.pieces.len() - draft.steps.len();
        let mut clock = 0;
        for wait in self.waits.get(&index).into_iter().flatten() {
            let (from, to) = (wait.from.saturating_sub(heads), wait.to.saturating_sub(heads));
            let waited = clock + i64::try_from(wait.millis).unwrap_or(i64::MAX / 2);
            for step in draft.steps.get_mut(from..to).into_iter().flatten() {
                let answer = matches!(step.what, What::Assistant { .. });
                step.at = Some(if answer { clock } else { waited });
            }
            clock = waited;
        }
        if self.ours && unclear(&mut draft.steps) {
            let text = "every answer begins with a space, as `generated_tokens: clear` writes it";
            let finding = Diagnostic::warning("import-cleared", text)
                .note("the spaces are taken away; reported once for the whole file");
            findings.push_once("cleared".to_owned(), &At::row(item.line), finding);
        }
        Ok(Ok(draft))
    }
}

/// The parts of a `PromptData` that a data set holds.
struct Prompt<'a> {
    messages: Vec<&'a RawValue>,
    tools: Option<&'a RawValue>,
}

/// The prompt of an issued line; none where there is none.
fn prompt<'a>(members: &Members<'a>) -> Result<Option<Prompt<'a>>, String> {
    let Some(data) = members.get("data") else { return Ok(None) };
    let parts = json::array(data).map_err(|why| format!("`data` {why}"))?;
    let part = |at: usize| parts.get(at).copied().filter(|raw| raw.get() != "null");
    let Some(messages) = part(3) else { return Ok(None) };
    let messages = json::array(messages).map_err(|why| format!("`data[3]` {why}"))?;
    Ok(Some(Prompt { messages, tools: part(4) }))
}

/// The system message without its two markers, where it has just these.
fn unsalted(message: &RawValue, source: &str, pass: &str) -> Option<String> {
    let message = json::object(message).ok()?;
    if parts::first_text(&message, &["role"])? != "system" {
        return None;
    }
    let content = parts::first_text(&message, &["content"])?;
    let before = format!("[salt: {}]\n\n", salt_hex(pass));
    let after = format!("\n\n[salt: {}]", salt_hex(source));
    let content = content.strip_prefix(&before)?.strip_suffix(&after)?;
    Some(format!("{{\"role\":\"system\",\"content\":{}}}", parts::quoted(content)))
}

/// Takes the clearing space from every answer, if every answer has it.
fn unclear(steps: &mut [Step]) -> bool {
    let answers = || {
        steps.iter().filter_map(|step| match &step.what {
            What::Assistant { content, reasoning, .. } => Some((content, reasoning)),
            _ => None,
        })
    };
    let cleared = answers().next().is_some()
        && answers().all(|(content, reasoning)| {
            content.as_ref().is_some_and(|text| text.starts_with(' '))
                && (reasoning.is_empty() || reasoning.starts_with(' '))
        });
    if cleared {
        for step in steps {
            if let What::Assistant { content, reasoning, .. } = &mut step.what {
                let rest = content.as_deref().map(|text| text.get(1..).unwrap_or_default());
                *content = rest.filter(|text| !text.is_empty()).map(str::to_owned);
                *reasoning = reasoning.get(1..).unwrap_or_default().to_owned();
            }
        }
    }
    cleared
}
