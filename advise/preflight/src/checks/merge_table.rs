//! MERGE tables and their members.

use sql::{SqlMode, Token, ddl};

use super::{Check, CheckFunction};
use crate::finding::{Finding, table_finding};
use crate::job::{Job, TableJob};
use check::{Reading, Severity};

pub static CHECK: Check = Check {
    name: "merge-table",
    title: "MERGE tables, which open only while all their members have the same definition",
    reads: &[Reading::Schemas],
    doc: "As soon as one member of a MERGE table is converted, the MERGE table can't be opened (error 1168), and can't be altered either. No order of \
              ALTERs helps: the table has to be dropped before, which keeps the rows in its members, and created anew afterwards.",
    run: CheckFunction::Facts(run),
};

fn run(job: &Job<'_>) -> Vec<Finding> {
    let converted = || job.tables.iter().filter(|table| !table.conversions.is_empty());
    let merged: Vec<&TableJob<'_>> = job.tables.iter().filter(|table| is_merge(table)).collect();
    let mut findings = Vec::new();
    for merge in merged {
        let members = member_names(job.create_table(merge), &merge.table.schema);
        let is_member = |table: &TableJob<'_>| {
            members.iter().any(|(schema, name)| *schema == table.table.schema && *name == table.table.name)
        };
        let affected = converted().filter(|table| table.name() == merge.name() || is_member(table));
        findings.extend(affected.map(|table| describe(job, table, merge)));
    }
    findings
}

fn is_merge(table: &TableJob<'_>) -> bool {
    table.table.engine.as_deref().is_some_and(|engine| engine.eq_ignore_ascii_case("MRG_MYISAM"))
}

/// Returns schema and name of the members: ``UNION=(`a`,`other`.`b`)``.
fn member_names(create: &str, schema: &str) -> Vec<(String, String)> {
    let options = ddl::table_options(create);
    let tokens: Vec<Token<'_>> = sql::tokenize(options, SqlMode::default()).collect();
    let Some(union) = tokens.iter().position(|token| token.is_keyword("union")) else { return Vec::new() };
    let list: Vec<&Token<'_>> = tokens[union..]
        .iter()
        .skip_while(|token| !token.is_symbol('('))
        .skip(1)
        .take_while(|token| !token.is_symbol(')'))
        .collect();
    let name = |part: &[&Token<'_>]| match part {
        [name] => Some((schema.to_owned(), name.name()?)),
        [own, _, name] => Some((own.name()?, name.name()?)),
        _ => None,
    };
    list.split(|token| token.is_symbol(',')).filter_map(name).collect()
}

fn describe(job: &Job<'_>, table: &TableJob<'_>, merge: &TableJob<'_>) -> Finding {
    let finding = table_finding(&CHECK, Severity::Error, table, &job.targets[0]);
    let mut details = finding.details.clone();
    details.count = 1;
    Finding {
        what: match table.name() == merge.name() {
            true => "it is a MERGE table, which can't be opened once its members are converted".into(),
            false => format!("it is a member of the MERGE table {}", merge.name()),
        },
        why: "the MERGE table could neither be read nor altered any more: error 1168".into(),
        action: format!(
            "DROP TABLE {} first (its rows stay in its members), run preflight again, and create it anew after the plan",
            merge.name()
        ),
        details,
        ..finding
    }
}

#[cfg(test)]
mod tests {
    use super::member_names;

    #[test]
    fn reads_the_members() {
        let create = "CREATE TABLE `m` (\n  `k` int COMMENT 'UNION=(`x`)'\n) ENGINE=MRG_MyISAM UNION=(`a`,`other`.`b`)";
        let owned = |schema: &str, name: &str| (schema.to_owned(), name.to_owned());
        assert_eq!(member_names(create, "s"), [owned("s", "a"), owned("other", "b")]);
    }
}
