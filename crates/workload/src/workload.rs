//! The workloads by name.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::name::{self, UnknownName};

/// What kind of statements a workload sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// sysbench's `oltp_point_select`.
    OltpPointSelect,
    /// sysbench's `oltp_read_only`.
    OltpReadOnly,
    /// sysbench's `oltp_read_write`.
    OltpReadWrite,
    /// sysbench's `oltp_write_only`.
    OltpWriteOnly,
    /// sysbench's `oltp_update_non_index`.
    OltpUpdateNonIndex,
    /// sysbench's `select_random_ranges`.
    SelectRandomRanges,
    /// The `SELECT DISTINCT … ORDER BY` of `oltp_read_only`, alone.
    DistinctRanges,
    /// The `SELECT … ORDER BY` of `oltp_read_only`, alone.
    OrderRanges,
    /// A row by its varchar(64) key.
    VarcharLookup,
    /// A range of rows joined to others by a varchar(64) key.
    VarcharJoin,
    /// A range of rows grouped by a varchar(64).
    GroupBy,
    /// Rows by the start of their varchar(64) key.
    LikePrefix,
    /// Statements of several kilobytes of quoted text.
    LongLiterals,
}

impl Kind {
    /// All of them, in the order in which help lists them.
    pub const ALL: [Kind; 13] = [
        Kind::OltpPointSelect,
        Kind::OltpReadOnly,
        Kind::OltpReadWrite,
        Kind::OltpWriteOnly,
        Kind::OltpUpdateNonIndex,
        Kind::SelectRandomRanges,
        Kind::DistinctRanges,
        Kind::OrderRanges,
        Kind::VarcharLookup,
        Kind::VarcharJoin,
        Kind::GroupBy,
        Kind::LikePrefix,
        Kind::LongLiterals,
    ];

    /// The name on the command line and in results; sysbench's where the workload is sysbench's.
    pub fn name(self) -> &'static str {
        match self {
            Kind::OltpPointSelect => "oltp_point_select",
            Kind::OltpReadOnly => "oltp_read_only",
            Kind::OltpReadWrite => "oltp_read_write",
            Kind::OltpWriteOnly => "oltp_write_only",
            Kind::OltpUpdateNonIndex => "oltp_update_non_index",
            Kind::SelectRandomRanges => "select_random_ranges",
            Kind::DistinctRanges => "distinct_ranges",
            Kind::OrderRanges => "order_ranges",
            Kind::VarcharLookup => "varchar_lookup",
            Kind::VarcharJoin => "varchar_join",
            Kind::GroupBy => "group_by",
            Kind::LikePrefix => "like_prefix",
            Kind::LongLiterals => "long_literals",
        }
    }

    /// One line on what it does.
    pub fn description(self) -> &'static str {
        match self {
            Kind::OltpPointSelect => "sysbench: one row by its integer key",
            Kind::OltpReadOnly => {
                "sysbench: a transaction of 10 point selects and a simple, sum, order and distinct range each"
            }
            Kind::OltpReadWrite => "sysbench: oltp_read_only, then 2 updates, a delete and an insert",
            Kind::OltpWriteOnly => "sysbench: a transaction of 2 updates, a delete and an insert",
            Kind::OltpUpdateNonIndex => "sysbench: update of a text column that no index has",
            Kind::SelectRandomRanges => "sysbench: count over 10 small ranges of an integer index",
            Kind::DistinctRanges => {
                "SELECT DISTINCT … ORDER BY over a range of rows, the text's own cost at its clearest"
            }
            Kind::OrderRanges => "SELECT … ORDER BY over a range of rows",
            Kind::VarcharLookup => "one row by a secondary index on varchar(64)",
            Kind::VarcharJoin => "a range of rows, each joined to another row by a varchar(64) key",
            Kind::GroupBy => "a range of rows grouped by a varchar(64) of about 100 values",
            Kind::LikePrefix => "the 10 rows whose varchar(64) key begins as given: LIKE 'prefix%'",
            Kind::LongLiterals => {
                "statements with 4,000 characters of quoted text each, to weigh the parser (text protocol only)"
            }
        }
    }

    /// Whether its statements scan a range of rows whose size can be chosen.
    pub fn scans_ranges(self) -> bool {
        matches!(
            self,
            Kind::OltpReadOnly
                | Kind::OltpReadWrite
                | Kind::DistinctRanges
                | Kind::OrderRanges
                | Kind::VarcharJoin
                | Kind::GroupBy
        )
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A workload as it is asked for: `oltp_read_only`, or `distinct_ranges:10` with a range size of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(into = "String", try_from = "String")]
#[schemars(with = "String")]
pub struct Workload {
    /// What it does.
    pub kind: Kind,
    /// Rows a range scan reads, where they are not [`Options::range_size`](crate::Options::range_size).
    pub range_size: Option<u32>,
}

impl Workload {
    /// Whether it only makes sense with statements as text: prepared, it would not send what it is about.
    pub fn text_protocol_only(&self) -> bool {
        self.kind == Kind::LongLiterals
    }

    /// Whether it changes rows.
    pub fn writes(&self) -> bool {
        matches!(self.kind, Kind::OltpReadWrite | Kind::OltpWriteOnly | Kind::OltpUpdateNonIndex)
    }
}

impl From<Kind> for Workload {
    fn from(kind: Kind) -> Self {
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

/// What is wrong with the name of a workload.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WorkloadError {
    /// No such workload.
    #[error(transparent)]
    Unknown(#[from] UnknownName),
    /// A range size where none has an effect.
    #[error("`{given}`: {kind} scans no range of rows, so it takes no range size; write `{kind}`")]
    NoRange {
        /// The workload as given.
        given: String,
        /// The workload meant.
        kind: Kind,
    },
    /// A range size that is no number of rows.
    #[error("`{given}`: `{size}` is no range size; write a number of rows from 1 on, as in `{kind}:100`")]
    RangeSize {
        /// The workload as given.
        given: String,
        /// The range size as given.
        size: String,
        /// The workload meant.
        kind: Kind,
    },
}

impl FromStr for Workload {
    type Err = WorkloadError;

    fn from_str(given: &str) -> Result<Self, WorkloadError> {
        let (name, size) = match given.split_once(':') {
            Some((name, size)) => (name, Some(size)),
            None => (given, None),
        };
        let kind = name::find("workload", name, Kind::ALL, Kind::name)?;
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
    fn a_workload_reads_as_it_prints() {
        for kind in Kind::ALL {
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
    fn what_cannot_be_meant_is_answered_with_what_can() {
        let given = ["oltp_readonly", "like_prefix:10", "distinct_ranges:0", "distinct_ranges:ten"];
        let messages = given.map(|given| given.parse::<Workload>().unwrap_err().to_string());
        insta::assert_snapshot!(messages.join("\n"));
    }

    #[test]
    fn a_workload_writes_if_and_only_if_a_statement_of_it_does() {
        let options = crate::Options::default();
        for workload in Kind::ALL.map(Workload::from) {
            let script = workload.script(&options);
            let writes = script.statements.iter().any(|statement| statement.kind == crate::StatementKind::Write);
            assert_eq!(workload.writes(), writes, "{workload}");
        }
    }
}
