//! Databases and unit files from outside: what is written is read back, the bytes are the same
//! for any number of threads, and whatever is missing, foreign or damaged is named.

use merels::index::{Table, Unit};
use merels::rules::Rules;
use merels::storage::{
    Counts, Database, FRAME_BYTES, FormatError, Layout, Metric, StorageError, UnitFile, UnitPlan,
    Width,
};
use merels::value::{Code, Value};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use xxhash_rust::xxh3::xxh3_64;

fn rules() -> Rules {
    Rules::named("six").unwrap()
}

fn unit(name: &str) -> Unit {
    name.parse::<merels::index::Subspace>().unwrap().unit()
}

fn database() -> (TempDir, Database) {
    let root = tempfile::tempdir().unwrap();
    let database = Database::create(root.path(), &rules()).unwrap();
    (root, database)
}

/// A plan for all tables of a unit, with rows as given.
fn plan(unit: Unit, width: Width, layout: Layout) -> UnitPlan {
    let tables = unit.tables().map(|table| (table, layout)).collect();
    let metric = if width == Width::Packed { Metric::Outcome } else { Metric::Depth };
    UnitPlan { unit, metric, width, tables }
}

/// Codes of every kind, with repeats, so that they compress.
fn codes(plan: &UnitPlan, table: usize) -> Vec<u8> {
    let slots = plan.tables[table].1.slots();
    let numbers = (0..slots).map(|slot| {
        let mixed = (slot + table as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58;
        match mixed {
            0..40 => Value::Draw,
            other => Value::from_successor(Value::Loss(2 * (other as u32 - 40))),
        }
    });
    let outcome = |value: Value| match value {
        Value::Win(_) => u8::win(1),
        Value::Draw => u8::DRAW,
        Value::Loss(_) => u8::loss(0),
    };
    match plan.width {
        // Values as they come are half draws and half wins; every seventh becomes a loss.
        Width::Packed => numbers
            .enumerate()
            .map(|(slot, value)| if slot % 7 == 3 { u8::loss(0) } else { outcome(value) })
            .collect(),
        Width::One => numbers.map(|value| value.plies().map_or(u8::DRAW, u8::decided)).collect(),
        Width::Two => numbers
            .map(|value| value.plies().map_or(u16::DRAW, u16::decided))
            .flat_map(u16::to_le_bytes)
            .collect(),
    }
}

fn counts(plan: &UnitPlan) -> Counts {
    match plan.metric {
        Metric::Outcome => Counts::of_outcomes(35, 600, 6),
        _ => Counts::of_histogram(vec![2, 30, 4, 5], 600),
    }
}

/// Writes the planned file, each table in pieces of the given length.
fn write(database: &Database, plan: &UnitPlan, piece: usize) -> PathBuf {
    let mut writer = database.writer(plan).unwrap();
    for (number, (table, _)) in plan.tables.iter().enumerate() {
        for codes in codes(plan, number).chunks(piece) {
            writer.write(*table, codes).unwrap();
        }
    }
    let bytes = writer.finish(vec![counts(plan); plan.tables.len()]).unwrap();
    let path = database.directory().join(format!("{}.mdb", plan.unit));
    assert_eq!(fs::metadata(&path).unwrap().len(), bytes);
    path
}

/// Some frames and a shorter one.
const LAYOUT: Layout = Layout { rows_by_own: false, rows: 37, row_length: 2003 };
const TINY: Layout = Layout { rows_by_own: false, rows: 5, row_length: 7 };

fn check_reading(file: &UnitFile, plan: &UnitPlan) {
    for (number, (table, layout)) in plan.tables.iter().enumerate() {
        let expected = codes(plan, number);
        let mut found = vec![0; expected.len()];
        file.read_all(*table, &mut found).unwrap();
        assert_eq!(found, expected);
        let width = plan.width.code_bytes();
        for slot in (0..layout.slots()).step_by(997).chain([layout.slots() - 1]) {
            let bytes = &expected[slot as usize * width..][..width];
            let code = bytes.iter().rev().fold(0, |code, byte| code << 8 | u32::from(*byte));
            assert_eq!(file.code(*table, slot).unwrap(), code);
            assert!(file.value(*table, slot).is_ok());
        }
        for (first, count) in [(0, 1), (32_760, 20), (5, 70_000), (74_000, 111), (74_111, 0)] {
            let mut range = vec![0; count * width];
            file.read_range(*table, first as u64, &mut range).unwrap();
            assert_eq!(range, expected[first * width..][..count * width]);
        }
        assert!(file.check_layout(*table, *layout).is_ok());
        assert_eq!(file.table(*table).unwrap().counts, counts(plan));
    }
}

#[test]
fn test_what_is_written_is_read_back() {
    use Width::{One, Packed, Two};
    let units = [("4-3", One), ("4-3", Two), ("4-4", One), ("3-2+1+2", Two), ("4-3", Packed)];
    for (name, width) in units {
        let (_root, database) = database();
        let plan = plan(unit(name), width, LAYOUT);
        write(&database, &plan, 12_344);
        let file = database.unit(plan.unit).unwrap().unwrap();
        assert_eq!((file.unit(), file.width()), (plan.unit, width));
        assert_eq!(file.metric(), plan.metric);
        check_reading(&file, &plan);
        let codes = LAYOUT.slots() as usize;
        let frames = match width {
            Packed => codes.div_ceil(3 * FRAME_BYTES),
            _ => (codes * width.code_bytes()).div_ceil(FRAME_BYTES),
        };
        assert_eq!(file.verify_frames().unwrap(), frames * plan.tables.len());
        let stored = database.units().unwrap();
        assert_eq!((stored.len(), stored[0].unit), (1, plan.unit));
        assert_eq!(stored[0].bytes, file.file_bytes());
        assert!(database.holds(plan.unit));
    }
}

#[test]
fn test_one_of_two_tables_may_be_stored_and_tables_may_be_empty() {
    let (_root, database) = database();
    let mut plan = plan(unit("4-3"), Width::One, TINY);
    plan.tables.remove(0);
    write(&database, &plan, 3);
    let file = database.unit(plan.unit).unwrap().unwrap();
    let (first, second) = (plan.unit.first(), plan.unit.second().unwrap());
    assert!(file.code(second, 34).is_ok());
    let missing = file.code(first, 0).unwrap_err();
    assert!(matches!(missing, StorageError::NoTable { table, .. } if table == first));

    plan.unit = unit("5-3");
    let nothing = Layout { rows_by_own: false, rows: 0, row_length: 7 };
    plan.tables = plan.unit.tables().map(|table| (table, nothing)).collect();
    write(&database, &plan, 1);
    let file = database.unit(plan.unit).unwrap().unwrap();
    assert_eq!(file.verify_frames().unwrap(), 0);
    file.read_all(plan.unit.first(), &mut []).unwrap();
    assert!(matches!(file.code(plan.unit.first(), 0), Err(StorageError::NoSlot { .. })));
}

#[test]
fn test_bytes_do_not_depend_on_threads_or_pieces() {
    for width in [Width::One, Width::Packed] {
        check_bytes(&plan(
            unit("4-3"),
            width,
            Layout { rows_by_own: false, rows: 300, row_length: 2003 },
        ));
    }
}

fn check_bytes(plan: &UnitPlan) {
    let bytes = |threads: usize, piece: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let (_root, database) = database();
        fs::read(pool.install(|| write(&database, plan, piece))).unwrap()
    };
    let one = bytes(1, usize::MAX);
    for (threads, piece) in [(2, usize::MAX), (3, 100_000), (2, FRAME_BYTES), (1, 32_767)] {
        assert!(bytes(threads, piece) == one, "{threads} threads, pieces of {piece}");
    }
}

#[test]
fn test_the_bytes_of_a_tiny_file_are_known() {
    let (_root, database) = database();
    let file = fs::read(write(&database, &plan(unit("4-3"), Width::Two, TINY), 10)).unwrap();
    // Changes with the format version, and may change with the release of zstd or its level.
    assert_eq!((file.len(), xxh3_64(&file)), (427, 0x4956_4a75_e959_2482));
    let packed = fs::read(write(&database, &plan(unit("4-4"), Width::Packed, TINY), 10)).unwrap();
    assert_eq!((packed.len(), xxh3_64(&packed)), (168, 0x7b19_c279_ebcc_1eec));
}

#[test]
fn test_packed_tables_of_every_length_are_read_from_every_slot() {
    for slots in 0..8 {
        let (_root, database) = database();
        let layout = Layout { rows_by_own: false, rows: 1, row_length: slots };
        let plan = plan(unit("4-3"), Width::Packed, layout);
        write(&database, &plan, 2);
        let file = database.unit(plan.unit).unwrap().unwrap();
        assert!(file.verify_frames().is_ok());
        for (number, (table, _)) in plan.tables.iter().enumerate() {
            let expected = codes(&plan, number);
            for first in 0..=expected.len() {
                let mut found = vec![0; expected.len() - first];
                file.read_range(*table, first as u64, &mut found).unwrap();
                assert_eq!(found, expected[first..]);
            }
            assert!(file.code(*table, slots).is_err());
        }
    }
}

#[test]
fn test_packed_files_cross_frames() {
    let (_root, database) = database();
    let plan = plan(
        unit("4-3"),
        Width::Packed,
        Layout { rows_by_own: false, rows: 100, row_length: 2003 },
    );
    write(&database, &plan, 99_999);
    let file = database.unit(plan.unit).unwrap().unwrap();
    let (table, expected, frame) = (plan.tables[1].0, codes(&plan, 1), 3 * FRAME_BYTES);
    assert_eq!(file.verify_frames().unwrap(), 6);
    for (first, count) in [(frame - 1, 2), (frame - 5, 7), (frame, frame), (1, 200_000)] {
        let mut found = vec![0; count];
        file.read_range(table, first as u64, &mut found).unwrap();
        assert!(found == expected[first..][..count], "{first}");
        assert_eq!(file.code(table, first as u64).unwrap(), u32::from(expected[first]));
    }
    let mut all = vec![0; expected.len()];
    file.read_all(table, &mut all).unwrap();
    assert!(all == expected);
}

#[test]
fn test_an_unfinished_writer_leaves_nothing() {
    let (_root, database) = database();
    let plan = plan(unit("4-3"), Width::One, TINY);
    let mut writer = database.writer(&plan).unwrap();
    writer.write(plan.unit.first(), &[128; 20]).unwrap();
    let part = database.directory().join("4-3.mdb.part");
    assert!(part.is_file() && !database.holds(plan.unit));
    assert!(database.unit(plan.unit).unwrap().is_none());
    drop(writer);
    assert_eq!(fs::read_dir(database.directory()).unwrap().count(), 0);
}

#[test]
#[should_panic(expected = "every table is written")]
fn test_finishing_early_is_a_mistake_of_the_caller() {
    let (_root, database) = database();
    let plan = plan(unit("4-3"), Width::One, TINY);
    let writer = database.writer(&plan).unwrap();
    let _ = writer.finish(vec![counts(&plan); 2]);
}

#[test]
fn test_leftovers_of_a_killed_solve_are_removed_and_nothing_else() {
    let (_root, database) = database();
    let kept = write(&database, &plan(unit("4-3"), Width::One, TINY), 35);
    let foreign = ["notes.txt", "notes.part", "notes.mdb.part", "4-4.part", "a.scratch"];
    let foreign = [&foreign[..], &["work-.scratch", "work-01.scratch", "work-x.scratch"]].concat();
    for name in [&foreign[..], &["4-4.mdb.part", "work-12.scratch"]].concat() {
        fs::write(database.directory().join(name), "left").unwrap();
    }
    fs::create_dir(database.directory().join("work-3.scratch")).unwrap();
    let lock = database.lock().unwrap();
    let removed = database.clean_leftovers(&lock).unwrap();
    let names: Vec<_> = removed.iter().map(|path| path.file_name().unwrap()).collect();
    assert_eq!(names, ["4-4.mdb.part", "work-12.scratch"]);
    assert!(kept.exists() && database.directory().join("work-3.scratch").is_dir());
    assert!(foreign.iter().all(|name| database.directory().join(name).exists()));
}

#[test]
fn test_two_solves_do_not_share_a_directory() {
    let (root, database) = database();
    let lock = database.lock().unwrap();
    let other = Database::create(root.path(), &rules()).unwrap();
    let refused = other.lock().unwrap_err();
    assert!(matches!(refused, StorageError::Locked { .. }));
    assert!(refused.to_string().contains("another solve is at work in"), "{refused}");
    drop(lock);
    assert!(other.lock().is_ok());
}

/// Writes a file, changes it, and says what opening and then verifying makes of it.
fn damaged(bytes: &[u8], directory: &Path) -> Result<usize, StorageError> {
    let path = directory.join("4-3.mdb");
    fs::write(&path, bytes).unwrap();
    UnitFile::open(&path, &rules())?.verify_frames()
}

#[test]
fn test_every_truncation_and_every_changed_byte_is_found() {
    let (_root, database) = database();
    for width in [Width::One, Width::Packed] {
        let file = fs::read(write(&database, &plan(unit("4-3"), width, TINY), 35)).unwrap();
        check_damage(&file);
    }
}

fn check_damage(file: &[u8]) {
    let elsewhere = tempfile::tempdir().unwrap();
    assert!(damaged(file, elsewhere.path()).is_ok());
    for length in 0..file.len() {
        assert!(damaged(&file[..length], elsewhere.path()).is_err(), "cut to {length}");
    }
    for at in 0..file.len() {
        let mut changed = file.to_vec();
        changed[at] ^= 1 << (at % 8);
        assert!(damaged(&changed, elsewhere.path()).is_err(), "byte {at}");
    }
}

#[test]
fn test_damage_in_a_frame_is_found_by_the_probe_that_reads_it() {
    let (_root, database) = database();
    let plan = plan(unit("4-3"), Width::One, LAYOUT);
    let path = write(&database, &plan, usize::MAX);
    let mut bytes = fs::read(&path).unwrap();
    bytes[41] ^= 1;
    fs::write(&path, bytes).unwrap();
    let file = database.unit(plan.unit).unwrap().unwrap();
    let (first, second) = (plan.unit.first(), plan.unit.second().unwrap());
    let is_found = |error: StorageError| {
        let StorageError::Format { source, .. } = error else { return false };
        matches!(source, FormatError::FrameChecksum { frame: 0, .. })
    };
    assert!(is_found(file.code(first, 5).unwrap_err()));
    assert!(is_found(file.verify_frames().unwrap_err()));
    assert!(is_found(file.read_all(first, &mut vec![0; 74_111]).unwrap_err()));
    assert!(file.code(first, 40_000).is_ok() && file.code(second, 5).is_ok());
}

#[test]
fn test_a_code_without_value_is_found() {
    let (_root, database) = database();
    let plan = plan(unit("4-4"), Width::One, LAYOUT);
    let mut codes = vec![128; 74_111];
    codes[40_000] = 0;
    let mut writer = database.writer(&plan).unwrap();
    writer.write(plan.unit.first(), &codes).unwrap();
    writer.finish(vec![counts(&plan)]).unwrap();
    let file = database.unit(plan.unit).unwrap().unwrap();
    let text = file.verify_frames().unwrap_err().to_string();
    assert!(text.ends_with("slot 40000 holds code 0, which is no value"), "{text}");
    assert!(file.value(plan.unit.first(), 40_000).is_err());
}

#[test]
fn test_foreign_and_misplaced_files_are_refused_with_the_way_out() {
    let (_root, database) = database();
    let path = write(&database, &plan(unit("4-3"), Width::One, TINY), 35);
    let message = |path: &Path, rules: &Rules| UnitFile::open(path, rules).unwrap_err().to_string();

    let four = Rules::with_options("six", &["men=4"]).unwrap();
    let text = message(&path, &four);
    assert!(text.contains("holds rules 'six' (fingerprint"), "{text}");
    assert!(text.contains("expected 'six+men=4' ("), "{text}");

    let renamed = database.directory().join("5-3.mdb");
    fs::copy(&path, &renamed).unwrap();
    let text = message(&renamed, &rules());
    assert!(text.ends_with("holds unit 4-3, expected '5-3' from its name: move it away"), "{text}");
    let elsewhere = tempfile::tempdir().unwrap();
    let alone = elsewhere.path().join("5-3.mdb");
    fs::copy(&path, &alone).unwrap();
    let text = message(&alone, &rules());
    assert!(text.ends_with("rename it 4-3.mdb"), "{text}");
    assert!(database.unit(unit("5-3")).is_err());

    fs::write(&renamed, "PK\x03\x04 something else").unwrap();
    let text = message(&renamed, &rules());
    assert!(text.contains("5-3.mdb: not a database file: it begins with [50, 4b"), "{text}");

    let file = database.unit(unit("4-3")).unwrap().unwrap();
    let other = Layout { rows_by_own: false, rows: 7, row_length: 5 };
    let text = file.check_layout(unit("4-3").first(), other).unwrap_err().to_string();
    let expected = "expected 7 rows of 5 by sets of the opponent: an older version wrote it; `merels solve`, with";
    assert!(text.contains(expected), "{text}");
    let other = Layout { rows_by_own: true, ..TINY };
    assert!(file.check_layout(unit("4-3").first(), other).is_err());
    let text = file.code(unit("4-3").first(), 35).unwrap_err().to_string();
    assert!(text.ends_with("table 4-3 has 35 slots, asked for slot 35"), "{text}");
    let mut codes = [0; 4];
    assert!(file.read_range(unit("4-3").first(), 32, &mut codes).is_err());
    assert!(file.read_range(unit("4-3").first(), u64::MAX, &mut codes).is_err());
}

#[test]
fn test_missing_and_mistaken_directories_are_named() {
    let (root, database) = database();
    let nine = Rules::named("nine").unwrap();
    let text = Database::open(root.path(), &nine).unwrap_err().to_string();
    assert!(text.starts_with("no database of rules 'nine' in "), "{text}");
    assert!(text.contains("run `merels solve --rules nine --db "), "{text}");
    assert!(text.ends_with("(it holds rules six)"), "{text}");
    assert!(Database::open(&root.path().join("nowhere"), &nine).is_err());

    write(&database, &plan(unit("4-3"), Width::One, TINY), 35);
    let text = Database::open(database.directory(), &rules()).unwrap_err().to_string();
    assert!(text.contains("is the directory of one rule set"), "{text}");

    let file = root.path().join("file");
    fs::write(&file, "").unwrap();
    for outcome in [Database::open(&file, &nine), Database::create(&file, &nine)] {
        assert!(matches!(outcome, Err(StorageError::NotADirectory { .. })));
    }
    fs::write(root.path().join("nine"), "").unwrap();
    for outcome in [Database::open(root.path(), &nine), Database::create(root.path(), &nine)] {
        let text = outcome.unwrap_err().to_string();
        assert!(text.contains("nine is not a directory: move it away, or choose"), "{text}");
    }
    let text = database.not_solved("4-4".parse().unwrap()).to_string();
    assert!(text.starts_with("subspace 4-4 is not solved yet: run `merels solve 4-4 --rules six"));
}

#[test]
fn test_what_is_no_regular_file_is_not_opened() {
    let (_root, database) = database();
    for name in ["4-3.mdb", ".lock"] {
        fs::create_dir(database.directory().join(name)).unwrap();
    }
    let refused = [database.unit(unit("4-3")).err(), database.lock().err()];
    for error in refused.map(Option::unwrap) {
        let text = error.to_string();
        assert!(text.ends_with(" is not a regular file: move it away"), "{text}");
    }
}

#[test]
fn test_probes_from_many_threads_agree() {
    let (_root, database) = database();
    let plan = plan(unit("4-3"), Width::Two, LAYOUT);
    write(&database, &plan, usize::MAX);
    let table: Table = plan.unit.first();
    let expected = codes(&plan, 0);
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            let (database, expected, plan) = (&database, &expected, &plan);
            scope.spawn(move || {
                let file = database.unit(plan.unit).unwrap().unwrap();
                for step in 0..300 {
                    let slot = (step * 7919 + thread * 31) % LAYOUT.slots();
                    let at = slot as usize * 2;
                    let code = u16::from_le_bytes([expected[at], expected[at + 1]]);
                    assert_eq!(file.code(table, slot).unwrap(), u32::from(code));
                }
            });
        }
    });
}
