//! Each rule option on scaled-down games: every slot of every table, depths included, against the plain
//! forward solver, which shares nothing with the engine but the rules.
//!
//! Few numbers are published for other rules than nine's, so this is where the engine's answers come to
//! rest on something else than itself. Games are whole games with few men, or late ones: all positions
//! with some numbers of men, and all that follows from them. A first removal ends a game with three men
//! each, so there are four or more.
//! Invariant: no comparison is vacuous. Every slot is compared; each option changes the value of some
//! position, and each late game ends in the ways it is there for.

mod common;

use common::forward::{ForwardSolution, class_positions_of};
use common::grid::CHOICES;
use common::solved::Solved;
use merels::index::{Geometry, Subspace};
use merels::rules::{Ending, Rules};
use merels::solve::{PlannedUnit, plan_game, plan_subspaces};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use std::collections::HashMap;
use std::ops::RangeInclusive;

/// A scaled-down game.
struct Game {
    name: &'static str,
    options: &'static [&'static str],
    /// The subspaces it begins with; none for the empty board.
    starts: &'static [&'static str],
}

impl Game {
    /// Its rules, with one option of another value.
    fn rules(&self, change: &str) -> Rules {
        let key = |option: &str| option.split('=').next().map(str::to_string);
        let kept = self.options.iter().copied().filter(|option| key(option) != key(change));
        let options: Vec<&str> =
            kept.chain([change].into_iter().filter(|c| !c.is_empty())).collect();
        Rules::with_options(self.name, &options).unwrap()
    }

    fn plan(&self, rules: &Rules) -> Vec<PlannedUnit> {
        match self.starts {
            [] => plan_game(rules),
            names => {
                let subspaces: Vec<Subspace> = names.iter().map(|s| s.parse().unwrap()).collect();
                plan_subspaces(rules, &subspaces).unwrap()
            }
        }
    }

    /// Compares the game with one change, or none.
    fn compare(&self, change: &str) -> ForwardSolution {
        let rules = self.rules(change);
        compare_all(&rules, &self.plan(&rules))
    }

    /// Compares the game as it is, and with each change, which must change some value.
    fn check(&self, changes: &[&str]) -> ForwardSolution {
        let before = self.compare("");
        for change in changes {
            let differing = self.compare(change).differing(&before);
            println!("    {differing} classes have another value for {change}");
            assert!(differing > 0, "{}: {change} changes nothing", self.rules(""));
        }
        before
    }
}

/// Solves a plan, and all of its positions plainly; every slot must hold what the plain solver found.
fn compare_all(rules: &Rules, plan: &[PlannedUnit]) -> ForwardSolution {
    let geometry = Geometry::new(rules);
    let solved = Solved::<u8>::of_plan(rules, &geometry, plan);
    let starts = plan.iter().flat_map(|planned| &planned.tables).flat_map(|table| {
        class_positions_of(rules, table.own, table.enemy, table.own_hand, table.enemy_hand)
    });
    let plain = ForwardSolution::solve_classes(rules, starts);
    assert_eq!(solved.check_forward(&plain) as u64, solved.slots(), "{rules}");
    println!("{rules}: {} slots, {} classes", solved.slots(), plain.iter().count());
    plain
}

/// How many classes end in which way.
fn endings(rules: &Rules, plain: &ForwardSolution) -> HashMap<Ending, usize> {
    let mut endings = HashMap::new();
    let ended = plain.iter().filter_map(|(position, _)| rules.outcome(&position));
    ended.for_each(|outcome| *endings.entry(outcome.ending).or_default() += 1);
    endings
}

/// The game reaches positions that end so.
fn assert_ends(rules: &Rules, plain: &ForwardSolution, wanted: &[Ending]) {
    let endings = endings(rules, plain);
    println!("    {endings:?}");
    wanted.iter().for_each(|ending| assert!(endings.contains_key(ending), "{rules}: {ending:?}"));
}

/// Changes to a game of sliding men. Left out are `double-mill`, because closing two mills at once takes
/// five men, and `full-board`; they have games of their own.
const CHANGES: [&str; 7] = [
    "flying=at-three",
    "flying=always",
    "protected=never",
    "protected=always",
    "no-move=draws",
    "place-or-move=yes",
    "line-wins=yes",
];

/// Where men may move while others are in hand, it may matter whether three in all fly. It does on nine
/// points; with four men on sixteen it changes no value.
const BOTH_HANDS: [&str; 2] = ["place-or-move=yes", "flying=at-three"];

#[test]
fn test_each_option_on_nine_points() {
    let game = |options| Game { name: "three", options, starts: &[] };
    let sliding = game(&["men=4", "line-wins=no"]);
    let plain = sliding.check(&CHANGES);
    assert_ends(&sliding.rules(""), &plain, &[Ending::NoTurn, Ending::FewMen]);
    sliding.check(&["diagonals=no"]);
    game(&["men=4", "diagonals=no", "line-wins=no"]).check(&CHANGES);
    game(&["men=4"]).check(&["flying=always", "no-move=draws", "place-or-move=yes"]);
    let both = game(&["men=4", "line-wins=no", BOTH_HANDS[0], BOTH_HANDS[1]]);
    both.check(&["flying=at-three-total", "protected=always", "no-move=draws"]);
}

#[test]
fn test_each_option_on_sixteen_points_with_four_men() {
    let sliding = Game { name: "six", options: &["men=4"], starts: &[] };
    let plain = sliding.check(&CHANGES);
    assert_ends(&sliding.rules(""), &plain, &[Ending::NoTurn, Ending::FewMen]);
    let both = &["men=4", BOTH_HANDS[0], BOTH_HANDS[1]];
    Game { name: "six", options: both, starts: &[] }.compare("flying=at-three-total");
}

/// Five men can close two mills at once: in placing, or in flying.
#[test]
fn test_two_mills_at_once_on_sixteen_points() {
    for options in [&["men=5"][..], &["men=5", "flying=always", "protected=never"]] {
        Game { name: "six", options, starts: &[] }.check(&["double-mill=two"]);
    }
}

/// Eight men each fill the board, if the last placements close no mill.
const FULL_SIXTEEN: Game = Game { name: "six", options: &["men=8"], starts: &["7-7+1+1"] };

#[test]
fn test_a_full_board_of_sixteen_points() {
    let plain = FULL_SIXTEEN.check(&["full-board=loses"]);
    assert_ends(&FULL_SIXTEEN.rules(""), &plain, &[Ending::FullBoard, Ending::NoTurn]);
}

#[test]
fn test_four_against_three_on_twenty_four_points() {
    Game { name: "nine", options: &["men=4"], starts: &["4-3"] }.check(&["diagonals=yes"]);
}

/// A game of any rules on some board that is neither large nor over soon.
fn any_game(
    name: &'static str,
    men: RangeInclusive<u8>,
    classes: RangeInclusive<u64>,
) -> impl Strategy<Value = (Rules, Subspace)> {
    let options = CHOICES.map(select).to_vec();
    let numbers = (0..=8u8, 0..=8u8, 0..=8u8, 0..=8u8);
    (men, options, numbers).prop_filter_map(
        "impossible, large, or small",
        move |(men, options, (white, black, white_hand, black_hand))| {
            let men = format!("men={men}");
            let options: Vec<&str> = options.into_iter().chain([&men[..]]).collect();
            let rules = Rules::with_options(name, &options).ok()?;
            let subspace = Subspace { white, black, white_hand, black_hand };
            let plan = plan_subspaces(&rules, &[subspace]).ok()?;
            classes.contains(&classes_of(&rules, &plan)).then_some((rules, subspace))
        },
    )
}

/// The classes of a plan, about.
fn classes_of(rules: &Rules, plan: &[PlannedUnit]) -> u64 {
    let points = rules.board().points() as u64;
    let choose = |n: u64, k: u64| (0..k).fold(1, |product, i| product * (n - i) / (i + 1));
    let tables = plan.iter().flat_map(|planned| &planned.tables);
    let positions = tables.map(|table| {
        let (own, enemy) = (u64::from(table.own), u64::from(table.enemy));
        choose(points, enemy) * choose(points - enemy, own)
    });
    positions.sum::<u64>() / if points == 9 { 8 } else { 16 }
}

/// The same games in every run.
fn check_random_games(cases: u32, games: impl Strategy<Value = (Rules, Subspace)>) {
    let config = Config {
        cases,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        max_local_rejects: u32::MAX,
        max_shrink_iters: 50,
        ..Config::default()
    };
    let outcome = TestRunner::new(config).run(&games, |(rules, subspace)| {
        print!("{subspace} ");
        compare_all(&rules, &plan_subspaces(&rules, &[subspace]).unwrap());
        Ok(())
    });
    outcome.unwrap();
}

#[test]
fn test_random_games() {
    check_random_games(20, any_game("three", 3..=4, 500..=10_000));
    check_random_games(10, any_game("six", 4..=8, 20_000..=300_000));
}

#[test]
#[ignore = "two and a half minutes of CPU, 1.1 GB: cargo test --release --test options many_random -- --ignored"]
fn test_many_random_games() {
    check_random_games(300, any_game("three", 3..=4, 500..=10_000));
    check_random_games(100, any_game("six", 4..=8, 20_000..=1_500_000));
    check_random_games(30, any_game("nine", 3..=4, 100_000..=2_000_000));
}

#[test]
#[ignore = "19 seconds of CPU, 360 MB: cargo test --release --test options with_five_men -- --ignored"]
fn test_each_option_on_sixteen_points_with_five_men() {
    let game = |options| Game { name: "six", options, starts: &[] };
    game(&["men=5"]).check(&CHANGES);
    let both = game(&["men=5", BOTH_HANDS[0], BOTH_HANDS[1]]);
    both.check(&["double-mill=two"]);
    both.compare("flying=at-three-total");
}

#[test]
#[ignore = "one minute of CPU, 1.2 GB: cargo test --release --test options full_boards -- --ignored"]
fn test_each_option_towards_full_boards() {
    FULL_SIXTEEN.check(&["double-mill=two"]);
    FULL_SIXTEEN.check(&CHANGES);
    // A full board comes before the want of a turn, whatever that means.
    let draws = Game { options: &["men=8", "no-move=draws"], ..FULL_SIXTEEN };
    draws.check(&["full-board=loses"]);
    let lines = Game { options: &["men=8", "line-wins=yes"], ..FULL_SIXTEEN };
    let plain = lines.check(&["full-board=loses"]);
    assert_ends(&lines.rules(""), &plain, &[Ending::FullBoard, Ending::OpponentLine]);
}

/// Lines that win spare the games with fewer men, which are too many here.
#[test]
#[ignore = "70 seconds of CPU, 620 MB: cargo test --release --test options board_of_twenty_four -- --ignored"]
fn test_a_full_board_of_twenty_four_points() {
    for name in ["nine", "twelve"] {
        let options = &["men=12", "line-wins=yes"];
        let game = Game { name, options, starts: &["12-11+0+1"] };
        let plain = game.check(&["full-board=loses", "no-move=draws"]);
        assert_ends(&game.rules(""), &plain, &[Ending::FullBoard, Ending::OpponentLine]);
    }
}

#[test]
#[ignore = "four minutes of CPU, 2.1 GB: cargo test --release --test options twenty_four_points_with -- --ignored"]
fn test_each_option_on_twenty_four_points_with_four_men() {
    let game = |name, options| Game { name, options, starts: &[] };
    // Where three fly, nobody is blocked, and to break a mill of four men helps nobody.
    let sliding = game("nine", &["men=4", "flying=never"]);
    let but_flying = CHANGES.iter().copied().filter(|change| *change != "flying=always");
    let plain = sliding.check(&but_flying.collect::<Vec<_>>());
    assert_ends(&sliding.rules(""), &plain, &[Ending::NoTurn, Ending::FewMen]);
    game("nine", &["men=4", BOTH_HANDS[0], BOTH_HANDS[1]]).compare("flying=at-three-total");
    game("twelve", &["men=4"]).check(&["diagonals=no", "protected=always", "place-or-move=yes"]);
    // Four against four that all fly take more than 3 GB.
    Game { starts: &["4-3"], ..sliding }.check(&["flying=always"]);
}
