//! Compares order and groups with a real MariaDB, through its command-line client. `cargo xtask
//! bindings datafusion` starts the server.

use std::collections::BTreeSet;
use std::env::{self, VarError};
use std::io::Write;
use std::process::{Command, Stdio};

use mysql_collation::{Collation, Flavour};

use crate::words::{Outcome, WordTable, words};

const COLLATIONS: [&str; 5] = [
    "utf8mb4_general_ci",
    "utf8mb4_unicode_ci",
    "utf8mb4_czech_ci",
    "utf8mb4_uca1400_ai_ci",
    "utf8mb4_uca1400_nopad_as_cs",
];

/// A missing variable is an error that says how to run the tests.
fn environment_variable(name: &str) -> Result<String, String> {
    env::var(name).map_err(|error| match error {
        VarError::NotPresent => format!("{name} is not set: run the tests by `cargo xtask bindings datafusion`"),
        VarError::NotUnicode(_) => format!("{name} is not Unicode"),
    })
}

/// Returns the lines that a server prints for statements.
fn query_server(statements: &str) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let mut client = Command::new(environment_variable("MYSQL_COLLATION_TEST_CLIENT")?);
    let socket = format!("--socket={}", environment_variable("MYSQL_COLLATION_TEST_SOCKET")?);
    client.args([
        "--no-defaults",
        &socket,
        "--user=root",
        "--default-character-set=utf8mb4",
        "--batch",
        "--raw",
        "--skip-column-names",
    ]);
    let mut child = client.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    // The client reads all input before its output exceeds the size of a pipe: large results come
    // last.
    let sent = child.stdin.take().ok_or("a pipe to the client")?.write_all(statements.as_bytes());
    let output = child.wait_with_output()?;
    if !output.status.success() {
        return Err(format!("the client failed: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    sent?;
    Ok(String::from_utf8(output.stdout)?.lines().map(str::to_owned).collect())
}

/// Returns statements that create the table of words in a new schema. The schema is dropped with
/// the server.
fn create_table_sql(words: &[Option<String>]) -> String {
    let row = |(id, word): (usize, &Option<String>)| match word {
        Some(word) => format!("({id},'{word}')"),
        None => format!("({id},NULL)"),
    };
    let rows: Vec<String> = words.iter().enumerate().map(row).collect();
    format!(
        "CREATE DATABASE bindings_datafusion CHARACTER SET utf8mb4; USE bindings_datafusion;\n\
         CREATE TABLE words (id INT PRIMARY KEY, word VARCHAR(40) CHARACTER SET utf8mb4);\n\
         INSERT INTO words VALUES {};\n",
        rows.join(",")
    )
}

#[test]
fn order_and_groups_match_the_server() -> Outcome {
    let texts = words(5_000);
    let words = WordTable::load(&texts)?;
    query_server(&create_table_sql(&texts))?;
    for name in COLLATIONS {
        let collation = Collation::by_name(Flavour::MariaDb, name)?;
        for direction in ["ASC", "DESC"] {
            let ids = query_server(&format!(
                "SELECT id FROM bindings_datafusion.words ORDER BY word COLLATE {name} {direction}, id"
            ))?;
            let ids: Vec<i64> = ids.iter().map(|id| id.parse()).collect::<Result<_, _>>()?;
            assert_eq!(words.order(collation, direction)?, ids, "{name} {direction}");
        }
        let groups = query_server(&format!(
            "SET group_concat_max_len = 1 << 24; \
             SELECT GROUP_CONCAT(id ORDER BY id) FROM bindings_datafusion.words GROUP BY word COLLATE {name}"
        ))?;
        let ids = |line: &String| line.split(',').map(|id| id.parse::<i64>()).collect::<Result<Vec<_>, _>>();
        let groups = groups.iter().map(ids).collect::<Result<BTreeSet<_>, _>>()?;
        assert!(groups.len() < texts.len(), "some are equal under {name}");
        assert_eq!(words.groups(collation)?, groups, "{name}");
    }
    Ok(())
}
