//! Fills templates: `«noun»` and its like become words, names and numbers of one trajectory.

use super::draw::Draw;
use super::{languages, prose, words};
use std::fmt::Write as _;

/// How identifiers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Case {
    /// `like_this`
    Snake,
    /// `likeThis`
    Camel,
}

/// The words of one trajectory and the draws on them. Few words each, so that a trajectory keeps
/// coming back to the same things, as a real one does.
pub(super) struct Voice {
    pub(super) draw: Draw,
    pub(super) case: Case,
    nouns: Vec<&'static str>,
    verbs: Vec<&'static str>,
    adjectives: Vec<&'static str>,
    /// What `«path»` says.
    pub(super) paths: Vec<String>,
    /// What `«pkg»` says.
    pub(super) package: String,
    /// What `«customer»`, `«mail»` and `«order»` say.
    pub(super) customer: Customer,
}

/// Who a workflow conversation is with.
#[derive(Default)]
pub(super) struct Customer {
    pub(super) name: String,
    pub(super) mail: String,
    pub(super) order: String,
    pub(super) parcel: String,
}

impl Voice {
    /// A voice with words of its own.
    pub(super) fn new(mut draw: Draw, case: Case) -> Self {
        let mut some = |from: &[&'static str], n: u64| -> Vec<&'static str> {
            (0..n).map(|_| draw.pick(from)).collect()
        };
        let (nouns, verbs) = (some(words::NOUNS, 26), some(words::VERBS, 20));
        let adjectives = some(words::ADJECTIVES, 18);
        Self {
            draw,
            case,
            nouns,
            verbs,
            adjectives,
            paths: Vec::new(),
            package: String::new(),
            customer: Customer::default(),
        }
    }

    /// The template, filled.
    pub(super) fn text(&mut self, template: &str) -> String {
        let mut out = String::with_capacity(template.len() * 2);
        self.say(&mut out, template);
        out
    }

    /// Appends one of the templates, filled.
    pub(super) fn say_one(&mut self, out: &mut String, templates: &[&'static str]) {
        let template = self.draw.pick(templates);
        self.say(out, template);
    }

    /// Appends the template, filled.
    pub(super) fn say(&mut self, out: &mut String, template: &str) {
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('«') {
            out.push_str(before);
            let Some((name, behind)) = after.split_once('»') else {
                rest = after;
                break;
            };
            let start = out.len();
            self.slot(name, out);
            let vowel = out[start..].starts_with(['a', 'e', 'i', 'o', 'A', 'E', 'I', 'O']);
            if vowel && out[..start].ends_with(" a ") {
                out.insert(start - 1, 'n');
            }
            rest = behind;
        }
        out.push_str(rest);
    }

    /// Appends sentences until `out` has grown by `bytes`; at least one.
    pub(super) fn sentences(&mut self, out: &mut String, bytes: usize, kinds: &[&'static str]) {
        let start = out.len();
        let mut paragraph = start;
        // No sentence comes again before half of the others have come.
        let mut recent: Vec<usize> = Vec::with_capacity(kinds.len());
        loop {
            let mut kind = self.draw.index(kinds.len());
            while recent.contains(&kind) {
                kind = (kind + 1) % kinds.len();
            }
            if recent.len() >= kinds.len() / 2 && !recent.is_empty() {
                recent.remove(0);
            }
            if kinds.len() > 1 {
                recent.push(kind);
            }
            self.say(out, kinds[kind]);
            if out.len() - start >= bytes {
                return;
            }
            if out.len() - paragraph > 420 && self.draw.percent(60) {
                out.push_str("\n\n");
                paragraph = out.len();
            } else {
                out.push(' ');
            }
        }
    }

    pub(super) fn noun(&mut self) -> &'static str {
        // Now and then a word from outside the subject.
        if self.draw.percent(12) {
            self.draw.pick(words::NOUNS)
        } else {
            self.draw.pick(&self.nouns)
        }
    }

    fn verb(&mut self) -> &'static str {
        if self.draw.percent(15) {
            self.draw.pick(words::VERBS)
        } else {
            self.draw.pick(&self.verbs)
        }
    }

    fn adjective(&mut self) -> &'static str {
        self.draw.pick(&self.adjectives)
    }

    /// Appends an identifier of these words.
    fn identifier(&self, out: &mut String, parts: &[&str]) {
        for (n, part) in parts.iter().enumerate() {
            match self.case {
                Case::Snake if n > 0 => {
                    out.push('_');
                    out.push_str(part);
                }
                Case::Camel if n > 0 => capitalize(out, part),
                _ => out.push_str(part),
            }
        }
    }

    fn slot(&mut self, name: &str, out: &mut String) {
        match name {
            "noun" => out.push_str(self.noun()),
            "Noun" => capitalize(out, self.noun()),
            "nouns" => {
                let noun = self.noun();
                out.push_str(noun);
                add_s(out);
            }
            "verb" => out.push_str(self.verb()),
            "Verb" => capitalize(out, self.verb()),
            "verbs" => {
                let verb = self.verb();
                out.push_str(verb);
                add_s(out);
            }
            "verbed" => {
                let verb = self.verb();
                out.push_str(verb);
                out.push_str(if verb.ends_with('e') { "d" } else { "ed" });
            }
            "verbing" => {
                let verb = self.verb();
                out.push_str(verb.strip_suffix('e').unwrap_or(verb));
                out.push_str("ing");
            }
            "adj" => out.push_str(self.adjective()),
            "fn" => {
                let (verb, noun) = (self.verb(), self.noun());
                if self.draw.percent(40) {
                    let adjective = self.adjective();
                    self.identifier(out, &[verb, adjective, noun]);
                } else {
                    self.identifier(out, &[verb, noun]);
                }
            }
            "var" => {
                let noun = self.noun();
                if self.draw.percent(35) {
                    let adjective = self.adjective();
                    self.identifier(out, &[adjective, noun]);
                } else {
                    out.push_str(noun);
                }
            }
            "type" => {
                capitalize(out, self.noun());
                out.push_str(self.draw.pick(words::SUFFIXES));
            }
            "CONST" => {
                let (adjective, noun) = (self.adjective(), self.noun());
                out.push_str(&format!("{adjective}_{noun}").to_uppercase());
            }
            _ => self.value_slot(name, out),
        }
    }

    /// Numbers, digests, dates and names.
    fn value_slot(&mut self, name: &str, out: &mut String) {
        match name {
            "n" => push(out, self.draw.range(1, 9)),
            "nn" => push(out, self.draw.range(10, 999)),
            "big" => push(out, self.draw.range(1000, 9_999_999)),
            "days" => push(out, self.draw.range(10, 90)),
            "rule" => push(out, self.draw.range(1, 72)),
            "ms" => {
                let (whole, part) = (self.draw.below(400), self.draw.below(100));
                let _ = write!(out, "{whole}.{part:02}");
            }
            "hex7" => self.hex(out, 7),
            "hex12" => self.hex(out, 12),
            "hex40" => self.hex(out, 40),
            "date" => self.date(out),
            "time" => {
                let (h, m, s) = (self.draw.below(24), self.draw.below(60), self.draw.below(60));
                let _ = write!(out, "{h:02}:{m:02}:{s:02}");
            }
            "milli" => {
                let _ = write!(out, "{:03}", self.draw.below(1000));
            }
            "ver" => {
                let (a, b, c) = (self.draw.below(6), self.draw.below(30), self.draw.below(12));
                let _ = write!(out, "{a}.{b}.{c}");
            }
            "eur" => {
                let (whole, cents) = (self.draw.skewed(48), self.draw.below(20) * 5);
                let _ = write!(out, "{whole}.{cents:02}");
            }
            "person" => out.push_str(self.draw.pick(words::PEOPLE)),
            "city" => out.push_str(self.draw.pick(words::CITIES)),
            "uni" => out.push_str(self.draw.pick(words::UNICODE)),
            "dep" => out.push_str(self.draw.pick(words::PACKAGES)),
            "pkg" => out.push_str(&self.package),
            "path" => {
                let at = self.draw.index(self.paths.len());
                out.push_str(self.paths.get(at).map_or("README.md", String::as_str));
            }
            "customer" => out.push_str(&self.customer.name),
            "mail" => out.push_str(&self.customer.mail),
            "order" => out.push_str(&self.customer.order),
            "parcel" => out.push_str(&self.customer.parcel),
            _ => self.list_slot(name, out),
        }
    }

    /// Slots that are templates themselves.
    fn list_slot(&mut self, name: &str, out: &mut String) {
        let list = match name {
            "claim" => prose::CLAIMS,
            "cause" => prose::CAUSES,
            "step" => prose::STEPS,
            "hedge" => prose::HEDGES,
            "doc" => prose::DOCS,
            "errtext" => prose::ERRORS,
            "logtext" => prose::LOG_TEXTS,
            "product" => languages::PRODUCTS,
            "colour" => languages::COLOURS,
            "carrier" => languages::CARRIERS,
            _ => {
                debug_assert!(false, "no slot is called `{name}`");
                return;
            }
        };
        self.say_one(out, list);
    }

    /// Appends `digits` hex digits.
    pub(super) fn hex(&mut self, out: &mut String, digits: usize) {
        for _ in 0..digits {
            out.push(self.draw.pick(&HEX));
        }
    }

    fn date(&mut self, out: &mut String) {
        let day = self.draw.range(1, 28);
        // Customers speak of these weeks, repositories of years.
        let (year, month) = if self.customer.name.is_empty() {
            (self.draw.range(2024, 2026), self.draw.range(1, 12))
        } else {
            (2026, self.draw.range(10, 12))
        };
        let _ = write!(out, "{year}-{month:02}-{day:02}");
    }
}

const HEX: [char; 16] =
    ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];

/// Makes the word at the end a plural, or a verb's third person.
fn add_s(out: &mut String) {
    if out.ends_with(['s', 'x']) || out.ends_with("ch") || out.ends_with("sh") {
        out.push_str("es");
    } else if out.ends_with("ry") || out.ends_with("cy") || out.ends_with("xy") {
        out.pop();
        out.push_str("ies");
    } else {
        out.push('s');
    }
}

/// Appends a number.
fn push(out: &mut String, n: u64) {
    out.push_str(&n.to_string());
}

/// Appends an ASCII word with a capital first letter.
fn capitalize(out: &mut String, word: &str) {
    let mut chars = word.chars();
    out.extend(chars.next().map(|c| c.to_ascii_uppercase()));
    out.push_str(chars.as_str());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_slot_of_every_list_is_known() {
        let mut voice = Voice::new(Draw::new(1, "slots"), Case::Camel);
        let lists = [
            prose::THOUGHTS,
            prose::REMARKS,
            prose::CLOSINGS,
            prose::REPORTS,
            prose::DOCS,
            prose::ERRORS,
            prose::LOG_TEXTS,
            prose::CLAIMS,
            prose::CAUSES,
            prose::STEPS,
        ];
        let tongues = languages::TONGUES.iter().flat_map(|t| [t.asks, t.follows, t.answers]);
        for template in lists.into_iter().chain(tongues).flatten() {
            let text = voice.text(template);
            assert!(!text.contains('«') && !text.is_empty(), "{template}");
        }
    }

    #[test]
    fn words_are_inflected() {
        let endings = ["proxy", "registry", "index", "batch", "relay", "ticket"].map(|word| {
            let mut text = word.to_owned();
            add_s(&mut text);
            text
        });
        assert_eq!(endings.join(" "), "proxies registries indexes batches relays tickets");
        let mut voice = Voice::new(Draw::new(1, "articles"), Case::Snake);
        for _ in 0..200 {
            let text = voice.text("take a «adj» «noun»");
            let vowel = text.starts_with("take an ");
            let word = text.strip_prefix("take an ").or(text.strip_prefix("take a ")).unwrap();
            assert_eq!(vowel, word.starts_with(['a', 'e', 'i', 'o']), "{text}");
        }
    }
}
