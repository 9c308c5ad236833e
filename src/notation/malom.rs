//! The six integers of the Malom program: `WHITE BLACK WHITE_HAND BLACK_HAND SIDE OWED`.
//!
//! Malom's database is the other strong solution people hold, so its positions must be readable.
//! This file owns the meaning of Malom's bits. They lie in the same rings as ours, one step further
//! round; the table gives names all the same, so that it can be checked against a drawing.

use super::{NotationError, Reading, bit, checked, demand_24_points, number, owed_removals};
use crate::rules::{Board, Color, Mask, Position, Rules};

const FORMAT: &str = "malom";
const BITS: [&str; 2] = ["white bits", "black bits"];
const HANDS: [&str; 2] = ["white in hand", "black in hand"];
const SIDE: &str = "side";
const OWED: &str = "removal owed";

/// The point of each bit, from bit 0.
const POINTS: [&str; 24] = [
    "a4", "a7", "d7", "g7", "g4", "g1", "d1", "a1", // outer
    "b4", "b6", "d6", "f6", "f4", "f2", "d2", "b2", // middle
    "c4", "c5", "d5", "e5", "e4", "e3", "d3", "c3", // inner
];

/// Reads six integers, separated by space: the bits of White's and Black's men, their men in hand,
/// the side to move (0 White, 1 Black) and whether it owes a removal (0 or 1).
///
/// # Errors
/// Names the integer and the reason; boards of other than 24 points are refused.
pub fn parse_malom(rules: &Rules, text: &str) -> Result<Reading, NotationError> {
    demand_24_points(rules, FORMAT)?;
    let fields: Vec<&str> = text.split_whitespace().collect();
    let [white, black, white_hand, black_hand, side, owed] = fields[..] else {
        return Err(NotationError::FieldCount {
            format: FORMAT,
            found: fields.len(),
            expected: "6 fields (WHITE BLACK WHITE_HAND BLACK_HAND SIDE OWED)",
        });
    };
    let (bits, most) = (0..=(1 << POINTS.len()) - 1, i128::from(rules.men()));
    let men = [number(BITS[0], white, bits.clone())?, number(BITS[1], black, bits)?];
    let hand = [number(HANDS[0], white_hand, 0..=most)?, number(HANDS[1], black_hand, 0..=most)?];
    let side = match number(SIDE, side, 0..=1)? {
        0u8 => Color::White,
        _ => Color::Black,
    };
    let owed = owed_removals(rules, OWED, number(OWED, owed, 0..=1)?)?;
    let men = men.map(|bits| our_mask(rules.board(), bits));
    let position = checked(rules, Position { men, hand, side }, BITS, HANDS)?;
    Ok(Reading { position, owed })
}

fn our_mask(board: &Board, bits: Mask) -> Mask {
    let present = POINTS.iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1);
    present.fold(0, |mask, (_, name)| mask | bit(board, name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::format_position;

    fn nine() -> Rules {
        Rules::named("nine").unwrap()
    }

    fn message(text: &str) -> String {
        parse_malom(&nine(), text).unwrap_err().to_string()
    }

    #[test]
    fn test_every_bit_is_the_point_of_the_table() {
        let all = our_mask(nine().board(), (1 << 24) - 1);
        assert_eq!(all, nine().board().all());
        let reading = parse_malom(&nine(), "6 65536 0 3 1 0").unwrap();
        let text = format_position(&nine(), &reading.position);
        assert_eq!(text, "WW./.../.../..B.../.../.../... b 0 3");
    }

    #[test]
    fn test_owed_removals_are_kept_apart_from_the_position() {
        let reading = parse_malom(&nine(), "14 256 6 8 0 1").unwrap();
        assert_eq!((reading.owed, reading.position.side), (1, Color::White));
    }

    #[test]
    fn test_wrong_integers_are_named() {
        assert!(message("1 2 3 4 5").starts_with("malom: expected 6 fields"));
        assert_eq!(
            message("16777216 0 0 0 0 0"),
            "white bits: '16777216' is not a number from 0 to 16777215"
        );
        assert_eq!(
            message("0 0x1 0 0 0 0"),
            "black bits: '0x1' is not a number from 0 to 16777215"
        );
        assert_eq!(message("0 0 10 0 0 0"), "white in hand: '10' is not a number from 0 to 9");
        assert_eq!(message("0 0 9 9 2 0"), "side: '2' is not a number from 0 to 1");
        assert_eq!(message("0 0 9 9 0 2"), "removal owed: '2' is not a number from 0 to 1");
        assert_eq!(message("1 1 0 0 0 0"), "black bits: two men stand on a4");
        assert!(message("1 2 9 8 0 0").starts_with("white in hand: white has 10 men"));
        assert!(message("1023 0 0 8 0 0").starts_with("white bits: white has 10 men"));
    }

    #[test]
    fn test_other_boards_and_rules_without_removals_are_refused() {
        let six = Rules::named("six").unwrap();
        let error = parse_malom(&six, "0 0 6 6 0 0").unwrap_err().to_string();
        assert_eq!(
            error,
            "malom describes the 24-point board only, but six is played on 16 points"
        );
        let line = Rules::with_options("nine", &["line-wins=yes"]).unwrap();
        let error = parse_malom(&line, "0 0 9 9 0 1").unwrap_err().to_string();
        assert!(error.starts_with("removal owed: 1 owed, but"), "{error}");
    }
}
