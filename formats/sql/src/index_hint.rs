/// Index hint that a server refuses for a view (error 1176), before it evaluates anything. It
/// changes no plan of a statement without GROUP BY.
///
/// The owner of a table could put a view in its place that runs a function of theirs, with the
/// rights of the account that reads. Tried with MySQL 5.6, 8.0, 9.7 and MariaDB 10.1, 11.4, 11.8.
pub const BASE_TABLE_ONLY: &str = "USE INDEX FOR GROUP BY ()";
