//! The `merels` command; see [`merels::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    merels::cli::run(std::env::args_os())
}
