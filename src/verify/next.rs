//! The worth of turns by the own set after them, read from the tables they lead to.
//!
//! After a turn the opponent is the mover: the position lies in a table whose rows are, mostly, canonical
//! sets of the men of this table's mover. Each own set Y after a turn is reduced once; its row tells
//! where the enemy men are, after every removal, and whether Y holds a line at all. The reads are
//! random: addresses are computed first and read after, so that many reads are under way at once.
//! Invariant: slots are those of [`Layout::slot`](crate::index::Layout::slot).

use super::dense::Dense;
use super::moved::Moved;
use super::shape::{Images, Removals, Shape};
use super::worth::worth;
use crate::index::{Geometry, Layout, Ranks, Sets, binomial};
use crate::rules::{Mask, Rules, points_of};
use crate::storage::Metric;
use crate::value::Code;

/// Own sets whose addresses are computed ahead of their reads.
const AHEAD: usize = 256;

/// A table that turns lead to.
pub struct Next<'a, C> {
    /// Its layout.
    pub layout: Layout<'a>,
    /// Its codes.
    pub codes: &'a [C],
}

/// Turns of one kind, placements or moves.
pub struct Turns<'a, C> {
    /// The own sets after the turn, of free points, by rank.
    sets_after: &'a [Mask],
    /// All sets of their size.
    sets: &'a Sets,
    /// By row of the tables that turns lead to; none where they keep the row.
    rows: Vec<NextRow>,
    /// The tables' rows are named by the same player as here.
    keeps_row: bool,
    /// By number of men removed; `None` where the opponent has too few men to go on.
    next: [Option<Next<'a, C>>; 3],
    worths: Worths<C>,
}

/// What a turn to each code is worth to the player who makes it, without a removal and with one.
pub struct Worths<C>([Vec<C>; 2]);

impl<C: Code> Worths<C> {
    /// In tables that tell so much.
    pub fn new(metric: Metric) -> Worths<C> {
        Worths([false, true].map(|removes| worths(metric, removes)))
    }

    /// The worth of a turn to `successor`.
    #[inline]
    pub fn of(&self, removes: bool, successor: C) -> C {
        self.0[usize::from(removes)][successor.number() as usize]
    }
}

/// What a row's own men (now the opponent's) have in common.
struct NextRow {
    /// How to squeeze the men to be ranked: those of a mask move by 1, 2, 4 and 8.
    shifts: [Mask; 4],
    /// Do the men hold a full line?
    lines: bool,
}

/// A turn that closes a mill: the own set after it, and where that is found.
struct Mill {
    own: Mask,
    row: u32,
    symmetry: u8,
}

/// By free point, what turns that bring a man there and close a mill are worth: the own sets after
/// them, and the worths, to be exchanged with those of quiet turns.
pub type Closing<C> = Vec<Vec<(Mask, C)>>;

impl<'a, C: Code> Turns<'a, C> {
    /// Turns after which the mover has `men` men on the board.
    pub fn new(
        rules: &Rules,
        layout: &Layout<'a>,
        metric: Metric,
        men: u8,
        next: [Option<Next<'a, C>>; 3],
    ) -> Turns<'a, C> {
        let geometry = layout.geometry();
        let sets = geometry.sets(men);
        let free = geometry.points() - usize::from(layout.table().enemy);
        let row = |&set: &Mask| NextRow {
            shifts: shifts(geometry, set),
            lines: rules.most_removals() > 0 && rules.board().in_mills(set) != 0,
        };
        let keeps_row = next.iter().flatten().any(|next| next.layout.rows_by_own());
        let rows = if keeps_row { &[][..] } else { sets.canonical() };
        Turns {
            sets_after: &sets.subsets()[..binomial(free, usize::from(men)) as usize],
            rows: rows.iter().map(row).collect(),
            keeps_row,
            sets,
            next,
            worths: Worths::new(metric),
        }
    }

    /// Writes the worth of all quiet turns of row number `row` into `quiet`, and adds that of the
    /// others to `closing`.
    pub fn gather(
        &self,
        row: usize,
        shape: &Shape,
        quiet: &mut Dense<C>,
        closing: &mut Closing<C>,
    ) {
        let Some(next) = &self.next[0] else {
            let won = self.worth(false, C::loss(0));
            return self.sets_after.iter().for_each(|&own| *quiet.entry(own) = won);
        };
        if self.keeps_row {
            return self.gather_here(next, row, shape, quiet, closing);
        }
        let mills = self.gather_quiet(next, shape, quiet);
        let Some([one, two]) = &shape.removals else { return };
        let [ones, twos] = [one, two].map(|removals| self.best_removals(shape, &mills, removals));
        for (mill, (one, two)) in mills.iter().zip(ones.iter().zip(twos)) {
            let (once, twice) = shape.in_mills(mill.own);
            for to in points_of(once) {
                let worth = if twice >> to & 1 == 1 { two } else { *one };
                closing[usize::from(to)].push((mill.own, worth));
            }
        }
    }

    /// The same where turns keep the row, and a removal leads from the whole row to one other.
    fn gather_here(
        &self,
        next: &Next<C>,
        row: usize,
        shape: &Shape,
        quiet: &mut Dense<C>,
        closing: &mut Closing<C>,
    ) {
        let codes = &next.codes[row * next.layout.row_len()..][..next.layout.row_len()];
        for (&own, &code) in self.sets_after.iter().zip(codes) {
            *quiet.entry(own) = self.worth(false, code);
        }
        let Some(removals) = &shape.removals else { return };
        let [ones, twos] = removals.each_ref().map(|removals| self.after(shape, removals));
        for &own in self.sets_after {
            let (once, twice) = shape.in_mills(own);
            if once == 0 {
                continue;
            }
            let set = shape.spread(own);
            let [one, two] = [(&ones, once), (&twos, twice)].map(|(after, mills)| match mills {
                0 => C::NONE,
                _ => self
                    .worth(true, after.iter().map(|row| row.code(set)).min().unwrap_or(C::loss(0))),
            });
            for to in points_of(once) {
                let worth = if twice >> to & 1 == 1 { two } else { one };
                closing[usize::from(to)].push((own, worth));
            }
        }
    }

    /// The rows that the removals lead to; none where one of them ends the game.
    fn after(&self, shape: &Shape, removals: &Removals) -> Vec<Moved<'_, C>> {
        let singles = points_of(removals.singles[0]).map(|point| (1, 1 << point));
        let pairs = removals.pairs.iter().map(|pair| (2, pair[0]));
        let row = |(removed, men): (usize, Mask)| {
            Some(Moved::new(self.next[removed].as_ref()?, shape.enemy[0] & !men))
        };
        singles.chain(pairs).map(row).collect::<Option<Vec<_>>>().unwrap_or_default()
    }

    /// Quiet turns; returns the own sets with a line, where such turns may remove something.
    fn gather_quiet(&self, next: &Next<C>, shape: &Shape, quiet: &mut Dense<C>) -> Vec<Mill> {
        let mut mills = Vec::new();
        let (mut slots, mut codes) = ([0; AHEAD], [C::NONE; AHEAD]);
        let (ranks, row_len) = (next.layout.ranks(), next.layout.row_len());
        for owns in self.sets_after.chunks(AHEAD) {
            for (slot, &own) in slots.iter_mut().zip(owns) {
                let reduction = self.sets.reduce(shape.spread(own));
                let (row, symmetry) = (reduction.row(), reduction.symmetry());
                let entry = &self.rows[row];
                let rank = ranks.rank(entry.squeeze(shape.enemy[symmetry]));
                *slot = row * row_len + rank as usize;
                if entry.lines {
                    mills.push(Mill { own, row: row as u32, symmetry: symmetry as u8 });
                }
            }
            // Nothing but reads, so that as many as can be are under way.
            for (code, &slot) in codes.iter_mut().zip(&slots[..owns.len()]) {
                *code = next.codes[slot];
            }
            for (&code, &own) in codes.iter().zip(owns) {
                *quiet.entry(own) = self.worth(false, code);
            }
        }
        mills
    }

    /// The worth of each mill when the best of the removals is made.
    fn best_removals(&self, shape: &Shape, mills: &[Mill], removals: &Removals) -> Vec<C> {
        // The worse for the opponent, the better; codes are ordered by preference.
        let mut least = vec![!C::NONE; mills.len()];
        let singles = removals.singles[0].count_ones() as usize;
        self.least(1, singles, mills, &mut least, |mill, ranks, ranks_found| {
            let row = &self.rows[mill.row as usize];
            let symmetry = usize::from(mill.symmetry);
            let enemy = row.squeeze(shape.enemy[symmetry]);
            let mut rest = row.squeeze(removals.singles[symmetry]);
            while rest != 0 {
                ranks_found.push(ranks.rank(enemy & !(rest & rest.wrapping_neg())) as usize);
                rest &= rest - 1;
            }
        });
        self.least(2, removals.pairs.len(), mills, &mut least, |mill, ranks, ranks_found| {
            let row = &self.rows[mill.row as usize];
            let symmetry = usize::from(mill.symmetry);
            let left = |pair: &Images| shape.enemy[symmetry] & !pair[symmetry];
            let rank = |pair| ranks.rank(row.squeeze(left(pair))) as usize;
            ranks_found.extend(removals.pairs.iter().map(rank));
        });
        least.into_iter().map(|code| self.worth(true, code)).collect()
    }

    /// Lowers each mill's code in `least` to the least of its successors after the removal of
    /// `removed` men, which can be done in `ways` ways; `find` appends their ranks.
    #[inline]
    fn least(
        &self,
        removed: usize,
        ways: usize,
        mills: &[Mill],
        least: &mut [C],
        find: impl Fn(&Mill, &Ranks, &mut Vec<usize>),
    ) {
        if ways == 0 {
            return;
        }
        let Some(next) = &self.next[removed] else { return least.fill(C::loss(0)) };
        let (ranks, row_len) = (next.layout.ranks(), next.layout.row_len());
        let at_once = AHEAD.div_ceil(ways);
        let mut slots = Vec::with_capacity(at_once * ways);
        for (mills, least) in mills.chunks(at_once).zip(least.chunks_mut(at_once)) {
            slots.clear();
            for mill in mills {
                let found = slots.len();
                find(mill, ranks, &mut slots);
                let start = mill.row as usize * row_len;
                slots[found..].iter_mut().for_each(|slot| *slot += start);
            }
            for (least, slots) in least.iter_mut().zip(slots.chunks_exact(ways)) {
                *least = slots.iter().fold(*least, |least, &slot| least.min(next.codes[slot]));
            }
        }
    }

    #[inline]
    fn worth(&self, removes: bool, successor: C) -> C {
        self.worths.of(removes, successor)
    }
}

/// By code of a successor: what the turn to it is worth.
fn worths<C: Code>(metric: Metric, removes: bool) -> Vec<C> {
    let turn = |successor| worth(metric, removes, successor);
    let code = |number: u32| match C::of(number).value().map(turn) {
        None => C::NONE,
        // One ply more than a table may hold is a code of its own that equals no stored one.
        Some(value) => value.plies().map_or(C::DRAW, C::decided),
    };
    (0..2 * C::DRAW.number()).map(code).collect()
}

impl NextRow {
    /// The same as [`squeeze`](crate::index::squeeze) onto the points the row's set leaves, for men
    /// that stand there: all gaps are closed together, in steps of 1, 2, 4 and 8 points.
    #[inline]
    fn squeeze(&self, men: Mask) -> Mask {
        let mut squeezed = men;
        for (step, &moving) in self.shifts.iter().enumerate() {
            let moved = squeezed & moving;
            squeezed = squeezed ^ moved | moved >> (1 << step);
        }
        squeezed
    }
}

/// Which points move when those of `set` are left out of the numbering, in each step.
fn shifts(geometry: &Geometry, set: Mask) -> [Mask; 4] {
    let mut shifts = [0; 4];
    for mut point in points_of(geometry.board().all() & !set) {
        let gaps = (set & ((1 << point) - 1)).count_ones();
        for (step, moving) in
            shifts.iter_mut().enumerate().filter(|(step, _)| gaps >> step & 1 == 1)
        {
            *moving |= 1 << point;
            point -= 1 << step;
        }
    }
    shifts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::squeeze;

    #[test]
    fn test_all_gaps_are_closed_in_four_steps() {
        let rules = Rules::named("twelve").unwrap();
        let geometry = Geometry::new(&rules);
        for size in [0, 1, 7, 12] {
            for &set in geometry.sets(size).subsets().iter().step_by(997) {
                let row = NextRow { shifts: shifts(&geometry, set), lines: false };
                let free = rules.board().all() & !set;
                for men in [0, free, free & 0x5a_5a5a, free & 0x12_3456, free & 0xff_f000] {
                    assert_eq!(row.squeeze(men), squeeze(men, free), "{men:x} {set:x}");
                }
            }
        }
    }

    #[test]
    fn test_worths_tell_all_codes_apart() {
        let worths: Vec<u8> = worths(Metric::Conversion, false);
        let values = (0..=255).filter(|&number| u8::of(number).value().is_some());
        let mut turned: Vec<u8> = values.map(|number| worths[number as usize]).collect();
        // The better for the opponent, the worse.
        assert!(turned.is_sorted_by(|a, b| a > b));
        assert_eq!((turned[0], turned.pop()), (u8::win(1), Some(u8::loss(2))));
    }
}
