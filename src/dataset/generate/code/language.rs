//! What a language's files are made of.

use super::super::voice::{Case, Voice};
use super::{go, python, rust, typescript};

/// The languages that projects are written in.
pub(in super::super) const LANGUAGES: [&Language; 4] =
    [&python::PYTHON, &rust::RUST, &typescript::TYPESCRIPT, &go::GO];

/// How deeply statements nest.
const MAX_DEPTH: u32 = 3;

/// How a language's test runner talks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum TestStyle {
    Pytest,
    Cargo,
    Vitest,
    Go,
}

/// Templates of one language. A line that holds only `«body»` becomes statements at its
/// indentation.
pub(in super::super) struct Language {
    pub(in super::super) name: &'static str,
    pub(in super::super) extension: &'static str,
    pub(in super::super) case: Case,
    /// Where sources and tests are.
    pub(in super::super) sources: &'static str,
    pub(in super::super) tests: &'static str,
    /// What follows the noun in a test file's name.
    pub(in super::super) test_suffix: &'static str,
    pub(in super::super) test_style: TestStyle,
    pub(in super::super) test_command: &'static str,
    pub(in super::super) build_files: &'static [&'static str],
    pub(in super::super) head: &'static [&'static str],
    pub(in super::super) imports: &'static [&'static str],
    pub(in super::super) blocks: &'static [&'static str],
    pub(in super::super) test_blocks: &'static [&'static str],
    pub(in super::super) statements: &'static [&'static str],
    /// Statements without a body.
    pub(in super::super) simple: &'static [&'static str],
}

impl Language {
    /// A file of at least `lines` lines.
    pub(in super::super) fn file(
        &self,
        voice: &mut Voice,
        lines: usize,
        test: bool,
    ) -> Vec<String> {
        let mut out = Vec::with_capacity(lines + 20);
        let head = voice.draw.pick(self.head);
        push_lines(&mut out, &voice.text(head), "");
        for _ in 0..voice.draw.range(2, 6) {
            let import = voice.draw.pick(self.imports);
            push_lines(&mut out, &voice.text(import), "");
        }
        let blocks = if test { self.test_blocks } else { self.blocks };
        while out.len() < lines {
            out.push(String::new());
            let block = voice.draw.pick(blocks);
            self.expand(voice, &mut out, block, "", 0);
        }
        out
    }

    /// A few statements at this indentation.
    pub(in super::super) fn body(&self, voice: &mut Voice, out: &mut Vec<String>, indent: &str) {
        self.statements_at(voice, out, indent, 1);
    }

    fn statements_at(&self, voice: &mut Voice, out: &mut Vec<String>, indent: &str, depth: u32) {
        let most = if depth > 1 { 2 } else { 5 };
        for _ in 0..voice.draw.range(1, most) {
            let nest = depth < MAX_DEPTH && voice.draw.percent(55);
            let list = if nest { self.statements } else { self.simple };
            let statement = voice.draw.pick(list);
            self.expand(voice, out, statement, indent, depth);
        }
    }

    fn expand(
        &self,
        voice: &mut Voice,
        out: &mut Vec<String>,
        block: &'static str,
        indent: &str,
        depth: u32,
    ) {
        for line in block.lines() {
            match line.strip_suffix("«body»") {
                Some(inner) => {
                    let indent = format!("{indent}{inner}");
                    self.statements_at(voice, out, &indent, depth + 1);
                }
                None => push_lines(out, &voice.text(line), indent),
            }
        }
    }
}

/// Appends lines with an indentation; blank ones stay blank.
fn push_lines(out: &mut Vec<String>, text: &str, indent: &str) {
    if text.is_empty() {
        out.push(String::new());
    }
    out.extend(text.lines().map(|line| format!("{indent}{line}")));
}
