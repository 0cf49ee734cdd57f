//! Block-hash traces (Mooncake's, and Qwen's from Bailian): one request in each line, as
//! `input_length`, `output_length`, `hash_ids` and `timestamp`, without any text.
//!
//! Texts are made up: one common English word for each token, chosen by the hash of the block that
//! the token lies in, so that requests that begin with the same blocks begin with the same words.
//! The first block is the system prompt. A request with a `session_id`, or whose `parent_chat_id` is
//! another's `chat_id`, is a later turn of that conversation; a second child of one parent begins a
//! conversation of its own. `input_length` of a later turn counts the whole context where the row has
//! a `chat_id` or its hashes begin with the turn's before, else only what is new.
//!
//! Lost: the texts (words are about one token each, so lengths are about right); arrival times, since
//! a replay is closed loop (inside a conversation the time between two arrivals becomes the delay,
//! the answer's own time included); what conversations share behind their first requests; `type`;
//! how long the model really answers (`output_length` is the length of the recorded answer).

use std::collections::HashMap;
use std::io;

use serde_json::value::RawValue;

use super::super::findings::{At, Findings, excerpt};
use super::super::json::{self, Members};
use super::convert::Options;
use super::draft::{Draft, Step, What};
use super::made_up::{Tokens, seed_of};
use super::shelf::{Item, Mark, Shelf, mark};
use super::spool::Spool;
use crate::diagnostics::Diagnostic;

/// Tokens of a block in Mooncake's traces.
const BLOCK: u64 = 512;
/// Tokens of a block in traces with `chat_id`.
const CHAT_BLOCK: u64 = 16;
/// The most tokens of one request that are believed.
const MAX_TOKENS: u64 = 4 << 20;

/// Which request goes on with which.
#[derive(Default)]
pub(super) struct Traces {
    /// Conversations by the `chat_id` of their last turn.
    open: HashMap<Mark, u32>,
}

/// What becomes of a row.
pub(super) enum Held {
    /// It waits for more.
    Waits,
    /// It is a conversation by itself.
    Alone(Draft),
}

/// One row.
struct Request<'a> {
    line: u64,
    /// Arrival, in milliseconds.
    at: Option<i64>,
    /// Told wait before it, in milliseconds.
    delay: Option<i64>,
    input: u64,
    output: u64,
    blocks: Vec<&'a RawValue>,
    block: u64,
    /// The row says of itself that its input is the whole context.
    whole: bool,
}

impl Traces {
    /// Takes one row. The inner error is the user's.
    pub(super) fn hold(
        &mut self,
        shelf: &mut Shelf,
        line: u64,
        text: &str,
        members: &Members<'_>,
        options: &Options,
        findings: &mut Findings,
    ) -> io::Result<Result<Held, String>> {
        let request = match Request::read(line, members, options, Some(findings)) {
            Ok(request) => request,
            Err(why) => return Ok(Err(why)),
        };
        let index = if let Some(session) = label(members, "session_id") {
            shelf.find(mark(session.as_bytes()), line, Some(&session))
        } else if let Some(chat) = label(members, "chat_id") {
            self.chat(shelf, line, &chat, label(members, "parent_chat_id"))
        } else {
            let mut draft = Draft { line, ..Draft::default() };
            let mut talk = Talk::new(&mut draft, options, line);
            return Ok(talk.turn(&request).map(|()| Held::Alone(draft)));
        };
        shelf.append(index, format!("{line} {text}").as_bytes())?;
        Ok(Ok(Held::Waits))
    }

    fn chat(&mut self, shelf: &mut Shelf, line: u64, chat: &str, parent: Option<String>) -> u32 {
        let parent = parent.and_then(|parent| self.open.remove(&mark(parent.as_bytes())));
        let index = parent.unwrap_or_else(|| {
            let id = Some(format!("chat-{chat}"));
            shelf.add(Item { line, id, ..Item::default() })
        });
        self.open.insert(mark(chat.as_bytes()), index);
        index
    }
}

/// A conversation from the shelf: a row with its line in each piece.
pub(super) fn draft(
    spool: &mut Spool,
    item: &Item,
    options: &Options,
) -> io::Result<Result<Draft, String>> {
    let mut draft = Draft { line: item.line, id: item.id.clone(), ..Draft::default() };
    let mut talk = Talk::new(&mut draft, options, item.line);
    for piece in &item.pieces {
        let text = spool.read(*piece)?;
        let text = String::from_utf8_lossy(&text);
        let (line, row) = text.split_once(' ').unwrap_or_default();
        let read = Members::parse(row).map_err(|error| error.to_string()).and_then(|members| {
            Request::read(line.parse().unwrap_or(item.line), &members, options, None)
                .and_then(|request| talk.turn(&request))
        });
        if let Err(why) = read {
            return Ok(Err(why));
        }
    }
    Ok(Ok(draft))
}

/// An id that may be a text or a number; −1 is none.
fn label(members: &Members<'_>, key: &str) -> Option<String> {
    let raw = members.get(key)?;
    let text = json::text(raw).unwrap_or_else(|_| raw.get().to_owned());
    (!text.is_empty() && text != "-1").then_some(text)
}

/// A whole number of tokens.
fn tokens(members: &Members<'_>, key: &str) -> Result<Option<u64>, String> {
    let Some(raw) = members.get(key) else { return Ok(None) };
    match raw.get().parse::<u64>() {
        Ok(tokens) if tokens <= MAX_TOKENS => Ok(Some(tokens)),
        _ => Err(format!(
            "`{key}` is {}, expected a whole number of up to {MAX_TOKENS} tokens",
            excerpt(raw.get())
        )),
    }
}

impl<'a> Request<'a> {
    fn read(
        line: u64,
        members: &Members<'a>,
        options: &Options,
        findings: Option<&mut Findings>,
    ) -> Result<Self, String> {
        let input = tokens(members, "input_length")?.filter(|input| *input > 0);
        let input = input.ok_or("`input_length` is missing or 0")?;
        let output = tokens(members, "output_length")?.unwrap_or(0);
        let blocks = members.get("hash_ids").map(json::array).transpose();
        let blocks = blocks.map_err(|why| format!("`hash_ids` {why}"))?.unwrap_or_default();
        let whole = members.get("chat_id").is_some();
        let block = options.block_tokens.unwrap_or(if whole { CHAT_BLOCK } else { BLOCK });
        let fitting = input / block..=input.div_ceil(block);
        if let Some(findings) = findings
            && !blocks.is_empty()
            && !fitting.contains(&(blocks.len() as u64))
        {
            let (count, size) = (blocks.len(), input.div_ceil(blocks.len() as u64));
            let text = format!("{count} block hashes for {input} tokens are not blocks of {block}");
            let finding = Diagnostic::warning("import-blocks", text)
                .note("tokens without a hash are shared with no other request; reported once")
                .help(format!("--block-tokens says the size; here it may be {size}"));
            findings.push_once("blocks".to_owned(), &At::row(line), finding);
        }
        let milli = |key: &str, factor: f64| {
            let number = json::number(members.get(key)?).ok()?;
            #[expect(clippy::cast_possible_truncation, reason = "a cast saturates")]
            number.is_finite().then_some((number * factor).round() as i64)
        };
        Ok(Self {
            line,
            at: milli("timestamp", if whole { 1000.0 } else { 1.0 }),
            delay: milli("delay", 1.0),
            input,
            output,
            blocks,
            block,
            whole,
        })
    }

    /// Its words from here to there in its context; `seed` for those without a block.
    fn words(&self, seed: u64, from: u64, to: u64) -> String {
        let mut tokens = Tokens::default();
        let mut at = from;
        while at < to {
            let (number, within) = (at / self.block, at % self.block);
            let count = (self.block - within).min(to - at);
            let hash = usize::try_from(number).ok().and_then(|n| self.blocks.get(n));
            let seed = hash.map_or(seed ^ number, |hash| seed_of(hash.get().as_bytes()));
            tokens.push(seed, within, count);
            at += count;
        }
        tokens.into_text()
    }
}

/// A conversation that is being made up.
struct Talk<'d> {
    draft: &'d mut Draft,
    /// The most text, in bytes, and how much there is.
    limit: usize,
    bytes: usize,
    seed: u64,
    /// Tokens of the last request and of the answer to it.
    context: u64,
    /// Hashes of the last request's whole blocks.
    blocks: Vec<String>,
    clock: Option<i64>,
}

impl<'d> Talk<'d> {
    fn new(draft: &'d mut Draft, options: &Options, line: u64) -> Self {
        let seed = draft
            .id
            .as_ref()
            .map_or_else(|| seed_of(&line.to_le_bytes()), |id| seed_of(id.as_bytes()));
        let limit = options.conversation_bytes;
        Self { draft, limit, bytes: 0, seed, context: 0, blocks: Vec::new(), clock: None }
    }

    /// Appends a request and the answer to it.
    fn turn(&mut self, request: &Request<'_>) -> Result<(), String> {
        let seed = self.seed ^ seed_of(&request.line.to_le_bytes());
        let first = self.draft.steps.is_empty();
        let goes_on = !first && (request.whole || self.begins(request));
        let from = if first {
            let half = request.input.div_ceil(2).min(request.input - 1);
            let system = if request.input > request.block { request.block } else { half };
            let text = request.words(seed, 0, system);
            self.take(&text)?;
            self.draft.system = (!text.is_empty()).then_some(text);
            system
        } else if goes_on {
            self.context.min(request.input - 1)
        } else {
            0
        };
        if matches!(self.draft.steps.last(), Some(Step { what: What::User(_), .. })) {
            self.answer(seed, 1, request.line)?;
        }
        self.clock = match (request.delay, self.clock) {
            (Some(delay), Some(before)) => Some(before.saturating_add(delay)),
            (Some(_), None) => Some(0),
            (None, _) => request.at,
        };
        let content = request.words(seed, from, request.input);
        self.take(&content)?;
        let place = format!("row {}", request.line);
        self.draft.steps.push(Step { place, at: self.clock, what: What::User(content) });
        if request.output > 0 {
            self.answer(seed, request.output, request.line)?;
        }
        let before = if first || goes_on { 0 } else { self.context };
        self.context = before + request.input + request.output;
        let whole = usize::try_from(request.input / request.block).unwrap_or(usize::MAX);
        let blocks = request.blocks.iter().take(whole);
        self.blocks = blocks.map(|hash| hash.get().to_owned()).collect();
        Ok(())
    }

    /// An answer of so many words of its own.
    fn answer(&mut self, seed: u64, words: u64, line: u64) -> Result<(), String> {
        let mut tokens = Tokens::default();
        tokens.push(seed ^ 1, 0, words);
        let content = tokens.into_text();
        self.take(&content)?;
        let (reasoning, calls) = (String::new(), Vec::new());
        let what = What::Assistant { content: Some(content), reasoning, calls };
        self.draft.steps.push(Step { place: format!("row {line}"), at: self.clock, what });
        Ok(())
    }

    /// Whether the request's hashes begin with all whole blocks of the one before.
    fn begins(&self, request: &Request<'_>) -> bool {
        !self.blocks.is_empty()
            && request.input >= self.context
            && request.blocks.len() >= self.blocks.len()
            && self.blocks.iter().zip(&request.blocks).all(|(known, hash)| known == hash.get())
    }

    fn take(&mut self, text: &str) -> Result<(), String> {
        self.bytes += text.len();
        if self.bytes > self.limit {
            return Err(format!("the conversation is longer than {} bytes", self.limit));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(row: &str) -> Draft {
        let members = Members::parse(row).unwrap();
        let mut findings = Findings::new(std::path::Path::new("t.jsonl"), 10);
        let mut shelf = Shelf::new(None);
        let options = Options { block_tokens: Some(4), ..Options::default() };
        let mut traces = Traces::default();
        let held = traces.hold(&mut shelf, 1, row, &members, &options, &mut findings);
        match held.unwrap().unwrap() {
            Held::Alone(draft) => draft,
            Held::Waits => panic!("waits"),
        }
    }

    fn prompt(draft: &Draft) -> Vec<String> {
        let What::User(content) = &draft.steps[0].what else { panic!("no request") };
        let text = format!("{} {content}", draft.system.as_deref().unwrap());
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn equal_blocks_are_equal_words_and_lengths_are_kept() {
        let one = prompt(&request(r#"{"input_length":10,"output_length":3,"hash_ids":[7,8,9]}"#));
        let two = prompt(&request(r#"{"input_length":11,"output_length":0,"hash_ids":[7,8,5]}"#));
        assert_eq!((one.len(), two.len()), (10, 11));
        assert_eq!(one[..8], two[..8]);
        assert_ne!(one[8..], two[8..10]);
        let other = prompt(&request(r#"{"input_length":10,"hash_ids":["7","8","9"]}"#));
        assert_ne!(one[..4], other[..4]);
    }

    #[test]
    fn the_smallest_request_has_no_system_prompt() {
        let draft = request(r#"{"input_length":1,"output_length":1}"#);
        assert_eq!((draft.system, draft.steps.len()), (None, 2));
    }
}
