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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn reply(reasoning: &str, content: &str, calls: &[(&str, &str)]) -> RecordedReply {
        RecordedReply {
            reasoning: Some(reasoning.to_owned()),
            content: Some(content.to_owned()),
            tool_calls: calls
                .iter()
                .enumerate()
                .map(|(index, (name, arguments))| ToolCall {
                    id: format!("call_{index}"),
                    name: (*name).to_owned(),
                    arguments: (*arguments).to_owned(),
                })
                .collect(),
        }
    }

    /// Reasoning, content and arguments as the fragments give them.
    fn joined(answer: &Answer) -> (String, String, Vec<String>) {
        let (mut reasoning, mut content, mut arguments) = (String::new(), String::new(), vec![]);
        let mut cursor = Cursor::default();
        while let Some(fragment) = answer.next(&mut cursor) {
            match fragment {
                Fragment::Reasoning(text) => reasoning.push_str(text),
                Fragment::Content(text) => content.push_str(text),
                Fragment::Call(index, _) => {
                    assert_eq!(index, arguments.len());
                    arguments.push(String::new());
                }
                Fragment::Arguments(index, text) => arguments[index].push_str(text),
            }
        }
        (reasoning, content, arguments)
    }

    #[test]
    fn one_fragment_for_each_token_of_plain_text() {
        let answer = Answer::new(reply("12345678", "1234", &[]), 1, None);
        assert_eq!((answer.fragments(), answer.completion_tokens()), (3, 3));
        assert_eq!(answer.finish, FinishReason::Stop);
        assert_eq!(Answer::new(reply("12345678", "1234", &[]), 2, None).fragments(), 2);
    }

    #[test]
    fn a_call_opens_with_a_fragment_of_its_own() {
        let answer = Answer::new(reply("", "", &[("bash", "{\"a\":1}"), ("ls", "")]), 1, None);
        assert_eq!(answer.fragments(), 4);
        assert_eq!(answer.completion_tokens(), 4);
        assert_eq!(answer.finish, FinishReason::ToolCalls);
    }

    #[test]
    fn the_limit_cuts_reasoning_first_then_content_then_calls() {
        let cut = |limit| {
            let calls = [("bash", "{\"a\":1}"), ("bash", "{}")];
            let answer = Answer::new(reply("12345678", "1234", &calls), 1, Some(limit));
            (joined(&answer), answer.completion_tokens(), answer.finish)
        };
        let of = |reasoning: &str, content: &str, arguments: &[&str]| {
            let arguments = arguments.iter().map(|text| (*text).to_owned()).collect();
            (reasoning.to_owned(), content.to_owned(), arguments)
        };
        assert_eq!(cut(1), (of("1234", "", &[]), 1, FinishReason::Length));
        assert_eq!(cut(3), (of("12345678", "1234", &[]), 3, FinishReason::Length));
        assert_eq!(cut(5), (of("12345678", "1234", &["{\"a\""]), 5, FinishReason::Length));
        let all = of("12345678", "1234", &["{\"a\":1}", "{}"]);
        assert_eq!(cut(8), (all, 8, FinishReason::ToolCalls));
    }

    proptest! {
        #[test]
        fn fragments_join_to_the_reply(
            reasoning in "\\PC{0,40}",
            content in "\\PC{0,40}",
            arguments in proptest::collection::vec("\\PC{0,40}", 0..3),
            chunk_tokens in 1..5_u32,
        ) {
            let calls: Vec<_> = arguments.iter().map(|text| ("f", text.as_str())).collect();
            let answer = Answer::new(reply(&reasoning, &content, &calls), chunk_tokens, None);
            prop_assert_eq!(joined(&answer), (reasoning, content, arguments));
        }

        #[test]
        fn the_limit_holds(
            reasoning in "\\PC{0,40}",
            content in "\\PC{0,40}",
            arguments in "\\PC{0,40}",
            limit in 1..40_u64,
        ) {
            let full = reply(&reasoning, &content, &[("bash", &arguments)]);
            let whole = Answer::new(full.clone(), 1, None).completion_tokens();
            let answer = Answer::new(full, 1, Some(limit));
            prop_assert!(answer.completion_tokens() <= limit);
            prop_assert_eq!(answer.finish == FinishReason::Length, whole > limit);
        }
    }
}
