//! Edits of a project's files, and diffs of them.

use super::project::Project;
use super::voice::Voice;
use std::fmt::Write as _;

/// One change to one file.
pub(super) struct Hunk {
    pub(super) path: String,
    /// 1-based line of the first context line.
    pub(super) start: usize,
    pub(super) before: Vec<String>,
    pub(super) removed: Vec<String>,
    pub(super) added: Vec<String>,
    pub(super) after: Vec<String>,
    /// The abbreviated ids of the file before and after.
    pub(super) ids: (String, String),
}

/// Lines of context around a change.
const CONTEXT: usize = 3;

/// Replaces a few lines of a file by about `bytes` bytes of new ones; returns the hunk's index.
pub(super) fn edit(project: &mut Project, voice: &mut Voice, file: usize, bytes: usize) -> usize {
    let language = project.language;
    let Some(target) = project.files.get_mut(file) else { return 0 };
    let count = target.lines.len();
    let at = CONTEXT + voice.draw.index(count.saturating_sub(12).max(1));
    let gone = voice.draw.index(4).min(count.saturating_sub(at));
    let indent: String = target
        .lines
        .get(at)
        .map(|line| line.chars().take_while(|c| c.is_whitespace()).collect())
        .unwrap_or_default();
    let mut added = Vec::new();
    loop {
        language.body(voice, &mut added, &indent);
        if added.iter().map(String::len).sum::<usize>() >= bytes {
            break;
        }
    }
    let slice = |from: usize, to: usize| -> Vec<String> {
        target.lines.get(from.min(count)..to.min(count)).unwrap_or_default().to_vec()
    };
    let before = slice(at.saturating_sub(CONTEXT), at);
    let (removed, after) = (slice(at, at + gone), slice(at + gone, at + gone + CONTEXT));
    let mut ids = (String::new(), String::new());
    voice.hex(&mut ids.0, 7);
    voice.hex(&mut ids.1, 7);
    let end = (at + removed.len()).min(count);
    target.lines.splice(at.min(count)..end, added.iter().cloned());
    let start = at.saturating_sub(CONTEXT) + 1;
    let path = target.path.clone();
    project.hunks.push(Hunk { path, start, before, removed, added, after, ids });
    project.hunks.len() - 1
}

/// Appends the unified diff of a hunk.
pub(super) fn diff(out: &mut String, hunk: &Hunk) {
    let kept = hunk.before.len() + hunk.after.len();
    let (old, new) = (kept + hunk.removed.len(), kept + hunk.added.len());
    let Hunk { path, start, ids, .. } = hunk;
    let _ = write!(
        out,
        "diff --git a/{path} b/{path}\nindex {}..{} 100644\n--- a/{path}\n+++ b/{path}\n\
         @@ -{start},{old} +{start},{new} @@\n",
        ids.0, ids.1
    );
    let parts = [(' ', &hunk.before), ('-', &hunk.removed), ('+', &hunk.added), (' ', &hunk.after)];
    for (mark, lines) in parts {
        for line in lines {
            out.push(mark);
            out.push_str(line);
            out.push('\n');
        }
    }
}

/// Appends `git diff --stat` of the hunks.
pub(super) fn stat(out: &mut String, hunks: &[Hunk]) {
    let mut totals = (0, 0);
    for hunk in hunks {
        let (plus, minus) = (hunk.added.len(), hunk.removed.len());
        totals = (totals.0 + plus, totals.1 + minus);
        let marks = format!("{}{}", "+".repeat(plus.min(30)), "-".repeat(minus.min(30)));
        let _ = writeln!(out, " {} | {} {marks}", hunk.path, plus + minus);
    }
    let _ = writeln!(
        out,
        " {} files changed, {} insertions(+), {} deletions(-)",
        hunks.len(),
        totals.0,
        totals.1
    );
}
