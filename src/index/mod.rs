//! Positions of a table to and from slots: a symmetry-reduced perfect hash.

mod table;

pub use table::{ParseSubspaceError, Subspace, Table, Unit};
