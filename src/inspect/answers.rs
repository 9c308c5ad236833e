//! What players ask about a position, answered in sentences.
//!
//! Whose turn and why, is it over, who flies, what may be removed, is it a blockade, what does a
//! double mill take; and for one turn or removal: legal with which effect, or why not. Invariant:
//! each sentence says what the lists of the [`Inspection`](super::Inspection) say, and names the
//! option that decides where one does.

use super::{ByColor, Question, Sight};
use crate::notation::{format_removals, format_turn};
use crate::rules::{Color, Ending, Flying, Mask, Protected, Turn, points_of};
use crate::rules::{counted_men, list, mill_list};
use serde::Serialize;

/// The answers that need no question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Answers {
    /// What the side to move has to do, and in the middle of a turn why it is still its turn.
    pub turn: String,
    /// Is the game over, and why; if it goes on though few men are left, why.
    pub end: String,
    /// May this player fly at its turn, and if not, what is missing.
    pub flying: ByColor<String>,
    /// Which of this player's men may be removed, and what protects the others.
    pub removal: ByColor<String>,
    /// Can the side to move not move: each blocked man, and what follows.
    pub blockade: String,
    /// Men that a turn takes which closes two mills, and the turns here that do.
    pub double_mill: String,
}

impl Answers {
    pub(super) fn new(sight: &Sight) -> Answers {
        Answers {
            turn: turn(sight),
            end: end(sight),
            flying: ByColor::new(|color| flying(sight, color)),
            removal: ByColor::new(|color| removal(sight, color)),
            blockade: blockade(sight),
            double_mill: double_mill(sight),
        }
    }
}

fn turn(sight: &Sight) -> String {
    let (position, who) = (sight.position, sight.position.side.title());
    let hand = position.own_hand();
    match sight.outcome() {
        _ if sight.owed > 0 => owing(sight),
        Some(_) => "nobody has a turn: the game is over".to_string(),
        None if hand > 0 => {
            let move_instead = if sight.rules.place_or_move() { " or to move one" } else { "" };
            format!("{who} is to place a man ({hand} in hand){move_instead}")
        }
        None if sight.may_fly(position.side) => {
            format!("{who} is to move a man to any empty point")
        }
        None => format!("{who} is to move a man to a neighbouring point"),
    }
}

/// Why it is still the turn of a player who has placed or moved already.
fn owing(sight: &Sight) -> String {
    let who = sight.position.side.title();
    let mills = mills_that_may_owe(sight);
    let closed = match mills.len() {
        0 => String::new(),
        1 => format!(" has closed {} and", mill_list(&mills)),
        _ if sight.owed > 1 => format!(" has closed two or more of {} and", mill_list(&mills)),
        _ => format!(" has closed one or more of {} and", mill_list(&mills)),
    };
    let removals = if sight.owed == 1 { "a removal" } else { "two removals" };
    let choices = sight.choices().join(" or ");
    let most = sight.removals.iter().map(|set| set.count_ones() as usize).max().unwrap_or(0);
    let rest = match most {
        0 => format!(", but {}, and no man may be removed: {choices}", why_nothing(sight)),
        _ if most < sight.owed => {
            format!(", but only {} may be removed: {choices}", counted_men(most))
        }
        _ => format!(": {choices}"),
    };
    format!("it is still {who}'s turn: {who}{closed} owes {removals}{rest}")
}

/// Own lines on which the man just placed or moved may stand.
fn mills_that_may_owe(sight: &Sight) -> Vec<String> {
    let (rules, own) = (sight.rules, sight.position.own());
    let may_owe = |&to: &u8| rules.removals(rules.board().mills_through(own, to)) >= sight.owed;
    let ends = points_of(own).filter(may_owe).fold(0, |men, man| men | 1 << man);
    rules.mill_names(own, ends)
}

/// Why a closed mill takes nothing: the only two ways in which it can.
fn why_nothing(sight: &Sight) -> String {
    let enemy = sight.position.side.other().title();
    match sight.position.enemy() {
        0 => format!("{enemy} has no man on the board"),
        _ => format!("all of {enemy}'s men stand in mills ({})", sight.rules.option("protected")),
    }
}

fn end(sight: &Sight) -> String {
    if let (Some(outcome), Some(ending)) = (sight.outcome(), sight.ending()) {
        return match deciding_option(outcome.ending) {
            Some(key) => format!("{ending} ({})", sight.rules.option(key)),
            None => ending,
        };
    }
    if let Some(ending) = sure_end(sight) {
        return format!("no, but whatever is removed ends it: {ending}");
    }
    let few = [Color::White, Color::Black].into_iter().filter_map(|color| few_men(sight, color));
    let parts: Vec<String> = removals_that_end(sight).into_iter().chain(few).collect();
    match parts.is_empty() {
        true => "no".to_string(),
        false => format!("no, but {}", parts.join("; ")),
    }
}

/// The option that makes such a position the end, or says what the end means.
fn deciding_option(ending: Ending) -> Option<&'static str> {
    match ending {
        Ending::OpponentLine => Some("line-wins"),
        Ending::FewMen => None,
        Ending::FullBoard => Some("full-board"),
        Ending::NoTurn => Some("no-move"),
    }
}

/// Few men on the board look like the end: fewer than three in all are, at their owner's turn.
fn few_men(sight: &Sight, color: Color) -> Option<String> {
    let (rules, position) = (sight.rules, sight.position);
    let (on_board, total) = (position.on_board(color), position.total(color));
    let (who, least, hand) = (color.title(), rules.least_men(), position.hand[color as usize]);
    if total < least {
        let men = counted_men(usize::from(total));
        return Some(format!("{who} has {men} in all, fewer than {least}, and loses at its turn"));
    }
    // With no man lost yet nobody takes the beginning for the end.
    (on_board < least && total < rules.men()).then(|| {
        let men = counted_men(usize::from(on_board));
        format!("{who} has {men} on the board and {hand} in hand: with {total} in all it plays on")
    })
}

/// Why the game is over after a removal owed, if it is.
fn ending_after(sight: &Sight, removed: Mask) -> Option<String> {
    sight.rules.why_over(&sight.rules.play_removals(sight.position, removed))
}

/// Why the game is over after every removal that can complete the turn.
fn sure_end(sight: &Sight) -> Option<String> {
    let endings = sight.removals.iter().map(|&set| ending_after(sight, set));
    endings.collect::<Option<Vec<_>>>()?.into_iter().next()
}

/// The removals owed after which the game is over.
fn removals_that_end(sight: &Sight) -> Option<String> {
    let ends = sight.removals.iter().filter(|&&set| ending_after(sight, set).is_some());
    let board = sight.rules.board();
    let texts: Vec<String> = ends.map(|&set| format_removals(board, set)).collect();
    (!texts.is_empty()).then(|| format!("{} would end it", texts.join(" or ")))
}

fn flying(sight: &Sight, color: Color) -> String {
    let (who, option) = (color.title(), sight.rules.option("flying"));
    // The removal owed is made before anyone flies, and may leave its victim with three.
    let is_victim = color != sight.position.side && sight.removals.iter().any(|&set| set != 0);
    let then = match is_victim && sight.rules.flying() != Flying::Never {
        true => " once the removal is made",
        false => "",
    };
    if let Some(reason) = sight.why_no_flight(color) {
        return format!("{who} may not fly{then}: {reason} ({option})");
    }
    let reason = match sight.rules.flying() {
        Flying::AtThree => "it has exactly three men on the board and none in hand",
        Flying::AtThreeTotal => "it has exactly three men, hand included",
        Flying::Always | Flying::Never => "every move may go to any empty point",
    };
    format!("{who} may fly{then}: {reason} ({option})")
}

fn removal(sight: &Sight, color: Color) -> String {
    let (rules, who) = (sight.rules, color.title());
    let men = sight.position.men[color as usize];
    let in_mills = rules.board().in_mills(men);
    let free = sight.removable(color);
    let protected = rules.option("protected");
    let names = |men: Mask| rules.point_names(men).join(" ");
    if rules.most_removals() == 0 {
        return format!("none of {who}'s men is ever removed ({})", rules.option("line-wins"));
    }
    match (men, in_mills) {
        (0, _) => format!("{who} has no man on the board to be removed"),
        (_, 0) => format!("any of {who}'s men may be removed: none stands in a mill"),
        _ if rules.protected() == Protected::Never => {
            format!("any of {who}'s men may be removed: mills protect none ({protected})")
        }
        _ if free == 0 => {
            format!("none of {who}'s men may be removed: all stand in mills ({protected})")
        }
        _ if free == men => format!(
            "any of {who}'s men may be removed: all stand in mills, which then protect none ({protected})"
        ),
        _ => format!(
            "of {who}'s men {} may be removed; mills protect {} ({protected})",
            names(free),
            names(in_mills)
        ),
    }
}

fn blockade(sight: &Sight) -> String {
    let (rules, position, who) = (sight.rules, sight.position, sight.position.side.title());
    if sight.owed > 0 {
        return format!("no: {who} has a turn to finish");
    }
    let men = usize::from(position.on_board(position.side));
    let stuck = sight.blocked();
    let blocked = stuck.count_ones() as usize;
    let names = rules.point_names(stuck).join(" ");
    let some = match (men, blocked) {
        _ if !rules.may_move(position.own_hand()) => String::new(),
        (0, _) => format!("{who} has no man on the board"),
        (_, 0) => format!("none of {who}'s {} is blocked", counted_men(men)),
        _ if blocked == men => format!("all of {who}'s {} are blocked ({names})", counted_men(men)),
        _ => {
            let are = if blocked == 1 { "is" } else { "are" };
            format!("{blocked} of {who}'s {} {are} blocked ({names})", counted_men(men))
        }
    };
    match sight.outcome() {
        Some(outcome) if outcome.ending == Ending::NoTurn => {
            format!("yes: {some}, and {}", end(sight))
        }
        Some(_) => [some, format!("the game is over for another reason: {}", end(sight))]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(", but "),
        None if position.own_hand() > 0 => {
            let hand = counted_men(usize::from(position.own_hand()));
            let some = if some.is_empty() { some } else { format!("; {some}") };
            format!("no: {who} has {hand} in hand to place{some}")
        }
        None => format!("no: {some}"),
    }
}

fn double_mill(sight: &Sight) -> String {
    let rules = sight.rules;
    if rules.most_removals() == 0 {
        return format!("a full line wins, and nothing is removed ({})", rules.option("line-wins"));
    }
    let lines = |point: u8| rules.board().lines_through(point).len();
    let three = points_of(rules.board().all()).any(|point| lines(point) > 2);
    let or_three = if three { " or three" } else { "" };
    let takes = counted_men(rules.most_removals());
    let option = rules.option("double-mill");
    let law = format!("two mills{or_three} closed by one turn take {takes} ({option})");
    let here = sight.double_mills().into_iter().map(|double| {
        let mills: Vec<String> = double.mills.iter().map(|mill| mill.join(" ")).collect();
        let fewer = if double.takes < rules.most_removals() { ", no more being there" } else { "" };
        format!("; {} closes {} and takes {}{fewer}", double.turn, list(&mills), double.takes)
    });
    law + &here.collect::<String>()
}

/// What a turn or removal does, if that is worth a word, or why it is not legal.
pub(super) fn judge(sight: &Sight, question: &Question) -> Result<Option<String>, String> {
    let (rules, position) = (sight.rules, sight.position);
    let refused = match (question, sight.owed) {
        (Question::Turn(turn), 0) => rules.why_not(position, turn),
        (Question::Removal(removed), 0) => return Err(lone_removal(sight, *removed)),
        (Question::Turn(_), _) => {
            return Err(format!("no other turn before this one is finished: {}", owing(sight)));
        }
        (Question::Removal(removed), owed) => rules.why_not_removal(position, owed, *removed),
    };
    match (refused, question) {
        (Some(illegal), _) => Err(illegal.to_string()),
        (None, Question::Turn(turn)) => Ok(effect_of_turn(sight, turn)),
        (None, &Question::Removal(removed)) => {
            Ok(ending_after(sight, removed).map(|ending| format!("it ends the game: {ending}")))
        }
    }
}

/// Removals without their turn are no turn, but who asks wants to know of the men.
fn lone_removal(sight: &Sight, removed: Mask) -> String {
    let (rules, position, who) = (sight.rules, sight.position, sight.position.side.title());
    if let Some(ending) = sight.ending() {
        return format!("the game is over: {ending}");
    }
    if removed == 0 {
        return format!("{who} owes no removal, but a whole turn");
    }
    // Who has a full line may mean that the turn is half played.
    let hint = match rules.board().in_mills(position.own()) {
        0 => "",
        _ => "; where the mill is closed already and owes the removal, x ends the position",
    };
    let text = format_removals(rules.board(), removed);
    let takes = |turn: &&Turn| turn.removed & removed == removed;
    let with: Vec<String> =
        sight.turns.iter().filter(takes).map(|turn| format_turn(rules, turn)).collect();
    if !with.is_empty() {
        let turns = with.join(" or ");
        return format!("{text} belongs behind the turn that closes a mill: {turns}{hint}");
    }
    let (number, most) = (removed.count_ones() as usize, rules.most_removals());
    if most > 0 && number > most {
        let (most, option) = (counted_men(most), rules.option("double-mill"));
        return format!("one turn removes {most} at most, not {number} ({option})");
    }
    // As if a turn owed just so many; under rules without removals none can.
    if let Some(illegal) = rules.why_not_removal(position, number.min(most), removed) {
        return illegal.to_string();
    }
    let mills = if number == 1 { "a mill" } else { "two mills at once" };
    format!("{text} needs a turn that closes {mills}, and {who} has none{hint}")
}

fn effect_of_turn(sight: &Sight, turn: &Turn) -> Option<String> {
    let (rules, position) = (sight.rules, sight.position);
    let mills = rules.mill_names(turn.own_after(position), 1 << turn.to);
    let closing = match mills.len() {
        0 => None,
        _ if rules.line_wins() => Some(format!("it fills the line {}", list(&mills))),
        number => {
            let option = match number {
                1 => String::new(),
                _ => format!(" ({})", rules.option("double-mill")),
            };
            let taken = taken(sight, turn);
            Some(format!("it closes {} and takes {taken}{option}", mill_list(&mills)))
        }
    };
    let ending = rules.why_over(&rules.play(position, turn));
    let ending = ending.map(|ending| format!("it ends the game: {ending}"));
    let parts: Vec<String> = [closing, ending].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// The men a turn takes, in their order where only one order is legal.
fn taken(sight: &Sight, turn: &Turn) -> String {
    let (rules, enemy) = (sight.rules, sight.position.enemy());
    if turn.removed == 0 {
        return format!("nothing, because {}", why_nothing(sight));
    }
    let orders = rules.removal_orders(enemy, turn.removed);
    let names: Vec<&str> = orders[0].iter().map(|&man| rules.board().name(man)).collect();
    let men = match orders.len() {
        1 => names.join(" and then "),
        _ => rules.point_names(turn.removed).join(" and "),
    };
    let fewer = match names.len() < rules.owed(sight.position, turn.from, turn.to) {
        true => ", no more being there to take",
        false => "",
    };
    men + fewer
}
