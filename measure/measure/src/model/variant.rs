//! Pairs that a run compares: two variants under one condition.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use server::Layers;

use super::{OWN_TEXT, Run};

/// A server with a collation, a charset and a connection charset, and the sample text in its rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Variant {
    /// Index in [`Run::servers`].
    pub server: usize,
    /// Collation of schema, table and columns. With a workload folder: the collation its columns
    /// are converted to, or `as-is`.
    pub collation: String,
    /// Charset of the collation. For `as-is`, the connection charset.
    pub charset: String,
    /// Requested charset of the connections.
    pub connection_charset: String,
    /// Name of the sample text that fills the rows, such as `latin`. `own` if the rows come from a
    /// workload folder or a script.
    pub text: String,
    /// Whether this is a copy of a baseline: for an A/A pair, or with injected extra work.
    pub copy: bool,
    /// Injected extra work: uncounted transactions per counted transaction. Only in a self-test.
    #[serde(default, alias = "handicap", skip_serializing_if = "Option::is_none")]
    pub extra_work: Option<f64>,
    /// Effective charsets and collations of server, schema, table, column and connection, as read
    /// back from the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layers: Option<Layers>,
}

/// Formats a variant: `utf8mb4_bin over a latin1 connection with 5 % more work`.
impl std::fmt::Display for Variant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.collation)?;
        if self.connection_charset != self.charset {
            write!(f, " over a {} connection", self.connection_charset)?;
        }
        self.extra_work.map_or(Ok(()), |share| write!(f, " with {:.0} % more work", share * 100.0))
    }
}

/// A workload, the sample text in its rows, and a number of connections.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Condition {
    /// Name of the workload. With a workload folder: its name, or `NAME:CLASS` if the statements of
    /// one class are measured alone.
    pub workload: String,
    /// Name of the sample text that fills the rows, as in [`Variant::text`].
    pub text: String,
    /// Connections per variant, each with a thread of the client.
    pub threads: u32,
}

impl std::fmt::Display for Condition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let plural = if self.threads == 1 { "" } else { "s" };
        let text = if self.text == OWN_TEXT { String::new() } else { format!(", {} text", self.text) };
        write!(f, "{}{text}, {} thread{plural}", self.workload, self.threads)
    }
}

/// Purpose of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PairKind {
    /// A baseline and its copy. The true ratio is 1, so the measured difference is noise.
    AA,
    /// A variant with a different collation, connection charset or injected extra work, against the
    /// baseline of its server.
    Collation,
    /// A cross-server pair: a variant and its baseline on another server. The collation is the same
    /// unless two collations were requested.
    Server,
}

/// A variant and its baseline in one condition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pair {
    /// Index in [`Run::conditions`].
    #[serde(alias = "cell")]
    pub condition: usize,
    /// Index of the variant in [`Run::variants`].
    pub variant: usize,
    /// Index of the baseline in [`Run::variants`].
    pub baseline: usize,
    /// Purpose of the pair.
    pub kind: PairKind,
}

/// Part of MySQL's UCA 9.0.0 collation names. MariaDB accepts these names since 11.4.5 (not in 11.5
/// and 11.6), but uses its own weights of UCA 14.0.0.
const MYSQL_UCA900_INFIX: &str = "_0900_";

/// Ending of `utf8mb4_0900_bin`, which orders by code point on both flavours.
const CODE_POINT_ENDING: &str = "_0900_bin";

/// Whether a name is one of MySQL's of UCA 9.0.0, to which MariaDB gives different weights.
pub(crate) fn is_mysql_uca900_name(collation: &str) -> bool {
    collation.contains(MYSQL_UCA900_INFIX) && !collation.ends_with(CODE_POINT_ENDING)
}

/// Whether two variants on servers of different flavours have the same collation name, but
/// different weights.
pub fn has_same_name_but_different_weights(run: &Run, one: &Variant, other: &Variant) -> bool {
    let flavour = |variant: &Variant| run.servers[variant.server].flavour;
    one.collation == other.collation && is_mysql_uca900_name(&one.collation) && flavour(one) != flavour(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_points_have_no_other_weights_in_mariadb() {
        assert!(is_mysql_uca900_name("utf8mb4_0900_ai_ci") && is_mysql_uca900_name("utf8mb4_de_pb_0900_as_cs"));
        assert!(!is_mysql_uca900_name("utf8mb4_0900_bin") && !is_mysql_uca900_name("utf8mb4_uca1400_ai_ci"));
    }
}
