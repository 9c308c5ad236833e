//! What integration tests share: a naive solver, brute-force symmetries, random samples. All but
//! `database`, which makes databases to test with, are independent of the engine's own machinery,
//! so that agreement means something.
//!
//! Each test binary uses a part of this and would call the rest dead.
#![allow(dead_code)]

pub mod automorphisms;
pub mod by_name;
pub mod database;
pub mod facts;
pub mod forward;
pub mod grid;
pub mod samples;
pub mod solved;
