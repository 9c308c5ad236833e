//! Moves in the first pass: quiet ones are counted, those that close a mill are worth something.
//!
//! Quiet moves lead to the twin table, which is not solved yet, so only their number
//! matters here. The worth of a mill closed is known, and pushed from the set after the move to the
//! sets it may have come from: so it is looked up once for all of them.
//! Invariant: `counts` and the turns taken into account add up to the legal moves of each slot.

use super::bits::{Bits, Closings, Found};
use super::crossing::RowWorths;
use super::place::Successors;
use super::row::{LANES, Lanes, Row, lanes};
use crate::index::Ranks;
use crate::rules::{Mask, points_of};
use crate::value::Code;

/// Moves of a table's mover.
pub struct Slides<'a, C> {
    /// What closing a mill is worth.
    pub successors: Successors<'a, C>,
    /// Ranks of own sets.
    pub ranks: &'a Ranks,
    /// Whether they may go to any empty point.
    pub flying: bool,
}

impl<C: Code> Slides<'_, C> {
    /// Counts the quiet moves of every slot of a row, and takes the others into account.
    #[inline(always)]
    pub fn fill<B: Bits>(
        &self,
        bits: B,
        shape: &Row,
        worths: &RowWorths<C>,
        owns: &[Mask],
        values: &mut [C],
        counts: &mut [u8],
    ) {
        match self.flying {
            true => {
                let (free, own) = (shape.free.count_ones(), owns[0].count_ones());
                counts.fill((own * (free - own)) as u8);
            }
            false => {
                for (owns, counts) in lanes(owns).zip(counts.chunks_mut(LANES)) {
                    let moves = count_slides(shape, &owns);
                    counts.iter_mut().zip(moves).for_each(|(count, moves)| *count = moves as u8);
                }
            }
        }
        if !shape.harmless && !shape.lines.is_empty() {
            self.close(bits, shape, worths, owns, values, counts);
        }
    }

    /// Takes the moves that close mills into account, each away from the quiet ones.
    #[inline(always)]
    fn close<B: Bits>(
        &self,
        bits: B,
        shape: &Row,
        worths: &RowWorths<C>,
        owns: &[Mask],
        values: &mut [C],
        counts: &mut [u8],
    ) {
        let mut mills = Found::default();
        bits.with_lines(owns, &shape.lines, &mut mills);
        let mut closings = Closings::default();
        for (afters, ranks) in mills.sets.chunks(AT_ONCE).zip(mills.ranks.chunks(AT_ONCE)) {
            closings.befores.clear();
            closings.numbers.clear();
            match self.flying {
                true => take_back_flights(shape, afters, &mut closings),
                false => bits.take_back_closing(afters, &shape.pairs, &shape.lines, &mut closings),
            }
            for (&before, &number) in closings.befores.iter().zip(&closings.numbers) {
                let after = afters[number as usize];
                let kinds = worths.removals.len();
                let kind = match kinds {
                    1 => 0,
                    _ => shape.mills_through(after, after & !before).min(kinds) - 1,
                };
                let worth = worths.removals[kind][ranks[number as usize] as usize];
                let rank = self.ranks.rank(before) as usize;
                values[rank] = values[rank].max(worth);
                counts[rank] -= 1;
            }
        }
    }
}

/// Sets whose moves are taken back together: the lists stay in the first-level cache.
const AT_ONCE: usize = 256;

/// [`Bits::take_back_closing`] for men who come from any point that is empty now.
#[inline(always)]
fn take_back_flights(shape: &Row, afters: &[Mask], closings: &mut Closings) {
    for (number, &after) in (0..).zip(afters) {
        for to in points_of(shape.in_mills(after)) {
            for from in points_of(shape.all() & !after) {
                closings.befores.push(after ^ (1 << to | 1 << from));
                closings.numbers.push(number);
            }
        }
    }
}

/// By own set, the moves to neighbours.
#[inline(always)]
fn count_slides(shape: &Row, owns: &Lanes) -> Lanes {
    let mut moves = [0; LANES];
    for &pair in &shape.pairs {
        for (moves, own) in moves.iter_mut().zip(owns) {
            let from = own & pair;
            *moves += u32::from((from != 0) & (from != pair));
        }
    }
    moves
}
