//! Random rule sets and positions for properties that must hold for all of them.

use merels::rules::{Color, Mask, Position, Rules, points_of};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::collections::HashSet;

const OPTIONS: [&str; 14] = [
    "flying=at-three",
    "flying=at-three-total",
    "flying=never",
    "flying=always",
    "double-mill=one",
    "double-mill=two",
    "protected=unless-all",
    "protected=never",
    "protected=always",
    "no-move=draws",
    "full-board=loses",
    "place-or-move=yes",
    "line-wins=yes",
    "line-wins=no",
];

/// A named rule set with up to four options changed.
pub fn any_rules() -> impl Strategy<Value = Rules> {
    let names = select(merels::rules::NAMES.to_vec());
    let options = prop::collection::vec(select(OPTIONS.to_vec()), 0..5);
    (names, options).prop_map(|(name, mut options)| {
        // An option has one value.
        let mut seen = HashSet::new();
        options.retain(|option| seen.insert(option.split('=').next()));
        Rules::with_options(name, &options).unwrap()
    })
}

/// A position of `rules`, full of mills as often as not, reachable or not.
pub fn any_position(rules: &Rules) -> impl Strategy<Value = Position> + use<> {
    let (lines, all, most) = (rules.board().lines().to_vec(), rules.board().all(), rules.men());
    let line = || prop::collection::vec(select(lines.clone()), 0..3);
    let numbers = (0..=most, 0..=most, 0..=most, 0..=most);
    let seeds = (any::<Mask>(), any::<Mask>(), any::<Mask>());
    (line(), line(), seeds, numbers, any::<bool>()).prop_map(
        move |(white_lines, black_lines, (a, b, c), (w, b_most, wh, bh), white_first)| {
            let union = |lines: &[Mask]| lines.iter().fold(0, |men, line| men | line);
            let white = few(union(&white_lines) | a & b & all, w);
            let black = few((union(&black_lines) | c & !a & all) & !white, b_most);
            let hand = |men: Mask, wish: u8| wish.min(most - men.count_ones() as u8);
            let side = if white_first { Color::White } else { Color::Black };
            // Half of all positions with empty hands, so that moving is tried as well.
            let hand = if a & 1 == 0 { [0, 0] } else { [hand(white, wh), hand(black, bh)] };
            Position { men: [white, black], hand, side }
        },
    )
}

fn few(men: Mask, most: u8) -> Mask {
    points_of(men).take(usize::from(most)).fold(0, |kept, point| kept | 1 << point)
}

/// Every position of a game of at most `choices.len()` turns from the start, each turn picked by
/// a choice.
pub fn play_out(rules: &Rules, choices: &[Index]) -> Vec<Position> {
    let mut game = vec![Position::start(rules)];
    for choice in choices {
        let position = game[game.len() - 1];
        let turns = rules.turns(&position);
        if turns.is_empty() {
            break;
        }
        game.push(rules.play(&position, choice.get(&turns)));
    }
    game
}
