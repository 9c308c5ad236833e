//! The modules form layers: each may use only those before it.
//!
//! One crate has no dependency graph of its own, so this test reads the `use` lines. The same order
//! stands in the documentation of the library, where people look for it.

use std::fs;
use std::path::{Path, PathBuf};

/// The modules in the order data flows.
const LAYERS: [&str; 14] = [
    "rules", "notation", "value", "symmetry", "index", "inspect", "perft", "storage", "solve",
    "verify", "query", "stats", "bench", "cli",
];

/// Pairs that the order would allow but independence forbids.
const FORBIDDEN: [(&str, &str); 1] = [("verify", "solve")];

fn sources(path: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The layer a source file belongs to, by the first part of its path.
fn layer_of(file: &Path) -> Option<usize> {
    let inside = file.strip_prefix(source_root()).unwrap();
    let first = inside.components().next()?.as_os_str().to_str()?;
    let name = first.trim_end_matches(".rs");
    LAYERS.iter().position(|layer| *layer == name)
}

fn source_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Modules named after `crate::` in the part of a file that is not its tests.
fn used(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]").next().unwrap();
    let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let names = code.flat_map(|line| line.split("crate::").skip(1).map(str::to_string));
    names.map(|rest| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()).collect()
}

#[test]
fn test_modules_use_only_earlier_layers() {
    let mut files = Vec::new();
    sources(&source_root(), &mut files);
    let mut seen = 0;
    for file in files {
        let Some(layer) = layer_of(&file) else { continue };
        for name in used(&fs::read_to_string(&file).unwrap()) {
            let Some(other) = LAYERS.iter().position(|layer| *layer == name) else { continue };
            seen += 1;
            assert!(other <= layer, "{} uses {name}, a later layer", file.display());
            let pair = (LAYERS[layer], LAYERS[other]);
            assert!(!FORBIDDEN.contains(&pair), "{} uses {name}", file.display());
        }
    }
    assert!(seen > 100, "the test reads the wrong files: {seen} uses found");
}

#[test]
fn test_the_documentation_lists_the_layers_in_order() {
    let text = fs::read_to_string(source_root().join("lib.rs")).unwrap();
    let places: Vec<usize> =
        LAYERS.iter().map(|layer| text.find(&format!("//! * [`{layer}`]")).expect(layer)).collect();
    assert!(places.is_sorted(), "{places:?}");
}
