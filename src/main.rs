//! The `merels` command.
fn main() {}
