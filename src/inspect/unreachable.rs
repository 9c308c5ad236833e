//! Proofs that no game from the empty board leads to a position.
//!
//! Positions that no game reaches have exact values too, so they are accepted everywhere; this file
//! tells them. Invariant: what is listed is proven. An empty list means that none of the cheap proofs
//! applies, not that a game exists.

use super::full_lines;
use crate::rules::{Color, Mask, Point, Position, Protected, Rules, points_of};

/// Each cheap proof that no game from the empty board reaches `position`.
pub(super) fn unreachable(rules: &Rules, position: &Position) -> Vec<String> {
    let mut proofs: Vec<String> = hands_out_of_step(rules, position).into_iter().collect();
    for color in [Color::White, Color::Black] {
        proofs.extend(lost_before(rules, position, color));
        match rules.line_wins() {
            true => proofs.extend(men_gone_without_removals(rules, position, color)),
            false => {
                proofs.extend(unpaid_mills(rules, position, color));
                proofs.extend(captures_without_mills(rules, position, color));
            }
        }
    }
    if rules.line_wins() && rules.board().in_mills(position.own()) != 0 {
        let who = position.side.title();
        proofs.push(format!("{who} is to move and already has a full line, which ended the game"));
    }
    proofs
}

/// The same in the middle of a turn: what a removal leads to is reached if this is.
pub(super) fn unreachable_owed(rules: &Rules, position: &Position, owed: usize) -> Vec<String> {
    let own = position.own();
    let may_owe = |to: Point| rules.removals(rules.board().mills_through(own, to)) >= owed;
    let mut proofs = Vec::new();
    if !points_of(own).any(may_owe) {
        let who = position.side.title();
        proofs.push(match owed {
            1 => format!("{who} owes a removal but has no mill"),
            _ => format!("{who} owes {owed} removals but has no man in two mills"),
        });
    }
    let mut sets = Vec::new();
    rules.for_removal_sets(position.enemy(), owed, &mut |removed| sets.push(removed));
    let Some(&removed) = sets.first() else { return proofs };
    let condition = match removed {
        0 => "with nothing to remove".to_string(),
        _ => format!("once {} is removed", rules.point_names(removed).join(" and ")),
    };
    let after = unreachable(rules, &rules.play_removals(position, removed));
    proofs.extend(after.iter().map(|proof| format!("{condition}, {proof}")));
    proofs
}

/// Players alternate from White's first placement on, so hands go down in step.
fn hands_out_of_step(rules: &Rules, position: &Position) -> Option<String> {
    let placed = position.hand.map(|hand| rules.men() - hand);
    let whites_turn = position.side == Color::White;
    let possible = match rules.place_or_move() {
        // The first turn of each player can only be a placement; later ones may be moves.
        true => match placed {
            [0, 0] => whites_turn,
            [0, _] => false,
            [white, 0] => white == 1 && !whites_turn,
            _ => true,
        },
        false if position.hand == [0, 0] => true,
        false => placed[0] == placed[1] + u8::from(!whites_turn),
    };
    let [white, black] = position.hand;
    let side = position.side.title();
    (!possible).then(|| {
        format!(
            "with {side} to move, {white} white and {black} black men in hand cannot be: White places first and turns alternate"
        )
    })
}

/// A player down to two men loses at once, so only the side to move can stand there.
fn lost_before(rules: &Rules, position: &Position, color: Color) -> Option<String> {
    let (total, least) = (position.total(color), rules.least_men());
    let who = color.title();
    if color != position.side {
        return (total < least).then(|| {
            format!("{who} has {total} men in all and has moved since: the game was over before")
        });
    }
    let fewest = least - rules.most_removals() as u8;
    (total < fewest)
        .then(|| format!("{who} has {total} men in all: the game was over with fewer than {least}"))
}

fn men_gone_without_removals(rules: &Rules, position: &Position, color: Color) -> Option<String> {
    let missing = rules.men() - position.total(color);
    (missing > 0).then(|| {
        format!("{} misses {missing} of its men, and nothing is ever removed", color.title())
    })
}

/// Each closed mill was last closed by a turn that ended on one of its points and removed a man.
/// So at least as many enemy men are gone as the least number of points that meet all mills.
fn unpaid_mills(rules: &Rules, position: &Position, color: Color) -> Option<String> {
    if rules.protected() == Protected::Always {
        // A mill may then have removed nothing.
        return None;
    }
    let mills = full_lines(rules, position.men[color as usize]);
    let closings = least_meeting(&mills);
    let missing = rules.men() - position.total(color.other());
    (closings > missing).then(|| {
        let (who, enemy) = (color.title(), color.other().title());
        let men = rules.men();
format!(
"{who}'s closed mills mean at least {closings} removed, but {enemy} misses {missing} of {men} men"
        )
    })
}

/// The least number of points that meet every line.
fn least_meeting(lines: &[Mask]) -> u8 {
    let Some(&first) = lines.first() else { return 0 };
    let without = |point: Point| -> Vec<Mask> {
        lines.iter().copied().filter(|line| line >> point & 1 == 0).collect()
    };
    let rest = points_of(first).map(|point| least_meeting(&without(point))).min();
    1 + rest.unwrap_or(0)
}

/// Before anyone moves, the third placement is the first that can close a mill.
fn captures_without_mills(rules: &Rules, position: &Position, color: Color) -> Option<String> {
    if rules.place_or_move() || position.hand == [0, 0] {
        return None;
    }
    let placed = rules.men() - position.hand[color as usize];
    let most = placed.saturating_sub(2) * rules.most_removals() as u8;
    let missing = rules.men() - position.total(color.other());
    (missing > most).then(|| {
        let (who, enemy) = (color.title(), color.other().title());
        format!(
            "{enemy} misses {missing} of its men, but {who}'s {placed} placements remove {most} at most"
        )
    })
}
