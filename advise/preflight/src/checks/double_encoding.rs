//! UTF-8 that was decoded as latin1 and encoded again: `Ã¼` for `ü`.

use mysql_collation::Charset;
use rules::encoding::{EncodingVerdict, classify, repair};

use super::{Check, CheckFunction, ColumnScan, RowCheck, TableScan};
use crate::Error;
use crate::finding::Finding;
use crate::model::Example;
use crate::row::Row;
use check::{Reading, Severity};

pub static CHECK: Check = Check {
    name: "double-encoding",
    title: "text that is UTF-8 read as latin1 (Ã¼ for ü), row by row, with statements that repair it",
    reads: &[Reading::Schemas, Reading::Rows],
    doc: "A client that declares latin1 and sends UTF-8 stores bytes in a latin1 column that only clients of the same kind read correctly. \
              A conversion keeps the stored characters, so ü stays Ã¼ for good. Each value is clean, double-encoded, mixed, or \
              undecidable: NESCAFÉ® may be NESCAFɮ read as latin1, and is left as it is. The plan repairs double-encoded rows of tables with \
              a key, up to --examples rows per column, each if it still holds the value that was read, after the conversion to a character \
              set that can hold the result. It repairs no column with clean values beyond ASCII, none that is generated, and columns of \
              foreign keys and unique keys only if it can repair all that is in them.",
    run: CheckFunction::Rows(checks),
};

struct DoubleEncoding<'j> {
    column: ColumnScan<'j>,
    ascii: u64,
    /// Values beyond ASCII without double encoding.
    clean: u64,
    double_encoded: u64,
    mixed: u64,
    undecidable: u64,
    examples: Vec<Example>,
    repairs: Vec<String>,
}

fn checks<'j>(scan: &TableScan<'j>) -> Vec<Box<dyn RowCheck + 'j>> {
    let boxed_check = |column| {
        Box::new(DoubleEncoding {
            column,
            ascii: 0,
            clean: 0,
            double_encoded: 0,
            mixed: 0,
            undecidable: 0,
            examples: Vec::new(),
            repairs: Vec::new(),
        }) as Box<dyn RowCheck + 'j>
    };
    // Encodings don't depend on the target collation, so only the first target is checked.
    ColumnScan::text_columns(scan).into_iter().filter(|column| column.target == 0).map(boxed_check).collect()
}

impl DoubleEncoding<'_> {
    /// Returns an `UPDATE` that repairs a row after the conversion. Its condition is the row's key
    /// and the value that was read, both in the character sets after the conversion. `None` if a
    /// value has no literal there, or if the repair of another column changes the key.
    fn repair_statement(&self, row: &Row<'_>, repaired_text: &str) -> Option<String> {
        let target = self.column.target().charset()?;
        let repaired_text = crate::text::convert(repaired_text.as_bytes(), Charset::Utf8mb4, target).ok()?.into_owned();
        let now = row.converted(0, self.column.field)?.ok()?;
        let name = sql::quote_identifier(&self.column.conversion().column.name);
        let introducer =
            format!("_{}", crate::quote::charset_name(self.column.scan.job.facts, &self.column.target().charset));
        let key = row.fields.key.iter().map(|&field| {
            let name = sql::quote_identifier(&row.fields.columns[field].name);
            Some(format!("{name} = {}", key_literal(row, field, &self.column.scan)?))
        });
        let mut conditions = key.collect::<Option<Vec<_>>>()?;
        conditions.push(format!("CAST({name} AS BINARY) = {}", sql::hex_literal(now)));
        if self.has_other_double_encoded_key_column(row) {
            return None;
        }
        let table = &self.column.scan.table.table;
        let kept = super::keep_updated_columns(table);
        Some(format!(
            "UPDATE {} SET {name} = {introducer} {}{kept} WHERE {}",
            sql::quote_table(&table.schema, &table.name),
            sql::hex_literal(&repaired_text),
            conditions.join(" AND ")
        ))
    }
}

impl DoubleEncoding<'_> {
    /// True if the column is part of the row's key, and another double-encoded column is, too: the
    /// repair of the one would not find the row after that of the other.
    fn has_other_double_encoded_key_column(&self, row: &Row<'_>) -> bool {
        let key = &row.fields.key;
        let is_double =
            |field: usize| row.text(field).is_some_and(|text| matches!(classify(&text), EncodingVerdict::Double(_)));
        key.contains(&self.column.field) && key.iter().any(|&field| field != self.column.field && is_double(field))
    }

    /// Returns why the plan repairs no value of the column. `None` if it may repair some.
    fn reason_against_repairs(&self) -> Option<String> {
        let conversion = self.column.conversion();
        let name = sql::quote_identifier(&conversion.column.name);
        let against = super::reason_against_updates(self.column.scan.table.table, conversion.column);
        against.or_else(|| self.reason_by_clean_values(&name))
    }

    /// A column with clean values beyond ASCII may hold text that only looks double-encoded.
    fn reason_by_clean_values(&self, name: &str) -> Option<String> {
        (self.clean > 0).then(|| {
            format!(
                "the plan repairs none, because the column has clean values beyond ASCII as well. Judge these rows by hand, and repair each \
                 by its key after the plan: SET {name} = CONVERT(CAST(CONVERT({name} USING latin1) AS BINARY) USING utf8mb4)"
            )
        })
    }
}

/// Returns a key's value as a literal, in the character set of the column after the conversion.
/// `None` if no literal is equal to the stored value, such as for FLOAT.
fn key_literal(row: &Row<'_>, field: usize, scan: &TableScan<'_>) -> Option<String> {
    let column = &row.fields.columns[field];
    let literal_in = |charset: &str, text| {
        format!("_{} {}", crate::quote::charset_name(scan.job.facts, charset), sql::hex_literal(text))
    };
    if let Some(conversion) = column.conversion {
        let charset = &scan.table.conversions[conversion].planned_target().charset;
        return Some(literal_in(charset, row.converted(0, field)?.ok()?));
    }
    let value = row.value(field)?;
    if scan.table.table.column(&column.name)?.data_type == "float" {
        return None;
    }
    Some(match column.charset {
        Some(charset) => literal_in(charset.name(), value),
        None if scan.table.table.column(&column.name)?.data_type == "bit" => bit_literal(value)?,
        None if column.is_binary => sql::hex_literal(value),
        None => sql::quote_string(std::str::from_utf8(value).ok()?),
    })
}

/// Returns `b'101'` for the number of a BIT column in decimal digits, as it is read.
fn bit_literal(value: &[u8]) -> Option<String> {
    let number: u64 = std::str::from_utf8(value).ok()?.parse().ok()?;
    Some(format!("b'{number:b}'"))
}

impl RowCheck for DoubleEncoding<'_> {
    fn check_row(&mut self, row: &Row<'_>) -> Result<(), Error> {
        // NULL is skipped. Ill-formed values are left to the check `unholdable`.
        let Some(text) = row.text(self.column.field) else { return Ok(()) };
        let class = classify(&text);
        let count = match class {
            EncodingVerdict::Ascii => &mut self.ascii,
            EncodingVerdict::Clean => &mut self.clean,
            EncodingVerdict::Double(_) => &mut self.double_encoded,
            EncodingVerdict::Mixed => &mut self.mixed,
            EncodingVerdict::Undecidable => &mut self.undecidable,
        };
        *count += 1;
        if matches!(class, EncodingVerdict::Ascii | EncodingVerdict::Clean) {
            return Ok(());
        }
        if self.examples.len() < self.column.scan.job.examples {
            let note = match class {
                EncodingVerdict::Double(_) => format!("double-encoded: {}", repair(&text)),
                EncodingVerdict::Mixed => "mixed: part of it is double-encoded".into(),
                _ => "undecidable".into(),
            };
            self.examples.push(Example { note: Some(note), ..self.column.example(row) });
        }
        if matches!(class, EncodingVerdict::Double(_))
            && !row.fields.key.is_empty()
            && self.repairs.len() < self.column.scan.job.examples
        {
            self.repairs.extend(self.repair_statement(row, &repair(&text)));
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Vec<Finding>, Error> {
        let count = self.double_encoded + self.mixed + self.undecidable;
        if count == 0 {
            return Ok(Vec::new());
        }
        let severity = if self.double_encoded + self.mixed > 0 { Severity::Warning } else { Severity::Note };
        let mut finding = self.column.finding(&CHECK, severity);
        finding.details.count = count;
        finding.what = format!(
            "{} double-encoded, {} mixed, {} undecidable, {}",
            self.double_encoded,
            self.mixed,
            self.undecidable,
            message::count_noun(self.clean + self.ascii, "clean value")
        );
        finding.why =
            "a conversion keeps the characters that are stored, wrong ones too, and makes the mistake permanent".into();
        let against = self.reason_against_repairs();
        let repairs = if against.is_none() { self.repairs } else { Vec::new() };
        let repaired = repairs.len() as u64;
        finding.action = match (repaired, count - repaired) {
            _ if self.double_encoded > 0 && against.is_some() => against.unwrap_or_default(),
            (_, 0) => "the plan repairs them after the conversion".into(),
            (0, _) => {
                "repair them by hand: the plan has no repair for rows without a key or with a FLOAT in it, nor for mixed and undecidable \
                 ones"
                    .into()
            }
            (_, _) if repaired >= self.column.scan.job.examples as u64 => format!(
                "the plan repairs {repaired} of them after the conversion, as many as --examples allows: --examples {count} repairs and lists \
                 all that can be; after a plan with part of the repairs, clean values stand beside the others, and no later run repairs these"
            ),
            (_, left) => {
                format!("the plan repairs {repaired} of them after the conversion; look at the other {left} by hand")
            }
        };
        if repaired > 0 && self.column.scan.table.row_end.is_some() {
            finding.action += "; past rows keep their text, and the table's history gets the unrepaired ones";
        }
        finding.details.examples = self.examples;
        finding.details.in_plan = repaired == count;
        finding.details.statements = repairs;
        Ok(vec![finding])
    }
}
