//! `merels reproduce` as its users meet it.

use super::Merels;
use super::database;
use merels::rules::Rules;
use merels::value::Code;
use serde_json::{Value, json};

#[test]
fn test_agreement_is_yes() {
    let directory = tempfile::tempdir().unwrap();
    let merels = Merels::at(directory.path());
    merels.yes("solve --rules three -q");
    let report = merels.json("reproduce --rules three --opening-search");
    assert_eq!(
        (&report["rules"], &report["differing"], &report["not_solved"]),
        (&json!("three"), &json!(0), &json!(0))
    );
    let rows = report["rows"].as_array().unwrap();
    let whole = rows.iter().find(|row| row["subject"] == "whole-game").unwrap();
    assert_eq!((&whole["status"], &whole["ours"]["reachable"]), (&json!("equal"), &json!(5390)));
    assert_eq!(whole["published"]["plies"], 9);
    assert_eq!(report["opening_search"]["value"], "win");
    let text = merels.yes("reproduce --rules three --opening-search");
    assert!(text.contains("first turn b2") && text.contains("can White win? yes"), "{text}");
    assert!(text.lines().last().unwrap().ends_with("3 equal, 0 different, 0 not solved"), "{text}");
}

#[test]
fn test_a_difference_is_no() {
    let rules = Rules::named("three").unwrap();
    let (root, _database) = database::altered(&rules, &["0-0+3+3"], &|table, codes| {
        if table.hands() == 6 {
            codes[0] = u8::DRAW;
        }
    });
    let merels = Merels::at(root.path());
    let run = merels.run("reproduce --rules three");
    assert_eq!((run.status, run.stderr.as_str()), (1, ""));
    assert!(run.stdout.contains("DIFFERENT"), "{}", run.stdout);
    let report: Value =
        serde_json::from_str(&merels.run("reproduce --rules three --json").stdout).unwrap();
    assert_eq!(report["differing"], 1);
}

#[test]
fn test_nothing_to_compare_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let merels = Merels::at(directory.path());
    assert_eq!(merels.run("reproduce --rules six").status, 2);
    merels.yes("solve 3-3 --rules six -q");
    let run = merels.run("reproduce --rules six");
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("nothing could be compared"), "{}", run.stderr);
    assert!(run.stdout.contains("not solved"), "{}", run.stdout);
    merels.yes("solve --rules six+men=4+no-move=draws -q");
    let run = merels.run("reproduce --rules six+men=4+no-move=draws");
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("no figures of rules 'six+men=4+no-move=draws' are published"));
    let run = merels.run("reproduce --rules six --opening-search");
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("not solved are 4-3, 4-4"), "{}", run.stderr);
    assert_eq!(merels.run("reproduce --rules six --memory 1GiB").status, 2);
}

#[test]
fn test_a_distance_that_is_not_solved_is_no_difference() {
    let directory = tempfile::tempdir().unwrap();
    let merels = Merels::at(directory.path());
    merels.yes("solve 3-3 -q");
    let text = merels.yes("reproduce");
    assert!(text.contains("Positions, to the next mill: value / plies"), "{text}");
    assert!(text.contains("win / 187"), "{text}");
    assert!(text.contains("run `merels solve 8-7 --rules nine --metric dtc --db "), "{text}");
}
