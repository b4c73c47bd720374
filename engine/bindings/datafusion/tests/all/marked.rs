//! Statements on columns that are marked with a collation, with `MarkedColumns`.

use std::sync::Arc;

use datafusion::arrow::array::{AsArray, Int64Array, RecordBatch, StringArray};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::prelude::SessionContext;
use datafusion_mysql_collation::{MarkedColumns, mark};
use tokio::runtime;

use crate::words::Outcome;

const NAMES: [Option<&str>; 8] =
    [Some("Zug"), Some("STRASSE"), None, Some("Ähre"), Some("Straße"), Some("apfel"), Some("Apfel"), Some("be")];

fn context() -> Result<SessionContext, Box<dyn std::error::Error>> {
    let context = SessionContext::new();
    context.add_analyzer_rule(Arc::new(MarkedColumns));
    let columns = [("people", "utf8mb4_0900_ai_ci"), ("others", "utf8mb4_0900_ai_ci"), ("strict", "utf8mb4_0900_bin")];
    for (table, collation) in columns {
        let name = mark(Field::new("name", DataType::Utf8, true), collation, "mysql");
        let schema = Schema::new(vec![Field::new("id", DataType::Int64, false), name]);
        let ids = Int64Array::from_iter_values(0..NAMES.len() as i64);
        let names = StringArray::from(NAMES.to_vec());
        context.register_batch(table, RecordBatch::try_new(Arc::new(schema), vec![Arc::new(ids), Arc::new(names)])?)?;
    }
    Ok(context)
}

/// Runs a statement, and returns the values of its first column.
async fn first_column(context: &SessionContext, sql: &str) -> datafusion::error::Result<Vec<String>> {
    let mut values = Vec::new();
    for batch in context.sql(sql).await?.collect().await? {
        let formatter = ArrayFormatter::try_new(batch.column(0).as_ref(), &FormatOptions::default())?;
        values.extend((0..batch.num_rows()).map(|row| formatter.value(row).to_string()));
    }
    Ok(values)
}

#[test]
fn operators_on_marked_columns_follow_the_collation() -> Outcome {
    let context = context()?;
    let runtime = runtime::Builder::new_current_thread().build()?;
    for (sql, expected) in [
        ("SELECT id FROM people ORDER BY name NULLS FIRST, id", "2 3 5 6 7 1 4 0"),
        ("SELECT id FROM people ORDER BY name DESC, id LIMIT 3", "2 0 1"),
        ("SELECT id FROM (SELECT id, name AS n FROM people) AS p ORDER BY n NULLS FIRST, id", "2 3 5 6 7 1 4 0"),
        ("SELECT id FROM people WHERE name = 'strasse' ORDER BY id", "1 4"),
        ("SELECT id FROM people WHERE 'APFEL' = name ORDER BY id", "5 6"),
        ("SELECT id FROM people WHERE name <> 'strasse' AND name > 'AZ' ORDER BY id", "0 7"),
        ("SELECT id FROM people WHERE name BETWEEN 'B' AND 'STRASSE' ORDER BY id", "1 4 7"),
        ("SELECT id FROM people WHERE name NOT BETWEEN 'B' AND 'STRASSE' ORDER BY id", "0 3 5 6"),
        ("SELECT id FROM people WHERE name IN ('strasse', 'ahre') ORDER BY id", "1 3 4"),
        ("SELECT id FROM people WHERE name NOT IN ('strasse', 'ahre') ORDER BY id", "0 5 6 7"),
        ("SELECT id FROM people WHERE name LIKE 'a%' ORDER BY id", "3 5 6"),
        ("SELECT id FROM people WHERE name NOT LIKE '%a%' ORDER BY id", "0 7"),
        ("SELECT id FROM people WHERE name IS NOT DISTINCT FROM NULL ORDER BY id", "2"),
        ("SELECT count(*) FROM people JOIN others ON people.name = others.name", "11"),
        ("SELECT count(*) FROM people JOIN others USING (name)", "11"),
        (
            "SELECT p.id FROM people AS p WHERE EXISTS (SELECT 1 FROM others WHERE others.name = p.name AND others.id > p.id) ORDER BY p.id",
            "1 5",
        ),
        ("SELECT id FROM strict WHERE name = 'apfel'", "5"),
        ("SELECT name = 'strasse' FROM people WHERE id = 4", "true"),
        // Unmarked expressions do not change.
        ("SELECT id FROM people WHERE id = 4 AND upper('a') = 'A'", "4"),
    ] {
        let found = runtime.block_on(first_column(&context, sql)).map_err(|error| format!("{sql}: {error}"))?;
        assert_eq!(found.join(" "), expected, "{sql}");
    }
    Ok(())
}

#[test]
fn joins_of_marked_columns_are_hash_joins() -> Outcome {
    let context = context()?;
    let runtime = runtime::Builder::new_current_thread().build()?;
    let plan = runtime.block_on(async {
        context.sql("EXPLAIN SELECT * FROM people JOIN others ON people.name = others.name").await?.collect().await
    })?;
    let text: String = plan[0].column(1).as_string::<i32>().iter().flatten().collect();
    assert!(text.contains("HashJoin"), "{text}");
    Ok(())
}

#[test]
fn two_collations_are_refused() -> Outcome {
    let context = context()?;
    let runtime = runtime::Builder::new_current_thread().build()?;
    let sql = "SELECT 1 FROM people JOIN strict ON people.name = strict.name";
    let error = runtime.block_on(first_column(&context, sql)).unwrap_err().to_string();
    assert!(error.contains("utf8mb4_0900_ai_ci") && error.contains("utf8mb4_0900_bin"), "{error}");
    Ok(())
}
