//! Rows that collide in a unique key.

mod candidates;
mod collisions;
pub(super) mod duplicates;

use std::collections::BTreeSet;

use extsort::Sorter;
use facts::{Index, TextType};
use mysql_collation::{Charset, Collation};
use rules::encoding::{EncodingVerdict, classify, repair};

use super::generated_collation::is_recomputed;
use super::{Check, CheckFunction, RowCheck, TableScan, overlaps};
use crate::Error;
use crate::finding::{Finding, index_finding};
use crate::job::{Job, TableJob, flavour};
use crate::limits;
use crate::model::{CollisionGroup, Example};
use crate::row::{Fields, Row, decode_values, display_value};
use crate::text;
use candidates::{candidate_collations, is_language_specific};
use check::{Reading, Severity};
use collisions::{Collisions, Members, OldKeys, REPAIRED, STORED};

pub static CHECK: Check = Check {
    name: "unique-key",
    title: "rows that a unique key tells apart now, and not under the new collation",
    reads: &[Reading::Schemas, Reading::Rows],
    doc: "A coarser collation makes values equal that differ now: ß and ss, é and e, or 'a' and 'a ' where NO PAD becomes PAD SPACE. \
              ALTER TABLE then ends with error 1062, after it has copied the rows up to there. gh-ost and pt-online-schema-change copy with \
              INSERT IGNORE and keep one row of each group instead. Every unique key with a converted column is sorted by its new sort keys, \
              at the length at which it will be indexed; NULLs never collide. Rows are named by the key that the table is read by.",
    run: CheckFunction::Rows(checks),
};

/// Returns the repaired text. `None` if the text is not double-encoded.
fn repair_double_encoding(text: &str) -> Option<String> {
    matches!(classify(text), EncodingVerdict::Double(_)).then(|| repair(text))
}

fn checks<'j>(scan: &TableScan<'j>) -> Vec<Box<dyn RowCheck + 'j>> {
    let mut all: Vec<Box<dyn RowCheck + 'j>> = Vec::new();
    for index in scan.table.unique_indexes().filter(|index| !is_asked_of_server(scan.job, scan.table, index)) {
        for target in 0..scan.job.targets.len() {
            if let Some(check) = UniqueKey::new(scan, index, target) {
                all.push(Box::new(check));
            }
        }
    }
    all
}

/// True if the server is asked about the key: one with a period WITHOUT OVERLAPS, and one with a
/// generated column whose value the conversion may change.
pub fn is_asked_of_server(job: &Job<'_>, table: &TableJob<'_>, index: &Index) -> bool {
    let mut columns = index.parts.iter().filter_map(|part| part.column.as_deref());
    columns.any(|column| is_recomputed(job, table, column)) || overlaps::find_period(job, table, index).is_some()
}

/// Column of a key, and how its values are compared.
pub struct KeyPart {
    field: usize,
    /// Length of the indexed prefix: characters of text, bytes of other types. `None`: the whole
    /// value.
    prefix: Option<usize>,
    /// `None` if values are compared by their bytes.
    collation: Option<Collation>,
    /// True if the converted values are compared.
    is_converted: bool,
}

impl KeyPart {
    /// Returns a column of a key after the conversion to `target`, or before the conversion if
    /// `target` is `None`.
    ///
    /// `None` if the column is not read, or `mysql-collation` lacks its collation.
    pub fn new(scan: &TableScan<'_>, column: &str, prefix: Option<u64>, target: Option<usize>) -> Option<Self> {
        let field = scan.fields.position(column)?;
        let prefix = prefix.map(|prefix| prefix as usize);
        let definition = scan.table.table.column(column)?;
        let is_text = matches!(definition.text_type(), Some(TextType::Char | TextType::Varchar | TextType::Text));
        if !is_text {
            return Some(Self { prefix, ..Self::of_bytes(field) });
        }
        let own_collation = || Collation::lookup(flavour(scan.job.facts), definition.collation.as_deref()?).ok();
        let (collation, is_converted) = match (scan.table.conversion(column), target) {
            (Some(conversion), Some(target)) => (conversion.targets[target].collation?, true),
            _ => (own_collation()?, false),
        };
        Some(Self { field, prefix, collation: Some(collation), is_converted })
    }

    /// Returns a column whose values are compared by their bytes.
    fn of_bytes(field: usize) -> Self {
        Self { field, prefix: None, collation: None, is_converted: false }
    }

    /// Appends the sort key of the column's value. False if the value is NULL or can't be
    /// converted.
    fn append(&self, row: &Row<'_>, target: usize, key: &mut Vec<u8>) -> bool {
        let value = if self.is_converted {
            row.converted(target, self.field).and_then(Result::ok)
        } else {
            row.value(self.field)
        };
        let Some(value) = value else { return false };
        self.append_value(value, key);
        true
    }

    fn append_value(&self, value: &[u8], key: &mut Vec<u8>) {
        match (self.collation, self.prefix) {
            (Some(collation), prefix) => {
                let value = prefix.map_or(value, |prefix| text::character_prefix(value, collation.charset(), prefix));
                collation.sort_key_into(value, key);
            }
            (None, Some(prefix)) => key.extend_from_slice(&value[..value.len().min(prefix)]),
            (None, None) => key.extend_from_slice(value),
        }
    }
}

/// Maximum number of columns in an index: MariaDB's. MySQL's is 16.
const MAX_KEY_PARTS: usize = 32;

/// Writes the sort key of all columns. False if a value is NULL or can't be converted.
///
/// For several columns the lengths of their sort keys are appended, so that ("a", "bc") and ("ab",
/// "c") differ.
pub fn write_key(parts: &[KeyPart], row: &Row<'_>, target: usize, key: &mut Vec<u8>) -> bool {
    key.clear();
    let mut lengths = [0_u32; MAX_KEY_PARTS];
    for (part, length) in parts.iter().zip(&mut lengths) {
        let begin = key.len();
        if !part.append(row, target, key) {
            return false;
        }
        *length = (key.len() - begin) as u32;
    }
    if parts.len() > 1 {
        key.extend(lengths.iter().take(parts.len()).flat_map(|length| length.to_be_bytes()));
    }
    true
}

struct UniqueKey<'j> {
    scan: TableScan<'j>,
    index: &'j Index,
    target: usize,
    parts: Vec<KeyPart>,
    old_keys: OldKeys,
    /// Prefixes per column, if the index has to be shortened.
    shortened: Option<Vec<Option<u64>>>,
    /// Collations of the target's character set that both the server and `mysql-collation` have.
    candidates: Vec<Collation>,
    sorter: Sorter,
    key: Vec<u8>,
    value: Vec<u8>,
}

impl<'j> UniqueKey<'j> {
    fn new(scan: &TableScan<'j>, index: &'j Index, target: usize) -> Option<Self> {
        let shortened = limits::shortened_prefixes(scan.job.facts, scan.table, index, target);
        let prefix = |at: usize| shortened.as_ref().map_or(index.parts[at].prefix, |prefixes| prefixes[at]);
        let part = |(at, part): (usize, &facts::IndexPart)| {
            KeyPart::new(scan, part.column.as_deref()?, prefix(at), Some(target))
        };
        let mut parts = index.parts.iter().enumerate().map(part).collect::<Option<Vec<_>>>()?;
        // MariaDB adds the end of a row's time to each unique key of a system-versioned table.
        parts.extend(scan.fields.row_end.map(KeyPart::of_bytes));
        let sorter = Sorter::new(scan.sort_options.clone());
        let candidates = candidate_collations(scan, &parts);
        let old_keys = OldKeys::new(scan, index);
        Some(Self {
            scan: *scan,
            index,
            target,
            parts,
            old_keys,
            shortened,
            candidates,
            sorter,
            key: Vec::new(),
            value: Vec::new(),
        })
    }

    fn fields(&self) -> Vec<usize> {
        self.parts.iter().map(|part| part.field).collect()
    }

    fn collision_group(&self, records: &[Vec<u8>], count: u64) -> CollisionGroup {
        let rows: Vec<Vec<Option<Vec<u8>>>> = records.iter().map(|record| decode_values(record)).collect();
        let primary_key_columns = self.scan.fields.key.len();
        let values = |row: usize| &rows[row][primary_key_columns..];
        let mut why = Vec::new();
        for row in 1..rows.len() {
            for reason in self.explain_equality(values(0), values(row)) {
                if !why.contains(&reason) {
                    why.push(reason);
                }
            }
        }
        CollisionGroup {
            count,
            rows: rows.iter().map(|row| self.example(row)).collect(),
            why,
            distinguished_by: self.distinguishing_collations(&rows, primary_key_columns),
        }
    }

    /// Returns a row by the values of its key and those of this index.
    fn example(&self, values: &[Option<Vec<u8>>]) -> Example {
        let (key, values) = values.split_at(self.scan.fields.key.len());
        Example {
            key: display_values(self.scan.fields, &self.scan.fields.key, key),
            values: display_values(self.scan.fields, &self.fields(), values),
            note: self.repair_note(values),
        }
    }

    /// Returns `double-encoded: für` for the first double-encoded value of a converted column.
    /// `None` without one.
    fn repair_note(&self, values: &[Option<Vec<u8>>]) -> Option<String> {
        self.parts.iter().zip(values).find_map(|(part, value)| {
            let charset = self.scan.fields.columns[part.field].charset.filter(|_| part.is_converted)?;
            let text = text::convert(value.as_deref()?, charset, Charset::Utf8mb4).ok()?;
            let repaired = repair_double_encoding(std::str::from_utf8(&text).ok()?)?;
            Some(format!("double-encoded: {repaired}"))
        })
    }

    /// Explains why two rows are equal, column by column.
    fn explain_equality(&self, a: &[Option<Vec<u8>>], b: &[Option<Vec<u8>>]) -> Vec<String> {
        let mut reasons = Vec::new();
        for ((part, a), b) in self.parts.iter().zip(a).zip(b) {
            let (Some(a), Some(b), Some(collation)) =
                (self.converted_value(part, a), self.converted_value(part, b), part.collation)
            else {
                continue;
            };
            let (full_a, full_b) = (a.len(), b.len());
            let prefix_length = |value: &[u8]| {
                part.prefix
                    .map_or(value.len(), |prefix| text::character_prefix(value, collation.charset(), prefix).len())
            };
            let (a, b) = (&a[..prefix_length(&a)], &b[..prefix_length(&b)]);
            reasons.extend(explain::explain_equality(collation, a, b));
            if let Some(prefix) = part.prefix.filter(|_| a.len() < full_a || b.len() < full_b) {
                reasons.push(format!("only the first {prefix} characters are indexed"));
            }
        }
        reasons
    }

    fn converted_value(&self, part: &KeyPart, value: &Option<Vec<u8>>) -> Option<Vec<u8>> {
        let value = value.as_deref()?;
        let field = &self.scan.fields.columns[part.field];
        match field.conversion.filter(|_| part.is_converted) {
            Some(conversion) => {
                let conversion = &self.scan.table.conversions[conversion];
                let to = conversion.targets[self.target].charset()?;
                text::convert(value, conversion.read_charset(), to).ok().map(|value| value.into_owned())
            }
            None => Some(value.to_vec()),
        }
    }

    /// Returns the names of the candidate collations under which all `rows` differ.
    fn distinguishing_collations(&self, rows: &[Vec<Option<Vec<u8>>>], primary_key_columns: usize) -> Vec<String> {
        let distinguishes = |collation: &Collation| {
            let key = |row: &Vec<Option<Vec<u8>>>| {
                let mut key = Vec::new();
                for (part, value) in self.parts.iter().zip(&row[primary_key_columns..]) {
                    let value = self.converted_value(part, value).unwrap_or_default();
                    let value = match (part.prefix, part.collation) {
                        (Some(prefix), Some(part_collation)) => {
                            text::character_prefix(&value, part_collation.charset(), prefix)
                        }
                        _ => &value,
                    };
                    match part.collation {
                        Some(part_collation) => {
                            key.push(if part.is_converted { *collation } else { part_collation }.sort_key(value))
                        }
                        None => key.push(value.to_vec()),
                    }
                }
                key
            };
            rows.iter().map(key).collect::<BTreeSet<_>>().len() == rows.len()
        };
        self.candidates
            .iter()
            .filter(|collation| distinguishes(collation))
            .map(|collation| collation.info().name.to_owned())
            .collect()
    }
}

fn display_values(fields: &Fields, places: &[usize], values: &[Option<Vec<u8>>]) -> Vec<String> {
    places.iter().zip(values).map(|(&place, value)| display_value(&fields.columns[place], value.as_deref())).collect()
}

impl RowCheck for UniqueKey<'_> {
    fn reads_history(&self) -> bool {
        true
    }

    fn check_row(&mut self, row: &Row<'_>) -> Result<(), Error> {
        if write_key(&self.parts, row, self.target, &mut self.key) {
            let fields = self.fields();
            row.encode_values(&fields, &mut self.value);
            self.value.insert(0, STORED);
            self.sorter.push(&self.key, &self.value)?;
            if !row.is_past() {
                self.push_repaired(row)?;
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Vec<Finding>, Error> {
        let sorter = std::mem::replace(&mut self.sorter, Sorter::new(self.scan.sort_options.clone()));
        let mut sorted = sorter.finish()?;
        let mut collisions = Collisions::default();
        let mut key: Vec<u8> = Vec::new();
        let mut members = Members::default();
        loop {
            let record = sorted.next()?;
            match record {
                Some(record) if members.count() > 0 && record.key == key => members.add(record.value, &self.old_keys),
                record => {
                    self.add_group(&members, &mut collisions);
                    let Some(record) = record else { break };
                    key.clear();
                    key.extend_from_slice(record.key);
                    members = Members::default();
                    members.add(record.value, &self.old_keys);
                }
            }
        }
        let repairs = (collisions.repairs > 0).then(|| self.repair_finding(&collisions));
        let rows = (collisions.groups > 0).then(|| self.build_finding(collisions));
        Ok(rows.into_iter().chain(repairs).collect())
    }
}

impl UniqueKey<'_> {
    /// Also sorts the row by its key after the plan has repaired double-encoded text, if that key
    /// differs. A repair into an existing key would end with error 1062.
    fn push_repaired(&mut self, row: &Row<'_>) -> Result<(), Error> {
        let mut values: Option<Vec<Option<Vec<u8>>>> = None;
        for part in self.parts.iter().filter(|part| part.is_converted) {
            let Some(charset) = row.fields.columns[part.field].charset else { continue };
            let Some(repaired) = row.text(part.field).and_then(|text| repair_double_encoding(&text)) else { continue };
            let Ok(repaired) = text::convert(repaired.as_bytes(), Charset::Utf8mb4, charset) else { continue };
            values.get_or_insert_with(|| row.values.to_vec())[part.field] = Some(repaired.into_owned());
        }
        let Some(values) = values else { return Ok(()) };
        let repaired = Row::new(self.scan.table, self.scan.fields, &values);
        let mut key = Vec::new();
        if write_key(&self.parts, &repaired, self.target, &mut key) && key != self.key {
            self.value[0] = REPAIRED;
            self.sorter.push(&key, &self.value)?;
        }
        Ok(())
    }

    /// Counts and lists the rows of one key.
    fn add_group(&self, members: &Members, collisions: &mut Collisions) {
        // Rows that are equal already don't become so.
        let distinct = members.distinct();
        if distinct > 1 {
            collisions.groups += 1;
            collisions.rows += distinct;
            if collisions.listed.len() < self.scan.job.examples {
                collisions.listed.push(self.collision_group(&members.stored, distinct));
            }
        }
        if members.repaired_count > 0 && members.count() > 1 {
            collisions.repairs += members.repaired_count;
            if collisions.listed_repairs.len() < self.scan.job.examples {
                let rows = members.repaired.iter().chain(&members.stored);
                collisions.listed_repairs.extend(rows.map(|row| self.example(&decode_values(row))));
            }
        }
    }

    /// Returns the finding of repairs that the key would refuse. The plan then leaves out all
    /// repairs of the key's columns.
    fn repair_finding(&self, collisions: &Collisions) -> Finding {
        let target = &self.scan.job.targets[self.target];
        let check = &super::double_encoding::CHECK;
        let mut finding = index_finding(check, Severity::Warning, self.scan.table, &self.index.name, target);
        finding.details.count = collisions.repairs;
        finding.what = match collisions.repairs {
            1 => "a double-encoded value becomes equal to another row once it is repaired".into(),
            count => format!("{count} double-encoded values become equal to other rows once they are repaired"),
        };
        finding.why = "a repair ends with error 1062 (duplicate entry); the conversion itself doesn't".into();
        finding.action =
            "change or merge these rows, then repair them by hand: the plan repairs no text in the columns of this key"
                .into();
        finding.details.examples.clone_from(&collisions.listed_repairs);
        finding
    }

    fn build_finding(&self, collisions: Collisions) -> Finding {
        let Collisions { groups: group_count, rows: row_count, listed: groups, .. } = collisions;
        let target = &self.scan.job.targets[self.target];
        let mut finding = index_finding(&CHECK, Severity::Error, self.scan.table, &self.index.name, target);
        finding.details.count = group_count;
        let length = if self.shortened.is_some() { ", at the length to which it has to be shortened" } else { "" };
        finding.what = match group_count {
            1 => format!("{row_count} rows become equal under {target}{length}"),
            _ => format!("{row_count} rows in {group_count} groups become equal under {target}{length}"),
        };
        finding.why = "ALTER TABLE ends with error 1062 (duplicate entry); gh-ost and pt-online-schema-change would keep one row of each group \
                     and drop the others"
            .into();
        let mut distinguishing: Option<BTreeSet<&String>> = None;
        for group in &groups {
            let names: BTreeSet<&String> = group.distinguished_by.iter().collect();
            distinguishing = Some(match distinguishing {
                Some(common) => common.intersection(&names).copied().collect(),
                None => names,
            });
        }
        let mut names: Vec<&str> = distinguishing.iter().flatten().map(|name| name.as_str()).collect();
        // Collations of a language are suggested only if there are no others.
        if names.iter().any(|name| !is_language_specific(name)) {
            names.retain(|name| !is_language_specific(name));
        }
        let lists_all = groups.len() as u64 == group_count
            && groups.iter().all(|group: &CollisionGroup| group.rows.len() as u64 == group.count);
        let those = if lists_all { "all of them" } else { "the listed ones" };
        finding.action = match names.as_slice() {
            [] => "change or merge the rows of each group first".into(),
            names => format!(
                "change or merge the rows of each group first, or take a collation that tells {those} apart: {}",
                names.iter().take(6).copied().collect::<Vec<_>>().join(", ")
            ),
        };
        finding.details.statements.push(self.group_query());
        finding.details.groups = groups;
        finding
    }

    /// Returns a query with which the server finds the groups.
    fn group_query(&self) -> String {
        let parts = self.index.parts.iter().zip(&self.parts).filter_map(|(part, key_part)| {
            let name = sql::quote_identifier(part.column.as_deref()?);
            let value = match (key_part.is_converted, key_part.collation) {
                (true, Some(collation)) => {
                    let value = key_part.prefix.map_or(name.clone(), |prefix| format!("LEFT({name}, {prefix})"));
                    format!(
                        "CONVERT({value} USING {}) COLLATE {}",
                        crate::quote::charset_name(self.scan.job.facts, collation.charset().name()),
                        collation.info().name
                    )
                }
                _ => key_part.prefix.map_or(name.clone(), |prefix| format!("LEFT({name}, {prefix})")),
            };
            Some(value)
        });
        let row_end = self.scan.table.row_end.as_deref().map(sql::quote_identifier);
        let history = if row_end.is_some() { " FOR SYSTEM_TIME ALL" } else { "" };
        let parts: Vec<String> = parts.chain(row_end).collect();
        let not_null = self
            .index
            .parts
            .iter()
            .filter_map(|part| part.column.as_deref())
            .map(|name| format!("{} IS NOT NULL", sql::quote_identifier(name)));
        format!(
            "SELECT {list}, COUNT(*) FROM {table}{history} WHERE {not_null} GROUP BY {list} HAVING COUNT(*) > 1",
            list = parts.join(", "),
            table = sql::quote_table(&self.scan.table.table.schema, &self.scan.table.table.name),
            not_null = not_null.collect::<Vec<_>>().join(" AND "),
        )
    }
}
