//! Positions with their colours as they stand, up to the board's symmetries.
//!
//! Tables keep the mover's view; whoever walks a game from its start keeps colours apart and packs
//! a class into one number. Invariant: two positions have the same key if and only if a symmetry
//! of the board takes one to the other, and men in hand and side to move agree.

use crate::index::Geometry;
use crate::rules::{Color, Mask, Position};

/// Bits that hold the men of one colour.
const POINTS: u32 = 24;
/// Bits that hold the men in hand of one colour.
const HAND: u32 = 4;
/// Bits of a key.
pub(super) const KEY_BITS: u32 = 2 * (POINTS + HAND) + 1;

/// The number of a class.
pub(super) fn key(geometry: &Geometry, position: &Position) -> u64 {
    let [white, black] = position.men;
    let sets = geometry.sets(white.count_ones() as u8);
    let reduction = sets.reduce(white);
    let symmetries = geometry.symmetries();
    let black = symmetries[reduction.symmetry()].apply(black);
    // Those that keep the canonical white men may still lower the black ones.
    let others = sets.stabiliser(reduction.row()).iter();
    let images = others.map(|&s| symmetries[usize::from(s)].apply(black));
    let black = images.fold(black, Mask::min);
    pack(&Position { men: [sets.canonical()[reduction.row()], black], ..*position })
}

fn pack(position: &Position) -> u64 {
    let [white, black] = position.men.map(u64::from);
    let [white_hand, black_hand] = position.hand.map(u64::from);
    let hands = (white_hand << HAND | black_hand) << 1 | position.side as u64;
    (white << POINTS | black) << (2 * HAND + 1) | hands
}

/// A position of the class.
pub(super) fn unpack(key: u64) -> Position {
    let bits = |from: u32, count: u32| key >> from & ((1 << count) - 1);
    let black_at = 2 * HAND + 1;
    Position {
        men: [bits(black_at + POINTS, POINTS) as Mask, bits(black_at, POINTS) as Mask],
        hand: [bits(HAND + 1, HAND) as u8, bits(1, HAND) as u8],
        side: if bits(0, 1) == 0 { Color::White } else { Color::Black },
    }
}

/// Number of positions in the class of a position.
pub(super) fn orbit(geometry: &Geometry, position: &Position) -> u64 {
    let symmetries = geometry.symmetries();
    let keeps = symmetries.iter().filter(|s| position.men.map(|men| s.apply(men)) == position.men);
    (symmetries.len() / keeps.count()) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;
    use std::collections::HashSet;

    #[test]
    fn test_all_images_share_a_key_and_number_the_orbit() {
        let rules = Rules::named("six").unwrap();
        let geometry = Geometry::new(&rules);
        for men in [[0, 0], [0b1, 0b10], [0b1001_0001, 0b10_0110], [0x8001, 0x0100]] {
            let position = Position { men, hand: [3, 4], side: Color::Black };
            let image = |s: &crate::symmetry::Symmetry| Position {
                men: men.map(|men| s.apply(men)),
                ..position
            };
            let images: HashSet<Position> = geometry.symmetries().iter().map(image).collect();
            assert_eq!(images.len() as u64, orbit(&geometry, &position));
            let keys: HashSet<u64> = images.iter().map(|image| key(&geometry, image)).collect();
            assert_eq!(keys.len(), 1);
            assert!(images.contains(&unpack(key(&geometry, &position))));
        }
    }
}
