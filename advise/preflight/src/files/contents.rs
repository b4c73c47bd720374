//! Tables, rows, programs and unread statements of a dump, gathered from its statements.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use facts::{Facts, Table, Unseen};
use mysql_collation::Flavour;
use rehearsal::{Definitions, Kind, Object, ObjectName, Unread};
use sql::{TableName, ddl};

use super::build_facts;
use super::change::{add_key, apply_change, is_setting, normalize};
use super::column::content_tokens;
use super::definition::{Unparsed, parse_table};
use super::dump::Place;
use super::key::Key;
use super::origin::{Defaults, Origin};
use super::partitions::parse_partitioning;
use super::statement::{Existing, SchemaDefault, Statement};

/// Code of [`Unread`] for a definition that `weigh` can't parse. Not an error code of a server.
pub const NOT_UNDERSTOOD: u16 = u16::MAX;
/// Code of [`Unread`] for a table with statements that `weigh` can't read. Not an error code of a
/// server.
pub const NOT_READ: u16 = u16::MAX - 1;

/// Maximum length of a statement in a message, in characters.
const MAX_SHOWN: usize = 60;

/// Schema and name of a table.
type Name = (String, String);

/// Places of rows, by table.
pub type Inserts = HashMap<Name, Vec<Place>>;

/// A table of a dump.
struct DumpTable {
    name: Name,
    /// CREATE TABLE with the changes of later statements.
    create: String,
    /// Default collation of the schema at the CREATE TABLE. `None` if the dump does not say it.
    schema_default: Option<String>,
}

/// Tables and rows that were read of a dump so far.
pub struct Contents {
    origin: Origin,
    /// Tables in the order of their CREATE TABLE.
    tables: Vec<DumpTable>,
    /// Positions in `tables`.
    positions: HashMap<Name, usize>,
    inserts: Inserts,
    /// Table of the statement before, if it was an INSERT.
    last_rows: Option<Name>,
    /// Columns that the first INSERT of a table lists.
    listed: HashMap<Name, Vec<String>>,
    /// Default collations of schemas.
    schema_defaults: HashMap<String, String>,
    /// Programs and views, with their schemas.
    programs: BTreeSet<(String, String)>,
    /// Statements that were not read: the first of each table, and their number.
    unread: BTreeMap<Name, (String, usize)>,
}

impl Contents {
    pub fn new(flavour: Flavour) -> Self {
        Self {
            origin: Origin::unknown(flavour),
            tables: Vec::new(),
            positions: HashMap::new(),
            inserts: Inserts::new(),
            last_rows: None,
            listed: HashMap::new(),
            schema_defaults: HashMap::new(),
            programs: BTreeSet::new(),
            unread: BTreeMap::new(),
        }
    }

    /// Reads the version of the dump's server in the head of a file.
    pub fn read_head(&mut self, head: &[u8]) {
        if let Some(origin) = Origin::read(head, self.origin.flavour()) {
            self.origin = origin;
        }
    }

    pub fn has_no_table(&self) -> bool {
        self.tables.is_empty()
    }

    /// Adds a statement. `schema` is the default schema.
    pub fn add(&mut self, schema: &str, statement: &[u8], place: Place) {
        let before = self.last_rows.take();
        let qualified = |table: TableName| (table.schema.unwrap_or_else(|| schema.to_owned()), table.name);
        match Statement::read(statement) {
            Statement::Rows(head) => {
                let name = qualified(head.table);
                self.listed.entry(name.clone()).or_insert(head.columns);
                self.add_rows(name, place, before);
            }
            Statement::CreateTable(table, existing) => {
                self.create_table(qualified(table), existing, &String::from_utf8_lossy(statement));
            }
            Statement::Drop(tables) => tables.into_iter().for_each(|table| self.drop_table(&qualified(table))),
            Statement::Schema(SchemaDefault { name, charset, collation }) => {
                let default = collation.or_else(|| self.origin.default_collation(&charset?));
                self.schema_defaults
                    .extend(default.map(|default| (name.unwrap_or_else(|| schema.to_owned()), default)));
            }
            Statement::DropSchema(schema) => {
                let of_schema = self.tables.iter().map(|table| &table.name).filter(|name| name.0 == schema);
                let names: Vec<Name> = of_schema.cloned().collect();
                names.iter().for_each(|name| self.drop_table(name));
                self.schema_defaults.remove(&schema);
            }
            Statement::CreateIndex(table) => {
                let name = qualified(table);
                let text = String::from_utf8_lossy(statement);
                let changed = self.find(&name).and_then(|create| add_index(create, &text));
                self.change(name, changed, &text);
            }
            Statement::Alter(table, changes) => {
                let name = qualified(table);
                for change in changes.iter().filter(|change| !is_setting(change)) {
                    let changed = self.find(&name).and_then(|create| apply_change(create, change));
                    self.change(name.clone(), changed, &format!("ALTER TABLE … {change}"));
                }
            }
            Statement::Program(program) => {
                self.programs.insert((schema.to_owned(), program));
            }
            Statement::Other(table) => self.add_unread(qualified(table), &String::from_utf8_lossy(statement)),
            Statement::Unrelated => {}
        }
    }

    /// Adds a table. If there is one of its name already, the statement is listed as unread, unless
    /// it has IF NOT EXISTS or OR REPLACE.
    fn create_table(&mut self, name: Name, existing: Existing, statement: &str) {
        match (self.position(&name), existing) {
            (None, _) => {}
            (Some(_), Existing::Kept) => return,
            (Some(_), Existing::Replaced) => self.drop_table(&name),
            (Some(_), Existing::Refused) => {
                let again = format!("a second CREATE TABLE without DROP TABLE: {}", shorten(statement));
                return self.add_unread(name, &again);
            }
        }
        let schema_default = self.schema_defaults.get(&name.0).cloned();
        self.positions.insert(name.clone(), self.tables.len());
        self.tables.push(DumpTable { name, create: normalize(statement), schema_default });
    }

    /// Forgets a table with its rows.
    fn drop_table(&mut self, name: &Name) {
        let Some(at) = self.position(name) else { return };
        let name = self.tables.remove(at).name;
        self.inserts.remove(&name);
        self.listed.remove(&name);
        self.unread.remove(&name);
        self.positions = self.tables.iter().enumerate().map(|(at, table)| (table.name.clone(), at)).collect();
    }

    /// Adds an INSERT. `before` is the table of the statement before, if that was one, too.
    fn add_rows(&mut self, table: Name, place: Place, before: Option<Name>) {
        let places = self.inserts.entry(table.clone()).or_default();
        match places.last_mut().filter(|_| before.as_ref() == Some(&table)) {
            Some(run) if run.can_take(&place) => run.extend(&place),
            _ => places.push(place),
        }
        self.last_rows = Some(table);
    }

    fn find(&self, name: &Name) -> Option<&str> {
        let at = self.position(name)?;
        Some(&self.tables[at].create)
    }

    /// Finds a table by its name, case-insensitively if no table has exactly this name.
    fn position(&self, name: &Name) -> Option<usize> {
        let is_similar = |other: &Name| {
            other.0.to_lowercase() == name.0.to_lowercase() && other.1.to_lowercase() == name.1.to_lowercase()
        };
        let similar = || self.tables.iter().position(|table| is_similar(&table.name));
        self.positions.get(name).copied().or_else(similar)
    }

    /// Replaces a table's CREATE TABLE, or lists the statement as unread.
    fn change(&mut self, name: Name, changed: Option<String>, statement: &str) {
        match (self.position(&name), changed) {
            (Some(at), Some(changed)) => self.tables[at].create = changed,
            _ => self.add_unread(name, statement),
        }
    }

    fn add_unread(&mut self, name: Name, statement: &str) {
        let (_, count) = self.unread.entry(name).or_insert_with(|| (shorten(statement), 0));
        *count += 1;
    }

    /// Parses the tables.
    pub fn finish(mut self) -> (Facts, Definitions, Inserts) {
        self.match_names();
        let (mut tables, mut definitions) = (Vec::new(), Definitions::default());
        let mut unseen = Vec::new();
        let mut assumed: BTreeSet<&str> = BTreeSet::new();
        for DumpTable { name, create, schema_default } in std::mem::take(&mut self.tables) {
            let defaults = Defaults { origin: self.origin, schema: schema_default.as_deref() };
            match parse_table(&name.0, &create, defaults) {
                Ok(mut table) => {
                    assumed.extend(self.origin.assumed_collations(&table, &create));
                    match parse_partitioning(ddl::table_options(&create)) {
                        Ok(partitioning) => table.partitioning = partitioning,
                        Err(clause) => self.add_unread(name.clone(), &clause),
                    }
                    unseen.extend(self.listed.get(&name).and_then(|listed| missing_values(&table, listed)));
                    definitions.objects.push(Object::new(Kind::Table, &table.schema, &table.name, create));
                    tables.push(table);
                }
                Err(Unparsed { problem, .. }) => {
                    self.unread.remove(&name);
                    definitions.unread.push(unread(name, NOT_UNDERSTOOD, problem));
                }
            }
        }
        definitions.unread.extend(self.unread.into_iter().map(|(name, (first, count))| {
            let message = match count {
                1 => first,
                _ => format!("{count} statements, the first of them {first}"),
            };
            unread(name, NOT_READ, message)
        }));
        let mut facts = build_facts(self.origin.flavour(), tables);
        facts.unseen = unseen;
        facts.unseen.extend(assumed.into_iter().map(describe_assumed));
        facts.unseen.extend(describe_programs(self.programs.len()));
        (facts, definitions, self.inserts)
    }

    /// Gives rows the name of their table where it differs in the case of letters, and lists rows
    /// without a table as unread.
    fn match_names(&mut self) {
        let names: Vec<Name> =
            self.inserts.keys().filter(|name| !self.positions.contains_key(*name)).cloned().collect();
        for name in names {
            let places = self.inserts.remove(&name).unwrap_or_default();
            let listed = self.listed.remove(&name).unwrap_or_default();
            match self.position(&name) {
                Some(at) => {
                    let name = self.tables[at].name.clone();
                    self.inserts.entry(name.clone()).or_default().extend(places);
                    self.listed.entry(name).or_insert(listed);
                }
                None => {
                    self.unread.insert(name, ("INSERT, without a CREATE TABLE".to_owned(), 1));
                }
            }
        }
    }
}

/// Adds the index of a CREATE INDEX to a CREATE TABLE.
fn add_index(create: &str, statement: &str) -> Option<String> {
    let tokens = content_tokens(statement);
    let words = ["CREATE", "OR", "REPLACE", "ONLINE", "OFFLINE"];
    let begin = tokens.iter().position(|token| !token.is_any_keyword(&words))?;
    Some(add_key(create, &Key::parse_create_index(statement, &tokens[begin..])?))
}

fn unread((schema, name): Name, code: u16, message: String) -> Unread {
    Unread { name: ObjectName { kind: Kind::Table, schema, name }, code, message }
}

/// Returns the beginning of a statement on one line.
fn shorten(statement: &str) -> String {
    let beginning: String = statement.chars().take(10 * MAX_SHOWN).collect();
    let line = beginning.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.chars().count() {
        0..=MAX_SHOWN => line,
        _ => line.chars().take(MAX_SHOWN).chain(['…']).collect(),
    }
}

fn describe_assumed(collation: &str) -> Unseen {
    let charset = collation.split('_').next().unwrap_or_default();
    Unseen {
        what: format!("collations of columns of {charset} without COLLATE"),
        why: format!("the dump does not say its server's version; {collation} is assumed, the default of old versions"),
        remedy: Some("name COLLATE in the dump, or its server in its first lines: -- Server version 8.0.36".into()),
    }
}

fn describe_programs(count: usize) -> Option<Unseen> {
    (count > 0).then(|| Unseen {
        what: match count {
            1 => "a program or view of the dump".into(),
            count => format!("{count} programs and views of the dump"),
        },
        why: "programs and views are checked on a server only".into(),
        remedy: None,
    })
}

/// Describes generated columns of text whose values the dump leaves out.
fn missing_values(table: &Table, listed: &[String]) -> Option<Unseen> {
    let is_missing = |name: &str| !listed.is_empty() && !listed.iter().any(|other| other.eq_ignore_ascii_case(name));
    let names: Vec<&str> = table
        .columns
        .iter()
        .filter(|column| column.generated.is_some() && column.text_type().is_some() && is_missing(&column.name))
        .map(|column| column.name.as_str())
        .collect();
    (!names.is_empty()).then(|| Unseen {
        what: format!("values of {} in {}", names.join(", "), check::table_name(&table.schema, &table.name)),
        why: "a dump leaves out generated columns, and their keys are checked on a server only".into(),
        remedy: None,
    })
}
