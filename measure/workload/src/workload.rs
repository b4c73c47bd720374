//! Built-in workloads.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::lookup::{UnknownName, find_by_name};

/// Kind of a built-in workload. The kinds `Oltp…` and `SelectRandomRanges` are sysbench's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WorkloadKind {
    OltpPointSelect,
    OltpReadOnly,
    OltpReadWrite,
    OltpWriteOnly,
    OltpUpdateNonIndex,
    SelectRandomRanges,
    /// The `SELECT DISTINCT … ORDER BY` of `oltp_read_only`.
    DistinctRanges,
    /// The `SELECT … ORDER BY` of `oltp_read_only`.
    OrderRanges,
    /// A row by its varchar(64) key.
    VarcharLookup,
    /// A range of rows, joined to others by a varchar(64) key.
    VarcharJoin,
    /// A range of rows, grouped by a varchar(64).
    GroupBy,
    /// Rows by a prefix of their varchar(64) key.
    LikePrefix,
    /// Statements with several kilobytes of string literals.
    LongLiterals,
}

impl WorkloadKind {
    /// All kinds, in the order of the help text.
    pub const ALL: [WorkloadKind; 13] = [
        WorkloadKind::OltpPointSelect,
        WorkloadKind::OltpReadOnly,
        WorkloadKind::OltpReadWrite,
        WorkloadKind::OltpWriteOnly,
        WorkloadKind::OltpUpdateNonIndex,
        WorkloadKind::SelectRandomRanges,
        WorkloadKind::DistinctRanges,
        WorkloadKind::OrderRanges,
        WorkloadKind::VarcharLookup,
        WorkloadKind::VarcharJoin,
        WorkloadKind::GroupBy,
        WorkloadKind::LikePrefix,
        WorkloadKind::LongLiterals,
    ];

    /// Returns the name on the command line and in results. sysbench's workloads have sysbench's
    /// names.
    pub fn name(self) -> &'static str {
        match self {
            WorkloadKind::OltpPointSelect => "oltp_point_select",
            WorkloadKind::OltpReadOnly => "oltp_read_only",
            WorkloadKind::OltpReadWrite => "oltp_read_write",
            WorkloadKind::OltpWriteOnly => "oltp_write_only",
            WorkloadKind::OltpUpdateNonIndex => "oltp_update_non_index",
            WorkloadKind::SelectRandomRanges => "select_random_ranges",
            WorkloadKind::DistinctRanges => "distinct_ranges",
            WorkloadKind::OrderRanges => "order_ranges",
            WorkloadKind::VarcharLookup => "varchar_lookup",
            WorkloadKind::VarcharJoin => "varchar_join",
            WorkloadKind::GroupBy => "group_by",
            WorkloadKind::LikePrefix => "like_prefix",
            WorkloadKind::LongLiterals => "long_literals",
        }
    }

    pub fn description(self) -> &'static str {
        match self {
            WorkloadKind::OltpPointSelect => "sysbench: one row by its integer key",
            WorkloadKind::OltpReadOnly => {
                "sysbench: a transaction of 10 point selects and a simple, sum, order and distinct range each"
            }
            WorkloadKind::OltpReadWrite => "sysbench: oltp_read_only, then 2 updates, a delete and an insert",
            WorkloadKind::OltpWriteOnly => "sysbench: a transaction of 2 updates, a delete and an insert",
            WorkloadKind::OltpUpdateNonIndex => "sysbench: update of a text column that no index has",
            WorkloadKind::SelectRandomRanges => "sysbench: count over 10 small ranges of an integer index",
            WorkloadKind::DistinctRanges => {
                "SELECT DISTINCT … ORDER BY over a range of rows, the text's own cost at its clearest"
            }
            WorkloadKind::OrderRanges => "SELECT … ORDER BY over a range of rows",
            WorkloadKind::VarcharLookup => "one row by a secondary index on varchar(64)",
            WorkloadKind::VarcharJoin => "a range of rows, each joined to another row by a varchar(64) key",
            WorkloadKind::GroupBy => "a range of rows grouped by a varchar(64) of about 100 values",
            WorkloadKind::LikePrefix => "the 10 rows whose varchar(64) key begins as given: LIKE 'prefix%'",
            WorkloadKind::LongLiterals => {
                "statements with 4,000 characters of quoted text each, to weigh the parser (text protocol only)"
            }
        }
    }

    /// Returns true if the statements scan a range of rows whose size can be chosen.
    pub fn scans_ranges(self) -> bool {
        matches!(
            self,
            WorkloadKind::OltpReadOnly
                | WorkloadKind::OltpReadWrite
                | WorkloadKind::DistinctRanges
                | WorkloadKind::OrderRanges
                | WorkloadKind::VarcharJoin
                | WorkloadKind::GroupBy
        )
    }
}

impl fmt::Display for WorkloadKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A requested workload: `oltp_read_only`, or `distinct_ranges:10` with its own range size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(into = "String", try_from = "String")]
#[schemars(with = "String")]
pub struct Workload {
    pub kind: WorkloadKind,
    /// Rows that a range scan reads; `None` for
    /// [`Options::range_size`](crate::Options::range_size).
    pub range_size: Option<u32>,
}

impl Workload {
    /// Returns true if the workload needs the text protocol: prepared statements would send the
    /// texts as parameters, not as literals.
    pub fn needs_text_protocol(&self) -> bool {
        self.kind == WorkloadKind::LongLiterals
    }

    pub fn writes(&self) -> bool {
        matches!(
            self.kind,
            WorkloadKind::OltpReadWrite | WorkloadKind::OltpWriteOnly | WorkloadKind::OltpUpdateNonIndex
        )
    }
}

impl From<WorkloadKind> for Workload {
    fn from(kind: WorkloadKind) -> Self {
        Self { kind, range_size: None }
    }
}

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.name())?;
        self.range_size.map_or(Ok(()), |size| write!(f, ":{size}"))
    }
}

impl From<Workload> for String {
    fn from(workload: Workload) -> Self {
        workload.to_string()
    }
}

/// Error in the name of a workload.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WorkloadError {
    #[error(transparent)]
    Unknown(#[from] UnknownName),
    /// The workload scans no ranges.
    #[error("`{given}`: {kind} scans no range of rows and takes no range size; write `{kind}`")]
    NoRange { given: String, kind: WorkloadKind },
    /// The range size isn't a number of rows.
    #[error("`{given}`: `{size}` is not a range size; write a number of rows from 1, as in `{kind}:100`")]
    RangeSize { given: String, size: String, kind: WorkloadKind },
}

impl FromStr for Workload {
    type Err = WorkloadError;

    fn from_str(given: &str) -> Result<Self, WorkloadError> {
        let (name, size) = match given.split_once(':') {
            Some((name, size)) => (name, Some(size)),
            None => (given, None),
        };
        let kind = find_by_name("workload", name, WorkloadKind::ALL, WorkloadKind::name)?;
        let Some(size) = size else { return Ok(kind.into()) };
        if !kind.scans_ranges() {
            return Err(WorkloadError::NoRange { given: given.to_owned(), kind });
        }
        match size.parse() {
            Ok(rows @ 1..) => Ok(Self { kind, range_size: Some(rows) }),
            _ => Err(WorkloadError::RangeSize { given: given.to_owned(), size: size.to_owned(), kind }),
        }
    }
}

impl TryFrom<String> for Workload {
    type Error = WorkloadError;

    fn try_from(given: String) -> Result<Self, WorkloadError> {
        given.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_printed_workloads() {
        for kind in WorkloadKind::ALL {
            let mut workloads = vec![Workload::from(kind)];
            if kind.scans_ranges() {
                workloads.push(Workload { kind, range_size: Some(10) });
            }
            for workload in workloads {
                assert_eq!(workload.to_string().parse(), Ok(workload));
                let json = serde_json::to_string(&workload).unwrap();
                assert_eq!(json, format!("\"{workload}\""));
                assert_eq!(serde_json::from_str::<Workload>(&json).unwrap(), workload);
            }
        }
    }

    #[test]
    fn errors_name_valid_workloads() {
        let given = ["oltp_readonly", "like_prefix:10", "distinct_ranges:0", "distinct_ranges:ten"];
        let messages = given.map(|given| given.parse::<Workload>().unwrap_err().to_string());
        insta::assert_snapshot!(messages.join("\n"));
    }

    #[test]
    fn writes_agrees_with_the_statements() {
        let options = crate::Options::default();
        for workload in WorkloadKind::ALL.map(Workload::from) {
            let script = workload.script(&options);
            let writes = script.statements.iter().any(|statement| statement.kind == crate::StatementKind::Write);
            assert_eq!(workload.writes(), writes, "{workload}");
        }
    }
}
