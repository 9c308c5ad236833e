//! Options every command takes, and what they stand for once they are understood.
//!
//! Invariant: a [`Context`] exists only for rules that are valid; nothing on disk has been touched
//! to make it.

use super::error::CliError;
use super::output::{self, Output};
use super::{Answer, Outcome};
use crate::index::{Subspace, Unit};
use crate::notation::{Reading, format_position, read_position};
use crate::rules::{Position, Rules};
use crate::solve::{self, PlannedUnit};
use crate::storage::{Database, StorageError};
use crate::value::Distance;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// The heading that keeps these options apart from a command's own.
pub const HEADING: &str = "Global options, before or after the command";

/// Options of every command.
#[derive(Args)]
pub struct Globals {
    /// Directory of the databases
    #[arg(long, value_name = "DIR", env = "MERELS_DB", default_value = "merels-db")]
    #[arg(global = true, help_heading = HEADING)]
    db: PathBuf,
    /// Rule set: nine, six, three, ..., or a canonical name such as six+men=4
    #[arg(long, value_name = "ID", default_value = "nine")]
    #[arg(global = true, help_heading = HEADING)]
    rules: String,
    /// Threads to work with; one per processor by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    #[arg(global = true, help_heading = HEADING, allow_negative_numbers = true)]
    threads: Option<u16>,
    /// Answer in JSON on stdout
    #[arg(long, global = true, help_heading = HEADING)]
    json: bool,
    /// Print nothing but what was asked for
    #[arg(short, long, global = true, help_heading = HEADING, conflicts_with = "verbose")]
    quiet: bool,
    /// Say on stderr what is being done
    #[arg(short, long, global = true, help_heading = HEADING)]
    verbose: bool,
}

/// Takes the text of a position as it is, negative numbers and all, but no mistyped option.
///
/// # Errors
/// The text looks like an option.
pub fn position_text(text: &str) -> Result<String, String> {
    match text.strip_prefix('-') {
        Some(rest) if !rest.starts_with(|c: char| c.is_ascii_digit()) => {
            Err("neither an option nor a position".to_string())
        }
        _ => Ok(text.to_string()),
    }
}

/// What a command works with.
pub struct Context {
    /// The rules.
    pub rules: Rules,
    /// The directory of the databases.
    pub root: PathBuf,
    /// Is the answer JSON?
    pub json: bool,
    /// Is everything but the answer left out?
    pub quiet: bool,
    /// Are steps told on stderr?
    pub verbose: bool,
    /// Where answers go.
    pub output: Output,
    threads: Option<u16>,
}

/// The part of a game to plan, solve or verify.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Phase {
    /// The whole game
    #[default]
    All,
    /// Only positions without men in hand
    Moving,
}

/// The arguments that choose what is planned or solved.
#[derive(Args)]
pub struct Selection {
    /// Subspaces W-B or W-B+w+b, with all they need; none: the whole game
    #[arg(value_name = "SUBSPACE")]
    subspaces: Vec<String>,
    /// Part of the game to choose
    #[arg(long, value_enum, default_value_t)]
    phase: Phase,
    /// The games from an empty board with any men in hand, at most N a player, either side to begin;
    /// without N as many as the rules give
    #[arg(long, value_name = "N", value_parser = parse_men, conflicts_with = "subspaces")]
    #[arg(num_args = 0..=1, require_equals = true)]
    extended: Option<Option<u8>>,
}

fn parse_men(text: &str) -> Result<u8, String> {
    text.parse().map_err(|_| "expected a number of men".to_string())
}

/// The option of commands that read or write depths.
#[derive(Args)]
pub struct MetricOption {
    /// What depths count to
    #[arg(long, value_enum, default_value_t)]
    metric: Metric,
}

/// A [`Distance`] as the command line names it.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Metric {
    /// The end of the game: depth to win
    #[default]
    Dtw,
    /// The winner's next removal of a man, or the end of the game: depth to conversion
    Dtc,
}

impl MetricOption {
    /// What was asked for.
    pub fn distance(&self) -> Distance {
        match self.metric {
            Metric::Dtw => Distance::Win,
            Metric::Dtc => Distance::Conversion,
        }
    }
}

impl Globals {
    /// The context of a command, with `options` on top of the rule set.
    ///
    /// # Errors
    /// The rules are not understood.
    pub fn context(&self, options: &[String]) -> Result<Context, CliError> {
        let named = self.rules.split('+').map(str::to_string);
        let words: Vec<String> = named.chain(options.iter().cloned()).collect();
        let rules = Rules::with_options(&words[0], &words[1..])?;
        Ok(Context {
            rules,
            root: self.db.clone(),
            json: self.json,
            quiet: self.quiet,
            verbose: self.verbose,
            output: Output,
            threads: self.threads,
        })
    }
}

impl Context {
    /// Runs a command with the threads asked for.
    pub fn run(self, command: impl FnOnce(&Context) -> Outcome + Send) -> Outcome {
        self.tell(&format!(
            "merels {}: rules {} (fingerprint {:016x}), databases in {}, {} threads",
            env!("CARGO_PKG_VERSION"),
            self.rules.name(),
            self.rules.fingerprint(),
            self.root.display(),
            self.threads.map_or_else(rayon::current_num_threads, usize::from)
        ));
        if self.rules.quiet_limit().is_some() && !self.quiet {
            output::note("merels: note: quiet-limit changes no value: games without end are draws");
        }
        let Some(threads) = self.threads else { return command(&self) };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(usize::from(threads)).build();
        let pool = pool.map_err(|source| CliError::Threads { threads, source })?;
        pool.install(|| command(&self))
    }

    /// Says on stderr what is being done, if that is wanted.
    pub fn tell(&self, message: &str) {
        if self.verbose {
            output::note(message);
        }
    }

    /// The database, which must be there.
    ///
    /// # Errors
    /// As [`Database::open`].
    pub fn database(&self, distance: Distance) -> Result<Database, CliError> {
        Ok(Database::open_with(&self.root, &self.rules, distance)?)
    }

    /// The database, if one is there.
    ///
    /// # Errors
    /// The directory cannot be one.
    pub fn database_if_any(&self, distance: Distance) -> Result<Option<Database>, CliError> {
        match Database::open_with(&self.root, &self.rules, distance) {
            Ok(database) => Ok(Some(database)),
            Err(StorageError::NoDatabase { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The position a text stands for; `start` is the empty board.
    ///
    /// # Errors
    /// The text is no position of the rules.
    pub fn position(&self, text: &str) -> Result<Reading, CliError> {
        let start = Position::start(&self.rules);
        if text.trim() == "start" {
            return Ok(start.into());
        }
        read_position(&self.rules, text).map_err(|source| CliError::Position {
            source,
            rules: self.rules.name().to_string(),
            example: format_position(&self.rules, &start),
        })
    }

    /// The plan for what was chosen.
    ///
    /// # Errors
    /// A subspace does not exist, or does not belong to the phase, or no game begins with so many men.
    pub fn plan(&self, selection: &Selection) -> Result<Vec<PlannedUnit>, CliError> {
        let subspaces = parse_subspaces(&selection.subspaces)?;
        selection.phase.check(&subspaces)?;
        let plan = match selection.extended {
            Some(most) => solve::plan_extended(&self.rules, self.most_men(most)?),
            None if subspaces.is_empty() => solve::plan_game(&self.rules),
            None => solve::plan_subspaces(&self.rules, &subspaces)?,
        };
        let moving_only = selection.phase == Phase::Moving;
        Ok(if moving_only { solve::without_hands(plan) } else { plan })
    }

    /// The most men in hand that an extended plan begins with, as far as the rules go if none are given.
    fn most_men(&self, asked: Option<u8>) -> Result<u8, CliError> {
        let (least, most) = (self.rules.least_men(), self.rules.men());
        match asked {
            Some(asked) if !(least..=most).contains(&asked) => {
                let rules = self.rules.name().to_string();
                Err(CliError::StartingMen { asked, rules, least, most })
            }
            asked => Ok(asked.unwrap_or(most)),
        }
    }

    /// The units of the subspaces named; all that the database holds if none are.
    ///
    /// # Errors
    /// A subspace does not exist, or the database cannot be listed or is empty.
    pub fn units(&self, database: &Database, named: &[String]) -> Result<Vec<Unit>, CliError> {
        if named.is_empty() {
            let units: Vec<Unit> = database.units()?.iter().map(|stored| stored.unit).collect();
            if units.is_empty() {
                return Err(self.nothing_solved(Phase::All, database));
            }
            return Ok(units);
        }
        let mut units = Vec::new();
        for subspace in parse_subspaces(named)? {
            solve::check_subspace(&self.rules, subspace)?;
            if !units.contains(&subspace.unit()) {
                units.push(subspace.unit());
            }
        }
        Ok(units)
    }

    /// Those units of the subspaces named, or of all, that belong to a part of the game.
    ///
    /// # Errors
    /// As [`Context::units`], or a subspace named does not belong there.
    pub fn units_of(
        &self,
        phase: Phase,
        database: &Database,
        named: &[String],
    ) -> Result<Vec<Unit>, CliError> {
        let mut units = self.units(database, named)?;
        phase.check(&parse_subspaces(named)?)?;
        units.retain(|&unit| phase.holds(unit));
        match units.is_empty() {
            true => Err(self.nothing_solved(phase, database)),
            false => Ok(units),
        }
    }

    fn nothing_solved(&self, phase: Phase, database: &Database) -> CliError {
        let (rules, distance) = (self.rules.name().to_string(), database.distance());
        CliError::Empty { phase, rules, distance, root: self.root.clone() }
    }
}

impl Phase {
    /// Makes sure that subspaces belong to this part of the game.
    ///
    /// # Errors
    /// One does not.
    fn check(self, subspaces: &[Subspace]) -> Result<(), CliError> {
        let placing = |subspace: &&Subspace| (subspace.white_hand, subspace.black_hand) != (0, 0);
        match subspaces.iter().find(placing) {
            Some(subspace) if self == Phase::Moving => Err(CliError::NotMoving(*subspace)),
            _ => Ok(()),
        }
    }

    /// Does the unit belong to this part of the game?
    fn holds(self, unit: Unit) -> bool {
        self == Phase::All || unit.first().hands() == 0
    }

    /// The part, where it is not all, in front of the rules it belongs to.
    pub fn words(self) -> &'static str {
        match self {
            Phase::All => "",
            Phase::Moving => "the moving phase of ",
        }
    }

    /// The option that chooses it, where it is not all.
    pub fn option(self) -> &'static str {
        match self {
            Phase::All => "",
            Phase::Moving => " --phase moving",
        }
    }
}

fn parse_subspaces(named: &[String]) -> Result<Vec<Subspace>, CliError> {
    let parsed = named.iter().map(|text| text.parse::<Subspace>());
    Ok(parsed.collect::<Result<_, _>>()?)
}

/// Yes if `yes`, else no.
pub fn answer(yes: bool) -> Answer {
    if yes { Answer::Yes } else { Answer::No }
}
