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
use crate::index::{Layout, Ranks};
use crate::rules::{Board, Mask};
use crate::symmetry::Symmetry;
use crate::value::Code;
use std::ops::Range;

/// Bytes of worths of a batch, about: they stay in the second-level cache.
const BATCH_BYTES: usize = 1 << 20;

/// Most rows of a batch: more of them share less.
const MOST_ROWS: usize = 64;

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

/// A read under way.
#[derive(Clone, Copy)]
struct Read {
    slot: usize,
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
        let geometry = here.geometry();
        let canonical = there.enemies().canonical();
        let orbits = canonical.iter().map(|&set| sources(geometry.symmetries(), set)).collect();
        let rows = rows_by_lines(geometry.board(), canonical);
        let after = geometry.sets(there.table().enemy);
        let free = geometry.points() - usize::from(here.table().enemy);
        let sets = crate::index::binomial(free, usize::from(there.table().enemy)) as usize;
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
        let mut arrays: Vec<(&[C], &mut [C])> = Vec::new();
        if let Some(codes) = self.quiet {
            arrays.push((codes, quiet));
            self.read_rows(bits, &batch, &self.rows[0], &mut arrays);
        }
        let removals = self.removals.iter().zip(removals);
        arrays.extend(removals.map(|(&codes, worths)| (codes, &mut worths[..])));
        if !arrays.is_empty() {
            self.read_rows(bits, &batch, &self.rows[1], &mut arrays);
        }
    }

    /// Reads from these rows of the other tables, each of `arrays` into its worths.
    #[inline(always)]
    fn read_rows<B: Bits>(
        &self,
        bits: B,
        batch: &Batch,
        rows: &[u32],
        arrays: &mut [(&[C], &mut [C])],
    ) {
        let all = self.here.geometry().board().all();
        let (ranks, row_len) = (self.there.own_ranks(), self.there.row_len());
        let (mut found, mut reads) = (Found::default(), Vec::with_capacity(2 * AHEAD));
        for &row in rows {
            let row = row as usize;
            let set = self.there.enemies().canonical()[row];
            let first = row * row_len;
            for (symmetry, image) in batch.images.iter().enumerate() {
                if set & image.common != 0 {
                    continue;
                }
                found.sets.clear();
                found.ranks.clear();
                bits.disjoint(&image.sets, set, &mut found);
                let own = self.orbits[row][symmetry];
                for (&enemy, &number) in found.sets.iter().zip(&found.ranks) {
                    let slot = first + ranks.rank(bits.squeeze(enemy, all & !set)) as usize;
                    let own = bits.squeeze(own, batch.free[number as usize]);
                    let target = number * self.sets as u32 + self.ranks.rank(own);
                    for (codes, _) in arrays.iter() {
                        bits.prefetch(codes, slot);
                    }
                    reads.push(Read { slot, target });
                }
            }
            if reads.len() >= AHEAD {
                finish(&mut reads, arrays);
            }
        }
        finish(&mut reads, arrays);
    }
}

/// Does the reads.
#[inline(always)]
fn finish<C: Code>(reads: &mut Vec<Read>, arrays: &mut [(&[C], &mut [C])]) {
    for (codes, worths) in arrays {
        for read in reads.iter() {
            worths[read.target as usize] = codes[read.slot];
        }
    }
    reads.clear();
}

impl<C> Worths<C> {
    /// The part of a row, counted from the batch's first.
    pub fn row(&self, row: usize) -> RowWorths<'_, C> {
        let part = |worths: &'_ [C]| row * self.sets..((row + 1) * self.sets).min(worths.len());
        let removals = self.removals.iter().map(|worths| &worths[part(worths)]).collect();
        let quiet = if self.quiet.is_empty() { &[][..] } else { &self.quiet[part(&self.quiet)] };
        RowWorths { quiet, removals }
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
        let enemies = &here.enemies().canonical()[rows.clone()];
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
