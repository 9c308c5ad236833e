//! Positions of a table to and from slots: a symmetry-reduced perfect hash.

mod geometry;
mod layout;
mod rank;
mod sets;
mod table;

pub use geometry::{Geometry, spread, squeeze};
pub use layout::{Layout, kept_pairs};
pub use rank::{MOST_MEN, Ranks, binomial, subsets};
pub use sets::{Reduction, Sets};
pub use table::{ParseSubspaceError, Subspace, Table, Unit};
