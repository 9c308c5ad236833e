//! A database: a root directory, in it a directory per rule set, in it a file per unit.
//!
//! Where plies count to the next mill, a rule set has a directory of its own, `nine.dtc` beside `nine`,
//! so that values of the two kinds never mix.
//! Invariant: one database value sees one rule set and one [`Distance`], and every file it hands out
//! was checked against both. Reading needs no lock, since finished files never change; whoever solves
//! takes the directory's lock first.

use super::error::StorageError;
use super::file::UnitFile;
use super::format::Metric;
use super::scratch::Placement;
use super::temporary::{PART, SCRATCH};
use super::writer::{EXTENSION, UnitPlan, UnitWriter, file_name};
use crate::index::{Subspace, Unit};
use crate::rules::Rules;
use crate::value::Distance;
use std::collections::HashMap;
use std::fs::{self, DirEntry, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

const LOCK: &str = ".lock";
/// Begins the name of every working array on disk; a number follows.
const WORK: &str = "work-";
/// Ends the name of a directory whose plies count to the next mill. No rule set's name has a dot.
const CONVERSION: &str = ".dtc";

/// The files of one rule set under a database root; may be shared by threads.
#[derive(Debug)]
pub struct Database {
    root: PathBuf,
    directory: PathBuf,
    rules: Rules,
    distance: Distance,
    open: Mutex<HashMap<Unit, Arc<UnitFile>>>,
}

/// A finished unit on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredUnit {
    /// The unit.
    pub unit: Unit,
    /// Bytes of its file.
    pub bytes: u64,
}

/// The right to write into a rule directory; given back when dropped, or when the process ends.
#[derive(Debug)]
pub struct DirectoryLock {
    directory: PathBuf,
    _file: File,
}

impl Database {
    /// Opens the database of a rule set to read it, depths counted to the end of the game.
    ///
    /// # Errors
    /// The root is no directory, or has none for these rules, or a file in its place.
    pub fn open(root: &Path, rules: &Rules) -> Result<Database, StorageError> {
        Database::open_with(root, rules, Distance::Win)
    }

    /// The same with depths counted as `distance` says.
    ///
    /// # Errors
    /// As [`Database::open`].
    pub fn open_with(
        root: &Path,
        rules: &Rules,
        distance: Distance,
    ) -> Result<Database, StorageError> {
        let database = Database::at(root, rules, distance)?;
        if database.directory.is_dir() {
            return Ok(database);
        }
        Err(StorageError::NoDatabase {
            root: root.to_path_buf(),
            rules: rules.name().to_string(),
            distance,
            holds: held_rules(root, distance),
        })
    }

    /// Opens the database of a rule set, made if need be, depths counted to the end of the game.
    ///
    /// # Errors
    /// The root is no directory, has a file in the place of one, or cannot be written to.
    pub fn create(root: &Path, rules: &Rules) -> Result<Database, StorageError> {
        Database::create_with(root, rules, Distance::Win)
    }

    /// The same with depths counted as `distance` says.
    ///
    /// # Errors
    /// As [`Database::create`].
    pub fn create_with(
        root: &Path,
        rules: &Rules,
        distance: Distance,
    ) -> Result<Database, StorageError> {
        let database = Database::at(root, rules, distance)?;
        let directory = &database.directory;
        fs::create_dir_all(directory).map_err(StorageError::io("create", directory))?;
        Ok(database)
    }

    fn at(root: &Path, rules: &Rules, distance: Distance) -> Result<Database, StorageError> {
        if root.exists() && !root.is_dir() {
            return Err(StorageError::NotADirectory { path: root.to_path_buf() });
        }
        if entries(root).any(|entry| unit_of(&entry.path()).is_some()) {
            let above = root.parent().filter(|above| !above.as_os_str().is_empty());
            let above = above.unwrap_or(Path::new(".")).to_path_buf();
            return Err(StorageError::RuleDirectory { path: root.to_path_buf(), above });
        }
        let directory = root.join(directory_name(rules, distance));
        match fs::metadata(&directory) {
            Ok(found) if !found.is_dir() => return Err(StorageError::InTheWay { path: directory }),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                return Err(StorageError::io("open", &directory)(error));
            }
            _ => {}
        }
        Ok(Database {
            root: root.to_path_buf(),
            directory,
            rules: rules.clone(),
            distance,
            open: Mutex::default(),
        })
    }

    /// The rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// What the plies of its values count to.
    pub fn distance(&self) -> Distance {
        self.distance
    }

    /// The directory given with `--db`.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The directory of the rules' files.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The finished units and the sizes of their files, in order.
    ///
    /// # Errors
    /// The directory cannot be read.
    pub fn units(&self) -> Result<Vec<StoredUnit>, StorageError> {
        let listing = StorageError::io("list", &self.directory);
        let mut units = Vec::new();
        for entry in fs::read_dir(&self.directory).map_err(&listing)? {
            let entry = entry.map_err(&listing)?;
            if let Some(unit) = unit_of(&entry.path()) {
                units.push(StoredUnit { unit, bytes: entry.metadata().map_err(&listing)?.len() });
            }
        }
        units.sort_by_key(|stored| stored.unit);
        Ok(units)
    }

    /// Is the unit solved?
    pub fn holds(&self, unit: Unit) -> bool {
        self.path(unit).is_file()
    }

    /// The file of a unit, opened at its first use; `None` while it is not solved.
    ///
    /// # Errors
    /// As [`UnitFile::open`], or its depths are of the other kind.
    pub fn unit(&self, unit: Unit) -> Result<Option<Arc<UnitFile>>, StorageError> {
        let mut open = self.open.lock().expect("no thread panics with the lock");
        if let Some(file) = open.get(&unit) {
            return Ok(Some(Arc::clone(file)));
        }
        let file = match UnitFile::open(&self.path(unit), &self.rules) {
            Ok(file) => Arc::new(file),
            Err(StorageError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        self.check_metric(&file)?;
        open.insert(unit, Arc::clone(&file));
        Ok(Some(file))
    }

    /// Lets go of the file of a unit, so that whoever asks next sees what has taken its place.
    pub fn close(&self, unit: Unit) {
        self.open.lock().expect("no thread panics with the lock").remove(&unit);
    }

    /// Outcomes without depths are taken for depths to win that are not known; callers that need
    /// these ask the file.
    fn check_metric(&self, file: &UnitFile) -> Result<(), StorageError> {
        let (expected, found) = (Metric::from(self.distance), file.metric());
        match (expected, found) {
            (Metric::Depth, Metric::Outcome) => Ok(()),
            _ if expected == found => Ok(()),
            _ => {
                Err(StorageError::WrongMetric { path: file.path().to_path_buf(), expected, found })
            }
        }
    }

    /// The first of the finished units whose values tell so much; none if there is none. Files
    /// that cannot be opened are passed over: whoever needs them hears of it.
    ///
    /// # Errors
    /// The directory cannot be read.
    pub fn first_with(&self, metric: Metric) -> Result<Option<PathBuf>, StorageError> {
        for StoredUnit { unit, .. } in self.units()? {
            let file = self.unit(unit).ok().flatten();
            if let Some(file) = file.filter(|file| file.metric() == metric) {
                return Ok(Some(file.path().to_path_buf()));
            }
        }
        Ok(None)
    }

    /// The error for callers that need a subspace which is not there.
    pub fn not_solved(&self, subspace: Subspace) -> StorageError {
        StorageError::NotSolved {
            subspace,
            rules: self.rules.name().to_string(),
            distance: self.distance,
            root: self.root.clone(),
            outcomes: self.first_with(Metric::Outcome).is_ok_and(|file| file.is_some()),
        }
    }

    /// Takes the right to write into the directory.
    ///
    /// # Errors
    /// Another solve has it, or the lock is no file.
    pub fn lock(&self) -> Result<DirectoryLock, StorageError> {
        let path = self.directory.join(LOCK);
        StorageError::check_regular(&path)?;
        // The file stays when the lock goes: removing it would race with the next owner.
        let file = File::options().create(true).truncate(false).write(true).open(&path);
        let file = file.map_err(StorageError::io("open", &path))?;
        let directory = self.directory.clone();
        match file.try_lock() {
            Ok(()) => Ok(DirectoryLock { directory, _file: file }),
            Err(TryLockError::WouldBlock) => Err(StorageError::Locked { directory }),
            Err(TryLockError::Error(error)) => Err(StorageError::io("lock", &path)(error)),
        }
    }

    /// Removes what a killed solve left: unfinished unit files and working arrays, by the very
    /// names they are given here. Returns the names of the files removed.
    ///
    /// # Errors
    /// A file cannot be removed.
    ///
    /// # Panics
    /// If the lock is another directory's.
    pub fn clean_leftovers(&self, lock: &DirectoryLock) -> Result<Vec<PathBuf>, StorageError> {
        assert_eq!(lock.directory, self.directory, "the lock of this directory");
        let files = entries(&self.directory)
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
        let paths = files.map(|entry| entry.path());
        let mut removed: Vec<PathBuf> = paths.filter(|path| is_leftover(path)).collect();
        removed.sort();
        for path in &removed {
            fs::remove_file(path).map_err(StorageError::io("remove", path))?;
        }
        Ok(removed)
    }

    /// Begins the file of a unit; see [`UnitWriter`].
    ///
    /// # Errors
    /// The directory cannot be written to.
    ///
    /// # Panics
    /// As [`UnitWriter::create`].
    pub fn writer(&self, plan: &UnitPlan) -> Result<UnitWriter, StorageError> {
        UnitWriter::create(&self.directory, &self.rules, plan)
    }

    /// The place of a working array on disk. The number must be in use only once.
    pub fn scratch_file(&self, number: usize) -> Placement {
        Placement::file_in(&self.directory, &format!("{WORK}{number}"))
    }

    fn path(&self, unit: Unit) -> PathBuf {
        self.directory.join(file_name(unit))
    }
}

/// Bytes an ordinary user may still write to the disk that holds a path; `None` where the system
/// does not tell.
pub fn free_space(path: &Path) -> Option<u64> {
    #[cfg(unix)]
    {
        let disk = rustix::fs::statvfs(path).ok()?;
        Some(disk.f_bavail.saturating_mul(disk.f_frsize))
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        None
    }
}

/// The unit a file's name stands for, if it is the name we would give.
fn unit_of(path: &Path) -> Option<Unit> {
    let name = path.file_name()?.to_str()?;
    let stem = name.strip_suffix(EXTENSION)?.strip_suffix('.')?;
    let unit = stem.parse::<Subspace>().ok()?.unit();
    (file_name(unit) == name).then_some(unit)
}

/// Does a file of this name belong to a solve that never ended? Whatever else ends like our
/// temporary files is somebody else's.
fn is_leftover(path: &Path) -> bool {
    let Some(stem) = path.file_stem().and_then(|stem| stem.to_str()) else { return false };
    let is_number = |text: &str| text.parse::<usize>().is_ok_and(|n| n.to_string() == text);
    match path.extension().and_then(|extension| extension.to_str()) {
        Some(PART) => unit_of(Path::new(stem)).is_some(),
        Some(SCRATCH) => stem.strip_prefix(WORK).is_some_and(is_number),
        _ => false,
    }
}

/// The name of the directory of a rule set's files.
fn directory_name(rules: &Rules, distance: Distance) -> String {
    match distance {
        Distance::Win => rules.name().to_string(),
        Distance::Conversion => format!("{}{CONVERSION}", rules.name()),
    }
}

/// The rules' name and the distance that the name of such a directory stands for.
pub fn read_directory_name(name: &str) -> (&str, Distance) {
    match name.strip_suffix(CONVERSION) {
        Some(rules) => (rules, Distance::Conversion),
        None => (name, Distance::Win),
    }
}

impl From<Distance> for Metric {
    fn from(distance: Distance) -> Metric {
        match distance {
            Distance::Win => Metric::Depth,
            Distance::Conversion => Metric::Conversion,
        }
    }
}

/// Names of the rule sets a root has directories for, depths counted as `wanted` says.
fn held_rules(root: &Path, wanted: Distance) -> Vec<String> {
    let directories = entries(root).filter(|entry| entry.path().is_dir());
    let names = directories.filter_map(|entry| entry.file_name().into_string().ok());
    let held = names.filter_map(|name| {
        let (rules, distance) = read_directory_name(&name);
        (distance == wanted && Rules::parse(rules).is_ok()).then(|| rules.to_string())
    });
    let mut names: Vec<String> = held.collect();
    names.sort();
    names
}

/// What can be listed of a directory.
fn entries(directory: &Path) -> impl Iterator<Item = DirEntry> {
    fs::read_dir(directory).into_iter().flatten().flatten()
}
