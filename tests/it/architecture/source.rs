//! Rust source text, as far as the architecture tests understand it: without comments, strings
//! and what is compiled for tests only.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// One file of the tree.
pub(super) struct SourceFile {
    /// Relative to the crate's root.
    path: PathBuf,
    text: String,
    code: String,
}

/// Every `.rs` file below `directory` in sorted order; those that a `#[cfg(test)] mod x;`
/// declares have no code.
pub(super) fn files(directory: &Path) -> Vec<SourceFile> {
    let mut paths = Vec::new();
    walk(directory, &mut paths);
    paths.sort();
    let mut test_only = Vec::new();
    let mut files: Vec<SourceFile> = paths
        .iter()
        .map(|path| {
            let text = std::fs::read_to_string(path).unwrap();
            let (code, test_modules) = without_tests(&blank(&text));
            let home = module_directory(path);
            test_only.extend(test_modules.iter().map(|module| home.join(module)));
            let path = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap().to_owned();
            SourceFile { path, text, code }
        })
        .collect();
    for (file, path) in files.iter_mut().zip(&paths) {
        let module = path.with_extension("");
        if test_only.iter().any(|root| module.starts_with(root)) {
            file.code.clear();
        }
    }
    files
}

fn walk(directory: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, out);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            out.push(path);
        }
    }
}

/// Where the children of the module in this file are.
fn module_directory(path: &Path) -> PathBuf {
    let stem = path.file_stem().unwrap();
    let parent = path.parent().unwrap();
    if ["mod", "lib", "main"].iter().any(|name| stem == *name) {
        parent.to_owned()
    } else {
        parent.join(stem)
    }
}

impl SourceFile {
    /// The whole text.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The text without comments, string contents and test-only code; lines keep their numbers.
    pub(super) fn code(&self) -> &str {
        &self.code
    }

    /// Whether it is this file.
    pub(super) fn is(&self, path: &str) -> bool {
        self.path == Path::new(path)
    }

    /// Whether it is a `mod.rs`.
    pub(super) fn is_mod_file(&self) -> bool {
        self.path.file_name().is_some_and(|name| name == "mod.rs")
    }

    /// The module below the crate root that it belongs to; none for lib.rs and main.rs.
    pub(super) fn top_module(&self) -> Option<&str> {
        let first = self.path.iter().nth(1)?.to_str()?;
        let module = first.strip_suffix(".rs").unwrap_or(first);
        (module != "lib" && module != "main").then_some(module)
    }

    /// How many `super::` lead from the file's module to the crate root.
    fn depth(&self) -> usize {
        let below_src = self.path.iter().count() - 1;
        if self.is_mod_file() { below_src - 1 } else { below_src }
    }

    /// Line and first segment of every path that starts at the crate root, whether written with
    /// `crate::`, with a group, or with enough `super::`.
    pub(super) fn crate_paths(&self, modules: &BTreeMap<String, u32>) -> Vec<(usize, String)> {
        let mut found = Vec::new();
        for (start, _) in self.code.match_indices("crate::") {
            if self.code[..start].ends_with(is_name) {
                continue;
            }
            let line = self.line_of(start);
            let segments = first_segments(&self.code[start + "crate::".len()..]);
            found.extend(segments.into_iter().map(|segment| (line, segment)));
        }
        let climb = "super::".repeat(self.depth());
        for (start, _) in self.code.match_indices(&climb) {
            // Inside an inline module the same text climbs less far, so names that are no
            // modules are nothing to complain about here.
            let segments = first_segments(&self.code[start + climb.len()..]);
            let line = self.line_of(start);
            let known = segments.into_iter().filter(|segment| modules.contains_key(segment));
            let own = self.top_module().map(str::to_owned);
            found.extend(known.filter(|s| Some(s) != own.as_ref()).map(|segment| (line, segment)));
        }
        found
    }

    fn line_of(&self, offset: usize) -> usize {
        self.code[..offset].matches('\n').count() + 1
    }
}

impl fmt::Display for SourceFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.display().fmt(f)
    }
}

/// The first segment of a path, or of each path of a `{…}` group.
fn first_segments(rest: &str) -> Vec<String> {
    let Some(group) = rest.strip_prefix('{') else {
        return vec![rest.chars().take_while(|c| is_name(*c)).collect()];
    };
    let (mut depth, mut expect, mut segments) = (0, true, Vec::<String>::new());
    for c in group.chars() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => expect = true,
            c if depth == 0 && is_name(c) && expect => {
                segments.push(c.to_string());
                expect = false;
            }
            c if depth == 0 && is_name(c) => {
                if let Some(last) = segments.last_mut().filter(|last| !last.ends_with(':')) {
                    last.push(c);
                }
            }
            _ if depth == 0 && !expect => {
                if let Some(last) = segments.last_mut().filter(|last| !last.ends_with(':')) {
                    last.push(':');
                }
            }
            _ => {}
        }
    }
    segments.iter().map(|segment| segment.trim_end_matches(':').to_owned()).collect()
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether `line` holds `pattern`, not as a part of a longer name.
pub(super) fn has_path(line: &str, pattern: &str) -> bool {
    line.match_indices(pattern).any(|(start, _)| {
        let ends_open = pattern.ends_with(is_name);
        let after = &line[start + pattern.len()..];
        !(line[..start].ends_with(is_name) || ends_open && after.starts_with(is_name))
    })
}

/// Replaces comments and the contents of strings and characters by blanks, newlines kept.
pub(super) fn blank(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut before = ' ';
    while let Some(c) = rest.chars().next() {
        let skip = literal_or_comment(rest, before).unwrap_or(0);
        if skip == 0 {
            out.push(c);
            rest = &rest[c.len_utf8()..];
            before = c;
        } else {
            out.extend(rest[..skip].chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
            rest = &rest[skip..];
            before = ' ';
        }
    }
    out
}

/// The length of the comment or literal that `rest` starts with.
fn literal_or_comment(rest: &str, before: char) -> Option<usize> {
    if rest.starts_with("//") {
        return Some(rest.find('\n').unwrap_or(rest.len()));
    }
    if rest.starts_with("/*") {
        return Some(rest.find("*/").map_or(rest.len(), |end| end + 2));
    }
    if let Some(text) = rest.strip_prefix('"') {
        return Some(1 + closed(text, '"'));
    }
    if let Some(raw) = rest.strip_prefix('r').filter(|_| !is_name(before) || before == 'b') {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        if raw[hashes..].starts_with('"') {
            let end = format!("\"{}", "#".repeat(hashes));
            let body = &raw[hashes + 1..];
            return Some(2 + hashes + body.find(&end).map_or(body.len(), |at| at + end.len()));
        }
    }
    if let Some(body) = rest.strip_prefix('\'') {
        // A lifetime has no closing quote after one character.
        let mut chars = body.chars();
        return match (chars.next()?, chars.next()?) {
            ('\\', _) => Some(1 + closed(body, '\'')),
            (c, '\'') => Some(2 + c.len_utf8()),
            _ => None,
        };
    }
    None
}

/// The length up to and including the closing `quote`, escapes skipped.
fn closed(body: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in body.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    body.len()
}

/// Blanks every item under `#[cfg(test)]`, and names the modules among them that are files.
pub(super) fn without_tests(code: &str) -> (String, Vec<String>) {
    const MARK: &str = "#[cfg(test)]";
    let (mut out, mut modules, mut rest) = (String::new(), Vec::new(), code);
    while let Some(start) = rest.find(MARK) {
        out.push_str(&rest[..start]);
        let item = &rest[start..];
        let end = item_end(&item[MARK.len()..]) + MARK.len();
        let mut words = item[MARK.len()..end].split(|c| !is_name(c)).filter(|w| !w.is_empty());
        if item[..end].ends_with(';') && words.any(|word| word == "mod") {
            modules.extend(words.next().map(str::to_owned));
        }
        out.extend(item[..end].chars().filter(|c| *c == '\n'));
        rest = &item[end..];
    }
    out.push_str(rest);
    (out, modules)
}

/// Where the item that `code` starts with ends: after its `;`, or after its braces.
fn item_end(code: &str) -> usize {
    let mut depth = 0;
    for (at, c) in code.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 1 => return at + 1,
            '}' => depth -= 1,
            ';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    code.len()
}

#[test]
fn comments_strings_and_tests_are_not_code() {
    let text = "use crate::a; // crate::b\nlet s = \"crate::c \\\" {\"; let c = '{'; fn f<'a>() {}\n\
                let r = r#\"crate::d\"#;\n#[cfg(test)]\nmod tests {\n use crate::e;\n}\n\
                #[cfg(test)]\nmod more;\nuse crate::{f, g::{h, i}, j as k};\n";
    let (code, modules) = without_tests(&blank(text));
    assert_eq!(modules, ["more"]);
    assert_eq!(code.lines().count(), text.lines().count());
    let file = SourceFile { path: "src/x/y.rs".into(), text: text.into(), code };
    let found = file.crate_paths(&BTreeMap::new());
    let names: Vec<(usize, &str)> = found.iter().map(|(line, n)| (*line, n.as_str())).collect();
    assert_eq!(names, [(1, "a"), (10, "f"), (10, "g"), (10, "j")]);
}

#[test]
fn super_that_reaches_the_root_is_seen() {
    let modules = BTreeMap::from([("wire".to_owned(), 0)]);
    let code = "use super::super::wire::Reply;\nuse super::wire;\n".to_owned();
    let file = SourceFile { path: "src/x/y.rs".into(), text: String::new(), code };
    assert_eq!(file.crate_paths(&modules), [(1, "wire".to_owned())]);
}
