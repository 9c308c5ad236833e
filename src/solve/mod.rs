//! Fills tables by retrograde analysis.

mod bits;
mod first_pass;
mod gather;
mod links;
mod plan;
mod removal;
mod row;
mod unit;
mod waves;

pub use plan::{
    PlannedUnit, SubspaceError, check_subspace, plan, plan_game, plan_moving, plan_subspaces,
    start_table,
};
pub use unit::{SolvedUnit, Source, UnitError, solve_unit};
pub use waves::WaveWork;
