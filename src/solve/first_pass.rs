//! The first pass over a table: everything but the quiet moves that stay in the unit.
//!
//! For every slot: the best of the turns whose worth is known (placements, and whatever removes a
//! man), and the number of quiet moves, whose worth the waves will find.
//! Invariant: afterwards `values` holds the best known worth (`NONE` if there is none, a loss in 0
//! for a player without a turn where that loses) and `counts` the open quiet moves.

use super::bits::{Bits, Job};
use super::gather::{Address, Images, gather, images};
use super::row::{ClosingMove, LANES, Lanes, Row, lanes};
use crate::index::{Layout, Ranks, subsets};
use crate::rules::{Mask, Rules, Verdict, points_of};
use crate::value::Code;

/// A player without a legal turn needs no count; a decided slot has this one.
pub const DECIDED: u8 = u8::MAX;

/// Codes of another table, addressed through this table's rows.
pub struct Through<'a, C> {
    /// How to address them.
    pub address: Address<'a>,
    /// The codes.
    pub codes: &'a [C],
}

/// Turns of one kind (placements, or moves) as a table's first pass sees them.
pub struct Turns<'a, C> {
    /// Worth of the quiet successors by own set after the turn; `None` when they are in the unit.
    pub quiet: Option<Through<'a, C>>,
    /// Removal tables for one mill closed, and for two or more.
    pub removals: Vec<Through<'a, C>>,
    /// The own sets after the turn, local, by rank.
    pub sets: Vec<Mask>,
    /// Their ranks.
    pub ranks: &'a Ranks,
}

impl<'a, C> Turns<'a, C> {
    /// Turns after which the mover has `own` men, in rows with `free` free points.
    pub fn new(layout: &Layout<'a>, own: u8) -> Turns<'a, C> {
        let free = layout.geometry().points() - usize::from(layout.table().enemy);
        Turns {
            quiet: None,
            removals: Vec::new(),
            sets: subsets(free, usize::from(own)),
            ranks: layout.geometry().sets(own).ranks(),
        }
    }
}

/// What the first pass over a table needs to know.
pub struct FirstPass<'a, C> {
    /// The rules.
    pub rules: &'a Rules,
    /// The table's layout.
    pub layout: Layout<'a>,
    /// Placements, where there are any.
    pub places: Option<Turns<'a, C>>,
    /// Moves, where there are any, and whether they fly.
    pub slides: Option<(Turns<'a, C>, bool)>,
}

/// The first pass over one row.
pub struct FillRow<'a, C> {
    /// The pass.
    pub pass: &'a FirstPass<'a, C>,
    /// The row.
    pub row: usize,
    /// Its values.
    pub values: &'a mut [C],
    /// Its counts.
    pub counts: &'a mut [u8],
}

impl<C: Code> Job for FillRow<'_, C> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) {
        let FillRow { pass, row, values, counts } = self;
        let shape = Row::new(pass.rules, &pass.layout, row);
        if let Some(verdict) = shape.over {
            values.fill(verdict_code(verdict));
            return;
        }
        if let Some(turns) = &pass.places {
            Worths::gather(bits, pass, &shape, turns).place(&shape, pass.layout.own_sets(), values);
        }
        if let Some((turns, flying)) = &pass.slides {
            let worths = Worths::gather(bits, pass, &shape, turns);
            match flying {
                true => worths.fly(&shape, pass.layout.own_sets(), values, counts),
                false => worths.slide(&shape, pass.layout.own_sets(), values, counts),
            }
        }
        for (value, count) in values.iter_mut().zip(counts) {
            if *value == C::NONE && *count == 0 {
                *value = verdict_code(pass.rules.no_move());
            }
        }
    }
}

fn verdict_code<C: Code>(verdict: Verdict) -> C {
    match verdict {
        Verdict::Loses => C::loss(0),
        Verdict::Draws => C::DRAW,
    }
}

/// Worths of one row's turns of one kind, by rank of the own set after the turn.
struct Worths<'a, C> {
    turns: &'a Turns<'a, C>,
    quiet: Vec<C>,
    removals: Vec<Vec<C>>,
    /// Ranks and sets after which a mill may have been closed.
    after_mills: Vec<(u32, Mask)>,
}

impl<'a, C: Code> Worths<'a, C> {
    #[inline(always)]
    fn gather<B: Bits>(bits: B, pass: &FirstPass<C>, shape: &Row, turns: &'a Turns<'a, C>) -> Self {
        let images = images(pass.layout.geometry().symmetries(), shape.enemy);
        let quiet = turns.quiet.as_ref().map_or(Vec::new(), |through| {
            let mut worths = vec![C::NONE; turns.sets.len()];
            let all = turns.sets.iter().copied().enumerate();
            through.read(bits, shape, &images, all, |rank, code| {
                worths[rank] = C::from_successor(code);
            });
            worths
        });
        let after_mills = match shape.harmless || shape.lines.is_empty() {
            true => Vec::new(),
            false => with_mills(shape, &turns.sets),
        };
        let removal = |through: &Through<C>| {
            let mut worths = vec![C::NONE; turns.sets.len()];
            let wanted = after_mills.iter().map(|&(rank, own)| (rank as usize, own));
            through.read(bits, shape, &images, wanted, |rank, code| worths[rank] = code);
            worths
        };
        let removals = match after_mills.is_empty() {
            true => Vec::new(),
            false => turns.removals.iter().map(removal).collect(),
        };
        Worths { turns, quiet, removals, after_mills }
    }

    /// Worth of a turn that closes `mills` mills (one at least) and leaves the set of that rank.
    #[inline(always)]
    fn closing(&self, mills: usize, rank: u32) -> C {
        self.removals[mills.min(self.removals.len()) - 1][rank as usize]
    }

    /// Takes every placement of every slot into account.
    #[inline(always)]
    fn place(&self, shape: &Row, owns: &[Mask], values: &mut [C]) {
        let all = shape.all();
        for (owns, values) in lanes(owns).zip(values.chunks_mut(LANES)) {
            let closers = closers(shape, &owns);
            for ((&own, closers), value) in owns.iter().zip(closers).zip(values) {
                for to in points_of(all & !own) {
                    let after = own | 1 << to;
                    let worth = match closers >> to & 1 {
                        0 => self.quiet[self.turns.ranks.rank(after) as usize],
                        _ => {
                            let mills = shape.mills_through(after, 1 << to);
                            self.closing(mills, self.turns.ranks.rank(after))
                        }
                    };
                    *value = (*value).max(worth);
                }
            }
        }
    }

    /// Counts the quiet moves to neighbours and takes the others into account.
    #[inline(always)]
    fn slide(&self, shape: &Row, owns: &[Mask], values: &mut [C], counts: &mut [u8]) {
        for (owns, counts) in lanes(owns).zip(counts.chunks_mut(LANES)) {
            let quiet = count_quiet_slides(shape, &owns);
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
fn count_quiet_slides(shape: &Row, owns: &Lanes) -> Lanes {
    let mut quiet = [0; LANES];
    for &pair in &shape.pairs {
        for (quiet, own) in quiet.iter_mut().zip(owns) {
            let from = own & pair;
            *quiet += u32::from((from != 0) & (from != pair));
        }
    }
    let closing = if shape.harmless { &[][..] } else { &shape.closing_moves };
    for ClosingMove { patterns } in closing {
        let mut closes = [0; LANES];
        for &(points, men) in patterns {
            for (closes, own) in closes.iter_mut().zip(owns) {
                *closes |= u32::from(own & points == men);
            }
        }
        quiet.iter_mut().zip(closes).for_each(|(quiet, closes)| *quiet -= closes);
    }
    quiet
}

/// Ranks and sets of those of `owns` that hold a full line.
#[inline(always)]
fn with_mills(shape: &Row, owns: &[Mask]) -> Vec<(u32, Mask)> {
    let mut found = 0;
    let mut with_mills = vec![(0, 0); owns.len() + LANES];
    for (i, owns) in lanes(owns).enumerate() {
        let full = shape.with_mills(&owns);
        for (lane, (&own, full)) in owns.iter().zip(full).enumerate() {
            with_mills[found] = ((LANES * i + lane) as u32, own);
            found += usize::from(full);
        }
    }
    with_mills.truncate(found);
    with_mills
}

impl<C: Code> Through<'_, C> {
    #[inline(always)]
    fn read<B: Bits>(
        &self,
        bits: B,
        shape: &Row,
        images: &Images,
        wanted: impl Iterator<Item = (usize, Mask)>,
        store: impl FnMut(usize, C),
    ) {
        gather(bits, &self.address, self.codes, shape.free, images, wanted, store);
    }
}
