//! Limits of index keys, by server, engine, row format and settings.
//!
//! tests/keys.rs asks them of MySQL 5.6, 5.7, 8.0 and 9.7 and MariaDB 10.1, 10.2, 10.5, 10.11, 11.4
//! and 11.8. MariaDB versions between them count as the one before.

use facts::{RowFormat, ServerFacts, Table};
use server::{Flavour, Version};

/// Maximum sizes of an index key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyLimits {
    /// Maximum bytes of a key part.
    pub max_part_bytes: u64,
    /// Maximum bytes of all key parts.
    pub max_key_bytes: u64,
    /// Bytes of a key part beyond which the server shortens, hashes or refuses it. The server
    /// passes parts of up to this many bytes to the engine. InnoDB refuses those over
    /// `max_part_bytes` with error 1709.
    pub(super) max_server_part_bytes: u64,
}

impl KeyLimits {
    const fn new(max_part_bytes: u64, max_server_part_bytes: u64, max_key_bytes: u64) -> Self {
        Self { max_part_bytes, max_key_bytes, max_server_part_bytes }
    }
}

/// Versions of a flavour, or of both, from `first` on.
struct Servers {
    flavour: Option<Flavour>,
    first: Version,
}

const ALL: Servers = Servers { flavour: None, first: Version::new(0, 0, 0) };
const MYSQL_8: Servers = Servers { flavour: Some(Flavour::MySql), first: Version::new(8, 0, 0) };
const MARIADB_10_3: Servers = Servers { flavour: Some(Flavour::MariaDb), first: Version::new(10, 3, 1) };
const MARIADB_10_5: Servers = Servers { flavour: Some(Flavour::MariaDb), first: Version::new(10, 5, 0) };
const MARIADB_10_11: Servers = Servers { flavour: Some(Flavour::MariaDb), first: Version::new(10, 11, 0) };

impl Servers {
    fn contain(&self, server: &ServerFacts) -> bool {
        self.flavour.is_none_or(|flavour| flavour == server.flavour) && server.version_number() >= self.first
    }
}

/// Row formats.
enum Formats {
    All,
    /// COMPACT, REDUNDANT and unknown ones.
    Old,
    /// DYNAMIC and COMPRESSED.
    New,
}

impl Formats {
    fn contain(&self, format: RowFormat) -> bool {
        let is_new = matches!(format, RowFormat::Dynamic | RowFormat::Compressed);
        match self {
            Self::All => true,
            Self::Old => !is_new,
            Self::New => is_new,
        }
    }
}

struct Row {
    /// Engine in lower case.
    engine: &'static str,
    servers: Servers,
    /// Value of `innodb_large_prefix`. `None` if it does not matter.
    large_prefix: Option<bool>,
    formats: Formats,
    limits: KeyLimits,
}

/// Limits with InnoDB pages of 16 KiB and more. The first row that applies holds.
///
/// MySQL 8.0.0 and MariaDB 10.3.1 removed `innodb_large_prefix`. It is off by default before MySQL
/// 5.7.7 and MariaDB 10.2.2, then on.
#[rustfmt::skip]
const ROWS: [Row; 12] = [
    Row { engine: "innodb", servers: MYSQL_8, large_prefix: None, formats: Formats::Old, limits: KeyLimits::new(767, 767, 3072) },
    Row { engine: "innodb", servers: MYSQL_8, large_prefix: None, formats: Formats::New, limits: KeyLimits::new(3072, 3072, 3072) },
    Row { engine: "innodb", servers: MARIADB_10_3, large_prefix: None, formats: Formats::Old, limits: KeyLimits::new(767, 3072, 3072) },
    Row { engine: "innodb", servers: MARIADB_10_3, large_prefix: None, formats: Formats::New, limits: KeyLimits::new(3072, 3072, 3072) },
    Row { engine: "innodb", servers: ALL, large_prefix: Some(true), formats: Formats::Old, limits: KeyLimits::new(767, 3072, 3072) },
    Row { engine: "innodb", servers: ALL, large_prefix: Some(true), formats: Formats::New, limits: KeyLimits::new(3072, 3072, 3072) },
    Row { engine: "innodb", servers: ALL, large_prefix: Some(false), formats: Formats::All, limits: KeyLimits::new(767, 767, 3072) },
    Row { engine: "myisam", servers: ALL, large_prefix: None, formats: Formats::All, limits: KeyLimits::new(1000, 1000, 1000) },
    Row { engine: "aria", servers: MARIADB_10_11, large_prefix: None, formats: Formats::All, limits: KeyLimits::new(2300, 2300, 2300) },
    Row { engine: "aria", servers: MARIADB_10_5, large_prefix: None, formats: Formats::All, limits: KeyLimits::new(2000, 2000, 2000) },
    Row { engine: "aria", servers: ALL, large_prefix: None, formats: Formats::All, limits: KeyLimits::new(1000, 1000, 1000) },
    Row { engine: "memory", servers: ALL, large_prefix: None, formats: Formats::All, limits: KeyLimits::new(3072, 3072, 3072) },
];

/// Returns the limits of a table's indexes. `None` for engines other than InnoDB, MyISAM,
/// Aria and MEMORY.
pub fn find_limits(server: &ServerFacts, table: &Table) -> Option<KeyLimits> {
    find_row(server, table.engine.as_deref()?, table.row_format)
}

/// Returns the limits of an InnoDB table with a row format.
pub fn innodb_limits(server: &ServerFacts, format: RowFormat) -> KeyLimits {
    find_row(server, "innodb", format).unwrap_or(KeyLimits::new(767, 767, 3072))
}

fn find_row(server: &ServerFacts, engine: &str, format: RowFormat) -> Option<KeyLimits> {
    let has_large_prefix = server.is_on("innodb_large_prefix");
    let applies = |row: &&Row| {
        row.engine.eq_ignore_ascii_case(engine)
            && row.servers.contain(server)
            && row.large_prefix.is_none_or(|value| value == has_large_prefix)
            && row.formats.contain(format)
    };
    let limits = ROWS.iter().find(applies)?.limits;
    if !engine.eq_ignore_ascii_case("innodb") {
        return Some(limits);
    }
    let max_key_bytes = limits.max_key_bytes.min(max_page_key_bytes(server));
    Some(KeyLimits { max_part_bytes: limits.max_part_bytes.min(max_key_bytes), max_key_bytes, ..limits })
}

/// Returns the maximum bytes of a key in a page of `innodb_page_size`.
fn max_page_key_bytes(server: &ServerFacts) -> u64 {
    match server.variable("innodb_page_size").and_then(|size| size.parse().ok()) {
        Some(..=4096_u64) if MARIADB_10_5.contain(server) => 1173,
        Some(..=4096) => 768,
        Some(4097..=8192) => 1536,
        _ => 3072,
    }
}

/// Returns the settings, by name and value, that a server lacks for key parts of 3072 bytes in
/// tables of `ROW_FORMAT=DYNAMIC`, in an order in which it accepts them.
///
/// Without `innodb_large_prefix`, the parts of such tables stay at 767 bytes. Without the other
/// two, MySQL 5.6 and MariaDB 10.1 refuse `ROW_FORMAT=DYNAMIC` or make the table COMPACT. MariaDB
/// 10.2 requires the file format in `innodb_strict_mode` only, and MySQL 5.7 neither.
pub fn lacking_settings(server: &ServerFacts) -> Vec<(&'static str, &'static str)> {
    if MYSQL_8.contain(server) || MARIADB_10_3.contain(server) {
        return Vec::new();
    }
    let is_before = |mysql: Version, mariadb: Version| {
        let first = if server.flavour == Flavour::MySql { mysql } else { mariadb };
        server.version_number() < first
    };
    let has_file_format =
        server.variable("innodb_file_format").is_some_and(|name| name.eq_ignore_ascii_case("barracuda"));
    let mut lacking = Vec::new();
    if !has_file_format && is_before(Version::new(5, 7, 0), Version::new(10, 3, 1)) {
        lacking.push(("innodb_file_format", "Barracuda"));
    }
    if !server.is_on("innodb_file_per_table") && is_before(Version::new(5, 7, 0), Version::new(10, 2, 0)) {
        lacking.push(("innodb_file_per_table", "ON"));
    }
    if !server.is_on("innodb_large_prefix") {
        lacking.push(("innodb_large_prefix", "ON"));
    }
    lacking
}
