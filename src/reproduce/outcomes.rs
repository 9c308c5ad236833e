//! The moving phase in memory: win, draw or loss in two bits a slot.
//!
//! A search probes hundreds of millions of positions all over the tables; decompressing a frame
//! for each would take days. Tables are read at their first use and kept.
//! Invariant: only tables without men in hand are ever read.

use crate::index::{Geometry, Layout, MOST_MEN, Table};
use crate::rules::{Mask, Rules};
use crate::storage::{self, Database, FRAME_BYTES, StorageError};
use crate::value::Code;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Win, draw or loss for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Outcome {
    Loss,
    Draw,
    Win,
}

/// The tables of the moving phase, each read when it is first asked.
pub(super) struct Outcomes<'a> {
    database: &'a Database,
    /// By the mover's men, then the opponent's.
    tables: Vec<OutcomeTable<'a>>,
    /// The first failure to read one; the search stops at it.
    error: OnceLock<StorageError>,
    bytes: AtomicU64,
}

struct OutcomeTable<'a> {
    layout: Layout<'a>,
    /// None after a failure.
    packed: OnceLock<Option<Vec<u8>>>,
}

/// Outcomes in a byte.
const PER_BYTE: usize = 4;

impl<'a> Outcomes<'a> {
    /// Nothing is read yet.
    pub fn new(database: &'a Database, geometry: &'a Geometry) -> Outcomes<'a> {
        let numbers = 0..(MOST_MEN + 1) * (MOST_MEN + 1);
        let table = |number: usize| {
            let (own, enemy) = ((number / (MOST_MEN + 1)) as u8, (number % (MOST_MEN + 1)) as u8);
            // Numbers beyond the game's are never asked for; their layouts stand for nothing.
            let fits = own <= database.rules().men() && enemy <= database.rules().men();
            let (own, enemy) = if fits { (own, enemy) } else { (0, 0) };
            let layout = Layout::new(geometry, Table { own, enemy, own_hand: 0, enemy_hand: 0 });
            OutcomeTable { layout, packed: OnceLock::new() }
        };
        let tables = numbers.map(table).collect();
        Outcomes { database, tables, error: OnceLock::new(), bytes: AtomicU64::new(0) }
    }

    /// Bytes of all tables the game may need in memory: White is to move when the men are placed.
    pub fn bytes_needed(rules: &Rules, geometry: &Geometry) -> u64 {
        let men = rules.least_men()..=rules.men();
        let pairs = men.clone().flat_map(|own| men.clone().map(move |enemy| (own, enemy)));
        let slots = |(own, enemy)| {
            Layout::new(geometry, Table { own, enemy, own_hand: 0, enemy_hand: 0 }).slots()
        };
        pairs.map(slots).map(|slots| slots.div_ceil(PER_BYTE as u64)).sum()
    }

    /// The outcome of a position of the moving phase; none after a failure.
    pub fn of(&self, own: Mask, enemy: Mask) -> Option<Outcome> {
        let numbers = [own, enemy].map(|men| men.count_ones() as usize);
        let table = &self.tables[numbers[0] * (MOST_MEN + 1) + numbers[1]];
        let packed = table.packed.get_or_init(|| self.read(&table.layout)).as_ref()?;
        let slot = table.layout.slot(own, enemy) as usize;
        match packed[slot / PER_BYTE] >> (2 * (slot % PER_BYTE)) & 3 {
            0 => Some(Outcome::Loss),
            1 => Some(Outcome::Draw),
            _ => Some(Outcome::Win),
        }
    }

    /// What went wrong, if anything did.
    pub fn into_error(self) -> Option<StorageError> {
        self.error.into_inner()
    }

    /// Tables read so far, and their bytes in memory.
    pub fn read_so_far(&self) -> (usize, u64) {
        let read = self.tables.iter().filter(|table| table.packed.get().is_some()).count();
        (read, self.bytes.load(Ordering::Relaxed))
    }

    fn read(&self, layout: &Layout) -> Option<Vec<u8>> {
        match read_packed(self.database, layout) {
            Ok(packed) => {
                self.bytes.fetch_add(packed.len() as u64, Ordering::Relaxed);
                Some(packed)
            }
            Err(error) => {
                // Of several failures one is enough to tell.
                let _ = self.error.set(error);
                None
            }
        }
    }
}

/// Reads a table on the calling thread: other threads may wait for it, and a thread that waits
/// must not be handed work of its own that waits for the same.
fn read_packed(database: &Database, layout: &Layout) -> Result<Vec<u8>, StorageError> {
    let table = layout.table();
    let file = database.unit(table.unit())?;
    let file = file.ok_or_else(|| database.not_solved(table.subspace()))?;
    file.check_layout(table, storage::Layout::of(layout))?;
    let width = file.width().code_bytes();
    let mut packed = Vec::with_capacity(layout.slots().div_ceil(PER_BYTE as u64) as usize);
    let mut codes = vec![0; FRAME_BYTES];
    let mut slot = 0;
    while slot < layout.slots() {
        let count = (layout.slots() - slot).min((FRAME_BYTES / width) as u64);
        let codes = &mut codes[..count as usize * width];
        file.read_range(table, slot, codes)?;
        match width {
            1 => pack(codes.iter().copied(), &mut packed),
            _ => pack(codes.chunks_exact(2).map(|c| u16::from_le_bytes([c[0], c[1]])), &mut packed),
        }
        slot += count;
    }
    Ok(packed)
}

/// Appends the outcomes of codes; a multiple of [`PER_BYTE`] of them except at the end.
fn pack<C: Code>(codes: impl Iterator<Item = C>, packed: &mut Vec<u8>) {
    let mut byte = 0;
    let mut filled = 0;
    for code in codes {
        let outcome = u8::from(code >= C::DRAW) + u8::from(code > C::DRAW);
        byte |= outcome << (2 * filled);
        filled += 1;
        if filled == PER_BYTE {
            packed.push(byte);
            (byte, filled) = (0, 0);
        }
    }
    if filled > 0 {
        packed.push(byte);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_codes_become_two_bits() {
        let codes = [u8::loss(0), u8::DRAW, u8::win(1), u8::win(9), u8::loss(8), u8::DRAW];
        let mut packed = Vec::new();
        pack(codes.into_iter(), &mut packed);
        assert_eq!(packed, [0b10_10_01_00, 0b01_00]);
    }
}
