//! `merels export` as its users meet it.

use super::{Merels, files};
use serde_json::{Value, json};

/// A solved game, its export, and the directories both are in.
fn exported(rules: &str) -> (tempfile::TempDir, Merels, Merels) {
    let directory = tempfile::tempdir().unwrap();
    let source = Merels::at(&directory.path().join("depths"));
    let target = Merels::at(&directory.path().join("outcomes"));
    source.yes(&format!("solve --rules {rules} -q"));
    source.yes(&format!("export --wdl {} --rules {rules} -q", target.root.display()));
    (directory, source, target)
}

fn refused(merels: &Merels, words: &str, parts: &[&str]) {
    let before = files(&merels.root);
    let run = merels.run(words);
    assert_eq!((run.status, run.stderr.lines().count()), (2, 1), "{words}: {}", run.stderr);
    for part in parts {
        assert!(run.stderr.contains(part), "{words}: {part} is not in: {}", run.stderr);
    }
    assert!(files(&merels.root) == before, "{words} changed files");
}

#[test]
fn test_what_an_export_says() {
    let directory = tempfile::tempdir().unwrap();
    let source = Merels::at(&directory.path().join("depths"));
    source.yes("solve --rules three -q");
    let target = directory.path().join("outcomes");
    let words = format!("export --wdl {} --rules three", target.display());
    let first = source.json_lines(&format!("{words} 3-3"));
    assert_eq!(
        (first.len(), &first[0]["unit"], &first[0]["slots"]),
        (1, &json!("3-3"), &json!(320))
    );
    assert!(first[0]["file_bytes"].as_u64() < first[0]["source_bytes"].as_u64());
    let text = source.yes(&words);
    let last = text.lines().last().unwrap();
    assert!(last.starts_with("exported "), "{text}");
    for part in [" values, ", " of depths as ", " of outcomes; ", " wall", "outcomes/three"] {
        assert!(last.contains(part), "{last}");
    }
    let before = files(&target);
    assert!(source.yes(&words).starts_with("already exported: all "));
    assert!(files(&target) == before);
    assert_eq!(source.yes(&format!("{words} -q")), "");
}

#[test]
fn test_a_database_of_outcomes_answers_without_plies() {
    let (_directory, source, target) = exported("three");
    let answer = target.json("query start --rules three");
    assert_eq!((&answer["value"], &answer["plies"]), (&json!("win"), &json!(null)));
    assert_eq!(answer["depths"], false);
    assert_eq!(answer["turns"][0], json!({"turn": "b2", "value": "win", "plies": null}));
    let text = target.yes("query start b2 --rules three");
    assert!(text.contains("Black to move: a loss\n"), "{text}");
    assert_eq!(text.matches("stores no depths").count(), 1, "{text}");
    assert!(!source.yes("query start b2 --rules three").contains("stores no depths"));
    let text = target.yes("query .../.../..._w_0_0 --rules three");
    assert!(text.contains("Game over: White has") && !text.contains("depths"), "{text}");
    let parts = ["win, draw or loss only", "leave out --line"];
    refused(&target, "query start --line --rules three", &parts);
}

#[test]
fn test_the_moving_phase_of_a_thin_export_can_be_verified() {
    let directory = tempfile::tempdir().unwrap();
    let source = Merels::at(&directory.path().join("depths"));
    let target = Merels::at(&directory.path().join("thin"));
    source.yes("solve --rules six+men=4 -q");
    source.yes(&format!("export --wdl {} --thin --rules six+men=4 -q", target.root.display()));
    let parts = ["cannot verify", "--thin leaves such tables out", "--phase moving", "--files"];
    refused(&target, "verify --rules six+men=4", &parts);
    let moving = target.json("verify --rules six+men=4 --phase moving");
    assert_eq!(moving["right"], true);
    let subspace = |table: &Value| table["subspace"].as_str().unwrap().to_string();
    let tables = moving["tables"].as_array().unwrap();
    assert!(tables.len() > 2 && tables.iter().all(|table| !subspace(table).contains('+')));
    assert!(target.yes("verify --rules six+men=4 --files").contains("whole"));
    let whole = source.json("verify --rules six+men=4");
    assert!(whole["tables"].as_array().unwrap().len() > tables.len());
    let parts = ["0-0+4+4", "--phase"];
    refused(&source, "verify 0-0+4+4 --phase moving --rules six+men=4", &parts);
}

#[test]
fn test_other_commands_know_what_they_have() {
    let (_directory, source, target) = exported("three");
    let rows = target.json("stats --rules three");
    for (row, exact) in
        rows.as_array().unwrap().iter().zip(source.json("stats --rules three").as_array().unwrap())
    {
        for field in ["subspace", "to_move", "classes", "slots", "wins", "draws", "losses"] {
            assert_eq!(row[field], exact[field]);
        }
        assert_eq!((&row["max_win_plies"], &row["max_loss_plies"]), (&json!(null), &json!(null)));
    }
    let kind = ["win, draw or loss only"];
    std::fs::remove_file(target.root.join("three/3-3.mdb")).unwrap();
    refused(
        &target,
        "stats 3-3 --rules three",
        &["not among the outcomes", "`merels export 3-3 --wdl "],
    );
    source.yes(&format!("export 3-3 --wdl {} --rules three", target.root.display()));
    refused(&target, "stats --histogram --rules three", &kind);
    refused(&target, "solve --rules three", &[kind[0], "choose another --db"]);
    refused(&target, "reproduce --rules three", &[kind[0], "with --db"]);
    assert!(target.yes("verify --files --rules three").contains("whole"));
    let text = target.yes("verify --rules three -q");
    assert!(text.contains("all right: ") && text.contains("no proof"), "{text}");
    let values: Value = target.json("verify --rules three");
    assert_eq!((&values["right"], &values["tables"][0]["depths"]), (&json!(true), &json!(false)));
}

#[test]
fn test_the_database_itself_and_other_depths_are_no_targets() {
    let (directory, source, _target) = exported("three");
    let root = directory.path().display();
    let words = |to: &str| format!("export --wdl {root}/{to} --rules three");
    refused(&source, &words("depths"), &["is the database itself", "choose another directory"]);
    refused(&source, &words("depths/three"), &["is the directory of one rule set"]);
    let other = Merels::at(&directory.path().join("other"));
    other.yes("solve 3-3 --rules three -q");
    refused(&source, &words("other"), &["other/three/3-3.mdb stores depths"]);
}
