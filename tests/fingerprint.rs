//! A database of one rule set never answers for another: names and fingerprints tell all rules apart, and
//! files are opened by the fingerprint, whatever directory they lie in.

mod common;

use common::database;
use common::grid::Grid;
use merels::rules::{NAMES, Rules};
use merels::storage::{Database, UnitFile};
use std::collections::HashMap;
use std::fs;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use tempfile::TempDir;

/// Every rule set there is, by board.
fn every_rules() -> Vec<Rules> {
    let boards: [(&str, &[&str], RangeInclusive<u8>); 3] =
        [("three", &[], 3..=4), ("six", &["diagonals=no"], 3..=8), ("nine", &[], 3..=12)];
    let grids = boards.into_iter().flat_map(|(name, fixed, men)| {
        men.map(move |men| Grid::new(name, fixed).men(men).cases().collect::<Vec<_>>())
    });
    grids.flatten().collect()
}

#[test]
fn test_names_and_fingerprints_tell_all_rules_apart() {
    let all = every_rules();
    // Four ways to fly, three protections, and five choices of two: 384; with diagonals or without.
    assert_eq!(all.len(), 384 * (2 * 2 + 6 + 2 * 10));
    let mut prints = HashMap::new();
    let mut names = HashMap::new();
    for rules in &all {
        assert_eq!(prints.insert(rules.fingerprint(), rules.name()), None, "{rules}");
        assert_eq!(names.insert(rules.name(), rules.fingerprint()), None, "{rules}");
        assert_eq!(Rules::parse(rules.name()).unwrap(), *rules);
    }
    for name in NAMES {
        let rules = Rules::named(name).unwrap();
        assert_eq!(names.get(rules.name()), Some(&rules.fingerprint()), "{name}");
    }
}

/// Rule sets that have a subspace 3-3; each differs from the first in one choice.
fn neighbours() -> Vec<Rules> {
    let options = [
        "men=5",
        "flying=at-three",
        "flying=at-three-total",
        "flying=always",
        "double-mill=two",
        "protected=never",
        "protected=always",
        "no-move=draws",
        "full-board=loses",
        "place-or-move=yes",
        "line-wins=yes",
    ];
    let six = |options: &[&str]| Rules::with_options("six", options).unwrap();
    let changed = options.iter().map(|option| match option.starts_with("men") {
        true => six(&[option]),
        false => six(&["men=4", option]),
    });
    let other_boards =
        ["nine", "twelve", "three", "three-orthogonal"].map(|n| Rules::named(n).unwrap());
    [six(&["men=4"])].into_iter().chain(changed).chain(other_boards).collect()
}

#[test]
fn test_a_file_answers_for_its_own_rules_only() {
    let all: Vec<(Rules, TempDir, PathBuf)> = neighbours()
        .into_iter()
        .map(|rules| {
            let (root, database) = database::of_subspaces(&rules, &["3-3"]);
            let file = database.directory().join("3-3.mdb");
            (rules, root, file)
        })
        .collect();
    for (rules, root, file) in &all {
        assert!(UnitFile::open(file, rules).is_ok());
        for (others, _, their_file) in all.iter().filter(|(others, ..)| others != rules) {
            assert!(Database::open(root.path(), others).is_err(), "{rules} for {others}");
            let text = UnitFile::open(file, others).expect_err("other rules").to_string();
            for named in [rules, others] {
                assert!(text.contains(&format!("'{named}'")), "{text}");
                assert!(text.contains(&format!("{:016x}", named.fingerprint())), "{text}");
            }
            // Nor in the directory of those rules, under the name of their own file.
            let directory = tempfile::tempdir().unwrap();
            let database = Database::create(directory.path(), others).unwrap();
            let place = database.directory().join(their_file.file_name().unwrap());
            fs::copy(file, place).unwrap();
            let unit = "3-3".parse::<merels::index::Subspace>().unwrap().unit();
            assert!(database.unit(unit).is_err(), "{rules} for {others}");
        }
    }
}
