//! Where a text may be cut so that the pieces' tokens, joined, are the text's tokens.
//!
//! Two kinds of cuts. Around every special token: tokenizers take those out of the raw text
//! first, leftmost and longest, and treat what lies between them by itself. And, where the
//! pre-token pattern is one that we know ([`super::known`]), at the start of a line that begins
//! with an ASCII letter after a line that ends with something visible and one newline: no
//! pre-token reaches across, whatever stands around it. Where neither is sure, the whole text is
//! one piece, which is always right.

use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};

/// A piece between two line cuts has at least this many bytes, so that pieces stay few.
const MIN_PIECE: usize = 256;

/// A special or added token as the tokenizer looks for it in raw text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Marker {
    /// The token's text.
    pub(super) text: String,
    /// Its id.
    pub(super) id: u32,
    /// Whether it is taken out without regard to what stands around it. Others (those that eat
    /// spaces) stay inside pieces.
    pub(super) plain: bool,
}

/// One piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A special token with its id.
    Special(Range<usize>, u32),
    /// A text to tokenise.
    Text(Range<usize>),
}

impl Piece {
    /// Where the piece lies in the text, in bytes.
    pub fn range(&self) -> &Range<usize> {
        match self {
            Self::Special(range, _) | Self::Text(range) => range,
        }
    }
}

/// The cuts that are safe for one tokenizer.
#[derive(Debug, Default)]
pub struct Cuts {
    markers: Option<(AhoCorasick, Vec<Marker>)>,
    at_lines: bool,
    longest: usize,
}

impl Cuts {
    /// Cuts around `markers`, and at line starts when `at_lines`.
    ///
    /// # Errors
    /// When the markers are too many to search for.
    pub(super) fn new(markers: Vec<Marker>, at_lines: bool) -> Result<Self, String> {
        let longest = markers.iter().map(|marker| marker.text.len()).max().unwrap_or(0);
        let markers: Vec<Marker> =
            markers.into_iter().filter(|marker| !marker.text.is_empty()).collect();
        if markers.is_empty() {
            return Ok(Self { markers: None, at_lines, longest });
        }
        let search = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(markers.iter().map(|marker| &marker.text))
            .map_err(|error| format!("too many added tokens: {error}"))?;
        Ok(Self { markers: Some((search, markers)), at_lines, longest })
    }

    /// How many bytes behind a cut the decision to cut there can depend on.
    pub fn reach(&self) -> usize {
        self.longest.max(2)
    }

    /// The pieces of `text` from byte `from` on, which must be 0 or the end of a piece.
    pub fn pieces(&self, text: &str, from: usize) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut start = from;
        if let Some((search, markers)) = &self.markers {
            for found in search.find_iter(&text[from..]) {
                let marker = &markers[found.pattern().as_usize()];
                if marker.plain {
                    self.lines(text, start..from + found.start(), &mut pieces);
                    pieces
                        .push(Piece::Special(from + found.start()..from + found.end(), marker.id));
                    start = from + found.end();
                }
            }
        }
        self.lines(text, start..text.len(), &mut pieces);
        pieces
    }

    /// Pushes the text pieces of `range`, which holds no marker.
    fn lines(&self, text: &str, range: Range<usize>, pieces: &mut Vec<Piece>) {
        let mut start = range.start;
        if self.at_lines {
            let bytes = text.as_bytes();
            for at in memchr::memchr_iter(b'\n', &bytes[range.clone()]) {
                let at = range.start + at;
                let cut = at + 1;
                if cut - start >= MIN_PIECE
                    && cut < range.end
                    && bytes[cut].is_ascii_alphabetic()
                    && text[start..at].chars().next_back().is_some_and(|last| !last.is_whitespace())
                {
                    pieces.push(Piece::Text(start..cut));
                    start = cut;
                }
            }
        }
        if start < range.end {
            pieces.push(Piece::Text(start..range.end));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marker(text: &str, id: u32, plain: bool) -> Marker {
        Marker { text: text.to_owned(), id, plain }
    }

    fn shown(cuts: &Cuts, text: &str) -> Vec<String> {
        cuts.pieces(text, 0).iter().map(|piece| text[piece.range().clone()].to_owned()).collect()
    }

    #[test]
    fn cuts_around_the_longest_plain_marker() {
        let markers =
            vec![marker("<a>", 1, true), marker("<a>b", 2, true), marker("<s>", 3, false)];
        let cuts = Cuts::new(markers, false).unwrap();
        assert_eq!(shown(&cuts, "x<a>y<a>b<s> z"), ["x", "<a>", "y", "<a>b", "<s> z"]);
        assert_eq!(shown(&cuts, ""), [""; 0]);
        assert_eq!(cuts.reach(), 4);
    }

    #[test]
    fn cuts_long_texts_at_line_starts() {
        let cuts = Cuts::new(Vec::new(), true).unwrap();
        let line = "x".repeat(300);
        assert_eq!(shown(&cuts, &format!("{line}\nabc")), [format!("{line}\n"), "abc".to_owned()]);
        for uncut in [
            "short\nabc".to_owned(),
            format!("{line} \nabc"),
            format!("{line}\n\nabc"),
            format!("{line}\n abc"),
        ] {
            assert_eq!(shown(&cuts, &uncut), [uncut.as_str()]);
        }
    }
}
