//! A grid of options: every combination, in an order in which the first few differ in all of them.
//!
//! The order is fixed, so that a case that fails is the same case tomorrow; how many are tried is
//! for each test to say.

use merels::rules::Rules;

/// Every option that changes values but `men`, which decides the size of the work.
pub const CHOICES: [&[&str]; 8] = [
    &["flying=at-three", "flying=at-three-total", "flying=never", "flying=always"],
    &["double-mill=two", "double-mill=one"],
    &["protected=unless-all", "protected=never", "protected=always"],
    &["no-move=loses", "no-move=draws"],
    &["full-board=draw", "full-board=loses"],
    &["place-or-move=no", "place-or-move=yes"],
    &["line-wins=no", "line-wins=yes"],
    &["diagonals=no", "diagonals=yes"],
];

/// Combinations of options on top of a named rule set.
pub struct Grid {
    name: &'static str,
    fixed: &'static [&'static str],
    men: u8,
    cases: usize,
}

impl Grid {
    /// All combinations in which the options of `fixed` have the values given there.
    pub fn new(name: &'static str, fixed: &'static [&'static str]) -> Grid {
        Grid { name, fixed, men: 3, cases: usize::MAX }
    }

    /// With so many men each.
    pub fn men(self, men: u8) -> Grid {
        Grid { men, ..self }
    }

    /// The first `cases` of them.
    pub fn take(self, cases: usize) -> Grid {
        Grid { cases, ..self }
    }

    /// The rule sets.
    pub fn cases(&self) -> impl Iterator<Item = Rules> + '_ {
        let free = self.free();
        let all: usize = free.iter().map(|choices| choices.len()).product();
        // Coprime to the number of combinations, which has no prime factors but 2 and 3.
        let stride = all * 5 / 8 / 6 * 6 + 1;
        (0..all.min(self.cases)).map(move |case| self.rules(&free, case * stride % all))
    }

    fn free(&self) -> Vec<&'static [&'static str]> {
        let key = |option: &str| option.split('=').next().map(str::to_string);
        let is_fixed = |choices: &&[&str]| self.fixed.iter().any(|f| key(f) == key(choices[0]));
        CHOICES.into_iter().filter(|choices| !is_fixed(choices)).collect()
    }

    fn rules(&self, free: &[&'static [&'static str]], combination: usize) -> Rules {
        let men = format!("men={}", self.men);
        let mut options: Vec<&str> = self.fixed.to_vec();
        options.push(&men);
        let mut rest = combination;
        for choices in free {
            options.push(choices[rest % choices.len()]);
            rest /= choices.len();
        }
        Rules::with_options(self.name, &options).unwrap()
    }
}
