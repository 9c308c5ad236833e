//! Why a turn is not legal, and why a game is over, in words a player understands.
//!
//! The arbiter's voice: every message names points, players and counts. Invariant:
//! [`Rules::why_not`] is `None` exactly for the turns that [`Rules::turns`] lists, for any
//! [`Turn`] value whatever, points off the board included.

use super::board::{Mask, Point, points_of};
use super::position::{Color, Position};
use super::ruleset::{Flying, Protected, Rules, Verdict};
use super::turn::{Ending, Outcome, Turn};

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
    #[error("{} must place: {} still in hand", .color.title(), men(usize::from(*.in_hand)))]
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
    /// A removal under rules that have none.
    #[error("under these rules a full line wins and nothing is ever removed ({} was named)", list(.0))]
    NoRemovals(Vec<&'static str>),
    /// A mill and no removal.
    #[error("the turn closes {} and must remove {}{}",
        mill_list(.mills), which(*.owed), list(.choices))]
    MustRemove {
        /// The lines closed.
        mills: Vec<String>,
        /// Men to remove: as many as owed and removable.
        owed: usize,
        /// Men that may be removed first.
        choices: Vec<&'static str>,
    },
    /// Fewer removals than owed.
    #[error("the turn closes {} and must remove {}, not {given}: one more of {}",
        mill_list(.mills), men(*.owed), list(.choices))]
    TooFewRemovals {
        /// The lines closed.
        mills: Vec<String>,
        /// Men named for removal.
        given: usize,
        /// Men to remove.
        owed: usize,
        /// Men that may be removed after those named.
        choices: Vec<&'static str>,
    },
    /// More removals than owed.
    #[error("the turn closes {} and removes {}, not {given} ({})",
        mill_list(.mills), men(*.owed), list(.named))]
    TooManyRemovals {
        /// The lines closed.
        mills: Vec<String>,
        /// How many men were named.
        given: usize,
        /// Men to remove.
        owed: usize,
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

    /// Why the game is over in this position and what that means, as a sentence; `None` while it
    /// goes on.
    pub fn why_over(&self, position: &Position) -> Option<String> {
        let outcome = self.outcome(position)?;
        Some(self.describe_ending(position, &outcome))
    }

    fn describe_ending(&self, position: &Position, outcome: &Outcome) -> String {
        let (mover, opponent) = (position.side.title(), position.side.other().title());
        let verdict = match outcome.verdict {
            Verdict::Loses => format!("{mover} has lost"),
            Verdict::Draws => "it is a draw".to_string(),
        };
        match outcome.ending {
            Ending::OpponentLine => {
                let lines = self.mill_names(position.enemy(), self.board().all());
                format!("{opponent} has the full line {}, so {verdict}", list(&lines))
            }
            Ending::FewMen => {
                let total = men(usize::from(position.total(position.side)));
                format!("{mover} has {total}, fewer than {}, so {verdict}", self.least_men())
            }
            Ending::FullBoard => {
                format!("the board is full and no man is left in hand, so {verdict}")
            }
            Ending::NoTurn => {
                format!("{mover} is to move and has no legal turn, so {verdict}")
            }
        }
    }

    /// The men of `color` that the opponent could not remove now.
    pub fn protected_men(&self, position: &Position, color: Color) -> Mask {
        let men = position.men[color as usize];
        match self.protected() {
            Protected::Never => 0,
            _ if self.most_removals() == 0 => 0,
            _ => men & !self.removable(men),
        }
    }

    /// Names of points, in reading order of the names: a1, a4, a7, b2...
    pub(crate) fn point_names(&self, points: Mask) -> Vec<&'static str> {
        let mut names: Vec<_> = points_of(points).map(|point| self.board().name(point)).collect();
        names.sort_unstable();
        names
    }

    /// The full lines of `men` that meet `touching`, each as `a1 a4 a7`.
    fn mill_names(&self, men: Mask, touching: Mask) -> Vec<String> {
        let lines = self.board().lines().iter();
        let full = lines.filter(|&&line| men & line == line && line & touching != 0);
        full.map(|&line| self.point_names(line).join(" ")).collect()
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
        self.check_on_board()?;
        match self.turn.from {
            None => self.check_placement()?,
            Some(from) => self.check_move(from)?,
        }
        self.check_removal()
    }

    fn name(&self, point: Point) -> &'static str {
        self.rules.board().name(point)
    }

    fn check_on_board(&self) -> Result<(), Illegal> {
        let points = self.rules.board().points();
        let ends = self.turn.from.into_iter().chain([self.turn.to]).map(u32::from);
        let removed = points_of(self.turn.removed).map(u32::from);
        match ends.chain(removed).find(|&number| number as usize >= points) {
            Some(number) => Err(Illegal::OffBoard { number, points }),
            None => Ok(()),
        }
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
            no_flight: self.why_no_flight(),
        })
    }

    fn why_no_flight(&self) -> String {
        let color = self.position.side;
        let (on_board, in_hand) = (self.position.on_board(color), self.position.own_hand());
        let (who, total) = (color.title(), on_board + in_hand);
        match self.rules.flying() {
            Flying::Never => "under these rules nobody flies".to_string(),
            Flying::Always => unreachable!("every empty point is a destination"),
            Flying::AtThreeTotal => {
                format!("flying needs exactly three men, hand included: {who} has {total}")
            }
            Flying::AtThree if in_hand > 0 => format!(
                "flying needs exactly three men on the board and none in hand: {who} has {on_board} on the board and {in_hand} in hand"
            ),
            Flying::AtThree => format!(
                "flying needs exactly three men on the board and none in hand: {who} has {on_board}"
            ),
        }
    }

    /// Own men after the placement or move.
    fn own_after(&self) -> Mask {
        self.position.own() & !self.turn.from.map_or(0, |from| 1 << from) | 1 << self.turn.to
    }

    fn check_removal(&self) -> Result<(), Illegal> {
        let (turn, enemy) = (self.turn, self.position.enemy());
        let owed = self.rules.owed(self.position, turn.from, turn.to);
        if turn.removed == 0 && (owed == 0 || self.rules.removable(enemy) == 0) {
            return Ok(());
        }
        let (mills, named) = (self.mills_closed(), self.rules.point_names(turn.removed));
        if owed == 0 && self.rules.most_removals() == 0 {
            return Err(Illegal::NoRemovals(named));
        }
        if owed == 0 {
            return Err(Illegal::NoMill { to: self.name(turn.to), named });
        }
        self.check_enemy_men()?;
        let given = named.len();
        if given > owed {
            return Err(Illegal::TooManyRemovals { mills, given, owed, named });
        }
        let choices = self.check_removed_in_turn()?;
        if given == owed || choices == 0 {
            return Ok(());
        }
        let choices = self.rules.point_names(choices);
        Err(match given {
            0 => Illegal::MustRemove { mills, owed: self.removable_at_once(owed), choices },
            _ => Illegal::TooFewRemovals { mills, given, owed, choices },
        })
    }

    /// How many of the men owed there are to remove.
    fn removable_at_once(&self, owed: usize) -> usize {
        let mut most = 0;
        self.rules.for_removal_sets(self.position.enemy(), owed, &mut |men| {
            most = most.max(men.count_ones() as usize);
        });
        most
    }

    fn mills_closed(&self) -> Vec<String> {
        self.rules.mill_names(self.own_after(), 1 << self.turn.to)
    }

    fn check_enemy_men(&self) -> Result<(), Illegal> {
        let wrong = points_of(self.turn.removed & !self.position.enemy()).next();
        let Some(wrong) = wrong else { return Ok(()) };
        let point = self.name(wrong);
        Err(match self.own_after() >> wrong & 1 {
            1 => Illegal::OwnMan { point, color: self.position.side },
            _ => Illegal::NoManToRemove(point),
        })
    }

    /// Removes the men named, two at most, in an order in which each is free when its turn comes,
    /// and gives what could be removed after them. No order failing, the first refusal is told.
    fn check_removed_in_turn(&self) -> Result<Mask, Illegal> {
        let removed = self.turn.removed;
        let mut refusal = None;
        let orders = points_of(removed).filter(|&man| self.free(self.position.enemy(), man));
        for first in orders {
            let left = self.position.enemy() & !(1 << first);
            let blocked = points_of(removed & left).find(|&man| !self.free(left, man));
            match blocked {
                None => return Ok(self.rules.removable(left)),
                Some(man) => refusal = refusal.or(Some((man, Some(first), left))),
            }
        }
        let all = self.position.enemy();
        match refusal.or(points_of(removed).next().map(|man| (man, None, all))) {
            Some((man, first, left)) => Err(self.protected(man, first, left)),
            None => Ok(self.rules.removable(all)),
        }
    }

    fn free(&self, enemy: Mask, man: Point) -> bool {
        self.rules.removable(enemy) >> man & 1 == 1
    }

    /// The refusal of `man` among the enemy men `left` once `first` is gone.
    fn protected(&self, man: Point, first: Option<Point>, left: Mask) -> Illegal {
        let point = self.name(man);
        let mills = self.rules.mill_names(left, 1 << man);
        let first = first.map(|first| self.name(first));
        match self.rules.removable(left) {
            0 => Illegal::AllProtected { point, mills, first },
            free => {
                Illegal::ProtectedMan { point, mills, first, free: self.rules.point_names(free) }
            }
        }
    }
}

fn men(count: usize) -> String {
    match count {
        1 => "1 man".to_string(),
        _ => format!("{count} men"),
    }
}

/// The head of the list of men of which that many are to be removed.
fn which(owed: usize) -> String {
    match owed {
        1 => "one of ".to_string(),
        _ => format!("{owed} men, the first one of "),
    }
}

fn list<S: AsRef<str>>(names: &[S]) -> String {
    names.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", ")
}

fn mill_list(mills: &[String]) -> String {
    let word = if mills.len() == 1 { "the mill" } else { "the mills" };
    format!("{word} {}", list(mills))
}

fn after(first: &Option<&'static str>) -> String {
    first.map_or(String::new(), |man| format!(" once {man} is removed"))
}
