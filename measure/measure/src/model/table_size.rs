//! Table sizes of a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Space that InnoDB has allocated for a variant's table, used or not: whole pages, and whole
/// extents for larger tables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TableSize {
    /// Index in [`Run::variants`](super::Run::variants).
    pub variant: usize,
    /// Table name.
    pub table: String,
    /// Row count.
    pub rows: u64,
    /// Bytes of the clustered index, which contains the rows (`DATA_LENGTH` of
    /// `information_schema.tables`).
    pub data_bytes: u64,
    /// Bytes of all secondary indexes (`INDEX_LENGTH`).
    pub index_bytes: u64,
    /// Leaf pages of the clustered index (`n_leaf_pages` of `mysql.innodb_index_stats`). Absent if
    /// the account may not read that table, or if the statistics are not persistent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leaf_pages: Option<u64>,
    /// Page size in bytes (`innodb_page_size`).
    pub page_bytes: u64,
}

impl TableSize {
    /// Rows per leaf page of the clustered index.
    pub fn rows_per_page(&self) -> Option<f64> {
        self.leaf_pages.filter(|pages| *pages > 0).map(|pages| self.rows as f64 / pages as f64)
    }
}
