//! What a search knows of positions it has seen, in bounded memory, shared by all threads.
//!
//! An entry is one number: the whole key of the class and two answers. So threads need no locks,
//! and two classes are never taken for each other. Invariant: what is found was stored for just
//! this class; it may also be forgotten.

use super::classes::KEY_BITS;
use std::sync::atomic::{AtomicU64, Ordering};

/// Entries that a class may be in.
const BUCKET: usize = 4;
/// Bits of the two answers.
const ANSWERS: u32 = 4;
const _: () = assert!(KEY_BITS + ANSWERS < u64::BITS);

/// What the side to move can reach: the question a search asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// A draw or better.
    Draw,
    /// A win.
    Win,
}

/// The table.
pub(super) struct Transpositions {
    /// 0 is empty.
    entries: Vec<AtomicU64>,
}

impl Transpositions {
    /// Bytes of an entry.
    pub const ENTRY_BYTES: u64 = 8;
    /// The least number of entries, and the number that is enough for any game known.
    pub const ENTRIES: (u64, u64) = (1 << 12, 1 << 26);

    /// A table of as many entries as `bytes` hold, a power of two within [`Self::ENTRIES`].
    pub fn new(bytes: u64) -> Transpositions {
        let (least, most) = Self::ENTRIES;
        let entries = (bytes / Self::ENTRY_BYTES).clamp(least, most);
        let entries = 1usize << entries.ilog2();
        let mut table = Vec::with_capacity(entries);
        table.resize_with(entries, AtomicU64::default);
        Transpositions { entries: table }
    }

    /// Bytes in memory.
    pub fn bytes(&self) -> u64 {
        self.entries.len() as u64 * Self::ENTRY_BYTES
    }

    /// Can the side to move reach `target`? None if it is not known.
    pub fn get(&self, key: u64, target: Target) -> Option<bool> {
        let entry = self.bucket(key).iter().map(load).find(|entry| entry >> ANSWERS == key + 1)?;
        let known = entry >> shift(target);
        (known & 1 == 1).then_some(known >> 1 & 1 == 1)
    }

    /// Remembers an answer. It takes the place of the position of the bucket that is farthest from
    /// the start, which took the shortest time to search.
    pub fn put(&self, key: u64, target: Target, reached: bool) {
        let bucket = self.bucket(key);
        let same = bucket.iter().find(|entry| load(entry) >> ANSWERS == key + 1);
        let mut entry = same.map_or((key + 1) << ANSWERS, load);
        entry = with_answer(entry, target, reached);
        // A win is also a draw or better; who cannot reach a draw cannot win.
        match (target, reached) {
            (Target::Win, true) => entry = with_answer(entry, Target::Draw, true),
            (Target::Draw, false) => entry = with_answer(entry, Target::Win, false),
            _ => (),
        }
        let worth = |place: &&AtomicU64| match load(place) {
            0 => 0,
            entry => 1 + hands_of((entry >> ANSWERS) - 1),
        };
        let least = bucket.iter().min_by_key(worth).expect("a bucket has entries");
        same.unwrap_or(least).store(entry, Ordering::Relaxed);
    }

    fn bucket(&self, key: u64) -> &[AtomicU64] {
        // Fibonacci hashing: the high bits of the product depend on all of the key.
        let hash = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ key.rotate_left(29);
        let hash = hash.wrapping_mul(0xd6e8_feb8_6659_fd93) >> 32;
        let at = hash as usize & (self.entries.len() - 1) & !(BUCKET - 1);
        &self.entries[at..at + BUCKET]
    }
}

fn load(entry: &AtomicU64) -> u64 {
    entry.load(Ordering::Relaxed)
}

/// Men in hand of a key's position.
fn hands_of(key: u64) -> u8 {
    super::classes::unpack(key).hand.iter().sum()
}

/// Where the two bits about a target are: known, and reached.
fn shift(target: Target) -> u32 {
    match target {
        Target::Draw => 0,
        Target::Win => 2,
    }
}

fn with_answer(entry: u64, target: Target, reached: bool) -> u64 {
    entry & !(3 << shift(target)) | (1 | u64::from(reached) << 1) << shift(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_answers_follow_from_each_other() {
        let table = Transpositions::new(0);
        assert_eq!(table.get(5, Target::Win), None);
        table.put(5, Target::Win, true);
        assert_eq!(table.get(5, Target::Draw), Some(true));
        table.put(6, Target::Win, false);
        assert_eq!((table.get(6, Target::Win), table.get(6, Target::Draw)), (Some(false), None));
        table.put(6, Target::Draw, true);
        let both = [Target::Win, Target::Draw].map(|target| table.get(6, target));
        assert_eq!(both, [Some(false), Some(true)]);
    }

    #[test]
    fn test_a_full_table_forgets_and_never_confuses() {
        let table = Transpositions::new(0);
        let keys = || (0..100_000u64).map(|number| number * 0x1_0000_0007 % (1 << KEY_BITS));
        keys().for_each(|key| table.put(key, Target::Win, key % 3 == 0));
        let known = keys().filter_map(|key| Some((key, table.get(key, Target::Win)?)));
        let known: Vec<_> = known.collect();
        assert!(
            known.len() > 3000 && known.iter().all(|(key, reached)| *reached == (key % 3 == 0))
        );
    }
}
