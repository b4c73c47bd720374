//! In what two collations differ, character by character: asked of the engine, which orders every character under both.
//!
//! The characters are those that both character sets hold. Two of them are equal under a collation if their weights are, at all its
//! levels: no text tells one from the other by it. Padding, which concerns the ends of strings, is told apart.
//!
//! - **Equal under one only.** Where characters that are equal under one collation fall into several groups under the other, the largest
//!   group counts as staying; the rest differ.
//! - **Moved.** The fewest characters without which the two orders agree: what is left of the characters is a longest sequence that both
//!   collations have in the same order, equal characters in either.
//! - **Contractions.** Sequences that a collation weighs otherwise than their characters one by one.

mod change;
mod engine;
mod model;
mod rows;
mod told;

use std::collections::BTreeMap;

use mysql_collation::{Collation, Pad};
use unicode_script::{Script, UnicodeScript};

pub use model::{BETWEEN_FORMAT, Between, Contractions, Counts, Place, ScriptDifference, Seen, Side};

use crate::model::Level;
use change::{Change, Sequence};
use engine::Items;

/// A collation, and whose it is: "MySQL", "MariaDB", or both.
#[derive(Clone, Debug)]
pub struct Named {
    /// The collation.
    pub collation: Collation,
    /// Its servers, for people to read.
    pub servers: String,
}

/// In what two collations differ, with up to so many examples a script. Orders every character twice, which takes about a second.
pub fn between(a: &Named, b: &Named, examples: usize) -> Between {
    let mut between = Between::of(side(a), side(b));
    let (a, b) = (a.collation, b.collation);
    between.padding_differs = a.info().pad != b.info().pad;
    if a.orders_valid_text_like(b) {
        between.same = true;
        return between;
    }
    let items = Items::of(a, b);
    between.characters = items.characters();
    let ranks = engine::ranks(a, b, &items);
    let change = Change::of(&items, &ranks);
    let sequences: Vec<Sequence> = change.sequences(&items, &ranks, a, b);
    count(&mut between, &items, &change, &sequences);
    rows::add(&mut between, &items, &ranks, &change, &sequences, examples);
    between
}

fn side(named: &Named) -> Side {
    let info = named.collation.info();
    Side {
        collation: info.name.into(),
        servers: named.servers.clone(),
        charset: info.charset.into(),
        pads: info.pad == Pad::PadSpace,
        levels: info.levels.iter().map(Level::of).collect(),
    }
}

/// Counts what differs, as a whole and by script.
fn count(between: &mut Between, items: &Items, change: &Change, sequences: &[Sequence]) {
    let mut scripts: BTreeMap<&'static str, ScriptDifference> = BTreeMap::new();
    for index in 0..items.characters() {
        let kinds = change.kinds(index);
        if kinds.any() {
            between.counts.add(kinds);
            of_script(&mut scripts, items.first(index)).counts.add(kinds);
        }
    }
    for sequence in sequences {
        let kind = sequence.kind();
        between.contractions.add(kind);
        of_script(&mut scripts, items.first(sequence.item)).contractions.add(kind);
    }
    between.scripts = scripts.into_values().collect();
    between.scripts.sort_by(|a, b| b.size().cmp(&a.size()).then_with(|| a.script.cmp(&b.script)));
}

fn of_script<'s>(
    scripts: &'s mut BTreeMap<&'static str, ScriptDifference>,
    character: char,
) -> &'s mut ScriptDifference {
    let name = script_name(character.script());
    scripts.entry(name).or_insert_with(|| ScriptDifference::of(name))
}

/// Unicode's name of a script; what belongs to none, as private use and unassigned code points, is "Unknown".
fn script_name(script: Script) -> &'static str {
    script.full_name()
}

#[cfg(test)]
mod tests;
