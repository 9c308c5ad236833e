//! Positions: men on the board, men in hand, side to move.
//!
//! A position has no history: a turn is atomic, so no removal is ever owed. Positions that no game
//! reaches are positions all the same; [`Position::check`] states the few things that must hold.

use super::board::Mask;
use super::ruleset::Rules;

/// One of the two players; White moves first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Color {
    /// The first player.
    White,
    /// The second player.
    Black,
}

impl Color {
    /// The opponent.
    pub fn other(self) -> Color {
        match self {
            Color::White => Color::Black,
            Color::Black => Color::White,
        }
    }

    /// "White" or "Black", as players are called in sentences.
    pub fn title(self) -> &'static str {
        match self {
            Color::White => "White",
            Color::Black => "Black",
        }
    }

    /// "white" or "black".
    pub fn name(self) -> &'static str {
        match self {
            Color::White => "white",
            Color::Black => "black",
        }
    }
}

/// A position under some rule set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// White's and Black's men on the board.
    pub men: [Mask; 2],
    /// White's and Black's men in hand.
    pub hand: [u8; 2],
    /// Whose turn it is.
    pub side: Color,
}

/// Why four numbers and two masks are no position of a rule set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PositionError {
    /// A man stands on a point the board does not have.
    #[error("a {} man stands outside the board", .0.name())]
    OutsideBoard(Color),
    /// Both colours on one point.
    #[error("two men stand on {0}")]
    Shared(&'static str),
    /// More men than a player starts with.
    #[error("{} has {total} men ({on_board} on the board, {in_hand} in hand): this rule set gives each player {men}",
            .color.name())]
    TooManyMen {
        /// Whose men.
        color: Color,
        /// On the board and in hand.
        total: usize,
        /// On the board.
        on_board: usize,
        /// In hand.
        in_hand: u8,
        /// What the rule set allows.
        men: u8,
    },
}

impl Position {
    /// The empty board with all men in hand, White to move.
    pub fn start(rules: &Rules) -> Position {
        Position { men: [0, 0], hand: [rules.men(); 2], side: Color::White }
    }

    /// Men of the player to move.
    pub fn own(&self) -> Mask {
        self.men[self.side as usize]
    }

    /// Men of the opponent.
    pub fn enemy(&self) -> Mask {
        self.men[self.side.other() as usize]
    }

    /// Men in hand of the player to move.
    pub fn own_hand(&self) -> u8 {
        self.hand[self.side as usize]
    }

    /// Men in hand of the opponent.
    pub fn enemy_hand(&self) -> u8 {
        self.hand[self.side.other() as usize]
    }

    /// Points with a man on them.
    pub fn occupied(&self) -> Mask {
        self.men[0] | self.men[1]
    }

    /// Men on the board of `color`.
    pub fn on_board(&self, color: Color) -> u8 {
        self.men[color as usize].count_ones() as u8
    }

    /// Men of `color`, hand included.
    pub fn total(&self, color: Color) -> u8 {
        self.on_board(color) + self.hand[color as usize]
    }

    /// The same position with the colours exchanged: equal value, by symmetry of the rules.
    pub fn swapped(&self) -> Position {
        Position {
            men: [self.men[1], self.men[0]],
            hand: [self.hand[1], self.hand[0]],
            side: self.side.other(),
        }
    }

    /// Checks what every position must satisfy under `rules`: men on points of the board, one
    /// man a point, and no player with more men than at the start.
    ///
    /// # Errors
    /// Names the first thing that does not hold.
    pub fn check(&self, rules: &Rules) -> Result<(), PositionError> {
        let board = rules.board();
        for color in [Color::White, Color::Black] {
            let men = self.men[color as usize];
            if men & !board.all() != 0 {
                return Err(PositionError::OutsideBoard(color));
            }
            let (on_board, in_hand) = (men.count_ones() as usize, self.hand[color as usize]);
            let total = on_board + usize::from(in_hand);
            if total > usize::from(rules.men()) {
                let men = rules.men();
                return Err(PositionError::TooManyMen { color, total, on_board, in_hand, men });
            }
        }
        match self.men[0] & self.men[1] {
            0 => Ok(()),
            both => Err(PositionError::Shared(board.name(both.trailing_zeros() as u8))),
        }
    }
}
