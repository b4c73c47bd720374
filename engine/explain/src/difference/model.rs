//! Difference of two collations, as `schemas/between.schema.json` describes it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::change::{ChangeKinds, SequenceKind};
use crate::model::Level;

/// Name and version of the format.
pub const DIFFERENCE_FORMAT: &str = "weighbridge-between/1";

/// Characters and sequences that two collations order differently.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CollationDifference {
    /// Name and version of this format.
    pub format: String,
    /// Collation A.
    pub a: CollationSummary,
    /// Collation B.
    pub b: CollationSummary,
    /// Whether both collations give the same order and equality to all well-formed strings.
    pub same: bool,
    /// Whether trailing spaces are significant under one collation only.
    pub padding_differs: bool,
    /// Number of compared characters: those in both character sets. 0 if `same` is true.
    pub characters: usize,
    /// Numbers of characters that differ.
    pub counts: CharacterCounts,
    /// Numbers of contractions that differ.
    pub contractions: ContractionCounts,
    /// Differences by script, the largest number first.
    pub scripts: Vec<ScriptDifference>,
    /// Sentences on how a named server version differs from the compared weights.
    #[serde(default)]
    pub departures: Vec<String>,
}

/// Properties of a compared collation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CollationSummary {
    /// Name of the collation.
    pub collation: String,
    /// Servers that have the collation: "MySQL", "MariaDB" or "MySQL, MariaDB"; or the named
    /// version, such as "MySQL 5.7".
    pub servers: String,
    /// Character set.
    pub charset: String,
    /// Whether trailing spaces are ignored (PAD SPACE).
    pub pads: bool,
    /// Levels of comparison.
    pub levels: Vec<Level>,
}

/// Numbers of single characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CharacterCounts {
    /// Characters that differ in at least one of the following ways.
    pub differ: usize,
    /// Characters that are equal to others under A only. Of characters that B splits into groups,
    /// those outside the largest group.
    pub equal_under_a_only: usize,
    /// Characters that are equal to others under B only. Of characters that A splits into groups,
    /// those outside the largest group.
    pub equal_under_b_only: usize,
    /// Smallest number of characters without which both orders agree.
    pub moved: usize,
}

impl CharacterCounts {
    pub(super) fn add(&mut self, kinds: ChangeKinds) {
        self.differ += 1;
        self.equal_under_a_only += usize::from(kinds.equal_under_a);
        self.equal_under_b_only += usize::from(kinds.equal_under_b);
        self.moved += usize::from(kinds.moved);
    }
}

/// Numbers of contractions: sequences whose weights differ from the weights of their single
/// characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContractionCounts {
    /// Contractions under A only.
    pub a_only: usize,
    /// Contractions under B only.
    pub b_only: usize,
    /// Contractions under both that moved relative to the unmoved characters.
    pub moved: usize,
}

impl ContractionCounts {
    pub(super) fn add(&mut self, kind: SequenceKind) {
        match kind {
            SequenceKind::OnlyA => self.a_only += 1,
            SequenceKind::OnlyB => self.b_only += 1,
            SequenceKind::Moved => self.moved += 1,
        }
    }

    pub fn total(&self) -> usize {
        self.a_only + self.b_only + self.moved
    }
}

/// Differences within a script.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScriptDifference {
    /// Unicode's name of the script: "Latin", "Han". "Common" is shared by scripts, "Inherited" are
    /// combining marks, "Unknown" are private-use and unassigned code points.
    pub script: String,
    /// Numbers of the script's characters that differ.
    pub counts: CharacterCounts,
    /// Numbers of contractions that differ and begin with a character of the script.
    pub contractions: ContractionCounts,
    /// Examples, the most familiar characters first.
    pub examples: Vec<DifferenceExample>,
}

impl ScriptDifference {
    pub(super) fn new(script: &str) -> Self {
        Self {
            script: script.into(),
            counts: CharacterCounts::default(),
            contractions: ContractionCounts::default(),
            examples: Vec::new(),
        }
    }

    pub(super) fn total(&self) -> usize {
        self.counts.differ + self.contractions.total()
    }
}

/// Characters that are equal under both collations, or one sequence, with the position under each
/// collation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DifferenceExample {
    /// The most familiar of the characters, or the sequence.
    pub texts: Vec<String>,
    /// Number of characters. 1 for a sequence.
    pub count: usize,
    /// Position under A.
    pub a: Position,
    /// Position under B.
    pub b: Position,
}

/// Position of a character or sequence in an order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Position {
    /// A character that is equal under this collation and not under the other. For a sequence, the
    /// character may be equal under both.
    pub equals: Option<String>,
    /// The nearest preceding character that did not move: of the same script, or one of a-z and
    /// 0-9. `null` if there is none.
    pub after: Option<String>,
    /// Whether the sequence is a contraction.
    pub contracts: bool,
}

impl CollationDifference {
    pub(super) fn new(a: CollationSummary, b: CollationSummary) -> Self {
        Self {
            format: DIFFERENCE_FORMAT.into(),
            a,
            b,
            same: false,
            padding_differs: false,
            characters: 0,
            counts: CharacterCounts::default(),
            contractions: ContractionCounts::default(),
            scripts: Vec::new(),
            departures: Vec::new(),
        }
    }

    /// Returns true if neither characters, contractions nor padding differ.
    pub fn is_empty(&self) -> bool {
        self.counts.differ == 0 && self.contractions.total() == 0 && !self.padding_differs
    }
}
