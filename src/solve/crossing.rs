//! Reading finished tables through the rows of another.
//!
//! A turn of the mover makes the opponent the mover: the position after it lies in a table whose
//! rows are canonical sets of the *mover's* men. One row here finds its successors scattered over
//! all of that table. So a *batch* of rows goes through it together, row by row of the other table:
//! where that row's set is Y, and g a symmetry of the board, the positions here have the own men
//! g^-1(Y) and the enemy men of those rows of the batch that g takes to a set disjoint from Y. Memory
//! is read in order, and no set need be made canonical.
//! Invariant: afterwards every own set has the code of its position, whatever the stabilisers.

use super::bits::{Bits, Found};
use crate::index::{Layout, Ranks, binomial};
use crate::rules::{Board, Mask};
use crate::symmetry::Symmetry;
use crate::value::Code;
use std::ops::Range;

/// Bytes of worths of a batch, about: they stay in the third-level cache.
const BATCH_BYTES: usize = 8 << 20;

/// Most rows of a batch; two and four times as many gained nothing.
const MOST_ROWS: usize = 256;

/// Fewest batches of a table with enough rows, so that threads find work.
const LEAST_BATCHES: usize = 32;

/// Reads under way at once.
const AHEAD: usize = 256;

/// Finished codes, seen through the rows of a table.
pub struct Crossing<'a, C> {
    here: Layout<'a>,
    there: Layout<'a>,
    /// By row there and symmetry: the set that the symmetry takes to the row's.
    orbits: Vec<[Mask; 16]>,
    /// Rows there without a full line, which have no worth of removals, and rows with one.
    rows: [Vec<u32>; 2],
    quiet: Option<&'a [C]>,
    removals: Vec<&'a [C]>,
    /// Ranks of own sets after the turn, and their number in a row.
    ranks: &'a Ranks,
    sets: usize,
}

/// What a batch of rows has read, by row and rank of the own set after the turn. What no position
/// stands for is left as it was.
#[derive(Debug)]
pub struct Worths<C> {
    sets: usize,
    quiet: Vec<C>,
    removals: Vec<Vec<C>>,
}

/// One row's part of that.
pub struct RowWorths<'a, C> {
    /// Codes of the quiet successors, for the opponent.
    pub quiet: &'a [C],
    /// Worths of one removal, and of two where that differs, where the set holds a full line.
    pub removals: Vec<&'a [C]>,
}

/// A read under way. Tables have fewer than 2^32 slots.
#[derive(Clone, Copy, Default)]
struct Read {
    slot: u32,
    target: u32,
}

impl<'a, C: Code> Crossing<'a, C> {
    /// The codes of the quiet successors, if wanted, and of removal tables, all laid out as `there`,
    /// through the rows of `here`.
    pub fn new(
        here: Layout<'a>,
        there: Layout<'a>,
        quiet: Option<&'a [C]>,
        removals: Vec<&'a [C]>,
    ) -> Crossing<'a, C> {
        assert!(
            !here.rows_by_own() && !there.rows_by_own(),
            "rows are the opponent's, here and there"
        );
        assert!(there.slots() <= u64::from(u32::MAX), "slots of {} fit in 32 bits", there.table());
        let geometry = here.geometry();
        let canonical = there.row_sets().canonical();
        let orbits = canonical.iter().map(|&set| sources(geometry.symmetries(), set)).collect();
        let rows = rows_by_lines(geometry.board(), canonical);
        let after = geometry.sets(there.table().enemy);
        let free = geometry.points() - usize::from(here.table().enemy);
        let sets = binomial(free, usize::from(there.table().enemy)) as usize;
        Crossing { here, there, orbits, rows, quiet, removals, ranks: after.ranks(), sets }
    }

    /// Rows that cross together.
    pub fn batch_rows(&self) -> usize {
        let arrays = usize::from(self.quiet.is_some()) + self.removals.len();
        let by_size = BATCH_BYTES / (self.sets * arrays * C::WIDTH).max(1);
        let by_number = self.here.rows() / LEAST_BATCHES;
        by_size.min(by_number).clamp(1, MOST_ROWS)
    }

    /// Room for a batch.
    pub fn worths(&self) -> Worths<C> {
        let room = || vec![C::NONE; self.batch_rows() * self.sets];
        let quiet = if self.quiet.is_some() { room() } else { Vec::new() };
        Worths { sets: self.sets, quiet, removals: self.removals.iter().map(|_| room()).collect() }
    }

    /// Reads what the given rows need, a batch at most.
    #[inline(always)]
    pub fn read<B: Bits>(&self, bits: B, rows: Range<usize>, worths: &mut Worths<C>) {
        let batch = Batch::new(&self.here, rows);
        let Worths { quiet, removals, .. } = worths;
        let [plain, with_lines] = &self.rows;
        match (self.quiet, &self.removals[..], &mut removals[..]) {
            // By far the most frequent case, so both arrays are read for one address.
            (Some(codes), [one], [worths]) => {
                self.read_rows(bits, &batch, plain, [codes], [quiet]);
                self.read_rows(bits, &batch, with_lines, [codes, one], [quiet, worths]);
            }
            (codes, removals, worths) => {
                if let Some(codes) = codes {
                    self.read_rows(bits, &batch, plain, [codes], [quiet]);
                    self.read_rows(bits, &batch, with_lines, [codes], [quiet]);
                }
                for (codes, worths) in removals.iter().zip(worths) {
                    self.read_rows(bits, &batch, with_lines, [codes], [worths]);
                }
            }
        }
    }

    /// Reads from these rows of the other tables, each of `codes` into its worths.
    #[inline(always)]
    fn read_rows<B: Bits, const N: usize>(
        &self,
        bits: B,
        batch: &Batch,
        rows: &[u32],
        codes: [&[C]; N],
        mut worths: [&mut Vec<C>; N],
    ) {
        let all = self.here.geometry().board().all();
        let (ranks, row_len) = (self.there.ranks(), self.there.row_len());
        let mut found = Found::default();
        let mut reads = [Read::default(); AHEAD + MOST_ROWS];
        let mut waiting = 0;
        for &row in rows {
            let set = self.there.row_sets().canonical()[row as usize];
            let (first, kept) = (row * row_len as u32, all & !set);
            for (image, &own) in batch.images.iter().zip(&self.orbits[row as usize]) {
                if set & image.common != 0 {
                    continue;
                }
                found.sets.clear();
                found.ranks.clear();
                bits.disjoint(&image.sets, set, &mut found);
                let places = reads[waiting..].iter_mut();
                for ((read, &enemy), &number) in places.zip(&found.sets).zip(&found.ranks) {
                    let slot = first + ranks.rank(bits.squeeze(enemy, kept));
                    for codes in codes {
                        bits.prefetch(codes, slot as usize);
                    }
                    let own = bits.squeeze(own, batch.free[number as usize]);
                    let target = number * self.sets as u32 + self.ranks.rank(own);
                    *read = Read { slot, target };
                }
                waiting += found.sets.len();
                if waiting >= AHEAD {
                    finish(&reads[..waiting], codes, &mut worths);
                    waiting = 0;
                }
            }
        }
        finish(&reads[..waiting], codes, &mut worths);
    }
}

/// Does the reads.
#[inline(always)]
fn finish<C: Code, const N: usize>(
    reads: &[Read],
    codes: [&[C]; N],
    worths: &mut [&mut Vec<C>; N],
) {
    for (codes, worths) in codes.iter().zip(worths) {
        for read in reads {
            worths[read.target as usize] = codes[read.slot as usize];
        }
    }
}

impl<C> Worths<C> {
    /// The part of a row, counted from the batch's first.
    pub fn row(&self, row: usize) -> RowWorths<'_, C> {
        let part = row * self.sets..(row + 1) * self.sets;
        let removals = self.removals.iter().map(|worths| &worths[part.clone()]).collect();
        // Empty where quiet successors are not wanted.
        RowWorths { quiet: self.quiet.get(part.clone()).unwrap_or(&[]), removals }
    }
}

/// Rows that cross together.
struct Batch {
    /// By symmetry.
    images: Vec<BatchImage>,
    /// The points each row leaves free.
    free: Vec<Mask>,
}

/// The enemy sets of a batch under a symmetry.
struct BatchImage {
    sets: Vec<Mask>,
    /// What they have in common.
    common: Mask,
}

impl Batch {
    fn new(here: &Layout, rows: Range<usize>) -> Batch {
        let enemies = &here.row_sets().canonical()[rows.clone()];
        let image = |symmetry: &Symmetry| {
            let sets: Vec<Mask> = enemies.iter().map(|&set| symmetry.apply(set)).collect();
            BatchImage { common: sets.iter().fold(Mask::MAX, |common, set| common & set), sets }
        };
        let images = here.geometry().symmetries().iter().map(image).collect();
        Batch { images, free: rows.map(|row| here.free(row)).collect() }
    }
}

/// By symmetry, the set that it takes to `set`.
fn sources(symmetries: &[Symmetry], set: Mask) -> [Mask; 16] {
    let mut sources = [0; 16];
    for (source, symmetry) in sources.iter_mut().zip(symmetries) {
        *source = symmetry.inverse(set);
    }
    sources
}

fn rows_by_lines(board: &Board, canonical: &[Mask]) -> [Vec<u32>; 2] {
    let mut rows = [Vec::new(), Vec::new()];
    for (row, &set) in (0..).zip(canonical) {
        rows[usize::from(board.in_mills(set) != 0)].push(row);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::super::bits::{Job, Portable, run};
    use super::*;
    use crate::index::{Geometry, Table, spread};
    use crate::rules::Rules;

    struct ReadAll<'a>(&'a Crossing<'a, u8>, Range<usize>, Worths<u8>);

    impl Job for ReadAll<'_> {
        type Output = Worths<u8>;

        #[inline(always)]
        fn run<B: Bits>(mut self, bits: B) -> Worths<u8> {
            self.0.read(bits, self.1, &mut self.2);
            self.2
        }
    }

    /// A code that equal positions share: slots of symmetric rows hold one position several times.
    fn code(layout: &Layout, own: Mask, enemy: Mask) -> u8 {
        let images = layout.geometry().symmetries().iter();
        let least = images.map(|s| (s.apply(own), s.apply(enemy))).min().unwrap();
        (least.0.wrapping_mul(2_654_435_761) ^ least.1.wrapping_mul(40_503)).to_be_bytes()[0]
    }

    #[test]
    fn test_every_set_gets_the_code_of_its_position() {
        let rules = Rules::named("nine").unwrap();
        let geometry = Geometry::new(&rules);
        let table = |own, enemy| Table { own, enemy, own_hand: 0, enemy_hand: 0 };
        let here = Layout::new(&geometry, table(3, 3));
        let there = Layout::new(&geometry, table(3, 4));
        let codes: Vec<u8> = (0..there.slots())
            .map(|slot| there.sets_at(slot))
            .map(|(own, enemy)| code(&there, own, enemy))
            .collect();
        for removals in [vec![], vec![&codes[..]], vec![&codes[..], &codes[..]]] {
            let crossing = Crossing::new(here, there, Some(&codes), removals);
            let batch = crossing.batch_rows();
            for first in (0..here.rows()).step_by(batch) {
                let rows = first..(first + batch).min(here.rows());
                let wide = run(ReadAll(&crossing, rows.clone(), crossing.worths()));
                let plain = ReadAll(&crossing, rows.clone(), crossing.worths()).run(Portable);
                for (number, row) in rows.enumerate() {
                    check_row(&crossing, row, &wide.row(number));
                    check_row(&crossing, row, &plain.row(number));
                }
            }
        }
    }

    fn check_row(crossing: &Crossing<u8>, row: usize, worths: &RowWorths<u8>) {
        let Crossing { here, there, .. } = crossing;
        let board = here.geometry().board();
        let (enemy, men) = (here.row_sets().canonical()[row], there.table().enemy);
        let after = &here.geometry().sets(men).subsets()[..crossing.sets];
        for (rank, &set) in after.iter().enumerate() {
            let own = spread(set, here.free(row));
            let expected = code(there, enemy, own);
            assert_eq!(worths.quiet[rank], expected, "row {row}, rank {rank}");
            let removal = if board.in_mills(own) == 0 { u8::NONE } else { expected };
            assert!(worths.removals.iter().all(|worths| worths[rank] == removal));
        }
    }
}
