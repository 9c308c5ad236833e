//! The moves along a row's pairs of neighbours, page by page.
//!
//! A move takes a man from one point to the next. In pages (see `cube`) it leads from all entries that
//! allow it to entries a fixed distance further on or back, in a page that its high points name; and
//! whether it closes a line is a mask, too. So a move is followed for 64 sets at a time. How many
//! moves a set has follows from its men on low points and on high points nearly alone.
//! Invariant: of each page's moves [`Closings::of`] gives all that close a line, each in one direction.

use super::bits::Bits;
use super::cube::{ALL, Entries, LOW_POINTS, Others, PAGE, Page, with};
use crate::rules::{Mask, points_of};

/// Bits of a look-up by high points.
const PART: usize = 6;

/// Look-ups for all high points there may be.
const PARTS: usize = 3;

/// Moves, by number; there may be 80 of them.
pub type Chosen = u128;

/// Which moves the men on high points, those from number `LOW` on, allow.
pub struct Allowed<const LOW: usize>([[Chosen; 1 << PART]; PARTS]);

impl<const LOW: usize> Allowed<LOW> {
    /// By move, the points it needs `held` and those it needs `empty`.
    pub fn new(held: &[Mask], empty: &[Mask]) -> Allowed<LOW> {
        let by_point = |masks: &[Mask]| {
            let mut moves = [0; PARTS * PART];
            for (number, &mask) in masks.iter().enumerate() {
                points_of(mask >> LOW).for_each(|point| moves[usize::from(point)] |= 1 << number);
            }
            moves
        };
        let existing: Chosen = (1 << held.len()) - 1;
        let mut allowed = [[existing; 1 << PART]; PARTS];
        let (held, empty) = (by_point(held), by_point(empty));
        let needs = held.chunks(PART).zip(empty.chunks(PART));
        for (allowed, (held, empty)) in allowed.iter_mut().zip(needs) {
            if held.iter().chain(empty).all(|&moves| moves == 0) {
                continue;
            }
            let (held, empty) = (unions(held), unions(empty));
            for (men, allowed) in allowed.iter_mut().enumerate() {
                *allowed = existing & !held[!men % (1 << PART)] & !empty[men];
            }
        }
        Allowed(allowed)
    }

    /// The moves that `high`, the men on high points, allows.
    #[inline(always)]
    pub fn of(&self, high: Mask) -> Chosen {
        let part = |part: usize| self.0[part][(high >> (PART * part)) as usize % (1 << PART)];
        part(0) & part(1) & part(2)
    }
}

/// The moves of a row that can close lines.
pub struct Closings {
    steps: Vec<Step>,
    /// What must stand elsewhere for a line to be closed, by those moves that can close several.
    others: Vec<Others>,
    /// By high points, the moves that they allow.
    allowed: Allowed<LOW_POINTS>,
}

/// One man's move in one direction, that closes a line.
#[derive(Clone, Copy)]
pub struct Step {
    /// The entries that allow it, and where it closes its line if that is the only one.
    entries: Entries,
    /// How much further on the entry after it is.
    pub distance: isize,
    /// The high points that it changes.
    flipped: Mask,
    /// Its part of `others`; empty where it has one line.
    others: (u8, u8),
}

impl Step {
    /// A move, if it can close a line, and which men it needs. What must stand elsewhere is added to
    /// `conditions`, if there are several lines.
    fn new(
        from: Mask,
        to: Mask,
        lines: &[Mask],
        conditions: &mut Vec<Others>,
    ) -> Option<(Step, Mask)> {
        // The man leaves the lines through both points.
        let closed = |line: &&Mask| **line & to != 0 && **line & from == 0;
        let mut others = lines.iter().filter(closed).map(|line| line & !to);
        let first = others.next()?;
        let start = conditions.len() as u8;
        let only = match others.next() {
            None => first,
            Some(second) => {
                let all = [first, second].into_iter().chain(others);
                conditions.extend(all.map(Others::new));
                0
            }
        };
        let low = |men: Mask| men & ((1 << LOW_POINTS) - 1);
        let held = points_of(low(from | only)).fold(ALL, |all, p| all & with(usize::from(p)));
        let empty = points_of(low(to)).fold(ALL, |all, point| all & !with(usize::from(point)));
        let step = Step {
            entries: held & empty,
            distance: low(to) as isize - low(from) as isize,
            flipped: (from | to) >> LOW_POINTS,
            others: (start, conditions.len() as u8),
        };
        Some((step, from | only))
    }

    /// The high points after it.
    #[inline(always)]
    pub fn high_after(&self, high: Mask) -> Mask {
        high ^ self.flipped
    }
}

impl Closings {
    /// The moves along local `pairs` that can close local `lines`.
    pub fn new(pairs: &[Mask], lines: &[Mask]) -> Closings {
        let (mut steps, mut others) = (Vec::with_capacity(2 * pairs.len()), Vec::new());
        let (mut held, mut empty) = (Vec::new(), Vec::new());
        for &pair in pairs {
            let one = pair & pair.wrapping_neg();
            for (from, to) in [(one, pair ^ one), (pair ^ one, one)] {
                let Some((step, men)) = Step::new(from, to, lines, &mut others) else { continue };
                steps.push(step);
                held.push(men);
                empty.push(to);
            }
        }
        Closings { steps, others, allowed: Allowed::new(&held, &empty) }
    }

    /// The moves that may close a line in the page of `high`.
    #[inline(always)]
    pub fn of(&self, high: Mask) -> impl Iterator<Item = &Step> {
        let mut left = self.allowed.of(high);
        std::iter::from_fn(move || {
            let step = self.steps.get(left.trailing_zeros() as usize)?;
            left &= left - 1;
            Some(step)
        })
    }

    /// The entries of the page of `high` for which a move of it closes a line, and those for which it
    /// closes two at least.
    #[inline(always)]
    pub fn closed(&self, step: &Step, high: Mask) -> [Entries; 2] {
        let (start, end) = step.others;
        if start == end {
            return [step.entries, 0];
        }
        let others = &self.others[usize::from(start)..usize::from(end)];
        let lines = others.iter().map(|others| others.stand(high) & step.entries);
        lines.fold([0, 0], |[once, twice], line| [once | line, twice | once & line])
    }
}

/// How many moves the sets of a row have.
pub struct Degrees {
    /// Moves between low points, by entry.
    low: Page<u8>,
    /// By low point, its high neighbours.
    across: [Mask; LOW_POINTS],
    /// Pairs of high points.
    high: Vec<Mask>,
}

impl Degrees {
    /// Along local `pairs`.
    pub fn new(pairs: &[Mask]) -> Degrees {
        let mut degrees = Degrees { low: [0; PAGE], across: [0; LOW_POINTS], high: Vec::new() };
        for &pair in pairs {
            let (low, high) = (pair & ((1 << LOW_POINTS) - 1), pair >> LOW_POINTS);
            match (low, high) {
                (_, 0) => {
                    for (entry, moves) in (0..).zip(&mut degrees.low) {
                        *moves += u8::from((entry & low).count_ones() == 1);
                    }
                }
                (0, _) => degrees.high.push(high),
                _ => degrees.across[low.trailing_zeros() as usize] |= high,
            }
        }
        degrees
    }

    /// By entry of the page of `high`, the moves to empty points.
    #[inline(always)]
    pub fn of<B: Bits>(&self, bits: B, high: Mask) -> Page<u8> {
        let one_held = |pair: &Mask| u8::from((high & pair).count_ones() == 1);
        let mut everywhere: u8 = self.high.iter().map(one_held).sum();
        let mut moves = self.low;
        for (point, &neighbours) in self.across.iter().enumerate() {
            // From those that are held to the point, or from there to the others.
            let held = (neighbours & high).count_ones() as u8;
            let empty = neighbours.count_ones() as u8 - held;
            everywhere += held;
            bits.add(&mut moves, with(point), empty.wrapping_sub(held));
        }
        bits.add(&mut moves, ALL, everywhere);
        moves
    }
}

/// By set of high points, what the chosen ones make together.
fn unions(of: &[Chosen]) -> [Chosen; 1 << PART] {
    let mut unions = [0; 1 << PART];
    for (bit, chosen) in of.iter().enumerate() {
        let (known, new) = unions.split_at_mut(1 << bit);
        new.iter_mut().zip(known).for_each(|(new, known)| *new = *known | chosen);
    }
    unions
}

#[cfg(test)]
mod tests {
    use super::super::bits::Portable;
    use super::*;
    use crate::index::subsets;

    #[test]
    fn test_moves_and_closed_lines_are_those_of_each_set() {
        // A square of points, some of them high, with lines that cross.
        let square = [0b11, 0b110, 0b1100, 1 << 3 | 1 << 7, 1 << 7 | 1 << 8, 1 << 8 | 1];
        let pairs = [&square[..], &[1 << 2 | 1 << 9, 1 << 7 | 1 << 9]].concat();
        let lines =
            [0b111, 1 << 3 | 1 << 7 | 1 << 8, 1 << 1 | 1 << 8 | 1 << 9, 1 << 2 | 1 << 4 | 1 << 9];
        let (closings, degrees) = (Closings::new(&pairs, &lines), Degrees::new(&pairs));
        for set in subsets(10, 4).into_iter().chain(subsets(10, 6)) {
            let (high, low) = (set >> LOW_POINTS, set % (1 << LOW_POINTS));
            let has = |entries: Entries| entries >> low & 1 == 1;
            let mut found = Vec::new();
            for step in closings.of(high) {
                let closed = closings.closed(step, high).map(has);
                if closed[0] {
                    let low_after = (low as isize + step.distance) as Mask;
                    found.push((step.high_after(high) << LOW_POINTS | low_after, closed[1]));
                }
            }
            let mut expected = Vec::new();
            let mut moves = 0;
            for pair in pairs.iter().filter(|&pair| (set & pair).count_ones() == 1) {
                let (after, to) = (set ^ pair, pair & !set);
                let full = lines.iter().filter(|&line| line & to != 0 && line & after == *line);
                let full = full.count();
                moves += 1;
                expected.extend((full > 0).then_some((after, full > 1)));
            }
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "{set:b}");
            assert_eq!(degrees.of(Portable, high)[low as usize], moves, "{set:b}");
        }
    }
}
