//! Events: sysbench's order of statements, valid parameters, and reproducibility.

use std::collections::HashSet;
use std::convert::Infallible;
use std::fmt::Write as _;

use proptest::prelude::*;
use workload::{Generator, Options, Script, StatementKind, Text, Value, Workload, WorkloadKind, tables};

/// Returns the statements of an event with their values.
fn event(script: &Script, generator: &mut Generator) -> Vec<String> {
    let mut sent = Vec::new();
    let Ok(()) = generator.next_event(|statement, values| -> Result<(), Infallible> {
        let statement = &script.statements[statement];
        assert_eq!(statement.parameters, values.len(), "{}", statement.sql);
        let mut parts = statement.sql.split('?');
        let mut sql = parts.next().unwrap_or_default().to_owned();
        for (value, part) in values.iter().zip(parts) {
            match value {
                Value::Int(number) => write!(sql, "{number}{part}").unwrap(),
                Value::Text(text) => write!(sql, "'{text}'{part}").unwrap(),
                other => panic!("no workload generates {other:?}"),
            }
        }
        sent.push(sql);
        Ok(())
    });
    sent
}

fn events(workload: Workload, options: &Options, thread: u32, count: usize) -> Vec<Vec<String>> {
    let script = workload.script(options);
    let mut generator = script.generator(thread);
    (0..count).map(|_| event(&script, &mut generator)).collect()
}

#[test]
fn first_event_of_every_workload() {
    let options = Options { table_size: 1000, ..Options::default() };
    let mut text = String::new();
    for workload in WorkloadKind::ALL.map(Workload::from).into_iter().filter(|w| w.kind != WorkloadKind::LongLiterals) {
        let sent = events(workload, &options, 0, 1).concat().join("\n  ");
        writeln!(text, "{workload}\n  {sent}").unwrap();
    }
    insta::assert_snapshot!(text);
}

#[test]
fn transactions_have_sysbenchs_length() {
    let length =
        |kind: WorkloadKind, skip_trx| events(kind.into(), &Options { skip_trx, ..Options::default() }, 0, 1)[0].len();
    assert_eq!(length(WorkloadKind::OltpReadOnly, false), 16);
    assert_eq!(length(WorkloadKind::OltpReadOnly, true), 14);
    assert_eq!(length(WorkloadKind::OltpReadWrite, false), 20);
    assert_eq!(length(WorkloadKind::OltpReadWrite, true), 18);
    assert_eq!(length(WorkloadKind::OltpWriteOnly, false), 6);
    assert_eq!(length(WorkloadKind::OltpWriteOnly, true), 4);
}

#[test]
fn range_size_of_the_workload_wins() {
    let ten: Workload = "distinct_ranges:10".parse().unwrap();
    for sql in events(ten, &Options::default(), 0, 100).concat() {
        let bounds: Vec<i64> = sql.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        assert_eq!(bounds[1] - bounds[0], 9, "{sql}");
    }
}

#[test]
fn point_selects_of_a_transaction_share_a_table() {
    let options = Options { tables: 4, ..Options::default() };
    let table = |sql: &String| sql.split_whitespace().nth(3).unwrap().to_owned();
    let mut seen = HashSet::new();
    for sent in events(WorkloadKind::OltpReadOnly.into(), &options, 0, 50) {
        let points: HashSet<String> = sent[1..11].iter().map(table).collect();
        assert_eq!(points.len(), 1);
        seen.extend(points);
    }
    assert_eq!(seen.len(), 4);
}

#[test]
fn replaced_rows_keep_id_and_table() {
    for sent in events(WorkloadKind::OltpWriteOnly.into(), &Options { tables: 3, ..Options::default() }, 0, 50) {
        let (table, id) = sent[3].strip_prefix("DELETE FROM ").unwrap().split_once(" WHERE id=").unwrap();
        let insert = format!("INSERT INTO {table} (id, k, c, pad) VALUES ({id}, ");
        assert!(sent[4].starts_with(&insert), "{} after {}", sent[4], sent[3]);
    }
}

#[test]
fn lookups_find_loaded_rows() {
    for text in Text::ALL {
        let options = Options { text, tables: 2, table_size: 200, ..Options::default() };
        let workloads =
            [WorkloadKind::VarcharLookup, WorkloadKind::LikePrefix, WorkloadKind::LongLiterals].map(Workload::from);
        let rows: Vec<(String, String)> = tables(&workloads, &options)
            .iter()
            .flat_map(|table| (1..=table.rows).map(move |id| (table.name.clone(), id, table)))
            .map(|(name, id, table)| {
                let mut row = String::new();
                table.insert_row(id, &mut row);
                (name, row)
            })
            .collect();
        for workload in workloads {
            for sql in events(workload, &options, 0, 50).concat() {
                let (_, from) = sql.split_once(" FROM ").unwrap();
                let table = from.split_whitespace().next().unwrap();
                let literals: Vec<&str> = sql.split('\'').skip(1).step_by(2).collect();
                let wanted = literals.last().unwrap().trim_end_matches('%');
                let found = rows.iter().filter(|(name, row)| {
                    let own = row.split('\'').nth(1).unwrap();
                    let matches =
                        if workload.kind == WorkloadKind::LikePrefix { own.starts_with(wanted) } else { own == wanted };
                    name == table && matches
                });
                let expected = if workload.kind == WorkloadKind::LikePrefix { 10 } else { 1 };
                assert_eq!(found.count(), expected, "{text}: {sql}");
            }
        }
    }
}

#[test]
fn long_literals_do_not_repeat() {
    for text in Text::ALL {
        for sql in events(WorkloadKind::LongLiterals.into(), &Options { text, ..Options::default() }, 0, 5).concat() {
            let literals: HashSet<&str> = sql.split('\'').skip(1).step_by(2).collect();
            assert_eq!(literals.len(), 32, "{sql}");
            assert!(literals.iter().all(|literal| literal.chars().count() == 119), "{sql}");
        }
    }
}

#[test]
fn error_ends_the_event() {
    let script = Workload::from(WorkloadKind::OltpReadOnly).script(&Options::default());
    let mut generator = script.generator(0);
    let mut calls = 0;
    let failed = generator.next_event(|_, _| {
        calls += 1;
        if calls == 3 { Err("gone") } else { Ok(()) }
    });
    assert_eq!((failed, calls), (Err("gone"), 3));
    assert_eq!(event(&script, &mut generator)[0], "BEGIN");
}

#[test]
fn tables_of_one_row_get_ids_in_range() {
    for kind in WorkloadKind::ALL {
        let options = Options { table_size: 1, ..Options::default() };
        for sql in events(kind.into(), &options, 0, 20).concat() {
            assert!(!sql.contains(" id=0") && !sql.contains(" id=2"), "{sql}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn events_depend_on_the_thread_and_repeat(
        seed: u64, thread in 0u32..1000, kind in 0..WorkloadKind::ALL.len(), text in 0..Text::ALL.len(), tables in 1u32..5,
    ) {
        let options = Options { seed, tables, text: Text::ALL[text], ..Options::default() };
        let workload = Workload::from(WorkloadKind::ALL[kind]);
        let first = events(workload, &options, thread, 20);
        prop_assert_eq!(&first, &events(workload, &options, thread, 20));
        prop_assert_ne!(&first, &events(workload, &options, thread + 1, 20));
    }

    #[test]
    fn sends_every_statement(kind in 0..WorkloadKind::ALL.len(), tables in 1u32..4, skip_trx: bool) {
        let script = Workload::from(WorkloadKind::ALL[kind]).script(&Options { tables, skip_trx, ..Options::default() });
        let mut generator = script.generator(0);
        let mut seen = HashSet::new();
        for _ in 0..100 {
            let Ok(()) = generator.next_event(|statement, values| -> Result<(), Infallible> {
                if script.statements[statement].kind == StatementKind::Control {
                    assert!(values.is_empty());
                }
                seen.insert(statement);
                Ok(())
            });
        }
        prop_assert_eq!(seen.len(), script.statements.len());
    }
}
