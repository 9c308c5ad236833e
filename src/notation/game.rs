//! Game records: tags in brackets, numbered turns, comments in braces, the result at the end.
//!
//! The form is that of chess's PGN, which people and programs already write. A record is read by
//! playing it: invariant, the turns of a [`GameRecord`] are legal one after another from its start,
//! so nothing that uses one checks again. What a record says twice (rules, result, whose turn it is)
//! must agree with itself, or the line and word that disagree are named.

use super::scanner::{Kind, Token, tokens};
use super::turn::format_removals;
use super::{NotationError, PointNames, TurnError};
use super::{format_position, format_turn, parse_position, parse_turn_as};
use crate::rules::{Color, Ending, Position, Rules, RulesError, Turn};

/// A game: where it began, what was played, how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRecord {
    /// Tags in their order, but for `Rules`, `Position` and `Result`, which writing adds by itself.
    pub tags: Vec<(String, String)>,
    /// The position before the first turn.
    pub start: Position,
    /// The turns, each legal in its position.
    pub turns: Vec<Turn>,
    /// The result as the record states it; players also resign and agree to draws.
    pub result: GameResult,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GameResult {
    /// `1-0`
    WhiteWins,
    /// `0-1`
    BlackWins,
    /// `1/2-1/2`
    Draw,
    /// `*`: not finished, or not known.
    #[default]
    Unknown,
}

/// Why a text is no game record, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, {token}: {problem}")]
pub struct GameError {
    /// Line of the text, from 1.
    pub line: usize,
    /// The word that is to blame, quoted.
    pub token: String,
    /// What is wrong with it.
    pub problem: GameProblem,
}

/// What can be wrong in a game record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GameProblem {
    /// A brace that is never closed.
    #[error("this comment is never closed: a }} is missing")]
    OpenComment,
    /// A bracket that is no tag.
    #[error("not a tag: expected [Name \"value\"] on one line")]
    BadTag,
    /// A tag after the first turn.
    #[error("a tag after the first turn: one text holds one game")]
    LateTag,
    /// Two tags of one name.
    #[error("this tag stands twice")]
    DuplicateTag,
    /// The rules of the record are unknown.
    #[error(transparent)]
    UnknownRules(RulesError),
    /// The record is of a game by other rules.
    #[error("the game was played by the rules {record}, but is read by {reader}")]
    OtherRules {
        /// Canonical name of the rules of the record.
        record: String,
        /// Canonical name of the rules passed.
        reader: String,
    },
    /// The start is no position of the rules.
    #[error(transparent)]
    Start(NotationError),
    /// A result tag of another value.
    #[error("not a result: expected 1-0, 0-1, 1/2-1/2 or *")]
    BadResult,
    /// Result tag and end of the game disagree.
    #[error("the tag Result says {0}")]
    OtherResult(&'static str),
    /// Words after the result.
    #[error("the game ended with its result; one text holds one game")]
    AfterResult,
    /// A move number of the wrong form.
    #[error("a move number is written 1. for white and 1... for black")]
    BadNumber,
    /// A move number out of order.
    #[error("expected move number {0}: is a turn missing?")]
    WrongNumber(u32),
    /// The number announces the other player's turn.
    #[error("announced as a turn of {}, but {} is to move", .0.other().name(), .0.name())]
    WrongSide(Color),
    /// A word that is no turn.
    #[error(transparent)]
    Turn(#[from] TurnError),
    /// A turn after the end of the game.
    #[error("the game is over: {0}")]
    GameOver(&'static str),
    /// A mill was closed and nothing removed.
    #[error("closes a mill: the removal is owed, one of {0}")]
    RemovalOwed(String),
    /// A removal that the turn does not have.
    #[error("removes nothing: it closes no mill, or no man may be removed")]
    NothingToRemove,
    /// A removal of other men than may be removed.
    #[error("this removal is not allowed: allowed are {0}")]
    WrongRemoval(String),
    /// A placement or move that the rules do not allow.
    #[error("no legal turn of {side} in {position}", side = .side.name())]
    Illegal {
        /// Who is to move.
        side: Color,
        /// The position, as our text.
        position: String,
    },
}

impl GameRecord {
    /// The value of a tag kept in `tags`, by its exact name.
    pub fn tag(&self, name: &str) -> Option<&str> {
        tag_value(&self.tags, name)
    }
}

impl GameResult {
    const ALL: [GameResult; 4] =
        [GameResult::WhiteWins, GameResult::BlackWins, GameResult::Draw, GameResult::Unknown];

    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub fn text(self) -> &'static str {
        match self {
            GameResult::WhiteWins => "1-0",
            GameResult::BlackWins => "0-1",
            GameResult::Draw => "1/2-1/2",
            GameResult::Unknown => "*",
        }
    }

    fn from_text(text: &str) -> Option<GameResult> {
        GameResult::ALL.into_iter().find(|result| result.text() == text)
    }
}

/// The rules a record names in its tag `Rules`, so that the caller can choose them before reading;
/// `None` when the text has no such tag or cannot be split into words.
pub fn rules_tag(text: &str) -> Option<String> {
    let tokens = tokens(text).ok()?;
    let mut tags = tokens.into_iter().filter_map(|token| match token.kind {
        Kind::Tag(name, value) => Some((name, value)),
        Kind::Word => None,
    });
    tags.find(|(name, _)| name == "Rules").map(|(_, value)| value)
}

/// Reads a game record and plays it through. Points are named as `names` says; `None` leaves the
/// choice to the tag `Site`: PlayOK's numbers if it names PlayOK, else algebraic names.
///
/// # Errors
/// Names the line, the word and the reason; a turn that is not legal is an error too.
///
/// # Examples
/// ```
/// use merels::notation::{format_game, parse_game};
/// let rules = merels::rules::Rules::named("nine").unwrap();
/// let game = parse_game(&rules, "1. d6 f4 {a pair} 2. b4 g4 *", None)?;
/// assert_eq!(game.turns.len(), 4);
/// assert!(format_game(&rules, &game).contains("1. d6 f4 2. b4 g4 *"));
/// # Ok::<(), merels::notation::GameError>(())
/// ```
pub fn parse_game(
    rules: &Rules,
    text: &str,
    names: Option<PointNames>,
) -> Result<GameRecord, GameError> {
    let tokens = tokens(text)?;
    let words_from = tokens.iter().position(Token::is_word).unwrap_or(tokens.len());
    let (head, words) = tokens.split_at(words_from);
    if let Some(late) = words.iter().find(|token| !token.is_word()) {
        return Err(late.error(GameProblem::LateTag));
    }
    let head = Head::read(rules, head)?;
    let names = names.unwrap_or_else(|| head.point_names());
    let mut play = Play::new(rules, names, head.start);
    let ending = play.words(words)?;
    let result = match (head.result, ending) {
        (Some(tag), Some((token, end))) if tag != end => {
            return Err(token.error(GameProblem::OtherResult(tag.text())));
        }
        (tag, end) => tag.or(end.map(|(_, result)| result)).unwrap_or_default(),
    };
    Ok(GameRecord { tags: head.tags, start: head.start, turns: play.turns, result })
}

/// Writes a game record; points have algebraic names whatever the tag `Site` says.
pub fn format_game(rules: &Rules, record: &GameRecord) -> String {
    format_annotated(rules, record, |_| None)
}

/// Writes a game record with the comment that `comment` gives for a turn, counted from 0, after it.
/// Braces inside comments become parentheses, since they could not be read back.
pub fn format_annotated(
    rules: &Rules,
    record: &GameRecord,
    comment: impl Fn(usize) -> Option<String>,
) -> String {
    let mut text = format_tag("Rules", rules.name());
    if record.start != Position::start(rules) {
        text += &format_tag("Position", &format_position(rules, &record.start));
    }
    for (name, value) in record.tags.iter().filter(|(name, _)| !OWN_TAGS.contains(&&name[..])) {
        text += &format_tag(name, value);
    }
    text += &format_tag("Result", record.result.text());
    text.push('\n');
    text + &wrapped(&movetext(rules, record, comment))
}

/// Tags that say what other fields of a record, or the rules, say.
const OWN_TAGS: [&str; 3] = ["Rules", "Position", "Result"];

fn format_tag(name: &str, value: &str) -> String {
    let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace(['\n', '\r'], " ");
    format!("[{name} \"{value}\"]\n")
}

/// The words after the tags, in order.
fn movetext(
    rules: &Rules,
    record: &GameRecord,
    comment: impl Fn(usize) -> Option<String>,
) -> Vec<String> {
    let (mut words, mut side, mut number) = (Vec::new(), record.start.side, 1);
    let mut announce = true;
    for (index, turn) in record.turns.iter().enumerate() {
        match side {
            Color::White => words.push(format!("{number}.")),
            Color::Black if announce => words.push(format!("{number}...")),
            Color::Black => {}
        }
        words.push(format_turn(rules, turn));
        let remark = comment(index).map(|text| text.replace('{', "(").replace('}', ")"));
        announce = remark.is_some();
        if let Some(text) = remark {
            words.extend(format!("{{{}}}", text.trim()).split_whitespace().map(String::from));
        }
        number += u32::from(side == Color::Black);
        side = side.other();
    }
    words.push(record.result.text().to_string());
    words
}

/// Words in lines of at most 80 characters, where the words allow it.
fn wrapped(words: &[String]) -> String {
    const WIDTH: usize = 80;
    let (mut text, mut width) = (String::new(), 0);
    for word in words {
        let length = word.chars().count();
        if width > 0 && width + 1 + length > WIDTH {
            text.push('\n');
            width = 0;
        } else if width > 0 {
            text.push(' ');
            width += 1;
        }
        text += word;
        width += length;
    }
    text + "\n"
}

fn tag_value<'a>(tags: &'a [(String, String)], name: &str) -> Option<&'a str> {
    tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

/// What the tags say.
struct Head {
    tags: Vec<(String, String)>,
    start: Position,
    result: Option<GameResult>,
}

impl Head {
    fn read(rules: &Rules, tokens: &[Token]) -> Result<Head, GameError> {
        let mut head = Head { tags: Vec::new(), start: Position::start(rules), result: None };
        let mut seen: Vec<&str> = Vec::new();
        for token in tokens {
            let Kind::Tag(name, value) = &token.kind else { continue };
            if seen.contains(&name.as_str()) {
                return Err(token.error(GameProblem::DuplicateTag));
            }
            seen.push(name);
            head.tag(rules, name, value).map_err(|problem| token.error(problem))?;
        }
        Ok(head)
    }

    fn tag(&mut self, rules: &Rules, name: &str, value: &str) -> Result<(), GameProblem> {
        match name {
            "Rules" => same_rules(rules, value)?,
            "Position" => {
                self.start = parse_position(rules, value).map_err(GameProblem::Start)?;
            }
            "Result" => {
                let result = GameResult::from_text(value.trim());
                self.result = Some(result.ok_or(GameProblem::BadResult)?);
            }
            _ => self.tags.push((name.to_string(), value.to_string())),
        }
        Ok(())
    }

    fn point_names(&self) -> PointNames {
        let site = tag_value(&self.tags, "Site").unwrap_or_default().to_ascii_lowercase();
        if site.contains("playok") { PointNames::PlayOk } else { PointNames::Algebraic }
    }
}

/// Rules are the same when their values are: the fingerprint leaves out how games are adjudicated.
fn same_rules(rules: &Rules, name: &str) -> Result<(), GameProblem> {
    let record = Rules::parse(name.trim()).map_err(GameProblem::UnknownRules)?;
    if record.fingerprint() == rules.fingerprint() {
        return Ok(());
    }
    let (record, reader) = (record.name().to_string(), rules.name().to_string());
    Err(GameProblem::OtherRules { record, reader })
}

/// A game being played from its words.
struct Play<'a> {
    rules: &'a Rules,
    names: PointNames,
    position: Position,
    turns: Vec<Turn>,
    /// The number of the move being played, once any number has been read.
    number: Option<u32>,
    /// Whose turn the last number or `...` announced.
    announced: Option<Color>,
}

impl<'a> Play<'a> {
    fn new(rules: &'a Rules, names: PointNames, position: Position) -> Play<'a> {
        Play { rules, names, position, turns: Vec::new(), number: None, announced: None }
    }

    /// Plays all words; the result at the end, if there is one, comes with its word.
    fn words<'t>(
        &mut self,
        words: &'t [Token<'t>],
    ) -> Result<Option<(&'t Token<'t>, GameResult)>, GameError> {
        let mut rest = words.iter().peekable();
        while let Some(word) = rest.next() {
            let text = self.announcement(word.text).map_err(|problem| word.error(problem))?;
            if text.is_empty() {
                continue;
            }
            if let Some(result) = GameResult::from_text(text) {
                return match rest.next() {
                    Some(extra) => Err(extra.error(GameProblem::AfterResult)),
                    None => Ok(Some((word, result))),
                };
            }
            // Some write the removal as a word of its own; it belongs to the turn before it.
            let mut whole = text.to_string();
            while let Some(removal) = rest.next_if(|next| next.text.starts_with(['x', 'X'])) {
                whole += removal.text;
            }
            let place = Token { line: word.line, text: &whole, kind: Kind::Word };
            self.turn(&whole).map_err(|problem| place.error(problem))?;
        }
        Ok(None)
    }

    /// Takes the move number or `...` off the front of a word.
    fn announcement<'t>(&mut self, word: &'t str) -> Result<&'t str, GameProblem> {
        let after_digits = word.trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = &word[..word.len() - after_digits.len()];
        let rest = after_digits.trim_start_matches('.');
        let side = match after_digits.len() - rest.len() {
            0 => return Ok(word),
            1 if !digits.is_empty() => Color::White,
            3 => Color::Black,
            _ => return Err(GameProblem::BadNumber),
        };
        self.announced = Some(side);
        if digits.is_empty() {
            return Ok(rest);
        }
        let number = digits.parse().map_err(|_| GameProblem::BadNumber)?;
        match self.number {
            Some(expected) if number != expected => Err(GameProblem::WrongNumber(expected)),
            _ => {
                self.number = Some(number);
                Ok(rest)
            }
        }
    }

    fn turn(&mut self, text: &str) -> Result<(), GameProblem> {
        let side = self.position.side;
        if self.announced.take().is_some_and(|announced| announced != side) {
            return Err(GameProblem::WrongSide(side));
        }
        let turn = parse_turn_as(self.rules, text, self.names)?;
        let legal = self.rules.turns(&self.position);
        if !legal.contains(&turn) {
            return Err(self.why_not(&turn, &legal));
        }
        self.position = self.rules.play(&self.position, &turn);
        self.turns.push(turn);
        if side == Color::Black {
            self.number = self.number.map(|number| number.saturating_add(1));
        }
        Ok(())
    }

    /// What is wrong with a turn that is none of the legal ones.
    fn why_not(&self, turn: &Turn, legal: &[Turn]) -> GameProblem {
        if let Some(outcome) = self.rules.outcome(&self.position) {
            return GameProblem::GameOver(ending_text(outcome.ending));
        }
        let same_move = legal.iter().filter(|other| (other.from, other.to) == (turn.from, turn.to));
        let sets: Vec<_> = same_move.map(|other| other.removed).collect();
        if sets.is_empty() {
            let position = format_position(self.rules, &self.position);
            return GameProblem::Illegal { side: self.position.side, position };
        }
        if sets == [0] {
            return GameProblem::NothingToRemove;
        }
        const MOST: usize = 12;
        let listed = sets.iter().take(MOST).map(|&set| format_removals(self.rules.board(), set));
        let dots = if sets.len() > MOST { ", ..." } else { "" };
        let allowed = listed.collect::<Vec<_>>().join(", ") + dots;
        match turn.removed {
            0 => GameProblem::RemovalOwed(allowed),
            _ => GameProblem::WrongRemoval(allowed),
        }
    }
}

fn ending_text(ending: Ending) -> &'static str {
    match ending {
        Ending::OpponentLine => "the opponent has a full line",
        Ending::FewMen => "the player to move has fewer than three men",
        Ending::FullBoard => "the board was full when the moving phase began",
        Ending::NoTurn => "the player to move has no legal turn",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nine() -> Rules {
        Rules::named("nine").unwrap()
    }

    fn read(text: &str) -> GameRecord {
        parse_game(&nine(), text, None).unwrap()
    }

    fn message(text: &str) -> String {
        parse_game(&nine(), text, None).unwrap_err().to_string()
    }

    fn turns(record: &GameRecord) -> String {
        let words: Vec<String> = record.turns.iter().map(|t| format_turn(&nine(), t)).collect();
        words.join(" ")
    }

    #[test]
    fn test_tags_turns_comments_and_result_are_read() {
        let text = "[Rules \"nine\"]\n[White \"A \\\"B\\\" \\\\C\"] [Black \"D\"]\n[Result \"1-0\"]\n\n\
            1. a7 {a comment\nover lines [1] 0-1} 1... b6 2.d7 d6 3. G7xB6{mill} ... f6 1-0\n";
        let record = read(text);
        assert_eq!(turns(&record), "a7 b6 d7 d6 g7xb6 f6");
        assert_eq!(record.tag("White"), Some("A \"B\" \\C"));
        assert_eq!((record.tags.len(), record.result), (2, GameResult::WhiteWins));
        let written = format_game(&nine(), &record);
        assert_eq!(read(&written), record);
        assert!(written.ends_with("\n\n1. a7 b6 2. d7 d6 3. g7xb6 f6 1-0\n"), "{written}");
    }

    #[test]
    fn test_a_removal_may_be_a_word_of_its_own() {
        assert_eq!(turns(&read("a7 b6 d7 d6 g7 {mill} xb6 f6")), "a7 b6 d7 d6 g7xb6 f6");
        assert_eq!(
            message("1. a7 xb6"),
            "line 1, 'a7xb6': removes nothing: it closes no mill, or no man may be removed"
        );
    }

    #[test]
    fn test_numbers_of_playok() {
        let text = "[Site \"PlayOK\"]\n1. 1 4 2. 2 5 3. 3x4 6 *";
        assert_eq!(turns(&read(text)), "a7 b6 d7 d6 g7xb6 f6");
        let own_word = text.replace("3x4", "3 x4");
        assert_eq!(read(&own_word), read(text));
        let written = format_game(&nine(), &read(text));
        assert_eq!(read(&written), read(text), "{written}");
        let plain = &text[16..];
        assert!(message(plain).contains("no point '1' on the 24-point board"));
        let chosen = parse_game(&nine(), plain, Some(PointNames::PlayOk)).unwrap();
        assert_eq!(turns(&chosen), turns(&read(text)));
    }

    #[test]
    fn test_a_start_position_with_black_to_move() {
        let text = "[Position \"WW./BB./.../....../.../.../... b 0 0\"]\n1... b6-b4 *";
        assert!(
            message(text).contains("the game is over: the player to move has fewer than three")
        );
        let text = "[Position \"WW./BB./.../....../.../.../... b 7 7\"]\n1... f6xa7 2. a4 *";
        let record = read(text);
        assert_eq!(record.start.side, Color::Black);
        let written = format_game(&nine(), &record);
        assert!(written.contains("1... f6xa7 2. a4 *"), "{written}");
        assert_eq!(read(&written), record);
        assert!(message("[Position \".../... w 9 9\"]").contains("line 1, '[Position"));
    }

    #[test]
    fn test_illegal_turns_say_why_and_where() {
        let mill = "1. a7 b6 2. d7 d6\n3. ";
        assert_eq!(
            message(&format!("{mill}g7 f6")),
            "line 2, 'g7': closes a mill: the removal is owed, one of xb6, xd6"
        );
        assert_eq!(
            message(&format!("{mill}g7xa1")),
            "line 2, 'g7xa1': this removal is not allowed: allowed are xb6, xd6"
        );
        assert_eq!(
            message("1. a7 a7"),
            "line 1, 'a7': no legal turn of black in W../.../.../....../.../.../... b 8 9"
        );
        assert!(message("1. a7 h9").starts_with("line 1, 'h9': no point 'h9'"));
        assert!(message("xa1").contains("a removal without"));
    }

    #[test]
    fn test_numbers_and_sides_must_agree() {
        assert_eq!(
            message("1. a7 b6 3. d7"),
            "line 1, '3.': expected move number 2: is a turn missing?"
        );
        assert!(message("1... a7").contains("announced as a turn of black, but white is to move"));
        assert!(message("1.. a7").contains("a move number is written"));
        assert!(message(". a7").contains("a move number is written"));
        assert!(message("99999999999. a7").contains("a move number is written"));
        assert_eq!(turns(&read("7. a7 b6 8. d7")), "a7 b6 d7");
    }

    #[test]
    fn test_broken_tags_comments_and_results() {
        assert!(message("1. a7\n{ open\n b6").starts_with("line 2, '{ open': this comment"));
        for tag in ["[", "[]", "[Site]", "[Site \"x]", "[Site \"x\"", "[\"x\"]", "[Site \"x\\"] {
            assert!(message(tag).contains("not a tag"), "{tag}");
        }
        assert!(message("1. a7\n[Site \"x\"]").starts_with("line 2, '[Site"));
        assert!(message("[A \"x\"]\n[A \"y\"]").starts_with("line 2"));
        assert!(message("[Result \"2-0\"]").contains("not a result"));
        assert_eq!(message("[Result \"1-0\"] a7 0-1"), "line 1, '0-1': the tag Result says 1-0");
        assert!(message("a7 * b6").starts_with("line 1, 'b6': the game ended"));
        assert_eq!(read("").result, GameResult::Unknown);
        assert_eq!(read("[Result \"0-1\"]").result, GameResult::BlackWins);
    }

    #[test]
    fn test_rules_of_the_record_and_of_the_reader() {
        let text = "{first} [Rules \"six+men=4\"]\n1. a1";
        assert_eq!(rules_tag(text).as_deref(), Some("six+men=4"));
        assert_eq!(rules_tag("1. a1"), None);
        assert_eq!(
            message(text),
            "line 1, '[Rules \"six+men=4\"]': the game was played by the rules six+men=4, but is read by nine"
        );
        assert!(message("[Rules \"ten\"]").contains("unknown rule set 'ten'"));
        assert!(parse_game(&nine(), "[Rules \"nine+quiet-limit=50\"]", None).is_ok());
        let twelve = Rules::named("twelve").unwrap();
        assert!(parse_game(&twelve, "[Rules \"morabaraba\"]", None).is_ok());
    }

    #[test]
    fn test_comments_are_written_after_their_turns() {
        let record = read("1. a7 b6 2. d7 *");
        let comment = |index| (index == 0).then(|| "best {by far}".to_string());
        let written = format_annotated(&nine(), &record, comment);
        assert!(written.ends_with("1. a7 {best (by far)} 1... b6 2. d7 *\n"), "{written}");
        assert_eq!(read(&written), record);
    }

    #[test]
    fn test_long_games_are_wrapped() {
        let comment = |_| Some("some words about this turn ".repeat(5));
        let written = format_annotated(&nine(), &read("1. a7 b6 2. d7 *"), comment);
        assert!(written.lines().all(|line| line.len() <= 80), "{written}");
    }
}
