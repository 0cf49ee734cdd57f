//! Random numbers that anyone can draw again.
//!
//! [`PyRandom`] is CPython's `random.Random`, number for number, so that orders can be compared
//! with the reference client's. [`Stream`] is for everything else: independent streams by name
//! under one seed, so that a new use never shifts the numbers of an old one. Uses nothing else of
//! the crate; no generator here is fit for secrets.

/// Words of the Mersenne Twister's state.
const N: usize = 624;
/// The twister's middle offset.
const M: usize = 397;

/// CPython's `random.Random(seed)` for seeds of 0 or more: MT19937, seeded by the array of the
/// seed's 32-bit words.
#[derive(Clone, Debug)]
pub struct PyRandom {
    state: Box<[u32; N]>,
    next: usize,
}

impl PyRandom {
    /// The generator of `random.Random(seed)`.
    pub fn new(seed: u64) -> Self {
        let (low, high) = halves(seed);
        let mut random = Self { state: Box::new([0; N]), next: N };
        if high == 0 {
            random.seed_by_words(&[low]);
        } else {
            random.seed_by_words(&[low, high]);
        }
        random
    }

    /// The twister's `init_genrand`.
    fn seed_by_word(&mut self, seed: u32) {
        let mut previous = seed;
        for (n, word) in (0_u32..).zip(self.state.iter_mut()) {
            if n > 0 {
                previous =
                    1_812_433_253_u32.wrapping_mul(previous ^ (previous >> 30)).wrapping_add(n);
            }
            *word = previous;
        }
    }

    /// The twister's `init_by_array`, for one or two words.
    fn seed_by_words(&mut self, key: &[u32]) {
        self.seed_by_word(19_650_218);
        let state = &mut self.state;
        let mut at = 1;
        let mut from = 0;
        for _ in 0..N {
            let previous = state[at - 1];
            let mixed = (previous ^ (previous >> 30)).wrapping_mul(1_664_525);
            let index = u32::from(from == 1);
            state[at] = (state[at] ^ mixed).wrapping_add(key[from]).wrapping_add(index);
            from = (from + 1) % key.len();
            at += 1;
            if at == N {
                state[0] = state[N - 1];
                at = 1;
            }
        }
        for _ in 1..N {
            let previous = state[at - 1];
            let mixed = (previous ^ (previous >> 30)).wrapping_mul(1_566_083_941);
            let index = u32::try_from(at).expect("the state has 624 words");
            state[at] = (state[at] ^ mixed).wrapping_sub(index);
            at += 1;
            if at == N {
                state[0] = state[N - 1];
                at = 1;
            }
        }
        state[0] = 0x8000_0000;
        self.next = N;
    }

    /// Makes the next 624 words.
    fn twist(&mut self) {
        let state = &mut self.state;
        for n in 0..N {
            let joined = (state[n] & 0x8000_0000) | (state[(n + 1) % N] & 0x7fff_ffff);
            let odd = if joined & 1 == 1 { 0x9908_b0df } else { 0 };
            state[n] = state[(n + M) % N] ^ (joined >> 1) ^ odd;
        }
        self.next = 0;
    }

    /// The next 32 bits.
    fn word(&mut self) -> u32 {
        if self.next == N {
            self.twist();
        }
        let mut word = self.state[self.next];
        self.next += 1;
        word ^= word >> 11;
        word ^= (word << 7) & 0x9d2c_5680;
        word ^= (word << 15) & 0xefc6_0000;
        word ^ (word >> 18)
    }

    /// `random.random()`: a number in [0, 1) with 53 random bits.
    pub fn random(&mut self) -> f64 {
        let high = u64::from(self.word() >> 5);
        let low = u64::from(self.word() >> 6);
        unit(high << 26 | low)
    }

    /// `random.getrandbits(bits)`, for at most 64 bits.
    pub fn getrandbits(&mut self, bits: u32) -> u64 {
        let bits = bits.min(64);
        match bits {
            0 => 0,
            1..=32 => u64::from(self.word() >> (32 - bits)),
            _ => {
                let low = u64::from(self.word());
                low | u64::from(self.word() >> (64 - bits)) << 32
            }
        }
    }

    /// `random._randbelow(n)`: a number below `n`; 0 for `n` = 0.
    pub fn below(&mut self, n: u64) -> u64 {
        if n == 0 {
            return 0;
        }
        let bits = u64::BITS - n.leading_zeros();
        loop {
            let drawn = self.getrandbits(bits);
            if drawn < n {
                return drawn;
            }
        }
    }

    /// `random.shuffle(items)`.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.below(last as u64 + 1);
            items.swap(last, usize::try_from(other).expect("it is at most an index"));
        }
    }
}

/// One of many independent streams under one seed: SplitMix64, started from the seed and the
/// stream's name.
#[derive(Clone, Debug)]
pub struct Stream(u64);

/// The stream called `name` under `seed`. The same seed and name give the same numbers in every
/// version and on every machine.
pub fn stream(seed: u64, name: &str) -> Stream {
    // FNV-1a, then one round of mixing so that near seeds and names start far apart.
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    Stream(mix(mix(seed) ^ hash))
}

impl Stream {
    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A number in [0, 1) with 53 random bits.
    pub fn unit(&mut self) -> f64 {
        unit(self.next_u64() >> 11)
    }

    /// Whether a thing of this probability happens: never for 0 or less, always for 1 or more.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// A number below `n`, all equally likely; 0 for `n` = 0.
    pub fn below(&mut self, n: u64) -> u64 {
        if n == 0 {
            return 0;
        }
        // The largest multiple of n: what lies above would favour small numbers.
        let even = u64::MAX - u64::MAX % n;
        loop {
            let drawn = self.next_u64();
            if drawn < even {
                return drawn % n;
            }
        }
    }
}

/// SplitMix64's output function.
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// 53 bits as a number in [0, 1).
#[expect(clippy::cast_precision_loss, reason = "53 bits fit a double exactly")]
fn unit(bits: u64) -> f64 {
    bits as f64 / (1_u64 << 53) as f64
}

/// The low and the high 32 bits.
fn halves(number: u64) -> (u32, u32) {
    let half = |bits: u64| u32::try_from(bits & 0xffff_ffff).expect("32 bits were kept");
    (half(number), half(number >> 32))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recorded from CPython 3 with `random.Random(seed)`, in this order: 4 × `getrandbits(32)`,
    /// 3 × `random()`, `getrandbits` of 1, 5, 33, 53, 64, `_randbelow` of 1, 2, 3, 10, 613, 2**32,
    /// 2**40 + 1.
    type Vector = (u64, [u64; 4], [f64; 3], [u64; 5], [u64; 7]);

    #[rustfmt::skip]
    #[expect(clippy::unreadable_literal, reason = "as python3 prints them")]
    const VECTORS: [Vector; 7] = [
        (0, [3_626_764_237, 1_654_615_998, 3_255_389_356, 3_823_568_514], [0.420571580830845, 0.25891675029296335, 0.5112747213686085], [0, 29, 7_661_356_601, 8_717_165_710_927_625, 6_604_845_167_042_249_220],
         [0, 0, 1, 2, 97, 3_874_773_259, 216_080_438_489]),
        (1, [577_090_037, 2_444_712_010, 3_639_700_191, 3_445_702_192], [0.763774618976614, 0.2550690257394217, 0.49543508709194095], [0, 15, 2_798_570_523, 1_891_107_552_740_886, 8_999_366_892_653_588_108],
         [0, 1, 1, 9, 2, 2_988_579_416, 505_954_991_669]),
        (42, [2_746_317_213, 478_163_327, 107_420_369, 3_184_935_163], [0.27502931836911926, 0.22321073814882275, 0.7364712141640124], [1, 23, 8_126_849_360, 5_318_681_714_335_618, 586_287_033_698_423_193],
         [0, 0, 0, 3, 517, 2_585_650_756, 436_202_226_086]),
        (4_294_967_295, [2_728_839_433, 2_661_025_012, 872_737_089, 924_893_097], [0.6073666030347188, 0.29133552762158776, 0.3400278163075766], [0, 21, 7_252_362_701, 8_008_760_568_075_785, 6_550_165_881_716_448_867],
         [0, 1, 0, 3, 141, 2_167_886_738, 726_117_651_467]),
        (4_294_967_296, [485_306_839, 1_508_871_100, 1_794_561_286, 4_014_597_330], [0.0166763664992291, 0.6117214625782752, 0.8056470212514185], [0, 26, 6_638_335_882, 126_085_000_474_692, 1_397_778_621_537_027_578],
         [0, 1, 1, 6, 490, 3_983_109_217, 686_715_958_525]),
        (9_223_372_036_854_788_153, [1_308_997_459, 1_668_775_168, 912_389_232, 665_509_477], [0.6640283412362986, 0.23978354768568233, 0.5645455271506248], [0, 22, 7_794_633_488, 3_486_171_348_415_213, 16_315_113_584_887_674_292],
         [0, 0, 2, 3, 572, 781_665_411, 325_177_230_453]),
        (18_446_744_073_709_551_615, [93_740_670, 1_068_495_656, 1_452_108_352, 2_657_516_307], [0.21196748656082065, 0.6151259995625727, 0.9195709817171983], [0, 24, 7_439_366_323, 489_573_626_298_795, 3_551_897_395_286_785_872],
         [0, 0, 1, 7, 268, 157_547_622, 649_805_335_935]),
    ];

    /// A fresh `random.Random(seed)` shuffles `list(range(10))` twice in place.
    #[rustfmt::skip]
    const SHUFFLES: [(u64, [u8; 10], [u8; 10]); 7] = [
        (0, [7, 8, 1, 5, 3, 4, 2, 0, 9, 6], [6, 3, 9, 2, 7, 8, 0, 1, 5, 4]),
        (1, [6, 8, 9, 7, 5, 3, 0, 4, 1, 2], [5, 1, 9, 0, 3, 2, 6, 4, 8, 7]),
        (42, [7, 3, 2, 8, 5, 6, 9, 4, 0, 1], [8, 6, 2, 5, 3, 0, 4, 7, 9, 1]),
        (4_294_967_295, [0, 7, 1, 5, 2, 6, 4, 8, 3, 9], [3, 1, 5, 9, 2, 7, 0, 4, 8, 6]),
        (4_294_967_296, [8, 9, 3, 2, 4, 7, 0, 6, 5, 1], [1, 7, 6, 5, 4, 2, 0, 9, 3, 8]),
        (9_223_372_036_854_788_153, [7, 0, 9, 8, 2, 5, 1, 3, 6, 4], [8, 2, 3, 0, 4, 7, 9, 1, 6, 5]),
        (18_446_744_073_709_551_615, [2, 6, 7, 9, 8, 1, 4, 5, 3, 0], [4, 8, 6, 0, 7, 2, 1, 5, 3, 9]),
    ];

    #[test]
    fn draws_what_python_draws() {
        for (seed, words, units, bits, below) in VECTORS {
            let mut random = PyRandom::new(seed);
            assert_eq!([32; 4].map(|n| random.getrandbits(n)), words, "seed {seed}");
            let drawn = [(); 3].map(|()| random.random().to_bits());
            assert_eq!(drawn, units.map(f64::to_bits), "seed {seed}");
            assert_eq!([1, 5, 33, 53, 64].map(|n| random.getrandbits(n)), bits, "seed {seed}");
            let bounds = [1, 2, 3, 10, 613, 1 << 32, (1 << 40) + 1];
            assert_eq!(bounds.map(|n| random.below(n)), below, "seed {seed}");
        }
    }

    #[test]
    fn draws_what_python_draws_behind_the_first_twists() {
        let mut random = PyRandom::new(42);
        assert_eq!((0..2000).map(|_| random.getrandbits(32)).last(), Some(1_557_724_698));
    }

    #[test]
    fn shuffles_as_python_shuffles() {
        for (seed, first, second) in SHUFFLES {
            let mut random = PyRandom::new(seed);
            let mut items: [u8; 10] = std::array::from_fn(|n| n.try_into().unwrap());
            random.shuffle(&mut items);
            assert_eq!(items, first, "seed {seed}");
            random.shuffle(&mut items);
            assert_eq!(items, second, "seed {seed}");
        }
        let mut nothing: [u8; 0] = [];
        PyRandom::new(0).shuffle(&mut nothing);
    }

    #[test]
    fn streams_keep_their_numbers() {
        let mut stream = stream(42, "wrong replies");
        let drawn = [(); 3].map(|()| stream.next_u64());
        assert_eq!(
            drawn,
            [3_910_852_622_878_014_829, 2_990_017_580_288_939_275, 2_989_772_140_296_979_685]
        );
    }

    #[test]
    fn streams_differ_by_seed_and_name() {
        let first = |seed, name| stream(seed, name).next_u64();
        let all = [first(1, "a"), first(2, "a"), first(1, "b"), first(1, ""), first(0, "")];
        for (n, one) in all.iter().enumerate() {
            assert!(!all[n + 1..].contains(one));
        }
    }

    #[test]
    fn bounded_draws_stay_in_bounds() {
        let mut stream = stream(7, "bounds");
        let mut seen = [0_u32; 6];
        for _ in 0..6000 {
            seen[usize::try_from(stream.below(6)).unwrap()] += 1;
            let unit = stream.unit();
            assert!((0.0..1.0).contains(&unit));
        }
        assert!(seen.iter().all(|n| (800..1200).contains(n)), "{seen:?}");
        assert_eq!(stream.below(0), 0);
        assert_eq!(stream.below(1), 0);
        assert!(stream.below(u64::MAX) < u64::MAX);
        assert!(!stream.chance(0.0));
        assert!(stream.chance(1.0));
    }
}
