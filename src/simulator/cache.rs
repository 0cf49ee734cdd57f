//! The simulated prefix cache: whole blocks of prompt tokens, least recently used first out.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::config::CacheConfig;
use super::hash;
use super::replies::{TOKEN_BYTES, tokens};

/// What a request found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lookup {
    /// Tokens of the prompt.
    pub(super) prompt_tokens: u64,
    /// Leading tokens of the prompt that were cached.
    pub(super) cached_tokens: u64,
}

/// Keys are hashes already.
#[derive(Clone, Copy, Debug, Default)]
struct Identity(u64);

impl Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = hash::extend(self.0, bytes);
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

/// The end of the list.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Block {
    /// Stands for the block's tokens and all that precede them.
    key: u64,
    newer: u32,
    older: u32,
}

/// The cache. A block is known by the hash of the whole prompt up to its end, so that equal keys
/// mean equal prefixes.
///
/// A prompt's blocks are touched from its end to its start. A block is therefore always older than
/// the blocks before it, and eviction takes the ends of prompts first.
#[derive(Debug)]
pub(super) struct PrefixCache {
    block_bytes: usize,
    capacity: usize,
    index: HashMap<u64, u32, BuildHasherDefault<Identity>>,
    blocks: Vec<Block>,
    newest: u32,
    oldest: u32,
}

/// The keys of a prompt's blocks.
#[derive(Debug)]
pub(super) struct Prompt {
    keys: Vec<u64>,
    bytes: usize,
    block_bytes: usize,
}

fn block_bytes(config: CacheConfig) -> usize {
    (config.block_tokens as usize).saturating_mul(TOKEN_BYTES).max(1)
}

impl Prompt {
    /// Cuts a prompt, given in parts, into blocks.
    pub(super) fn new<'a>(config: CacheConfig, parts: impl Iterator<Item = &'a [u8]>) -> Self {
        let block_bytes = block_bytes(config);
        let mut prompt = Self { keys: Vec::new(), bytes: 0, block_bytes };
        if config.capacity_blocks == 0 {
            prompt.bytes = parts.map(<[u8]>::len).sum();
            return prompt;
        }
        let mut open: Vec<u8> = Vec::new();
        for part in parts {
            prompt.bytes += part.len();
            let mut rest = part;
            if !open.is_empty() {
                let (missing, after) = rest.split_at(rest.len().min(block_bytes - open.len()));
                open.extend_from_slice(missing);
                rest = after;
                if open.len() < block_bytes {
                    continue;
                }
                prompt.push(&open);
                open.clear();
            }
            let mut blocks = rest.chunks_exact(block_bytes);
            blocks.by_ref().for_each(|block| prompt.push(block));
            open.extend_from_slice(blocks.remainder());
        }
        prompt
    }

    fn push(&mut self, block: &[u8]) {
        self.keys.push(hash::extend(self.keys.last().copied().unwrap_or_default(), block));
    }

    /// The simulated token count.
    pub(super) fn tokens(&self) -> u64 {
        tokens(self.bytes)
    }
}

impl PrefixCache {
    /// An empty cache.
    pub(super) fn new(config: CacheConfig) -> Self {
        Self {
            block_bytes: block_bytes(config),
            capacity: config.capacity_blocks as usize,
            index: HashMap::default(),
            blocks: Vec::new(),
            newest: NONE,
            oldest: NONE,
        }
    }

    /// Blocks in the cache.
    pub(super) fn len(&self) -> usize {
        self.index.len()
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.index.clear();
        self.blocks.clear();
        (self.newest, self.oldest) = (NONE, NONE);
    }

    /// Looks the prompt up, and keeps its blocks from now on. As in real servers the last token is
    /// always computed, so that a prompt is never cached as a whole.
    pub(super) fn lookup(&mut self, prompt: &Prompt) -> Lookup {
        debug_assert_eq!(prompt.block_bytes, self.block_bytes);
        let usable = prompt.bytes.saturating_sub(1) / self.block_bytes;
        let hits = prompt.keys.iter().take_while(|key| self.index.contains_key(key)).count();
        let kept = &prompt.keys[..prompt.keys.len().min(self.capacity)];
        for key in kept.iter().rev() {
            self.touch(*key);
        }
        let block_tokens = (self.block_bytes / TOKEN_BYTES) as u64;
        let cached_tokens = hits.min(usable) as u64 * block_tokens;
        Lookup { prompt_tokens: prompt.tokens(), cached_tokens }
    }

    /// Makes the block the newest one, evicting the oldest where there is no room.
    fn touch(&mut self, key: u64) {
        if let Some(&slot) = self.index.get(&key) {
            self.unlink(slot);
            self.link(slot);
            return;
        }
        let slot = if self.blocks.len() < self.capacity {
            self.blocks.push(Block { key, newer: NONE, older: NONE });
            u32::try_from(self.blocks.len() - 1).expect("the capacity is a u32")
        } else {
            let slot = self.oldest;
            self.unlink(slot);
            self.index.remove(&self.blocks[slot as usize].key);
            self.blocks[slot as usize].key = key;
            slot
        };
        self.index.insert(key, slot);
        self.link(slot);
    }

    fn unlink(&mut self, slot: u32) {
        let Block { newer, older, .. } = self.blocks[slot as usize];
        match newer {
            NONE => self.newest = older,
            newer => self.blocks[newer as usize].older = older,
        }
        match older {
            NONE => self.oldest = newer,
            older => self.blocks[older as usize].newer = newer,
        }
    }

    fn link(&mut self, slot: u32) {
        let block = &mut self.blocks[slot as usize];
        (block.newer, block.older) = (NONE, self.newest);
        match self.newest {
            NONE => self.oldest = slot,
            newest => self.blocks[newest as usize].newer = slot,
        }
        self.newest = slot;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CONFIG: CacheConfig =
        CacheConfig { block_tokens: 2, capacity_blocks: 8, reported: true, ignores_salt: false };
    const BLOCK: usize = 2 * TOKEN_BYTES;

    fn prompt(text: &str) -> Prompt {
        Prompt::new(CONFIG, std::iter::once(text.as_bytes()))
    }

    fn cached(cache: &mut PrefixCache, text: &str) -> u64 {
        cache.lookup(&prompt(text)).cached_tokens
    }

    #[test]
    fn whole_blocks_of_the_common_prefix_are_found() {
        let mut cache = PrefixCache::new(CONFIG);
        assert_eq!(cached(&mut cache, "aaaaaaaabbbbbbbbcc"), 0);
        assert_eq!(cached(&mut cache, "aaaaaaaabbbbbbbbcc"), 4);
        assert_eq!(cached(&mut cache, "aaaaaaaabbbbbbbx"), 2);
        assert_eq!(cached(&mut cache, "xaaaaaaabbbbbbbbcc"), 0);
        assert_eq!(
            cached(&mut cache, "bbbbbbbbcc"),
            0,
            "a block counts behind its own prefix only"
        );
    }

    #[test]
    fn the_last_token_is_never_cached() {
        let mut cache = PrefixCache::new(CONFIG);
        cached(&mut cache, "aaaaaaaabbbbbbbb");
        assert_eq!(cached(&mut cache, "aaaaaaaabbbbbbbb"), 2);
        assert_eq!(cached(&mut cache, ""), 0);
    }

    #[test]
    fn the_least_recently_used_go_first_and_ends_before_starts() {
        let mut cache = PrefixCache::new(CacheConfig { capacity_blocks: 4, ..CONFIG });
        cached(&mut cache, "aaaaaaaabbbbbbbbccccccccd");
        cached(&mut cache, "xxxxxxxxyyyyyyyyz");
        assert_eq!(cache.len(), 4);
        // Of a, b and c only c had to go.
        assert_eq!(cached(&mut cache, "aaaaaaaabbbbbbbbccccccccd"), 4);
        // Which in turn pushed y out, but not x.
        assert_eq!(cached(&mut cache, "xxxxxxxxyyyyyyyyz"), 2);
    }

    #[test]
    fn an_emptied_cache_knows_nothing_and_goes_on() {
        let mut cache = PrefixCache::new(CONFIG);
        cached(&mut cache, "aaaaaaaabbbbbbbbcc");
        cache.clear();
        assert_eq!((cache.len(), cached(&mut cache, "aaaaaaaabbbbbbbbcc")), (0, 0));
        assert_eq!(cached(&mut cache, "aaaaaaaabbbbbbbbcc"), 4);
    }

    #[test]
    fn no_capacity_is_no_cache() {
        let config = CacheConfig { capacity_blocks: 0, ..CONFIG };
        let mut cache = PrefixCache::new(config);
        for _ in 0..2 {
            let prompt = Prompt::new(config, std::iter::once(&b"aaaaaaaabbbbbbbb"[..]));
            assert_eq!(cache.lookup(&prompt), Lookup { prompt_tokens: 4, cached_tokens: 0 });
        }
        assert_eq!(cache.len(), 0);
    }

    /// Prompts made of runs of two letters, so that they often share a prefix.
    fn prompts() -> impl Strategy<Value = Vec<Vec<String>>> {
        let run = (any::<bool>(), prop_oneof![Just(BLOCK), 1..20_usize])
            .prop_map(|(a, length)| if a { "a" } else { "b" }.repeat(length));
        let prompt = proptest::collection::vec(run, 1..6);
        proptest::collection::vec(prompt, 1..24)
    }

    fn common_prefix(a: &[u8], b: &[u8]) -> usize {
        a.iter().zip(b).take_while(|(a, b)| a == b).count()
    }

    proptest! {
        #[test]
        fn never_more_than_the_true_common_prefix(prompts in prompts(), capacity in 0..20_u32) {
            let config = CacheConfig { capacity_blocks: capacity, ..CONFIG };
            let mut cache = PrefixCache::new(config);
            let mut earlier: Vec<String> = Vec::new();
            for parts in prompts {
                let text = parts.concat();
                let cut = Prompt::new(config, parts.iter().map(String::as_bytes));
                let found = cache.lookup(&cut);
                let shared = earlier
                    .iter()
                    .map(|other| common_prefix(other.as_bytes(), text.as_bytes()) / BLOCK * BLOCK)
                    .max()
                    .unwrap_or(0);
                let cached_bytes = usize::try_from(found.cached_tokens).unwrap() * TOKEN_BYTES;
                prop_assert!(cached_bytes <= shared, "{} > {}", cached_bytes, shared);
                prop_assert!(found.cached_tokens < found.prompt_tokens);
                prop_assert!(cache.len() <= capacity as usize);
                earlier.push(text);
            }
        }

        #[test]
        fn with_room_for_all_everything_shared_is_found(prompts in prompts()) {
            let config = CacheConfig { capacity_blocks: 1 << 16, ..CONFIG };
            let mut cache = PrefixCache::new(config);
            let mut earlier: Vec<String> = Vec::new();
            for parts in prompts {
                let text = parts.concat();
                let cut = Prompt::new(config, parts.iter().map(String::as_bytes));
                let shared = earlier
                    .iter()
                    .map(|other| common_prefix(other.as_bytes(), text.as_bytes()) / BLOCK)
                    .max()
                    .unwrap_or(0);
                let expected = shared.min((text.len() - 1) / BLOCK) as u64 * 2;
                prop_assert_eq!(cache.lookup(&cut).cached_tokens, expected);
                earlier.push(text);
            }
        }

        #[test]
        fn parts_do_not_matter(parts in proptest::collection::vec("[a-c]{0,30}", 0..6)) {
            let whole = parts.concat();
            let cut = Prompt::new(CONFIG, parts.iter().map(String::as_bytes));
            prop_assert_eq!(cut.keys, prompt(&whole).keys);
            prop_assert_eq!(cut.bytes, whole.len());
        }
    }
}
