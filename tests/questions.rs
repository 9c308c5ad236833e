//! The questions players ask of the rules, each answered by `inspect`, with odd options too.

mod common;

use common::samples::{any_position, any_rules};
use merels::inspect::{Inspection, Phase, Question, inspect};
use merels::notation::{Reading, format_turn, parse_removals, parse_turn, read_position};
use merels::rules::{Color, Ending, Mask, Rules};
use proptest::prelude::*;

fn rules(name: &str, options: &[&str]) -> Rules {
    Rules::with_options(name, options).unwrap()
}

/// What is seen of a position text, and of a turn or removal unless that is empty.
fn ask(rules: &Rules, position: &str, question: &str) -> Inspection {
    let reading = read_position(rules, position).unwrap();
    let question = match question {
        "" => None,
        text if text.starts_with('x') || text == "none" => {
            Some(Question::Removal(parse_removals(rules, text).unwrap()))
        }
        text => Some(Question::Turn(parse_turn(rules, text).unwrap())),
    };
    inspect(rules, &reading, question.as_ref())
}

/// The reason why `question` is not legal.
fn no(rules: &Rules, position: &str, question: &str) -> String {
    let seen = ask(rules, position, question);
    assert_eq!(seen.legal, Some(false), "{question} in {position}");
    seen.reason.unwrap()
}

/// The effect of `question`, which is legal.
fn yes(rules: &Rules, position: &str, question: &str) -> String {
    let seen = ask(rules, position, question);
    assert_eq!((seen.legal, seen.reason), (Some(true), None), "{question} in {position}");
    seen.effect.unwrap_or_default()
}

/// White can close a1 a4 a7; Black has the mill b2 b4 b6, and c3.
const CLOSING: &str = "W../B../.../WB..../B../B../... w 6 5";
/// The mill is closed, the removal owed.
const CLOSED: &str = "W../B../.../WB..../B../B../W.. w 5 5 x";

#[test]
fn test_may_this_man_be_removed() {
    let nine = rules("nine", &[]);
    let turn_first = "xc3 belongs behind the turn that closes a mill: a1xc3";
    assert_eq!(no(&nine, CLOSING, "xc3"), turn_first);
    for (position, is_mid_turn) in [(CLOSING, false), (CLOSED, true)] {
        let protected = "the man on b4 is protected by the mill b2 b4 b6; free: c3";
        assert_eq!(no(&nine, position, "xb4"), protected);
        assert_eq!(no(&nine, position, "xd7"), "d7 is empty then: there is no man to remove");
        let own = "the man on a7 is White's own and cannot be removed by White";
        assert_eq!(no(&nine, position, "xa7"), own);
        if is_mid_turn {
            assert_eq!(yes(&nine, position, "xc3"), "");
        }
    }
    let seen = ask(&nine, CLOSED, "");
    assert_eq!((seen.removable.black, seen.protected.black), (vec!["c3"], vec!["b2", "b4", "b6"]));
    assert_eq!(
        seen.answers.removal.black,
        "of Black's men c3 may be removed; mills protect b2 b4 b6 (protected=unless-all)"
    );
    assert_eq!(
        seen.answers.removal.white,
        "any of White's men may be removed: all stand in mills, which then protect none (protected=unless-all)"
    );
}

#[test]
fn test_may_this_man_be_removed_under_other_options() {
    let never = rules("nine", &["protected=never"]);
    assert_eq!(yes(&never, CLOSED, "xb4"), "");
    let always = rules("nine", &["protected=always"]);
    let all_in_mills = "W../B../.../WB..../.../B../W.. w 5 5 x";
    assert_eq!(yes(&rules("nine", &[]), all_in_mills, "xb4"), "");
    assert_eq!(
        no(&always, all_in_mills, "xb4"),
        "the man on b4 is protected by the mill b2 b4 b6, and no other is free: nothing at all is removed"
    );
    let seen = ask(&always, all_in_mills, "none");
    assert_eq!((seen.legal, seen.turns), (Some(true), vec!["none".to_string()]));
    assert_eq!(
        seen.answers.removal.black,
        "none of Black's men may be removed: all stand in mills (protected=always)"
    );
    let three = rules("three", &[]);
    assert_eq!(
        no(&three, "W../WB./.B. w 1 1", "xb2"),
        "under these rules a full line wins and nothing is ever removed (b2 was named)"
    );
}

#[test]
fn test_an_enemy_with_no_man_on_the_board_loses_none() {
    let six = rules("six", &[]);
    let position = "WW./.../..../.../... w 4 6";
    assert_eq!(
        no(&six, position, "e5xa1"),
        "Black has no man on the board, so nothing is removed (a1 was named)"
    );
    let effect =
        "it closes the mill a5 c5 e5 and takes nothing, because Black has no man on the board";
    assert_eq!(yes(&six, position, "e5"), effect);
    let seen = ask(&six, "WWW/.../..../.../... w 3 6 x", "xa1");
    assert_eq!(seen.turns, ["none"]);
    assert!(seen.reason.unwrap().starts_with("Black has no man on the board"));
    assert_eq!(
        seen.answers.turn,
        "it is still White's turn: White has closed the mill a5 c5 e5 and owes a removal, but Black has no man on the board, and no man may be removed: none"
    );
}

#[test]
fn test_am_i_flying_yet() {
    let flight = |options: &[&str], position: &str| {
        let rules = rules("nine", options);
        let seen = ask(&rules, position, "");
        let said = seen.answers.flying.clone();
        for (color, text) in [(Color::White, &said.white), (Color::Black, &said.black)] {
            let may = text.starts_with(&format!("{} may fly", color.title()));
            assert_eq!(may, seen.flying.contains(&color), "{text}");
        }
        [said.white, said.black]
    };
    let three_each = "W.B/.../.../W....B/.../.../W.B w 0";
    let needs = "flying needs exactly three men on the board and none in hand";
    assert_eq!(
        flight(&[], &format!("{three_each} 3")),
        [
            "White may fly: it has exactly three men on the board and none in hand (flying=at-three)"
                .to_string(),
            format!(
                "Black may not fly: {needs}: Black has 3 on the board and 3 in hand (flying=at-three)"
            ),
        ]
    );
    let total = ["flying=at-three-total", "place-or-move=yes"];
    let two_and_one = "W.B/.../.../W....B/.../.../..B w 1 3";
    assert_eq!(
        flight(&total, two_and_one),
        [
            "White may fly: it has exactly three men, hand included (flying=at-three-total)",
            "Black may not fly: flying needs exactly three men, hand included: Black has 6 (flying=at-three-total)",
        ]
    );
    // The same men where men in hand are placed first.
    assert_eq!(
        flight(&total[..1], two_and_one)[0],
        "White may not fly: White must place first: 1 man still in hand (flying=at-three-total)"
    );
    let never = flight(&["flying=never"], &format!("{three_each} 0"));
    assert_eq!(never[0], "White may not fly: under these rules nobody flies (flying=never)");
    let always = flight(&["flying=always"], "WWW/W../.../W....B/.../.../..B w 0 3");
    assert!(always[0].starts_with("White may fly: every move may go to any empty point"));
    assert!(always[1].starts_with("Black may not fly: Black must place first"));
    let start = flight(&["flying=always", "place-or-move=yes"], "0 0 9 9 0 0");
    assert!(start[0].starts_with("White may not fly: White has no man on the board"));
    let lost = flight(&["flying=always"], "WWW/.../.../.....B/.../.../..B w 0 0");
    assert!(lost[1].contains("Black has 2 men in all, and fewer than 3 lose"), "{lost:?}");
    let over = flight(&[], "WW./.../.../.....B/.../.../B.B w 0 0");
    assert_eq!(over[0], "White may not fly: the game is over (flying=at-three)");
}

#[test]
fn test_who_flies_is_told_as_it_will_be_after_the_removal() {
    let nine = rules("nine", &[]);
    let seen = ask(&nine, "WWW/.../.../W....B/.../..B/B.B w 0 0 x", "");
    assert_eq!(seen.flying, [Color::Black]);
    assert!(seen.answers.flying.black.starts_with("Black may fly once the removal is made: "));
    assert!(seen.answers.flying.white.ends_with("White has 4 (flying=at-three)"));
}

#[test]
fn test_why_is_it_still_my_turn() {
    let nine = rules("nine", &[]);
    let owes =
        "it is still White's turn: White has closed the mill a1 a4 a7 and owes a removal: xc3";
    let seen = ask(&nine, CLOSED, "b6");
    assert_eq!((seen.owed, seen.phase), (1, Phase::Placing));
    assert_eq!(seen.answers.turn, owes);
    assert_eq!(seen.reason.unwrap(), format!("no other turn before this one is finished: {owes}"));
    assert_eq!(no(&nine, CLOSED, "none"), "White owes a removal and must remove one of c3");
    let two = "White owes a removal and removes 1 man, not 2 (b4, c3)";
    assert_eq!(no(&nine, CLOSED, "xb4xc3"), two);
    assert_eq!(
        no(&nine, CLOSING, "a1"),
        "the turn closes the mill a1 a4 a7 and must remove one of c3"
    );
    assert_eq!(no(&nine, CLOSING, "none"), "White owes no removal, but a whole turn");
    assert_eq!(ask(&nine, CLOSING, "").answers.turn, "White is to place a man (6 in hand)");
    // On other boards, and with two mills of which either may be the one just closed.
    let six = rules("six", &[]);
    let seen = ask(&six, "WWW/B../W.B./.../W.. w 1 3 x", "");
    let either = "White has closed one or more of the mills a5 c5 e5, a1 a3 a5 and owes a removal";
    assert_eq!(seen.answers.turn, format!("it is still White's turn: {either}: xb4 or xd3"));
}

#[test]
fn test_is_this_a_blockade() {
    let blocked = "WBW/.../.../B....B/.../.../WBW w 0 0";
    let seen = ask(&rules("nine", &[]), blocked, "");
    assert_eq!((seen.turns.len(), seen.blocked), (0, vec!["a1", "a7", "g1", "g7"]));
    assert_eq!((seen.phase, seen.verdict), (Phase::Over, Some("loss")));
    assert_eq!(
        seen.answers.blockade,
        "yes: all of White's 4 men are blocked (a1 a7 g1 g7), and White is to move and has no legal turn, so White has lost (no-move=loses)"
    );
    let draws = ask(&rules("nine", &["no-move=draws"]), blocked, "");
    assert_eq!(draws.verdict, Some("draw"));
    assert!(draws.answers.blockade.ends_with("so it is a draw (no-move=draws)"));
    // One man out of four can still move.
    let nearly = blocked.replacen("WBW", "W.W", 1);
    let seen = ask(&rules("nine", &[]), &nearly, "");
    assert_eq!((seen.blocked, seen.turns.len()), (vec!["a1", "g1"], 2));
    assert_eq!(seen.answers.blockade, "no: 2 of White's 4 men are blocked (a1 g1)");
    // Who flies, places, or finishes a turn is not blocked.
    let flying = ask(&rules("nine", &["flying=always"]), blocked, "");
    assert_eq!(flying.answers.blockade, "no: none of White's 4 men is blocked");
    let placing = blocked.replace("w 0 0", "w 2 0");
    let seen = ask(&rules("nine", &[]), &placing, "");
    assert_eq!(seen.answers.blockade, "no: White has 2 men in hand to place");
    assert!(seen.blocked.is_empty());
    let either = ask(&rules("lasker", &[]), &placing, "");
    assert_eq!(either.blocked, ["a1", "a7", "g1", "g7"]);
    assert!(either.answers.blockade.starts_with("no: White has 2 men in hand to place; all of"));
    let owing = ask(&rules("nine", &[]), &blocked.replace("0 0", "0 0 x"), "");
    assert_eq!(owing.answers.blockade, "no: White has a turn to finish");
    // Three men without flying can be blocked as well.
    let three = ask(&rules("nine-noflying", &[]), "WB./.../.../B...../.../.../WBW w 0 0", "");
    assert_eq!(three.blocked, ["a1", "a7"]);
}

#[test]
fn test_a_full_board_is_judged_before_the_blockade() {
    let twelve = "WBW/BWB/WBW/BWBWBW/BWB/WBW/BWB w 0 0";
    for (option, verdict) in [("full-board=draw", "draw"), ("full-board=loses", "loss")] {
        let seen = ask(&rules("twelve", &[option, "no-move=draws"]), twelve, "");
        assert_eq!((seen.phase, seen.verdict), (Phase::Over, Some(verdict)));
        assert_eq!(seen.blocked.len(), 12);
        assert!(seen.answers.end.ends_with(&format!("({option})")), "{}", seen.answers.end);
        assert!(seen.answers.blockade.contains("the game is over for another reason: the board"));
    }
}

/// d7 closes a7 d7 g7 and d5 d6 d7; Black has a4, e3 and f2.
const DOUBLE: &str = "W.W/.W./.W./B...../..B/..B/... w 1 1";

#[test]
fn test_does_a_double_mill_take_one_or_two() {
    let one = rules("nine", &["men=9"]);
    let seen = ask(&one, DOUBLE, "d7xa4");
    assert_eq!(seen.double_mills.len(), 1);
    assert_eq!((seen.double_mills[0].turn.as_str(), seen.double_mills[0].takes), ("d7", 1));
    assert_eq!(
        seen.effect.unwrap(),
        "it closes the mills a7 d7 g7, d5 d6 d7 and takes a4 (double-mill=one)"
    );
    assert_eq!(
        no(&one, DOUBLE, "d7xa4xe3"),
        "the turn closes the mills a7 d7 g7, d5 d6 d7 and removes 1 man, not 2 (a4, e3)"
    );
    let two = rules("nine", &["double-mill=two"]);
    assert_eq!(ask(&two, DOUBLE, "").double_mills[0].takes, 2);
    let effect = yes(&two, DOUBLE, "d7xa4xe3");
    assert!(effect.contains("takes a4 and e3 (double-mill=two); it ends the game"), "{effect}");
    assert!(no(&two, DOUBLE, "d7xa4").contains("must remove 2 men, not 1: one more of e3, f2"));
    assert_eq!(
        ask(&two, DOUBLE, "").answers.double_mill,
        "two mills closed by one turn take 2 men (double-mill=two); d7 closes a7 d7 g7, d5 d6 d7 and takes 2"
    );
    let mid = DOUBLE.replace("W.W", "WWW").replace("w 1 1", "w 0 1 xx");
    let seen = ask(&two, &mid, "xa4xe3");
    assert_eq!((seen.legal, seen.turns.len()), (Some(true), 3));
    assert!(seen.answers.turn.contains("owes two removals: "), "{}", seen.answers.turn);
}

#[test]
fn test_a_removal_alone_names_the_turns_that_make_it() {
    let two = rules("nine", &["double-mill=two"]);
    assert_eq!(
        no(&two, DOUBLE, "xa4"),
        "xa4 belongs behind the turn that closes a mill: d7xa4xf2 or d7xa4xe3"
    );
    // Protected now, but not once another man of the double mill's two is gone.
    let guarded = "W.W/BW./.W./BB..../.../B../... w 1 1";
    assert!(no(&two, guarded, "xb2").ends_with("a mill: d7xa4xb2"));
    assert!(no(&rules("nine", &[]), guarded, "xb2").contains("is protected by the mill b2 b4 b6"));
    let single = DOUBLE.replace(".W./.W.", ".W./...");
    assert_eq!(
        no(&two, &single, "xa4xe3"),
        "xa4xe3 needs a turn that closes two mills at once, and White has none"
    );
    assert_eq!(
        no(&rules("nine", &[]), &single, "xa4xe3"),
        "one turn removes 1 man at most, not 2 (double-mill=one)"
    );
    assert_eq!(
        no(&two, "WWW/.../.../B...../.../.../... w 6 8", "xa4"),
        "xa4 needs a turn that closes a mill, and White has none; where the mill is closed already and owes the removal, x ends the position"
    );
}

#[test]
fn test_three_mills_at_once_take_two() {
    // On a7: the sides a7 d7 g7 and a7 a4 a1, and the diagonal a7 b6 c5.
    let position = ".WW/W../W../W...../..B/.BB/W.B w 1 1";
    for (value, takes) in [("one", 1), ("two", 2)] {
        let rules = rules("twelve", &[&format!("double-mill={value}")]);
        let seen = ask(&rules, position, "");
        let corner = seen.double_mills.iter().find(|double| double.turn == "a7").unwrap();
        assert_eq!((corner.mills.len(), corner.takes), (3, takes));
        assert!(seen.answers.double_mill.starts_with("two mills or three closed by one turn take"));
    }
}

#[test]
fn test_a_double_mill_takes_no_more_than_there_are() {
    let two = rules("nine", &["double-mill=two"]);
    let lone = "W.W/.W./.W./B...../.../.../... w 1 8";
    let fewer = ask(&two, lone, "d7xa4");
    assert_eq!((fewer.legal, fewer.double_mills[0].takes), (Some(true), 1));
    assert!(fewer.effect.unwrap().contains("takes a4, no more being there to take"));
    let seen = ask(&two, &lone.replace("W.W", "WWW").replace("1 8", "0 8 xx"), "");
    assert!(seen.answers.turn.ends_with("owes two removals, but only 1 man may be removed: xa4"));
    // One man is free, the others stand in a mill for ever.
    let always = rules("nine", &["double-mill=two", "protected=always"]);
    let guarded = "W.W/BW./.W./BB..../.../B../... w 1 1";
    assert!(yes(&always, guarded, "d7xa4").contains("takes a4, no more being there"));
    assert_eq!(
        no(&always, guarded, "d7xa4xb2"),
        "the man on b2 is protected by the mill b2 b4 b6 once a4 is removed, and no other is free: nothing more is removed"
    );
    // Each removal obeys the protection as it then stands: the second breaks into the mill.
    let unless_all = rules("nine", &["double-mill=two"]);
    assert!(yes(&unless_all, guarded, "d7xa4xb2").contains("takes a4 and then b2"));
}

#[test]
fn test_is_the_game_over_and_why() {
    let end = |name: &str, options: &[&str], position: &str| {
        let seen = ask(&rules(name, options), position, "");
        assert_eq!(seen.phase == Phase::Over, seen.ending.is_some());
        assert_eq!(seen.phase == Phase::Over, seen.turns.is_empty());
        (seen.phase == Phase::Over, seen.answers.end)
    };
    assert_eq!(end("nine", &[], "0 0 9 9 0 0"), (false, "no".to_string()));
    assert_eq!(
        end("six", &[], "WW./BB./B.../.../... w 0 2"),
        (true, "White has 2 men, fewer than 3, so White has lost".to_string())
    );
    assert_eq!(
        end("six", &[], "WW./BB./B.../.../... w 3 2"),
        (
            false,
            "no, but White has 2 men on the board and 3 in hand: with 5 in all it plays on"
                .to_string()
        )
    );
    assert_eq!(
        end("six", &[], "WWW/BB./..../.../... w 0 0"),
        (false, "no, but Black has 2 men in all, fewer than 3, and loses at its turn".to_string())
    );
    let line = "WWW/B../B.. b 0 1";
    assert_eq!(
        end("three", &[], line),
        (true, "White has the full line a3 b3 c3, so Black has lost (line-wins=yes)".to_string())
    );
    assert!(!end("three", &["line-wins=no"], "WWW/B../B.. b 0 1").0);
    let nine = end("nine", &["line-wins=yes"], "WWW/.../.../B....B/.../.../... b 6 7");
    assert!(nine.1.contains("the full line a7 d7 g7, so Black has lost"), "{nine:?}");
}

#[test]
fn test_turns_and_removals_that_end_the_game_say_so() {
    let nine = rules("nine", &[]);
    assert_eq!(
        yes(&nine, "WW./.../.../..W..B/.../..B/..B w 0 0", "c4-g7xg4"),
        "it closes the mill a7 d7 g7 and takes g4; it ends the game: Black has 2 men, fewer than 3, so Black has lost"
    );
    let owed = "WWW/.../.../.....B/.../..B/..B w 0 0 x";
    let seen = ask(&nine, owed, "xg4");
    assert!(seen.effect.unwrap().starts_with("it ends the game: Black has 2 men"));
    assert!(seen.answers.end.starts_with("no, but whatever is removed ends it: Black has 2 men"));
    let three = rules("three", &[]);
    assert_eq!(
        yes(&three, "WW./BB./... w 1 1", "c3"),
        "it fills the line a3 b3 c3; it ends the game: White has the full line a3 b3 c3, so Black has lost"
    );
    assert!(no(&three, "WWW/BB./... b 0 1", "c2").starts_with("the game is over: "));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]
    #[test]
    fn test_sentences_say_what_the_lists_say(
        (rules, position) in any_rules().prop_flat_map(|rules| {
            let position = any_position(&rules);
            (Just(rules), position)
        })
    ) {
        for owed in 0..=rules.most_removals() as u8 {
            let seen = inspect(&rules, &Reading { position, owed }, None);
            let answers = &seen.answers;
            prop_assert_eq!(seen.turns.is_empty(), seen.phase == Phase::Over);
            let is_stuck = rules.outcome(&position).is_some_and(|o| o.ending == Ending::NoTurn);
            prop_assert_eq!(answers.blockade.starts_with("yes"), is_stuck && owed == 0);
            prop_assert_eq!(answers.turn.starts_with("it is still"), owed > 0);
            let colors = [
                (Color::White, &answers.flying.white, &seen.removable.white, &seen.protected.white),
                (Color::Black, &answers.flying.black, &seen.removable.black, &seen.protected.black),
            ];
            for (color, flying, removable, protected) in colors {
                prop_assert_eq!(flying.contains(" may fly"), seen.flying.contains(&color));
                let known = removable.len() + protected.len();
                let men = usize::from(position.on_board(color));
                prop_assert_eq!(known, if rules.line_wins() { 0 } else { men });
            }
        }
    }

    #[test]
    fn test_every_legal_turn_has_its_effect_and_every_man_an_answer(
        (rules, position) in any_rules().prop_flat_map(|rules| {
            let position = any_position(&rules);
            (Just(rules), position)
        })
    ) {
        for turn in rules.turns(&position) {
            let seen = inspect(&rules, &position.into(), Some(&Question::Turn(turn)));
            prop_assert_eq!(seen.legal, Some(true));
            let effect = seen.effect.unwrap_or_default();
            prop_assert_eq!(turn.removed != 0, effect.contains("takes ") && !effect.contains("takes nothing"),
                "{}: {}", format_turn(&rules, &turn), effect);
            let ends = rules.outcome(&rules.play(&position, &turn)).is_some();
            prop_assert_eq!(ends, effect.contains("it ends the game"));
        }
        for point in 0..rules.board().points() {
            let removed: Mask = 1 << point;
            let asked = Question::Removal(removed);
            let seen = inspect(&rules, &position.into(), Some(&asked));
            prop_assert_eq!(seen.legal, Some(false));
            let reason = seen.reason.unwrap();
            let takes = rules.turns(&position).iter().any(|turn| turn.removed & removed != 0);
            prop_assert_eq!(takes, reason.contains("belongs behind the turn"), "{}", reason);
        }
    }
}
