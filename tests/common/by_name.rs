//! Positions written by the names of points, for tests that read like a board.

use merels::rules::{Color, Mask, Position, Rules};

/// The set of points named, separated by blanks.
pub fn mask(rules: &Rules, names: &str) -> Mask {
    let bit = |name: &str| 1 << rules.board().point(name).unwrap();
    names.split_whitespace().fold(0, |mask: Mask, name| mask | bit(name))
}

/// A position, checked.
pub fn position(rules: &Rules, white: &str, black: &str, hand: [u8; 2], side: Color) -> Position {
    let position = Position { men: [mask(rules, white), mask(rules, black)], hand, side };
    assert_eq!(position.check(rules), Ok(()));
    position
}
