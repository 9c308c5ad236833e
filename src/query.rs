//! The exact value of any position, its turns ranked, and a best line, from a database.
//!
//! Everything that asks a database about single positions asks here, so that all answers agree. A
//! position need not have a table: a finished game is judged by the rules, and a position in which
//! the opponent has too few men by the one turn that still comes.
//! Invariant: the value of a position is that of its first ranked turn.
//!
//! Where a file tells outcomes only, [`Query::answer`] gives values without plies; all that needs
//! depths is refused.
//!
//! Turns are ranked by value for the player who makes them (wins, the shortest first; draws;
//! losses, the longest first), and turns of equal value as [`Rules::turns`] lists them.

use crate::export::is_derivable;
use crate::index::{Geometry, Layout, Subspace, Table};
use crate::notation::{Reading, TurnError};
use crate::notation::{format_reading, format_removals, format_turn, parse_removals, parse_turn};
use crate::rules::{Mask, Position, PositionError, Rules, Turn, Verdict};
use crate::storage::{self, Database, Metric, StorageError, UnitFile};
use crate::value::{Distance, Value};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

/// Answers questions about positions from one database; may be shared by threads.
#[derive(Debug)]
pub struct Query {
    database: Arc<Database>,
    geometry: Geometry,
}

/// What the player to move chooses: a turn, or only the removals of a turn already half played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Choice {
    /// A whole turn.
    Turn(Turn),
    /// The enemy men removed, as a set; empty when none may be.
    Removal(Mask),
}

/// A choice with its value for the player who makes it, plies from the position before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ranked {
    /// The turn or removal.
    pub choice: Choice,
    /// Its value.
    pub value: Value,
}

/// A value as far as files tell it.
#[derive(Clone, Debug)]
struct Known {
    value: Value,
    /// The file that tells no more than its outcome.
    without_depth: Option<Arc<UnitFile>>,
}

/// Everything about a position, as given out in JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// Name of the rules.
    pub rules: String,
    /// The position, in our notation.
    pub position: String,
    /// Removals the player to move owes; left out at a turn boundary.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub owed: u8,
    /// "win", "draw" or "loss" for the side to move.
    pub value: String,
    /// Depth; none for a draw, or without depths.
    pub plies: Option<u32>,
    /// "dtc" where plies count to the next mill; left out where they count to the end of the game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metric: Option<String>,
    /// Are depths known? Left out if they are; if not, there are no plies anywhere.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub depths: bool,
    /// The turns, best first; none when the game is over.
    pub turns: Vec<RatedTurn>,
    /// One best line, if it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<Vec<String>>,
}

/// A turn of an [`Answer`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RatedTurn {
    /// The turn in our notation; removals alone (`xa1`, or `none`) where they are owed.
    pub turn: String,
    /// "win", "draw" or "loss" for the side to move in the position asked about.
    pub value: String,
    /// Depth from that position; none for a draw, or without depths.
    pub plies: Option<u32>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// No position of these rules.
    #[error(transparent)]
    Position(#[from] PositionError),
    /// The text of a turn cannot be read.
    #[error("turn {number}: {source}")]
    Turn {
        /// Which of the turns given, from 1.
        number: usize,
        /// What is wrong with it.
        source: TurnError,
    },
    /// A turn that the rules do not allow.
    #[error("turn {number}, {turn}: {reason} ({position})")]
    Illegal {
        /// Which of the turns given, from 1.
        number: usize,
        /// The turn.
        turn: String,
        /// Why it is not legal.
        reason: String,
        /// The position it was to be played in.
        position: String,
    },
    /// A file is missing, damaged or foreign; a missing one is named with the command that makes it.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The database tells who wins but not in how many plies.
    #[error("{} stores win, draw or loss only, no depths", path.display())]
    OutcomesOnly {
        /// The file.
        path: PathBuf,
    },
}

impl QueryError {
    /// Is the table not there? Anything else is trouble with what is there or was asked.
    pub fn is_missing(&self) -> bool {
        matches!(self, QueryError::Storage(StorageError::NotSolved { .. }))
    }
}

impl Query {
    /// Questions to `database`, owned or shared.
    pub fn new(database: impl Into<Arc<Database>>) -> Query {
        let database = database.into();
        let geometry = Geometry::new(database.rules());
        Query { database, geometry }
    }

    /// The rules.
    pub fn rules(&self) -> &Rules {
        self.database.rules()
    }

    /// What the plies of its values count to.
    pub fn distance(&self) -> Distance {
        self.database.distance()
    }

    /// The value of a position for the side to move.
    ///
    /// # Errors
    /// The position breaks the rules' numbers, or its subspace is not solved, or without depths.
    pub fn value(&self, position: &Position) -> Result<Value, QueryError> {
        self.known(position)?.exact()
    }

    fn known(&self, position: &Position) -> Result<Known, QueryError> {
        position.check(self.rules())?;
        if let Some(outcome) = self.rules().outcome(position) {
            return Ok(Known::told_by_rules(match outcome.verdict {
                Verdict::Loses => Value::Loss(0),
                Verdict::Draws => Value::Draw,
            }));
        }
        if position.total(position.side.other()) < self.rules().least_men() {
            return Ok(Known::told_by_rules(first_value(&self.turns(position)?)));
        }
        match self.stored(position) {
            Err(missing) if missing.is_missing() && self.may_be_left_out(position) => {
                // What is missing a ply later was not asked for; any other trouble there is told.
                let by_turns = self.by_turns(position);
                by_turns.map_err(|later| if later.is_missing() { missing } else { later })
            }
            stored => stored,
        }
    }

    /// Is this a position whose turns all lead to tables a thin database keeps?
    fn may_be_left_out(&self, position: &Position) -> bool {
        is_derivable(self.rules(), Table::of(position))
    }

    /// The value of a position that is looked up one ply later.
    fn by_turns(&self, position: &Position) -> Result<Known, QueryError> {
        let choices = self.known_choices(&Reading::from(*position))?;
        let worth = |(choice, known): &(Choice, Known)| {
            self.distance().worth(choice.removes(), known.value)
        };
        let value = choices.iter().map(worth).max_by_key(|value| value.rank());
        // Where a turn comes without a depth, so does the best.
        let mut files = choices.into_iter().filter_map(|(_, known)| known.without_depth);
        Ok(Known { value: value.expect("the game is not over"), without_depth: files.next() })
    }

    /// The legal turns, best first, each with its value for the side to move in `position`; none
    /// when the game is over.
    ///
    /// # Errors
    /// As [`Query::value`], of the positions the turns lead to.
    pub fn turns(&self, position: &Position) -> Result<Vec<Ranked>, QueryError> {
        self.choices(&Reading::from(*position))
    }

    /// The same for any reading: where removals are owed, only they are left to choose.
    ///
    /// # Errors
    /// As [`Query::turns`].
    pub fn choices(&self, reading: &Reading) -> Result<Vec<Ranked>, QueryError> {
        let known = self.known_choices(reading)?;
        let exact = known.into_iter().map(|(choice, known)| {
            let value = self.distance().worth(choice.removes(), known.exact()?);
            Ok::<_, QueryError>(Ranked { choice, value })
        });
        Ok(ranked(exact.collect::<Result<_, _>>()?))
    }

    /// The legal choices as the rules list them, each with the value of the position it leads to.
    fn known_choices(&self, reading: &Reading) -> Result<Vec<(Choice, Known)>, QueryError> {
        reading.position.check(self.rules())?;
        let choices = legal(self.rules(), reading).into_iter();
        let known = choices.map(|choice| {
            let next = after(self.rules(), &reading.position, &choice);
            Ok((choice, self.known(&next)?))
        });
        known.collect()
    }

    /// The first choices of both sides from a reading on, at most `limit`. Ends when the plies are
    /// counted out, with the game or with the winner's removal, or when a position comes again, after
    /// which best play may go on for ever.
    ///
    /// # Errors
    /// As [`Query::turns`].
    pub fn best_line(&self, reading: &Reading, limit: usize) -> Result<Vec<Ranked>, QueryError> {
        let mut reading = *reading;
        let mut seen = HashSet::new();
        let mut line = Vec::new();
        while line.len() < limit && seen.insert(reading) {
            let Some(&best) = self.choices(&reading)?.first() else { break };
            // Not yet the end of the game where plies count to a mill: only removals are left.
            if best.value == Value::Loss(0) {
                break;
            }
            line.push(best);
            if best.value == Value::Win(1) {
                break;
            }
            reading = after(self.rules(), &reading.position, &best.choice).into();
        }
        Ok(line)
    }

    /// Plays turns given as text; where removals are owed, the first text is removals alone.
    ///
    /// # Errors
    /// The first turn that cannot be read or is not legal, with its number and the reason.
    pub fn play<S: AsRef<str>>(
        &self,
        reading: &Reading,
        turns: &[S],
    ) -> Result<Reading, QueryError> {
        let rules = self.rules();
        let mut reading = *reading;
        for (index, text) in turns.iter().enumerate() {
            let number = index + 1;
            let choice = Choice::read(rules, text.as_ref(), reading.owed > 0);
            let choice = choice.map_err(|source| QueryError::Turn { number, source })?;
            if let Some(reason) = why_not(rules, &reading, &choice) {
                let turn = choice.text(rules);
                let position = format_reading(rules, &reading);
                return Err(QueryError::Illegal { number, turn, reason, position });
            }
            reading = after(rules, &reading.position, &choice).into();
        }
        Ok(reading)
    }

    /// The value, the ranked turns and, if `line` gives a limit, a best line. If any of the values
    /// comes without a depth, all are given without; turns then rank as wins, draws and losses.
    ///
    /// # Errors
    /// As [`Query::turns`], but outcomes are refused only if a line is wanted.
    pub fn answer(&self, reading: &Reading, line: Option<usize>) -> Result<Answer, QueryError> {
        let rules = self.rules();
        // The position's own table is asked for first: if it is missing, so may be those it leads to,
        // and solving it solves them.
        let own = match reading.owed {
            0 => Some(self.known(&reading.position)?),
            _ => None,
        };
        let choices = self.known_choices(reading)?;
        let all = own.iter().chain(choices.iter().map(|(_, known)| known));
        let without_depth = all.filter_map(|known| known.without_depth.as_ref()).next();
        let depths = without_depth.is_none();
        if let (Some(file), Some(_)) = (without_depth, line) {
            return Err(QueryError::OutcomesOnly { path: file.path().to_path_buf() });
        }
        let told = |value: Value| if depths { value } else { value.outcome() };
        let rank = |(choice, known): &(Choice, Known)| Ranked {
            choice: *choice,
            value: told(self.distance().worth(choice.removes(), known.value)),
        };
        let ranked = ranked(choices.iter().map(rank).collect());
        let value = own.as_ref().map_or_else(|| first_value(&ranked), |own| told(own.value));
        let plies = |value: Value| value.plies().filter(|_| depths);
        let text = |ranked: &Ranked| ranked.choice.text(rules);
        let line = match line {
            Some(limit) => Some(self.best_line(reading, limit)?.iter().map(text).collect()),
            None => None,
        };
        let rated = |ranked: &Ranked| RatedTurn {
            turn: text(ranked),
            value: ranked.value.name().to_string(),
            plies: plies(ranked.value),
        };
        Ok(Answer {
            rules: rules.name().to_string(),
            position: format_reading(rules, reading),
            owed: reading.owed,
            value: value.name().to_string(),
            plies: plies(value),
            metric: (self.distance() != Distance::Win).then(|| self.distance().name().to_string()),
            depths,
            turns: ranked.iter().map(rated).collect(),
            line,
        })
    }

    fn stored(&self, position: &Position) -> Result<Known, QueryError> {
        let table = Table::of(position);
        // A unit's file may lack a table that the game does not reach from its start.
        let holds = |file: &Arc<UnitFile>| file.tables().iter().any(|info| info.table == table);
        let Some(file) = self.database.unit(table.unit())?.filter(holds) else {
            return Err(self.database.not_solved(subspace(position)).into());
        };
        let layout = Layout::new(&self.geometry, table);
        file.check_layout(table, storage::Layout::of(&layout))?;
        let value = file.value(table, layout.slot_of(position))?;
        Ok(Known {
            value,
            without_depth: Some(file).filter(|file| file.metric() == Metric::Outcome),
        })
    }
}

impl Known {
    /// What follows from the rules alone is always exact.
    fn told_by_rules(value: Value) -> Known {
        Known { value, without_depth: None }
    }

    fn exact(self) -> Result<Value, QueryError> {
        match self.without_depth {
            Some(file) => Err(QueryError::OutcomesOnly { path: file.path().to_path_buf() }),
            None => Ok(self.value),
        }
    }
}

impl Choice {
    /// In our notation; removals alone when they are all that is chosen, `none` for no removal.
    pub fn text(&self, rules: &Rules) -> String {
        match self {
            Choice::Turn(turn) => format_turn(rules, turn),
            Choice::Removal(removed) => format_removals(rules.board(), *removed),
        }
    }

    /// Does it take a man off the board?
    fn removes(&self) -> bool {
        match self {
            Choice::Turn(turn) => turn.removed != 0,
            Choice::Removal(removed) => *removed != 0,
        }
    }

    fn read(rules: &Rules, text: &str, owed: bool) -> Result<Choice, TurnError> {
        match owed {
            false => parse_turn(rules, text).map(Choice::Turn),
            true => parse_removals(rules, text).map(Choice::Removal),
        }
    }
}

/// All that the player to move may choose.
fn legal(rules: &Rules, reading: &Reading) -> Vec<Choice> {
    let Reading { position, owed } = reading;
    let mut choices = Vec::new();
    match owed {
        0 => rules.for_each_turn(position, &mut |turn| choices.push(Choice::Turn(turn))),
        _ => rules.for_removal_sets(position.enemy(), usize::from(*owed), &mut |removed| {
            choices.push(Choice::Removal(removed));
        }),
    }
    choices
}

/// The position a choice leads to.
fn after(rules: &Rules, position: &Position, choice: &Choice) -> Position {
    match choice {
        Choice::Turn(turn) => rules.play(position, turn),
        Choice::Removal(removed) => rules.play_removals(position, *removed),
    }
}

/// Why a choice is not legal, or `None` if it is.
fn why_not(rules: &Rules, reading: &Reading, choice: &Choice) -> Option<String> {
    match choice {
        Choice::Turn(turn) => rules.why_not(&reading.position, turn).map(|why| why.to_string()),
        Choice::Removal(_) if legal(rules, reading).contains(choice) => None,
        Choice::Removal(_) => Some("not a legal removal here".to_string()),
    }
}

/// Puts the best first.
fn ranked(mut choices: Vec<Ranked>) -> Vec<Ranked> {
    choices.sort_by_key(|ranked| (Reverse(ranked.value.rank()), ranked.choice));
    choices
}

/// The value of a position with these ranked choices, of which there is one at least.
fn first_value(ranked: &[Ranked]) -> Value {
    ranked.first().expect("the game is not over").value
}

/// The subspace as a person would name it, by the position's own colours.
fn subspace(position: &Position) -> Subspace {
    let [white, black] = position.men.map(|men| men.count_ones() as u8);
    let [white_hand, black_hand] = position.hand;
    Subspace { white, black, white_hand, black_hand }
}

fn yes() -> bool {
    true
}

fn is_yes(answer: &bool) -> bool {
    *answer
}

fn is_zero(number: &u8) -> bool {
    *number == 0
}
