//! `--extended` and `stats --starts` as their users meet them.

use super::{Merels, database, files};
use merels::rules::Rules;
use merels::storage::Database;
use serde_json::{Value, json};

const FOUR: &str = "--rules six --rule men=4";

/// The start with those men among those of `stats --starts`.
fn start(starts: &Value, white: u8, black: u8) -> &Value {
    let is_it =
        |start: &&Value| (&start["white"], &start["black"]) == (&json!(white), &json!(black));
    starts.as_array().unwrap().iter().find(is_it).unwrap()
}

#[test]
fn test_all_starts_from_end_to_end() {
    let directory = tempfile::tempdir().unwrap();
    let merels = Merels::at(directory.path());
    let name =
        |row: &Value| (row["subspace"].clone(), row["to_move"].clone(), row["slots"].clone());
    let names = |rows: &[Value]| rows.iter().map(name).collect::<Vec<_>>();
    let planned = merels.json_lines(&format!("plan {FOUR} --extended"));
    assert_eq!(names(&planned), names(&merels.json_lines(&format!("plan {FOUR} --extended=4"))));
    assert!(planned.len() > merels.json_lines(&format!("plan {FOUR}")).len());
    let solved = merels.json_lines(&format!("solve {FOUR} --extended"));
    assert_eq!(names(&planned), names(&solved));

    let before = files(directory.path());
    for options in ["", "--extended", "--extended=3"] {
        let text = merels.yes(&format!("solve {FOUR} {options}"));
        assert!(text.starts_with("already solved: all "), "{options}: {text}");
    }
    assert_eq!(files(directory.path()), before);
    assert_eq!(merels.json(&format!("verify {FOUR}"))["right"], true);
    assert_eq!(merels.json(&format!("verify {FOUR} --files"))["whole"], true);
    let rows = merels.json(&format!("stats {FOUR}"));
    assert_eq!(rows.as_array().unwrap().len(), solved.len());
    let report = merels.json(&format!("reproduce {FOUR}"));
    assert_eq!((&report["equal"], &report["differing"]), (&json!(1), &json!(0)));

    let starts = merels.json(&format!("stats --starts {FOUR}"));
    assert_eq!(starts.as_array().unwrap().len(), 25);
    for white in 0..=4 {
        for black in 0..=4 {
            let asked =
                merels.json(&format!("query .../.../..../.../..._w_{white}_{black} {FOUR}"));
            let start = start(&starts, white, black);
            let same = ["value", "plies"].iter().all(|field| start[field] == asked[field]);
            assert!(same, "{white} {black}: {start} {asked}");
        }
    }
}

#[test]
fn test_what_is_solved_along_with_a_plan_is_listed_with_it() {
    let directory = tempfile::tempdir().unwrap();
    let merels = Merels::at(directory.path());
    merels.yes(&format!("solve {FOUR} --extended -q"));
    let ordinary = merels.json_lines(&format!("plan {FOUR}")).len();
    let rules = Rules::parse("six+men=4").unwrap();
    database::age(&Database::open(directory.path(), &rules).unwrap());
    let planned = merels.json_lines(&format!("plan {FOUR}"));
    assert!(planned.len() > ordinary);
    let left: Vec<Value> = planned.into_iter().filter(|side| side["solved"] == false).collect();
    let solved = merels.json_lines(&format!("solve {FOUR}"));
    let names = |rows: &[Value]| -> Vec<(Value, Value)> {
        rows.iter().map(|row| (row["subspace"].clone(), row["to_move"].clone())).collect()
    };
    assert_eq!(names(&left), names(&solved));
    assert!(merels.yes(&format!("solve {FOUR}")).starts_with("already solved: all "));
}

#[test]
fn test_a_start_that_is_not_solved_is_a_dash() {
    let directory = tempfile::tempdir().unwrap();
    let merels = Merels::at(directory.path());
    merels.yes("solve --rules three+men=4 --extended=3 -q");
    let starts = merels.json("stats --starts --rules three+men=4");
    let found = |white, black| start(&starts, white, black);
    assert_eq!(*found(3, 3), json!({"white": 3, "black": 3, "value": "win", "plies": 9}));
    assert_eq!(*found(3, 4), json!({"white": 3, "black": 4, "value": null, "plies": null}));
    assert_eq!(*found(2, 4), json!({"white": 2, "black": 4, "value": "loss", "plies": 0}));
    assert_eq!(
        merels.yes("stats --starts --rules three+men=4"),
        "The empty board, White to move; men in hand: White's by line, Black's by column\n\
        \x20       0       1       2       3       4\n\
         0  loss 0  loss 0  loss 0  loss 0  loss 0\n\
         1  loss 0  loss 0  loss 0  loss 0  loss 0\n\
         2  loss 0  loss 0  loss 0  loss 0  loss 0\n\
         3   win 1   win 1   win 1   win 9       -\n\
         4   win 1   win 1   win 1       -       -\n"
    );
    merels.yes("solve --rules three+men=4 -q");
    let starts = merels.json("stats --starts --rules three+men=4");
    assert_eq!(start(&starts, 3, 4)["value"], json!(null), "no ordinary game leads there");
    assert_ne!(start(&starts, 4, 4)["value"], json!(null));
}

#[test]
fn test_starts_of_other_metrics_and_of_outcomes() {
    let directory = tempfile::tempdir().unwrap();
    let merels = Merels::at(&directory.path().join("depths"));
    merels.yes(&format!("solve {FOUR} --extended --metric dtc -q"));
    merels.yes(&format!("solve {FOUR} --extended -q"));
    let to_win = merels.json(&format!("stats --starts {FOUR}"));
    let to_mill = merels.json(&format!("stats --starts {FOUR} --metric dtc"));
    let thin = Merels::at(&directory.path().join("outcomes"));
    merels.yes(&format!("export --wdl {} --thin {FOUR} -q", thin.root.display()));
    let outcomes = thin.json(&format!("stats --starts {FOUR}"));
    for start in to_win.as_array().unwrap() {
        let [white, black] = ["white", "black"].map(|men| start[men].as_u64().unwrap() as u8);
        let mill = self::start(&to_mill, white, black);
        let outcome = self::start(&outcomes, white, black);
        assert_eq!([&mill["value"], &outcome["value"]], [&start["value"]; 2]);
        assert!(mill["plies"].as_u64() <= start["plies"].as_u64());
        if white.min(black) >= 3 {
            assert_eq!((&outcome["plies"], &outcome["depths"]), (&json!(null), &json!(false)));
        }
    }
    let text = merels.yes(&format!("stats --starts {FOUR} --metric dtc"));
    assert!(text.starts_with("The empty board, White to move, plies to the next mill; "), "{text}");
}

#[test]
fn test_the_moving_phase_of_extended_games() {
    let merels = Merels::at(std::path::Path::new("no-such-directory"));
    let rows = merels.json_lines("plan --rules six --extended=4 --phase moving");
    let names: Vec<&str> = rows.iter().map(|row| row["subspace"].as_str().unwrap()).collect();
    assert_eq!(names, ["3-3", "4-3", "4-3", "4-4"]);
}
