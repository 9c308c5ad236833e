//! Moves in the first pass: quiet ones are counted, those that close a mill are worth something.
//!
//! Quiet moves lead to the twin table, which is not solved yet, so only their number
//! matters here. The worth of a mill closed is known, and pushed from the set after the move to the
//! sets it may have come from (sliding), or looked up by each set (flying).
//! Invariant: `counts` and the turns taken into account add up to the legal moves of each slot.

use super::bits::Bits;
use super::first_pass::Turns;
use super::gather::Images;
use super::row::{ClosingMove, LANES, Lanes, Row, lanes, with_mills};
use crate::rules::{Mask, points_of};
use crate::value::Code;

/// Moves of a table's mover.
pub struct Slides<'a, C> {
    /// The moves.
    pub turns: Turns<'a, C>,
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
        images: &Images,
        owns: &[Mask],
        values: &mut [C],
        counts: &mut [u8],
    ) {
        let worths = Worths::gather(bits, shape, images, &self.turns);
        match self.flying {
            true => worths.fly(shape, owns, values, counts),
            false => worths.slide(shape, owns, values, counts),
        }
    }
}

/// Worths of one row's moves that close mills, by rank of the own set after the move.
struct Worths<'a, C> {
    turns: &'a Turns<'a, C>,
    removals: Vec<Vec<C>>,
    /// Ranks and sets after which a mill may have been closed.
    after_mills: Vec<(u32, Mask)>,
}

impl<'a, C: Code> Worths<'a, C> {
    #[inline(always)]
    fn gather<B: Bits>(bits: B, shape: &Row, images: &Images, turns: &'a Turns<'a, C>) -> Self {
        let after_mills = match shape.harmless || shape.lines.is_empty() {
            true => Vec::new(),
            false => with_mills(shape, turns.sets),
        };
        let mut removals = Vec::new();
        // A loop, for the compiler would not carry this machine's instructions into a closure.
        for through in turns.removals.iter().filter(|_| !after_mills.is_empty()) {
            let mut worths = vec![C::NONE; turns.sets.len()];
            let wanted = after_mills.iter().map(|&(rank, own)| (rank as usize, own));
            through.read(bits, shape, images, wanted, |rank, code| worths[rank] = code);
            removals.push(worths);
        }
        Worths { turns, removals, after_mills }
    }

    /// Worth of a turn that closes `mills` mills (one at least) and leaves the set of that rank.
    #[inline(always)]
    fn closing(&self, mills: usize, rank: u32) -> C {
        self.removals[mills.min(self.removals.len()) - 1][rank as usize]
    }

    /// Counts the quiet moves to neighbours and takes the others into account.
    #[inline(always)]
    fn slide(&self, shape: &Row, owns: &[Mask], values: &mut [C], counts: &mut [u8]) {
        let moves = if shape.harmless { Vec::new() } else { shape.closing_moves() };
        for (owns, counts) in lanes(owns).zip(counts.chunks_mut(LANES)) {
            let quiet = count_quiet_slides(shape, &moves, &owns);
            counts.iter_mut().zip(quiet).for_each(|(count, quiet)| *count = quiet as u8);
        }
        for &(rank, after) in &self.after_mills {
            let closed = shape.in_mills(after);
            for &pair in &shape.pairs {
                let to = after & pair;
                if to & closed != 0 && to != pair {
                    let worth = self.closing(shape.mills_through(after, to), rank);
                    let value = &mut values[self.turns.ranks.rank(after ^ pair) as usize];
                    *value = (*value).max(worth);
                }
            }
        }
    }

    /// The same for moves to any empty point.
    #[inline(always)]
    fn fly(&self, shape: &Row, owns: &[Mask], values: &mut [C], counts: &mut [u8]) {
        let slots = values.chunks_mut(LANES).zip(counts.chunks_mut(LANES));
        for (owns, (values, counts)) in lanes(owns).zip(slots) {
            let closers = closers(shape, &owns);
            for (lane, (value, count)) in values.iter_mut().zip(counts).enumerate() {
                let (own, closers) = (owns[lane], closers[lane]);
                let quiet = (shape.all() & !own & !closers).count_ones();
                *count = (own.count_ones() * quiet) as u8;
                for (from, to) in
                    points_of(own).flat_map(|f| points_of(closers).map(move |t| (f, t)))
                {
                    self.close(shape, own ^ (1 << from | 1 << to), 1 << to, value, count);
                }
            }
        }
    }

    /// A move to a point that fills a line, unless the man came from that line.
    #[inline(always)]
    fn close(&self, shape: &Row, after: Mask, to: Mask, value: &mut C, count: &mut u8) {
        match shape.mills_through(after, to) {
            0 => *count += 1,
            mills => {
                let rank = self.turns.ranks.rank(after);
                *value = (*value).max(self.closing(mills, rank))
            }
        }
    }
}

/// [`Row::closers`], or nothing where a mill removes nothing.
#[inline(always)]
fn closers(shape: &Row, owns: &Lanes) -> Lanes {
    if shape.harmless { [0; LANES] } else { shape.closers(owns) }
}

/// By own set, the moves to neighbours that close no mill, or none that removes anything.
#[inline(always)]
fn count_quiet_slides(shape: &Row, moves: &[ClosingMove], owns: &Lanes) -> Lanes {
    let mut quiet = [0; LANES];
    for &pair in &shape.pairs {
        for (quiet, own) in quiet.iter_mut().zip(owns) {
            let from = own & pair;
            *quiet += u32::from((from != 0) & (from != pair));
        }
    }
    for ClosingMove { from, to, others } in moves {
        let mut closes = [0; LANES];
        for others in others {
            let (points, men) = (from | to | others, from | others);
            for (closes, own) in closes.iter_mut().zip(owns) {
                *closes |= u32::from(own & points == men);
            }
        }
        quiet.iter_mut().zip(closes).for_each(|(quiet, closes)| *quiet -= closes);
    }
    quiet
}
