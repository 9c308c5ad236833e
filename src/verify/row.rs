//! Recomputes the values of whole rows from their successors.
//!
//! What [`plain`](super::plain) does slot by slot, with everything that slots of a row share done
//! once: each successor is read once a row and not once a turn, and turns are steps between own
//! sets. Owes the solver nothing; the plain way is what it must agree with.
//! Invariant: the recomputed code is that of the best turn, depth included, or of the ending.

use super::dense::{Dense, Pages, Step};
use super::join::Joins;
use super::next::{Closing, Next, Turns};
use super::shape::Shape;
use crate::index::Layout;
use crate::rules::{Mask, Rules, Verdict, points_of};
use crate::storage::Metric;
use crate::value::Code;

/// Recomputes rows of one table.
pub struct Rows<'a, C> {
    rules: &'a Rules,
    layout: Layout<'a>,
    /// Moves and placements, where there are any.
    moves: Option<Turns<'a, C>>,
    places: Option<Turns<'a, C>>,
    /// Placements where the mover names the rows; there is nothing else then.
    joins: Option<Joins<'a, C>>,
    moving: Moving,
    pages: Pages,
}

/// How moves are taken into account.
#[derive(Clone, Copy)]
enum Moving {
    /// From neighbours, page by page.
    Sliding,
    /// From anywhere, page by page.
    Flying,
    /// From anywhere, set by set.
    FlyingFew,
}

/// The memory in which a row is recomputed.
pub struct Desk<C> {
    worth: Dense<C>,
    best: Dense<C>,
    closing: Closing<C>,
    /// Enemy sets of a row that the mover names.
    enemies: Vec<Mask>,
    /// The recomputed codes, by rank.
    codes: Vec<C>,
}

impl<'a, C: Code> Rows<'a, C> {
    /// For a table laid out as `layout`, whose moves and placements lead to those tables, by number
    /// of men removed; all tell as much as `metric` says.
    pub fn new(
        rules: &'a Rules,
        layout: Layout<'a>,
        metric: Metric,
        [after_moves, after_places]: [[Option<Next<'a, C>>; 3]; 2],
    ) -> Rows<'a, C> {
        let table = layout.table();
        let by_own = layout.rows_by_own();
        let may_move = rules.may_move(table.own_hand) && table.own > 0 && !by_own;
        let may_place = table.own_hand > 0 && layout.geometry().points() > occupied(&layout);
        let turns = |men, next| Turns::new(rules, &layout, metric, men, next);
        let pages = Pages::new(free_points(&layout), table.own);
        let (places, joins) = match (by_own, may_place) {
            (true, _) => (None, Some(Joins::new(rules, layout, metric, after_places))),
            (false, true) => (Some(turns(table.own + 1, after_places)), None),
            (false, false) => (None, None),
        };
        Rows {
            moves: may_move.then(|| turns(table.own, after_moves)),
            places,
            joins,
            moving: moving(rules, &layout, &pages),
            pages,
            rules,
            layout,
        }
    }

    /// A desk for rows of this table.
    pub fn desk(&self) -> Desk<C> {
        let points = free_points(&self.layout);
        Desk {
            worth: Dense::new(points),
            best: Dense::new(points),
            closing: vec![Vec::new(); points],
            enemies: Vec::new(),
            codes: vec![C::NONE; self.layout.row_len()],
        }
    }

    /// The codes of a row, by rank.
    pub fn recompute<'d>(&self, row: usize, desk: &'d mut Desk<C>) -> &'d [C] {
        let shape = Shape::new(self.rules, &self.layout, row);
        if let Some(verdict) = shape.over {
            desk.codes.fill(code_of(verdict));
            return &desk.codes;
        }
        if let Some(joins) = &self.joins {
            joins.recompute(row, &mut desk.enemies, &mut desk.codes);
            return &desk.codes;
        }
        desk.best.clear(&self.pages);
        desk.closing.iter_mut().for_each(Vec::clear);
        // Sets after moves and after placements differ in size, and share the desk.
        for turns in self.moves.iter().chain(&self.places) {
            turns.gather(row, &shape, &mut desk.worth, &mut desk.closing);
        }
        self.play(&shape, desk);
        let stuck = code_of(self.rules.no_move());
        for (code, &own) in desk.codes.iter_mut().zip(self.layout.ranked_sets()) {
            let best = desk.best.get(own);
            *code = if best == C::NONE { stuck } else { best };
        }
        &desk.codes
    }

    /// Takes every turn into account, by the point it brings a man to.
    fn play(&self, shape: &Shape, desk: &mut Desk<C>) {
        let Desk { worth, best, closing, .. } = desk;
        let all = (1 << shape.neighbours.len()) - 1;
        for (point, closing) in closing.iter_mut().enumerate() {
            let to = 1 << point;
            // Turns to this point that close a mill are worth something else for as long.
            exchange(worth, closing);
            if self.places.is_some() {
                best.improve(&self.pages, worth, Step { from: 0, to });
            }
            let mut slide = |origins| {
                for from in points_of(origins).map(|from| 1 << from) {
                    best.improve(&self.pages, worth, Step { from, to });
                }
            };
            match self.moving {
                _ if self.moves.is_none() => {}
                Moving::Sliding => slide(shape.neighbours[point]),
                Moving::Flying => slide(all & !to),
                Moving::FlyingFew => best.improve_each(self.layout.ranked_sets(), worth, all, to),
            }
            exchange(worth, closing);
        }
    }
}

fn exchange<C: Code>(worth: &mut Dense<C>, closing: &mut Vec<(u32, C)>) {
    for (own, code) in closing {
        std::mem::swap(worth.entry(*own), code);
    }
}

fn moving(rules: &Rules, layout: &Layout, pages: &Pages) -> Moving {
    let table = layout.table();
    // Steps set by set, and those page by page, which cost about half as much again.
    let by_set = layout.row_len() * usize::from(table.own);
    let by_page = pages.number() * free_points(layout);
    match rules.flies(table.own, table.own_hand) {
        false => Moving::Sliding,
        true if by_set < by_page * 3 / 2 => Moving::FlyingFew,
        true => Moving::Flying,
    }
}

fn occupied(layout: &Layout) -> usize {
    usize::from(layout.table().own + layout.table().enemy)
}

fn free_points(layout: &Layout) -> usize {
    layout.geometry().points() - usize::from(layout.table().enemy)
}

fn code_of<C: Code>(verdict: Verdict) -> C {
    match verdict {
        Verdict::Loses => C::loss(0),
        Verdict::Draws => C::DRAW,
    }
}
