//! `NEW` and `OLD` of a trigger as variables, so that its statements can be explained outside of
//! it.

use std::ops::Range;

use sql::{SqlMode, Token, quote_identifier, quote_string, tokenize};

use crate::Error;
use crate::copy::{Copy, Place, StoredProgram};
use crate::dictionary::Table;
use crate::remedy::splice;
use crate::syntax::Declaration;

/// A column of `NEW` or `OLD` in a statement.
struct RowColumn {
    span: Range<usize>,
    variable: String,
    column: String,
}

impl Copy<'_> {
    /// Replaces `NEW.a` and `OLD.a` in a statement by variables of the columns' types and
    /// collations, which the returned place declares. Other places and statements stay.
    pub fn bind_trigger_rows(&self, place: &Place, statement: &str) -> Result<(Place, String), Error> {
        let unchanged = (place.clone(), statement.to_owned());
        let Place::Program { program, call } = place else { return Ok(unchanged) };
        let Some(table) = &program.table else { return Ok(unchanged) };
        let columns = row_columns(statement);
        let Some(table) = self.table(&program.schema, table)?.filter(|_| !columns.is_empty()) else {
            return Ok(unchanged);
        };
        let mut program = StoredProgram::clone(program);
        let mut edits = Vec::new();
        for RowColumn { span, variable, column } in columns {
            if !program.parsed.variables.iter().any(|known| known.name == variable) {
                let Some(kind) = self.column_type(&table, &column)? else { return Ok(unchanged) };
                declare(&mut program, &table, &variable, &column, &kind);
            }
            edits.push((span, quote_identifier(&variable)));
        }
        Ok((Place::Program { program: Box::new(program), call: call.clone() }, splice(statement, &edits)))
    }

    fn column_type(&self, table: &Table, column: &str) -> Result<Option<String>, Error> {
        let types = self.names(&format!(
            "SELECT COLUMN_TYPE FROM information_schema.COLUMNS \
             WHERE TABLE_SCHEMA = {} AND TABLE_NAME = {} AND COLUMN_NAME = {}",
            quote_string(&table.schema),
            quote_string(&table.name),
            quote_string(column)
        ))?;
        Ok(types.into_iter().next())
    }
}

/// Adds the declaration of a variable behind the program's text.
fn declare(program: &mut StoredProgram, table: &Table, variable: &str, column: &str, kind: &str) {
    let begin = program.create.len();
    program.create += &format!("\nDECLARE {} ", quote_identifier(variable));
    let type_begin = program.create.len();
    program.create += kind;
    let type_end = program.create.len();
    let column = table.column(column);
    let text = column.and_then(|column| Some((column.charset.as_ref()?, column.collation.as_ref()?)));
    if let Some((charset, collation)) = text {
        program.create += &format!(" CHARACTER SET {charset} COLLATE {collation}");
    }
    let end = program.create.len();
    program.parsed.declares.push(begin + 1..end);
    program.parsed.variables.push(Declaration {
        name: variable.to_owned(),
        type_span: type_begin..type_end,
        attributes: type_end..end,
        is_text: text.is_some(),
    });
}

fn row_columns(statement: &str) -> Vec<RowColumn> {
    let tokens: Vec<Token<'_>> = tokenize(statement, SqlMode::default()).collect();
    let column = |parts: &[Token<'_>]| {
        let [row, dot, column] = parts else { return None };
        let row_name = row.name()?.to_lowercase();
        if !["new", "old"].contains(&row_name.as_str()) || !dot.is_symbol('.') {
            return None;
        }
        let name = column.name()?;
        let variable = format!("weigh_{row_name}_{}", name.to_lowercase());
        Some(RowColumn { span: row.start..column.end(), variable, column: name })
    };
    tokens.windows(3).filter_map(column).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_rows_are_found() {
        let text = "DELETE FROM log WHERE mail = NEW.mail AND `old`.`x y` = 1 AND new = 2";
        let found: Vec<(&str, String)> =
            row_columns(text).into_iter().map(|one| (&text[one.span], one.variable)).collect();
        assert_eq!(found, [("NEW.mail", "weigh_new_mail".into()), ("`old`.`x y`", "weigh_old_x y".into())]);
    }
}
