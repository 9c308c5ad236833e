//! A solve killed half way and continued, or run with more threads, writes the same bytes.

use super::{Merels, database, files};
use merels::rules::Rules;
use merels::storage::Database;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

const GAME: &str = "six+men=4";

/// Finished files by name.
fn solved(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    files(root).into_iter().map(|(path, bytes)| (name(&path), bytes)).collect()
}

fn whole(threads: usize) -> BTreeMap<String, Vec<u8>> {
    let directory = tempfile::tempdir().unwrap();
    Merels::at(directory.path()).yes(&format!("solve --rules {GAME} -q --threads {threads}"));
    solved(directory.path())
}

/// Starts a solve and kills it when that many files are finished; false if it ended before.
fn killed_after(root: &Path, finished: usize) -> bool {
    let mut command = Merels::at(root).command();
    command.args(["solve", "--rules", GAME]).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let done = || {
        let names = std::fs::read_dir(root.join(GAME)).into_iter().flatten().flatten();
        names.filter(|entry| entry.path().extension().is_some_and(|e| e == "mdb")).count()
    };
    while done() < finished {
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        std::thread::sleep(Duration::from_micros(200));
    }
    child.kill().unwrap();
    !child.wait().unwrap().success()
}

#[test]
fn test_files_do_not_depend_on_threads() {
    assert!(whole(1) == whole(2));
}

#[test]
fn test_a_killed_solve_goes_on_to_the_same_bytes() {
    let expected = whole(2);
    let directory = tempfile::tempdir().unwrap();
    let stops = [1, expected.len() / 4, expected.len() / 2];
    let kills = stops.iter().filter(|&&files| killed_after(directory.path(), files)).count();
    assert!(kills > 0, "no solve was caught at work");
    assert!(solved(directory.path()).len() < expected.len() + 2);
    Merels::at(directory.path()).yes(&format!("solve --rules {GAME} -q"));
    let continued = solved(directory.path());
    assert_eq!(continued.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    assert!(continued == expected);
}

#[test]
fn test_files_of_an_older_arrangement_are_refused_until_they_are_made_anew() {
    let expected = whole(2);
    let directory = tempfile::tempdir().unwrap();
    let merels = Merels::at(directory.path());
    merels.yes(&format!("solve --rules {GAME} -q"));
    database::age(&Database::open(directory.path(), &Rules::parse(GAME).unwrap()).unwrap());
    let older = solved(directory.path());
    for words in ["verify", "verify --sample 10", "query start", "export --wdl OUT"] {
        let words = words.replace("OUT", &directory.path().join("outcomes").to_string_lossy());
        let run = merels.run(&format!("{words} --rules {GAME}"));
        assert_eq!(run.status, 2, "{words}: {}{}", run.stdout, run.stderr);
        assert!(run.stderr.contains("`merels solve"), "{words}: {}", run.stderr);
    }
    assert!(solved(directory.path()) == older);
    // As a solve leaves them that was stopped half way.
    merels.yes(&format!("solve 3-2+1+1 --rules {GAME} -q"));
    let between = solved(directory.path());
    assert!(between != older && between != expected);
    merels.yes(&format!("solve --rules {GAME} -q"));
    assert!(solved(directory.path()) == expected);
}
