//! Rows of one conversation to a checked trajectory.

use super::findings::{At, Findings, excerpt};
use super::model::{Message, Row, Trajectory};
use super::row::{Parsed, Role};
use crate::diagnostics::Diagnostic;

/// The rows of the conversation that is being read.
#[derive(Debug)]
pub(super) struct Conversation {
    id: String,
    rows: Vec<Parsed>,
    /// Text held by the rows, in bytes of the file.
    bytes: usize,
    /// A row of it has an error.
    broken: bool,
    /// A row of it may be missing because it could not be read.
    gaps: bool,
}

impl Conversation {
    pub(super) fn new(id: String) -> Self {
        Self { id, rows: Vec::new(), bytes: 0, broken: false, gaps: false }
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// The line of its last row.
    pub(super) fn last_line(&self) -> u64 {
        self.rows.last().map_or(0, |row| row.line)
    }

    /// Whether a row with turn 1 now can only be another conversation's.
    pub(super) fn is_under_way(&self) -> bool {
        self.rows.iter().any(|row| row.turn == Some(1))
            && self.rows.last().is_some_and(|row| row.turn > Some(1))
    }

    /// Bytes of the file that its rows take.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes a row that was `bytes` long.
    pub(super) fn push(&mut self, mut row: Parsed, bytes: usize) {
        self.bytes += bytes;
        self.broken |= row.faulty;
        if self.broken {
            row.drop_texts();
        }
        self.rows.push(row);
    }

    /// Gives the conversation up; its rows are still checked for order.
    pub(super) fn give_up(&mut self) {
        self.broken = true;
        self.rows.iter_mut().for_each(Parsed::drop_texts);
    }

    /// Notes that a row which may have belonged here could not be read.
    pub(super) fn lost_row(&mut self) {
        self.broken = true;
        self.gaps = true;
    }

    /// Checks the order of the rows; the trajectory, or none when anything is wrong with it.
    pub(super) fn finish(mut self, findings: &mut Findings) -> Option<Trajectory> {
        self.sort(findings);
        let before = findings.errors();
        for n in 0..self.rows.len() {
            self.check_number(n, findings);
            self.check_role(n, findings);
        }
        if self.broken || findings.errors() > before { None } else { self.build(findings) }
    }

    fn at(&self, row: &Parsed) -> At {
        At::turn(row.line, &self.id, row.turn)
    }

    /// Puts the rows into turn order, as the reference client does.
    fn sort(&mut self, findings: &mut Findings) {
        let unsorted = self.rows.windows(2).find(|pair| match pair {
            [a, b] => a.turn.is_some() && b.turn.is_some_and(|turn| Some(turn) < a.turn),
            _ => false,
        });
        let Some([_, row]) = unsorted else { return };
        let finding = Diagnostic::warning(
            "dataset-turn-order",
            "the rows of this conversation are not in turn order",
        )
        .note("they are replayed in the order of `turn`");
        findings.push(&self.at(row), finding);
        if self.rows.iter().all(|row| row.turn.is_some()) {
            self.rows.sort_by_key(|row| row.turn);
        }
    }

    /// Turns count 1..N without gaps.
    fn check_number(&self, n: usize, findings: &mut Findings) {
        let row = &self.rows[n];
        let before = n.checked_sub(1).map(|n| &self.rows[n]);
        let Some(found) = row.turn else { return };
        let previous = match before {
            None => 0,
            Some(Parsed { turn: Some(turn), .. }) => *turn,
            Some(_) => return,
        };
        if found == previous {
            let text = format!("turn {found} is given twice");
            let first = before.map_or(0, |row| row.line);
            let finding = Diagnostic::error("dataset-turn", text)
                .note(format!("it was given first in row {first}"))
                .help("number the rows of a conversation 1, 2, 3, …");
            findings.push(&self.at(row), finding);
        } else if found != previous.saturating_add(1) && !self.gaps {
            let text = format!("turn {found} where turn {} was expected", previous + 1);
            let finding = Diagnostic::error("dataset-turn", text)
                .help("number the rows of a conversation 1, 2, 3, … without gaps");
            findings.push(&self.at(row), finding);
        }
    }

    /// Who may speak after whom.
    fn check_role(&self, n: usize, findings: &mut Findings) {
        let row = &self.rows[n];
        let Some(role) = row.role else { return };
        let before = match n.checked_sub(1).map(|n| &self.rows[n]) {
            // Rows on both sides of a hole prove nothing.
            Some(before) if consecutive(before, row) => Some(before),
            Some(_) => return,
            None if row.turn != Some(1) => return,
            None => None,
        };
        let problem = match (before.map(|before| before.role), role) {
            // Nothing is known of the row before.
            (Some(None), _)
            | (None, Role::User)
            | (Some(Some(Role::User)), Role::Assistant)
            | (Some(Some(Role::Tool)), Role::Assistant | Role::User) => return,
            (Some(Some(Role::Assistant)), Role::Tool) => match before {
                Some(before) => return self.check_answers(before, row, findings),
                None => return,
            },
            (Some(Some(Role::Assistant)), Role::User) => {
                if before.is_none_or(|before| before.calls.is_empty()) {
                    return;
                }
                "a user row follows an assistant row that has `tool_calls`; \
                 a tool row must answer them first"
                    .to_owned()
            }
            (None, other) => {
                format!("a conversation starts with a user row, not with role `{}`", other.name())
            }
            (Some(Some(previous)), other) => {
                format!("role `{}` may not follow role `{}`", other.name(), previous.name())
            }
        };
        let finding = Diagnostic::error("dataset-role-order", problem).help(
            "the order is user, assistant, then tool (where the assistant called tools) or user",
        );
        findings.push(&self.at(row), finding);
    }

    /// Tool results answer the calls of the assistant row before them, each once.
    fn check_answers(&self, before: &Parsed, row: &Parsed, findings: &mut Findings) {
        let at = self.at(row);
        if before.calls.is_empty() {
            if !before.faulty {
                let text = "a tool row follows an assistant row without `tool_calls`";
                let finding = Diagnostic::error("dataset-role-order", text)
                    .help("add the calls that it answers, or remove it");
                findings.push(&at, finding);
            }
            return;
        }
        let Some(Message::Tool { results }) = &row.message else { return };
        if before.faulty {
            return;
        }
        let mut open: Vec<&str> = before.calls.iter().map(String::as_str).collect();
        for (n, result) in results.iter().enumerate() {
            if let Some(found) = open.iter().position(|id| *id == result.tool_call_id) {
                open.swap_remove(found);
                continue;
            }
            let id = excerpt(&result.tool_call_id);
            let text = if before.calls.contains(&result.tool_call_id) {
                format!("`tool_results[{n}]` answers the call {id} a second time")
            } else {
                format!(
                    "`tool_results[{n}]` answers the call {id}, which row {} does not make",
                    before.line
                )
            };
            let calls: Vec<_> = before.calls.iter().take(8).map(|id| excerpt(id)).collect();
            let finding = Diagnostic::error("dataset-tool-results", text).note(format!(
                "row {} calls {}",
                before.line,
                calls.join(", ")
            ));
            findings.push(&at, finding);
        }
        if !open.is_empty() {
            let ids: Vec<_> = open.iter().take(8).map(|id| excerpt(id)).collect();
            let text = format!("the call {} of row {} has no result", ids.join(", "), before.line);
            let finding = Diagnostic::warning("dataset-unanswered-call", text)
                .note("sent as recorded; strict servers refuse such a history");
            findings.push(&at, finding);
        }
    }

    /// The trajectory of rows that were found good.
    fn build(self, findings: &mut Findings) -> Option<Trajectory> {
        let mut system: Option<String> = None;
        let mut differs = None;
        for row in &self.rows {
            match (&row.system, &system) {
                (Some(found), None) => system = Some(found.clone()),
                (Some(found), Some(first)) if found != first => {
                    differs.get_or_insert_with(|| self.at(row));
                }
                _ => {}
            }
        }
        if let Some(at) = differs {
            let finding = Diagnostic::warning(
                "dataset-several-systems",
                "`system` differs from the conversation's first one and is ignored",
            )
            .note("the first system prompt in turn order wins");
            findings.push(&at, finding);
        }
        let first_user = self.rows.first()?;
        let (tools, max_tokens) = (first_user.tools.clone(), first_user.max_tokens);
        let mut rows = Vec::with_capacity(self.rows.len());
        for row in self.rows {
            rows.push(Row {
                line: row.line,
                turn: row.turn?,
                message: row.message?,
                delay: row.delay,
                tools: row.tools,
            });
        }
        Some(Trajectory { id: self.id, system, tools, max_tokens, rows })
    }
}

/// Whether two rows follow each other without a hole, as far as is known.
fn consecutive(before: &Parsed, row: &Parsed) -> bool {
    match (before.turn, row.turn) {
        (Some(before), Some(turn)) => turn == before.saturating_add(1),
        _ => false,
    }
}
