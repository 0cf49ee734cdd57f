//! Conversations whose pieces stand anywhere in a file.
//!
//! The texts lie in a [`Spool`]; memory holds one small record for each conversation and 16 bytes
//! for each piece of one.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use super::spool::{Piece, Spool};
use crate::digest;

/// Half a SHA-256: what a text is told by.
pub(super) type Mark = [u8; 16];

/// The mark of a text.
pub(super) fn mark(text: &[u8]) -> Mark {
    half(digest::sha256(text))
}

fn half(whole: [u8; 32]) -> Mark {
    let mut half = [0; 16];
    half.copy_from_slice(&whole[..16]);
    half
}

/// The mark of a list that goes on with one more text.
pub(super) fn chain(before: Mark, text: &[u8]) -> Mark {
    let mut stream = digest::Sha256Stream::new();
    stream.update(&before);
    stream.update(text);
    half(stream.finish())
}

/// One conversation so far.
#[derive(Debug, Default)]
pub(super) struct Item {
    /// 1-based line that it is known by.
    pub(super) line: u64,
    /// Its id, where it has one.
    pub(super) id: Option<String>,
    /// What is said beside the list, such as tools.
    pub(super) head: Option<(Piece, Mark)>,
    pub(super) pieces: Vec<Piece>,
    /// Of all pieces.
    pub(super) bytes: u64,
    /// The chain of all pieces.
    pub(super) mark: Mark,
}

/// What a longer or shorter copy of a conversation was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grown {
    /// Nothing like it was there.
    New,
    /// It goes on where the known one ended, or equals it.
    Longer,
    /// The known one begins with it.
    Shorter,
    /// It has the same id, is at least as long, and begins otherwise: it took the other's place.
    Rewritten,
}

/// All conversations of a file.
pub(super) struct Shelf {
    spool: Spool,
    items: Vec<Item>,
    by_key: HashMap<Mark, u32>,
}

impl Shelf {
    pub(super) fn new(directory: Option<&Path>) -> Self {
        Self { spool: Spool::new(directory), items: Vec::new(), by_key: HashMap::new() }
    }

    /// The item with this index.
    pub(super) fn item(&mut self, index: u32) -> &mut Item {
        &mut self.items[index as usize]
    }

    /// The index of the conversation with this key; a new one where there is none yet.
    pub(super) fn find(&mut self, key: Mark, line: u64, id: Option<&str>) -> u32 {
        if let Some(index) = self.by_key.get(&key) {
            return *index;
        }
        let index = self.add(Item { line, id: id.map(str::to_owned), ..Item::default() });
        self.by_key.insert(key, index);
        index
    }

    /// A new conversation without a key.
    pub(super) fn add(&mut self, item: Item) -> u32 {
        self.items.push(item);
        u32::try_from(self.items.len() - 1).unwrap_or(u32::MAX)
    }

    /// Appends a piece to a conversation.
    pub(super) fn append(&mut self, index: u32, text: &[u8]) -> io::Result<()> {
        let piece = self.spool.push(text)?;
        let item = self.item(index);
        item.mark = chain(item.mark, text);
        item.bytes += piece.bytes();
        item.pieces.push(piece);
        Ok(())
    }

    /// Sets what is said beside the list.
    fn set_head(&mut self, index: u32, head: &[u8]) -> io::Result<()> {
        let mark = mark(head);
        if self.item(index).head.is_none_or(|(_, known)| known != mark) {
            let piece = self.spool.push(head)?;
            self.item(index).head = Some((piece, mark));
        }
        Ok(())
    }

    /// Takes a copy of a whole conversation, whose list may go on where a known one ended; only
    /// what is new of it is kept. Without an id it goes on with whatever it begins with.
    pub(super) fn grow(
        &mut self,
        line: u64,
        id: Option<&str>,
        head: &[u8],
        texts: &[&[u8]],
    ) -> io::Result<(u32, Grown)> {
        let mut marks = vec![Mark::default()];
        for text in texts {
            marks.push(chain(marks[marks.len() - 1], text));
        }
        let whole = marks[texts.len()];
        let known = match id {
            Some(id) => self.by_key.get(&mark(id.as_bytes())).copied(),
            // An equal one is another conversation that began the same way.
            None => marks[1..marks.len().saturating_sub(1).max(1)]
                .iter()
                .rev()
                .find_map(|mark| self.by_key.remove(mark)),
        };
        let Some(index) = known else {
            let index = self.add(Item { line, id: id.map(str::to_owned), ..Item::default() });
            return self.extend(index, id, line, head, texts).map(|()| (index, Grown::New));
        };
        let item = &self.items[index as usize];
        let (count, mark) = (item.pieces.len(), item.mark);
        if marks.get(count) == Some(&mark) {
            self.extend(index, id, line, head, &texts[count..])?;
            return Ok((index, Grown::Longer));
        }
        if texts.len() < count {
            // Only a part of the known marks is in memory.
            let begins = self.chain_of(index, texts.len())? == whole;
            if begins {
                return Ok((index, Grown::Shorter));
            }
            let index = self.add(Item { line, id: id.map(str::to_owned), ..Item::default() });
            return self.extend(index, None, line, head, texts).map(|()| (index, Grown::New));
        }
        let item = self.item(index);
        (item.bytes, item.mark) = (0, Mark::default());
        item.pieces.clear();
        self.extend(index, id, line, head, texts)?;
        Ok((index, Grown::Rewritten))
    }

    fn extend(
        &mut self,
        index: u32,
        id: Option<&str>,
        line: u64,
        head: &[u8],
        texts: &[&[u8]],
    ) -> io::Result<()> {
        self.set_head(index, head)?;
        for text in texts {
            self.append(index, text)?;
        }
        let item = self.item(index);
        item.line = line;
        let key = id.map_or(item.mark, |id| mark(id.as_bytes()));
        self.by_key.insert(key, index);
        Ok(())
    }

    /// The chain of the first `count` pieces.
    fn chain_of(&mut self, index: u32, count: usize) -> io::Result<Mark> {
        let mut mark = Mark::default();
        for n in 0..count {
            let piece = self.items[index as usize].pieces[n];
            mark = chain(mark, &self.spool.read(piece)?);
        }
        Ok(mark)
    }

    /// The conversations in the order in which they began, and where to read their texts.
    pub(super) fn open(self) -> (Spool, Vec<Item>) {
        (self.spool, self.items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grow(shelf: &mut Shelf, id: Option<&str>, texts: &[&str]) -> (u32, Grown) {
        let texts: Vec<_> = texts.iter().map(|text| text.as_bytes()).collect();
        shelf.grow(1, id, b"", &texts).unwrap()
    }

    #[test]
    fn copies_with_an_id_grow_whatever_stands_between() {
        let mut shelf = Shelf::new(None);
        assert_eq!(grow(&mut shelf, Some("a"), &["1"]), (0, Grown::New));
        assert_eq!(grow(&mut shelf, Some("b"), &["1"]), (1, Grown::New));
        assert_eq!(grow(&mut shelf, Some("a"), &["1", "2", "3"]), (0, Grown::Longer));
        assert_eq!(grow(&mut shelf, Some("a"), &["1", "2"]), (0, Grown::Shorter));
        assert_eq!(grow(&mut shelf, Some("a"), &["1", "2", "3"]), (0, Grown::Longer));
        assert_eq!(grow(&mut shelf, Some("a"), &["x", "2", "3", "4"]), (0, Grown::Rewritten));
        // Shorter and other: two conversations with one id.
        assert_eq!(grow(&mut shelf, Some("a"), &["y"]), (2, Grown::New));
        let (mut spool, items) = shelf.open();
        let texts: Vec<_> =
            items[0].pieces.iter().map(|piece| spool.read(*piece).unwrap()).collect();
        assert_eq!(texts, [b"x", b"2", b"3", b"4"]);
    }

    #[test]
    fn copies_without_an_id_go_on_with_what_they_begin_with() {
        let mut shelf = Shelf::new(None);
        assert_eq!(grow(&mut shelf, None, &["s", "1"]), (0, Grown::New));
        assert_eq!(grow(&mut shelf, None, &["s", "2"]), (1, Grown::New));
        assert_eq!(grow(&mut shelf, None, &["s", "1", "a", "b"]), (0, Grown::Longer));
        assert_eq!(grow(&mut shelf, None, &["s", "2", "c"]), (1, Grown::Longer));
        assert_eq!(grow(&mut shelf, None, &["s", "1", "a", "b", "d"]), (0, Grown::Longer));
        // An equal one, and one that only begins the same way, are conversations of their own.
        assert_eq!(grow(&mut shelf, None, &["s", "2", "c"]), (2, Grown::New));
        assert_eq!(grow(&mut shelf, None, &["s"]), (3, Grown::New));
        assert_eq!(grow(&mut shelf, None, &[]), (4, Grown::New));
    }
}
