//! Verification from outside: sound databases pass, and every way to be wrong is found.

mod common;

use common::database;
use merels::index::{Geometry, Layout, Subspace, Table, Unit};
use merels::rules::{Color, Rules};
use merels::solve::cpu_time;
use merels::storage::Database;
use merels::value::{Code, Value};
use merels::verify::{Options, TableReport, VerifyError, verify_files, verify_units};
use std::fs;
use std::time::Instant;

fn unit(name: &str) -> Unit {
    name.parse::<Subspace>().unwrap().unit()
}

fn units(database: &Database) -> Vec<Unit> {
    database.units().unwrap().iter().map(|stored| stored.unit).collect()
}

fn verify(
    database: &Database,
    units: &[Unit],
    options: Options,
) -> Result<Vec<TableReport>, VerifyError> {
    let geometry = Geometry::new(database.rules());
    let mut heard = 0;
    let reports = verify_units(database, &geometry, units, &options, &mut |_| heard += 1)?;
    assert_eq!(heard, reports.len());
    Ok(reports)
}

fn check_sound(database: &Database) {
    let units = units(database);
    let reports = verify(database, &units, Options::default()).unwrap();
    assert!(reports.len() >= units.len());
    for report in &reports {
        assert!(report.is_right(), "{report:?}");
        assert_eq!(report.checked, report.slots);
    }
    assert!(verify_files(database, &units).iter().all(|file| file.outcome.is_ok()));
}

#[test]
fn test_sound_databases_pass() {
    for name in ["three", "three-orthogonal", "three-flying"] {
        check_sound(&database::whole_game(&Rules::named(name).unwrap()).1);
    }
    let cases: [(&str, &[&str], &str); 5] = [
        ("six", &["men=4"], "0-0+4+4"),
        ("six", &["men=4", "flying=at-three", "no-move=draws"], "0-0+4+4"),
        ("six", &["men=4", "place-or-move=yes", "protected=always"], "2-2+2+2"),
        ("six", &["men=4", "double-mill=two"], "4-4"),
        ("nine", &[], "4-3"),
    ];
    for (name, options, subspace) in cases {
        let rules = Rules::with_options(name, options).unwrap();
        check_sound(&database::of_subspaces(&rules, &[subspace]).1);
    }
}

#[test]
fn test_two_byte_codes_are_read() {
    let rules = Rules::with_options("six", &["men=4"]).unwrap();
    check_sound(&database::wide(&rules, &["3-3+1+1"]).1);
}

#[test]
fn test_outcomes_that_do_not_follow_from_each_other_are_found() {
    let (_root, database) = database::outcomes_only(&Rules::named("nine").unwrap(), &["3-3"]);
    let reports = verify(&database, &[unit("3-3")], Options::default()).unwrap();
    // Drawn everywhere, but whoever closes a mill has won.
    assert!(reports[0].differing > 0 && !reports[0].counts.agree());
    assert_eq!(reports[0].differences[0].recomputed, Value::Win(1));
    assert!(verify_files(&database, &[unit("3-3")])[0].outcome.is_ok());
}

/// One slot, its code changed.
fn with_wrong(table: Table, slot: usize, code: u8) -> (tempfile::TempDir, Database) {
    let rules = Rules::named("nine").unwrap();
    database::altered(&rules, &["4-3"], &|at, codes| {
        if at == table {
            assert_ne!(codes[slot], code);
            codes[slot] = code;
        }
    })
}

#[test]
fn test_a_single_wrong_depth_is_found_with_its_position() {
    let table = unit("4-3").first();
    let slot = 777_777;
    let (_root, database) = with_wrong(table, slot, u8::loss(2));
    assert!(verify_files(&database, &[unit("4-3")])[0].outcome.is_ok(), "checksums are valid");

    let reports = verify(&database, &[unit("3-3"), unit("4-3")], Options::default()).unwrap();
    assert!(reports[0].is_right());
    let [first, second] = &reports[1..] else { panic!("two tables") };
    assert!(!first.is_right());
    let found = first.differences.iter().find(|found| found.slot == slot as u64).unwrap();
    let geometry = Geometry::new(database.rules());
    let position = Layout::new(&geometry, table).position(slot as u64, Color::White);
    assert_eq!((found.position, found.stored), (position, Value::Loss(2)));
    assert_ne!(found.recomputed, Value::Loss(2));
    // Its count is wrong, and so are positions that lead to it.
    assert!(!first.counts.agree());
    assert_eq!(first.counts.recounted.classes, first.counts.classes);
    assert!(second.differing > 0 && second.counts.agree());
    assert!(second.differences.is_sorted_by_key(|found| found.slot));
}

#[test]
fn test_a_wrong_value_is_found_where_the_mover_names_the_rows() {
    let rules = Rules::named("nine").unwrap();
    let geometry = Geometry::new(&rules);
    let placing = unit("3-3+1+0");
    let is_own = |table: &Table| Layout::new(&geometry, *table).rows_by_own();
    let table = placing.tables().find(is_own).unwrap();
    let layout = Layout::new(&geometry, table);
    let slot = (layout.slots() / 3..).find(|&slot| layout.is_least(slot)).unwrap();
    let (_root, database) = database::altered(&rules, &["3-3+1+0"], &|at, codes| {
        if at == table {
            let code = &mut codes[slot as usize];
            *code = if *code == u8::win(201) { u8::DRAW } else { u8::win(201) };
        }
    });
    let reports = verify(&database, &[placing], Options::default()).unwrap();
    let report = reports.iter().find(|report| report.table == table).unwrap();
    assert_eq!(report.differing, 1, "nothing leads back to a placement");
    let found = &report.differences[0];
    let position = layout.position(slot, Color::White);
    assert_eq!((found.slot, found.position), (slot, position));
    assert!(!report.counts.agree());
}

#[test]
fn test_differences_are_counted_beyond_those_listed() {
    let rules = Rules::named("nine").unwrap();
    let (_root, database) = database::altered(&rules, &["3-3"], &|_, codes| {
        codes[1000..1100].fill(u8::DRAW);
    });
    let all = Options { listed: 1000, ..Options::default() };
    let all = verify(&database, &[unit("3-3")], all).unwrap().remove(0);
    assert_eq!(all.differing, all.differences.len() as u64);
    for threads in [1, 2, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let some = pool.install(|| verify(&database, &[unit("3-3")], Options::default())).unwrap();
        assert_eq!(some[0].differing, all.differing);
        assert_eq!(some[0].differences, all.differences[..10]);
    }
}

#[test]
fn test_redundant_slots_are_checked_too() {
    let table = unit("3-3").first();
    let rules = Rules::named("nine").unwrap();
    let geometry = Geometry::new(&rules);
    let layout = Layout::new(&geometry, table);
    let redundant = (0..layout.slots()).find(|&slot| !layout.is_least(slot)).unwrap();
    let (_root, database) = database::altered(&rules, &["3-3"], &|_, codes| {
        codes[redundant as usize] = u8::loss(24);
    });
    let report = verify(&database, &[unit("3-3")], Options::default()).unwrap().remove(0);
    assert!(report.counts.agree(), "the class is counted by another slot");
    assert!(report.differences.iter().any(|found| found.slot == redundant));
}

#[test]
fn test_a_sample_checks_as_many_slots_as_asked() {
    let (_root, database) = database::of_subspaces(&Rules::named("nine").unwrap(), &["4-3"]);
    let options = Options { sample: Some(5000), ..Options::default() };
    let reports = verify(&database, &[unit("4-3")], options).unwrap();
    assert!(reports.iter().all(|report| report.is_right() && report.checked == 5000));
}

#[test]
fn test_what_is_missing_is_named() {
    let (_root, database) = database::of_subspaces(&Rules::named("nine").unwrap(), &["4-3"]);
    fs::remove_file(database.directory().join("3-3.mdb")).unwrap();
    let units = [unit("4-3")];
    let text = verify(&database, &units, Options::default()).unwrap_err().to_string();
    assert!(text.starts_with("cannot verify 3-4, it leads to 3-3: subspace 3-3 is not"), "{text}");
    let text = verify(&database, &[unit("5-3")], Options::default()).unwrap_err().to_string();
    assert!(text.starts_with("subspace 5-3 is not solved yet: run `merels solve 5-3"), "{text}");
    assert!(verify_files(&database, &[unit("5-3")])[0].outcome.is_err());
}

#[test]
fn test_a_damaged_file_is_found() {
    let (_root, database) = database::of_subspaces(&Rules::named("nine").unwrap(), &["4-3"]);
    let path = database.directory().join("4-3.mdb");
    let mut bytes = fs::read(&path).unwrap();
    bytes[5000] ^= 1;
    fs::write(&path, bytes).unwrap();
    let reports = verify_files(&database, &[unit("3-3"), unit("4-3")]);
    assert!(reports[0].outcome.is_ok() && reports[1].outcome.is_err());
    assert!(verify(&database, &[unit("4-3")], Options::default()).is_err());
}

#[test]
#[ignore = "a measurement: cargo test --release --test verify -- --ignored --nocapture"]
fn test_time_per_position() {
    let (_root, database) = database::of_subspaces(&Rules::named("nine").unwrap(), &["5-4"]);
    for name in ["4-4", "5-4"] {
        let (start, cpu_start) = (Instant::now(), cpu_time().unwrap_or_default());
        let reports = verify(&database, &[unit(name)], Options::default()).unwrap();
        assert!(reports.iter().all(TableReport::is_right));
        let cpu = cpu_time().unwrap_or_default() - cpu_start;
        let slots: u64 = reports.iter().map(|report| report.checked).sum();
        let nanoseconds = cpu.as_nanos() as f64 / slots as f64;
        let wall = start.elapsed().as_secs_f64();
        println!("{name}: {slots} slots, {wall:.2} s, {nanoseconds:.0} ns of CPU time each");
    }
}
