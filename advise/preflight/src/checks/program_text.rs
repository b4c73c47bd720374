//! Text of a program itself that it compares with columns: parameters, variables, columns of
//! temporary tables, CONVERT and CAST.

use audit::{
    ComparisonKind, Declaration, Name, created_table, declared_parameters, declared_variables, find_comparisons,
};
use check::Severity;
use facts::{Column, Table};
use mysql_collation::Flavour;
use rehearsal::{Kind, Object as Program};
use rules::coercibility::{Coercibility, Operand, Outcome, choose_collation};
use server::Version;
use sql::{Token, TokenKind};

use super::program_mix::program_finding;
use crate::finding::Finding;
use crate::job::{Job, flavour};

/// First version of MariaDB that was seen to give CONVERT and CAST a coercibility of 4: they adapt
/// to a column. It is 2 on MySQL 5.6 to 9.7 and MariaDB 10.1 to 11.4, as that of a column: error
/// 1267.
const CONVERSIONS_ADAPT: Version = Version::new(11, 8, 0);

/// Maximum number of calls around a call that is read.
const MAX_NESTED_CALLS: usize = 50;

/// Functions whose result has the collation of the first argument.
const PASSING: [&str; 13] = [
    "upper",
    "ucase",
    "lower",
    "lcase",
    "trim",
    "ltrim",
    "rtrim",
    "left",
    "right",
    "substring",
    "substr",
    "mid",
    "reverse",
];

/// Returns a finding if the program compares text of its own with other text so that the server
/// takes it now and refuses it after the plan. `tables` are those that the program names,
/// `is_recreated` says whether the plan creates it again.
pub fn check(
    job: &Job<'_>,
    program: &Program,
    tokens: &[Token<'_>],
    tables: &[&Table],
    is_recreated: bool,
) -> Option<Finding> {
    let mut reader = Reader::new(job, program, tables, is_recreated);
    let body = reader.read_parameters(tokens);
    let parts = tokens[body..].split(|token| token.is_symbol(';'));
    let (left, right, has_position) = parts.filter_map(|part| reader.read_part(part)).next()?;
    let (own, other) = if right.is_own { (&right, &left) } else { (&left, &right) };
    let table = program.table.as_deref().and_then(|table| job.table(&program.name.schema, table));
    // MySQL 9.7 takes other mixes in LOCATE than MySQL 5.7.
    let table = table.filter(|_| other.is_of_row && !has_position);
    let severity = if table.is_some() { Severity::Error } else { Severity::Warning };
    let mut finding = program_finding(job, program, severity);
    finding.details.table = table.map(|table| table.table.name.clone());
    finding.what = format!("it compares {} with {}", other.describe(), own.describe());
    finding.why = "it fails after the plan: error 1267 (illegal mix of collations)".into();
    let collate = format!("COLLATE {} behind {} in the comparison", other.after, own.label);
    finding.action = match table {
        Some(_) => {
            format!("the plan leaves its table out; create the trigger with {collate}, then run preflight again")
        }
        None => format!("create it with {collate}"),
    };
    Some(finding)
}

/// Text in a comparison.
#[derive(Clone)]
struct Text {
    /// `shop.orders.code`, `the variable v`, or an expression.
    label: String,
    collation: Change,
    /// True for text that the program makes, false for columns.
    is_own: bool,
    /// True for `NEW.name` and `OLD.name` in a trigger.
    is_of_row: bool,
}

/// Collation before and after the plan.
#[derive(Clone, PartialEq, Eq)]
struct Change {
    before: String,
    after: String,
}

impl Change {
    fn none(collation: &str) -> Self {
        Self { before: collation.to_owned(), after: collation.to_owned() }
    }
}

impl std::ops::Deref for Text {
    type Target = Change;

    fn deref(&self) -> &Change {
        &self.collation
    }
}

impl Text {
    fn own(label: String, collation: Change) -> Self {
        Self { label, collation, is_own: true, is_of_row: false }
    }

    fn describe(&self) -> String {
        let verb = if self.before == self.after { "keeps" } else { "becomes" };
        format!("{}, which {verb} {}", self.label, self.after)
    }
}

/// Reads a program from its beginning to its end.
struct Reader<'r, 'f> {
    job: &'r Job<'f>,
    program: &'r Program,
    tables: &'r [&'r Table],
    /// Collation of what a program declares without a character set.
    declared: Option<Change>,
    /// Collation of the columns of temporary tables without a character set.
    created: Option<Change>,
    /// Collation of CAST without a character set.
    connection: Option<Change>,
    variables: Vec<(String, Text)>,
    /// Columns of temporary tables, with the table's name.
    columns: Vec<(String, String, Text)>,
}

impl<'r, 'f> Reader<'r, 'f> {
    fn new(job: &'r Job<'f>, program: &'r Program, tables: &'r [&'r Table], is_recreated: bool) -> Self {
        let schema = job.facts.schema(&program.name.schema).map(|schema| schema.collation.clone());
        let is_converted = !job.request.names_tables() && job.request.selects_schema(&program.name.schema);
        let after = |before: &String| if is_converted { job.targets[0].clone() } else { before.clone() };
        let created = schema.map(|before| Change { after: after(&before), before });
        let kept = |before: &Option<String>| before.as_deref().filter(|name| !name.is_empty()).map(Change::none);
        let (mut declared, mut connection) =
            (kept(&program.session.schema_collation), kept(&program.session.collation_connection));
        if is_recreated {
            if let (Some(declared), Some(created)) = (&mut declared, &created) {
                declared.after.clone_from(&created.after);
            }
            connection.iter_mut().for_each(|connection| connection.after.clone_from(&job.targets[0]));
        }
        let (variables, columns) = (Vec::new(), Vec::new());
        Self { job, program, tables, declared, created, connection, variables, columns }
    }

    /// Reads the parameters of a routine. Returns the position behind them, 0 for other programs.
    fn read_parameters(&mut self, tokens: &[Token<'_>]) -> usize {
        let open = tokens.iter().position(|token| token.is_symbol('('));
        let Some(open) = open.filter(|_| matches!(self.program.name.kind, Kind::Function | Kind::Procedure)) else {
            return 0;
        };
        let (parameters, close) = declared_parameters(tokens, open);
        for parameter in &parameters {
            self.add_variable("parameter", parameter);
        }
        (close + 1).min(tokens.len())
    }

    fn add_variable(&mut self, noun: &str, declaration: &Declaration) {
        let Some(collation) = self.collation_of(declaration, self.declared.as_ref()) else { return };
        let text = Text::own(format!("the {noun} {}", declaration.name), collation);
        self.variables.push((declaration.name.to_lowercase(), text));
    }

    /// Reads the part of a program between two semicolons. Returns a comparison that the plan
    /// breaks, and whether the part names a function that compares on some servers only.
    fn read_part(&mut self, part: &[Token<'_>]) -> Option<(Text, Text, bool)> {
        let declared = declared_variables(part);
        for variable in &declared {
            self.add_variable("variable", variable);
        }
        // What follows is its default.
        if !declared.is_empty() {
            return None;
        }
        if let Some(table) = created_table(part) {
            let options = Declaration { charset: table.charset, collation: table.collation, ..Declaration::default() };
            let default = self.collation_of(&options, self.created.as_ref());
            for column in &table.columns {
                let Some(collation) = self.collation_of(column, default.as_ref()) else { continue };
                let text = Text::own(format!("{}.{}", table.name, column.name), collation);
                self.columns.push((table.name.to_lowercase(), column.name.to_lowercase(), text));
            }
        }
        let mut conversions = Vec::new();
        let simple = self.simplify(part, 0, &mut conversions);
        let has_position = part.iter().any(|token| token.is_any_keyword(&["locate", "instr"]));
        // Others have errors of their own.
        let is_pair = |kind| matches!(kind, ComparisonKind::Compared | ComparisonKind::Value);
        find_comparisons(&simple).iter().filter(|comparison| is_pair(comparison.kind)).find_map(|comparison| {
            let (left, right) = (self.find(&comparison.left, &conversions), self.find(&comparison.right, &conversions));
            let mut pairs = left.iter().flat_map(|left| right.iter().map(move |right| (left, right)));
            let (left, right) = pairs.find(|(left, right)| self.breaks(left, right))?;
            Some((left.clone(), right.clone(), has_position))
        })
    }

    /// True if the server compares the texts now, and refuses it after the plan.
    fn breaks(&self, left: &Text, right: &Text) -> bool {
        let server = &self.job.facts.server;
        let is_refused = |left: &str, right: &str| {
            let operand = |collation| Operand::new(collation, Coercibility::Implicit);
            let outcome = choose_collation(server.flavour, server.version_number(), operand(left), operand(right));
            !matches!(outcome, Outcome::Collation(_) | Outcome::CollationIfRepresentable(_))
        };
        (left.is_own || right.is_own)
            && is_refused(&left.after, &right.after)
            && !is_refused(&left.before, &right.before)
    }

    /// Returns the collation of a declaration. `default` is that of one without clauses. `None` if
    /// it is unknown.
    fn collation_of(&self, declaration: &Declaration, default: Option<&Change>) -> Option<Change> {
        match (&declaration.collation, &declaration.charset) {
            (Some(collation), _) => Some(Change::none(collation)),
            (None, Some(charset)) => self.default_of(charset),
            (None, None) => default.cloned(),
        }
    }

    fn default_of(&self, charset: &str) -> Option<Change> {
        let server = &self.job.facts.server;
        let info = server.charset(charset)?;
        let name = server::current_charset_name(&info.name);
        Some(Change::none(&audit::default_collation(server, name, &info.default_collation).0))
    }

    /// Returns the tokens with a single name in place of each CONVERT, CAST and function of
    /// [`PASSING`]: `a = convert(b using utf8mb4)` for ``TRIM(a) = CONVERT(b USING utf8mb4)``.
    /// Calls within [`MAX_NESTED_CALLS`] others stay as they are.
    fn simplify<'t>(&self, tokens: &[Token<'t>], depth: usize, conversions: &mut Vec<Text>) -> Vec<Token<'t>>
    where
        'r: 't,
    {
        let mut simple = Vec::with_capacity(tokens.len());
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let inside = tokens.get(at + 2..).filter(|_| tokens[at + 1].is_symbol('('));
            let inside = inside.and_then(|inside| Some(&inside[..sql::closing_parenthesis(inside)?]));
            let passes = token.is_any_keyword(&PASSING) && depth < MAX_NESTED_CALLS;
            let conversion = inside.filter(|_| token.is_any_keyword(&["convert", "cast"]));
            let conversion = conversion.and_then(|inside| self.read_conversion(tokens, at, inside, conversions));
            match inside {
                Some(inside) if conversion.is_some() || passes => {
                    let end = at + inside.len() + 3;
                    match conversion {
                        Some(name) => simple.push(name),
                        None => {
                            let inner = self.simplify(inside, depth + 1, conversions);
                            match first_name(&inner) {
                                Some(name) => simple.extend_from_slice(name),
                                None => {
                                    simple.extend_from_slice(&tokens[at..at + 2]);
                                    simple.extend(inner);
                                    simple.push(tokens[end - 1]);
                                }
                            }
                        }
                    }
                    at = end;
                }
                _ => {
                    simple.push(*token);
                    at += 1;
                }
            }
        }
        simple
    }

    /// Reads a CONVERT or CAST to text at `at`. Returns its whole text as one name.
    fn read_conversion<'t>(
        &self,
        tokens: &[Token<'t>],
        at: usize,
        inside: &[Token<'_>],
        conversions: &mut Vec<Text>,
    ) -> Option<Token<'t>>
    where
        'r: 't,
    {
        let server = &self.job.facts.server;
        if flavour(self.job.facts) == Flavour::MariaDb && server.version_number() >= CONVERSIONS_ADAPT {
            return None;
        }
        let using = inside.iter().rposition(|token| token.is_any_keyword(&["using", "as"]))?;
        let charset = match inside[using].is_keyword("using") {
            true => Some(inside.get(using + 1)?.name()?),
            false if inside.get(using + 1)?.is_keyword("char") => named_charset(&inside[using + 2..]),
            false => return None,
        };
        let collation = match charset {
            Some(charset) if charset.eq_ignore_ascii_case("binary") => return None,
            Some(charset) => self.default_of(&charset)?,
            None => self.connection.clone()?,
        };
        let (start, end) = (tokens[at].start, tokens[at + 2 + inside.len()].end());
        let text = self.program.create.get(start..end)?;
        conversions.push(Text::own(text.to_owned(), collation));
        Some(Token { kind: TokenKind::Word, text, start, is_closed: true })
    }

    /// Returns the texts that a name can mean.
    fn find(&self, name: &Name, conversions: &[Text]) -> Vec<Text> {
        let column = name.column.to_lowercase();
        if name.table.is_none() {
            let conversion = conversions.iter().find(|text| text.label == name.column);
            let variable = self.variables.iter().rev().find(|(own, _)| *own == column).map(|(_, text)| text);
            if let Some(own) = conversion.or(variable) {
                return vec![own.clone()];
            }
        }
        let table = name.table.as_deref().map(str::to_lowercase);
        let row = self.program.table.as_deref().filter(|_| matches!(table.as_deref(), Some("new" | "old")));
        let is_named = |other: &str| table.as_deref() == Some(&other.to_lowercase());
        // The name before the point may be an alias.
        let is_alias = row.is_none()
            && !self.tables.iter().any(|other| is_named(&other.name))
            && !self.columns.iter().any(|(other, ..)| is_named(other));
        let may_be = |other: &str| row.map_or(is_alias || is_named(other), |row| row == other);
        let own = self.columns.iter().filter(|(other, own, _)| may_be(other) && *own == column);
        let of_tables = self.tables.iter().filter(|other| may_be(&other.name)).flat_map(|other| {
            let has_name = |own: &&Column| own.name.to_lowercase() == column;
            other.columns.iter().filter(has_name).filter_map(|own| self.column_text(other, own, row.is_some()))
        });
        own.map(|(.., text)| text.clone()).chain(of_tables).collect()
    }

    fn column_text(&self, table: &Table, column: &Column, is_of_row: bool) -> Option<Text> {
        let before = column.collation.clone()?;
        let conversion = self.job.table(&table.schema, &table.name).and_then(|table| table.conversion(&column.name));
        let after = conversion.map_or(before.clone(), |conversion| conversion.planned_target().name.clone());
        Some(Text {
            label: check::column_name(&table.schema, &table.name, &column.name),
            collation: Change { before, after },
            is_own: false,
            is_of_row,
        })
    }
}

/// Returns the name after CHARACTER SET or CHARSET.
fn named_charset(tokens: &[Token<'_>]) -> Option<String> {
    let at = tokens.iter().position(|token| token.is_any_keyword(&["set", "charset"]))?;
    tokens.get(at + 1)?.name()
}

/// Returns the first argument of a function if it is one name.
fn first_name<'s, 't>(arguments: &'s [Token<'t>]) -> Option<&'s [Token<'t>]> {
    let end = arguments.iter().position(|token| token.is_symbol(',')).unwrap_or(arguments.len());
    let name = &arguments[..end];
    let is_name = |(at, token): (usize, &Token<'_>)| {
        if at % 2 == 1 { token.is_symbol('.') } else { token.name().is_some() }
    };
    (name.len() % 2 == 1 && name.iter().enumerate().all(is_name)).then_some(name)
}
