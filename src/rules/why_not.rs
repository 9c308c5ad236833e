//! Why a turn is not legal, in words a player understands.
//!
//! The arbiter's voice: every message names points, players and counts. Invariant:
//! [`Rules::why_not`] is `None` exactly for the turns that [`Rules::turns`] lists, for any
//! [`Turn`] value whatever, points off the board included.

use super::board::{Point, points_of};
use super::position::{Color, Position};
use super::removing::Removing;
use super::ruleset::Rules;
use super::sentences::{counted_men, list, mill_list};
use super::turn::Turn;

/// What is wrong with a turn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Illegal {
    /// No turn is legal any more.
    #[error("the game is over: {0}")]
    GameOver(String),
    /// A point number the board does not have.
    #[error("point number {number} is off the board, which has {points} points")]
    OffBoard {
        /// The number.
        number: u32,
        /// Points of the board.
        points: usize,
    },
    /// A placement without a man to place.
    #[error("{} has no man left in hand to place", .0.title())]
    NothingInHand(Color),
    /// A placement or move onto a man.
    #[error("{point} is occupied by a {} man", .by.title())]
    Occupied {
        /// Where the man was to stand.
        point: &'static str,
        /// Whose man stands there.
        by: Color,
    },
    /// A move from an empty point.
    #[error("{0} is empty: there is no man to move")]
    NoManToMove(&'static str),
    /// A move of the opponent's man.
    #[error("the man on {point} is {}'s, and it is {}'s turn", .owner.title(), .owner.other().title())]
    NotYourMan {
        /// Where it stands.
        point: &'static str,
        /// Whose it is.
        owner: Color,
    },
    /// A move before all men are placed.
    #[error("{} must place: {} still in hand", .color.title(), counted_men(usize::from(*.in_hand)))]
    MustPlace {
        /// Whose turn it is.
        color: Color,
        /// Men still to be placed.
        in_hand: u8,
    },
    /// A move further than one step by a player who does not fly.
    #[error("{to} is no neighbour of {from} (those are {}), and {no_flight}", list(.neighbours))]
    NotNeighbour {
        /// Where the man stands.
        from: &'static str,
        /// Where it was to go.
        to: &'static str,
        /// One step from where it stands.
        neighbours: Vec<&'static str>,
        /// Why its owner does not fly.
        no_flight: String,
    },
    /// A removal by a turn that closes no mill.
    #[error("no mill is closed on {to}, so no man is removed ({} was named)", list(.named))]
    NoMill {
        /// Where the man now stands.
        to: &'static str,
        /// Men named for removal.
        named: Vec<&'static str>,
    },
    /// A removal where none is owed.
    #[error("{} owes no removal ({} was named)", .color.title(), list(.named))]
    NothingOwed {
        /// Whose turn it is.
        color: Color,
        /// Men named for removal.
        named: Vec<&'static str>,
    },
    /// A removal under rules that have none.
    #[error("under these rules a full line wins and nothing is ever removed ({} was named)", list(.0))]
    NoRemovals(Vec<&'static str>),
    /// A mill and no removal.
    #[error("{cause} and must remove {}{}", which(*.owed), list(.choices))]
    MustRemove {
        /// Who or what owes the removal.
        cause: String,
        /// Men to remove: as many as owed and removable.
        owed: usize,
        /// Men that may be removed first.
        choices: Vec<&'static str>,
    },
    /// Fewer removals than owed.
    #[error("{cause} and must remove {}, not {given}: one more of {}",
        counted_men(*.owed), list(.choices))]
    TooFewRemovals {
        /// Who or what owes the removals.
        cause: String,
        /// Men named for removal.
        given: usize,
        /// Men to remove.
        owed: usize,
        /// Men that may be removed after those named.
        choices: Vec<&'static str>,
    },
    /// More removals than owed.
    #[error("{cause} and removes {}, not {given} ({})", counted_men(*.owed), list(.named))]
    TooManyRemovals {
        /// Who or what owes the removals.
        cause: String,
        /// How many men were named.
        given: usize,
        /// Men to remove.
        owed: usize,
        /// Men named for removal.
        named: Vec<&'static str>,
    },
    /// Removal of a man of a player who has none on the board.
    #[error("{} has no man on the board, so nothing is removed ({} was named)",
        .color.title(), list(.named))]
    NoEnemyMan {
        /// Whose man was to be removed.
        color: Color,
        /// Men named for removal.
        named: Vec<&'static str>,
    },
    /// Removal from an empty point.
    #[error("{0} is empty then: there is no man to remove")]
    NoManToRemove(&'static str),
    /// Removal of one's own man.
    #[error("the man on {point} is {}'s own and cannot be removed by {}", .color.title(), .color.title())]
    OwnMan {
        /// Where it stands.
        point: &'static str,
        /// Whose it is and whose turn it is.
        color: Color,
    },
    /// Removal of a man in a mill while others are free.
    #[error("the man on {point} is protected by {}{}; free: {}",
        mill_list(.mills), after(.first), list(.free))]
    ProtectedMan {
        /// Where it stands.
        point: &'static str,
        /// The mills it stands in.
        mills: Vec<String>,
        /// The man removed first, when two are.
        first: Option<&'static str>,
        /// Men that may be removed instead.
        free: Vec<&'static str>,
    },
    /// Removal when every man is protected and stays so.
    #[error("the man on {point} is protected by {}{}, and no other is free: nothing {} is removed",
        mill_list(.mills), after(.first), if first.is_some() { "more" } else { "at all" })]
    AllProtected {
        /// Where it stands.
        point: &'static str,
        /// The mills it stands in.
        mills: Vec<String>,
        /// The man removed first, when two are.
        first: Option<&'static str>,
    },
}

impl Rules {
    /// Why `turn` is not legal in `position`; `None` exactly if [`Rules::turns`] lists it.
    ///
    /// # Examples
    /// ```
    /// use merels::rules::{Position, Rules, Turn};
    /// let rules = Rules::named("nine")?;
    /// let turn = Turn { from: Some(0), to: 1, removed: 0 };
    /// let reason = rules.why_not(&Position::start(&rules), &turn).unwrap();
    /// assert_eq!(reason.to_string(), "a7 is empty: there is no man to move");
    /// # Ok::<(), merels::rules::RulesError>(())
    /// ```
    pub fn why_not(&self, position: &Position, turn: &Turn) -> Option<Illegal> {
        let arbiter = Arbiter { rules: self, position, turn };
        arbiter.check().err()
    }

    /// The first of these point numbers that the board does not have, as a refusal.
    pub(super) fn check_on_board(
        &self,
        numbers: impl IntoIterator<Item = Point>,
    ) -> Result<(), Illegal> {
        let points = self.board().points();
        match numbers.into_iter().map(u32::from).find(|&number| number as usize >= points) {
            Some(number) => Err(Illegal::OffBoard { number, points }),
            None => Ok(()),
        }
    }
}

/// One turn before the rules. Each check relies on those before it.
struct Arbiter<'a> {
    rules: &'a Rules,
    position: &'a Position,
    turn: &'a Turn,
}

impl Arbiter<'_> {
    fn check(&self) -> Result<(), Illegal> {
        if let Some(ending) = self.rules.why_over(self.position) {
            return Err(Illegal::GameOver(ending));
        }
        let ends = self.turn.from.into_iter().chain([self.turn.to]);
        self.rules.check_on_board(ends.chain(points_of(self.turn.removed)))?;
        match self.turn.from {
            None => self.check_placement()?,
            Some(from) => self.check_move(from)?,
        }
        let owed = self.rules.owed(self.position, self.turn.from, self.turn.to);
        Removing {
            rules: self.rules,
            position: self.position,
            own: self.turn.own_after(self.position),
            closed_on: Some(self.turn.to),
            owed,
            removed: self.turn.removed,
        }
        .check()
    }

    fn name(&self, point: Point) -> &'static str {
        self.rules.board().name(point)
    }

    fn check_placement(&self) -> Result<(), Illegal> {
        if self.position.own_hand() == 0 {
            return Err(Illegal::NothingInHand(self.position.side));
        }
        self.check_empty(self.turn.to)
    }

    fn check_empty(&self, point: Point) -> Result<(), Illegal> {
        match self.man_on(point) {
            Some(by) => Err(Illegal::Occupied { point: self.name(point), by }),
            None => Ok(()),
        }
    }

    fn man_on(&self, point: Point) -> Option<Color> {
        let stands = |color: &Color| self.position.men[*color as usize] >> point & 1 == 1;
        [Color::White, Color::Black].into_iter().find(stands)
    }

    fn check_move(&self, from: Point) -> Result<(), Illegal> {
        let color = self.position.side;
        match self.man_on(from) {
            None => return Err(Illegal::NoManToMove(self.name(from))),
            Some(owner) if owner != color => {
                return Err(Illegal::NotYourMan { point: self.name(from), owner });
            }
            Some(_) => {}
        }
        let in_hand = self.position.own_hand();
        if !self.rules.may_move(in_hand) {
            return Err(Illegal::MustPlace { color, in_hand });
        }
        self.check_empty(self.turn.to)?;
        if self.rules.destinations(self.position, from) >> self.turn.to & 1 == 1 {
            return Ok(());
        }
        Err(Illegal::NotNeighbour {
            from: self.name(from),
            to: self.name(self.turn.to),
            neighbours: self.rules.point_names(self.rules.board().neighbours(from)),
            no_flight: self.rules.why_no_flight(self.position, color).unwrap_or_default(),
        })
    }
}

/// The head of the list of men of which that many are to be removed.
fn which(owed: usize) -> String {
    match owed {
        1 => "one of ".to_string(),
        _ => format!("{owed} men, the first one of "),
    }
}

fn after(first: &Option<&'static str>) -> String {
    first.map_or(String::new(), |man| format!(" once {man} is removed"))
}
