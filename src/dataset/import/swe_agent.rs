//! Trajectory files of mini-swe-agent (`messages`) and SWE-agent (`history`), one document each.
//!
//! mini-swe-agent's messages are OpenAI's, tool calls or commands in the text included; the reply
//! to a command in the text is a user message there and stays one.
//!
//! Lost: `info` (cost, exit status, configuration), `extra`, SWE-agent's `trajectory` (its
//! `history` says the same), the closing `exit` message, demonstrations marked `is_demo`.

use super::super::findings::Findings;
use super::super::json::{self, Members};
use super::draft::Draft;
use super::{openai, parts};

/// Reads one trajectory.
pub(super) fn read(
    line: u64,
    members: &Members<'_>,
    findings: &mut Findings,
) -> Result<Draft, String> {
    let info = members.get("info").and_then(|info| json::object(info).ok());
    let id = parts::first_text(members, &["instance_id", "id"])
        .or_else(|| info.and_then(|info| parts::first_text(&info, &["instance_id"])));
    let mut draft = Draft { line, id, ..Draft::default() };
    let key = if members.get("messages").is_some() { "messages" } else { "history" };
    openai::messages(members, key, &mut draft, findings)?;
    Ok(draft)
}
