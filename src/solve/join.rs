//! Placements by the player who names the rows: a man joins the row's set.
//!
//! Each empty point leads from a whole row to a whole row of the next table, whose ranked men are the
//! same under other numbers (see `renumber`). Whether the man closes a mill is the same for all sets
//! of the row, too. So a row is the best of as many renumbered rows as it has empty points.
//! Invariant: fills a row's values, each with the worth of its slot's best placement.

use super::bits::Bits;
use super::cube::{Cube, Page, Pages};
use super::renumber::{Best, Block, Blocks, Change, PutIn, Ranked, Renumbering, Source, renumber};
use crate::index::Layout;
use crate::rules::{Mask, Point, Protected, Rules, points_of};
use crate::value::Code;

/// Placements of a table's mover, who names its rows.
pub struct Joins<'a, C> {
    rules: &'a Rules,
    here: Layout<'a>,
    there: Layout<'a>,
    quiet: &'a [C],
    /// After one mill closed, and after two, where that differs; nothing where nothing can be removed.
    removals: Vec<&'a [C]>,
    /// A mill may find no man to remove.
    may_find_none: bool,
    /// Sets of the other player among the free points before and after.
    before: Cube,
    after: Cube,
    blocks: Blocks,
}

impl<'a, C: Code> Joins<'a, C> {
    /// The placements of `here`'s mover: the codes of the quiet successors and of removal tables, all
    /// laid out as `there`.
    pub fn new(
        rules: &'a Rules,
        here: Layout<'a>,
        there: Layout<'a>,
        quiet: &'a [C],
        removals: Vec<&'a [C]>,
    ) -> Joins<'a, C> {
        assert!(here.rows_by_own() && !there.rows_by_own(), "the mover names both tables' rows");
        let free = here.geometry().points() - usize::from(here.table().own);
        let men = usize::from(here.table().enemy);
        let after = free.saturating_sub(1);
        Joins {
            rules,
            here,
            there,
            quiet,
            removals,
            may_find_none: rules.protected() == Protected::Always,
            before: Cube::new(free, men),
            after: Cube::new(after, men),
            blocks: Blocks::new(after, men),
        }
    }

    /// Room for the worths of a row.
    pub fn room(&self) -> JoinRoom<C> {
        JoinRoom { best: self.before.blank(), block: Block::new() }
    }

    /// Takes every placement of every slot of a row into account.
    #[inline(always)]
    pub fn fill<B: Bits>(&self, bits: B, row: usize, room: &mut JoinRoom<C>, values: &mut [C]) {
        let JoinRoom { best, block } = room;
        best.clear();
        let free = self.here.free(row);
        let mut next = points_of(free).map(|point| self.joined(row, point));
        let mut coming = next.next();
        for number in 0..free.count_ones() as usize {
            let joined = coming.expect("as many as free points");
            coming = next.next();
            if let Some(coming) = &coming {
                bits.prefetch_all(self.codes(coming));
            }
            let mut best = PutIn { point: number, best: Best { cube: &self.before, pages: best } };
            self.join(bits, &joined, block, &mut best);
        }
        for number in 0..self.before.pages().len() {
            self.before.store_page(bits, number, best.page(number), values);
        }
    }

    /// What a man on `point` makes of a row.
    #[inline(always)]
    fn joined(&self, row: usize, point: Point) -> Joined {
        let set = self.here.row_sets().canonical()[row] | 1 << point;
        let reduction = self.there.row_sets().reduce(set);
        Joined {
            free: self.here.free(row) & !set,
            row: reduction.row(),
            symmetry: reduction.symmetry(),
            kind: self.removals.len().min(self.rules.board().mills_through(set, point)),
        }
    }

    /// The codes of the row that a placement leads to.
    #[inline(always)]
    fn codes(&self, joined: &Joined) -> &'a [C] {
        let codes = joined.kind.checked_sub(1).map_or(self.quiet, |kind| self.removals[kind]);
        &codes[joined.row * self.there.row_len()..][..self.there.row_len()]
    }

    /// Takes a placement into account.
    #[inline(always)]
    fn join<B: Bits>(&self, bits: B, joined: &Joined, block: &mut Block<C>, best: &mut PutIn<C>) {
        let symmetry = &self.here.geometry().symmetries()[joined.symmetry];
        let there = self.there.free(joined.row);
        let numbers = Renumbering::new(joined.free, there, symmetry.image());
        let ranked = |codes, change| Ranked { cube: &self.after, codes, change };
        let codes = self.codes(joined);
        if joined.kind == 0 {
            let quiet = ranked(codes, Change::Turn);
            return renumber(bits, &numbers, &self.blocks, block, &quiet, best);
        }
        let removal = ranked(codes, Change::Nothing);
        if self.may_find_none {
            let quiet = self.codes(&Joined { kind: 0, ..*joined });
            let either = OrQuiet { removal, quiet: ranked(quiet, Change::Turn) };
            return renumber(bits, &numbers, &self.blocks, block, &either, best);
        }
        renumber(bits, &numbers, &self.blocks, block, &removal, best);
    }
}

/// A row after a man has joined its set.
#[derive(Clone, Copy)]
struct Joined {
    /// The points left free.
    free: Mask,
    /// The row it leads to, and the symmetry that does.
    row: usize,
    symmetry: usize,
    /// Men removed by the mill closed, as far as removal tables tell them apart; 0 without one.
    kind: usize,
}

/// Room for the worths of a row.
pub struct JoinRoom<C> {
    best: Pages<C>,
    block: Block<C>,
}

/// What closing a mill is worth, or the turn without a removal where there is no man to remove.
struct OrQuiet<'a, C> {
    removal: Ranked<'a, C>,
    quiet: Ranked<'a, C>,
}

impl<C: Code> Source<C> for OrQuiet<'_, C> {
    #[inline(always)]
    fn page<B: Bits>(&self, bits: B, high: Mask) -> Page<C> {
        let mut page = self.removal.page(bits, high);
        for (removal, quiet) in page.iter_mut().zip(self.quiet.page(bits, high)) {
            *removal = if *removal == C::NONE { quiet } else { *removal };
        }
        page
    }
}
