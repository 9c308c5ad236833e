//! The command line as its users meet it: the real binary, real directories, small games.

mod bad_input;
#[allow(dead_code)]
#[path = "../common/database.rs"]
mod database;
mod export;
mod extended;
mod reproduce;
mod resume;
mod whole_path;

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A binary at work on one database directory.
struct Merels {
    root: PathBuf,
}

/// What a run left: exit status, stdout, stderr.
struct Run {
    status: i32,
    stdout: String,
    stderr: String,
}

impl Merels {
    fn at(root: &Path) -> Merels {
        Merels { root: root.to_path_buf() }
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_merels"));
        command.env("MERELS_DB", &self.root).env_remove("COLUMNS");
        command
    }

    /// Runs words separated by blanks; `_` stands for a blank inside a word.
    fn run(&self, words: &str) -> Run {
        self.run_words(&words.split_whitespace().map(|w| w.replace('_', " ")).collect::<Vec<_>>())
    }

    fn run_words<S: AsRef<std::ffi::OsStr>>(&self, words: &[S]) -> Run {
        Run::of(&self.command().args(words).output().unwrap())
    }

    /// Stdout of a run that must say yes.
    fn yes(&self, words: &str) -> String {
        let run = self.run(words);
        assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{words}");
        run.stdout
    }

    /// The document of a run that must say yes.
    fn json(&self, words: &str) -> Value {
        serde_json::from_str(&self.yes(&format!("{words} --json"))).unwrap()
    }

    /// The objects, one a line.
    fn json_lines(&self, words: &str) -> Vec<Value> {
        let text = self.yes(&format!("{words} --json"));
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

impl Run {
    fn of(output: &Output) -> Run {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        Run { status: output.status.code().unwrap(), stdout, stderr }
    }
}

/// Every file under a directory with its bytes; locks are empty and of no interest.
fn files(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(root).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.file_name().unwrap() != ".lock" {
            found.insert(path.clone(), std::fs::read(&path).unwrap());
        }
    }
    found
}
