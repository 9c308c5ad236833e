//! Statistics from outside: published rows, the agreed JSON, the text table.

mod common;

use common::{database, facts};
use merels::index::{Geometry, Subspace, Unit};
use merels::rules::Rules;
use merels::stats::{histogram_svg, reachable, rows, text_table, total_histogram};

fn units(names: &[&str]) -> Vec<Unit> {
    names.iter().map(|name| name.parse::<Subspace>().unwrap().unit()).collect()
}

#[test]
fn test_published_rows_of_nine() {
    // nine_moving.csv: eigenraum/solving-nine-mens-morris; mover, opponent, wins, losses, draws.
    let rules = Rules::named("nine").unwrap();
    let (_root, database) = database::of_subspaces(&rules, &["4-3"]);
    let found = rows(&database, &units(&["3-3", "3-4"]), true).unwrap();
    let names: Vec<_> =
        found.iter().map(|row| (row.subspace.as_str(), row.to_move.as_str())).collect();
    assert_eq!(names, [("3-3", "white"), ("4-3", "white"), ("4-3", "black")]);
    let values = found.iter().map(|row| [row.wins, row.losses, row.draws]);
    let expected = [[140_621, 28_736, 269], [75_397, 3_095, 681_906], [102_281, 0, 658_117]];
    assert!(values.eq(expected));
    let depths = found.iter().map(|row| (row.max_win_plies, row.max_loss_plies));
    assert!(depths.eq([(Some(25), Some(26)), (Some(1), Some(32)), (Some(33), None)]));
    let sizes = found.iter().map(|row| (row.classes, row.slots));
    assert!(sizes.eq([(169_626, 210_140), (760_398, 945_630), (760_398, 862_980)]));

    let total = total_histogram(&found);
    assert_eq!(total.values().sum::<u64>(), 140_621 + 28_736 + 75_397 + 3_095 + 102_281);
    assert!(histogram_svg("nine", &total).contains("win in 33: "));
}

#[test]
fn test_json_and_text() {
    let rules = Rules::named("nine").unwrap();
    let (_root, database) = database::of_subspaces(&rules, &["3-3"]);
    let found = rows(&database, &units(&["3-3"]), false).unwrap();
    assert_eq!(
        serde_json::to_string(&found).unwrap(),
        "[{\"subspace\":\"3-3\",\"to_move\":\"white\",\"classes\":169626,\"slots\":210140,\
         \"wins\":140621,\"draws\":269,\"losses\":28736,\"max_win_plies\":25,\"max_loss_plies\":26}]"
    );
    let with_histogram = rows(&database, &units(&["3-3"]), true).unwrap();
    let json = serde_json::to_value(&with_histogram).unwrap();
    assert!(json[0]["histogram"]["1"].as_u64().unwrap() > 0);
    assert!(json[0]["histogram"].get("27").is_none());
    assert_eq!(
        text_table(&found),
        "subspace  to move  classes   slots    wins  draws  losses  longest win  longest loss\n\
         3-3       white     169626  210140  140621    269   28736           25            26\n"
    );
    let missing = rows(&database, &units(&["3-3", "4-4"]), false).unwrap_err().to_string();
    assert!(missing.starts_with("subspace 4-4 is not solved yet"), "{missing}");
}

/// The sum over those rows of `nine_counts.csv` in which both players together have at most
/// `most` men, each row compared.
fn check_reachable(most: u8) -> u64 {
    let geometry = Geometry::new(&Rules::named("nine").unwrap());
    let mut total = 0;
    for row in facts::rows(include_str!("../data/nine_counts.csv")) {
        let [own, enemy] = ["mover", "opponent"].map(|column| facts::number(&row, column));
        if own + enemy <= most {
            let found = reachable(&geometry, own, enemy, 9);
            assert_eq!(found, facts::number::<u64>(&row, "reachable"), "{own}-{enemy}");
            total += found;
        }
    }
    total
}

#[test]
fn test_classes_kept_by_gassers_rule() {
    assert!(check_reachable(12) > 300_000_000);
}

#[test]
#[ignore = "half a minute of CPU time: cargo test --release --test stats -- --ignored"]
fn test_all_classes_kept_by_gassers_rule() {
    assert_eq!(check_reachable(18), 7_673_867_919);
}
