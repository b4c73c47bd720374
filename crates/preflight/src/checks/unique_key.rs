//! Unique keys whose rows become equal.

use std::collections::BTreeSet;

use extsort::Sorter;
use facts::{Index, TextType};
use mysql_collation::{Charset, Collation, catalogue};

use super::{Check, RowCheck, Run, Scan, finding};
use crate::Error;
use crate::job::flavour;
use crate::limits;
use crate::model::{Example, Finding, Group, Severity};
use crate::row::{Fields, Row, decode, shown};
use crate::text;

pub const CHECK: Check = Check {
    name: "unique-key",
    summary: "rows that a unique key tells apart now, and not under the new collation",
    explain: "A coarser collation makes values equal that differ now: ß and ss, é and e, or 'a' and 'a ' where NO PAD becomes PAD SPACE. \
              ALTER TABLE then ends with error 1062, after it has copied the rows up to there. gh-ost and pt-online-schema-change copy with \
              INSERT IGNORE and lose one row of each group instead. Every unique key with a converted column is sorted by its new sort keys, \
              at the length at which it will be indexed; NULLs never collide. Rows are named by their primary key.",
    run: Run::Rows(checks),
};

/// How many rows of a group are kept.
const ROWS: usize = 10;

fn checks<'j>(scan: &Scan<'j>) -> Vec<Box<dyn RowCheck + 'j>> {
    let mut all: Vec<Box<dyn RowCheck + 'j>> = Vec::new();
    for index in scan.table.unique_indexes() {
        for target in 0..scan.job.targets.len() {
            if let Some(check) = UniqueKey::new(scan, index, target) {
                all.push(Box::new(check));
            }
        }
    }
    all
}

/// One part of a key, and how its values are made comparable.
pub struct Part {
    field: usize,
    /// Characters (bytes of what is no text) that are indexed.
    prefix: Option<usize>,
    /// The collation of its comparison and the character set of its values; `None` where bytes decide.
    order: Option<(Collation, Charset)>,
    /// Whether its values are to be taken as converted.
    converted: bool,
}

impl Part {
    /// A part of a key after the conversion, or before it. `None` where the library lacks a collation that it needs.
    pub fn new(scan: &Scan<'_>, column: &str, prefix: Option<u64>, target: Option<usize>) -> Option<Self> {
        let field = scan.fields.place(column)?;
        let prefix = prefix.map(|prefix| prefix as usize);
        let of = scan.table.table.column(column)?;
        let is_text = matches!(of.text_type(), Some(TextType::Char | TextType::Varchar | TextType::Text));
        if !is_text {
            return Some(Self { field, prefix, order: None, converted: false });
        }
        let own = || Collation::lookup(flavour(scan.job.facts), of.collation.as_deref()?).ok();
        let (collation, converted) = match (scan.table.conversion(column), target) {
            (Some(conversion), Some(target)) => (conversion.to[target].collation?, true),
            _ => (own()?, false),
        };
        Some(Self { field, prefix, order: Some((collation, collation.charset())), converted })
    }

    /// Appends the part's sort key. False where the value is NULL or can't be converted.
    fn append(&self, row: &Row<'_>, target: usize, key: &mut Vec<u8>) -> bool {
        let value =
            if self.converted { row.converted(target, self.field).and_then(Result::ok) } else { row.value(self.field) };
        let Some(value) = value else { return false };
        match (&self.order, self.prefix) {
            (Some((collation, charset)), prefix) => {
                let value = prefix.map_or(value, |prefix| text::prefix(value, *charset, prefix));
                collation.sort_key_into(value, key);
            }
            (None, Some(prefix)) => key.extend_from_slice(&value[..value.len().min(prefix)]),
            (None, None) => key.extend_from_slice(value),
        }
        true
    }
}

/// Writes the sort key of a whole key; false where a part is NULL or can't be converted. Keys of the same parts are equal if and only if
/// the parts are: their lengths stand at the end.
pub fn whole_key(parts: &[Part], row: &Row<'_>, target: usize, key: &mut Vec<u8>) -> bool {
    key.clear();
    let mut lengths = [0_u32; 16];
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
    scan: Scan<'j>,
    index: &'j Index,
    target: usize,
    parts: Vec<Part>,
    /// Prefixes at which it is judged, where it has to be shortened.
    shortened: Option<Vec<Option<u64>>>,
    /// Collations of the target's character set, known to the server and to the library.
    candidates: Vec<Collation>,
    sorter: Sorter,
    key: Vec<u8>,
    value: Vec<u8>,
}

impl<'j> UniqueKey<'j> {
    fn new(scan: &Scan<'j>, index: &'j Index, target: usize) -> Option<Self> {
        let shortened = limits::shortened(scan.job.facts, scan.table, index, target);
        let prefix = |at: usize| shortened.as_ref().map_or(index.parts[at].prefix, |prefixes| prefixes[at]);
        let part =
            |(at, part): (usize, &facts::IndexPart)| Part::new(scan, part.column.as_deref()?, prefix(at), Some(target));
        let parts = index.parts.iter().enumerate().map(part).collect::<Option<Vec<_>>>()?;
        let sorter = Sorter::new(scan.sorting.clone());
        let candidates = candidates(scan, &parts);
        Some(Self {
            scan: *scan,
            index,
            target,
            parts,
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

    fn group(&self, records: &[Vec<u8>], count: u64) -> Group {
        let rows: Vec<Vec<Option<Vec<u8>>>> = records.iter().map(|record| decode(record)).collect();
        let of_key = self.scan.fields.key.len();
        let example = |values: &Vec<Option<Vec<u8>>>| {
            let (key, values) = values.split_at(of_key);
            Example {
                key: texts(self.scan.fields, &self.scan.fields.key, key),
                values: texts(self.scan.fields, &self.fields(), values),
                note: None,
            }
        };
        let values = |row: usize| &rows[row][of_key..];
        let why = if rows.len() > 1 { self.why(values(0), values(1)) } else { Vec::new() };
        Group { count, rows: rows.iter().map(example).collect(), why, kept_apart_by: self.kept_apart_by(&rows, of_key) }
    }

    /// Why two rows are equal, part by part.
    fn why(&self, a: &[Option<Vec<u8>>], b: &[Option<Vec<u8>>]) -> Vec<String> {
        let mut found = Vec::new();
        for ((part, a), b) in self.parts.iter().zip(a).zip(b) {
            let (Some(a), Some(b), Some((collation, _))) =
                (self.converted(part, a), self.converted(part, b), part.order)
            else {
                continue;
            };
            let (whole_a, whole_b) = (a.len(), b.len());
            let cut = |value: &[u8]| {
                part.prefix.map_or(value.len(), |prefix| text::prefix(value, collation.charset(), prefix).len())
            };
            let (a, b) = (&a[..cut(&a)], &b[..cut(&b)]);
            found.extend(explain::differences(collation, a, b));
            if let Some(prefix) = part.prefix.filter(|_| a.len() < whole_a || b.len() < whole_b) {
                found.push(format!("only the first {prefix} characters are indexed"));
            }
        }
        found
    }

    fn converted(&self, part: &Part, value: &Option<Vec<u8>>) -> Option<Vec<u8>> {
        let value = value.as_deref()?;
        let field = &self.scan.fields.columns[part.field];
        match field.conversion.filter(|_| part.converted) {
            Some(conversion) => {
                let conversion = &self.scan.table.conversions[conversion];
                let to = conversion.to[self.target].charset()?;
                text::convert(value, conversion.read_charset(), to).ok().map(|value| value.into_owned())
            }
            None => Some(value.to_vec()),
        }
    }

    /// Collations that tell these rows apart.
    fn kept_apart_by(&self, rows: &[Vec<Option<Vec<u8>>>], of_key: usize) -> Vec<String> {
        let tells_apart = |collation: &Collation| {
            let key = |row: &Vec<Option<Vec<u8>>>| {
                let mut key = Vec::new();
                for (part, value) in self.parts.iter().zip(&row[of_key..]) {
                    let value = self.converted(part, value).unwrap_or_default();
                    let value = match (part.prefix, part.order) {
                        (Some(prefix), Some((_, charset))) => text::prefix(&value, charset, prefix),
                        _ => &value,
                    };
                    match part.order {
                        Some((own, _)) => key.push(if part.converted { *collation } else { own }.sort_key(value)),
                        None => key.push(value.to_vec()),
                    }
                }
                key
            };
            rows.iter().map(key).collect::<BTreeSet<_>>().len() == rows.len()
        };
        self.candidates
            .iter()
            .filter(|collation| tells_apart(collation))
            .map(|collation| collation.info().name.to_owned())
            .collect()
    }
}

/// Collations of the same character set that the server has and the library knows.
fn candidates(scan: &Scan<'_>, parts: &[Part]) -> Vec<Collation> {
    let converted = parts.iter().find(|part| part.converted);
    let Some((_, charset)) = converted.and_then(|part| part.order) else { return Vec::new() };
    let facts = scan.job.facts;
    let is_there =
        |info: &&mysql_collation::Info| info.charset == charset.name() && facts.server.collation(info.name).is_some();
    let named = catalogue(flavour(facts)).iter().filter(is_there);
    named.filter_map(|info| Collation::lookup(flavour(facts), info.name).ok()).collect()
}

/// Whether a collation is made for one language, by its name: `utf8mb4_cs_0900_as_cs`, `utf8mb4_czech_ci`.
fn names_a_language(collation: &str) -> bool {
    const OF_NONE: [&str; 14] = [
        "0900",
        "520",
        "ai",
        "as",
        "bin",
        "ci",
        "cs",
        "general",
        "general1400",
        "mysql500",
        "nopad",
        "tolower",
        "uca1400",
        "unicode",
    ];
    let behind_charset = collation.split_once('_').map_or("", |(_, rest)| rest);
    // Czech, in front; behind, `cs` is case-sensitive.
    behind_charset.starts_with("cs_") || behind_charset.split('_').any(|word| !OF_NONE.contains(&word))
}

fn texts(fields: &Fields, places: &[usize], values: &[Option<Vec<u8>>]) -> Vec<String> {
    places.iter().zip(values).map(|(&place, value)| shown(&fields.columns[place], value.as_deref())).collect()
}

impl RowCheck for UniqueKey<'_> {
    fn row(&mut self, row: &Row<'_>) -> Result<(), Error> {
        if whole_key(&self.parts, row, self.target, &mut self.key) {
            let fields = self.fields();
            row.encode(&fields, &mut self.value);
            self.sorter.push(&self.key, &self.value)?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Vec<Finding>, Error> {
        let sorter = std::mem::replace(&mut self.sorter, Sorter::new(self.scan.sorting.clone()));
        let mut sorted = sorter.finish()?;
        let (mut groups, mut group_count, mut row_count) = (Vec::new(), 0, 0);
        let mut key: Vec<u8> = Vec::new();
        let mut members: Vec<Vec<u8>> = Vec::new();
        let mut count = 0_u64;
        loop {
            let record = sorted.next()?;
            if let Some(record) = record.as_ref().filter(|record| count > 0 && record.key == key) {
                count += 1;
                if members.len() < ROWS {
                    members.push(record.value.to_vec());
                }
                continue;
            }
            if count > 1 {
                group_count += 1;
                row_count += count;
                if groups.len() < self.scan.job.examples {
                    groups.push(self.group(&members, count));
                }
            }
            let Some(record) = record else { break };
            key.clear();
            key.extend_from_slice(record.key);
            members.clear();
            members.push(record.value.to_vec());
            count = 1;
        }
        Ok(if group_count == 0 { Vec::new() } else { vec![self.found(groups, group_count, row_count)] })
    }
}

impl UniqueKey<'_> {
    fn found(&self, groups: Vec<Group>, group_count: u64, row_count: u64) -> Finding {
        let target = &self.scan.job.targets[self.target];
        let mut found = finding(&CHECK, Severity::Error, self.scan.table, target);
        found.object = format!("{}: {}", found.object, self.index.name);
        found.count = group_count;
        let at = if self.shortened.is_some() { ", at the length to which it has to be shortened" } else { "" };
        found.what = match group_count {
            1 => format!("{row_count} rows become equal under {target}{at}"),
            _ => format!("{row_count} rows in {group_count} groups become equal under {target}{at}"),
        };
        found.why = "ALTER TABLE ends with error 1062 (duplicate entry); gh-ost and pt-online-schema-change would keep one row of each group \
                     and drop the others"
            .into();
        let mut apart: Option<BTreeSet<&String>> = None;
        for group in &groups {
            let these: BTreeSet<&String> = group.kept_apart_by.iter().collect();
            apart = Some(match apart {
                Some(others) => others.intersection(&these).copied().collect(),
                None => these,
            });
        }
        let mut names: Vec<&str> = apart.iter().flatten().map(|name| name.as_str()).collect();
        // Those of other languages are of use only where there are no others.
        if names.iter().any(|name| !names_a_language(name)) {
            names.retain(|name| !names_a_language(name));
        }
        found.todo = match names.as_slice() {
            [] => "change or merge the rows of each group first".into(),
            names => format!(
                "change or merge the rows of each group first, or take a collation that tells all of them apart: {}",
                names.iter().take(6).copied().collect::<Vec<_>>().join(", ")
            ),
        };
        found.statements.push(self.query());
        found.groups = groups;
        found
    }

    /// The server's own way to find the groups.
    fn query(&self) -> String {
        let parts = self.index.parts.iter().zip(&self.parts).filter_map(|(part, how)| {
            let name = crate::sql::identifier(part.column.as_deref()?);
            let value = match (how.converted, &how.order) {
                (true, Some((collation, charset))) => {
                    let value = how.prefix.map_or(name.clone(), |prefix| format!("LEFT({name}, {prefix})"));
                    format!(
                        "CONVERT({value} USING {}) COLLATE {}",
                        crate::sql::charset_name(self.scan.job.facts, charset.name()),
                        collation.info().name
                    )
                }
                _ => how.prefix.map_or(name.clone(), |prefix| format!("LEFT({name}, {prefix})")),
            };
            Some(value)
        });
        let parts: Vec<String> = parts.collect();
        let not_null = self
            .index
            .parts
            .iter()
            .filter_map(|part| part.column.as_deref())
            .map(|name| format!("{} IS NOT NULL", crate::sql::identifier(name)));
        format!(
            "SELECT {list}, COUNT(*) FROM {table} WHERE {not_null} GROUP BY {list} HAVING COUNT(*) > 1",
            list = parts.join(", "),
            table = crate::sql::table(&self.scan.table.table.schema, &self.scan.table.table.name),
            not_null = not_null.collect::<Vec<_>>().join(" AND "),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::names_a_language;

    #[test]
    fn languages_are_told_by_name() {
        for (collation, expected) in [
            ("utf8mb4_0900_as_cs", false),
            ("utf8mb4_uca1400_nopad_as_ci", false),
            ("utf8mb4_unicode_520_ci", false),
            ("utf8mb4_bin", false),
            ("utf8mb4_bg_0900_as_cs", true),
            ("utf8mb4_cs_0900_as_cs", true),
            ("utf8mb4_uca1400_czech_as_cs", true),
            ("latin1_swedish_ci", true),
        ] {
            assert_eq!(names_a_language(collation), expected, "{collation}");
        }
    }
}
