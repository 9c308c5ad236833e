//! Fills tables by retrograde analysis.
//!
//! In the order data flows: `links` says which tables a table leads to, `plan` which units there are to
//! solve; `unit` solves one from those below it: `first_pass` takes placements (`place`, or `join`
//! where the mover names the rows) and moves (`slide`) into account, whose worths come from finished
//! tables by `crossing` and `removal` tables or, where rows stay with one player, by `stay`; then
//! `waves` with `waiting`, `address` and, for each row, `update`, and `dense` for rows with much to do,
//! whose moves `blocks` arranges. `counts` counts a unit, and `game` runs a plan into a database. Rows,
//! the cache-sized pieces all work is cut into, are described by `row`, and as pages by `cube`, with
//! `renumber` for what leads to other rows and `steps` for moves within; `array` is the memory, and
//! `bits` picks the machine's instructions.
//!
//! Invariant: what is written depends on the rules and the tables asked for, not on threads, memory or
//! interruptions.

mod address;
mod array;
mod bits;
mod blocks;
mod counts;
mod crossing;
mod cube;
mod dense;
mod first_pass;
mod game;
mod join;
mod links;
mod place;
mod plan;
mod removal;
mod renumber;
mod row;
mod slide;
mod stay;
mod steps;
mod unit;
mod update;
mod waiting;
mod waves;

pub use array::{Array, Workspace};
pub use counts::count_classes;
pub use game::{Cost, Observer, SolveError, UnitReport, cpu_time, predict, remaining, solve_plan};
pub use plan::{
    PlannedUnit, SubspaceError, check_subspace, plan, plan_extended, plan_game, plan_moving,
    plan_subspaces, start_table, with_needs, without_hands,
};
pub use unit::{Means, SolvedUnit, Source, Step, UnitError, solve_unit};
pub use waves::WaveWork;
