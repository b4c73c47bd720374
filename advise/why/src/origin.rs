//! Origin of an operand's collation.

use server::is_same_collation;

use crate::Error;
use crate::copy::{Copy, Place, StoredProgram};
use crate::dictionary::Table;
use crate::model::Origin;
use crate::spot::{Operand, Source};
use crate::syntax::{Expr, ExprKind, Item, TableKind, folded_column};

/// Object that an operand refers to.
#[derive(Clone, Debug)]
pub struct Resolved {
    pub origin: Origin,
    /// Base table, column, and the name by which the statement refers to the table. Also for a
    /// column inside COLLATE, CONVERT, CAST, BINARY, LOWER or UPPER.
    pub column: Option<ColumnRef>,
    /// Name of a parameter, variable, function, view, subquery or temporary table, alias of a
    /// JSON_TABLE, or `information_schema.TABLE.COLUMN`.
    pub name: Option<String>,
    /// Stored function that the operand calls.
    pub function: Option<StoredProgram>,
    /// Text columns inside an expression.
    pub inner: Vec<ColumnRef>,
    /// True inside COLLATE, CONVERT, CAST or BINARY.
    is_wrapped: bool,
    /// True inside LOWER or UPPER.
    is_folded: bool,
    /// True for a column of a common table expression.
    is_cte: bool,
}

#[derive(Clone, Debug)]
pub struct ColumnRef {
    pub table: Table,
    pub column: String,
    pub alias: String,
}

impl ColumnRef {
    pub fn collation(&self) -> Option<&str> {
        self.table.column(&self.column)?.collation.as_deref()
    }

    pub fn title(&self) -> String {
        format!("{}.{}", self.table.name, self.column)
    }
}

impl Resolved {
    fn new(origin: Origin) -> Self {
        Self {
            origin,
            column: None,
            name: None,
            function: None,
            inner: Vec::new(),
            is_wrapped: false,
            is_folded: false,
            is_cte: false,
        }
    }

    /// True for `column COLLATE …`, `CONVERT(column …)`, `CAST(column …)` and `BINARY column`.
    pub fn wraps_column(&self) -> bool {
        self.is_wrapped && self.column.is_some()
    }

    /// True for a text column inside COLLATE, CONVERT, CAST or BINARY. If the server reports the
    /// character set `binary` for the operand, it is `BINARY column` or `CAST(column AS BINARY)`;
    /// the caller checks that.
    pub fn is_wrapped_text_column(&self) -> bool {
        self.is_wrapped && self.column.as_ref().is_some_and(|column| column.collation().is_some())
    }

    /// The column of `LOWER(column)` and `UPPER(column)`.
    pub fn folded_column(&self) -> Option<&ColumnRef> {
        self.column.as_ref().filter(|_| self.is_folded)
    }

    /// The column, if the operand is nothing but a column. `None` for a column inside COLLATE,
    /// CONVERT, CAST, BINARY, LOWER or UPPER.
    pub fn bare_column(&self) -> Option<&ColumnRef> {
        self.column.as_ref().filter(|_| !self.is_wrapped && !self.is_folded)
    }

    pub fn describe(&self, place: &Place, collation: &str) -> String {
        let name = self.name.as_deref().unwrap_or_default();
        let creation = |what: &str| match place {
            Place::Session(_) => format!("{what} under the session's collation_connection"),
            Place::Program { program, .. } => {
                format!(
                    "{what} under the collation_connection with which the {} was created",
                    program.keyword.to_lowercase()
                )
            }
            Place::View { .. } => format!("{what} under the collation_connection with which the view was created"),
        };
        match self.origin {
            Origin::Column | Origin::TemporaryTable => self.describe_column(collation),
            Origin::View => format!("column of view {name}"),
            Origin::Derived if self.is_cte => format!("column of the common table expression {name}"),
            Origin::Derived if name.is_empty() => "column of a derived table".into(),
            Origin::Derived => format!("column of the derived table {name}"),
            Origin::InformationSchema => format!("column {name}"),
            Origin::JsonTable => format!("column of JSON_TABLE {name}"),
            Origin::Connection => creation("literal"),
            Origin::Introducer => "literal with an introducer".into(),
            Origin::Collate => "COLLATE clause".into(),
            Origin::Parameter => self.describe_parameter(place),
            Origin::UserVariable => format!("user variable @{name}, with the collation of the value assigned last"),
            Origin::StoredFunction => self.describe_function(),
            Origin::Expression => self.describe_expression(),
            Origin::Subquery => "result of a subquery".into(),
        }
    }

    fn describe_expression(&self) -> String {
        if let Some(column) = self.column.as_ref().filter(|_| self.is_wrapped) {
            return format!("conversion of column {} ({})", column.title(), column.collation().unwrap_or("no text"));
        }
        let title = |column: &ColumnRef| Some(format!("{} ({})", column.title(), column.collation()?));
        let columns: Vec<String> = self.inner.iter().filter_map(title).collect();
        if columns.is_empty() {
            "result of an expression".into()
        } else {
            format!("result of an expression of {}", columns.join(" and "))
        }
    }

    fn describe_column(&self, collation: &str) -> String {
        let Some(column) = &self.column else {
            return format!("column of temporary table {}", self.name.as_deref().unwrap_or_default());
        };
        let is_default = column.table.collation.as_deref().is_some_and(|default| is_same_collation(default, collation));
        let kind = if self.origin == Origin::TemporaryTable { "temporary table's column" } else { "column" };
        let default = if is_default { ", the table's default" } else { "" };
        format!("{kind} {}{default}", column.title())
    }

    fn describe_parameter(&self, place: &Place) -> String {
        let name = self.name.as_deref().unwrap_or_default();
        let Place::Program { program, .. } = place else { return format!("parameter {name}") };
        let is_parameter = program.parsed.parameters.iter().any(|one| one.name.eq_ignore_ascii_case(name));
        let kind = if is_parameter { "parameter" } else { "variable" };
        let declared = program.parsed.parameters.iter().chain(&program.parsed.variables);
        let is_explicit =
            declared.into_iter().any(|one| one.name.eq_ignore_ascii_case(name) && !one.attributes.is_empty());
        let how = if is_explicit {
            "declared with this character set or collation"
        } else {
            "no collation declared: the schema's default when it was created"
        };
        format!("{kind} {name}, {how}")
    }

    /// `SHOW CREATE FUNCTION` of MySQL names the character set whether it was declared or not, so
    /// the text names both possible sources.
    fn describe_function(&self) -> String {
        let name = self.name.as_deref().unwrap_or_default();
        format!("result of function {name}: its RETURNS, or the schema's default when it was created")
    }
}

impl Copy<'_> {
    pub fn resolve(&mut self, source: &Source, operand: &Operand) -> Result<Resolved, Error> {
        self.resolve_expression(source, operand.block, &operand.expression)
    }

    fn resolve_expression(&mut self, source: &Source, block: usize, expression: &Expr) -> Result<Resolved, Error> {
        if let Some(column) = folded_column(expression) {
            let column = self.resolve_expression(source, block, column)?.column;
            let inner = column.iter().filter(|column| column.collation().is_some()).cloned().collect();
            return Ok(Resolved { column, inner, is_folded: true, ..Resolved::new(Origin::Expression) });
        }
        Ok(match &expression.kind {
            ExprKind::Name(names) => self.resolve_name(source, block, names)?,
            ExprKind::Text { introduced: false } | ExprKind::Parameter => Resolved::new(Origin::Connection),
            ExprKind::Text { introduced: true } => Resolved::new(Origin::Introducer),
            ExprKind::Variable(name) => Resolved { name: Some(name.clone()), ..Resolved::new(Origin::UserVariable) },
            ExprKind::Collate { inner, .. } => {
                let inner = self.resolve_expression(source, block, inner)?;
                Resolved { origin: Origin::Collate, is_wrapped: true, ..inner }
            }
            ExprKind::Convert(inner) => {
                let inner = self.resolve_expression(source, block, inner)?;
                Resolved { origin: Origin::Expression, is_wrapped: true, ..inner }
            }
            ExprKind::Call { schema, name, .. } => {
                let own = schema_of(&source.place).unwrap_or_default();
                match self.program("FUNCTION", schema.as_deref().unwrap_or(&own), name)? {
                    Some(function) => Resolved {
                        name: Some(name.clone()),
                        function: Some(function),
                        ..Resolved::new(Origin::StoredFunction)
                    },
                    None => {
                        let inner = self.inner_columns(source, block, expression)?;
                        Resolved { name: Some(name.clone()), inner, ..Resolved::new(Origin::Expression) }
                    }
                }
            }
            ExprKind::Subquery(_) => Resolved::new(Origin::Subquery),
            _ => {
                Resolved { inner: self.inner_columns(source, block, expression)?, ..Resolved::new(Origin::Expression) }
            }
        })
    }

    /// Text columns that an expression names, each `table.column` once.
    fn inner_columns(&mut self, source: &Source, block: usize, expression: &Expr) -> Result<Vec<ColumnRef>, Error> {
        let mut names: Vec<&Vec<String>> = Vec::new();
        expression.walk(&mut |part| {
            if let ExprKind::Name(name) = &part.kind {
                names.push(name);
            }
        });
        names.dedup();
        let mut found: Vec<ColumnRef> = Vec::new();
        for name in names {
            if let Some(column) = self.resolve_name(source, block, name)?.column
                && column.collation().is_some()
                && !found.iter().any(|known| known.title() == column.title())
            {
                found.push(column);
            }
        }
        Ok(found)
    }

    fn resolve_name(&mut self, source: &Source, block: usize, names: &[String]) -> Result<Resolved, Error> {
        let (qualifier, column) = match names {
            [column] => (None, column),
            [.., table, column] => (Some(table), column),
            [] => return Ok(Resolved::new(Origin::Expression)),
        };
        if let Place::Program { program, .. } = &source.place {
            let declared = program.parsed.parameters.iter().chain(&program.parsed.variables);
            if qualifier.is_none() && declared.into_iter().any(|one| one.name.eq_ignore_ascii_case(column)) {
                return Ok(Resolved { name: Some(column.clone()), ..Resolved::new(Origin::Parameter) });
            }
            if let (Some(row), Some(table)) = (qualifier, &program.table)
                && (row.eq_ignore_ascii_case("new") || row.eq_ignore_ascii_case("old"))
                && let Some(table) = self.table(&program.schema, table)?
            {
                let column = Some(ColumnRef { table, column: column.clone(), alias: row.clone() });
                return Ok(Resolved { column, ..Resolved::new(Origin::Column) });
            }
        }
        if let Some(found) = self.resolve_column(source, block, qualifier, column)? {
            return Ok(found);
        }
        let items = source.parsed.blocks.get(block).map_or(&[][..], |block| &block.items);
        let is_meant = |item: &&Item| item.alias.as_ref().is_some_and(|alias| alias.eq_ignore_ascii_case(column));
        let alias = items.iter().find(is_meant).filter(|_| qualifier.is_none());
        let found = match alias.map(|item| &item.expression.kind) {
            Some(ExprKind::Name(names)) => {
                let (column, tables) = names.split_last().map_or((column, &names[..]), |(last, rest)| (last, rest));
                self.resolve_column(source, block, tables.last(), column)?
            }
            Some(_) => Some(Resolved::new(Origin::Expression)),
            None => None,
        };
        let derived = || Resolved { name: qualifier.cloned(), ..Resolved::new(Origin::Derived) };
        Ok(found.unwrap_or_else(derived))
    }

    /// Looks a column up in the tables of a block, then in those of the blocks around it.
    fn resolve_column(
        &mut self,
        source: &Source,
        block: usize,
        qualifier: Option<&String>,
        column: &str,
    ) -> Result<Option<Resolved>, Error> {
        let mut at = Some(block);
        while let Some(block) = at.and_then(|at| source.parsed.blocks.get(at)) {
            for table in &block.tables {
                if qualifier.is_some_and(|qualifier| !qualifier.eq_ignore_ascii_case(&table.alias)) {
                    continue;
                }
                if let Some(found) = self.resolve_in_table(source, table, column)? {
                    return Ok(Some(found));
                }
            }
            at = block.parent;
        }
        Ok(None)
    }

    /// Looks a column up in one table of a statement.
    fn resolve_in_table(
        &mut self,
        source: &Source,
        table: &crate::syntax::TableRef,
        column: &str,
    ) -> Result<Option<Resolved>, Error> {
        let named = |origin| Resolved { name: Some(table.alias.clone()), ..Resolved::new(origin) };
        Ok(match &table.kind {
            TableKind::JsonTable => {
                let text = &source.text[table.span.clone()];
                text.to_lowercase().contains(&column.to_lowercase()).then(|| named(Origin::JsonTable))
            }
            TableKind::Derived(blocks) => {
                let items =
                    blocks.first().and_then(|at| source.parsed.blocks.get(*at)).map_or(&[][..], |block| &block.items);
                let is_item = |item: &crate::syntax::Item| match (&item.alias, &item.expression.kind) {
                    (Some(alias), _) => alias.eq_ignore_ascii_case(column),
                    (None, ExprKind::Name(names)) => names.last().is_some_and(|name| name.eq_ignore_ascii_case(column)),
                    _ => false,
                };
                (items.is_empty() || items.iter().any(is_item)).then(|| named(Origin::Derived))
            }
            TableKind::Named { schema, name } => {
                let own = schema_of(&source.place).unwrap_or_default();
                let schema = schema.clone().unwrap_or(own);
                if schema.eq_ignore_ascii_case("information_schema") {
                    let name = format!("information_schema.{}.{}", name.to_uppercase(), column.to_uppercase());
                    return Ok(Some(Resolved { name: Some(name), ..Resolved::new(Origin::InformationSchema) }));
                }
                match self.table(&schema, name)? {
                    Some(found) if found.column(column).is_some() => {
                        if found.is_view {
                            return Ok(Some(Resolved { name: Some(name.clone()), ..Resolved::new(Origin::View) }));
                        }
                        let column = ColumnRef { table: found, column: column.to_owned(), alias: table.alias.clone() };
                        Some(Resolved { column: Some(column), ..Resolved::new(Origin::Column) })
                    }
                    Some(_) => None,
                    None => {
                        // A temporary table, or a common table expression.
                        let is_cte = source
                            .parsed
                            .blocks
                            .iter()
                            .filter_map(|block| block.with.clone())
                            .any(|with| source.text[with].to_lowercase().contains(&name.to_lowercase()));
                        let origin = if is_cte { Origin::Derived } else { Origin::TemporaryTable };
                        Some(Resolved { name: Some(name.clone()), is_cte, ..Resolved::new(origin) })
                    }
                }
            }
        })
    }
}

/// Default schema of a place.
pub fn schema_of(place: &Place) -> Option<String> {
    match place {
        Place::Session(session) | Place::View { session, .. } => session.schema.clone(),
        Place::Program { program, .. } => Some(program.schema.clone()),
    }
}
