//! One conversation between a customer, the agent and the tools.

use std::io::{self, Write};

use super::super::draw::Draw;
use super::super::languages::{TONGUES, Tongue};
use super::super::rows::{Answer, Call, CallIds, Preamble, Rows, next_share};
use super::super::shape::Plan;
use super::super::voice::{Case, Customer, Voice};
use super::super::words;
use super::records;
use super::rules::{INTENTS, Intent, system};
use super::tools::{arguments, definitions, named};

/// What the agent thinks.
const THOUGHTS: &[&str] = &[
    "The customer «customer» asks about «order»; rule «rule» says to compare the e-mail address first.",
    "E-mail on the order is «mail», so identity is proven.",
    "The state decides: while it is packing the address can change, after that only «carrier» can redirect.",
    "The «product» costs «eur» EUR, which is below the limit, so I may do it myself.",
    "The amount of «eur» EUR is above what I may refund; that needs `escalate`.",
    "Last scan in «city» on «date»; that is fewer days than rule «rule» asks for, so the parcel is late, not lost.",
    "I should not guess the date. Look it up before answering.",
    "They changed the subject: first the «product», now the «product» in «colour».",
    "Two orders have the same total, «eur» EUR; «order» is the one from «date».",
    "The policy search returned rule «rule» and rule «rule»; the second one is about gift cards and does not apply.",
    "The customer is upset. One apology is enough, then a concrete offer: replacement by «date» or refund.",
    "No tool can do this (\"«uni»\"). Say so and offer a colleague.",
    "Answer in the customer's language, at most five sentences, and keep the product name as it is.",
];

/// What all conversations of a set start with.
pub(in super::super) fn preamble(seed: u64) -> Preamble {
    Preamble { system: system(seed), tools: definitions() }
}

/// Writes one conversation.
pub(in super::super) fn write<W: Write>(
    rows: &mut Rows<'_, W>,
    seed: u64,
    id: &str,
    plan: Plan,
) -> io::Result<()> {
    let mut talk = Talk::new(Draw::new(seed, id));
    let first = talk.customer(true);
    rows.user(&first, None)?;
    let mut chained = 0;
    for turn in 1..=plan.client_turns {
        let last = turn == plan.client_turns;
        if last && !plan.answered {
            break;
        }
        let left = plan.client_turns - turn + 1;
        let share = next_share(&mut talk.voice.draw, plan.bytes, rows.bytes(), left);
        let calls = match chained {
            0 => 78,
            1 => 42,
            2 => 22,
            _ => 8,
        };
        if !last && talk.voice.draw.percent(calls) {
            chained += 1;
            let answer = talk.act(share);
            rows.answer(&answer)?;
            let delay = talk.voice.draw.skewed(160);
            rows.results(&answer.calls, delay)?;
            continue;
        }
        chained = 0;
        let answer = talk.reply(share);
        rows.answer(&answer)?;
        if !last {
            let next = talk.customer(false);
            let think = talk.voice.draw.skewed(2600);
            rows.user(&next, Some(think))?;
        }
    }
    Ok(())
}

struct Talk {
    voice: Voice,
    tongue: &'static Tongue,
    intent: &'static Intent,
    ids: CallIds,
    calls: u64,
}

impl Talk {
    fn new(mut draw: Draw) -> Self {
        let name = draw.pick(words::PEOPLE);
        let tongue = if draw.percent(55) { 0 } else { draw.index(TONGUES.len()) };
        let ids = draw.pick(&CallIds::ALL);
        let intent = draw.index(INTENTS.len());
        let mut voice = Voice::new(draw, Case::Snake);
        let mail: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
        let number = voice.draw.range(10, 99);
        voice.customer = Customer {
            name: name.to_owned(),
            mail: format!("{}{number}@posta.example", mail.to_lowercase()),
            ..Customer::default()
        };
        "fjellkiosk".clone_into(&mut voice.package);
        let mut talk =
            Self { voice, tongue: &TONGUES[tongue], intent: &INTENTS[intent], ids, calls: 0 };
        talk.another_order();
        talk
    }

    fn another_order(&mut self) {
        let (order, parcel) =
            (self.voice.draw.range(10_000, 99_999), self.voice.draw.range(1_000_000, 9_999_999));
        self.voice.customer.order = format!("FK-{order}");
        self.voice.customer.parcel = format!("NO{parcel}PT");
    }

    /// What the customer says.
    fn customer(&mut self, first: bool) -> String {
        let ask = first || self.voice.draw.percent(35);
        if ask {
            self.intent = &INTENTS[self.voice.draw.index(INTENTS.len())];
            if self.voice.draw.percent(25) {
                self.another_order();
            }
        }
        let mut out = String::new();
        self.voice.say_one(&mut out, if ask { self.tongue.asks } else { self.tongue.follows });
        if self.voice.draw.percent(20) {
            out.push(' ');
            self.voice.say_one(&mut out, self.tongue.follows);
        }
        out
    }

    /// Reasoning of about `bytes` bytes, or none.
    fn thoughts(&mut self, bytes: usize) -> String {
        let mut out = String::new();
        if self.voice.draw.percent(64) {
            self.voice.sentences(&mut out, bytes, THOUGHTS);
        }
        out
    }

    /// The line that names the intent, and its ground truth.
    fn name_intent(&mut self, content: &mut String) -> Vec<&'static str> {
        if !content.is_empty() {
            content.push('\n');
        }
        content.push_str("intent: ");
        content.push_str(self.intent.code);
        let mut codes = vec![self.intent.code];
        if self.voice.draw.percent(7) {
            let other = self.voice.draw.pick(&INTENTS.each_ref()).code;
            if other != self.intent.code {
                codes.push(other);
            }
        }
        codes
    }

    /// An answer that calls tools.
    fn act(&mut self, bytes: usize) -> Answer {
        let bytes = bytes.saturating_sub(400).max(160);
        let reasoning = self.thoughts(bytes * 2 / 5);
        let mut content = String::new();
        let intents = self.name_intent(&mut content);
        let count: u64 = if self.voice.draw.percent(12) { 2 } else { 1 };
        let each = bytes.saturating_sub(reasoning.len() + 100) / if count == 2 { 2 } else { 1 };
        let calls = (0..count)
            .map(|_| {
                let tool = named(self.voice.draw.pick(self.intent.tools));
                let arguments = arguments(tool, &mut self.voice);
                let result = records::record(tool.returns, &mut self.voice, each);
                let id = self.ids.id(&mut self.voice.draw, tool.name, self.calls);
                self.calls += 1;
                Call { id, name: tool.name, arguments, result }
            })
            .collect();
        Answer { reasoning, content, calls, intents }
    }

    /// An answer in words.
    fn reply(&mut self, bytes: usize) -> Answer {
        let reasoning = self.thoughts(bytes.saturating_sub(300) * 3 / 5);
        let mut content = String::new();
        let answers = self.tongue.answers;
        for n in 0..self.voice.draw.range(1, 3) {
            if n > 0 {
                content.push(' ');
            }
            self.voice.say_one(&mut content, answers);
        }
        let intents = self.name_intent(&mut content);
        Answer { reasoning, content, calls: Vec::new(), intents }
    }
}
