//! What a solve has to do: the units asked for, all they need, in an order in which every unit
//! comes after those it leads to.
//!
//! A removal lowers the number of men, a placement the number in hand, and a move changes neither:
//! so sorting by men in all (hand included), then by men in hand, is an order; only a table and its twin can need each
//! other. Invariant: a plan is closed: each turn from a table of it leads into it, or ends the game.

use super::links::{is_ended, links};
use crate::index::{MOST_MEN, Subspace, Table, Unit};
use crate::rules::{Color, Rules};
use std::collections::{BTreeMap, BTreeSet};

/// A unit to solve, with the tables of it that are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedUnit {
    /// The unit.
    pub unit: Unit,
    /// One or two of its tables, the unit's first one first.
    pub tables: Vec<Table>,
}

/// Why a subspace cannot be solved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SubspaceError {
    /// More men than the rules give.
    #[error("subspace {subspace}: rules '{rules}' give each player {men} men, not {total}")]
    TooManyMen {
        /// The subspace asked for.
        subspace: Subspace,
        /// Name of the rules.
        rules: String,
        /// Men per player.
        men: u8,
        /// Men asked for.
        total: u32,
    },
    /// More men than the board has points.
    #[error("subspace {subspace}: {men} men do not fit on {points} points")]
    Full {
        /// The subspace asked for.
        subspace: Subspace,
        /// Men on the board.
        men: u32,
        /// Points of the board.
        points: usize,
    },
    /// A player has too few men to go on.
    #[error(
        "subspace {0}: a player with fewer than 3 men, hand included, has lost; there is nothing to solve"
    )]
    Ended(Subspace),
}

/// Checks that `subspace` has positions to solve under `rules`.
///
/// # Errors
/// Names the reason.
pub fn check_subspace(rules: &Rules, subspace: Subspace) -> Result<(), SubspaceError> {
    let Subspace { white, black, white_hand, black_hand } = subspace;
    let totals = [(white, white_hand), (black, black_hand)]
        .map(|(men, hand)| u32::from(men) + u32::from(hand));
    let men = rules.men();
    debug_assert!(usize::from(men) <= MOST_MEN);
    if let Some(&total) = totals.iter().find(|total| **total > u32::from(men)) {
        let rules = rules.name().to_string();
        return Err(SubspaceError::TooManyMen { subspace, rules, men, total });
    }
    let (on_board, points) = (u32::from(white) + u32::from(black), rules.board().points());
    if on_board > points as u32 {
        return Err(SubspaceError::Full { subspace, men: on_board, points });
    }
    if totals.iter().any(|&total| total < u32::from(rules.least_men())) {
        return Err(SubspaceError::Ended(subspace));
    }
    Ok(())
}

/// The table of the empty board.
pub fn start_table(rules: &Rules) -> Table {
    Table { own: 0, enemy: 0, own_hand: rules.men(), enemy_hand: rules.men() }
}

/// The units of the whole game from the empty board, in order.
pub fn plan_game(rules: &Rules) -> Vec<PlannedUnit> {
    plan(rules, [start_table(rules)])
}

/// The units of the whole game without men in hand, in order.
pub fn plan_moving(rules: &Rules) -> Vec<PlannedUnit> {
    without_hands(plan_game(rules))
}

/// The units of all games from an empty board with at most `most` men in either hand, in order. Where
/// the rules give fewer men, or end the game at once, there is nothing to add.
pub fn plan_extended(rules: &Rules, most: u8) -> Vec<PlannedUnit> {
    plan(rules, empty_boards(rules, most))
}

/// The tables of the empty board with those hands that are worth solving. Either player may move first:
/// hands exchanged are colours exchanged.
fn empty_boards(rules: &Rules, most: u8) -> impl Iterator<Item = Table> {
    let hands = (0..=most).flat_map(move |white| (0..=most).map(move |black| (white, black)));
    let boards = hands.map(|(white_hand, black_hand)| Subspace {
        white: 0,
        black: 0,
        white_hand,
        black_hand,
    });
    let exists = move |board: &Subspace| check_subspace(rules, *board).is_ok();
    boards.filter(exists).map(|board| board.table(Color::White))
}

/// The units of a plan that have no men in hand. They need no others.
pub fn without_hands(plan: Vec<PlannedUnit>) -> Vec<PlannedUnit> {
    plan.into_iter().filter(|planned| planned.unit.first().hands() == 0).collect()
}

/// The units of `subspaces`, either side to move, and of all they need, in order.
///
/// # Errors
/// As [`check_subspace`].
pub fn plan_subspaces(
    rules: &Rules,
    subspaces: &[Subspace],
) -> Result<Vec<PlannedUnit>, SubspaceError> {
    for &subspace in subspaces {
        check_subspace(rules, subspace)?;
    }
    let sides = |s: &Subspace| [s.table(Color::White), s.table(Color::Black)];
    Ok(plan(rules, subspaces.iter().flat_map(sides)))
}

/// A plan and what is solved along with it, and all that these need, in order.
pub fn with_needs(rules: &Rules, plan: &[PlannedUnit], along: &[PlannedUnit]) -> Vec<PlannedUnit> {
    let units = plan.iter().chain(along);
    self::plan(rules, units.flat_map(|planned| planned.tables.iter().copied()))
}

/// The closure of `tables` under turns, as units in order.
pub fn plan(rules: &Rules, tables: impl IntoIterator<Item = Table>) -> Vec<PlannedUnit> {
    let mut open: Vec<Table> = tables.into_iter().collect();
    let mut wanted = BTreeSet::new();
    while let Some(table) = open.pop() {
        if !is_ended(rules, table) && wanted.insert(table) {
            open.extend(links(rules, table).tables());
        }
    }
    let mut units: BTreeMap<(u8, u8, Unit), Vec<Table>> = BTreeMap::new();
    for table in wanted {
        let men = table.own_total() + table.enemy_total();
        units.entry((men, table.hands(), table.unit())).or_default().push(table);
    }
    let planned = units.into_iter().map(|((_, _, unit), mut tables)| {
        tables.sort_by_key(|table| *table != unit.first());
        PlannedUnit { unit, tables }
    });
    planned.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(name: &str) -> Rules {
        Rules::named(name).unwrap()
    }

    #[test]
    fn test_nine_has_28_moving_units_and_49_tables() {
        let moving = plan_moving(&rules("nine"));
        assert_eq!(moving.len(), 28);
        assert_eq!(moving.iter().map(|planned| planned.tables.len()).sum::<usize>(), 49);
    }

    #[test]
    fn test_plans_are_closed_and_ordered() {
        for name in ["nine", "six", "three", "lasker", "twelve"] {
            let rules = rules(name);
            let mut solved = BTreeSet::new();
            let plans = [plan_game(&rules), plan_extended(&rules, rules.men())];
            for planned in plans.into_iter().flatten() {
                solved.extend(planned.tables.iter().copied());
                for &table in &planned.tables {
                    let needs = links(&rules, table).tables().collect::<Vec<_>>();
                    assert!(needs.iter().all(|t| solved.contains(t)), "{name} {table}");
                }
            }
        }
    }

    #[test]
    fn test_placing_tables_of_nine_by_ply() {
        // The plan looks at numbers of men, not at mills, so it holds a few small tables more than
        // can arise.
        let game = plan_game(&rules("nine"));
        let tables: Vec<Table> = game.iter().flat_map(|p| p.tables.iter().copied()).collect();
        let with_hands = |hands| tables.iter().filter(|t| t.hands() == hands).count();
        let by_ply: Vec<usize> = (0..=18).map(|ply| with_hands(18 - ply)).collect();
        let expected = [1, 1, 1, 1, 1, 2, 3, 5, 7, 10, 13, 17, 21, 26, 31, 37, 43, 49, 49];
        assert_eq!(by_ply, expected);
        let alternate = tables.iter().filter(|t| t.hands() > 0);
        assert!(alternate.clone().all(|t| t.own_hand.wrapping_sub(t.enemy_hand) <= 1));
    }

    #[test]
    fn test_an_extended_plan_has_every_start_and_the_ordinary_game() {
        let rules = rules("nine");
        let tables = |plan: Vec<PlannedUnit>| -> BTreeSet<Table> {
            plan.into_iter().flat_map(|planned| planned.tables).collect()
        };
        let board = |own_hand, enemy_hand| Table { own: 0, enemy: 0, own_hand, enemy_hand };
        let all = tables(plan_extended(&rules, 9));
        assert!(all.is_superset(&tables(plan_game(&rules))));
        let some = tables(plan_extended(&rules, 6));
        assert!(all.is_superset(&some));
        for (white, black) in (0..=10).flat_map(|white| (0..=10).map(move |b| (white, b))) {
            let within = |most| (3..=most).contains(&white) && (3..=most).contains(&black);
            assert_eq!(some.contains(&board(white, black)), within(6), "{white} {black}");
            assert_eq!(all.contains(&board(white, black)), within(9), "{white} {black}");
        }
        assert_eq!(all, tables(plan_extended(&rules, 99)), "the rules give no more men");
        assert_eq!(plan_extended(&rules, 2), []);
        let most = |tables: &BTreeSet<Table>| tables.iter().map(|t| t.own_total()).max();
        assert_eq!((most(&some), most(&all)), (Some(6), Some(9)));
    }

    #[test]
    fn test_subspaces_that_do_not_exist_are_named() {
        let message = |text: &str| {
            check_subspace(&rules("nine"), text.parse().unwrap()).unwrap_err().to_string()
        };
        assert!(message("10-3").contains("give each player 9 men, not 10"));
        assert!(message("8-3+2+0").contains("give each player 9 men, not 10"));
        assert!(message("3-2").contains("fewer than 3 men"));
    }
}
