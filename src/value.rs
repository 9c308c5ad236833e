//! The value of a position, and the code that stores it.
//!
//! Values are always for the side to move. Codes are ordered like the player's wishes, so that the
//! best of several turns is their maximum, and a turn's code follows from its successor's by one
//! subtraction ([`Code::from_successor`]). This file owns both encodings:
//!
//! | code (one byte) | meaning |
//! |---|---|
//! | 0 | nothing known (never in a database file) |
//! | 1 + d/2, 1 to 126 | loss in d plies, d even, 0 to 250 |
//! | 128 | draw |
//! | 255 - (d-1)/2, 255 down to 130 | win in d plies, d odd, 1 to 251 |
//!
//! What the plies count to is a [`Distance`]. *Depth to win* counts to the end of the game. *Depth to
//! conversion* counts to the turn with which the winner removes a man or ends the game, the winner
//! hurrying and the loser delaying; who wins is the same. A turn that removes a man is then worth:
//!
//! | the opponent's position after it | depth to win | depth to conversion |
//! |---|---|---|
//! | lost in d | win in d + 1 | win in 1 |
//! | drawn | draw | draw |
//! | won in d | loss in d + 1 | loss in 0 |
//!
//! The last line says that a loser's mill delays nothing; who has lost and no other turn is at 0 plies,
//! so that wins stay odd and losses even. All other turns, a mill that may remove nothing included, are
//! worth the same in both: a ply more.
//!
//! Two-byte codes have the same shape with 65535 for 255. Invariant: the depths at the far ends
//! (127 and 129) are left free, so a table that holds no such code can be built upon
//! without overflow; the solver changes to wider codes when a depth comes near.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{BitAnd, BitOr, Not};

/// The exact value of a position for the side to move. Depths are plies to the end of the game or, where
/// a [`Distance`] says so, to the next mill, the winner playing for the shortest and the loser for the
/// longest way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// The side to move wins; odd.
    Win(u32),
    /// Best play goes on for ever, or ends in a draw.
    Draw,
    /// The side to move loses; even, 0 when it has lost already.
    Loss(u32),
}

/// What the plies of values count to; see the top of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Distance {
    /// The end of the game.
    #[default]
    Win,
    /// The winner's next removal, or the end of the game.
    Conversion,
}

impl Distance {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Distance::Win => "dtw",
            Distance::Conversion => "dtc",
        }
    }

    /// The option that asks for it, a blank before it; nothing for what is asked for anyway.
    pub fn option(self) -> &'static str {
        match self {
            Distance::Win => "",
            Distance::Conversion => " --metric dtc",
        }
    }

    /// What a turn is worth to the player who makes it, from the value of the position it leads to;
    /// `removes` says whether it takes a man off the board.
    pub fn worth(self, removes: bool, successor: Value) -> Value {
        match (self, removes) {
            (Distance::Conversion, true) => Value::from_conversion(successor),
            _ => Value::from_successor(successor),
        }
    }
}

impl Value {
    /// "win", "draw" or "loss".
    pub fn name(self) -> &'static str {
        match self {
            Value::Win(_) => "win",
            Value::Draw => "draw",
            Value::Loss(_) => "loss",
        }
    }

    /// Depth in plies; `None` for a draw.
    pub fn plies(self) -> Option<u32> {
        match self {
            Value::Win(plies) | Value::Loss(plies) => Some(plies),
            Value::Draw => None,
        }
    }

    /// Who wins, without the depth: a win in 1, a draw, or a loss in 0, as files of outcomes have
    /// it.
    pub fn outcome(self) -> Value {
        match self {
            Value::Win(_) => Value::Win(1),
            Value::Draw => Value::Draw,
            Value::Loss(_) => Value::Loss(0),
        }
    }

    /// What a turn is worth to the player who makes it, from the value of the position it leads
    /// to.
    pub fn from_successor(successor: Value) -> Value {
        match successor {
            Value::Win(plies) => Value::Loss(plies + 1),
            Value::Draw => Value::Draw,
            Value::Loss(plies) => Value::Win(plies + 1),
        }
    }

    /// The same for a turn that removes a man, where plies count to the winner's next removal.
    fn from_conversion(successor: Value) -> Value {
        match successor {
            Value::Win(_) => Value::Loss(0),
            Value::Draw => Value::Draw,
            Value::Loss(_) => Value::Win(1),
        }
    }

    /// A key that is the greater, the better the value is for the side to move.
    pub fn rank(self) -> i64 {
        match self {
            Value::Win(plies) => i64::from(u32::MAX) - i64::from(plies),
            Value::Draw => 0,
            Value::Loss(plies) => i64::from(plies) - i64::from(u32::MAX),
        }
    }

    /// The inverse of [`Value::rank`].
    ///
    /// # Panics
    /// If no value has that rank.
    pub fn of_rank(rank: i64) -> Value {
        let plies = i64::from(u32::MAX) - rank.abs();
        let plies = u32::try_from(plies).expect("the rank of a value");
        match rank.signum() {
            1 => Value::Win(plies),
            -1 => Value::Loss(plies),
            _ => Value::Draw,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.plies() {
            Some(plies) => write!(f, "{} in {plies}", self.name()),
            None => f.write_str(self.name()),
        }
    }
}

/// An unsigned integer that stores values; see the table at the top of the file.
pub trait Code:
    bytemuck::Pod
    + Ord
    + Default
    + Send
    + Sync
    + fmt::Debug
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + Not<Output = Self>
{
    /// Bytes of a code in memory and in files.
    const WIDTH: usize;
    /// The code of a draw: the middle of the range.
    const DRAW: Self;
    /// Nothing known.
    const NONE: Self;
    /// The greatest depth in plies a finished table may hold.
    const MOST_PLIES: u32;

    /// As a number.
    fn number(self) -> u32;
    /// From a number in range.
    fn of(number: u32) -> Self;
    /// What a turn to a position of code `successor` is worth to the player who makes it.
    fn from_successor(successor: Self) -> Self;

    /// The same for a turn that removes a man, where plies count to the winner's next removal.
    #[inline(always)]
    fn from_conversion(successor: Self) -> Self {
        match successor {
            unknown if unknown == Self::NONE => Self::NONE,
            lost if lost < Self::DRAW => Self::win(1),
            drawn if drawn == Self::DRAW => Self::DRAW,
            _ => Self::loss(0),
        }
    }

    /// The code of a loss in `plies` (even).
    fn loss(plies: u32) -> Self {
        Self::of(1 + plies / 2)
    }

    /// The code of a win in `plies` (odd).
    fn win(plies: u32) -> Self {
        Self::of(2 * Self::DRAW.number() - 1 - plies / 2)
    }

    /// The code of a decided position: an even depth is a loss, an odd one a win.
    fn decided(plies: u32) -> Self {
        if plies.is_multiple_of(2) { Self::loss(plies) } else { Self::win(plies) }
    }

    /// The one-byte code of the value's outcome; see [`Value::outcome`].
    #[inline(always)]
    fn outcome(self) -> u8 {
        match self.cmp(&Self::DRAW) {
            Ordering::Less => u8::loss(0),
            Ordering::Equal => u8::DRAW,
            Ordering::Greater => u8::win(1),
        }
    }

    /// The code of the same value that has another width, if it fits.
    fn convert<D: Code>(self) -> Option<D> {
        let value = self.value()?;
        let fits = value.plies().unwrap_or(0) <= D::MOST_PLIES;
        fits.then(|| value.plies().map_or(D::DRAW, D::decided))
    }

    /// Does this code stand for a value a finished table may hold? Same as asking for the value,
    /// in three comparisons.
    #[inline(always)]
    fn is_value(self) -> bool {
        let number = self.number();
        let draw = Self::DRAW.number();
        (number != 0) & (number != draw - 1) & (number != draw + 1)
    }

    /// The value, or `None` for a code no finished table may hold.
    fn value(self) -> Option<Value> {
        decode(self.number(), Self::DRAW.number())
    }
}

fn decode(code: u32, draw: u32) -> Option<Value> {
    let value = match code.cmp(&draw) {
        Ordering::Equal => Value::Draw,
        Ordering::Less if code == 0 => return None,
        Ordering::Less => Value::Loss(2 * (code - 1)),
        Ordering::Greater => Value::Win(2 * (2 * draw - 1 - code) + 1),
    };
    (value.plies().unwrap_or(0) <= most_plies(draw)).then_some(value)
}

const fn most_plies(draw: u32) -> u32 {
    2 * draw - 5
}

macro_rules! code {
    ($type:ty, $draw:expr) => {
        impl Code for $type {
            const WIDTH: usize = size_of::<$type>();
            const DRAW: $type = $draw;
            const NONE: $type = 0;
            const MOST_PLIES: u32 = most_plies($draw);

            fn number(self) -> u32 {
                u32::from(self)
            }

            fn of(number: u32) -> $type {
                number as $type
            }

            #[inline(always)]
            fn from_successor(successor: $type) -> $type {
                // 2 DRAW - c turns losses into wins one ply longer; wins need one step more.
                (0 as $type).wrapping_sub(successor).wrapping_add((successor > $draw) as $type)
            }
        }
    };
}

code!(u8, 128);
code!(u16, 32768);

#[cfg(test)]
mod tests {
    use super::*;

    fn check_all<C: Code>(step: u32) {
        let mut previous = C::NONE;
        for number in (1..2 * C::DRAW.number()).step_by(step as usize) {
            let code = C::of(number);
            assert!(code > previous);
            previous = code;
            assert_eq!(code.is_value(), code.value().is_some());
            let Some(value) = code.value() else { continue };
            let rebuilt = value.plies().map_or(C::DRAW, C::decided);
            assert_eq!(rebuilt, code);
            assert_eq!(Value::of_rank(value.rank()), value);
            assert_eq!(code.convert::<u16>().unwrap().value(), Some(value));
            assert_eq!(code.outcome().value(), Some(value.outcome()));
            let expected = Value::from_successor(value);
            if expected.plies().unwrap_or(0) <= C::MOST_PLIES {
                assert_eq!(C::from_successor(code).value(), Some(expected), "{value}");
            }
            let expected = Value::from_conversion(value);
            assert_eq!(C::from_conversion(code).value(), Some(expected), "{value}");
        }
    }

    #[test]
    fn test_codes_are_ordered_by_preference_and_turn_over_rightly() {
        check_all::<u8>(1);
        check_all::<u16>(7);
        assert!(Value::Win(3).rank() > Value::Win(5).rank());
        assert!(Value::Loss(4).rank() > Value::Loss(2).rank());
    }

    #[test]
    fn test_only_removals_convert() {
        let worths = |distance: Distance, removes| {
            [Value::Loss(8), Value::Draw, Value::Win(7)].map(|value| distance.worth(removes, value))
        };
        let longer = [Value::Win(9), Value::Draw, Value::Loss(8)];
        assert_eq!(worths(Distance::Win, true), longer);
        assert_eq!(worths(Distance::Conversion, false), longer);
        assert_eq!(
            worths(Distance::Conversion, true),
            [Value::Win(1), Value::Draw, Value::Loss(0)]
        );
        assert_eq!(u8::from_conversion(u8::NONE), u8::NONE);
    }

    #[test]
    fn test_ends_of_the_range() {
        assert_eq!(1u8.value(), Some(Value::Loss(0)));
        assert_eq!(255u8.value(), Some(Value::Win(1)));
        assert_eq!(130u8.value(), Some(Value::Win(251)));
        assert_eq!(126u8.value(), Some(Value::Loss(250)));
        for free in [0u8, 127, 129] {
            assert_eq!(free.value(), None);
        }
        assert_eq!(u8::MOST_PLIES, 251);
    }
}
