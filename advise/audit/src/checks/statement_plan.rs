//! Statements of the application that the server refuses, or that lose an index.

use std::collections::HashSet;

use server::error_code;
use sql::Token;

use super::Check;
use super::common::{Draft, list_names, truncate};
use crate::advice::Advice;
use crate::input::{AuditInput, JoinPlans, Statement, StatementPlan, Warning};
use crate::text::{ComparisonKind, Operand, Scope, find_comparisons, find_names, tokens};
use check::{Finding, ObjectKind, Reading, Severity};

pub(super) static CHECK: Check = Check {
    name: "statement-plan",
    title: "statements of --sql and --slow-log that fail because of collations, or lose an index",
    reads: &[Reading::Schemas, Reading::Statements, Reading::Plans],
    doc: "\
Explains up to 1,000 statements of the files: SELECT, and the SELECT of INSERT … SELECT and REPLACE … SELECT. Errors: illegal mixes of collations (1267, 1270, 1271), COLLATE of another character set (1253), and literals or parameters that the column's character set lacks (3854, 3988). \
Warnings: 1739 of MySQL and 1105 of MariaDB, an index that a conversion makes unusable. A server gives no warning where it treats a table as `const`, and MySQL 5.6 and 5.7 give none for a comparison of two character sets. Without a warning, each pair of columns of different collations that the statement compares is explained as a join of these two alone, \
and an index that this join loses is reported if the statement reads its table from end to end and doesn't look up the other table from it. `USE`, `SET NAMES`, `SET collation_connection` and `SET @variable = 'literal'` of a file apply to what follows; without USE, a statement belongs to the schema of --schema, if it names one. \
What to do: give the columns one collation, or write COLLATE on the side without index. From: Penny-Dreadful-Tools #5228, TablePlus #728.",
    run,
};

fn run(input: &AuditInput) -> Vec<Finding> {
    let advice = Advice::new(input);
    input.statement_plans.iter().filter_map(|plan| check_plan(input, &advice, plan)).collect()
}

fn check_plan(input: &AuditInput, advice: &Advice<'_>, plan: &StatementPlan) -> Option<Finding> {
    let statement = input.statements.get(plan.statement)?;
    let Some(warning) = plan.refused.as_ref().or(plan.warnings.first()) else {
        return check_joins(input, advice, statement, &plan.joins);
    };
    let tokens = tokens(&statement.text);
    let scope = Scope::from_statement(&input.facts, &tokens, plan.schema.as_deref());
    let compared = describe_columns(&scope, &tokens, warning);
    let (severity, why, action) = match &plan.refused {
        Some(refusal) => (Severity::Error, "The statement fails.", advise_refused(refusal, !compared.is_empty())),
        None => (
            Severity::Warning,
            "The table is read from end to end where the index would find a few rows.",
            "Give the compared columns one character set and collation.",
        ),
    };
    Some(draft(severity, statement, warning, &compared, why, action).into_finding(CHECK.name))
}

/// Says how to mend a statement that the server refuses. `has_columns` is true if the compared
/// columns are known.
fn advise_refused(refusal: &Warning, has_columns: bool) -> &'static str {
    match refusal.code {
        error_code::COLLATION_CHARSET_MISMATCH => {
            "Write a collation of the text's own character set after COLLATE, or convert the text: CONVERT(… USING …) COLLATE …."
        }
        error_code::CANNOT_CONVERT_STRING | error_code::IMPOSSIBLE_STRING_CONVERSION => ADVICE_FOR_CHARSETS,
        _ if mixes_charsets(&refusal.message) => ADVICE_FOR_CHARSETS,
        _ if has_columns => "Give the columns one collation (weigh preflight), or write COLLATE after one of them.",
        _ => "Write COLLATE after one of the compared values, or SET NAMES … COLLATE to the column's collation.",
    }
}

/// COLLATE converts no text, so it doesn't help where a character set lacks characters of another.
const ADVICE_FOR_CHARSETS: &str =
    "Convert the columns to utf8mb4 (weigh preflight), or compare CONVERT(… USING utf8mb4) of each.";

/// True if a message such as `(latin1_swedish_ci,IMPLICIT) and (cp1251_general_ci,IMPLICIT)` names
/// collations of several character sets.
fn mixes_charsets(message: &str) -> bool {
    let named = message.split('(').skip(1).filter_map(|part| part.split_once(','));
    let charsets: HashSet<&str> = named.map(|(name, _)| rules::charset::collation_charset(name)).collect();
    charsets.len() > 1
}

/// Reports the indexes that a statement loses without a warning of the server.
fn check_joins(input: &AuditInput, advice: &Advice<'_>, statement: &Statement, joins: &[JoinPlans]) -> Option<Finding> {
    let columns: Vec<&crate::ColumnRef> = joins.iter().flat_map(|join| [&join.left, &join.right]).collect();
    let described = joins.iter().map(|join| {
        let collation = |column: &crate::ColumnRef| {
            let found = input.facts.table(&column.schema, &column.table)?.column(&column.column)?;
            found.collation.clone()
        };
        let show =
            |column: &crate::ColumnRef| format!("{column} ({})", collation(column).unwrap_or_else(|| "binary".into()));
        let indexes = join.lookups.iter().map(|lookup| {
            let table = check::table_name(&lookup.indexed_column.schema, &lookup.indexed_column.table);
            format!("{} of {table}", lookup.index)
        });
        let indexes: Vec<String> = indexes.collect();
        format!("index {} is lost: {} and {}", indexes.join(", "), show(&join.left), show(&join.right))
    });
    let described: Vec<String> = described.collect();
    if described.is_empty() {
        return None;
    }
    let mut convert: Vec<String> = advice
        .to_convert(&columns)
        .into_iter()
        .filter_map(|column| Some(format!("{column} to {}", advice.joined(column)?)))
        .collect();
    convert.dedup();
    let action = if convert.is_empty() {
        "Give the compared columns one character set and collation.".to_owned()
    } else {
        format!("Convert {} (weigh preflight).", convert.join(", "))
    };
    let draft = Draft {
        severity: Severity::Warning,
        kind: ObjectKind::Statement,
        name: statement.place.clone(),
        what: format!("{}; in: {}", list_names(&described, 3), truncate(&statement.text)),
        why: "The table is read from end to end where the index would find a few rows. The server does not warn of it."
            .into(),
        action,
    };
    Some(draft.into_finding(CHECK.name))
}

fn draft(
    severity: Severity,
    statement: &Statement,
    warning: &Warning,
    compared: &str,
    why: &str,
    action: &str,
) -> Draft {
    let columns = if compared.is_empty() { String::new() } else { format!("; {compared}") };
    Draft {
        severity,
        kind: ObjectKind::Statement,
        name: statement.place.clone(),
        what: format!("{} ({}){columns} in: {}", warning.message, warning.code, truncate(&statement.text)),
        why: why.to_owned(),
        action: action.to_owned(),
    }
}

/// Writes the compared columns to which the server's message can refer: `shop.a.x (latin1_bin) and
/// shop.b.y (utf8_bin)`. Without such a comparison, writes the columns whose collation the message
/// names.
fn describe_columns(scope: &Scope<'_>, tokens: &[Token<'_>], warning: &Warning) -> String {
    let collation = |operand: &Operand<'_>| rules::charset::current_collation_name(&operand.collation);
    let message = warning.message.replace("utf8_", "utf8mb3_");
    let is_named = |operand: &Operand<'_>| {
        message.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == collation(operand))
    };
    let show = |operand: &Operand<'_>| format!("{} ({})", operand.name, operand.collation);
    let mut pairs = Vec::new();
    let mut known = HashSet::new();
    for comparison in find_comparisons(tokens) {
        let may_use_index = matches!(comparison.kind, ComparisonKind::Compared | ComparisonKind::Between);
        for left in scope.find(&comparison.left) {
            for right in scope.find(&comparison.right) {
                let is_refused = warning.message.contains("collation") && is_named(&left) && is_named(&right);
                let loses_index = may_use_index && !warning.message.contains("Illegal mix");
                if collation(&left) == collation(&right) || !is_refused && !loses_index {
                    continue;
                }
                let (left, right) = (show(&left), show(&right));
                if !known.contains(&(right.clone(), left.clone())) && known.insert((left.clone(), right.clone())) {
                    pairs.push(format!("{left} and {right}"));
                }
            }
        }
    }
    if !pairs.is_empty() {
        return list_names(&pairs, 3);
    }
    // Error 1271 names no collations, so all text columns of the statement are written.
    let is_any = warning.code == error_code::CANT_AGGREGATE_NCOLLATIONS;
    let named = find_names(tokens).into_iter().flat_map(|name| scope.find(&name)).filter(|one| is_any || is_named(one));
    let mut named: Vec<String> = named.map(|operand| show(&operand)).collect();
    named.sort();
    named.dedup();
    list_names(&named, 4)
}
