//! Rows that violate a CHECK constraint under the new collation.

use sql::{SqlMode, Token, ddl};

use super::question::Question;
use super::{Check, CheckFunction};
use crate::expression::{converted_expression, find_unprintable};
use crate::finding::{Finding, table_finding};
use crate::job::{Job, TableJob};
use check::{Reading, Severity};

pub static CHECK: Check = Check {
    name: "check-constraint",
    title: "rows that violate a CHECK constraint under the new collation",
    reads: &[Reading::Schemas, Reading::Rows],
    doc: "CHECK (status IN ('open', 'closed')) holds for 'Open' under a _ci collation, not under a _cs one: ALTER TABLE then ends with error \
              3819 (MySQL) or 4025 (MariaDB). The server counts the rows for which the constraint with the new collation is false, in one \
              scan for each constraint that names a converted column, or a generated one that is computed from it. Where that takes longer than the time limit of a statement, the \
              constraint is listed as not checked, with the query.",
    run: CheckFunction::Questions(questions),
};

fn questions(job: &Job<'_>, table: &TableJob<'_>) -> Vec<Question> {
    let constraints = find_constraints(job.create_table(table));
    constraints
        .iter()
        .flat_map(|constraint| {
            (0..job.targets.len()).filter_map(move |target| question(job, table, constraint, target))
        })
        .collect()
}

fn question(job: &Job<'_>, table: &TableJob<'_>, constraint: &Constraint<'_>, target: usize) -> Option<Question> {
    let condition = converted_expression(job, table, target, constraint.condition)?;
    let name = &job.targets[target];
    let from = format!(
        "FROM {} {} WHERE NOT ({condition})",
        sql::quote_table(&table.table.schema, &table.table.name),
        sql::BASE_TABLE_ONLY
    );
    let finding = table_finding(&CHECK, Severity::Error, table, name);
    let mut details = finding.details.clone();
    details.statements.push(format!("SELECT * {from}"));
    Some(Question {
        subject: format!("CHECK constraint {} of {} under {name}", constraint.name, table.name()),
        query: format!("SELECT COUNT(*) {from}"),
        noun: "row",
        default: None,
        time_zone: None,
        unanswerable: find_unprintable(job, constraint.condition)
            .map(|literal| format!("the server prints {literal} for characters that it can't print")),
        finding: Finding {
            what: format!("for which the CHECK constraint {} is false under {name}", constraint.name),
            why: "ALTER TABLE ends with error 3819 (MySQL) or 4025 (MariaDB)".into(),
            action: "change these rows or the constraint first; the query lists them".into(),
            details,
            ..finding
        },
    })
}

struct Constraint<'c> {
    /// Name of the constraint, or of the column that it belongs to (MariaDB).
    name: String,
    /// Condition in parentheses.
    condition: &'c str,
}

/// Returns the enforced CHECK constraints of a table's definition, but for those that only ask for
/// valid JSON, which no collation changes.
fn find_constraints(create: &str) -> Vec<Constraint<'_>> {
    ddl::split_definitions(create).into_iter().filter_map(find_constraint).collect()
}

fn find_constraint(definition: &str) -> Option<Constraint<'_>> {
    let tokens: Vec<Token<'_>> = sql::tokenize(definition, SqlMode::default()).collect();
    let check = tokens.windows(2).position(|pair| pair[0].is_keyword("check") && pair[1].is_symbol('('))?;
    let (open, inside) = (tokens[check + 1], &tokens[check + 2..]);
    let closing = sql::closing_parenthesis(inside)?;
    let close = inside[closing];
    // `json_valid(a)`
    let only_json = inside[0].is_keyword("json_valid") && closing == 4;
    if only_json || definition[close.end()..].to_uppercase().contains("NOT ENFORCED") {
        return None;
    }
    let first = if tokens[0].is_keyword("constraint") { &tokens[1] } else { &tokens[0] };
    Some(Constraint { name: first.name().unwrap_or_default(), condition: &definition[open.start..close.end()] })
}

#[cfg(test)]
mod tests {
    use super::find_constraints;

    #[test]
    fn finds_constraints_of_tables_and_columns() {
        let create = "CREATE TABLE `t` (\n  `a` varchar(9) DEFAULT 'check (1)' CHECK (`a` in ('x','(')),\n  `check` int,\n  \
                      `j` longtext CHECK (json_valid(`j`)),\n  CONSTRAINT `c` CHECK ((`a` <> _latin1'y')),\n  \
                      CONSTRAINT `d` CHECK ((`a` <> 'z')) /*!80016 NOT ENFORCED */\n)";
        let found: Vec<(String, &str)> =
            find_constraints(create).into_iter().map(|found| (found.name, found.condition)).collect();
        let expected = [("a", "(`a` in ('x','('))"), ("c", "((`a` <> _latin1'y'))")];
        assert_eq!(found, expected.map(|(name, condition)| (name.to_owned(), condition)));
    }
}
