//! What integration tests share: a naive solver and brute-force symmetries, both independent of
//! the engine's own, so that agreement means something.
//!
//! Each test binary uses a part of this and would call the rest dead.
#![allow(dead_code)]

pub mod automorphisms;
pub mod facts;
pub mod forward;
