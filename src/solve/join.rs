//! Placements by the player who names the rows: a man joins the row's set.
//!
//! Each empty point leads from a whole row to a whole row of the next table, whose ranked men are the
//! same under other numbers (see `renumber`). Whether the man closes a mill is the same for all sets
//! of the row, too. So a row is the best of as many renumbered rows as it has empty points.
//! Invariant: fills a row's values, each with the worth of its slot's best placement.

use super::bits::Bits;
use super::cube::{Cube, Page, Pages};
use super::renumber::{Best, Blocks, Change, PutIn, Ranked, Renumbering, Source, renumber};
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
    pub fn room(&self) -> Pages<C> {
        self.before.blank()
    }

    /// Takes every placement of every slot of a row into account.
    #[inline(always)]
    pub fn fill<B: Bits>(&self, bits: B, row: usize, best: &mut Pages<C>, values: &mut [C]) {
        best.clear();
        let set = self.here.row_sets().canonical()[row];
        for (number, point) in points_of(self.here.free(row)).enumerate() {
            let mut best = PutIn { point: number, best: Best { cube: &self.before, pages: best } };
            self.join(bits, row, set | 1 << point, point, &mut best);
        }
        for number in 0..self.before.pages().len() {
            self.before.store_page(bits, number, best.page(number), values);
        }
    }

    /// Takes the placement on `point` into account, which makes `joined` of the row's set.
    #[inline(always)]
    fn join<B: Bits>(&self, bits: B, row: usize, joined: Mask, point: Point, best: &mut PutIn<C>) {
        let reduction = self.there.row_sets().reduce(joined);
        let row_len = self.there.row_len();
        let part = reduction.row() * row_len..(reduction.row() + 1) * row_len;
        let free = self.here.free(row) & !joined;
        let symmetry = &self.here.geometry().symmetries()[reduction.symmetry()];
        let numbers = Renumbering::new(free, self.there.free(reduction.row()), symmetry.image());
        let ranked = |codes, change| Ranked { cube: &self.after, codes, change };
        let quiet = ranked(&self.quiet[part.clone()], Change::Turn);
        let mills = self.rules.board().mills_through(joined, point);
        let Some(kind) = self.removals.len().min(mills).checked_sub(1) else {
            return renumber(bits, &numbers, &self.blocks, &quiet, best);
        };
        let removal = ranked(&self.removals[kind][part], Change::Nothing);
        match self.may_find_none {
            true => renumber(bits, &numbers, &self.blocks, &OrQuiet { removal, quiet }, best),
            false => renumber(bits, &numbers, &self.blocks, &removal, best),
        }
    }
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
