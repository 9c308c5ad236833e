//! Codes of a row by own set itself instead of its rank, so that a step is a distance.
//!
//! A row's free points are few, so an array with room for every set of them fits a cache. In it a
//! man placed on `to` lies `to` entries further, and one moved from `from` to `to` lies `to - from`
//! further, for all sets alike: a step is taken for 64 sets at a time, by instructions the compiler
//! picks. Pages of 64 sets that hold none of the wanted size are left out.
//! Invariant: entries of sets that were never written are [`Code::NONE`], worse than any value.

use crate::rules::Mask;
use crate::value::Code;

/// The lowest points, by which the sets of one page differ.
const LOW_POINTS: usize = 6;
const PAGE: usize = 1 << LOW_POINTS;
const LOW: Mask = PAGE as Mask - 1;

/// A code for every set of some number of points.
pub struct Dense<C> {
    /// A page of nothing, the sets in numeric order, and another page of nothing: a step from a set
    /// that does not allow it reads there.
    codes: Vec<C>,
}

/// The pages that hold sets of some size.
pub struct Pages {
    /// The first set of each.
    starts: Vec<Mask>,
}

/// How a turn changes the own set; masks of one point.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The point a man leaves; 0 for a placement.
    pub from: Mask,
    /// The point it comes to.
    pub to: Mask,
}

impl Pages {
    /// Pages with sets of `men` of `points` points.
    pub fn new(points: usize, men: u8) -> Pages {
        let low_points = points.min(LOW_POINTS) as u32;
        let starts = (0..1 << (points as u32 - low_points)).map(|high: Mask| high << LOW_POINTS);
        let men = u32::from(men);
        let holds = |high: u32| high <= men && men <= high + low_points;
        Pages { starts: starts.filter(|start| holds(start.count_ones())).collect() }
    }

    /// How many there are.
    pub fn number(&self) -> usize {
        self.starts.len()
    }
}

impl<C: Code> Dense<C> {
    /// Nothing known of any set of `points` points.
    pub fn new(points: usize) -> Dense<C> {
        Dense { codes: vec![C::NONE; (1 << points.max(LOW_POINTS)) + 2 * PAGE] }
    }

    /// The code of a set.
    #[inline]
    pub fn get(&self, set: Mask) -> C {
        self.codes[set as usize + PAGE]
    }

    /// The place of a set's code.
    #[inline]
    pub fn entry(&mut self, set: Mask) -> &mut C {
        &mut self.codes[set as usize + PAGE]
    }

    /// Forgets what is known of the sets of some pages.
    pub fn clear(&mut self, pages: &Pages) {
        for &start in &pages.starts {
            self.page_mut(start).fill(C::NONE);
        }
    }

    /// Gives each set on `pages` that allows the step the better of what it has and what `worth`
    /// has for the set after the step. Sets of other sizes on these pages get something, too.
    pub fn improve(&mut self, pages: &Pages, worth: &Dense<C>, step: Step) {
        let points = step.from | step.to;
        let allowed = |set: usize| set as Mask & points & LOW == step.from & LOW;
        let kept: [C; PAGE] =
            std::array::from_fn(|set| if allowed(set) { !C::NONE } else { C::NONE });
        let (high, needed) = (points & !LOW, step.from & !LOW);
        for &start in pages.starts.iter().filter(|&&start| start & high == needed) {
            let source = (start + step.to) as usize + PAGE - step.from as usize;
            let worth = page(&worth.codes, source);
            let codes = self.page_mut(start).iter_mut().zip(worth).zip(&kept);
            for ((best, &worth), &kept) in codes {
                *best = (*best).max(worth & kept);
            }
        }
    }

    /// The same for moves from any of `origins` to `to`, set by set: where pages are nearly empty.
    pub fn improve_each(&mut self, owns: &[Mask], worth: &Dense<C>, origins: Mask, to: Mask) {
        for &own in owns.iter().filter(|&&own| own & to == 0) {
            let mut best = self.get(own);
            let mut origins = own & origins;
            while origins != 0 {
                let from = origins & origins.wrapping_neg();
                best = best.max(worth.get(own ^ from ^ to));
                origins ^= from;
            }
            *self.entry(own) = best;
        }
    }

    #[inline]
    fn page_mut(&mut self, start: Mask) -> &mut [C; PAGE] {
        let codes = &mut self.codes[start as usize + PAGE..][..PAGE];
        codes.try_into().expect("a page")
    }
}

#[inline]
fn page<C>(codes: &[C], start: usize) -> &[C; PAGE] {
    codes[start..][..PAGE].try_into().expect("a page")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::subsets;

    fn check_step(points: usize, men: u8, step: Step) {
        let pages = Pages::new(points, men);
        let (mut worth, mut best) = (Dense::<u8>::new(points), Dense::<u8>::new(points));
        let after = men + u8::from(step.from == 0);
        for set in subsets(points, usize::from(after)) {
            *worth.entry(set) = 1 + (set % 251) as u8;
        }
        best.clear(&pages);
        best.improve(&pages, &worth, step);
        for set in subsets(points, usize::from(men)) {
            let allowed = set & (step.from | step.to) == step.from;
            let expected = if allowed { worth.get(set ^ step.from ^ step.to) } else { 0 };
            assert_eq!(best.get(set), expected, "{points} {men} {step:?} {set:x}");
        }
    }

    #[test]
    fn test_steps_on_low_and_high_points() {
        for (points, men) in [(3, 0), (3, 2), (6, 3), (9, 1), (9, 5), (11, 4)] {
            for to in 0..points {
                for from in (0..points).filter(|&from| from != to) {
                    check_step(points, men, Step { from: 1 << from, to: 1 << to });
                }
                check_step(points, men, Step { from: 0, to: 1 << to });
            }
        }
    }
}
