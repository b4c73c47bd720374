//! Samples the first and the last rows of each table by primary key, or any rows of a table that
//! has no primary key or few rows. Values are classified, not stored, except the primary keys of a
//! few example rows.

use facts::{Column, Table, TextType};
use mysql::{Row, Value};
use rules::encoding::{self, EncodingVerdict};
use rules::serialized::{self, Serialized};
use server::Conn;
use server::{Error, error_code};
use sql::{BASE_TABLE_ONLY, quote_identifier, quote_table};

use super::Gatherer;
use crate::input::ColumnSample;

/// Longer values are skipped, to bound the time of the sample.
const MAX_VALUE_BYTES: u64 = 65_536;
const MAX_EXAMPLE_KEYS: usize = 3;

impl Gatherer<'_> {
    /// Samples up to `rows` rows of each table that has text columns in other character sets than
    /// ascii. Returns the number of rows read, too.
    pub(super) fn sample_tables(&mut self, rows: u64) -> Result<(Vec<ColumnSample>, u64), Error> {
        let facts = self.facts;
        let tables: Vec<(&Table, Vec<&Column>)> = facts.tables().filter_map(text_columns).collect();
        if tables.is_empty() {
            return Ok((Vec::new(), 0));
        }
        let mut conn = facts::connect(self.server, &self.limits)?;
        let (mut samples, mut read) = (Vec::new(), 0);
        self.progress.step("reading a sample of rows");
        for (index, (table, columns)) in tables.iter().enumerate() {
            lifecycle::interrupt::check()?;
            self.progress.fraction(index as f64 / tables.len() as f64);
            match sample_table(&mut conn, table, columns, rows) {
                Ok((table_samples, count)) => {
                    samples.extend(table_samples);
                    read += count;
                }
                Err(mysql::Error::MySqlError(error)) => {
                    let remedy = format!("GRANT SELECT ON {}.* TO the account", quote_identifier(&table.schema));
                    let remedy = error_code::is_access_denied(error.code).then_some(remedy);
                    let name = check::table_name(&table.schema, &table.name);
                    self.add_unseen(format!("rows of {name}"), error.message, remedy);
                }
                Err(source) => return Err(self.statement_error("read a sample of rows")(source)),
            }
        }
        Ok((samples, read))
    }
}

/// Returns the CHAR, VARCHAR and TEXT columns of a table, except ascii ones. `None` if the table
/// has none.
fn text_columns(table: &Table) -> Option<(&Table, Vec<&Column>)> {
    let is_sampled = |column: &&Column| {
        let is_text = matches!(column.text_type(), Some(TextType::Char | TextType::Varchar | TextType::Text));
        is_text && column.charset.as_deref().is_some_and(|charset| charset != "ascii")
    };
    let columns: Vec<&Column> = table.columns.iter().filter(is_sampled).collect();
    (!columns.is_empty()).then_some((table, columns))
}

fn sample_table(
    conn: &mut Conn,
    table: &Table,
    columns: &[&Column],
    rows: u64,
) -> mysql::Result<(Vec<ColumnSample>, u64)> {
    let empty_sample = |column: &&Column| ColumnSample {
        schema: table.schema.clone(),
        table: table.name.clone(),
        column: column.name.clone(),
        ..ColumnSample::default()
    };
    let mut samples: Vec<ColumnSample> = columns.iter().map(empty_sample).collect();
    let mut read = 0;
    for statement in sample_queries(table, columns, rows) {
        for row in conn.rows(statement)? {
            count_row(&row?, &mut samples);
            read += 1;
        }
    }
    Ok((samples, read))
}

/// Returns the queries of a sample: one for each end of the primary key.
///
/// One query suffices for a table without a primary key, or if the server estimates at most half as
/// many rows as the sample.
fn sample_queries(table: &Table, columns: &[&Column], rows: u64) -> Vec<String> {
    let keys: Vec<String> = table
        .primary_key()
        .map(|key| key.parts.iter().filter_map(|part| part.column.as_deref()).map(quote_identifier).collect())
        .unwrap_or_default();
    let key = if keys.is_empty() { "NULL".to_owned() } else { format!("CONCAT_WS(', ', {})", keys.join(", ")) };
    let values = columns.iter().map(|column| {
        let name = quote_identifier(&column.name);
        format!("CASE WHEN OCTET_LENGTH({name}) <= {MAX_VALUE_BYTES} THEN {name} END")
    });
    let values: Vec<String> = values.collect();
    let name = quote_table(&table.schema, &table.name);
    let select = format!("SELECT {key}, {} FROM {name} {BASE_TABLE_ONLY}", values.join(", "));
    let few = table.rows.is_some_and(|estimate| estimate <= rows / 2);
    if keys.is_empty() || few {
        return vec![format!("{select} LIMIT {rows}")];
    }
    let last = keys.iter().map(|key| format!("{key} DESC")).collect::<Vec<_>>().join(", ");
    vec![
        format!("{select} ORDER BY {} LIMIT {}", keys.join(", "), rows.div_ceil(2)),
        format!("{select} ORDER BY {last} LIMIT {}", rows / 2),
    ]
}

fn count_row(row: &Row, samples: &mut [ColumnSample]) {
    let key = match row.as_ref(0) {
        Some(Value::Bytes(bytes)) => Some(String::from_utf8_lossy(bytes).into_owned()),
        _ => None,
    };
    for (index, sample) in samples.iter_mut().enumerate() {
        if let Some(Value::Bytes(bytes)) = row.as_ref(index + 1)
            && let Ok(text) = std::str::from_utf8(bytes)
            && !text.is_empty()
        {
            count_value(text, key.as_deref(), sample);
        }
    }
}

/// Classifies a value and counts it. `key` is the primary key of its row; `None` without one.
fn count_value(text: &str, key: Option<&str>, sample: &mut ColumnSample) {
    sample.values += 1;
    let verdict = encoding::classify(text);
    let encoding_count = match verdict {
        EncodingVerdict::Ascii => &mut sample.ascii_values,
        EncodingVerdict::Clean => &mut sample.encodings.clean,
        EncodingVerdict::Double(_) => &mut sample.encodings.double_encoded,
        EncodingVerdict::Mixed => &mut sample.encodings.mixed,
        EncodingVerdict::Undecidable => &mut sample.encodings.undecidable,
    };
    *encoding_count += 1;
    match verdict {
        EncodingVerdict::Double(_) => {
            if sample.encodings.double_encoded == 1 {
                // Takes out the keys of mixed values, which were sampled before.
                sample.encoding_keys.clear();
            }
            push_example(key, &mut sample.encoding_keys);
        }
        EncodingVerdict::Mixed if sample.encodings.double_encoded == 0 => {
            push_example(key, &mut sample.encoding_keys);
        }
        _ => {}
    }
    let kind = serialized::classify(text);
    let serialized_count = match kind {
        Serialized::NotSerialized => return,
        Serialized::Ascii => &mut sample.serialized.ascii,
        Serialized::Utf8 => &mut sample.serialized.utf8,
        Serialized::Latin1 => &mut sample.serialized.latin1,
        Serialized::Broken => &mut sample.serialized.broken,
    };
    *serialized_count += 1;
    if kind != Serialized::Ascii {
        push_example(key, &mut sample.serialized_keys);
    }
}

fn push_example(key: Option<&str>, keys: &mut Vec<String>) {
    if let Some(key) = key.filter(|_| keys.len() < MAX_EXAMPLE_KEYS) {
        keys.push(key.to_owned());
    }
}
