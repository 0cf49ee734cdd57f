//! Bytes to lines and columns.

use serde::Serialize;

use super::model::{Label, Place};
use super::source::SourceMap;

/// A place in a text as editors count: both from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Position {
    /// The line.
    pub line: u64,
    /// The character in the line.
    pub column: u64,
}

/// From a position up to, not including, another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Region {
    /// Where it starts.
    pub start: Position,
    /// Where it ends.
    pub end: Position,
}

impl Position {
    /// The position of a byte of a text; of one past its end, the end. A byte inside a character
    /// counts as that character.
    pub fn of(text: &str, byte: usize) -> Self {
        let before = &text[..text.floor_char_boundary(byte.min(text.len()))];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.matches('\n').count() as u64 + 1;
        Self { line, column: before[line_start..].chars().count() as u64 + 1 }
    }
}

impl Region {
    /// The lines and columns of a label; `None` for a file as a whole and for text that is not
    /// known.
    pub fn of(label: &Label, sources: &SourceMap) -> Option<Self> {
        match &label.place {
            Place::File => None,
            Place::Line(line) => {
                let at = |column| Position { line: *line, column };
                Some(Self { start: at(1), end: at(1) })
            }
            Place::Span(span) => {
                let text = sources.text(&label.file)?;
                let end = span.end.max(span.start);
                Some(Self { start: Position::of(text, span.start), end: Position::of(text, end) })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn positions_count_lines_and_characters_from_one() {
        let text = "a\r\nбв\n";
        let at = |byte| {
            let Position { line, column } = Position::of(text, byte);
            (line, column)
        };
        assert_eq!(
            [at(0), at(3), at(5), at(6), at(7), at(8), at(99)],
            [(1, 1), (2, 1), (2, 2), (2, 2), (2, 3), (3, 1), (3, 1)]
        );
    }

    proptest! {
        #[test]
        fn every_character_has_its_own_position(text in "[a\nж😀]{0,20}") {
            let positions: Vec<_> =
                text.char_indices().map(|(byte, _)| Position::of(&text, byte)).collect();
            prop_assert!(positions.is_sorted_by(|a, b| a < b));
        }
    }
}
