//! Tables, subspaces and units: how positions are grouped.
//!
//! A [`Subspace`] is named by White's and Black's men, `8-7` or `3-2+4+5`. Exchanging the colours
//! changes no value, so a subspace with a side to move is stored by the mover's numbers alone:
//! that is a [`Table`]. A [`Unit`] is a table and its twin, in which the opponent is to move with
//! the same men on the board; they may need each other, and share a file.
//! Invariant: a unit's first table has `own >= enemy`, and hands so ordered where men are equal.

use crate::rules::{Color, Position};
use std::fmt;
use std::str::FromStr;

/// All positions with these numbers of men, White's first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Subspace {
    /// White's men on the board.
    pub white: u8,
    /// Black's men on the board.
    pub black: u8,
    /// White's men in hand.
    pub white_hand: u8,
    /// Black's men in hand.
    pub black_hand: u8,
}

/// All positions with these numbers of men, the mover's first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Table {
    /// The mover's men on the board.
    pub own: u8,
    /// The opponent's men on the board.
    pub enemy: u8,
    /// The mover's men in hand.
    pub own_hand: u8,
    /// The opponent's men in hand.
    pub enemy_hand: u8,
}

/// A table and its twin, named by the greater of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Unit(Table);

/// Text that names no subspace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is not a subspace: expected W-B or W-B+w+b, men on the board and in hand, such as 8-7 or 3-2+4+5"
)]
pub struct ParseSubspaceError(pub String);

impl Subspace {
    /// The table of this subspace with `side` to move.
    pub fn table(self, side: Color) -> Table {
        let white_view = Table {
            own: self.white,
            enemy: self.black,
            own_hand: self.white_hand,
            enemy_hand: self.black_hand,
        };
        match side {
            Color::White => white_view,
            Color::Black => white_view.twin(),
        }
    }

    /// The unit that holds this subspace, for either side to move.
    pub fn unit(self) -> Unit {
        self.table(Color::White).unit()
    }
}

impl Table {
    /// The table a position belongs to.
    pub fn of(position: &Position) -> Table {
        Table {
            own: position.own().count_ones() as u8,
            enemy: position.enemy().count_ones() as u8,
            own_hand: position.own_hand(),
            enemy_hand: position.enemy_hand(),
        }
    }

    /// The table with the same men in which the opponent is to move.
    pub fn twin(self) -> Table {
        Table {
            own: self.enemy,
            enemy: self.own,
            own_hand: self.enemy_hand,
            enemy_hand: self.own_hand,
        }
    }

    /// The unit this table belongs to.
    pub fn unit(self) -> Unit {
        Unit(self.max(self.twin()))
    }

    /// The subspace in which the mover is White.
    pub fn subspace(self) -> Subspace {
        Subspace {
            white: self.own,
            black: self.enemy,
            white_hand: self.own_hand,
            black_hand: self.enemy_hand,
        }
    }

    /// Men in hand, both players.
    pub fn hands(self) -> u8 {
        self.own_hand + self.enemy_hand
    }

    /// The mover's men, hand included.
    pub fn own_total(self) -> u8 {
        self.own + self.own_hand
    }

    /// The opponent's men, hand included.
    pub fn enemy_total(self) -> u8 {
        self.enemy + self.enemy_hand
    }
}

impl Unit {
    /// The table whose numbers name the unit.
    pub fn first(self) -> Table {
        self.0
    }

    /// The twin, unless it is the first table itself.
    pub fn second(self) -> Option<Table> {
        Some(self.0.twin()).filter(|twin| *twin != self.0)
    }

    /// One or two tables, the first one first.
    pub fn tables(self) -> impl Iterator<Item = Table> {
        std::iter::once(self.first()).chain(self.second())
    }

    /// The subspace that names the unit; the first table's mover is White.
    pub fn subspace(self) -> Subspace {
        self.0.subspace()
    }
}

impl fmt::Display for Subspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.white, self.black)?;
        if (self.white_hand, self.black_hand) != (0, 0) {
            write!(f, "+{}+{}", self.white_hand, self.black_hand)?;
        }
        Ok(())
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.subspace().fmt(f)
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Subspace {
    type Err = ParseSubspaceError;

    fn from_str(text: &str) -> Result<Subspace, ParseSubspaceError> {
        let error = || ParseSubspaceError(text.to_string());
        let number = |part: &str| {
            let plain = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
            if plain { part.parse::<u8>().map_err(|_| error()) } else { Err(error()) }
        };
        let (white, rest) = text.split_once('-').ok_or_else(error)?;
        let mut parts = rest.split('+');
        let black = number(parts.next().unwrap_or_default())?;
        let hands: Vec<u8> = parts.map(number).collect::<Result<_, _>>()?;
        let (white_hand, black_hand) = match hands[..] {
            [] => (0, 0),
            [white_hand, black_hand] => (white_hand, black_hand),
            _ => return Err(error()),
        };
        Ok(Subspace { white: number(white)?, black, white_hand, black_hand })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_names_are_read_and_written() {
        for name in ["8-7", "3-3", "0-0+9+9", "3-2+4+5"] {
            assert_eq!(name.parse::<Subspace>().unwrap().to_string(), name);
        }
        assert_eq!("4-3+0+0".parse::<Subspace>().unwrap().to_string(), "4-3");
        assert_eq!("9-9+200+56".parse::<Subspace>().unwrap().to_string(), "9-9+200+56");
        for bad in ["", "8", "8-", "-7", "8-7+1", "8-7+1+2+3", "a-b", "8-7+", "300-1", "+8-7"] {
            assert!(bad.parse::<Subspace>().is_err(), "{bad}");
        }
    }

    #[test]
    fn test_both_orders_and_sides_share_a_unit() {
        let a: Subspace = "7-8+1+0".parse().unwrap();
        let b: Subspace = "8-7+0+1".parse().unwrap();
        assert_eq!(a.unit(), b.unit());
        assert_eq!(a.table(Color::White), b.table(Color::Black));
        assert_eq!(a.unit().to_string(), "8-7+0+1");
        assert_eq!("4-4".parse::<Subspace>().unwrap().unit().tables().count(), 1);
    }
}
