//! Collations of generated columns on servers that take no COLLATE for them.

use mysql_collation::Flavour;
use server::Version;

use crate::job::{Conversion, Job, TableJob, flavour};
use crate::quote::charset_name;

/// First version of MariaDB that was seen to take `COLLATE` before `GENERATED ALWAYS`. MariaDB 10.1
/// and 10.2 take it nowhere in the definition of a generated column (error 1064). There, a column
/// without character set gets the table's default, also one that the same ALTER sets.
const TAKES_COLLATE: Version = Version::new(10, 5, 0);

/// Returns the default that an ALTER must give the table, so that its generated columns get their
/// collation. `to` returns a column's new collation. `None` if no column needs it.
pub(super) fn default_collation<'t>(
    job: &Job<'_>,
    table: &'t TableJob<'_>,
    to: impl Fn(&'t Conversion<'_>) -> &'t str,
) -> Option<&'t str> {
    if !takes_default(job) {
        return None;
    }
    table.conversions.iter().find(|conversion| conversion.column.generated.is_some()).map(to)
}

/// Returns the planned collations of a table's generated columns that can only get them as the
/// table's default, without duplicates.
pub fn generated_targets<'t>(job: &Job<'_>, table: &'t TableJob<'_>) -> Vec<&'t str> {
    if !takes_default(job) {
        return Vec::new();
    }
    let generated = table.conversions.iter().filter(|conversion| conversion.column.generated.is_some());
    let mut targets: Vec<&str> = generated.map(|conversion| conversion.planned_target().name.as_str()).collect();
    targets.sort_unstable();
    targets.dedup();
    targets
}

/// True for servers that take no `COLLATE` for generated columns.
fn takes_default(job: &Job<'_>) -> bool {
    flavour(job.facts) == Flavour::MariaDb && job.facts.server.version_number() < TAKES_COLLATE
}

/// Returns the clause that sets a table's default.
pub(super) fn default_clause(job: &Job<'_>, collation: &str) -> String {
    let charset = server::collation_charset(collation);
    format!("DEFAULT CHARACTER SET {} COLLATE {collation}", charset_name(job.facts, charset))
}
