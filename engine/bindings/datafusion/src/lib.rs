//! MySQL's and MariaDB's collations as functions of Apache DataFusion. Queries sort, group, join
//! and filter as the servers do, weight for weight, without a server.
//!
//! | function | result |
//! | --- | --- |
//! | `mysql_sort_key(value, collation [, flavour])` | `Binary`: keys compare bytewise as their strings do |
//! | `mysql_equal(a, b, collation [, flavour])` | `Boolean`: `a = b` |
//! | `mysql_compare(a, b, collation [, flavour])` | `Int8`: -1, 0 or 1, as `STRCMP` |
//! | `mysql_like(value, pattern, collation [, flavour [, escape]])` | `Boolean`: `value LIKE pattern`; `escape` is a backslash if not given, `''` for none |
//! | `mysql_weight_string(value, collation [, flavour])` | `Binary`: the server's `WEIGHT_STRING(value)` |
//! | `mysql_upper(value, collation [, flavour])`, `mysql_lower` | `Utf8`: the server's `UPPER(value)`, `LOWER(value)` |
//!
//! With the rule [`MarkedColumns`], operators and `ORDER BY` follow the collation that a column is
//! marked with, without these functions.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> datafusion::error::Result<()> {
//! use datafusion::prelude::SessionContext;
//!
//! let mut context = SessionContext::new();
//! datafusion_mysql_collation::register_all(&mut context)?;
//! let groups = context
//!     .sql(
//!         "SELECT min(word), count(*) FROM (VALUES ('Straße'), ('STRASSE'), ('Zug')) AS words(word) \
//!          GROUP BY mysql_sort_key(word, 'utf8mb4_0900_ai_ci', 'mysql')",
//!     )
//!     .await?;
//! assert_eq!(groups.count().await?, 2);
//! # Ok(()) }
//! ```
//!
//! A value is a string or bytes of any of Arrow's string types, a dictionary of these, or NULL.
//! NULL makes the result NULL. Strings are converted to the collation's character set. Bytes must
//! be in that character set.
//!
//! Collation, flavour (`'mysql'` or `'mariadb'`) and escape must be literals. They are checked when
//! the query is planned. The flavour is optional if only one flavour has the name, or if the name
//! has the same order in both.
//!
//! The crate `mysql-collation` computes all weights.

mod case;
mod compare;
mod equal;
mod function;
mod like;
mod options;
mod rule;
mod sort_key;
mod text;
mod weight_string;

use std::sync::Arc;

use datafusion_common::Result;
use datafusion_expr::ScalarUDF;
use datafusion_expr::registry::FunctionRegistry;

pub use case::{mysql_lower, mysql_upper};
pub use compare::mysql_compare;
pub use equal::mysql_equal;
pub use like::mysql_like;
pub use rule::{COLLATION_KEY, FLAVOUR_KEY, MarkedColumns, mark};
pub use sort_key::mysql_sort_key;
pub use weight_string::mysql_weight_string;

/// Returns all functions.
pub fn all() -> [Arc<ScalarUDF>; 7] {
    [
        mysql_sort_key(),
        mysql_equal(),
        mysql_compare(),
        mysql_like(),
        mysql_weight_string(),
        mysql_upper(),
        mysql_lower(),
    ]
}

/// Registers all functions, for example in a `SessionContext`.
///
/// # Errors
/// Returns the registry's error.
pub fn register_all(registry: &mut dyn FunctionRegistry) -> Result<()> {
    all().into_iter().try_for_each(|function| registry.register_udf(function).map(drop))
}
