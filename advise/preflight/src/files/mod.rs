//! Rows of CSV files, Parquet files and dumps, checked without a server.

mod change;
mod column;
mod contents;
mod csv_rows;
mod definition;
mod dump;
mod key;
mod origin;
mod parquet_rows;
mod partitions;
mod statement;
mod table_file;
#[cfg(test)]
mod tests;

pub use contents::{NOT_READ, NOT_UNDERSTOOD};
pub use csv_rows::CsvRows;
pub use dump::{DumpRows, list_dump_files, read_dump};
pub use parquet_rows::ParquetRows;
pub use table_file::TableFile;

use std::collections::BTreeMap;

use facts::{CharsetInfo, CollationFact, Facts, Replication, Schema, ServerFacts, Table};
use mysql_collation::{Flavour, catalogue};

/// Builds facts of tables in files, with the character sets and collations of a flavour.
fn build_facts(flavour: Flavour, tables: Vec<Table>) -> Facts {
    let mut schemas: BTreeMap<String, Schema> = BTreeMap::new();
    for table in tables {
        let schema = schemas
            .entry(table.schema.clone())
            .or_insert_with(|| Schema { name: table.schema.clone(), ..Schema::default() });
        schema.tables.push(table);
    }
    let all = catalogue(flavour);
    let mut charsets: Vec<CharsetInfo> = Vec::new();
    for info in all.iter().filter(|info| info.is_default) {
        charsets.push(CharsetInfo {
            name: info.charset.into(),
            default_collation: info.name.into(),
            max_bytes: max_bytes(info.charset),
        });
    }
    let collation = |info: &mysql_collation::Info| CollationFact {
        name: info.name.into(),
        charset: info.charset.into(),
        id: info.id,
        is_default: info.is_default,
        comment: None,
    };
    Facts {
        server: ServerFacts {
            label: "files".into(),
            flavour: match flavour {
                Flavour::MySql => server::Flavour::MySql,
                Flavour::MariaDb => server::Flavour::MariaDb,
            },
            // Files have no server: keys and rows get the limits of MySQL 8.4 or MariaDB 11.8.
            version: match flavour {
                Flavour::MySql => "8.4.0".into(),
                Flavour::MariaDb => "11.8.0-MariaDB".into(),
            },
            version_comment: String::new(),
            variables: BTreeMap::new(),
            charsets,
            collations: all.iter().map(collation).collect(),
            handshake: None,
        },
        schemas: schemas.into_values().collect(),
        sessions: Vec::new(),
        replication: Replication::default(),
        unseen: Vec::new(),
        own_schemas: Vec::new(),
        system_columns: Vec::new(),
    }
}

/// Maximum bytes per character (MySQL manual, "Supported Character Sets and Collations").
fn max_bytes(charset: &str) -> u8 {
    match charset {
        "utf8mb4" | "utf16" | "utf16le" | "utf32" | "gb18030" => 4,
        "utf8" | "utf8mb3" | "ujis" | "eucjpms" => 3,
        "big5" | "gbk" | "gb2312" | "sjis" | "cp932" | "euckr" | "ucs2" => 2,
        _ => 1,
    }
}
