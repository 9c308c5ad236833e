//! What `inspect` says of known positions, and that it never calls a played position unreachable.

mod common;

use common::by_name::position;
use common::samples::{any_rules, play_out};
use merels::inspect::{Inspection, Phase, Question, inspect};
use merels::notation::Reading;
use merels::rules::{Color, Position, Rules, Turn};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::json;

fn look(rules: &Rules, position: &Position) -> Inspection {
    inspect(rules, &Reading::from(*position), None)
}

fn proofs(rules: &Rules, position: &Position) -> Vec<String> {
    look(rules, position).unreachable
}

/// The same in the middle of a turn.
fn proofs_owed(rules: &Rules, position: Position, owed: u8) -> Vec<String> {
    inspect(rules, &Reading { position, owed }, None).unreachable
}

#[test]
fn test_blockade_names_the_blocked_men() {
    let rules = Rules::named("nine").unwrap();
    let white = "a4 b4 c3 d2 d6 d7 e3 e5 g1";
    let black = "a1 a7 b2 b6 c4 c5 d1 d3 d5";
    let seen = look(&rules, &position(&rules, white, black, [0, 0], Color::Black));
    assert_eq!((seen.phase, seen.turns.len()), (Phase::Over, 0));
    assert_eq!(seen.blocked.join(" "), black);
    assert_eq!(seen.ending.unwrap(), "Black is to move and has no legal turn, so Black has lost");
    assert_eq!(seen.unreachable, Vec::<String>::new());
}

#[test]
fn test_mills_protection_and_flight() {
    let rules = Rules::named("nine").unwrap();
    let position = position(&rules, "a1 a4 a7", "b2 b4 b6 d6 f6 g1", [0, 0], Color::White);
    let seen = look(&rules, &position);
    assert_eq!(seen.phase, Phase::Moving);
    assert_eq!(seen.flying, [Color::White]);
    assert_eq!(seen.mills.white, [["a1", "a4", "a7"]]);
    assert_eq!(seen.mills.black.len(), 2);
    assert_eq!(seen.protected.black, ["b2", "b4", "b6", "d6", "f6"]);
    assert!(seen.protected.white.is_empty(), "all of White's men stand in mills");
    assert!(seen.blocked.is_empty());
}

#[test]
fn test_json_follows_the_contract() {
    let rules = Rules::named("three").unwrap();
    let position = position(&rules, "a1 b1 c2", "a2 b2 c3", [0, 0], Color::White);
    let turn = Turn { from: None, to: 0, removed: 0 };
    let json = |question: Option<Question>| {
        let seen = inspect(&rules, &position.into(), question.as_ref());
        serde_json::to_value(seen).unwrap()
    };
    let bare = json(None);
    assert_eq!(bare["phase"], json!("moving"));
    assert_eq!(bare["flying"], json!([]));
    assert_eq!(bare["turns"], json!(["c2-c1", "b1-c1"]));
    for absent in ["owed", "ending", "verdict", "legal", "reason", "effect"] {
        assert!(bare.get(absent).is_none(), "{absent}");
    }
    let asked = json(Some(Question::Turn(turn)));
    assert_eq!(asked["legal"], json!(false));
    assert_eq!(asked["reason"], json!("White has no man left in hand to place"));
    let asked = json(Some(Question::Turn(rules.turns(&position)[0])));
    assert_eq!((asked.get("legal"), asked.get("reason")), (Some(&json!(true)), None));
}

#[test]
fn test_proofs_in_the_middle_of_a_turn() {
    let rules = Rules::named("nine").unwrap();
    let found = |white, black, hand| {
        let position = position(&rules, white, black, hand, Color::White);
        proofs_owed(&rules, position, 1)
    };
    assert_eq!(found("a1 a4 a7", "b2 b4", [6, 7]), Vec::<String>::new());
    assert_eq!(found("a1 a4 d2", "b2 b4", [6, 7])[0], "White owes a removal but has no mill");
    assert_eq!(
        found("a1 a4 a7", "b2", [6, 7]),
        [
            "once b2 is removed, Black misses 2 of its men, but White's 3 placements remove 1 at most"
        ]
    );
}

#[test]
fn test_proofs_that_no_game_leads_here() {
    let rules = Rules::named("nine").unwrap();
    let first = |white, black, hand, side| {
        let found = proofs(&rules, &position(&rules, white, black, hand, side));
        found.first().cloned().unwrap_or_default()
    };
    assert_eq!(
        first("a1", "", [8, 9], Color::White),
        "with White to move, 8 white and 9 black men in hand cannot be: White places first and turns alternate"
    );
    assert_eq!(
        first("a1 a4 a7 b2", "c3 c4 c5 d1 d2 d3 e3 e4 e5", [0, 0], Color::White),
        "White's closed mills mean at least 1 removed, but Black misses 0 of 9 men"
    );
    assert_eq!(
        first("a1 a4 a7 b2", "c3 c4", [0, 0], Color::White),
        "Black has 2 men in all and has moved since: the game was over before"
    );
    assert_eq!(
        first("a1 d2 f4", "a4", [6, 6], Color::White),
        "Black misses 2 of its men, but White's 3 placements remove 1 at most"
    );
    let three = Rules::named("three").unwrap();
    let found = proofs(&three, &position(&three, "a1 b1 c1", "a2 b2", [0, 0], Color::White));
    assert_eq!(
        found.len(),
        3,
        "a line before the end, a lost game played on, a man gone: {found:?}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn test_played_positions_are_never_called_unreachable(
        rules in any_rules(),
        choices in prop::collection::vec(any::<Index>(), 120),
    ) {
        for position in play_out(&rules, &choices) {
            prop_assert_eq!(proofs(&rules, &position), Vec::<String>::new(), "{:?}", position);
            let owing = rules.turns(&position).into_iter().find(|turn| turn.removed != 0);
            if let Some(turn) = owing {
                let half = Turn { removed: 0, ..turn };
                let middle = Position { side: position.side, ..rules.play(&position, &half) };
                let owed = rules.owed(&position, turn.from, turn.to) as u8;
                let found = proofs_owed(&rules, middle, owed);
                prop_assert_eq!(found, Vec::<String>::new(), "{:?} {:?}", position, turn);
            }
        }
    }
}
