//! Strong-solving research engine for nine men's morris and its family.
//!
//! Modules, in the order data flows; each may use only those above it:
//!
//! * [`rules`]: boards, rule sets, positions, turns, legality, endings
//! * [`notation`]: text to and from positions, turns and game records
//! * [`value`]: win, draw or loss with its depth, and the code that stores it
//! * [`symmetry`]: the automorphisms of a board, orbits, canonical sets
//! * [`index`]: positions of a table to and from slots, a symmetry-reduced perfect hash
//! * [`inspect`]: the rules on one position, no database needed
//! * [`perft`]: counts of turn sequences, positions and classes per ply
//! * [`storage`]: database directories, unit files and their format, working memory
//! * [`export`]: a database of outcomes from one of depths
//! * [`solve`]: plans, and the retrograde analysis that fills tables
//! * [`verify`]: every stored value against its successors; never uses `solve`
//! * [`query`]: the value of a position, its turns ranked, a best line
//! * [`stats`]: what tables hold, as rows, text and plots
//! * [`reproduce`]: published figures beside ours, and the opening searched anew
//! * [`bench`](mod@bench): throughput of a fixed solve, latency of probes
//! * [`cli`]: the command line

// Unit tests share the grid of options with the integration tests, which know the library by name.
#[cfg(test)]
extern crate self as merels;

pub mod bench;
pub mod cli;
pub mod export;
pub mod index;
pub mod inspect;
pub mod notation;
pub mod perft;
pub mod query;
pub mod reproduce;
pub mod rules;
pub mod solve;
pub mod stats;
pub mod storage;
pub mod symmetry;
pub mod value;
pub mod verify;
