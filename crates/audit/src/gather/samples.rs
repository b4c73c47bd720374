//! A sample of rows: the first and the last by the primary key. Values are classified as they come and not kept.

use facts::{Column, Table, TextType};
use mysql::prelude::Queryable;
use mysql::{Conn, Row, Value};
use rules::encoding::{self, Encoding};
use rules::serialized::{self, Serialized};
use server::Error;

use super::{Gatherer, quoted};
use crate::evidence::ColumnSample;

/// Longer values are left out: nobody waits for them.
const LONGEST_BYTES: u64 = 65_536;
/// Primary keys that are kept as examples.
const EXAMPLES: usize = 3;

impl Gatherer<'_> {
    /// Samples every table that holds text; how many rows were read comes second.
    pub(super) fn samples(&mut self, rows: u64) -> Result<(Vec<ColumnSample>, u64), Error> {
        let facts = self.facts;
        let tables: Vec<(&Table, Vec<&Column>)> = facts.tables().filter_map(sampled).collect();
        if tables.is_empty() {
            return Ok((Vec::new(), 0));
        }
        let mut conn = facts::connect(self.server, &self.limits)?;
        let (mut samples, mut read) = (Vec::new(), 0);
        self.progress.step("reading a sample of rows");
        for (index, (table, columns)) in tables.iter().enumerate() {
            server::interrupt::check()?;
            self.progress.fraction(index as f64 / tables.len() as f64);
            match sample(&mut conn, table, columns, rows) {
                Ok((of_table, count)) => {
                    samples.extend(of_table);
                    read += count;
                }
                Err(mysql::Error::MySqlError(error)) => {
                    let remedy = format!("GRANT SELECT ON {}.* TO the account", quoted(&table.schema));
                    let remedy = matches!(error.code, 1044 | 1142 | 1143).then_some(remedy);
                    self.cannot_see(format!("rows of {}.{}", table.schema, table.name), error.message, remedy);
                }
                Err(source) => return Err(self.failed("read a sample of rows")(source)),
            }
        }
        Ok((samples, read))
    }
}

/// A table's columns whose text may be in another encoding than it should be, where it has any.
fn sampled(table: &Table) -> Option<(&Table, Vec<&Column>)> {
    let of_interest = |column: &&Column| {
        let kind = matches!(column.text_type(), Some(TextType::Char | TextType::Varchar | TextType::Text));
        kind && column.charset.as_deref().is_some_and(|charset| charset != "ascii")
    };
    let columns: Vec<&Column> = table.columns.iter().filter(of_interest).collect();
    (!columns.is_empty()).then_some((table, columns))
}

fn sample(conn: &mut Conn, table: &Table, columns: &[&Column], rows: u64) -> mysql::Result<(Vec<ColumnSample>, u64)> {
    let of = |column: &&Column| ColumnSample {
        schema: table.schema.clone(),
        table: table.name.clone(),
        column: column.name.clone(),
        ..ColumnSample::default()
    };
    let mut samples: Vec<ColumnSample> = columns.iter().map(of).collect();
    let mut read = 0;
    for statement in statements(table, columns, rows) {
        for row in conn.query_iter(statement)? {
            take(&row?, &mut samples);
            read += 1;
        }
    }
    Ok((samples, read))
}

/// Without a primary key, the rows that come first; with one, the first half and the last half, or all where they are few.
fn statements(table: &Table, columns: &[&Column], rows: u64) -> Vec<String> {
    let keys: Vec<String> = table
        .primary_key()
        .map(|key| key.parts.iter().filter_map(|part| part.column.as_deref()).map(quoted).collect())
        .unwrap_or_default();
    let key = if keys.is_empty() { "NULL".to_owned() } else { format!("CONCAT_WS(', ', {})", keys.join(", ")) };
    let values = columns.iter().map(|column| {
        let name = quoted(&column.name);
        format!("CASE WHEN OCTET_LENGTH({name}) <= {LONGEST_BYTES} THEN {name} END")
    });
    let values: Vec<String> = values.collect();
    let select = format!("SELECT {key}, {} FROM {}.{}", values.join(", "), quoted(&table.schema), quoted(&table.name));
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

fn take(row: &Row, samples: &mut [ColumnSample]) {
    let key = match row.as_ref(0) {
        Some(Value::Bytes(bytes)) => Some(String::from_utf8_lossy(bytes).into_owned()),
        _ => None,
    };
    for (index, sample) in samples.iter_mut().enumerate() {
        if let Some(Value::Bytes(bytes)) = row.as_ref(index + 1)
            && let Ok(text) = std::str::from_utf8(bytes)
            && !text.is_empty()
        {
            count(text, key.as_deref(), sample);
        }
    }
}

/// Classifies a value.
fn count(text: &str, key: Option<&str>, sample: &mut ColumnSample) {
    sample.values += 1;
    let of_encoding = match encoding::classify(text) {
        Encoding::Ascii => &mut sample.ascii,
        Encoding::Clean => &mut sample.encodings.clean,
        Encoding::Double(_) => &mut sample.encodings.utf8,
        Encoding::Mixed => &mut sample.encodings.mixed,
        Encoding::Undecidable => &mut sample.encodings.doubtful,
    };
    *of_encoding += 1;
    if matches!(encoding::classify(text), Encoding::Double(_) | Encoding::Mixed) {
        keep(key, &mut sample.encoding_keys);
    }
    let kind = serialized::classify(text);
    let of_serialized = match kind {
        Serialized::No => return,
        Serialized::Ascii => &mut sample.serialized.clean,
        Serialized::Utf8 => &mut sample.serialized.utf8,
        Serialized::Latin1 => &mut sample.serialized.mixed,
        Serialized::Broken => &mut sample.serialized.doubtful,
    };
    *of_serialized += 1;
    if kind != Serialized::Ascii {
        keep(key, &mut sample.serialized_keys);
    }
}

fn keep(key: Option<&str>, keys: &mut Vec<String>) {
    if let Some(key) = key.filter(|_| keys.len() < EXAMPLES) {
        keys.push(key.to_owned());
    }
}
