//! What counting costs: `cargo run --release --example count_cost -- TOKENIZER TEMPLATE [CONVERSATIONS]`
//!
//! Makes agentic conversations whose histories grow to 150 KB over 50 turns, tokenises every
//! message once, then counts every turn's whole prompt, and prints both times and their ratio.
//! TOKENIZER is a directory with tokenizer.json or ranks, TEMPLATE a *.jinja file.

#![expect(clippy::print_stdout, reason = "printing is all that it is for")]

use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Instant, UNIX_EPOCH};

use scenario::tokens::count::{Pool, Session, Source, count_all};
use scenario::tokens::template::{ChatTemplate, TemplateOptions};
use scenario::tokens::{Reference, Tokenizer};
use serde_json::{Value as Json, json};

const TURNS: usize = 50;
const HISTORY: usize = 150_000;

/// A small generator of numbers; the same conversations every time.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below
    }

    /// Text like the output of a command: words, numbers, paths, indented lines.
    fn text(&mut self, bytes: usize) -> String {
        const STEMS: [&str; 12] = [
            "parse", "return", "self", "value", "error", "the", "module", "index", "of", "test",
            "config", "naïve",
        ];
        let mut text = String::new();
        while text.len() < bytes {
            let stem = STEMS[usize::try_from(self.next(12)).expect("small")];
            let _ = match self.next(9) {
                0 => writeln!(text, "{stem}."),
                1 => write!(text, "\n    {stem}_{} = ", self.next(1000)),
                2 => write!(text, "{} ", self.next(100_000)),
                3 => write!(text, "/usr/lib/{stem}/{stem}.py:{}: ", self.next(500)),
                _ => write!(text, "{stem} "),
            };
        }
        text
    }
}

/// Conversations that are made when they are asked for.
struct Made(usize);

impl Source for Made {
    fn len(&self) -> usize {
        self.0
    }

    fn group(&self, index: usize) -> Result<Vec<Session>, String> {
        let mut numbers = Numbers(0x9e37_79b9 + index as u64);
        let mut messages = vec![
            json!({"role": "system", "content": numbers.text(2000)}),
            json!({"role": "user", "content": numbers.text(3000)}),
        ];
        let mut prompts = vec![2];
        let result = (HISTORY - 5000) / TURNS - 400;
        for turn in 0..TURNS - 1 {
            let id = format!("functions.bash:{turn}");
            let arguments = json!({"command": numbers.text(100)}).to_string();
            messages.push(json!({"role": "assistant", "content": "", "reasoning_content": numbers.text(200),
                "tool_calls": [{"id": id, "type": "function", "function": {"name": "bash", "arguments": arguments}}]}));
            messages
                .push(json!({"role": "tool", "tool_call_id": id, "content": numbers.text(result)}));
            prompts.push(messages.len());
        }
        Ok(vec![Session { messages, prompts, ..Session::default() }])
    }
}

/// All texts of a message.
fn texts(json: &Json) -> Vec<&str> {
    match json {
        Json::String(text) => vec![text],
        Json::Array(items) => items.iter().flat_map(texts).collect(),
        Json::Object(map) => map.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [tokenizer, template, rest @ ..] = arguments.as_slice() else {
        panic!("expected: TOKENIZER TEMPLATE [CONVERSATIONS]");
    };
    let conversations = rest.first().map_or(20, |count| count.parse().expect("a number"));
    let tokenizer = Tokenizer::load(Path::new(tokenizer)).expect("a tokenizer");
    let source = std::fs::read_to_string(template).expect("a template");
    let template = ChatTemplate::from_source(&source, &Vec::new(), TemplateOptions::at(UNIX_EPOCH));
    let reference = Reference::new(tokenizer, template.expect("a template"));
    let made = Made(conversations);

    let start = Instant::now();
    let (mut bytes, mut tokens) = (0, 0);
    for index in 0..conversations {
        for session in made.group(index).expect("a group") {
            for text in session.messages.iter().flat_map(texts) {
                bytes += text.len();
                tokens += reference.tokenizer().encode(text).expect("ids").len();
            }
        }
    }
    let once = start.elapsed().as_secs_f64();
    println!(
        "data set: {conversations} conversations, {bytes} bytes, {tokens} tokens, tokenised once in {once:.2} s"
    );

    let cancel = AtomicBool::new(false);
    let pool = Pool { threads: 1, cancel: &cancel, progress: &|_| {} };
    let start = Instant::now();
    let counts = count_all(&reference, &made, &pool).expect("counts");
    let all = start.elapsed().as_secs_f64();
    let prompts: Result<Vec<u64>, _> =
        counts.groups.into_iter().flatten().flatten().flat_map(|session| session.prompts).collect();
    let prompts = match prompts {
        Ok(prompts) => prompts,
        Err(error) => return println!("{error}"),
    };
    #[expect(clippy::cast_precision_loss, reason = "shown only")]
    let each = all * 1e3 / prompts.len() as f64;
    println!(
        "counting: {} turns, {} prompt tokens, in {all:.2} s on one thread ({each:.2} ms a turn)",
        prompts.len(),
        prompts.iter().sum::<u64>()
    );
    println!("ratio: {:.2} times tokenising the data set once", all / once);
}
