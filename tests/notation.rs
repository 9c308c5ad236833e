//! Text through the public readers and writers: what is written reads back the same, and no text
//! whatever makes a reader panic or give a position that breaks the rules.

use merels::notation::{self, GameRecord, GameResult, PointNames, Reading};
use merels::rules::{BoardKind, Color, Mask, NAMES, Position, Rules, points_of};
use proptest::prelude::*;

/// The named rule sets, and some under which a turn removes two men.
fn any_rules() -> impl Strategy<Value = Rules> {
    let mut names = NAMES.to_vec();
    names.extend(["nine+double-mill=two", "twelve+double-mill=two+protected=never"]);
    prop::sample::select(names).prop_map(|name| Rules::parse(name).unwrap())
}

fn rules_on_24_points() -> impl Strategy<Value = Rules> {
    any_rules().prop_filter("24 points", |rules| rules.board().kind() == BoardKind::TwentyFour)
}

/// Any position that passes its check, whether a game reaches it or not.
fn any_position(rules: &Rules) -> impl Strategy<Value = Position> + use<> {
    let men = rules.men();
    let points: Vec<u8> = (0..rules.board().points() as u8).collect();
    let side = prop_oneof![Just(Color::White), Just(Color::Black)];
    let count = 0..=men;
    (Just(points).prop_shuffle(), [count.clone(), count], any::<[u8; 2]>(), side).prop_map(
        move |(points, [white, black], hands, side)| {
            let mask = |points: &[u8]| points.iter().fold(0, |mask: Mask, point| mask | 1 << point);
            let (white, black) = (usize::from(white), usize::from(black));
            let men_masks = [mask(&points[..white]), mask(&points[white..white + black])];
            let in_hand = |color: usize| {
                let on_board = men_masks[color].count_ones() as u8;
                hands[color] % (men - on_board + 1)
            };
            Position { men: men_masks, hand: [in_hand(0), in_hand(1)], side }
        },
    )
}

fn with_position(rules: impl Strategy<Value = Rules>) -> impl Strategy<Value = (Rules, Position)> {
    rules.prop_flat_map(|rules| {
        let position = any_position(&rules);
        (Just(rules), position)
    })
}

/// A game of random legal turns from a random position.
fn any_game() -> impl Strategy<Value = (Rules, GameRecord)> {
    let results =
        [GameResult::WhiteWins, GameResult::BlackWins, GameResult::Draw, GameResult::Unknown];
    let choices = prop::collection::vec(any::<prop::sample::Index>(), 0..40);
    let value = "[ -~äß]{0,30}";
    (
        with_position(any_rules()),
        any::<bool>(),
        choices,
        prop::sample::select(results.to_vec()),
        value,
    )
        .prop_map(|((rules, position), from_start, choices, result, value)| {
            let start = if from_start { Position::start(&rules) } else { position };
            let mut record = GameRecord {
                tags: vec![("White".to_string(), value)],
                start,
                turns: vec![],
                result,
            };
            let mut position = start;
            for choice in choices {
                let legal = rules.turns(&position);
                if legal.is_empty() {
                    break;
                }
                let turn = *choice.get(&legal);
                position = rules.play(&position, &turn);
                record.turns.push(turn);
            }
            (rules, record)
        })
}

/// Malom's six integers, by arithmetic: its rings begin one point before ours.
fn malom_text(position: &Position, owed: u8) -> String {
    let bits = |men| points_of(men).fold(0u32, |bits, p| bits | 1 << (p / 8 * 8 + (p + 1) % 8));
    let [white, black] = position.men.map(bits);
    let [white_hand, black_hand] = position.hand;
    format!("{white} {black} {white_hand} {black_hand} {} {owed}", position.side as u8)
}

/// The movetext of a game as PlayOK numbers it, removals as words of their own or not.
fn playok_text(rules: &Rules, record: &GameRecord, apart: bool) -> String {
    let order: Vec<u8> = rules.board().rows().concat();
    let number = |point: u8| (order.iter().position(|&p| p == point).unwrap() + 1).to_string();
    let mut text = String::new();
    for turn in &record.turns {
        text += &turn.from.map_or(String::new(), |from| number(from) + "-");
        text += &number(turn.to);
        for man in points_of(turn.removed) {
            text += if apart { " x" } else { "x" };
            text += &number(man);
        }
        text.push('\n');
    }
    text
}

/// Every reader on one text; whatever they accept must obey the rules.
fn read_all(rules: &Rules, text: &str) {
    let readers = [
        notation::parse_sanmill(rules, text),
        notation::parse_malom(rules, text),
        notation::parse_position(rules, text).map(Reading::from),
        notation::read_position(rules, text),
    ];
    for result in readers {
        match result {
            Ok(reading) => {
                assert_eq!(reading.position.check(rules), Ok(()), "{text}");
                assert!(usize::from(reading.owed) <= rules.most_removals(), "{text}");
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    for names in [PointNames::Algebraic, PointNames::PlayOk] {
        match notation::parse_turn_as(rules, text, names) {
            Ok(turn) => {
                let men = turn.removed | 1 << turn.to | turn.from.map_or(0, |from| 1 << from);
                assert_eq!(men & !rules.board().all(), 0, "{text}");
                assert!(turn.removed.count_ones() <= 2, "{text}");
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    notation::rules_tag(text);
    for names in [None, Some(PointNames::PlayOk)] {
        match notation::parse_game(rules, text, names) {
            Ok(record) => {
                let mut position = record.start;
                for turn in &record.turns {
                    assert!(rules.turns(&position).contains(turn), "{text}");
                    position = rules.play(&position, turn);
                }
            }
            Err(error) => {
                let lines = text.matches('\n').count() + 1;
                assert!((1..=lines).contains(&error.line), "{text}");
            }
        }
    }
}

/// A valid text of some notation under `rules`.
fn any_valid_text() -> impl Strategy<Value = (Rules, String)> {
    (any_game(), 0..5usize).prop_map(|((rules, record), which)| {
        let text = match which {
            0 => notation::format_position(&rules, &record.start),
            1 => notation::format_sanmill(&rules, &record.start).unwrap_or_default(),
            2 => malom_text(&record.start, 1),
            3 => playok_text(&rules, &record, true),
            _ => notation::format_game(&rules, &record),
        };
        (rules, text)
    })
}

/// Letters that mean something in some notation, and some that do not.
const LETTERS: &str = "aAdDgG179x0-.WwBbO@*X/ {}[]\"\\\n\t+,é\u{0}";

/// Replaces, inserts or removes a letter.
fn mutated(text: &str, at: prop::sample::Index, letter: char, how: u8) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    let place = at.index(letters.len() + 1);
    match how {
        0 if place < letters.len() => letters[place] = letter,
        1 if place < letters.len() => drop(letters.remove(place)),
        2 => letters.truncate(place),
        _ => letters.insert(place, letter),
    }
    letters.into_iter().collect()
}

proptest! {
    #[test]
    fn test_positions_survive_our_text((rules, position) in with_position(any_rules())) {
        let text = notation::format_position(&rules, &position);
        prop_assert_eq!(notation::parse_position(&rules, &text), Ok(position));
        prop_assert_eq!(notation::read_position(&rules, &text), Ok(position.into()));
    }

    #[test]
    fn test_positions_survive_sanmill((rules, position) in with_position(rules_on_24_points())) {
        let text = notation::format_sanmill(&rules, &position).unwrap();
        prop_assert_eq!(notation::parse_sanmill(&rules, &text), Ok(position.into()));
        prop_assert_eq!(notation::read_position(&rules, &text), Ok(position.into()));
    }

    #[test]
    fn test_positions_are_read_from_malom(
        (rules, position) in with_position(rules_on_24_points()),
        owed in 0..=1u8,
    ) {
        let text = malom_text(&position, owed);
        let reading = Reading { position, owed };
        prop_assert_eq!(notation::parse_malom(&rules, &text), Ok(reading));
        prop_assert_eq!(notation::read_position(&rules, &text), Ok(reading));
    }

    #[test]
    fn test_drawings_show_every_man((rules, position) in with_position(any_rules())) {
        let drawing = notation::draw_board(&rules, &position);
        let count = |letter: char| drawing.matches(letter).count();
        prop_assert_eq!(count('W'), usize::from(position.on_board(Color::White)));
        prop_assert_eq!(count('B'), usize::from(position.on_board(Color::Black)));
        let empty = rules.board().points() - position.occupied().count_ones() as usize;
        prop_assert_eq!(count('.'), empty);
        prop_assert!(drawing.lines().all(|line| line == line.trim_end()));
    }

    #[test]
    fn test_legal_turns_survive_their_text((rules, position) in with_position(any_rules())) {
        let turns = rules.turns(&position);
        let mut texts: Vec<String> =
            turns.iter().map(|turn| notation::format_turn(&rules, turn)).collect();
        for (turn, text) in turns.iter().zip(&texts) {
            prop_assert_eq!(notation::parse_turn(&rules, text), Ok(*turn));
            let loud = format!(" {} ", text.to_uppercase());
            prop_assert_eq!(notation::parse_turn(&rules, &loud), Ok(*turn));
        }
        texts.sort_unstable();
        texts.dedup();
        prop_assert_eq!(texts.len(), turns.len());
    }

    #[test]
    fn test_games_survive_their_text((rules, record) in any_game(), remark in "[ -~\n]{0,40}") {
        let text = notation::format_game(&rules, &record);
        prop_assert_eq!(notation::rules_tag(&text), Some(rules.name().to_string()));
        prop_assert_eq!(&notation::parse_game(&rules, &text, None), &Ok(record.clone()));
        let comment = |index| (index % 3 == 1).then(|| remark.clone());
        let text = notation::format_annotated(&rules, &record, comment);
        prop_assert_eq!(&notation::parse_game(&rules, &text, None), &Ok(record));
    }

    #[test]
    fn test_games_of_playok_are_read((rules, record) in any_game(), apart: bool) {
        let start = notation::format_position(&rules, &record.start);
        let moves = playok_text(&rules, &record, apart);
        let text = format!("[Site \"PlayOK\"]\n[Position \"{start}\"]\n{moves}");
        let read = notation::parse_game(&rules, &text, None).unwrap();
        prop_assert_eq!(read.turns, record.turns);
    }

    #[test]
    fn test_any_bytes_give_a_value_or_an_error(
        rules in any_rules(),
        bytes in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        if let Ok(text) = notation::text_of_bytes(&bytes) {
            read_all(&rules, text);
        }
        read_all(&rules, &String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn test_any_text_gives_a_value_or_an_error(rules in any_rules(), text in any::<String>()) {
        read_all(&rules, &text);
    }

    #[test]
    fn test_any_words_of_known_letters_give_a_value_or_an_error(
        rules in any_rules(),
        letters in prop::collection::vec(prop::sample::select(LETTERS.chars().collect::<Vec<_>>()), 0..60),
    ) {
        read_all(&rules, &letters.into_iter().collect::<String>());
    }

    #[test]
    fn test_mutated_texts_give_a_value_or_an_error(
        (rules, text) in any_valid_text(),
        other in any_rules(),
        changes in prop::collection::vec(
            (any::<prop::sample::Index>(), prop::sample::select(LETTERS.chars().collect::<Vec<_>>()), 0..4u8),
            0..4,
        ),
    ) {
        let change = |text: String, (at, letter, how)| mutated(&text, at, letter, how);
        let text = changes.into_iter().fold(text, change);
        read_all(&rules, &text);
        read_all(&other, &text);
    }
}
