//! The position text (FEN) of the Sanmill program, at least 17 fields separated by space.
//!
//! Sanmill is the most used mill program, so its positions are what people paste. Its text can stand
//! between the closing of a mill and the removal, which no position of ours can: reading gives such
//! a text as a [`Reading`] with removals owed, writing never produces one. What Sanmill says twice
//! (men on the board, who owes) must agree with itself, or the text is refused.

use super::{NotationError, Reading, bit, checked, demand_24_points, number, owed_removals};
use super::{quoted, side};
use crate::rules::{Color, Mask, Position, Rules};
use std::ops::RangeInclusive;

const FORMAT: &str = "sanmill FEN";
const LETTERS: &str = "O, @ or *";
const ON_BOARD: [&str; 2] = ["white on board", "black on board"];
const HANDS: [&str; 2] = ["white in hand", "black in hand"];
const OWED: [&str; 2] = ["white to remove", "black to remove"];

/// Fields that describe history, not the position: index, name and range. Squares are node numbers
/// or, in older texts, numbers up to 31; -1 and 0 stand for none.
const HISTORY: [(usize, &str, RangeInclusive<i128>); 7] = [
    (10, "white from", -1..=31),
    (11, "white to", -1..=31),
    (12, "black from", -1..=31),
    (13, "black to", -1..=31),
    (14, "mills", 0..=u64::MAX as i128),
    (15, "rule50", 0..=u32::MAX as i128),
    (16, "fullmove", 1..=u32::MAX as i128),
];
const HISTORY_WRITTEN: &str = "-1 -1 -1 -1 0 0 1 ids:nodes";
const EXTENSIONS: [&str; 6] = ["ids:nodes", "c:", "i:", "l:", "p:", "s:"];

/// The points of the three blocks, inner to outer, each clockwise from the top midpoint.
const BLOCKS: [[&str; 8]; 3] = [
    ["d5", "e5", "e4", "e3", "d3", "c3", "c4", "c5"],
    ["d6", "f6", "f4", "f2", "d2", "b2", "b4", "b6"],
    ["d7", "g7", "g4", "g1", "d1", "a1", "a4", "a7"],
];

/// Reads a Sanmill FEN.
///
/// # Errors
/// Names the field and the reason; boards of other than 24 points are refused.
///
/// # Examples
/// ```
/// use merels::notation::{format_position, parse_sanmill};
/// let rules = merels::rules::Rules::named("nine").unwrap();
/// let fen = "********/@OOOO*@*/**@***** w p r 4 5 3 6 1 0 -1 -1 -1 -1 0 0 4 ids:nodes";
/// let reading = parse_sanmill(&rules, fen)?;
/// assert_eq!(reading.owed, 1);
/// let text = format_position(&rules, &reading.position);
/// assert_eq!(text, ".../.BW/.../.B..WB/.../.WW/... w 5 6");
/// # Ok::<(), merels::notation::NotationError>(())
/// ```
pub fn parse_sanmill(rules: &Rules, text: &str) -> Result<Reading, NotationError> {
    demand_24_points(rules, FORMAT)?;
    let fields: Vec<&str> = text.split_whitespace().collect();
    if fields.len() < 17 {
        let (format, found, expected) = (FORMAT, fields.len(), "at least 17 fields");
        return Err(NotationError::FieldCount { format, found, expected });
    }
    let men = parse_board(rules, fields[0])?;
    let side = side(fields[1])?;
    one_of("phase", fields[2], &["r", "p", "m", "o"])?;
    one_of("action", fields[3], &["p", "s", "r", "?"])?;
    let hand = parse_counts(rules, &fields, men)?;
    let owed = parse_owed(rules, &fields, side)?;
    check_history(&fields)?;
    let position = checked(rules, Position { men, hand, side }, ["board"; 2], HANDS)?;
    Ok(Reading { position, owed })
}

/// Writes a position as a Sanmill FEN at a turn boundary, without history.
///
/// # Errors
/// Boards of other than 24 points are refused.
pub fn format_sanmill(rules: &Rules, position: &Position) -> Result<String, NotationError> {
    demand_24_points(rules, FORMAT)?;
    let block =
        |names: &[&str; 8]| names.map(|name| letter(rules, position, name)).iter().collect();
    let board: [String; 3] = [0, 1, 2].map(|i| block(&BLOCKS[i]));
    let side = match position.side {
        Color::White => 'w',
        Color::Black => 'b',
    };
    let (phase, action) = match rules.outcome(position) {
        Some(_) => ('o', '?'),
        None if position.own_hand() > 0 => ('p', 'p'),
        None => ('m', 's'),
    };
    let [white, black] = [Color::White, Color::Black]
        .map(|color| format!("{} {}", position.on_board(color), position.hand[color as usize]));
    let board = board.join("/");
    Ok(format!("{board} {side} {phase} {action} {white} {black} 0 0 {HISTORY_WRITTEN}"))
}

fn letter(rules: &Rules, position: &Position, name: &str) -> char {
    match position.men.map(|men| men & bit(rules.board(), name) != 0) {
        [true, _] => 'O',
        [_, true] => '@',
        _ => '*',
    }
}

fn parse_board(rules: &Rules, text: &str) -> Result<[Mask; 2], NotationError> {
    let blocks: Vec<&str> = text.split('/').collect();
    let (found, expected) = (blocks.len(), BLOCKS.len());
    if found != expected {
        return Err(NotationError::RowCount { what: "blocks", found, expected });
    }
    let mut men = [0, 0];
    for (index, (letters, names)) in blocks.iter().zip(&BLOCKS).enumerate() {
        parse_block(rules, index + 1, letters, names, &mut men)?;
    }
    Ok(men)
}

fn parse_block(
    rules: &Rules,
    block: usize,
    letters: &str,
    names: &[&str; 8],
    men: &mut [Mask; 2],
) -> Result<(), NotationError> {
    let (what, found, expected) = ("block", letters.chars().count(), names.len());
    if found != expected {
        return Err(NotationError::RowLength { what, row: block, found, expected });
    }
    for (index, (letter, name)) in letters.chars().zip(names).enumerate() {
        let column = index + 1;
        match letter {
            'O' => men[0] |= bit(rules.board(), name),
            '@' => men[1] |= bit(rules.board(), name),
            '*' => {}
            'X' => return Err(NotationError::DelayedRemoval { block, column }),
            _ => {
                let (row, expected) = (block, LETTERS);
                return Err(NotationError::Letter { what, row, column, letter, expected });
            }
        }
    }
    Ok(())
}

fn one_of(field: &'static str, text: &str, known: &[&str]) -> Result<(), NotationError> {
    if known.contains(&text) {
        return Ok(());
    }
    let expected = format!("one of {}", known.join(", "));
    Err(NotationError::Field { field, found: quoted(text), expected })
}

/// Men in hand; the counts of men on the board must be those of the board.
fn parse_counts(rules: &Rules, fields: &[&str], men: [Mask; 2]) -> Result<[u8; 2], NotationError> {
    let mut hand = [0; 2];
    for color in [0, 1] {
        let points = rules.board().points() as i128;
        let said: u32 = number(ON_BOARD[color], fields[4 + 2 * color], 0..=points)?;
        let shown = men[color].count_ones();
        if said != shown {
            let (field, reason) = (ON_BOARD[color], format!("{said}, but the board shows {shown}"));
            return Err(NotationError::Contradiction { field, reason });
        }
        let most = i128::from(rules.men());
        hand[color] = number(HANDS[color], fields[5 + 2 * color], 0..=most)?;
    }
    Ok(hand)
}

/// Removals owed by the side to move. Nobody owes any unless the action is to remove: a text that
/// says otherwise describes no moment of a game, and guessing would answer another question.
fn parse_owed(rules: &Rules, fields: &[&str], side: Color) -> Result<u8, NotationError> {
    let removing = fields[3] == "r";
    let mut owed = 0;
    for (color, field) in [Color::White, Color::Black].into_iter().zip(OWED) {
        let count: usize = number(field, fields[8 + color as usize], 0..=2)?;
        if removing && color == side {
            owed = owed_removals(rules, field, count.max(1))?;
        } else if count > 0 {
            let reason = match removing {
                true => format!("{count}, but {} is to move", side.name()),
                false => format!("{count}, but the action is not r"),
            };
            return Err(NotationError::Contradiction { field, reason });
        }
    }
    Ok(owed)
}

fn check_history(fields: &[&str]) -> Result<(), NotationError> {
    for (index, field, range) in HISTORY {
        number::<i128>(field, fields[index], range)?;
    }
    for extension in &fields[17..] {
        if !EXTENSIONS.iter().any(|known| extension.starts_with(known)) {
            let expected = format!("one of {}", EXTENSIONS.join(", "));
            let (field, found) = ("extension", quoted(extension));
            return Err(NotationError::Field { field, found, expected });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::format_position;

    const START: &str = "********/********/******** w p p 0 9 0 9 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
    const AFTER_TWO: &str =
        "********/********/*@****O* w p p 1 8 1 8 0 0 -1 -1 -1 -1 0 0 2 ids:nodes";
    const OWED_ONE: &str =
        "********/@OOOO*@*/**@***** w p r 4 5 3 6 1 0 -1 -1 -1 -1 0 0 4 ids:nodes";

    fn nine() -> Rules {
        Rules::named("nine").unwrap()
    }

    /// The message for `START` with one field replaced.
    fn message(index: usize, field: &str) -> String {
        let mut fields: Vec<&str> = START.split(' ').collect();
        fields[index] = field;
        parse_sanmill(&nine(), &fields.join(" ")).unwrap_err().to_string()
    }

    #[test]
    fn test_the_start_is_read_and_written() {
        let reading = parse_sanmill(&nine(), START).unwrap();
        assert_eq!(reading, Reading::from(Position::start(&nine())));
        assert_eq!(format_sanmill(&nine(), &reading.position).unwrap(), START);
    }

    #[test]
    fn test_after_the_first_two_placements() {
        let reading = parse_sanmill(&nine(), AFTER_TWO).unwrap();
        let text = format_position(&nine(), &reading.position);
        assert_eq!((text.as_str(), reading.owed), ("..B/.../.../W...../.../.../... w 8 8", 0));
    }

    #[test]
    fn test_a_removal_is_owed() {
        let reading = parse_sanmill(&nine(), OWED_ONE).unwrap();
        assert_eq!((reading.owed, reading.position.side), (1, Color::White));
        let removable = nine().removable(reading.position.enemy());
        let expected = ["b4", "d6", "g4"].map(|name| bit(nine().board(), name));
        assert_eq!(removable, expected.iter().sum::<Mask>());
        let zero = OWED_ONE.replace(" 1 0 -1", " 0 0 -1");
        assert_eq!(parse_sanmill(&nine(), &zero), Ok(reading));
    }

    #[test]
    fn test_phases_and_actions_are_written_as_the_rules_see_them() {
        let nine = nine();
        let written = |text: &str| {
            let position = crate::notation::parse_position(&nine, text).unwrap();
            let fen = format_sanmill(&nine, &position).unwrap();
            assert_eq!(parse_sanmill(&nine, &fen), Ok(position.into()));
            fen.split(' ').skip(1).take(7).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(written("WWW/.../.../....../BBB/.../... b 0 0"), "b m s 3 0 3 0");
        assert_eq!(written("WWW/.../.../....../BB./.../... b 0 0"), "b o ? 3 0 2 0");
        assert_eq!(written("WWW/.../.../....../BB./.../... b 0 1"), "b p p 3 0 2 1");
    }

    #[test]
    fn test_moving_texts_are_read_with_either_action() {
        for action in ["p", "s"] {
            let fen = format!("OOO*****/@@@*****/******** b m {action} 3 0 3 0 0 0 0 8 31 0 0 9 1");
            assert!(parse_sanmill(&nine(), &fen).is_ok(), "{action}");
        }
    }

    #[test]
    fn test_wrong_boards_are_located() {
        assert_eq!(message(0, "********/********"), "2 blocks, expected 3");
        assert_eq!(message(0, "********/*******/********"), "block 2 has 7 points, expected 8");
        assert_eq!(
            message(0, "********/********/*****W**"),
            "block 3, column 6: unknown letter 'W', expected O, @ or *"
        );
        assert!(message(0, "**X*****/********/********").contains("delayed removal"));
        assert_eq!(
            message(0, "O*******/********/********"),
            "white on board: 0, but the board shows 1"
        );
    }

    #[test]
    fn test_every_field_is_checked_by_name() {
        let cases = [
            (1, "W", "side: 'W' is not w or b"),
            (2, "x", "phase: 'x' is not one of r, p, m, o"),
            (3, "x", "action: 'x' is not one of p, s, r, ?"),
            (4, "25", "white on board: '25' is not a number from 0 to 24"),
            (5, "10", "white in hand: '10' is not a number from 0 to 9"),
            (6, "-1", "black on board: '-1' is not a number from 0 to 24"),
            (7, "a", "black in hand: 'a' is not a number from 0 to 9"),
            (8, "3", "white to remove: '3' is not a number from 0 to 2"),
            (8, "1", "white to remove: 1, but the action is not r"),
            (9, "-1", "black to remove: '-1' is not a number from 0 to 2"),
            (10, "32", "white from: '32' is not a number from -1 to 31"),
            (11, "-2", "white to: '-2' is not a number from -1 to 31"),
            (12, "b", "black from: 'b' is not a number from -1 to 31"),
            (13, "99", "black to: '99' is not a number from -1 to 31"),
            (14, "-1", "mills: '-1' is not a number from 0 to 18446744073709551615"),
            (15, "-1", "rule50: '-1' is not a number from 0 to 4294967295"),
            (16, "0", "fullmove: '0' is not a number from 1 to 4294967295"),
            (17, "moves", "extension: 'moves' is not one of ids:nodes, c:, i:, l:, p:, s:"),
        ];
        for (index, field, expected) in cases {
            assert_eq!(message(index, field), expected);
        }
        let black_owes = OWED_ONE.replace(" 1 0 -1", " 0 1 -1");
        let error = parse_sanmill(&nine(), &black_owes).unwrap_err().to_string();
        assert_eq!(error, "black to remove: 1, but white is to move");
        let two = OWED_ONE.replace(" 1 0 -1", " 2 0 -1");
        let error = parse_sanmill(&nine(), &two).unwrap_err().to_string();
        assert_eq!(error, "white to remove: 2 owed, but a turn of nine removes at most 1");
        let double = Rules::with_options("nine", &["double-mill=two"]).unwrap();
        assert_eq!(parse_sanmill(&double, &two).unwrap().owed, 2);
    }

    #[test]
    fn test_other_boards_are_refused() {
        let six = Rules::named("six").unwrap();
        let expected =
            "sanmill FEN describes the 24-point board only, but six is played on 16 points";
        assert_eq!(parse_sanmill(&six, START).unwrap_err().to_string(), expected);
        let written = format_sanmill(&six, &Position::start(&six));
        assert_eq!(written.unwrap_err().to_string(), expected);
    }
}
