//! What differs between two collations, as it is printed and as it is written.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::change::{Kinds, SequenceKind};
use crate::model::Level;

/// The format that this version writes.
pub const BETWEEN_FORMAT: &str = "weighbridge-between/1";

/// Which characters two collations see differently.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Between {
    /// The format's name and version.
    pub format: String,
    /// The first collation.
    pub a: Side,
    /// The second.
    pub b: Side,
    /// Whether the two give the same order and the same equality to all strings.
    pub same: bool,
    /// Whether trailing spaces count under one of them only.
    pub padding_differs: bool,
    /// How many characters were compared: those that both character sets hold; 0 if the two are the same.
    pub characters: usize,
    /// Characters that are seen differently.
    pub counts: Counts,
    /// Sequences that are.
    pub contractions: Contractions,
    /// The same by script, the one with the most first.
    pub scripts: Vec<ScriptDifference>,
}

/// One of the two collations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Side {
    /// Its name.
    pub collation: String,
    /// The servers whose it is: "MySQL", "MariaDB", or "MySQL, MariaDB".
    pub servers: String,
    /// Its character set.
    pub charset: String,
    /// Whether a string counts as followed by endlessly many spaces (PAD SPACE).
    pub pads: bool,
    /// The levels at which it compares.
    pub levels: Vec<Level>,
}

/// Numbers of single characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// Those that are seen differently in any of the ways below.
    pub differ: usize,
    /// Those that are equal to another one under A, and not under B.
    pub equal_under_a_only: usize,
    /// The other way round.
    pub equal_under_b_only: usize,
    /// The fewest without which the two orders agree.
    pub moved: usize,
}

impl Counts {
    pub(super) fn add(&mut self, kinds: Kinds) {
        self.differ += 1;
        self.equal_under_a_only += usize::from(kinds.equal_under_a);
        self.equal_under_b_only += usize::from(kinds.equal_under_b);
        self.moved += usize::from(kinds.moved);
    }
}

/// Numbers of sequences that weigh otherwise than their characters one by one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Contractions {
    /// Under A only.
    pub a_only: usize,
    /// Under B only.
    pub b_only: usize,
    /// Under both, but in another place among the characters that did not move.
    pub moved: usize,
}

impl Contractions {
    pub(super) fn add(&mut self, kind: SequenceKind) {
        match kind {
            SequenceKind::OnlyA => self.a_only += 1,
            SequenceKind::OnlyB => self.b_only += 1,
            SequenceKind::Moved => self.moved += 1,
        }
    }

    /// All that differ.
    pub fn all(&self) -> usize {
        self.a_only + self.b_only + self.moved
    }
}

/// What differs within a script.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScriptDifference {
    /// Unicode's name of the script: "Latin", "Han"; "Common" for what several scripts share, "Inherited" for marks.
    pub script: String,
    /// Its characters.
    pub counts: Counts,
    /// Its sequences, by their first character.
    pub contractions: Contractions,
    /// Some of both, the familiar first.
    pub examples: Vec<Seen>,
}

impl ScriptDifference {
    pub(super) fn of(script: &str) -> Self {
        Self {
            script: script.into(),
            counts: Counts::default(),
            contractions: Contractions::default(),
            examples: Vec::new(),
        }
    }

    pub(super) fn size(&self) -> usize {
        self.counts.differ + self.contractions.all()
    }
}

/// Characters that are equal to one another under both collations, or a sequence, and where each collation has them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Seen {
    /// The first of the characters, or the sequence.
    pub texts: Vec<String>,
    /// How many characters there are; 1 for a sequence.
    pub count: usize,
    /// Under the first collation.
    pub a: Place,
    /// Under the second.
    pub b: Place,
}

/// Where a character or sequence stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Place {
    /// A character that it is equal to, where it is not under the other collation.
    pub equals: Option<String>,
    /// The nearest character in front of it that did not move: of ASCII's letters and digits, or of its script where that is not Latin and
    /// tells the two places apart; absent where it comes before all of these.
    pub after: Option<String>,
    /// Whether it is a contraction.
    pub contracts: bool,
}

impl Between {
    pub(super) fn of(a: Side, b: Side) -> Self {
        Self {
            format: BETWEEN_FORMAT.into(),
            a,
            b,
            same: false,
            padding_differs: false,
            characters: 0,
            counts: Counts::default(),
            contractions: Contractions::default(),
            scripts: Vec::new(),
        }
    }
}
