//! Plan, solve, verify, stats, query, inspect, perft: the small games from end to end.

use super::{Merels, Run, files};
use merels::rules::Rules;
use merels::storage::{Database, UnitPlan};
use merels::value::Distance;
use serde_json::{Value, json};
use std::process::Stdio;

const GAMES: [&str; 4] = ["three", "three-orthogonal", "three-flying", "six+men=4"];

fn sum(rows: &[Value], field: &str) -> u64 {
    rows.iter().map(|row| row[field].as_u64().unwrap()).sum()
}

#[test]
fn test_the_small_games_run_from_end_to_end() {
    for game in GAMES {
        let directory = tempfile::tempdir().unwrap();
        let merels = Merels::at(directory.path());
        let planned = merels.json_lines(&format!("plan --rules {game}"));
        assert!(files(directory.path()).is_empty(), "a plan writes nothing");
        assert!(planned.iter().all(|side| side["solved"] == false));
        let solved = merels.json_lines(&format!("solve --rules {game}"));
        check_solved(game, &planned, &solved);
        check_stats(&merels, game, &solved);
        check_verified(&merels, game, &solved);
        let planned = merels.json_lines(&format!("plan --rules {game}"));
        assert!(planned.iter().all(|side| side["solved"] == true));
        let before = files(directory.path());
        let text = merels.yes(&format!("solve --rules {game}"));
        assert!(text.starts_with("already solved: all"), "{text}");
        assert_eq!(files(directory.path()), before);
    }
}

fn check_solved(game: &str, planned: &[Value], solved: &[Value]) {
    let names = |rows: &[Value]| -> Vec<(Value, Value, Value)> {
        let key =
            |row: &Value| (row["subspace"].clone(), row["to_move"].clone(), row["slots"].clone());
        rows.iter().map(key).collect()
    };
    assert_eq!(names(planned), names(solved), "{game}");
    for row in solved {
        let classes = ["wins", "draws", "losses"].map(|f| row[f].as_u64().unwrap()).iter().sum();
        assert_eq!(row["classes"].as_u64(), Some(classes));
        assert!(row["seconds"].as_f64().unwrap() >= 0.0 && row["cpu_seconds"].is_number());
        assert!(row["edges"].is_u64() && row["waves"].is_u64());
        assert!(row["max_win_plies"].is_u64() || row["max_win_plies"].is_null());
    }
}

fn check_stats(merels: &Merels, game: &str, solved: &[Value]) {
    let stats = merels.json(&format!("stats --rules {game} --histogram"));
    let stats = stats.as_array().unwrap();
    assert_eq!(stats.len(), solved.len());
    for row in stats {
        let is_same = |other: &&Value| {
            (&other["subspace"], &other["to_move"]) == (&row["subspace"], &row["to_move"])
        };
        let same = solved.iter().find(is_same).unwrap();
        for (field, value) in row.as_object().unwrap() {
            assert!(field == "histogram" || same[field] == *value, "{game} {field}");
        }
        let by_depth = row["histogram"].as_object().unwrap();
        let decided: u64 = by_depth.values().map(|n| n.as_u64().unwrap()).sum();
        assert_eq!(decided, row["wins"].as_u64().unwrap() + row["losses"].as_u64().unwrap());
    }
    let text = merels.yes(&format!("stats --rules {game}"));
    assert!(text.contains("classes") && text.contains(&format!("{} tables: ", stats.len())));
}

fn check_verified(merels: &Merels, game: &str, solved: &[Value]) {
    let values = merels.json(&format!("verify --rules {game}"));
    let tables = values["tables"].as_array().unwrap();
    assert_eq!(values["right"], true);
    assert_eq!(sum(tables, "checked"), sum(solved, "slots"));
    let sample = merels.json(&format!("verify --rules {game} 3-3 --sample 7"));
    assert_eq!(sample["tables"][0]["checked"], 7);
    let checked = merels.json(&format!("verify --rules {game} --files"));
    assert_eq!(checked["whole"], true);
    assert!(checked["files"].as_array().unwrap().iter().all(|file| file["frames"].is_u64()));
    assert!(merels.yes(&format!("verify --rules {game} -q")).contains("all right"));
    // Without a terminal progress is a line per table.
    let followed = merels.run(&format!("verify --rules {game} 3-3"));
    assert_eq!(followed.status, 0);
    assert!(followed.stderr.starts_with("3-3: ") && followed.stderr.lines().count() == 1);
}

#[test]
fn test_three_mens_morris_is_won_by_the_centre_only() {
    let directory = tempfile::tempdir().unwrap();
    let merels = Merels::at(directory.path());
    merels.yes("solve --rules three -q");
    let answer = merels.json("query start --rules three --line");
    assert_eq!(
        (&answer["rules"], &answer["position"]),
        (&json!("three"), &json!(".../.../... w 3 3"))
    );
    assert_eq!((&answer["value"], &answer["plies"]), (&json!("win"), &json!(9)));
    assert_eq!(answer["turns"][0], json!({"turn": "b2", "value": "win", "plies": 9}));
    assert!(answer["turns"].as_array().unwrap()[1..].iter().all(|turn| turn["value"] != "win"));
    assert_eq!(answer["line"].as_array().unwrap().len(), 9);
    let text = merels.yes("query start b2 --rules three");
    assert!(text.contains("Black to move: White wins in 8 plies"), "{text}");
    let text = merels.yes("query .../.../..._w_0_0 --rules three");
    assert!(text.contains("Game over: White has"), "{text}");
    let answer = merels.json("query .../.../..._b_0_0 --rules three-flying --rule flying=never");
    assert_eq!((&answer["value"], &answer["plies"]), (&json!("loss"), &json!(0)));
}

#[test]
fn test_six_with_four_men_is_a_draw() {
    let directory = tempfile::tempdir().unwrap();
    let merels = Merels::at(directory.path());
    let text = merels.yes("solve --rules six --rule men=4 --memory 1MiB");
    assert!(text.lines().last().unwrap().starts_with("solved "), "{text}");
    let answer = merels.json("--rule men=4 query start --rules six");
    assert_eq!((&answer["value"], &answer["plies"]), (&json!("draw"), &json!(null)));
    let plot = directory.path().join("depths.svg");
    merels.yes(&format!("stats 3-3 --rules six+men=4 --plot {}", plot.display()));
    assert!(std::fs::read_to_string(plot).unwrap().starts_with("<svg"));
    let rows = merels.json("stats 3-3 --rules six+men=4 --reachable");
    assert!(rows[0]["reachable"].as_u64().unwrap() <= rows[0]["classes"].as_u64().unwrap());
}

#[test]
fn test_inspect_judges_turns() {
    let merels = Merels::at(std::path::Path::new("no-such-directory"));
    let seen = merels.json("inspect start d2");
    assert_eq!((&seen["phase"], &seen["legal"]), (&json!("placing"), &json!(true)));
    assert_eq!(seen["turns"].as_array().unwrap().len(), 24);
    assert!(seen["flying"].as_array().unwrap().is_empty());
    let run = merels.run("inspect start d2xa1 --json");
    let seen: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.status, &seen["legal"]), (1, &json!(false)));
    assert!(seen["reason"].as_str().unwrap().contains("no mill is closed"));
    assert!(merels.yes("inspect 0_0_9_9_0_0").contains("24 legal turns"));
    assert_eq!(merels.run("inspect start a1-a4").status, 1);
}

#[test]
fn test_inspect_in_the_middle_of_a_turn() {
    let merels = Merels::at(std::path::Path::new("no-such-directory"));
    let fen = "********/@OOOO*@*/**@*****_w_p_r_4_5_3_6_1_0_-1_-1_-1_-1_0_0_4_ids:nodes";
    let seen = merels.json(&format!("inspect {fen}"));
    let mut turns: Vec<&str> =
        seen["turns"].as_array().unwrap().iter().map(|turn| turn.as_str().unwrap()).collect();
    turns.sort_unstable();
    assert_eq!((turns, &seen["owed"]), (vec!["xb4", "xd6", "xg4"], &json!(1)));
    assert!(seen["position"].as_str().unwrap().ends_with(" 5 6 x"), "{}", seen["position"]);
    assert_eq!(seen["mills"], json!({"white": [["f2", "f4", "f6"]], "black": []}));
    assert_eq!(
        (&seen["protected"]["white"], &seen["blocked"]),
        (&seen["mills"]["white"][0], &json!([]))
    );
    assert_eq!(merels.json(&format!("inspect {fen} xb4"))["legal"], true);
    assert_eq!(merels.run(&format!("inspect {fen} xf6")).status, 1);
    assert_eq!(merels.run(&format!("perft 2 {fen}")).status, 2);
}

#[test]
fn test_inspect_answers_players_on_every_board() {
    let merels = Merels::at(std::path::Path::new("no-such-directory"));
    let owed = "inspect WWW/B../B.../.../..._w_3_4_x --rules six";
    let seen = merels.json(owed);
    assert_eq!((&seen["owed"], &seen["turns"]), (&json!(1), &json!(["xa3", "xb4"])));
    assert_eq!(merels.json(&format!("{owed} xb4"))["legal"], true);
    for (question, reason) in [
        ("xa5", "White's own"),
        ("xe1", "e1 is empty then"),
        ("none", "must remove one of a3, b4"),
        ("b4-c4", "no other turn before this one is finished"),
    ] {
        let run = merels.run(&format!("{owed} {question}"));
        assert!(run.status == 1 && run.stdout.contains(reason), "{question}: {}", run.stdout);
    }
    let text = merels.yes("inspect WW./BB./B.../.../..._w_3_2 --rules six --rule flying=always");
    for line in [
        "placing phase: White is to place a man (3 in hand)\n",
        "the game goes on, but White has 2 men on the board and 3 in hand: with 5 in all it plays on\n",
        "White may not fly: White must place first: 3 men still in hand (flying=always)\n",
    ] {
        assert!(text.contains(line), "{text}");
    }
    let text = merels.yes("inspect WBW/.../.../B....B/.../.../WBW_w_0_0 --rule no-move=draws");
    assert!(text.contains("so it is a draw (no-move=draws)\n"), "{text}");
    assert!(text.contains("blockade: yes: all of White's 4 men are blocked (a1 a7 g1 g7)"));
    for words in ["inspect start x", "inspect start xa1xa1", "inspect start_x"] {
        assert_eq!(merels.run(words).status, 2, "{words}");
    }
}

#[test]
fn test_a_removal_owed_with_nothing_to_remove_is_spelled_none() {
    let merels = Merels::at(std::path::Path::new("no-such-directory"));
    let seen = merels.json("inspect 14_0_0_0_0_1 none");
    assert_eq!((&seen["turns"], &seen["legal"]), (&json!(["none"]), &json!(true)));
    let proof = "White owes a removal but has no mill";
    let lone = merels.json("inspect 10_0_0_0_0_1");
    assert_eq!(lone["unreachable"][0], proof);
    let text = merels.yes("inspect 10_0_0_0_0_1");
    assert!(text.contains("and no man may be removed: none\n"), "{text}");
    assert!(text.contains(&format!("no game leads here: {proof}\n")), "{text}");
    assert_eq!(merels.run("inspect 14_0_0_0_0_1 xa1").status, 1);
}

#[test]
fn test_query_in_the_middle_of_a_turn_ranks_the_removals() {
    let directory = tempfile::tempdir().unwrap();
    let merels = Merels::at(directory.path());
    merels.yes("solve 4-3 -q");
    let fen = "*****@**/@**@***@/OO***O*O_w_m_r_4_0_4_0_1_0_-1_-1_-1_-1_0_0_10_ids:nodes";
    let answer = merels.json(&format!("query {fen}"));
    let turns = answer["turns"].as_array().unwrap();
    assert!(turns.iter().all(|turn| turn["turn"].as_str().unwrap().starts_with('x')));
    assert_eq!((turns.len(), &answer["owed"]), (4, &json!(1)));
    assert_eq!(answer["value"], turns[0]["value"]);
    let after = merels.json(&format!("query {fen} xd6"));
    let xd6 = turns.iter().find(|turn| turn["turn"] == "xd6").unwrap();
    let opposite = match xd6["value"].as_str().unwrap() {
        "win" => "loss",
        "loss" => "win",
        _ => "draw",
    };
    assert_eq!(after["value"], opposite);
}

/// Writes the file of 3-3 again, whole and well formed, with another value in its first slot.
fn falsify(root: &std::path::Path, distance: Distance) {
    let rules = Rules::named("three").unwrap();
    let database = Database::open_with(root, &rules, distance).unwrap();
    let unit = database.units().unwrap().last().unwrap().unit;
    let file = database.unit(unit).unwrap().unwrap();
    let info = file.table(unit.first()).unwrap().clone();
    let mut codes = vec![0; info.layout.slots() as usize * file.width().code_bytes()];
    file.read_all(info.table, &mut codes).unwrap();
    codes[0] = if codes[0] == 128 { 1 } else { 128 };
    let (metric, width) = (file.metric(), file.width());
    let plan = UnitPlan { unit, metric, width, tables: vec![(info.table, info.layout)] };
    let mut writer = database.writer(&plan).unwrap();
    writer.write(info.table, &codes).unwrap();
    writer.finish(vec![info.counts]).unwrap();
}

#[test]
fn test_verify_says_no_to_a_false_value() {
    let directory = tempfile::tempdir().unwrap();
    let merels = Merels::at(directory.path());
    for (metric, distance) in [("dtw", Distance::Win), ("dtc", Distance::Conversion)] {
        let options = format!("--rules three --metric {metric}");
        merels.yes(&format!("solve {options} -q"));
        falsify(directory.path(), distance);
        merels.yes(&format!("verify --files {options}"));
        let run = merels.run(&format!("verify {options} --json"));
        assert_eq!((run.status, run.stderr.as_str()), (1, ""));
        let found: Value = serde_json::from_str(&run.stdout).unwrap();
        let is_wrong = |table: &&Value| table["differing"].as_u64().unwrap() > 0;
        let wrong = found["tables"].as_array().unwrap().iter().find(is_wrong).unwrap();
        assert_eq!((&found["right"], &wrong["counts_agree"]), (&json!(false), &json!(false)));
        let (stored, recomputed) =
            (&wrong["differences"][0]["stored"], &wrong["differences"][0]["recomputed"]);
        assert_ne!(stored, recomputed);
        assert!(stored["plies"].is_u64() || recomputed["plies"].is_u64(), "{stored} {recomputed}");
        let run = merels.run(&format!("verify {options}"));
        assert!(run.status == 1 && run.stdout.contains(" recomputed "), "{}", run.stdout);
    }
}

#[test]
fn test_perft_agrees_with_published_counts() {
    let merels = Merels::at(std::path::Path::new("no-such-directory"));
    let rows = merels.json("perft 3 --classes");
    assert_eq!(rows[0], json!({"ply": 1, "sequences": 24, "positions": 24, "classes": 4}));
    assert_eq!(rows[2]["sequences"], 12_144);
    let rows = merels.json("perft 3");
    assert_eq!(rows[2], json!({"ply": 3, "sequences": 12_144}));
    assert!(merels.yes("perft 3").contains("12,144"));
}

#[test]
fn test_every_command_has_an_example_and_its_cost() {
    let merels = Merels::at(std::path::Path::new("no-such-directory"));
    for command in [
        "plan",
        "solve",
        "query",
        "inspect",
        "verify",
        "stats",
        "export",
        "reproduce",
        "perft",
        "bench",
    ] {
        let help = merels.yes(&format!("{command} --help"));
        assert!(help.contains("Example: merels ") && help.contains("Cost: "), "{help}");
        assert!(help.contains("--rules <ID>") && help.contains("--rule <KEY=VALUE>"), "{help}");
    }
    assert!(merels.yes("--version").starts_with("merels "));
    assert!(merels.yes("--help").contains("Show what a solve would do"));
}

#[test]
fn test_a_reader_that_goes_away_is_no_error_and_stops_no_solve() {
    let directory = tempfile::tempdir().unwrap();
    let merels = Merels::at(directory.path());
    for words in [["solve", "--rules", "three"], ["stats", "--rules", "three"]] {
        let mut child = merels.command();
        child.args(words).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = child.spawn().unwrap();
        drop(child.stdout.take());
        let run = Run::of(&child.wait_with_output().unwrap());
        assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{words:?}");
    }
    merels.yes("query start --rules three");
}

#[test]
fn test_options_stand_before_and_after_the_command() {
    let elsewhere = tempfile::tempdir().unwrap();
    let merels = Merels::at(std::path::Path::new("no-such-directory"));
    let db = elsewhere.path().display();
    merels.yes(&format!("--db {db} --rules three -q solve --threads 1"));
    assert_eq!(merels.json(&format!("query start --db {db} --rules three"))["plies"], 9);
    let run = merels.run(&format!("-v query start --db {db} --rules three --json"));
    serde_json::from_str::<Value>(&run.stdout).unwrap();
    assert!(run.stderr.contains("rules three (fingerprint "), "{}", run.stderr);
}

#[test]
fn test_depth_to_conversion_from_end_to_end() {
    let directory = tempfile::tempdir().unwrap();
    let merels = Merels::at(directory.path());
    let options = "--rules six --rule men=4";
    merels.yes(&format!("solve {options} -q"));
    let planned = merels.json_lines(&format!("plan {options} --metric dtc"));
    assert!(planned.iter().all(|side| side["solved"] == false), "the other database is no help");
    merels.yes(&format!("solve {options} --metric dtc -q"));
    let text = merels.yes(&format!("solve {options} --metric dtc"));
    assert!(text.starts_with("already solved: all") && text.ends_with("six+men=4.dtc\n"), "{text}");
    assert!(merels.yes(&format!("verify {options} --metric dtc -q")).contains("all right"));
    let [to_win, to_mill] = ["dtw", "dtc"]
        .map(|metric| merels.json(&format!("stats 4-4 {options} --metric {metric} --histogram")));
    for field in ["classes", "wins", "draws", "losses"] {
        assert_eq!(to_win[0][field], to_mill[0][field]);
    }
    assert!(to_mill[0]["max_win_plies"].as_u64() < to_win[0]["max_win_plies"].as_u64());
    assert_ne!(to_win[0]["histogram"], to_mill[0]["histogram"]);
    let picture = directory.path().join("a.svg");
    merels.yes(&format!("stats 4-4 {options} --metric dtc --plot {}", picture.display()));
    assert!(std::fs::read_to_string(picture).unwrap().contains("plies to the next mill"));
}

#[test]
fn test_query_of_the_plies_to_the_next_mill() {
    let directory = tempfile::tempdir().unwrap();
    let merels = Merels::at(directory.path());
    merels.yes("solve 6-4 --rules six -q");
    merels.yes("solve 6-4 --rules six --metric dtc -q");
    let position = ".../..B/..BB/WWW/WB._w_0_0";
    let query = |options: &str| format!("query {position} --rules six {options}");
    let to_win = merels.json(&query("--line --metric dtw"));
    assert_eq!((&to_win["value"], &to_win["plies"]), (&json!("win"), &json!(7)));
    assert!(to_win.get("metric").is_none());
    assert_eq!(to_win["line"].as_array().unwrap().len(), 7);
    let to_mill = merels.json(&query("--line --metric dtc"));
    assert_eq!((&to_mill["value"], &to_mill["plies"]), (&json!("win"), &json!(3)));
    assert_eq!(to_mill["metric"], "dtc");
    assert_eq!(to_mill["line"], json!(["b2-b3", "e3-e5", "b3-b2xe5"]));
    assert_eq!(to_mill["turns"][0], json!({"turn": "b2-b3", "value": "win", "plies": 3}));
    let text = merels.yes(&query("--metric dtc"));
    assert!(text.contains("White to move: a win, a mill in 3 plies\n"), "{text}");
    let text = merels.yes(&format!("query {position} b2-b3 --rules six --metric dtc"));
    assert!(text.contains("Black to move: a loss, a mill in 2 plies\n"), "{text}");
    // Every turn closes a mill and leaves Black winning.
    let cornered = "B../WB./BWB./.WW/BB._w_0_0";
    let text = merels.yes(&format!("query {cornered} --rules six --metric dtc"));
    assert!(text.contains("White to move: a loss, nothing but removals is left\n"), "{text}");
    let run = merels.run("query start --rules six --metric dtc");
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("--metric dtc --db "), "{}", run.stderr);
}
