//! Removal tables: what closing a mill is worth, whichever move closed it.
//!
//! After a mill is closed and before the man is removed stands a *virtual position*. Its worth
//! depends on the two sets alone, so it is found once and serves every turn that leads there. It is
//! laid out like the quiet successor of the turn: rows are the sets of the player who closed
//! the mill, and removing an enemy man stays in the row. Rows without a mill are left empty.
//! Invariant: an entry is the code of the turn for the player who closed the mill, `NONE` where
//! nothing can be removed.

use super::array::{Array, Workspace};
use super::bits::{Bits, Job, run};
use super::links::Target;
use crate::index::{Layout, Ranks, Table};
use crate::rules::{Mask, Protected, Rules, points_of};
use crate::storage::StorageError;
use crate::value::Code;
use rayon::prelude::*;

/// The table a removal leads to: its codes, or the end of the game.
pub enum Successor<'a, C> {
    /// The opponent has too few men.
    Ended,
    /// Codes for the opponent to move, and the ranks of their sets.
    Stored {
        /// The codes.
        codes: &'a [C],
        /// Slots of a row.
        row_len: usize,
        /// Ranks of the opponent's men.
        ranks: &'a Ranks,
    },
}

impl<'a, C: Code> Successor<'a, C> {
    /// The successor `target`, whose codes, if it has any, are `codes`.
    pub fn new(target: Target, layout: impl Fn(Table) -> Layout<'a>, codes: &'a [C]) -> Self {
        match target {
            Target::Ended => Successor::Ended,
            Target::Table(table) => {
                let layout = layout(table);
                let (row_len, ranks) = (layout.row_len(), layout.own_ranks());
                Successor::Stored { codes, row_len, ranks }
            }
        }
    }

    /// What it is worth to have left the opponent with `enemy` in `row`.
    #[inline(always)]
    fn worth(&self, row: usize, enemy: Mask) -> C {
        match self {
            Successor::Ended => C::win(1),
            Successor::Stored { codes, row_len, ranks } => {
                C::from_successor(codes[row * row_len + ranks.rank(enemy) as usize])
            }
        }
    }
}

/// Fills the removal table of layout `quiet` for as many removals as there are `successors`: the
/// first is reached by one removal, the second by two.
///
/// # Errors
/// As [`Workspace::array`].
pub fn removal_table<C: Code>(
    rules: &Rules,
    quiet: &Layout,
    successors: &[Successor<C>],
    workspace: &Workspace,
) -> Result<Array<C>, StorageError> {
    let mut worths = workspace.array(quiet.slots() as usize)?;
    worths.par_chunks_mut(quiet.row_len()).enumerate().for_each(|(row, worths)| {
        if rules.board().in_mills(quiet.enemies().canonical()[row]) != 0 {
            run(FillRow { rules, quiet, successors, row, worths });
        }
    });
    Ok(worths)
}

struct FillRow<'a, C> {
    rules: &'a Rules,
    quiet: &'a Layout<'a>,
    successors: &'a [Successor<'a, C>],
    row: usize,
    worths: &'a mut [C],
}

impl<C: Code> Job for FillRow<'_, C> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) {
        let free = self.quiet.free(self.row);
        let lines: Vec<Mask> = (self.rules.board().lines().iter())
            .filter(|&&line| line & !free == 0)
            .map(|&line| bits.squeeze(line, free))
            .collect();
        let removable = |men: Mask| removable(self.rules.protected(), &lines, men);
        for (worth, &enemy) in self.worths.iter_mut().zip(self.quiet.own_sets()) {
            *worth = match self.successors {
                [one] => best(removable(enemy), |man| one.worth(self.row, enemy ^ man)),
                [one, two] => best(removable(enemy), |first| {
                    let left = enemy ^ first;
                    match removable(left) {
                        0 => one.worth(self.row, left),
                        second => best(second, |man| two.worth(self.row, left ^ man)),
                    }
                }),
                _ => unreachable!("a turn removes one man or two"),
            };
        }
    }
}

#[inline(always)]
fn best<C: Code>(men: Mask, worth: impl Fn(Mask) -> C) -> C {
    points_of(men).fold(C::NONE, |best, man| best.max(worth(1 << man)))
}

/// [`Rules::removable`] among the free points of a row: `lines` are those without a man of the
/// player who removes, and no other line can be full.
#[inline(always)]
fn removable(protected: Protected, lines: &[Mask], men: Mask) -> Mask {
    let mut in_mills = 0;
    for &line in lines {
        in_mills |= if men & line == line { line } else { 0 };
    }
    let free = men & !in_mills;
    match protected {
        Protected::Never => men,
        Protected::Always => free,
        Protected::UnlessAll if free == 0 => men,
        Protected::UnlessAll => free,
    }
}
