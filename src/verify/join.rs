//! Recomputes rows that the mover names: each placement is a man who joins the row's set.
//!
//! Whether he closes a mill is the same for the whole row, and so is the row that he leads to (see
//! `moved`); which men a mill may take depends on the ranked set, and is asked of the rules once for each
//! set of the board.
//! Invariant: as that of [`row`](super::row).

use super::moved::Moved;
use super::next::{Next, Worths};
use crate::index::{Layout, spread};
use crate::rules::{Mask, Rules, Verdict, points_of};
use crate::storage::Metric;
use crate::value::Code;

/// Recomputes rows of one table whose mover names them, and can only place.
pub struct Joins<'a, C> {
    rules: &'a Rules,
    layout: Layout<'a>,
    /// By number of men removed; `None` where the opponent has too few men to go on.
    next: [Option<Next<'a, C>>; 3],
    worths: Worths<C>,
    /// By rank of an enemy set among all of the board: the men of whom one may be removed.
    removable: Vec<Mask>,
    stuck: C,
}

impl<'a, C: Code> Joins<'a, C> {
    /// For a table laid out as `layout`, whose placements lead to those tables.
    pub fn new(
        rules: &'a Rules,
        layout: Layout<'a>,
        metric: Metric,
        next: [Option<Next<'a, C>>; 3],
    ) -> Joins<'a, C> {
        assert!(!rules.place_or_move() && !rules.line_wins(), "rows are named by the enemy");
        let enemies = layout.geometry().sets(layout.table().enemy).subsets();
        Joins {
            rules,
            layout,
            next,
            worths: Worths::new(metric),
            removable: enemies.iter().map(|&enemy| rules.removable(enemy)).collect(),
            stuck: match rules.no_move() {
                Verdict::Loses => C::loss(0),
                Verdict::Draws => C::DRAW,
            },
        }
    }

    /// The codes of a row, by rank, into `codes`; `enemies` is room for its sets.
    pub fn recompute(&self, row: usize, enemies: &mut Vec<Mask>, codes: &mut [C]) {
        let (own, free) = (self.layout.row_sets().canonical()[row], self.layout.free(row));
        enemies.clear();
        enemies.extend(self.layout.ranked_sets().iter().map(|&set| spread(set, free)));
        codes.fill(C::NONE);
        for point in points_of(free) {
            let joined = own | 1 << point;
            let mills = self.rules.board().mills_through(joined, point);
            self.place(1 << point, joined, self.rules.removals(mills), enemies, codes);
        }
        for code in codes.iter_mut().filter(|code| **code == C::NONE) {
            *code = self.stuck;
        }
    }

    /// Takes the placement of `man` into account, which makes `joined` of the row's set, and removes
    /// as many as `removals` men.
    fn place(&self, man: Mask, joined: Mask, removals: usize, enemies: &[Mask], codes: &mut [C]) {
        let [quiet, one, two] =
            [0, 1, 2].map(|removed| Some(Moved::new(self.next[removed].as_ref()?, joined)));
        let quiet_worth = |enemy| self.worth(quiet.as_ref(), false, enemy);
        let slots = enemies.iter().zip(codes).filter(|(enemy, _)| **enemy & man == 0);
        if removals == 0 {
            return slots.for_each(|(&enemy, code)| *code = (*code).max(quiet_worth(enemy)));
        }
        for (&enemy, code) in slots {
            let removable = self.removable[self.layout.ranks().rank(enemy) as usize];
            let best = match removals {
                _ if removable == 0 => quiet_worth(enemy),
                1 => {
                    let left = points_of(removable).map(|point| enemy & !(1 << point));
                    let worths = left.map(|left| self.worth(one.as_ref(), true, left));
                    worths.fold(C::NONE, C::max)
                }
                _ => {
                    let mut best = C::NONE;
                    self.rules.for_removal_sets(enemy, removals, &mut |men| {
                        let after = if men.count_ones() == 1 { &one } else { &two };
                        best = best.max(self.worth(after.as_ref(), true, enemy & !men));
                    });
                    best
                }
            };
            *code = (*code).max(best);
        }
    }

    /// The worth of a turn that leaves these enemy men.
    #[inline]
    fn worth(&self, after: Option<&Moved<C>>, removes: bool, enemy: Mask) -> C {
        self.worths.of(removes, after.map_or(C::loss(0), |after| after.code(enemy)))
    }
}
