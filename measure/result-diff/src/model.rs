//! Differences between sides in results and plans.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An error or warning of a server.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct ServerMessage {
    /// Error number, such as 1267.
    pub code: u16,
    /// Message text.
    pub message: String,
}

/// Name and version of the JSON format that this version of `weigh` writes.
pub(crate) const FORMAT: &str = "weighbridge-workload-compare/1";

/// Differences of each treatment from the control (`weigh workload compare --format json`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResultDiff {
    /// Name and version of the format. Empty in older documents.
    #[serde(default)]
    pub format: String,
    /// Name of the workload.
    pub workload: String,
    /// Label of the server.
    pub server: String,
    /// The control, then the treatments.
    pub sides: Vec<Side>,
    /// Number of statement classes called.
    pub classes: u64,
    /// Number of calls on each side.
    pub calls: u64,
    /// Rows that are on no side, because they are equal to others under a side's collation.
    #[serde(default)]
    pub left_out: Vec<CollidingRow>,
    /// Classes whose result changes when the control repeats a call. Only their errors and plans
    /// are compared.
    pub not_repeatable: Vec<String>,
    /// Calls of each class, ordered by class name.
    #[serde(default, rename = "called")]
    pub class_calls: Vec<ClassCalls>,
    /// Differences by side and class.
    pub findings: Vec<ClassDifference>,
}

/// A row that is equal to another one under a side's collation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CollidingRow {
    pub table: String,
    /// Number of the row in the workload's file, from 1.
    pub row: u64,
    /// Value of the first column, as a literal.
    pub first: String,
    /// The server's message, which names the value and the key.
    pub message: String,
    /// The row that it is equal to: the value of its first column, and those of the key. Absent if
    /// the key has an expression, and in older documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equals: Option<String>,
}

/// Outcome of a class's calls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClassCalls {
    pub class: String,
    /// Number of samples called, from the first on.
    pub samples: u64,
    /// Mean duration of a call on the control, in seconds.
    pub seconds: f64,
    /// Indexes of samples that fail on at least one side, from 0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<u64>,
    /// First error of a sample in `failed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<SideError>,
    /// Error of a sample that fails with the same error number on the control and on a treatment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_error: Option<ServerMessage>,
}

/// An error on a side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SideError {
    /// Name of the side.
    pub side: String,
    pub error: ServerMessage,
}

impl ClassCalls {
    /// Records the error of a call on a side, if there is one.
    pub(crate) fn add_error(&mut self, side: &str, sample: usize, error: Option<&ServerMessage>) {
        let Some(error) = error else { return };
        if !self.failed.contains(&(sample as u64)) {
            self.failed.push(sample as u64);
        }
        self.error.get_or_insert_with(|| SideError { side: side.to_owned(), error: error.clone() });
    }
}

/// A side of the comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Side {
    /// `as-is`, or a collation name.
    pub name: String,
    /// Number of columns converted.
    pub converted: u64,
    /// Number of text columns that kept their collation.
    pub kept: u64,
}

/// Differences of one class on one side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClassDifference {
    /// Side that is compared with the control.
    pub side: String,
    /// Name of the class.
    pub class: String,
    /// Template of its statements.
    pub text: String,
    /// Weight of the class in the workload.
    pub weight: f64,
    /// Differences in results.
    pub differences: Vec<Difference>,
    /// Differences in the plan.
    pub plan: Vec<PlanChange>,
}

/// A difference in the results of a class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "what", rename_all = "kebab-case")]
pub enum Difference {
    /// Different rows.
    Rows {
        /// First call with this difference.
        example: Example,
        /// Number of calls with this difference.
        calls: u64,
    },
    /// Equal rows in a different order. Reported only if `ORDER BY` names selected columns.
    Order {
        /// First call with this difference.
        example: Example,
        /// Number of calls with this difference.
        calls: u64,
    },
    /// Different number of changed rows.
    Affected {
        /// First call with this difference.
        example: Example,
        /// Number of calls with this difference.
        calls: u64,
    },
    /// Different warnings.
    Warnings {
        /// First call with this difference.
        example: Example,
        /// Number of calls with this difference.
        calls: u64,
    },
    /// An error on one side, or different errors.
    Error {
        /// First call with this difference.
        example: Example,
        /// Number of calls with this difference.
        calls: u64,
    },
}

/// A call with a difference.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Example {
    /// Statement with its values.
    pub statement: String,
    /// The control's warnings, error or number of changed rows, or the rows that the treatment
    /// lacks, five at most. For a different order, the first row that differs.
    pub control: Vec<String>,
    /// The treatment's warnings, error or number of changed rows, or the rows that the control
    /// lacks, five at most. For a different order, the first row that differs.
    pub treatment: Vec<String>,
    /// Explanations by collation weights, as far as known:
    /// `'straße' = 'strasse' under utf8mb4_0900_ai_ci: ß = ss`.
    pub why: Vec<String>,
}

/// A difference in a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "what", rename_all = "kebab-case")]
pub enum PlanChange {
    /// A different index is used, or none.
    Index {
        /// Table or alias, as EXPLAIN names it.
        table: String,
        /// Index on the control; `None` if none is used.
        control: Option<String>,
        /// Index on the treatment; `None` if none is used.
        treatment: Option<String>,
    },
    /// A table is read by a different access type with the same index.
    Access {
        /// Table or alias, as EXPLAIN names it.
        table: String,
        /// EXPLAIN's `type` on the control.
        control: String,
        /// EXPLAIN's `type` on the treatment.
        treatment: String,
    },
    /// A filesort on one side only.
    Filesort {
        /// True if the treatment has it, false if the control has it.
        gained: bool,
    },
    /// A temporary table on one side only.
    Temporary {
        /// True if the treatment has it, false if the control has it.
        gained: bool,
    },
}

impl Difference {
    /// Returns the first call with the difference, and the number of calls.
    pub fn example(&self) -> (&Example, u64) {
        match self {
            Difference::Rows { example, calls }
            | Difference::Order { example, calls }
            | Difference::Affected { example, calls }
            | Difference::Warnings { example, calls }
            | Difference::Error { example, calls } => (example, *calls),
        }
    }

    /// Returns the difference as a verb phrase: "returns different rows".
    pub fn describe(&self) -> &'static str {
        match self {
            Difference::Rows { .. } => "returns different rows",
            Difference::Order { .. } => "returns its rows in a different order",
            Difference::Affected { .. } => "changes a different number of rows",
            Difference::Warnings { .. } => "returns different warnings",
            Difference::Error { .. } => "ends with a different error",
        }
    }
}

impl PlanChange {
    /// Returns a description such as "orders: index k lost".
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
