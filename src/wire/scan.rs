//! Reading the usual chunks without a JSON library, in half the time.
//!
//! Nearly all chunks of nearly all servers are compact JSON of the same few keys with flat values.
//! What is read here is read exactly as `serde_json` reads it into a [`Chunk`]; whatever is unusual
//! (whitespace, numbers that are no plain integers, nested values under unknown keys, a key that
//! stands twice, errors, whole replies) is left to it.

#![expect(clippy::option_option, reason = "the outer one says whether the usual was found")]

use super::chunk::{
    Arguments, Choice, Chunk, CompletionDetails, Delta, First, Function, Many, MaybeText,
    PromptDetails, ToolCall, UsageJson,
};

/// The most digits of a number that fits 64 bits whatever they are.
const MAX_DIGITS: usize = 19;

/// The chunk that `data` is; none where only a full parse can tell.
pub(super) fn scan(data: &[u8]) -> Option<Chunk<'_>> {
    let mut scanner = Scanner { rest: data };
    let chunk = scanner.chunk()?;
    scanner.rest.is_empty().then_some(chunk)
}

/// Reads one thing after the other; every method gives up with `None`.
struct Scanner<'a> {
    /// What is not read yet.
    rest: &'a [u8],
}

impl<'a> Scanner<'a> {
    fn chunk(&mut self) -> Option<Chunk<'a>> {
        let (mut object, mut choices, mut usage) = (None, None, None);
        self.object(|scanner, key| match key {
            b"object" => once(&mut object, scanner.text()?),
            b"choices" => once(&mut choices, scanner.choices()?),
            b"usage" => once(&mut usage, scanner.nullable(Self::usage)?),
            b"error" | b"message" => None,
            _ => scanner.skip(),
        })?;
        Some(Chunk {
            choices: choices.unwrap_or_default(),
            usage: usage.flatten().map(Box::new),
            object: object.unwrap_or_default(),
            ..Chunk::default()
        })
    }

    /// A list of one choice, or of none.
    fn choices(&mut self) -> Option<First<Choice<'a>>> {
        self.take(b"[")?;
        if self.take(b"]").is_some() {
            return Some(First::default());
        }
        let first = Some(self.choice()?);
        self.take(b"]")?;
        Some(First { first })
    }

    fn choice(&mut self) -> Option<Choice<'a>> {
        let (mut delta, mut finish_reason) = (None, None);
        self.object(|scanner, key| match key {
            b"delta" => once(&mut delta, scanner.delta()?),
            b"finish_reason" => once(&mut finish_reason, scanner.text()?),
            b"message" => None,
            _ => scanner.skip(),
        })?;
        let finish_reason = finish_reason.unwrap_or_default();
        Some(Choice { delta, finish_reason, ..Choice::default() })
    }

    fn delta(&mut self) -> Option<Delta<'a>> {
        let (mut content, mut reasoning_content, mut reasoning) = (None, None, None);
        let mut calls = None;
        self.object(|scanner, key| match key {
            b"content" => once(&mut content, scanner.text()?),
            b"reasoning_content" => once(&mut reasoning_content, scanner.text()?),
            b"reasoning" => once(&mut reasoning, scanner.text()?),
            b"tool_calls" => once(&mut calls, scanner.nullable(Self::calls)?),
            _ => scanner.skip(),
        })?;
        Some(Delta {
            content: content.unwrap_or_default(),
            reasoning_content: reasoning_content.unwrap_or_default(),
            reasoning: reasoning.unwrap_or_default(),
            tool_calls: Many::new(calls.flatten().unwrap_or_default()),
        })
    }

    fn calls(&mut self) -> Option<Vec<ToolCall<'a>>> {
        self.take(b"[")?;
        let mut calls = Vec::new();
        if self.take(b"]").is_some() {
            return Some(calls);
        }
        loop {
            calls.push(self.call()?);
            if self.take(b",").is_none() {
                return self.take(b"]").map(|()| calls);
            }
        }
    }

    fn call(&mut self) -> Option<ToolCall<'a>> {
        let (mut index, mut id, mut function) = (None, None, None);
        self.object(|scanner, key| match key {
            b"index" => {
                let number = scanner.nullable(|scanner| u32::try_from(scanner.number()?).ok())?;
                once(&mut index, number)
            }
            b"id" => once(&mut id, scanner.text()?),
            b"function" => once(&mut function, scanner.nullable(Self::function)?),
            _ => scanner.skip(),
        })?;
        let (index, id) = (index.flatten(), id.unwrap_or_default());
        Some(ToolCall { index, id, function: function.flatten() })
    }

    fn function(&mut self) -> Option<Function<'a>> {
        let (mut name, mut arguments) = (None, None);
        self.object(|scanner, key| match key {
            b"name" => once(&mut name, scanner.text()?),
            b"arguments" => once(&mut arguments, scanner.text()?),
            _ => scanner.skip(),
        })?;
        let arguments = arguments.map(Arguments::Text).unwrap_or_default();
        Some(Function { name: name.unwrap_or_default(), arguments })
    }

    fn usage(&mut self) -> Option<UsageJson> {
        let (mut prompt, mut completion, mut reasoning) = (None, None, None);
        let (mut prompt_details, mut completion_details) = (None, None);
        self.object(|scanner, key| match key {
            b"prompt_tokens" => once(&mut prompt, scanner.count()?),
            b"completion_tokens" => once(&mut completion, scanner.count()?),
            b"reasoning_tokens" => once(&mut reasoning, scanner.count()?),
            b"prompt_tokens_details" => {
                let cached = scanner.nullable(|scanner| scanner.count_in(b"cached_tokens"))?;
                let details = cached.map(|cached_tokens| PromptDetails { cached_tokens });
                once(&mut prompt_details, details)
            }
            b"completion_tokens_details" => {
                let found = scanner.nullable(|scanner| scanner.count_in(b"reasoning_tokens"))?;
                let details = found.map(|reasoning_tokens| CompletionDetails { reasoning_tokens });
                once(&mut completion_details, details)
            }
            _ => scanner.skip(),
        })?;
        Some(UsageJson {
            prompt_tokens: prompt.flatten(),
            completion_tokens: completion.flatten(),
            prompt_tokens_details: prompt_details.flatten(),
            completion_tokens_details: completion_details.flatten(),
            reasoning_tokens: reasoning.flatten(),
        })
    }

    /// The count under `name` in an object.
    fn count_in(&mut self, name: &[u8]) -> Option<Option<u64>> {
        let mut found = None;
        self.object(
            |scanner, key| {
                if key == name { once(&mut found, scanner.count()?) } else { scanner.skip() }
            },
        )?;
        Some(found.flatten())
    }

    /// An object; `member` reads the value behind each key.
    fn object(&mut self, mut member: impl FnMut(&mut Self, &[u8]) -> Option<()>) -> Option<()> {
        self.take(b"{")?;
        if self.take(b"}").is_some() {
            return Some(());
        }
        loop {
            // A parser decodes keys, also unknown ones, and refuses what is not UTF-8.
            let key = self.plain_string().filter(|key| key.is_ascii())?;
            self.take(b":")?;
            member(self, key)?;
            if self.take(b",").is_none() {
                return self.take(b"}");
            }
        }
    }

    /// The value of a key that says nothing here.
    fn skip(&mut self) -> Option<()> {
        match self.rest.first()? {
            b'"' => self.plain_string().map(|_| ()),
            b'0'..=b'9' => self.number().map(|_| ()),
            b'[' => self.take(b"[]"),
            b'{' => self.take(b"{}"),
            b't' => self.take(b"true"),
            b'f' => self.take(b"false"),
            _ => self.take(b"null"),
        }
    }

    /// Null, or what `read` reads.
    fn nullable<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<Option<T>> {
        match self.take(b"null") {
            Some(()) => Some(None),
            None => read(self).map(Some),
        }
    }

    /// A text, or null.
    fn text(&mut self) -> Option<MaybeText<'a>> {
        if self.take(b"null").is_some() {
            return Some(MaybeText::default());
        }
        match self.plain_string() {
            Some(text) => str::from_utf8(text).ok().map(MaybeText::borrowed),
            None => self.escaped_string(),
        }
    }

    /// The inside of a string without escapes; nothing is read where it has some.
    fn plain_string(&mut self) -> Option<&'a [u8]> {
        let inside = self.rest.strip_prefix(b"\"")?;
        let (inside, behind) = inside.split_at(plain_len(inside));
        self.rest = behind.strip_prefix(b"\"")?;
        Some(inside)
    }

    /// A string with escapes. What they mean is left to the library, which reads the same from a
    /// literal wherever that stands.
    fn escaped_string(&mut self) -> Option<MaybeText<'a>> {
        let mut end = 1;
        loop {
            end += plain_len(self.rest.get(end..)?);
            match self.rest.get(end)? {
                b'"' => break,
                b'\\' => end += 2,
                _ => return None,
            }
        }
        let (literal, behind) = self.rest.split_at(end + 1);
        self.rest = behind;
        serde_json::from_slice(literal).ok()
    }

    /// A count, or null.
    fn count(&mut self) -> Option<Option<u64>> {
        self.nullable(Self::number)
    }

    /// An integer without sign that fits 64 bits.
    fn number(&mut self) -> Option<u64> {
        let digits = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (number, behind) = self.rest.split_at(digits);
        if digits == 0 || digits > MAX_DIGITS || (digits > 1 && number[0] == b'0') {
            return None;
        }
        self.rest = behind;
        Some(number.iter().fold(0, |number, digit| number * 10 + u64::from(digit - b'0')))
    }

    fn take(&mut self, expected: &[u8]) -> Option<()> {
        self.rest = self.rest.strip_prefix(expected)?;
        Some(())
    }
}

/// Sets what may stand once; a parser refuses a second one.
fn once<T>(place: &mut Option<T>, value: T) -> Option<()> {
    place.replace(value).is_none().then_some(())
}

/// How many bytes stand before the first quote, backslash or control character: eight at a time,
/// since a call of `memchr` costs more than most strings are long.
fn plain_len(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 255;
    const HIGH_BITS: u64 = ONES << 7;
    let (words, rest) = bytes.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        // A high bit for each byte below `limit`, right up to the first such byte; a borrow may
        // spoil those behind it.
        let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word & HIGH_BITS;
        let equal = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
        let special = equal(b'"') | equal(b'\\') | below(word, u64::from(b' '));
        if special != 0 {
            return at * 8 + special.trailing_zeros() as usize / 8;
        }
    }
    let plain = |byte: &&u8| !matches!(byte, 0..b' ' | b'"' | b'\\');
    words.len() * 8 + rest.iter().take_while(plain).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;
    use crate::wire::encode::ChunkEncoder;
    use crate::wire::{FinishReason, Usage};

    #[test]
    fn our_own_chunks_need_no_full_parse() {
        let encoder = ChunkEncoder::new("chatcmpl-1", 1_764_500_000, "m", "reasoning_content");
        let usage = Usage { prompt_tokens: 7, cached_tokens: Some(3), ..Usage::default() };
        let mut out = Vec::new();
        encoder.role(&mut out);
        encoder.reasoning(&mut out, "é");
        encoder.content(&mut out, "a\n\"\u{1}");
        encoder.call(&mut out, 1, "call-1", "bash");
        encoder.arguments(&mut out, 1, "{\"command\": \"");
        encoder.finish(&mut out, &FinishReason::Stop);
        encoder.usage(&mut out, &usage);
        let text = String::from_utf8(out).unwrap();
        for event in text.split_terminator("\n\n") {
            let data = event.strip_prefix("data: ").unwrap();
            assert!(scan(data.as_bytes()).is_some(), "{data}");
        }
    }

    #[test]
    fn chunks_of_other_servers_need_no_full_parse() {
        let head = r#"{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","#;
        for rest in [
            r#""choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}],"prompt_token_ids":null}"#,
            r#""choices":[{"index":0,"delta":{"content":" a"},"logprobs":null,"finish_reason":null,"token_ids":null}]}"#,
            r#""system_fingerprint":"b1-x","choices":[{"finish_reason":"stop","index":0,"delta":{}}]}"#,
            r#""choices":[{"index":0,"delta":{"content":"a","reasoning_content":null},"matched_stop":2}],"usage":null}"#,
            r#""choices":[],"usage":{"prompt_tokens":9,"total_tokens":9,"completion_tokens":0,"prompt_tokens_details":null}}"#,
            r#""choices":[],"usage":{"completion_tokens":0,"completion_tokens_details":{"reasoning_tokens":1,"audio_tokens":0}}}"#,
        ] {
            assert!(scan(format!("{head}{rest}").as_bytes()).is_some(), "{rest}");
        }
    }

    #[test]
    fn special_bytes_are_found_wherever_they_stand() {
        for special in [b'"', b'\\', 0, 0x1f] {
            for length in 0..20 {
                let mut bytes =
                    [b"\x20!#[]\x7f\x80\xa2\xdc\xff~~~~~~~~~~"[..length].to_vec(), vec![special]]
                        .concat();
                assert_eq!(plain_len(&bytes), length, "{special}");
                bytes.extend_from_slice(b"!!\"!!\0!!");
                assert_eq!(plain_len(&bytes), length, "{special}");
                assert_eq!(plain_len(&bytes[..length]), length, "{special}");
            }
        }
    }

    const LEAVES: [&str; 24] = [
        "null",
        "true",
        "false",
        "0",
        "7",
        "01",
        "-1",
        "1.5",
        "1e3",
        "9999999999999999999",
        "18446744073709551615",
        "18446744073709551616",
        r#""""#,
        r#"" text""#,
        r#""größer""#,
        r#""a\n\"\\""#,
        r#""\u00e9\ud83d\ude00""#,
        r#""\ud83d""#,
        r#""\x""#,
        "\"\t\"",
        "[]",
        "{}",
        r#"[1,{"a":"b"}]"#,
        r#"{"a":[{}]}"#,
    ];

    /// An object of some of these members, now and then with whitespace.
    fn object(
        keys: &'static [&'static str],
        value: impl Strategy<Value = String> + 'static,
    ) -> impl Strategy<Value = String> {
        let space = || select(&["", "", "", "", "", "", "", " ", "\n\t"][..]);
        let member = (select(keys), value, space(), space())
            .prop_map(|(key, value, before, behind)| format!("\"{key}\"{before}:{value}{behind}"));
        prop::collection::vec(member, 0..4).prop_map(|members| format!("{{{}}}", members.join(",")))
    }

    /// Mostly what belongs there, now and then any value.
    fn mostly(usual: impl Strategy<Value = String> + 'static) -> BoxedStrategy<String> {
        prop_oneof![6 => usual, 1 => select(&LEAVES[..]).prop_map(str::to_owned)].boxed()
    }

    fn chunk() -> impl Strategy<Value = String> {
        let leaf = || select(&LEAVES[..]).prop_map(str::to_owned);
        let text = || {
            mostly(
                select(&[r#""""#, r#""a""#, r#""é""#, r#""\n""#, "null"][..])
                    .prop_map(str::to_owned),
            )
        };
        let count = || mostly(select(&["0", "12", "null"][..]).prop_map(str::to_owned));
        let delta = object(
            &[
                "content",
                "reasoning",
                "reasoning_content",
                "role",
                "tool_calls",
                "con\\u0074ent",
                "é",
            ],
            text(),
        );
        let function = mostly(object(&["name", "arguments", "x"], text()));
        let call = prop_oneof![
            object(&["index"], count()),
            object(&["id", "type", "function"], text()),
            object(&["function"], function),
            object(&["index", "function", "id"], leaf()),
        ];
        let calls = prop::collection::vec(mostly(call), 0..3)
            .prop_map(|calls| format!("{{\"tool_calls\":[{}]}}", calls.join(",")));
        let choice = prop_oneof![
            object(&["delta"], mostly(delta)),
            object(&["delta"], mostly(calls)),
            object(&["finish_reason", "index", "message", "delta", "logprobs"], leaf()),
            object(&["finish_reason", "stop_reason"], text()),
        ];
        let choices = prop::collection::vec(choice, 0..3)
            .prop_map(|choices| format!("[{}]", choices.join(",")));
        let details = object(&["cached_tokens", "reasoning_tokens", "audio_tokens"], count());
        let usage = prop_oneof![
            object(
                &["prompt_tokens", "completion_tokens", "total_tokens", "reasoning_tokens"],
                count(),
            ),
            object(&["prompt_tokens_details", "completion_tokens_details"], mostly(details)),
        ];
        prop_oneof![
            object(&["choices"], mostly(choices)),
            object(&["usage"], mostly(usage)),
            object(&["id", "object", "created", "model", "x"], leaf()),
            object(&["error", "message", "object", "usage", "choices"], leaf()),
        ]
    }

    /// A chunk that has members of all of them, whole or damaged.
    fn data() -> impl Strategy<Value = Vec<u8>> {
        let damage = prop_oneof![
            4 => Just(None),
            1 => (any::<prop::sample::Index>(), any::<Option<u8>>()).prop_map(Some),
        ];
        (prop::collection::vec(chunk(), 1..3), damage).prop_map(|(parts, damage)| {
            // The members of several objects as one.
            let members: Vec<&str> = parts
                .iter()
                .map(|part| part[1..part.len() - 1].trim())
                .filter(|members| !members.is_empty())
                .collect();
            let mut data = format!("{{{}}}", members.join(",")).into_bytes();
            match damage {
                Some((at, Some(byte))) => {
                    let at = at.index(data.len());
                    data[at] = byte;
                }
                Some((at, None)) => data.truncate(at.index(data.len())),
                None => {}
            }
            data
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        /// What is read is what a full parse reads.
        #[test]
        fn a_scanned_chunk_is_the_parsed_one(data in data()) {
            if let Some(scanned) = scan(&data) {
                let parsed: Chunk<'_> = serde_json::from_slice(&data).unwrap();
                prop_assert_eq!(format!("{scanned:?}"), format!("{parsed:?}"));
            }
        }
    }
}
