//! What two sides answer, held against each other.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An error or a warning of a server.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Message {
    /// Its number.
    pub code: u16,
    /// Its text.
    pub message: String,
}

/// Two sides held against each other (`weigh workload compare --format json`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Parity {
    /// The workload.
    pub workload: String,
    /// The server.
    pub server: String,
    /// The control and each treatment.
    pub sides: Vec<Side>,
    /// Classes that were called.
    pub classes: u64,
    /// Calls on each side.
    pub calls: u64,
    /// Classes whose answer is not the same twice on the control; their rows are not held against others.
    pub not_repeatable: Vec<String>,
    /// How the calls of each class went, in the order of their names.
    #[serde(default)]
    pub called: Vec<Called>,
    /// What differs, by side and class.
    pub findings: Vec<ClassFinding>,
}

/// How the calls of a class went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Called {
    /// The class.
    pub class: String,
    /// Samples that were called, from the first on.
    pub samples: u64,
    /// What a call took on the control, in seconds, on average.
    pub seconds: f64,
    /// Samples that end with an error on one side or on all, by their places from 0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<u64>,
    /// The first of these errors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<SideError>,
}

/// An error on a side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SideError {
    /// The side.
    pub side: String,
    /// The error.
    pub error: Message,
}

impl Called {
    /// Takes down an answer of a side to a call.
    pub(crate) fn note(&mut self, side: &str, sample: usize, error: Option<&Message>) {
        let Some(error) = error else { return };
        if !self.failed.contains(&(sample as u64)) {
            self.failed.push(sample as u64);
        }
        self.error.get_or_insert_with(|| SideError { side: side.to_owned(), error: error.clone() });
    }
}

/// One side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Side {
    /// `as-is`, or a collation.
    pub name: String,
    /// Columns that were converted.
    pub converted: u64,
    /// Text columns that kept a collation of their own.
    pub kept: u64,
}

/// What differs in a class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClassFinding {
    /// The side that is held against the control.
    pub side: String,
    /// The class.
    pub class: String,
    /// Its text.
    pub text: String,
    /// Its weight.
    pub weight: f64,
    /// What differs in its answers.
    pub differences: Vec<Difference>,
    /// What differs in its plan.
    pub plan: Vec<PlanChange>,
}

/// What differs in an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "what", rename_all = "kebab-case")]
pub enum Difference {
    /// Other rows.
    Rows {
        /// The first call that shows it.
        example: Example,
        /// Calls that show it.
        calls: u64,
    },
    /// The same rows in another order, where an `ORDER BY` of selected columns tells the order.
    Order {
        /// The first call that shows it.
        example: Example,
        /// Calls that show it.
        calls: u64,
    },
    /// Other rows were changed, by their number.
    Affected {
        /// The first call that shows it.
        example: Example,
        /// Calls that show it.
        calls: u64,
    },
    /// Other warnings.
    Warnings {
        /// The first call that shows it.
        example: Example,
        /// Calls that show it.
        calls: u64,
    },
    /// An error on one side, or another error.
    Error {
        /// The first call that shows it.
        example: Example,
        /// Calls that show it.
        calls: u64,
    },
}

/// A call that shows a difference.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Example {
    /// The statement with its values.
    pub statement: String,
    /// What only the control has: rows, warnings, an error, a number.
    pub control: Vec<String>,
    /// What only the other side has.
    pub treatment: Vec<String>,
    /// Why, by the collation's weights, where that is found.
    pub why: Vec<String>,
}

/// What differs in a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "what", rename_all = "kebab-case")]
pub enum PlanChange {
    /// An index is no longer used, or another one.
    Index {
        /// The table.
        table: String,
        /// The index of the control; absent where it uses none.
        control: Option<String>,
        /// That of the other side.
        treatment: Option<String>,
    },
    /// A table is read in another way with the same index.
    Access {
        /// The table.
        table: String,
        /// EXPLAIN's `type` on the control.
        control: String,
        /// That of the other side.
        treatment: String,
    },
    /// A sort that the control does without, or the other way round.
    Filesort {
        /// Whether the other side has it.
        gained: bool,
    },
    /// A temporary table, likewise.
    Temporary {
        /// Whether the other side has it.
        gained: bool,
    },
}

impl Difference {
    /// The call that shows it, and how many do.
    pub fn shown(&self) -> (&Example, u64) {
        match self {
            Difference::Rows { example, calls }
            | Difference::Order { example, calls }
            | Difference::Affected { example, calls }
            | Difference::Warnings { example, calls }
            | Difference::Error { example, calls } => (example, *calls),
        }
    }

    /// In a few words.
    pub fn name(&self) -> &'static str {
        match self {
            Difference::Rows { .. } => "returns other rows",
            Difference::Order { .. } => "returns its rows in another order",
            Difference::Affected { .. } => "changes another number of rows",
            Difference::Warnings { .. } => "warns differently",
            Difference::Error { .. } => "ends with another error",
        }
    }
}

impl PlanChange {
    /// In a sentence.
    pub fn sentence(&self) -> String {
        let has = |gained: &bool| if *gained { "gained" } else { "lost" };
        match self {
            PlanChange::Index { table, control: Some(index), treatment: None } => {
                format!("{table}: index {index} lost")
            }
            PlanChange::Index { table, control: None, treatment: Some(index) } => {
                format!("{table}: index {index} gained")
            }
            PlanChange::Index { table, control, treatment } => {
                let name = |index: &Option<String>| index.clone().unwrap_or_else(|| "none".to_owned());
                format!("{table}: index {} instead of {}", name(treatment), name(control))
            }
            PlanChange::Access { table, control, treatment } => {
                format!("{table}: read by {treatment} instead of {control}")
            }
            PlanChange::Filesort { gained } => format!("filesort {}", has(gained)),
            PlanChange::Temporary { gained } => format!("temporary table {}", has(gained)),
        }
    }
}
