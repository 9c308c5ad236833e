//! Holds the module order stated at the top of the library: each module uses only those above it.

use std::fs;
use std::path::{Path, PathBuf};

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The library's modules in the order of its documentation.
fn modules() -> Vec<String> {
    let library = fs::read_to_string(source().join("lib.rs")).unwrap();
    let named = library.lines().filter_map(|line| line.strip_prefix("//! * [`"));
    named.map(|rest| rest.split('`').next().unwrap().to_string()).collect()
}

/// All source text of a module, whether it is a file or a directory.
fn text_of(module: &str) -> String {
    let mut open = vec![source().join(module), source().join(format!("{module}.rs"))];
    let mut text = String::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.is_file() {
            text += &fs::read_to_string(path).unwrap();
        }
    }
    text
}

fn uses(module: &str, other: &str) -> bool {
    let text = text_of(module);
    assert!(!text.is_empty(), "module {module} has no source");
    let mentions = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    mentions.flat_map(|line| line.split("crate::").skip(1)).any(|path| {
        path.strip_prefix(other)
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
    })
}

#[test]
fn test_modules_use_only_those_above_them() {
    let modules = modules();
    assert!(modules.len() >= 10);
    for (place, module) in modules.iter().enumerate() {
        for below in &modules[place + 1..] {
            assert!(!uses(module, below), "{module} uses {below}, which comes after it");
        }
    }
}

#[test]
fn test_verification_owes_nothing_to_the_solver() {
    assert!(!uses("verify", "solve"));
    assert!(uses("verify", "rules") && uses("solve", "index"));
}
