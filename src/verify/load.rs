//! Reads tables into memory: the one to check and those it leads to.
//!
//! Checking takes random reads from all of these, so they are there as a whole, decompressed.
//! Invariant: every code of a loaded table stands for a value, and of the tables for one check either
//! all tell depths or none does.

use super::VerifyError;
use crate::index::{Geometry, Layout, Table};
use crate::rules::Rules;
use crate::storage::{
    self, Database, FormatError, Metric, Placement, Scratch, StorageError, UnitFile,
};
use crate::value::{Code, Value};
use rayon::prelude::*;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// Codes that a thread looks at in one go.
const CHUNK: usize = 1 << 16;

/// Something for each kind of turn, moves and placements, and number of men removed.
pub type ByTurn<T> = [[T; 3]; 2];

/// Reads tables and keeps those that the table at hand needs.
pub struct Loader<'a> {
    database: &'a Database,
    geometry: &'a Geometry,
    loaded: HashMap<Table, Arc<Stored<'a>>>,
}

/// A table in memory.
pub struct Stored<'a> {
    /// Its layout.
    pub layout: Layout<'a>,
    /// Its codes, by slot.
    pub codes: Codes,
    /// What they tell.
    pub metric: Metric,
}

/// Codes of either width, where scattered reads find them soonest.
pub struct Codes {
    memory: Scratch,
    width: usize,
}

/// Codes, their width known.
pub enum View<'a> {
    /// One byte each.
    One(&'a [u8]),
    /// Two bytes each.
    Two(&'a [u16]),
}

/// A table to check, with those that turns lead to.
pub struct Tables<'a> {
    /// The table to check.
    pub checked: Arc<Stored<'a>>,
    /// Where turns lead; nothing where there are none, or the opponent has too few men to go on.
    pub successors: ByTurn<Option<Arc<Stored<'a>>>>,
}

impl<'a> Loader<'a> {
    /// Reads from `database`.
    pub fn new(database: &'a Database, geometry: &'a Geometry) -> Loader<'a> {
        Loader { database, geometry, loaded: HashMap::new() }
    }

    /// A table with all it leads to, everything else dropped. Tables are read far faster than they
    /// are checked, so reading one again later costs less than the memory to keep it.
    ///
    /// # Errors
    /// A table is missing or damaged, or some tell depths and others none.
    pub fn load_for(&mut self, table: Table) -> Result<Tables<'a>, VerifyError> {
        let successors = successors(self.database.rules(), table);
        let needed: Vec<Table> = successors.iter().flatten().flatten().copied().collect();
        self.loaded.retain(|kept, _| *kept == table || needed.contains(kept));
        let checked = self.load(table)?;
        for &needed in &needed {
            let next = self.load(needed).map_err(|error| match error {
                VerifyError::Storage(source) => VerifyError::Successor { table, needed, source },
                other => other,
            })?;
            if next.metric != checked.metric {
                return Err(VerifyError::MixedKinds { table, needed });
            }
        }
        let successors =
            successors.map(|kind| kind.map(|table| Some(Arc::clone(&self.loaded[&table?]))));
        Ok(Tables { checked, successors })
    }

    fn load(&mut self, table: Table) -> Result<Arc<Stored<'a>>, VerifyError> {
        if let Some(stored) = self.loaded.get(&table) {
            return Ok(Arc::clone(stored));
        }
        let missing = || self.database.not_solved(table.subspace());
        let file = self.database.unit(table.unit())?.ok_or_else(missing)?;
        let stored = Arc::new(read_table(&file, Layout::new(self.geometry, table))?);
        self.loaded.insert(table, Arc::clone(&stored));
        Ok(stored)
    }
}

/// The tables that turns from `table` lead to, by kind of turn and number of men removed; `None`
/// where no turn leads or the opponent is left with too few men to go on.
pub fn successors(rules: &Rules, table: Table) -> ByTurn<Option<Table>> {
    let after = |placed: bool, removed: u8| {
        let from_hand = u8::from(placed);
        let possible = if placed { table.own_hand > 0 } else { rules.may_move(table.own_hand) };
        let line = rules.board().lines()[0].count_ones() as u8;
        let removes = removed == 0
            || (table.own + from_hand >= line && usize::from(removed) <= rules.most_removals());
        if !possible || !removes || removed > table.enemy || (!placed && table.own == 0) {
            return None;
        }
        let next = Table {
            own: table.enemy - removed,
            enemy: table.own + from_hand,
            own_hand: table.enemy_hand,
            enemy_hand: table.own_hand - from_hand,
        };
        Some(next).filter(|next| next.own_total() >= rules.least_men())
    };
    [false, true].map(|placed| [0, 1, 2].map(|removed| after(placed, removed)))
}

fn read_table<'a>(file: &UnitFile, layout: Layout<'a>) -> Result<Stored<'a>, VerifyError> {
    let (table, slots) = (layout.table(), layout.slots() as usize);
    file.check_layout(table, storage::Layout::of(&layout))?;
    let mut codes = Codes::zeroed(slots, file.width().code_bytes())?;
    file.read_all(table, codes.memory.bytes_mut())?;
    match codes.view() {
        View::One(codes) => refuse_unknown(file, codes)?,
        View::Two(codes) => refuse_unknown(file, codes)?,
    }
    Ok(Stored { layout, codes, metric: file.metric() })
}

fn refuse_unknown<C: Code>(file: &UnitFile, codes: &[C]) -> Result<(), StorageError> {
    // Without a way out early a chunk is a few vector instructions.
    let known = |codes: &[C]| codes.iter().fold(true, |known, code| known & code.is_value());
    let Some(chunk) = codes.par_chunks(CHUNK).position_first(|codes| !known(codes)) else {
        return Ok(());
    };
    let within = codes[chunk * CHUNK..].iter().position(|code| !code.is_value());
    let slot = chunk * CHUNK + within.expect("the chunk holds a code that is no value");
    let source = FormatError::Code { slot: slot as u64, code: codes[slot].number() };
    Err(StorageError::Format { path: file.path().to_path_buf(), source })
}

impl Stored<'_> {
    /// The value of a slot.
    pub fn value(&self, slot: u64) -> Value {
        let value = match self.codes.view() {
            View::One(codes) => codes[slot as usize].value(),
            View::Two(codes) => codes[slot as usize].value(),
        };
        value.expect("every code was looked at")
    }
}

impl Tables<'_> {
    /// What the values of all of them tell.
    pub fn metric(&self) -> Metric {
        self.checked.metric
    }

    /// Do all codes have one byte?
    pub fn are_narrow(&self) -> bool {
        let successors = self.successors.iter().flatten().flatten();
        let mut all = successors.chain([&self.checked]);
        all.all(|stored| stored.codes.width == u8::WIDTH)
    }
}

impl Codes {
    /// Room for that many.
    fn zeroed(slots: usize, width: usize) -> Result<Codes, StorageError> {
        let memory = Scratch::zeroed(slots * width, &Placement::Memory)?;
        Ok(Codes { memory, width })
    }

    /// Those codes.
    #[cfg(test)]
    pub fn of<C: Code>(codes: &[C]) -> Codes {
        let mut copy = Codes::zeroed(codes.len(), C::WIDTH).unwrap();
        copy.memory.bytes_mut().copy_from_slice(bytemuck::cast_slice(codes));
        copy
    }

    /// The codes as what they are.
    pub fn view(&self) -> View<'_> {
        match self.width {
            u8::WIDTH => View::One(self.memory.view()),
            _ => View::Two(self.memory.view()),
        }
    }

    /// The codes as codes of type `C`, into which they must fit.
    pub fn of_width<C: Code>(&self) -> Cow<'_, [C]> {
        match self.view() {
            View::One(codes) => converted(codes),
            View::Two(codes) => converted(codes),
        }
    }
}

fn converted<C: Code, D: Code>(codes: &[C]) -> Cow<'_, [D]> {
    match bytemuck::try_cast_slice(codes) {
        Ok(codes) if C::WIDTH == D::WIDTH => Cow::Borrowed(codes),
        _ => Cow::Owned(codes.iter().map(|code| code.convert().expect("a wider code")).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Color;

    #[test]
    fn test_successors_are_what_turns_lead_to() {
        let nine = Rules::named("nine").unwrap();
        let text = |table: Option<Table>| table.map_or("-".to_string(), |table| table.to_string());
        let names = |table: &str, rules: &Rules| {
            let table = table.parse::<crate::index::Subspace>().unwrap().table(Color::White);
            successors(rules, table).map(|kind| kind.map(text).join(" ")).join(" / ")
        };
        assert_eq!(names("4-3", &nine), "3-4 - - / - - -");
        assert_eq!(names("3-4", &nine), "4-3 3-3 - / - - -");
        assert_eq!(names("2-2+3+3", &nine), "- - - / 2-3+3+2 1-3+3+2 -");
        assert_eq!(names("1-1+3+3", &nine), "- - - / 1-2+3+2 - -");
        let double = Rules::with_options("lasker", &["double-mill=two"]).unwrap();
        assert_eq!(names("4-5+1+1", &double), "5-4+1+1 4-4+1+1 3-4+1+1 / 5-5+1+0 4-5+1+0 3-5+1+0");
    }
}
