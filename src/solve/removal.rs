//! Removal tables: what closing a mill is worth, whichever move closed it.
//!
//! After a mill is closed and before the man is removed stands a *virtual position*. Its worth
//! depends on the two sets alone, so it is found once and serves every turn that leads there. It is
//! laid out like the quiet successor of the turn: rows are the sets of the player who closed
//! the mill, and a removal changes the ranked set only, so that its successor is in the row of the same
//! number. Rows without a mill are left empty.
//! How plies are counted matters here and nowhere else in the solver: see [`Distance`].
//! Invariant: an entry is the code of the turn for the player who closed the mill, `NONE` where
//! nothing can be removed.

use super::array::{Array, Workspace};
use super::bits::{Bits, Job, run};
use super::cube::{Conditions, Cube, PAGE, Page, Pages, Patterns, choose, row_point};
use super::links::Target;
use crate::index::Layout;
use crate::rules::{Mask, Protected, Rules, points_of};
use crate::storage::StorageError;
use crate::value::{Code, Distance};
use rayon::prelude::*;

/// The table a removal leads to, with its codes for the opponent to move; `Ended`, with none, where the
/// game ends.
pub type Successor<'a, C> = (Target, &'a [C]);

/// What filling a removal table needs beside the rows.
struct Filling<'a, C> {
    rules: &'a Rules,
    distance: Distance,
    /// The layout of the quiet successor, and of the table.
    quiet: &'a Layout<'a>,
    successors: &'a [Successor<'a, C>],
    /// The opponent's sets, with as many men fewer as the place in the list.
    cubes: Vec<Cube>,
    patterns: Patterns<C>,
}

/// Fills the removal table of layout `quiet` for as many removals as there are `successors`: the
/// first is reached by one removal, the second by two.
///
/// # Errors
/// As [`Workspace::array`].
pub fn removal_table<C: Code>(
    rules: &Rules,
    distance: Distance,
    quiet: &Layout,
    successors: &[Successor<C>],
    workspace: &Workspace,
) -> Result<Array<C>, StorageError> {
    let free = quiet.geometry().points() - usize::from(quiet.table().enemy);
    let men = usize::from(quiet.table().own);
    let cubes = (0..=successors.len()).map(|removed| Cube::new(free, men - removed));
    let (cubes, patterns) = (cubes.collect(), Patterns::new());
    let filling = Filling { rules, distance, quiet, successors, cubes, patterns };
    let mut worths = workspace.array(quiet.slots() as usize)?;
    worths.par_chunks_mut(quiet.row_len()).enumerate().for_each(|(row, worths)| {
        if rules.board().in_mills(quiet.enemies().canonical()[row]) != 0 {
            run(FillRow { filling: &filling, row, worths });
        }
    });
    Ok(worths)
}

struct FillRow<'a, C> {
    filling: &'a Filling<'a, C>,
    row: usize,
    worths: &'a mut [C],
}

impl<C: Code> Job for FillRow<'_, C> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) {
        let FillRow { filling, row, worths } = self;
        let free = filling.quiet.free(row);
        let lines: Vec<Mask> = (filling.rules.board().lines().iter())
            .filter(|&&line| line & !free == 0)
            .map(|&line| bits.squeeze(line, free))
            .collect();
        let conditions = Conditions::new(free.count_ones() as usize, &lines);
        let store = |page: usize, entries: &Page<C>, worths: &mut [C]| {
            filling.cubes[0].store_page(page, entries, worths);
        };
        let one = filling.pages(row, 1);
        if filling.successors.len() == 1 {
            filling.remove(&conditions, 0, &one, |page, best, _| store(page, best, worths));
            return;
        }
        // Two removals: the best second one, or none where nothing is left to remove, ...
        let mut second = one;
        filling.remove(&conditions, 1, &filling.pages(row, 2), |page, best, possible| {
            let page = second.page_mut(page);
            *page = choose(possible, best, page);
        });
        // ... and before it the best first one.
        filling.remove(&conditions, 0, &second, |page, best, _| store(page, best, worths));
    }
}

impl<C: Code> Filling<'_, C> {
    /// [`Conditions::full`], or nothing where no line leads through the point.
    #[inline(always)]
    fn full(&self, conditions: &Conditions, point: usize, high: Mask) -> Option<Page<C>> {
        conditions.any(point).then(|| conditions.full(&self.patterns, point, high))
    }

    /// Worths of having left the opponent so many men fewer.
    #[inline(always)]
    fn pages(&self, row: usize, removed: usize) -> Pages<C> {
        let cube = &self.cubes[removed];
        let (target, codes) = self.successors[removed - 1];
        if target == Target::Ended {
            return cube.filled(C::win(1));
        }
        let mut pages = cube.blank();
        let row_len = cube.entries().len();
        let codes = &codes[row * row_len..][..row_len];
        match self.distance {
            Distance::Win => cube.load(codes, &mut pages, C::from_successor),
            Distance::Conversion => cube.load(codes, &mut pages, C::from_conversion),
        }
        pages
    }

    /// Removes one man from the sets of cube number `cube`: calls `done` with each page's number,
    /// the best worths in `after` (pages of the next cube), and a mask of where there is one.
    #[inline(always)]
    fn remove(
        &self,
        conditions: &Conditions,
        cube: usize,
        after: &Pages<C>,
        mut done: impl FnMut(usize, &Page<C>, &Page<C>),
    ) {
        let (before, left) = (&self.cubes[cube], &self.cubes[cube + 1]);
        for (number, page) in before.pages().iter().enumerate() {
            let mut choice = Choice::new(self.rules.protected());
            for point in points_of(page.high).map(usize::from) {
                if let Some(source) = left.page_of(page.high & !(1 << point)) {
                    let full = self.full(conditions, row_point(point), page.high);
                    choice.offer(self.patterns.all(0), after.page(source), full.as_ref());
                }
            }
            if let Some(source) = left.page_of(page.high) {
                for point in 0..before.low_points() {
                    let there = self.patterns.all(1 << point);
                    let full = self.full(conditions, point, page.high);
                    choice.offer(there, after.without_point(source, point), full.as_ref());
                }
            }
            let (best, possible) = choice.made();
            done(number, &best, &possible);
        }
    }
}

/// The best removal by entry, and the best of a man outside mills.
struct Choice<C> {
    protected: Protected,
    any: Page<C>,
    any_there: Page<C>,
    free: Page<C>,
    free_there: Page<C>,
}

impl<C: Code> Choice<C> {
    #[inline(always)]
    fn new(protected: Protected) -> Choice<C> {
        let none = [C::NONE; PAGE];
        Choice { protected, any: none, any_there: none, free: none, free_there: none }
    }

    /// A man who is `there` may be removed for `worths`; where `in_mill` is set he is in a mill.
    #[inline(always)]
    fn offer(&mut self, there: &Page<C>, worths: &Page<C>, in_mill: Option<&Page<C>>) {
        let none = [C::NONE; PAGE];
        let in_mill = in_mill.unwrap_or(&none);
        for i in 0..PAGE {
            let free = there[i] & !in_mill[i];
            self.any[i] = self.any[i].max(worths[i] & there[i]);
            self.any_there[i] = self.any_there[i] | there[i];
            self.free_there[i] = self.free_there[i] | free;
            self.free[i] = self.free[i].max(worths[i] & free);
        }
    }

    /// The best worths, and where there is any.
    #[inline(always)]
    fn made(self) -> (Page<C>, Page<C>) {
        match self.protected {
            Protected::Never => (self.any, self.any_there),
            Protected::Always => (self.free, self.free_there),
            Protected::UnlessAll => {
                (choose(&self.free_there, &self.free, &self.any), self.any_there)
            }
        }
    }
}
