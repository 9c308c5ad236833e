//! Removals before the rules: may these men be taken, and if not, why not.
//!
//! A turn's removals are judged alike when the turn is given whole and when its placement or move
//! has been made already. Invariant: [`Removing::check`] passes exactly the sets that
//! [`Rules::for_removal_sets`] visits.

use super::board::{Mask, Point, points_of};
use super::position::Position;
use super::ruleset::Rules;
use super::sentences::mill_list;
use super::why_not::Illegal;

impl Rules {
    /// Why the removal of `removed` does not complete a turn whose placement or move has been made
    /// and which owes `owed` removals; `None` exactly if [`Rules::for_removal_sets`] visits it.
    ///
    /// # Examples
    /// ```
    /// use merels::{notation::parse_position, rules::{Rules, points_of}};
    /// let rules = Rules::named("nine")?;
    /// let position = parse_position(&rules, "W../B../.../W...../.../.../W.. w 6 8").unwrap();
    /// let [a7, b6] = ["a7", "b6"].map(|name| 1 << rules.board().point(name).unwrap());
    /// assert_eq!(rules.why_not_removal(&position, 1, b6), None);
    /// let reason = rules.why_not_removal(&position, 1, a7).unwrap().to_string();
    /// assert_eq!(reason, "the man on a7 is White's own and cannot be removed by White");
    /// # Ok::<(), merels::rules::RulesError>(())
    /// ```
    pub fn why_not_removal(
        &self,
        position: &Position,
        owed: usize,
        removed: Mask,
    ) -> Option<Illegal> {
        let own = position.own();
        let removing = Removing { rules: self, position, own, closed_on: None, owed, removed };
        self.check_on_board(points_of(removed)).and_then(|()| removing.check()).err()
    }

    /// The orders in which these men, two at most, can be removed one after the other, each being
    /// free when its turn comes.
    pub(crate) fn removal_orders(&self, enemy: Mask, removed: Mask) -> Vec<Vec<Point>> {
        let free = |left: Mask, man: Point| self.removable(left) >> man & 1 == 1;
        let mut orders = Vec::new();
        for first in points_of(removed).filter(|&man| free(enemy, man)) {
            let left = enemy & !(1 << first);
            match points_of(removed & left).next() {
                None => orders.push(vec![first]),
                Some(second) if free(left, second) => orders.push(vec![first, second]),
                Some(_) => {}
            }
        }
        orders
    }
}

/// The removals of one turn. Each check relies on those before it.
pub(super) struct Removing<'a> {
    pub rules: &'a Rules,
    /// The enemy stands as here.
    pub position: &'a Position,
    /// Own men after the placement or move.
    pub own: Mask,
    /// Where the turn put its man, if that is known.
    pub closed_on: Option<Point>,
    /// Removals owed.
    pub owed: usize,
    /// Men named.
    pub removed: Mask,
}

impl Removing<'_> {
    pub fn check(&self) -> Result<(), Illegal> {
        let (owed, enemy) = (self.owed, self.position.enemy());
        if self.removed == 0 && (owed == 0 || self.rules.removable(enemy) == 0) {
            return Ok(());
        }
        let named = self.rules.point_names(self.removed);
        self.check_any_owed(&named)?;
        self.check_enemy_men(&named)?;
        let given = named.len();
        if given > owed {
            return Err(Illegal::TooManyRemovals { cause: self.cause(), given, owed, named });
        }
        let choices = self.check_removed_in_turn()?;
        if given == owed || choices == 0 {
            return Ok(());
        }
        let (cause, choices) = (self.cause(), self.rules.point_names(choices));
        Err(match given {
            0 => Illegal::MustRemove { cause, owed: self.removable_at_once(), choices },
            _ => Illegal::TooFewRemovals { cause, given, owed, choices },
        })
    }

    fn name(&self, point: Point) -> &'static str {
        self.rules.board().name(point)
    }

    fn check_any_owed(&self, named: &[&'static str]) -> Result<(), Illegal> {
        let named = named.to_vec();
        match self.closed_on {
            _ if self.owed > 0 => Ok(()),
            _ if self.rules.most_removals() == 0 => Err(Illegal::NoRemovals(named)),
            Some(to) => Err(Illegal::NoMill { to: self.name(to), named }),
            None => Err(Illegal::NothingOwed { color: self.position.side, named }),
        }
    }

    /// Who or what owes the removals; which mill it was is not known once the turn is half played.
    fn cause(&self) -> String {
        match (self.closed_on, self.owed) {
            (Some(to), _) => {
                let mills = self.rules.mill_names(self.own, 1 << to);
                format!("the turn closes {}", mill_list(&mills))
            }
            (None, 1) => format!("{} owes a removal", self.position.side.title()),
            (None, owed) => format!("{} owes {owed} removals", self.position.side.title()),
        }
    }

    /// How many of the men owed there are to remove.
    fn removable_at_once(&self) -> usize {
        let mut most = 0;
        self.rules.for_removal_sets(self.position.enemy(), self.owed, &mut |men| {
            most = most.max(men.count_ones() as usize);
        });
        most
    }

    fn check_enemy_men(&self, named: &[&'static str]) -> Result<(), Illegal> {
        let enemy = self.position.enemy();
        let Some(wrong) = points_of(self.removed & !enemy).next() else { return Ok(()) };
        let (point, color) = (self.name(wrong), self.position.side);
        Err(match self.own >> wrong & 1 {
            1 => Illegal::OwnMan { point, color },
            _ if enemy == 0 => Illegal::NoEnemyMan { color: color.other(), named: named.to_vec() },
            _ => Illegal::NoManToRemove(point),
        })
    }

    /// Removes the men named, two at most, in an order in which each is free when its turn comes,
    /// and gives what could be removed after them. No order failing, the first refusal is told.
    fn check_removed_in_turn(&self) -> Result<Mask, Illegal> {
        let (removed, all) = (self.removed, self.position.enemy());
        let orders = self.rules.removal_orders(all, removed);
        if removed == 0 || !orders.is_empty() {
            return Ok(self.rules.removable(all & !removed));
        }
        let free = self.rules.removable(all);
        let first = points_of(removed & free).next();
        let left = first.map_or(all, |first| all & !(1 << first));
        let refused = points_of(removed & left).next();
        Err(self.protected(
            refused.expect("an order ends with a man that is not free"),
            first,
            left,
        ))
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
