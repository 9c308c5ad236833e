//! The value of the game by Gasser's own route: a search over the placing phase whose leaves are
//! looked up in the tables of the moving phase alone.
//!
//! Independent of the solver's placing phase, which it therefore checks. Two questions decide:
//! can the first player win, and can it at least draw? Invariant: no table with men in hand is
//! opened, and all that may be needed are there before the search begins.

use super::outcomes::Outcomes;
use super::search::{Search, Work};
use super::transposition::{Target, Transpositions};
use crate::index::{Geometry, Subspace};
use crate::rules::{Position, Rules};
use crate::solve::{cpu_time, plan_moving};
use crate::storage::{Database, StorageError};
use serde::Serialize;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// A search to be run.
#[derive(Clone, Copy, Debug)]
pub struct OpeningSearch<'a> {
    database: &'a Database,
    geometry: &'a Geometry,
    memory: u64,
}

/// One of the two questions, answered.
#[derive(Clone, Debug, Serialize)]
pub struct Question {
    /// The question.
    pub question: &'static str,
    /// The answer.
    pub yes: bool,
    /// Positions searched.
    pub nodes: u64,
    /// Positions looked up in the tables of the moving phase.
    pub probes: u64,
    /// Wall time.
    pub seconds: f64,
    /// Time of all threads; none where the system does not tell.
    pub cpu_seconds: Option<f64>,
}

/// What a search found.
#[derive(Clone, Debug, Serialize)]
pub struct OpeningReport {
    /// "win", "draw" or "loss" for the player who begins.
    pub value: &'static str,
    /// Can White win; can White at least draw (asked only if not)?
    pub questions: Vec<Question>,
    /// Tables of the moving phase that were needed.
    pub tables: usize,
    /// Their bytes in memory.
    pub table_bytes: u64,
    /// Bytes of the table of transpositions.
    pub transposition_bytes: u64,
}

/// Why there is no search.
#[derive(Debug, thiserror::Error)]
pub enum OpeningError {
    /// A file is damaged or foreign.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// Tables that may be needed are not there.
    #[error(
        "the opening search needs the whole moving phase of rules '{rules}', not solved are {}: run `merels solve --phase moving --rules {rules}`",
        missing.iter().map(Subspace::to_string).collect::<Vec<_>>().join(", ")
    )]
    NotSolved {
        /// The rules.
        rules: String,
        /// The subspaces.
        missing: Vec<Subspace>,
    },
    /// Placing and moving are not two phases.
    #[error(
        "rules '{0}' let men move while others are in hand: there is no opening to search apart"
    )]
    OnePhase(String),
    /// Too little memory.
    #[error(
        "the opening search of rules '{rules}' needs {needed} bytes of memory, {allowed} are allowed: raise --memory"
    )]
    Memory {
        /// The rules.
        rules: String,
        /// Bytes needed.
        needed: u64,
        /// Bytes allowed.
        allowed: u64,
    },
}

impl<'a> OpeningSearch<'a> {
    /// A search that holds at most `memory` bytes in tables.
    ///
    /// # Errors
    /// Tables are missing, memory is too small, or the rules know no placing phase.
    pub fn new(
        database: &'a Database,
        geometry: &'a Geometry,
        memory: u64,
    ) -> Result<OpeningSearch<'a>, OpeningError> {
        let rules = database.rules();
        let name = || rules.name().to_string();
        if rules.place_or_move() {
            return Err(OpeningError::OnePhase(name()));
        }
        let missing = missing_units(database, rules);
        if !missing.is_empty() {
            return Err(OpeningError::NotSolved { rules: name(), missing });
        }
        let least = Transpositions::ENTRIES.0 * Transpositions::ENTRY_BYTES;
        let needed = Outcomes::bytes_needed(rules, geometry) + least;
        if memory < needed {
            return Err(OpeningError::Memory { rules: name(), needed, allowed: memory });
        }
        Ok(OpeningSearch { database, geometry, memory })
    }

    /// Searches with the threads of the current pool.
    ///
    /// # Errors
    /// A table cannot be read.
    pub fn run(&self) -> Result<OpeningReport, OpeningError> {
        let outcomes = Outcomes::new(self.database, self.geometry);
        let for_tables = Outcomes::bytes_needed(self.database.rules(), self.geometry);
        let transpositions = Transpositions::new(self.memory - for_tables);
        let questions = self.ask_both(&outcomes, &transpositions);
        let (tables, table_bytes) = outcomes.read_so_far();
        if let Some(error) = outcomes.into_error() {
            return Err(error.into());
        }
        let value = match questions.iter().map(|question| question.yes).collect::<Vec<_>>()[..] {
            [true] => "win",
            [false, true] => "draw",
            _ => "loss",
        };
        let transposition_bytes = transpositions.bytes();
        Ok(OpeningReport { value, questions, tables, table_bytes, transposition_bytes })
    }

    fn ask_both(&self, outcomes: &Outcomes, transpositions: &Transpositions) -> Vec<Question> {
        let mut questions = Vec::new();
        let asked = [("can White win?", Target::Win), ("can White at least draw?", Target::Draw)];
        for (text, target) in asked {
            let search = Search {
                rules: self.database.rules(),
                geometry: self.geometry,
                outcomes,
                transpositions,
                work: Work::default(),
            };
            let Some(question) = ask(&search, text, target) else { break };
            let is_answer = question.yes;
            questions.push(question);
            if is_answer {
                break;
            }
        }
        questions
    }
}

/// Asks one question of the empty board; none if a table cannot be read.
fn ask(search: &Search, question: &'static str, target: Target) -> Option<Question> {
    let (started, cpu) = (Instant::now(), cpu_time());
    let yes = search.reaches(&Position::start(search.rules), target)?;
    let cpu_seconds = cpu_time().zip(cpu).map(|(now, then)| (now - then).as_secs_f64());
    Some(Question {
        question,
        yes,
        nodes: search.work.nodes.load(Ordering::Relaxed),
        probes: search.work.probes.load(Ordering::Relaxed),
        seconds: started.elapsed().as_secs_f64(),
        cpu_seconds,
    })
}

/// Units of the moving phase that are not there.
fn missing_units(database: &Database, rules: &Rules) -> Vec<Subspace> {
    let units = plan_moving(rules).into_iter().map(|planned| planned.unit);
    units.filter(|unit| !database.holds(*unit)).map(|unit| unit.subspace()).collect()
}
