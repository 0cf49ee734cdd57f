//! Counting turn by turn equals counting each turn from scratch.

use proptest::prelude::*;
use scenario::tokens::count::{PromptCounter, TextCounter};
use scenario::tokens::{Reference, Tokenizer};
use serde_json::{Map, Value as Json, json};
use std::sync::{Arc, LazyLock};

use super::model;

/// Pieces of text that meet at every kind of boundary.
const PIECES: [&str; 34] = [
    "the",
    " the",
    "parse",
    "\n",
    "\n\n",
    "\nabc",
    "\n abc",
    " \n",
    "\r\n",
    "\t",
    "  ",
    "    x",
    "\nThe line",
    "'s",
    "'ll",
    "123",
    " 4",
    "日本語",
    "e\u{301}",
    "\u{301}",
    "é",
    "😀",
    "<|im_start|>",
    "<|im_end|>",
    "<think>",
    "</think>",
    "</thi",
    "nk>",
    "<|im_",
    "start|>",
    "...\n",
    "::",
    "\u{a0}",
    "\u{2028}x",
];

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => proptest::sample::select(&PIECES[..]).prop_map(str::to_owned),
        1 => "\\PC{0,8}",
        1 => (200_usize..400).prop_map(|length| "word ".repeat(length / 5) + "end\n"),
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn message() -> impl Strategy<Value = Json> {
    let call = (text(), 0..3_u32).prop_map(|(argument, number)| {
        json!({"id": format!("functions.bash:{number}"), "type": "function", "function": {
            "name": "bash", "arguments": json!({"command": argument, "n": number}).to_string()}})
    });
    prop_oneof![
        text().prop_map(|content| json!({"role": "user", "content": content})),
        (text(), proptest::option::of(text())).prop_map(|(content, reasoning)| {
            let mut message = json!({"role": "assistant", "content": content});
            if let Some(reasoning) = reasoning {
                message["reasoning_content"] = json!(reasoning);
            }
            message
        }),
        (text(), proptest::collection::vec(call, 1..3)).prop_map(|(reasoning, calls)| {
            json!({"role": "assistant", "content": "", "reasoning_content": reasoning, "tool_calls": calls})
        }),
        text().prop_map(|content| {
            json!({"role": "tool", "tool_call_id": "functions.bash:0", "content": content})
        }),
    ]
}

fn conversation() -> impl Strategy<Value = Vec<Json>> {
    (text(), proptest::collection::vec(message(), 1..8)).prop_map(|(system, messages)| {
        let mut all = vec![
            json!({"role": "system", "content": system}),
            json!({"role": "user", "content": "go"}),
        ];
        all.extend(messages);
        all
    })
}

fn tools() -> Json {
    json!([{"type": "function", "function": {"name": "bash", "description": "Run a command",
            "parameters": {"type": "object", "properties": {"command": {"type": "string"}}}}}])
}

/// Tokenizers that are cut in all ways: at lines and specials, at specials only, nowhere;
/// and ranks in Kimi's layout.
static TOKENIZERS: LazyLock<Vec<Arc<Tokenizer>>> = LazyLock::new(|| {
    let unknown = json!({"pre_tokenizer": {"type": "Sequence", "pretokenizers": [
        {"type": "Split", "pattern": {"Regex": r"\s?\S+|\s+"}, "behavior": "Isolated", "invert": false},
        {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": false, "use_regex": false}]}});
    let placed = json!({"pre_tokenizer": {"type": "Metaspace", "replacement": "▁",
                                          "prepend_scheme": "first", "split": true}});
    let mut tokenizers: Vec<_> =
        [Json::Null, unknown, placed].iter().map(model::tokenizer).collect();
    tokenizers.push(model::ranks_tokenizer());
    tokenizers.into_iter().map(Arc::new).collect()
});

static REFERENCES: LazyLock<Vec<(String, Reference)>> = LazyLock::new(|| {
    let tokenizer = &TOKENIZERS[0];
    let of = |(name, template)| (name, Reference::new(Arc::clone(tokenizer), template));
    model::templates().into_iter().map(of).collect()
});

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// The core: whatever texts follow each other, the count is that of the whole text.
    #[test]
    fn texts_in_any_order(texts in proptest::collection::vec(text(), 1..6), cut in 0..40_usize) {
        for tokenizer in TOKENIZERS.iter() {
            let mut counter = TextCounter::new(tokenizer);
            let mut history = String::new();
            for text in &texts {
                // Grows, and now and then loses its end.
                let keep = history.char_indices().rev().nth(cut).map_or(history.len(), |(at, _)| at);
                history.truncate(keep);
                history.push_str(text);
                let expected = tokenizer.encode(&history).unwrap().len() as u64;
                prop_assert_eq!(counter.count(history.clone()).unwrap(), expected);
                prop_assert_eq!(tokenizer.count(&history).unwrap(), expected);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    /// Every request of a conversation, on every template.
    #[test]
    fn prompts_of_all_templates(messages in conversation(), with_tools: bool, thinking: bool) {
        let tools = tools();
        let tools = with_tools.then_some(&tools);
        let mut kwargs = Map::new();
        kwargs.insert("preserve_thinking".to_owned(), json!(thinking));
        for (name, reference) in REFERENCES.iter() {
            let template = reference.template();
            let mut counter = PromptCounter::new(reference);
            counter.begin(&messages, tools, &kwargs);
            for len in 1..=messages.len() {
                let whole = template.prepare(&messages[..len], tools, &kwargs);
                let text = template.render_prefix(&whole, len, true);
                let expected = text.map(|text| reference.tokenizer().encode(&text).unwrap().len() as u64);
                let counted = counter.count(len);
                match (expected, counted) {
                    (Ok(expected), Ok(counted)) => prop_assert_eq!(expected, counted, "{} at {}", name, len),
                    (Err(_), Err(_)) => {}
                    (expected, counted) => prop_assert!(false, "{name} at {len}: {expected:?}, {counted:?}"),
                }
            }
        }
    }
}

#[test]
fn a_shared_prefix_is_tokenised_once() {
    let reference = model::reference(
        "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}",
    );
    let messages: Vec<Json> = (0..200)
        .map(|turn| json!({"role": "user", "content": format!("turn {turn} {}", "the parse in ab ".repeat(40))}))
        .collect();
    let mut counter = PromptCounter::new(&reference);
    counter.begin(&messages, None, &Map::new());
    for len in 1..=messages.len() {
        counter.count(len).unwrap();
    }
    let once: usize =
        messages.iter().map(|message| message["content"].as_str().unwrap().len() + 10).sum();
    assert!(counter.tokenized_bytes() < once as u64, "{} of {once}", counter.tokenized_bytes());
}
