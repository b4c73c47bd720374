//! Compares two collations character by character.
//!
//! All characters that both character sets have are sorted under both collations. Two characters
//! are equal if their weights are equal at all levels of the collation. Padding is compared
//! separately.
//!
//! - **Equal under one only.** Characters that are equal under one collation can form several
//!   groups under the other. The largest group counts as unchanged, the other characters differ.
//! - **Moved.** The smallest set of characters without which both orders agree: the complement of a
//!   longest common subsequence.
//! - **Contractions.** Sequences whose weights differ from the weights of their single characters.

mod change;
mod examples;
mod model;
mod ranks;
mod summary;

use std::collections::BTreeMap;

use mysql_collation::{Collation, Pad};
use unicode_script::{Script, UnicodeScript};

pub use model::{
    CharacterCounts, CollationDifference, CollationSummary, ContractionCounts, DIFFERENCE_FORMAT, DifferenceExample,
    Position, ScriptDifference,
};

use crate::model::Level;
use change::{OrderChange, Sequence};
use ranks::{Items, compute_ranks};

/// A collation and the servers that have it.
#[derive(Clone, Debug)]
pub struct NamedCollation {
    pub collation: Collation,
    /// "MySQL", "MariaDB", "MySQL, MariaDB", or a version such as "MySQL 5.7".
    pub servers: String,
}

/// Compares two collations. Returns up to `examples` examples per script.
///
/// Takes about a second if the orders differ, because all characters are sorted under both
/// collations.
pub fn compare_collations(a: &NamedCollation, b: &NamedCollation, examples: usize) -> CollationDifference {
    let mut difference = CollationDifference::new(summarize(a), summarize(b));
    let (a, b) = (a.collation, b.collation);
    difference.padding_differs = a.info().pad != b.info().pad;
    if a.orders_valid_text_like(b) {
        difference.same = true;
        return difference;
    }
    let items = Items::collect(a, b);
    difference.characters = items.characters();
    let ranks = compute_ranks(a, b, &items);
    let change = OrderChange::compute(&items, &ranks);
    let sequences: Vec<Sequence> = change.sequences(&items, &ranks, a, b);
    count_differences(&mut difference, &items, &change, &sequences);
    examples::add_examples(&mut difference, &items, &ranks, &change, &sequences, examples);
    difference
}

fn summarize(named: &NamedCollation) -> CollationSummary {
    let info = named.collation.info();
    CollationSummary {
        collation: info.name.into(),
        servers: named.servers.clone(),
        charset: info.charset.into(),
        pads: info.pad == Pad::PadSpace,
        levels: info.levels.iter().map(Level::from_index).collect(),
    }
}

fn count_differences(
    difference: &mut CollationDifference,
    items: &Items,
    change: &OrderChange,
    sequences: &[Sequence],
) {
    let mut scripts: BTreeMap<&'static str, ScriptDifference> = BTreeMap::new();
    for index in 0..items.characters() {
        let kinds = change.kinds(index);
        if kinds.any() {
            difference.counts.add(kinds);
            script_difference(&mut scripts, items.first(index)).counts.add(kinds);
        }
    }
    for sequence in sequences {
        let kind = sequence.kind();
        difference.contractions.add(kind);
        script_difference(&mut scripts, items.first(sequence.item)).contractions.add(kind);
    }
    difference.scripts = scripts.into_values().collect();
    difference.scripts.sort_by(|a, b| b.total().cmp(&a.total()).then_with(|| a.script.cmp(&b.script)));
}

fn script_difference<'s>(
    scripts: &'s mut BTreeMap<&'static str, ScriptDifference>,
    character: char,
) -> &'s mut ScriptDifference {
    let name = script_name(character.script());
    scripts.entry(name).or_insert_with(|| ScriptDifference::new(name))
}

/// Returns Unicode's name of a script. Private-use and unassigned code points are "Unknown".
fn script_name(script: Script) -> &'static str {
    script.full_name()
}

#[cfg(test)]
mod tests;
