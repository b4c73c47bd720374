//! The properties in which the variants of a run differ (axes): collation, connection charset,
//! text, server.

use workload::Text;

/// Collations compared by default. Each server is measured with the collations that it has.
pub const DEFAULT_COLLATIONS: [&str; 7] = [
    "latin1_swedish_ci",
    "utf8mb4_general_ci",
    "utf8mb4_bin",
    "utf8mb4_unicode_ci",
    "utf8mb4_unicode_520_ci",
    "utf8mb4_0900_ai_ci",
    "utf8mb4_uca1400_ai_ci",
];

/// Baseline collation by default.
pub const DEFAULT_BASELINE: &str = "latin1_swedish_ci";

#[derive(Clone, Debug, Default)]
pub struct Axes {
    /// Collation names. `None`: the default list.
    pub collations: Option<Vec<String>>,
    /// Collation of the baseline, which all servers and texts must have. `None`: the first of
    /// several collations, otherwise the default baseline; on a server that lacks it, or for a text
    /// that it can't hold, the next collation.
    pub baseline: Option<String>,
    /// Connection charsets. `None`: the variant's own charset, or utf8mb4 if clients may not use
    /// that charset. With a workload folder: the folder's charset.
    pub connections: Vec<Option<String>>,
    pub texts: Vec<Text>,
    /// Whether to exclude, with a note, a collation that no server has, and one that MariaDB has
    /// under the same name with different weights. Otherwise the former is an error and the latter
    /// is measured.
    pub lenient: bool,
    /// Injected extra work of additional copies of each baseline, for the self-test.
    pub extra_work: Vec<f64>,
    /// Control server of each server, by index. A missing entry is server 0.
    pub controls: Vec<usize>,
    /// Further cross-server pairs of two different collations.
    pub cross_server: Vec<CrossServer>,
}

impl Axes {
    /// Returns the name of the baseline, which a server may lack.
    pub(crate) fn baseline_name(&self) -> &str {
        let named = self.collations.as_deref().unwrap_or_default();
        let first_of_several = named.first().filter(|first| named.iter().any(|name| name != *first));
        self.baseline.as_ref().or(first_of_several).map_or(DEFAULT_BASELINE, String::as_str)
    }

    pub(crate) fn control(&self, server: usize) -> usize {
        self.controls.get(server).copied().unwrap_or(0)
    }
}

/// Two collations to compare across servers, in both directions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrossServer {
    pub one: String,
    pub other: String,
}
