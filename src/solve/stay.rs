//! Turns of the player who does not name the rows, to tables whose rows the same player names.
//!
//! A turn that removes nothing stays in the row of its number. A removal takes a man from the
//! row's set: it leads from a whole row to a whole row, whose ranked men are the same under other
//! numbers (see `renumber`), and which men may go is the same for all sets of the row. So what
//! closing a mill is worth is the best of as many renumbered rows as there are removals.
//! Invariant: a worth is that of the turn, for the player who makes it, by own set after it.

use super::bits::Bits;
use super::cube::{Cube, Pages};
use super::links::Target;
use super::renumber::{Best, Block, Blocks, Change, LeftOut, Ranked, Renumbering, renumber};
use super::row::Row;
use crate::index::Layout;
use crate::rules::{Mask, Point, Rules, points_of};
use crate::value::{Code, Distance};

/// What turns of one kind lead to.
pub struct Stays<'a, C> {
    rules: &'a Rules,
    /// What is made of a code after a removal.
    change: Change,
    /// Codes of the quiet successors, if wanted.
    quiet: Option<&'a [C]>,
    /// By number of men removed, from one on.
    after_removals: Vec<AfterRemoval<'a, C>>,
    /// Own sets after a turn, among the free points.
    own: Cube,
    blocks: Blocks,
}

/// What follows if so many men are removed.
struct AfterRemoval<'a, C> {
    /// The table, with its codes; `None` where the game ends.
    table: Option<(Layout<'a>, &'a [C])>,
    /// Own sets among the free points there.
    own: Cube,
}

impl<'a, C: Code> Stays<'a, C> {
    /// Turns from `here` after which the mover has so many `men` on the board.
    pub fn new(
        rules: &'a Rules,
        distance: Distance,
        here: &Layout<'a>,
        men: u8,
        quiet: Option<&'a [C]>,
        removals: &[(Target, &'a [C])],
    ) -> Stays<'a, C> {
        let men = usize::from(men);
        let free = here.geometry().points() - usize::from(here.table().enemy);
        let after_removals =
            removals.iter().enumerate().map(|(i, &(target, codes))| AfterRemoval {
                table: match target {
                    Target::Ended => None,
                    Target::Table(table) => {
                        let there = Layout::new(here.geometry(), table);
                        assert!(there.rows_by_own(), "the opponent names both tables' rows");
                        Some((there, codes))
                    }
                },
                own: Cube::new(free + i + 1, men),
            });
        Stays {
            rules,
            change: match distance {
                Distance::Win => Change::Turn,
                Distance::Conversion => Change::Conversion,
            },
            quiet,
            after_removals: after_removals.collect(),
            own: Cube::new(free, men),
            blocks: Blocks::new(free, men),
        }
    }

    /// Codes of the quiet successors of a row.
    ///
    /// # Panics
    /// If they are not wanted.
    #[inline(always)]
    pub fn quiet(&self, row: usize) -> &'a [C] {
        let sets = self.own.sets();
        &self.quiet.expect("quiet successors")[row * sets..][..sets]
    }

    /// Kinds of removal in a row: one for a mill, and another for two where that differs; none where no
    /// mill removes anything.
    #[inline(always)]
    pub fn kinds(&self, shape: &Row) -> usize {
        if shape.harmless { 0 } else { self.after_removals.len() }
    }

    /// What closing mills is worth in a row, if as many as `most` men are removed, or as many as there
    /// are.
    #[inline(always)]
    pub fn removal<B: Bits>(
        &self,
        bits: B,
        shape: &Row,
        most: usize,
        block: &mut Block<C>,
        best: &mut Pages<C>,
    ) {
        let mut sets = Vec::new();
        self.rules.for_removal_sets(shape.set, most, &mut |removed| sets.push(removed));
        best.clear();
        // A loop and no iterator's method: a closure would be built without the loop's instructions.
        for (number, &removed) in sets.iter().enumerate() {
            if let Some(&coming) = sets.get(number + 1) {
                self.prefetch(bits, shape, coming);
            }
            self.remove(bits, shape, removed, block, best);
        }
    }

    /// Has the row that a removal leads to on its way.
    #[inline(always)]
    fn prefetch<B: Bits>(&self, bits: B, shape: &Row, removed: Mask) {
        if let Some((there, codes)) = &self.after(removed).table {
            let row = there.row_sets().reduce(shape.set & !removed).row();
            bits.prefetch_all(&codes[row * there.row_len()..][..there.row_len()]);
        }
    }

    #[inline(always)]
    fn after(&self, removed: Mask) -> &AfterRemoval<'a, C> {
        &self.after_removals[removed.count_ones() as usize - 1]
    }

    /// The same in order of rank.
    #[inline(always)]
    pub fn ranked_removals<B: Bits>(&self, bits: B, shape: &Row) -> Vec<Vec<C>> {
        let (mut block, mut pages) = (Block::new(), self.own.blank());
        let mut removals = Vec::new();
        for most in 1..=self.kinds(shape) {
            self.removal(bits, shape, most, &mut block, &mut pages);
            let mut ranked = vec![C::NONE; self.own.sets()];
            for number in 0..self.own.pages().len() {
                self.own.store_page(bits, number, pages.page(number), &mut ranked);
            }
            removals.push(ranked);
        }
        removals
    }

    #[inline(always)]
    fn remove<B: Bits>(
        &self,
        bits: B,
        shape: &Row,
        removed: Mask,
        block: &mut Block<C>,
        best: &mut Pages<C>,
    ) {
        let after = self.after(removed);
        let Some((there, codes)) = &after.table else { return best.fill(C::win(1)) };
        let reduction = there.row_sets().reduce(shape.set & !removed);
        let symmetry = &there.geometry().symmetries()[reduction.symmetry()];
        let (free, gone) = (there.free(reduction.row()), symmetry.apply(removed));
        let numbers = Renumbering::new(shape.free, free & !gone, symmetry.image());
        let codes = &codes[reduction.row() * there.row_len()..][..there.row_len()];
        let pages = Ranked { cube: &after.own, codes, change: self.change };
        let mut best = Best { cube: &self.own, pages: best };
        // The men gone have left points, the numbers of which are left out.
        let number = |point: Point| (free & ((1 << point) - 1)).count_ones() as usize;
        let mut points = points_of(gone).map(number);
        match (points.next(), points.next()) {
            (Some(point), None) => {
                let source = LeftOut { point, pages };
                renumber(bits, &numbers, &self.blocks, block, &source, &mut best);
            }
            (Some(low), Some(high)) => {
                let source = LeftOut { point: low, pages: LeftOut { point: high, pages } };
                renumber(bits, &numbers, &self.blocks, block, &source, &mut best);
            }
            _ => unreachable!("one man or two are removed"),
        }
    }
}
