//! Which tables a table leads to.
//!
//! Turns change the numbers of men in few ways: a man comes from the hand or slides, and up to two
//! enemy men go. [`Links`] states that for one table, asking the rules and nothing else; the plan
//! orders units by it and the solver walks along it.
//! Invariant: every turn of a position of the table leads to one of its links' tables, or ends the
//! game.

use crate::index::Table;
use crate::rules::Rules;

/// Where placements and moves of a table's mover lead.
#[derive(Clone, Debug)]
pub struct Links {
    /// A man from the hand, if there is one.
    pub place: Option<Link>,
    /// A man on the board, if the rules let one move.
    pub slide: Option<Slide>,
}

/// Moves on the board.
#[derive(Clone, Debug)]
pub struct Slide {
    /// The tables they lead to.
    pub link: Link,
    /// Whether they may go to any empty point.
    pub flying: bool,
}

/// One kind of turn: the table it leads to without a removal, and with one or two.
#[derive(Clone, Debug)]
pub struct Link {
    /// Nothing removed.
    pub quiet: Table,
    /// After one, two removals, as far as the rules and the enemy's men go.
    pub removals: Vec<Target>,
}

/// A table, or the end of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The opponent has too few men and has lost.
    Ended,
    /// A table of this game.
    Table(Table),
}

/// Has the mover of this table lost for want of men?
pub fn is_ended(rules: &Rules, table: Table) -> bool {
    table.own_total() < rules.least_men()
}

/// The links of a table that is not ended.
pub fn links(rules: &Rules, table: Table) -> Links {
    let place = (table.own_hand > 0).then(|| {
        let quiet = Table { enemy: table.own + 1, enemy_hand: table.own_hand - 1, ..table.twin() };
        link(rules, quiet)
    });
    let may_slide = rules.may_move(table.own_hand) && table.own > 0;
    let slide = may_slide.then(|| Slide {
        link: link(rules, table.twin()),
        flying: rules.flies(table.own, table.own_hand),
    });
    Links { place, slide }
}

/// A mill takes three men; without it nothing is removed.
const MEN_IN_A_MILL: u8 = 3;

fn link(rules: &Rules, quiet: Table) -> Link {
    let most = if quiet.enemy < MEN_IN_A_MILL { 0 } else { rules.most_removals() as u8 };
    let after = |removed: u8| {
        let table = Table { own: quiet.own - removed, ..quiet };
        if is_ended(rules, table) { Target::Ended } else { Target::Table(table) }
    };
    Link { quiet, removals: (1..=most.min(quiet.own)).map(after).collect() }
}

impl Links {
    /// The links of placements and of moves.
    pub fn all(&self) -> impl Iterator<Item = &Link> {
        self.place.iter().chain(self.slide.iter().map(|slide| &slide.link))
    }

    /// Every table a turn may lead to.
    pub fn tables(&self) -> impl Iterator<Item = Table> + '_ {
        self.all().flat_map(|link| {
            let removed = link.removals.iter().filter_map(|target| match target {
                Target::Table(table) => Some(*table),
                Target::Ended => None,
            });
            std::iter::once(link.quiet).chain(removed)
        })
    }
}
