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
use super::cube::{ALL, Conditions, Cube, Entries, PAGE, Page, Pages, row_point, with};
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
    let filling = Filling { rules, distance, quiet, successors, cubes: cubes.collect() };
    let mut worths = workspace.array(quiet.slots() as usize)?;
    worths.par_chunks_mut(quiet.row_len()).enumerate().for_each(|(row, worths)| {
        if rules.board().in_mills(quiet.row_sets().canonical()[row]) != 0 {
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
            filling.cubes[0].store_page(bits, page, entries, worths);
        };
        let one = filling.pages(bits, row, 1);
        if filling.successors.len() == 1 {
            filling.remove(bits, &conditions, 0, &one, |page, best, _| store(page, best, worths));
            return;
        }
        // Two removals: the best second one, or none where nothing is left to remove, ...
        let mut second = one;
        filling.remove(
            bits,
            &conditions,
            1,
            &filling.pages(bits, row, 2),
            |page, best, possible| {
                let page = second.page_mut(page);
                *page = bits.choose(possible, best, page);
            },
        );
        // ... and before it the best first one.
        filling.remove(bits, &conditions, 0, &second, |page, best, _| store(page, best, worths));
    }
}

impl<C: Code> Filling<'_, C> {
    /// Worths of having left the opponent so many men fewer.
    #[inline(always)]
    fn pages<B: Bits>(&self, bits: B, row: usize, removed: usize) -> Pages<C> {
        let cube = &self.cubes[removed];
        let (target, codes) = self.successors[removed - 1];
        if target == Target::Ended {
            return cube.filled(C::win(1));
        }
        let mut pages = cube.blank();
        let row_len = cube.sets();
        let codes = &codes[row * row_len..][..row_len];
        match self.distance {
            Distance::Win => cube.load(bits, codes, &mut pages, C::from_successor),
            Distance::Conversion => cube.load(bits, codes, &mut pages, C::from_conversion),
        }
        pages
    }

    /// Removes one man from the sets of cube number `cube`: calls `done` with each page's number,
    /// the best worths in `after` (pages of the next cube), and the entries where there is one.
    #[inline(always)]
    fn remove<B: Bits>(
        &self,
        bits: B,
        conditions: &Conditions,
        cube: usize,
        after: &Pages<C>,
        mut done: impl FnMut(usize, &Page<C>, Entries),
    ) {
        let (before, left) = (&self.cubes[cube], &self.cubes[cube + 1]);
        for (number, page) in before.pages().iter().enumerate() {
            let mut choice = Choice::new();
            for point in points_of(page.high).map(usize::from) {
                if let Some(source) = left.page_of(page.high & !(1 << point)) {
                    let in_mill = conditions.full(row_point(point), page.high);
                    choice.offer(bits, ALL, after.page(source), in_mill);
                }
            }
            if let Some(source) = left.page_of(page.high) {
                for point in 0..before.low_points() {
                    let in_mill = conditions.full(point, page.high);
                    choice.offer(bits, with(point), after.without_man(source, point), in_mill);
                }
            }
            let (best, possible) = choice.made(bits, self.rules.protected());
            done(number, &best, possible);
        }
    }
}

/// The best removal by entry, and the best of a man outside mills.
struct Choice<C> {
    any: Page<C>,
    any_there: Entries,
    free: Page<C>,
    free_there: Entries,
}

impl<C: Code> Choice<C> {
    #[inline(always)]
    fn new() -> Choice<C> {
        let none = [C::NONE; PAGE];
        Choice { any: none, any_there: 0, free: none, free_there: 0 }
    }

    /// A man who is `there` may be removed for `worths`; where `in_mill` is set he is in a mill.
    #[inline(always)]
    fn offer<B: Bits>(&mut self, bits: B, there: Entries, worths: &Page<C>, in_mill: Entries) {
        let free = there & !in_mill;
        bits.improve(&mut self.any, there, worths);
        bits.improve(&mut self.free, free, worths);
        self.any_there |= there;
        self.free_there |= free;
    }

    /// The best worths, and where there is any.
    #[inline(always)]
    fn made<B: Bits>(self, bits: B, protected: Protected) -> (Page<C>, Entries) {
        match protected {
            Protected::Never => (self.any, self.any_there),
            Protected::Always => (self.free, self.free_there),
            Protected::UnlessAll => {
                (bits.choose(self.free_there, &self.free, &self.any), self.any_there)
            }
        }
    }
}
