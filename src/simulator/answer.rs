//! A planned reply, cut to the token limit and into the fragments that are streamed.

use crate::wire::FinishReason;
use crate::wire::encode::ChunkEncoder;

use super::replies::{RecordedReply, TOKEN_BYTES, ToolCall, tokens};

/// What will be answered.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) reasoning: String,
    pub(super) content: String,
    pub(super) calls: Vec<ToolCall>,
    pub(super) finish: FinishReason,
    /// Bytes of text in a fragment.
    chunk_bytes: usize,
}

/// Where in an answer the next fragment starts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cursor {
    part: usize,
    offset: usize,
    call_opened: bool,
}

/// One piece of a streamed answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fragment<'a> {
    Reasoning(&'a str),
    Content(&'a str),
    /// The start of the call with this index.
    Call(usize, &'a ToolCall),
    /// Part of the arguments of the call with this index.
    Arguments(usize, &'a str),
}

impl Answer {
    /// Plans `reply`, generating at most `max_tokens`.
    pub(super) fn new(reply: RecordedReply, chunk_tokens: u32, max_tokens: Option<u64>) -> Self {
        let mut answer = Self {
            reasoning: reply.reasoning.unwrap_or_default(),
            content: reply.content.unwrap_or_default(),
            calls: reply.tool_calls,
            finish: FinishReason::Stop,
            chunk_bytes: (chunk_tokens as usize).saturating_mul(TOKEN_BYTES),
        };
        if !answer.calls.is_empty() {
            answer.finish = FinishReason::ToolCalls;
        }
        if let Some(limit) = max_tokens
            && answer.completion_tokens() > limit
        {
            answer.cut(limit);
        }
        answer
    }

    /// An answer without any token.
    pub(super) fn empty() -> Self {
        Self::new(RecordedReply::default(), 1, None)
    }

    /// The simulated count of generated tokens.
    pub(super) fn completion_tokens(&self) -> u64 {
        let calls: u64 =
            self.calls.iter().map(|c| tokens(c.name.len()) + tokens(c.arguments.len())).sum();
        self.reasoning_tokens() + tokens(self.content.len()) + calls
    }

    /// The simulated count of generated tokens that are reasoning.
    pub(super) fn reasoning_tokens(&self) -> u64 {
        tokens(self.reasoning.len())
    }

    /// How many fragments it is streamed in.
    pub(super) fn fragments(&self) -> u64 {
        let mut cursor = Cursor::default();
        let mut count = 0;
        while self.next(&mut cursor).is_some() {
            count += 1;
        }
        count
    }

    fn cut(&mut self, limit: u64) {
        self.finish = FinishReason::Length;
        let mut left = limit;
        left -= cut_text(&mut self.reasoning, left);
        left -= cut_text(&mut self.content, left);
        for position in 0..self.calls.len() {
            let call = &mut self.calls[position];
            let name = tokens(call.name.len());
            if left == 0 || name > left {
                self.calls.truncate(position);
                return;
            }
            left -= name;
            left -= cut_text(&mut call.arguments, left);
        }
    }

    /// The fragment at the cursor, which moves behind it; none at the end.
    pub(super) fn next(&self, cursor: &mut Cursor) -> Option<Fragment<'_>> {
        loop {
            let piece = match cursor.part {
                0 => self.piece(&self.reasoning, cursor).map(Fragment::Reasoning),
                1 => self.piece(&self.content, cursor).map(Fragment::Content),
                part => {
                    let index = part - 2;
                    let call = self.calls.get(index)?;
                    if cursor.call_opened {
                        self.piece(&call.arguments, cursor)
                            .map(|text| Fragment::Arguments(index, text))
                    } else {
                        cursor.call_opened = true;
                        Some(Fragment::Call(index, call))
                    }
                }
            };
            if piece.is_some() {
                return piece;
            }
            *cursor = Cursor { part: cursor.part + 1, ..Cursor::default() };
        }
    }

    fn piece<'a>(&self, text: &'a str, cursor: &mut Cursor) -> Option<&'a str> {
        let start = cursor.offset;
        if start >= text.len() {
            return None;
        }
        let end = text.ceil_char_boundary(start.saturating_add(self.chunk_bytes));
        cursor.offset = end;
        Some(&text[start..end])
    }
}

/// Cuts a text to `limit` tokens; returns how many it has then.
fn cut_text(text: &mut String, limit: u64) -> u64 {
    let bytes = usize::try_from(limit).unwrap_or(usize::MAX).saturating_mul(TOKEN_BYTES);
    if bytes < text.len() {
        text.truncate(text.floor_char_boundary(bytes));
    }
    tokens(text.len())
}

impl Fragment<'_> {
    /// Appends the chunk of this fragment.
    pub(super) fn encode(&self, encoder: &ChunkEncoder, out: &mut Vec<u8>) {
        match *self {
            Self::Reasoning(text) => encoder.reasoning(out, text),
            Self::Content(text) => encoder.content(out, text),
            Self::Call(index, call) => encoder.call(out, index, &call.id, &call.name),
            Self::Arguments(index, text) => encoder.arguments(out, index, text),
        }
    }
}
