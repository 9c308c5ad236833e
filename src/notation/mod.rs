//! Text to and from positions, turns and game records.
//!
//! Everything people and other programs hand us is text, so everything that can be wrong with it is
//! said here, once, in words that name the field and the reason. Invariant: every reader is total;
//! any text gives a value that passes [`Position::check`] or an error, never a panic.
//!
//! * [`position`]: our own position text, and a drawing of the board
//! * [`turn`]: one turn, `d7-g7xa1`
//! * [`game`]: game records with tags, numbers, comments and results
//! * [`sanmill`]: the position text (FEN) of the Sanmill program
//! * [`malom`]: the six integers of the Malom program

pub mod game;
pub mod malom;
pub mod position;
pub mod sanmill;
mod scanner;
pub mod turn;

pub use game::{GameError, GameProblem, GameRecord, GameResult};
pub use game::{format_annotated, format_game, parse_game, rules_tag};
pub use malom::parse_malom;
pub use position::{draw_board, format_position, format_reading, parse_position, parse_reading};
pub use sanmill::{format_sanmill, parse_sanmill};
pub use turn::{PointNames, TurnError, format_removals, format_turn};
pub use turn::{parse_removals, parse_turn, parse_turn_as};

use crate::rules::{Board, BoardKind, Color, Mask, Position, PositionError, Rules};

/// What a position text says: a turn boundary, or a moment between the closing of a mill and its
/// removal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reading {
    /// The men as they stand. While removals are owed, the player who owes them is to move.
    pub position: Position,
    /// Removals that the player to move still owes: 0 at a turn boundary.
    pub owed: u8,
}

impl From<Position> for Reading {
    /// A position at a turn boundary.
    fn from(position: Position) -> Reading {
        Reading { position, owed: 0 }
    }
}

/// Why a text is no position of a rule set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotationError {
    /// Bytes that are no text.
    #[error("byte {0} is not UTF-8 text")]
    NotText(usize),
    /// Too few or too many fields.
    #[error("{format}: expected {expected}, found {found}")]
    FieldCount {
        /// Which notation was read.
        format: &'static str,
        /// Fields found.
        found: usize,
        /// Fields wanted, in words.
        expected: &'static str,
    },
    /// One field does not say what it should.
    #[error("{field}: {found} is not {expected}")]
    Field {
        /// The field's name.
        field: &'static str,
        /// Its text, quoted.
        found: String,
        /// What it should have been.
        expected: String,
    },
    /// A number or letter that contradicts another field.
    #[error("{field}: {reason}")]
    Contradiction {
        /// The field's name.
        field: &'static str,
        /// What it contradicts.
        reason: String,
    },
    /// The board has another number of rows or blocks.
    #[error("{found} {what}, expected {expected}")]
    RowCount {
        /// "rows" or "blocks".
        what: &'static str,
        /// Found.
        found: usize,
        /// Expected.
        expected: usize,
    },
    /// A row or block of the wrong length.
    #[error("{what} {row} has {found} points, expected {expected}")]
    RowLength {
        /// "row" or "block".
        what: &'static str,
        /// Counted from 1.
        row: usize,
        /// Points found.
        found: usize,
        /// Points expected.
        expected: usize,
    },
    /// A letter that is neither a man nor an empty point.
    #[error("{what} {row}, column {column}: unknown letter {letter:?}, expected {expected}")]
    Letter {
        /// "row" or "block".
        what: &'static str,
        /// Counted from 1.
        row: usize,
        /// Counted from 1.
        column: usize,
        /// The letter.
        letter: char,
        /// The letters that have a meaning.
        expected: &'static str,
    },
    /// A man that Sanmill marked for delayed removal.
    #[error(
        "block {block}, column {column}: X marks a man for delayed removal, which these rules do not have"
    )]
    DelayedRemoval {
        /// Counted from 1.
        block: usize,
        /// Counted from 1.
        column: usize,
    },
    /// Rows that would fit another board.
    #[error(
        "the rows look like the {looks_like}-point board, but {rules} is played on {points} points: --rules chooses the board"
    )]
    OtherBoard {
        /// Points of the board whose rows these are.
        looks_like: usize,
        /// Points of the board of the rules.
        points: usize,
        /// Name of the rules.
        rules: String,
    },
    /// A notation that exists for the 24-point board only.
    #[error("{format} describes the 24-point board only, but {rules} is played on {points} points")]
    BoardNotDescribed {
        /// Which notation.
        format: &'static str,
        /// Points of the board of the rules.
        points: usize,
        /// Name of the rules.
        rules: String,
    },
    /// Men that the rules do not allow.
    #[error("{field}: {reason}")]
    Men {
        /// The field that is to blame.
        field: &'static str,
        /// What does not hold.
        reason: PositionError,
    },
}

/// Reads a position in whichever notation it is written: ours, Sanmill's FEN or Malom's integers.
///
/// # Errors
/// Those of the reader whose notation the text resembles most.
///
/// # Examples
/// ```
/// use merels::notation::read_position;
/// let rules = merels::rules::Rules::named("nine").unwrap();
/// let ours = read_position(&rules, "W../.../.../....../.../.../... b 8 9")?;
/// let malom = read_position(&rules, "2 0 8 9 1 0")?;
/// assert_eq!(ours, malom);
/// # Ok::<(), merels::notation::NotationError>(())
/// ```
pub fn read_position(rules: &Rules, text: &str) -> Result<Reading, NotationError> {
    let fields: Vec<&str> = text.split_whitespace().collect();
    let first = fields.first().copied().unwrap_or_default();
    if first.starts_with(|c: char| c == '-' || c.is_ascii_digit()) {
        return parse_malom(rules, text);
    }
    let sanmill_letters = !first.is_empty() && first.chars().all(|c| "O@*X/".contains(c));
    // Long texts are FENs whatever their board says: its own reader finds the fault in it.
    if sanmill_letters || fields.len() > 6 {
        return parse_sanmill(rules, text);
    }
    parse_reading(rules, text)
}

/// The text of `bytes`, for readers of files and pipes.
///
/// # Errors
/// Names the first byte (from 0) that is not UTF-8.
pub fn text_of_bytes(bytes: &[u8]) -> Result<&str, NotationError> {
    std::str::from_utf8(bytes).map_err(|error| NotationError::NotText(error.valid_up_to()))
}

/// `text` in quotes for a message: escaped, and cut where a message becomes a burden.
fn quoted(text: &str) -> String {
    const LONGEST: usize = 40;
    let cut = text.char_indices().nth(LONGEST).map_or(text, |(end, _)| &text[..end]);
    let dots = if cut.len() < text.len() { "..." } else { "" };
    let escape = |letter: char| match letter {
        '"' | '\'' | '\\' => letter.to_string(),
        _ => letter.escape_debug().to_string(),
    };
    format!("'{}{dots}'", cut.chars().map(escape).collect::<String>())
}

/// The whole number of a field, digits and a minus sign only, within its range.
fn number<T: TryFrom<i128>>(
    field: &'static str,
    text: &str,
    range: std::ops::RangeInclusive<i128>,
) -> Result<T, NotationError> {
    let value = text.parse().ok().filter(|n| range.contains(n) && !text.starts_with('+'));
    value.and_then(|n: i128| T::try_from(n).ok()).ok_or_else(|| NotationError::Field {
        field,
        found: quoted(text),
        expected: format!("a number from {} to {}", range.start(), range.end()),
    })
}

/// The side to move.
fn side(text: &str) -> Result<Color, NotationError> {
    match text {
        "w" => Ok(Color::White),
        "b" => Ok(Color::Black),
        _ => Err(NotationError::Field {
            field: "side",
            found: quoted(text),
            expected: "w or b".to_string(),
        }),
    }
}

/// The position if it passes its check, else which field is to blame: one of `board`'s fields for
/// men that stand wrong, one of `hands` for men in hand that do not fit beside those that stand.
fn checked(
    rules: &Rules,
    position: Position,
    board: [&'static str; 2],
    hands: [&'static str; 2],
) -> Result<Position, NotationError> {
    let blame = |reason: PositionError| {
        let field = match reason {
            PositionError::TooManyMen { color, on_board, men, .. } => {
                let fields = if on_board > usize::from(men) { board } else { hands };
                fields[color as usize]
            }
            PositionError::OutsideBoard(color) => board[color as usize],
            PositionError::Shared(_) => board[1],
        };
        NotationError::Men { field, reason }
    };
    position.check(rules).map_err(blame).map(|()| position)
}

/// Refuses boards that a foreign notation has no letters for.
fn demand_24_points(rules: &Rules, format: &'static str) -> Result<(), NotationError> {
    if rules.board().kind() == BoardKind::TwentyFour {
        return Ok(());
    }
    let (points, rules) = (rules.board().points(), rules.name().to_string());
    Err(NotationError::BoardNotDescribed { format, points, rules })
}

/// The removals a text says the player to move owes, if the rules can owe as many.
fn owed_removals(rules: &Rules, field: &'static str, owed: usize) -> Result<u8, NotationError> {
    let most = rules.most_removals();
    if owed <= most {
        return Ok(owed as u8);
    }
    let reason = format!("{owed} owed, but a turn of {} removes at most {most}", rules.name());
    Err(NotationError::Contradiction { field, reason })
}

/// The bit of a point in a [`Mask`], by the name another notation's table gives it.
fn bit(board: &Board, name: &str) -> Mask {
    1 << board.point(name).expect("tables of other notations name points of the 24-point board")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nine() -> Rules {
        Rules::named("nine").unwrap()
    }

    #[test]
    fn test_the_notation_of_a_position_is_recognised() {
        let ours = ".../.../.../....../.../.../... w 9 9";
        let sanmill = "********/********/******** w p p 0 9 0 9 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
        let start = Reading { position: Position::start(&nine()), owed: 0 };
        for text in [ours, sanmill, "0 0 9 9 0 0", "\t0 0  9 9 0 0\n"] {
            assert_eq!(read_position(&nine(), text), Ok(start), "{text}");
        }
    }

    #[test]
    fn test_errors_come_from_the_notation_the_text_resembles() {
        let message = |text| read_position(&nine(), text).unwrap_err().to_string();
        assert_eq!(
            message(""),
            "position: expected 4 fields (ROWS SIDE WHITE_HAND BLACK_HAND), found 0"
        );
        assert!(message("0 0 9 9").starts_with("malom: expected 6 fields"));
        assert!(message("-1 0 9 9 0 0").starts_with("white bits: '-1' is not a number"));
        assert!(
            message("********/******** w").starts_with("sanmill FEN: expected at least 17 fields")
        );
        assert!(message("...").ends_with("BLACK_HAND), found 1"));
    }

    #[test]
    fn test_bytes_that_are_no_text_are_located() {
        assert_eq!(text_of_bytes(b"abc\xff"), Err(NotationError::NotText(3)));
        assert_eq!(text_of_bytes(b"d2"), Ok("d2"));
    }

    #[test]
    fn test_quoted_text_is_escaped_and_cut() {
        assert_eq!(quoted("a\nb"), "'a\\nb'");
        assert_eq!(quoted(&"ä".repeat(50)), format!("'{}...'", "ä".repeat(40)));
    }

    #[test]
    fn test_numbers_are_digits_within_their_range() {
        for bad in ["", "+1", "1.0", "10", "-1", "x", "99999999999999999999999999999999999999999"] {
            assert!(number::<u8>("hand", bad, 0..=9).is_err(), "{bad}");
        }
        assert_eq!(number::<i8>("from", "-1", -1..=31), Ok(-1));
    }
}
