//! Bad input: one clear line, exit status 2, and every file as it was.

use super::{Merels, files};
use std::fs;
use std::path::Path;

/// A database with `three` whole and the smallest unit of `six`.
fn database(root: &Path) -> Merels {
    let merels = Merels::at(root);
    merels.yes("solve --rules three -q");
    merels.yes("solve 3-3 --rules six -q");
    merels
}

/// Runs `words`, which must be refused with a line that holds all of `parts`.
fn refused(merels: &Merels, words: &str, parts: &[&str]) {
    let before = files(&merels.root);
    let run = merels.run(words);
    assert_eq!(run.status, 2, "{words}: {}{}", run.stdout, run.stderr);
    assert!(
        run.stderr.starts_with("merels: ") && run.stderr.lines().count() == 1,
        "{}",
        run.stderr
    );
    for part in parts {
        assert!(run.stderr.contains(part), "{words}: {part} is not in: {}", run.stderr);
    }
    assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
    assert!(files(&merels.root) == before, "{words} changed files");
}

#[test]
fn test_rules_positions_turns_and_subspaces() {
    let directory = tempfile::tempdir().unwrap();
    let merels = database(directory.path());
    let cases: &[(&str, &[&str])] = &[
        ("", &["merels: no command given: see `merels --help`\n"]),
        ("frobnicate", &["unrecognized subcommand 'frobnicate'"]),
        ("plan --frob", &["unexpected argument '--frob'", "see `merels plan --help`"]),
        ("query", &["<POSITION>", "see `merels query --help`"]),
        ("plan --threads 0", &["'--threads <N>'"]),
        (
            "solve --metric foo",
            &["'foo' for '--metric <METRIC>'", "dtw, dtc", "merels solve --help"],
        ),
        ("query start --metric", &["'--metric <METRIC>'", "dtw, dtc"]),
        ("reproduce --metric dtc", &["unexpected argument '--metric'"]),
        ("solve --memory lots", &["expected a size such as 8GiB", "see `merels solve --help`"]),
        ("plan --threads -1", &["'--threads <N>'", "-1 is not in 1..=4096"]),
        ("plan --memory -5GiB", &["'--memory <SIZE>'", "expected a size such as 8GiB"]),
        ("solve --memory 9999TB", &["--memory 9999.0 TB: this machine has", "allow less"]),
        ("solve --memory 0", &["'--memory <SIZE>'", "a number of bytes from 1"]),
        ("verify --sample -1", &["'--sample <N>'", "a number of slots from 1"]),
        ("inspect -1_0_9_9_0_0", &["cannot read the position", "-1"]),
        ("query -1_0_9_9_0_0", &["cannot read the position", "-1"]),
        ("perft 2 -1_0_9_9_0_0", &["cannot read the position", "-1"]),
        ("inspect --frob start", &["'--frob'", "neither an option nor a position"]),
        ("plan --rules six+men=4+men=5", &["rule option men is given twice"]),
        ("plan --rules six+men=4 --rule men=5", &["rule option men is given twice"]),
        ("perft 99", &["99 is not in 1..=20"]),
        ("verify --sample 0 --rules three", &["--sample"]),
        ("verify --sample 1 --files", &["cannot be used with"]),
        ("plan --rules nin", &["unknown rule set 'nin': known are nine,"]),
        ("plan --rules six+fly=1", &["unknown rule option 'fly'"]),
        ("plan --rule flying=maybe", &["expected at-three"]),
        ("plan --rule men", &["not of the form key=value"]),
        ("plan --rule men=13", &["a number from 3 to 12"]),
        ("solve --rules six --rule men=9", &["18 men do not fit on 16 points"]),
        ("inspect ......", &["expected 4 fields", "their start is '.../"]),
        ("inspect .../.../.../W.BBB./.../..../..._w_9_9", &["row 6 has 4 points, expected 3"]),
        ("inspect Q../.../.../....../.../.../..._w_9_9", &["unknown letter 'Q'"]),
        ("inspect .../.../.../....../.../.../..._x_9_9", &["side: 'x' is not w or b"]),
        ("inspect .../.../..._w_3_3", &["9-point board", "--rules chooses the board"]),
        ("inspect 0_0_9_9_0", &["malom: expected 6 fields"]),
        ("inspect 1_1_8_8_0_0", &["two men stand on"]),
        ("inspect ********/********_w", &["sanmill FEN"]),
        ("inspect 0_0_3_3_0_0 --rules three", &["24-point board only"]),
        ("inspect start d9", &["no point 'd9' on the 24-point board"]),
        ("inspect start d2-", &["is not a turn"]),
        ("query start b2 zz --rules three", &["turn 2", "zz"]),
        ("query start b2 b2 --rules three", &["turn 2", "b2"]),
        ("plan 9", &["'9' is not a subspace: expected W-B"]),
        ("plan 10-3", &["give each player 9 men, not 10", "merels plan"]),
        ("plan 3-3+200+56 --phase moving", &["3-3+200+56", "leave out --phase"]),
        ("plan 255-255+255+255", &["not 510"]),
        ("solve 2-3 --rules three", &["fewer than 3 men"]),
        ("stats 4-3 --rules three", &["give each player 3 men, not 4"]),
        ("solve 3-3+1+1 --rules six --phase moving", &["leave out --phase"]),
        ("plan --extended=7 --rules six", &["--extended=7", "'six'", "with 3 to 6 men in hand"]),
        (
            "solve --extended=2",
            &["--extended=2", "with 3 to 9 men in hand", "leave out the number"],
        ),
        ("plan --extended=many", &["'many' for '--extended[=<N>]'", "expected a number of men"]),
        ("solve --extended=-1", &["'-1' for '--extended[=<N>]'", "expected a number of men"]),
        ("plan --extended=", &["--extended[=<N>]", "merels plan --help"]),
        ("solve --extended 6", &["'--extended[=<N>]' cannot be used with '[SUBSPACE]...'"]),
        ("plan 3-3 --extended=3", &["'[SUBSPACE]...' cannot be used with '--extended[=<N>]'"]),
        ("stats --starts 3-3 --rules three", &["'--starts' cannot be used with"]),
        ("stats --starts --histogram --rules three", &["'--starts' cannot be used with"]),
        ("stats --starts --rules lasker", &["no database of rules 'lasker'"]),
        ("export", &["export needs --wdl DIR, the one kind of export there is"]),
        ("export --wdl out 4-3 --rules three", &["give each player 3 men, not 4"]),
        ("bench --rules six", &["leave out --rules"]),
        ("stats --rules three --plot /nowhere/a.svg", &["cannot write /nowhere/a.svg"]),
    ];
    for (words, parts) in cases {
        refused(&merels, words, parts);
    }
}

#[test]
#[cfg(unix)]
fn test_arguments_that_are_no_text_and_texts_of_many_lines() {
    use std::os::unix::ffi::OsStrExt;
    let merels = Merels::at(Path::new("no-such-directory"));
    let bytes = std::ffi::OsStr::from_bytes(b"a\xff\n");
    for words in [["inspect".as_ref(), bytes], ["plan", "x\ny\u{1b}"].map(AsRef::as_ref)] {
        let run = merels.run_words(&words);
        assert_eq!((run.status, run.stderr.lines().count()), (2, 1), "{}", run.stderr);
    }
}

#[test]
fn test_missing_and_foreign_directories() {
    let directory = tempfile::tempdir().unwrap();
    let merels = database(directory.path());
    let root = directory.path().display();
    refused(
        &merels,
        "query start",
        &["no database of rules 'nine'", "run `merels solve --rules nine"],
    );
    refused(&merels, "stats --rules three-flying", &["it holds rules six, three"]);
    refused(
        &merels,
        &format!("stats --db {root}/three --rules three"),
        &["the directory above it"],
    );
    refused(
        &merels,
        &format!("solve --db {root}/three --rules three"),
        &["the directory above it"],
    );
    let file = directory.path().join("three").join("3-3.mdb");
    refused(&merels, &format!("solve --db {}", file.display()), &["is not a directory"]);
    fs::create_dir(directory.path().join("lasker")).unwrap();
    refused(&merels, "verify --rules lasker", &["no unit of rules 'lasker' is solved"]);
}

#[test]
fn test_a_table_that_the_game_leaves_out_is_told_from_one_not_solved_yet() {
    let directory = tempfile::tempdir().unwrap();
    let merels = database(directory.path());
    let note = "; no game from the empty board comes to such numbers of men";
    // White has placed a man more than in any game with White to move.
    let parts = ["subspace 1-0+2+3 is not solved yet: run `merels solve 1-0+2+3 ", note];
    refused(&merels, "query W../.../..._w_2_3 --rules three", &parts);
    let run = merels.run("query start --rules six");
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("is not solved yet") && !run.stderr.contains(note));
}

#[test]
fn test_a_database_of_placing_alone_has_no_moving_phase_to_verify() {
    let directory = tempfile::tempdir().unwrap();
    let merels = database(directory.path());
    fs::remove_file(directory.path().join("three").join("3-3.mdb")).unwrap();
    let parts =
        ["no unit of the moving phase of rules 'three' is solved in ", "--phase moving --db "];
    refused(&merels, "verify --phase moving --rules three", &parts);
}

#[test]
fn test_a_probe_outside_what_is_solved_names_the_subspace_and_the_command() {
    let directory = tempfile::tempdir().unwrap();
    let merels = database(directory.path());
    let position = "WWW/W.B/..../.B./B.._w_0_0";
    let parts = ["subspace 4-3 is not solved yet", "run `merels solve 4-3 --rules six --db "];
    refused(&merels, &format!("query {position} --rules six"), &parts);
    refused(&merels, "stats 4-4 --rules six", &["subspace 4-4 is not solved yet"]);
    refused(&merels, "verify 5-4 --rules six", &["subspace 5-4 is not solved yet"]);
}

/// Replaces a file by `bytes` and expects all of `commands` to refuse it.
fn refuses_file(
    name: &str,
    change: impl Fn(Vec<u8>) -> Vec<u8>,
    commands: &[&str],
    parts: &[&str],
) {
    let directory = tempfile::tempdir().unwrap();
    let merels = database(directory.path());
    let path = directory.path().join(name);
    fs::write(&path, change(fs::read(&path).unwrap())).unwrap();
    let shown = path.display().to_string();
    for words in commands {
        refused(&merels, words, &[parts, &[&shown]].concat());
    }
}

#[test]
fn test_truncated_and_altered_files() {
    let opening = [
        "solve --rules three",
        "plan --rules three",
        "stats --rules three",
        "query start b2 a1 b1 b3 a2 --rules three",
    ];
    let out = "move it away and run `merels solve 3-3 --rules three --db ";
    let cut = |mut bytes: Vec<u8>| {
        bytes.truncate(bytes.len() / 2);
        bytes
    };
    refuses_file("three/3-3.mdb", cut, &opening, &["bytes, expected", out]);
    refuses_file("three/3-3.mdb", |_| Vec::new(), &opening, &[out]);
    refuses_file(
        "three/3-3.mdb",
        |_| b"something else".repeat(9),
        &opening,
        &["not a database file", out],
    );
}

#[test]
fn test_a_file_that_is_no_unit_of_the_rules_is_only_to_be_moved_away() {
    for name in ["2-2.mdb", "9-9.mdb"] {
        let directory = tempfile::tempdir().unwrap();
        let merels = database(directory.path());
        fs::write(directory.path().join("three").join(name), "something else").unwrap();
        let run = merels.run("stats --rules three");
        assert_eq!(run.status, 2, "{}", run.stdout);
        assert!(run.stderr.ends_with("; move it away\n"), "{}", run.stderr);
    }
}

#[test]
#[cfg(unix)]
fn test_pipes_and_directories_in_the_place_of_files() {
    let directory = tempfile::tempdir().unwrap();
    let merels = database(directory.path());
    let three = directory.path().join("three");
    let pipe = three.join("3-2+0+1.mdb");
    if pipe.exists() {
        fs::remove_file(&pipe).unwrap();
    }
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for words in ["stats --rules three", "solve --rules three", "plan --rules three"] {
        let run = merels.run(words);
        assert_eq!(run.status, 2, "{words}: {}", run.stdout);
        assert!(run.stderr.ends_with("is not a regular file: move it away\n"), "{}", run.stderr);
    }
    fs::remove_file(&pipe).unwrap();
    fs::write(directory.path().join("lasker"), "").unwrap();
    for words in ["stats --rules lasker", "solve --rules lasker", "plan --rules lasker"] {
        refused(&merels, words, &["lasker is not a directory: move it away"]);
    }
}

#[test]
fn test_a_plot_replaces_nothing_but_pictures() {
    let directory = tempfile::tempdir().unwrap();
    let merels = database(directory.path());
    let root = directory.path().display();
    fs::write(directory.path().join("notes"), "not a picture").unwrap();
    fs::copy(directory.path().join("three/3-3.mdb"), directory.path().join("copy.svg")).unwrap();
    let cases = [
        ("three/3-3.mdb", "database file"),
        ("new.mdb", "database file"),
        ("three/new.svg", "in a directory of the database"),
        ("notes", "no SVG picture"),
        ("copy.svg", "no SVG picture"),
    ];
    for (name, reason) in cases {
        let words = format!("stats --rules three --plot {root}/{name}");
        refused(&merels, &words, &[name, reason, "choose another name"]);
    }
    let picture = directory.path().join("picture.svg");
    for before in ["", "<svg></svg>", "<?xml version='1.0'?>"] {
        fs::write(&picture, before).unwrap();
        merels.yes(&format!("stats --rules three --plot {root}/picture.svg"));
        assert!(fs::read_to_string(&picture).unwrap().len() > 100);
    }
}

#[test]
fn test_every_altered_byte_is_found() {
    let directory = tempfile::tempdir().unwrap();
    let merels = database(directory.path());
    let path = directory.path().join("three").join("3-3.mdb");
    let whole = fs::read(&path).unwrap();
    for at in (0..whole.len()).step_by(7) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x40;
        fs::write(&path, bytes).unwrap();
        refused(&merels, "verify --files --rules three", &["3-3.mdb"]);
    }
    fs::write(&path, whole).unwrap();
    merels.yes("verify --files --rules three");
}

#[test]
fn test_a_file_of_other_rules_or_of_another_unit() {
    let directory = tempfile::tempdir().unwrap();
    let merels = database(directory.path());
    let (three, six) = (directory.path().join("three"), directory.path().join("six"));
    fs::copy(six.join("3-3.mdb"), three.join("3-3.mdb")).unwrap();
    let parts = ["holds rules 'six'", "expected 'three'", "choose the rules with --rules"];
    for words in ["solve --rules three", "stats --rules three", "verify 3-3 --rules three"] {
        refused(&merels, words, &parts);
    }
    fs::copy(six.join("3-3.mdb"), six.join("4-3.mdb")).unwrap();
    refused(&merels, "stats --rules six", &["holds unit 3-3, expected '4-3'", "move it away"]);
    fs::remove_file(six.join("3-3.mdb")).unwrap();
    refused(&merels, "stats --rules six", &["holds unit 3-3, expected '4-3'", "rename it 3-3.mdb"]);
}

#[test]
fn test_a_file_of_another_metric() {
    let directory = tempfile::tempdir().unwrap();
    let merels = database(directory.path());
    merels.yes("solve 3-3 --rules six --metric dtc -q");
    let (six, conversion) = (directory.path().join("six"), directory.path().join("six.dtc"));
    let [to_win, to_mill] =
        [&six, &conversion].map(|directory| fs::read(directory.join("3-3.mdb")).unwrap());
    assert_ne!(to_win, to_mill);
    fs::write(six.join("3-3.mdb"), &to_mill).unwrap();
    fs::write(conversion.join("3-3.mdb"), &to_win).unwrap();
    let (dtw, dtc) = ("metric dtw (depth to win)", "metric dtc (depth to conversion)");
    let position = "WW./W../..../.B./BB._w_0_0";
    let query = format!("query {position}");
    for command in ["solve 3-3", "plan 3-3", "stats", "verify", "verify --files", &query] {
        let parts = [&format!("holds {dtc}, expected {dtw}"), "choose with --metric"];
        refused(&merels, &format!("{command} --rules six"), &parts);
        let parts = [&format!("holds {dtw}, expected {dtc}"), "six.dtc/3-3.mdb"];
        refused(&merels, &format!("{command} --rules six --metric dtc"), &parts);
    }
    fs::write(conversion.join("3-3.mdb"), "something else").unwrap();
    let out = "move it away and run `merels solve 3-3 --rules six --metric dtc --db ";
    refused(&merels, "stats --rules six --metric dtc", &[out]);
}

#[test]
fn test_a_metric_that_is_not_solved_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let merels = database(directory.path());
    let parts =
        ["no database of rules 'six' with metric dtc", "solve --rules six --metric dtc --db "];
    refused(&merels, "stats --rules six --metric dtc", &parts);
    fs::create_dir(directory.path().join("six.dtc")).unwrap();
    let parts = ["no unit of rules 'six' is solved", "solve --rules six --metric dtc --db "];
    refused(&merels, "verify --rules six --metric dtc", &parts);
    let parts =
        ["subspace 4-4 is not solved yet with metric dtc", "solve 4-4 --rules six --metric dtc"];
    refused(&merels, "stats 4-4 --rules six --metric dtc", &parts);
}
