//! The contractions of a table, for the tasks that derive tables.

use alloc::vec;
use alloc::vec::Vec;

use crate::api::Collation;
use crate::catalogue::Flavour;
use crate::tables::{Contraction, LEVELS, LONGEST, Level};

/// A contraction with its weights.
pub struct Contracted {
    /// Code points, at least two.
    pub code_points: Vec<u32>,
    /// Weights by level.
    pub weights: Vec<Vec<u16>>,
}

/// Returns the contractions in the table of a collation. The name is looked up in MySQL, then in
/// MariaDB; `None` if neither has it.
pub fn known_contractions(name: &str) -> Option<Vec<Contracted>> {
    let flavours = [Flavour::MySql, Flavour::MariaDb].into_iter();
    let collation = flavours.filter_map(|flavour| Collation::by_name(flavour, name).ok()).next()?;
    let Some(table) = collation.descriptor().kind.uca() else { return Some(vec![]) };
    let levels: Vec<_> = (0..LEVELS).map_while(|index| table.level(index).map(|level| &level.level)).collect();
    let all = table.contractions().map_or(&[][..], |contractions| contractions.all.all()).iter();
    let weights = |contraction: &Contraction, index: usize, level: &Level| {
        let mut weights = [0; LONGEST];
        let count = contraction.weights(level, index, &mut weights);
        weights[..count].to_vec()
    };
    let each = |contraction: &Contraction| {
        let levels = levels.iter().enumerate().map(|(index, level)| weights(contraction, index, level));
        Contracted { code_points: contraction.code_points().to_vec(), weights: levels.collect() }
    };
    Some(all.map(each).collect())
}
