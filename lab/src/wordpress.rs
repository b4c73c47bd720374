//! `cargo xtask wordpress`: fills WordPress' schema with 100,000 rows, runs a load with the slow
//! log on, then `weigh capture` and `weigh bench --workload`. The bench must find the planted
//! faults, and no different rows or errors in the other classes. Not a test, because it takes some
//! ten minutes per server.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use mysql::prelude::Queryable;
use progress::Bar;
use rand_xoshiro::Xoshiro256StarStar;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde_json::Value;
use server::{Address, Flavour, Options, Server, open};

use crate::apps;

#[derive(clap::Args)]
pub struct Arguments {
    /// Servers to run on.
    #[arg(long = "server", value_name = "SPEC,…", value_delimiter = ',', default_values = ["mariadb@trixie", "mysql@sid"])]
    servers: Vec<String>,

    /// Time for load per server, as `weigh bench --max-time`.
    #[arg(long, value_name = "TIME", default_value = "8m")]
    max_time: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Planted {
    /// No fault: compares numbers only, and costs the same.
    Numbers,
    /// No fault: compares text, so its cost may differ.
    Text,
    /// Different rows under `utf8mb4_bin`.
    RowsUnderBin,
    /// Different rows under the newest case-insensitive collation.
    RowsUnderNewest,
    /// An index is no longer used, under both collations.
    Index,
    /// Error 1267 under the newest collation. Under `utf8mb4_bin` the statement succeeds, because a
    /// `_bin` collation has precedence.
    Error,
    /// Over 30 % more of the server's CPU time under the newest collation.
    Slower,
}

use Planted::{Error, Index, Numbers, RowsUnderBin, RowsUnderNewest, Slower, Text};

/// A statement class: a text that only its statements contain, its number of calls, the planted
/// fault, and a function from a random number to a statement of the class.
type Class = (&'static str, u64, Planted, fn(u64) -> String);

const CLASSES: [Class; 18] = [
    ("comment_count FROM", 200, Numbers, |n| {
        format!("SELECT ID, post_author, comment_count FROM wp_posts WHERE ID = {}", n % 30_000 + 1)
    }),
    ("wp_comments WHERE comment_post_ID", 200, Numbers, |n| {
        format!("SELECT comment_ID, user_id FROM wp_comments WHERE comment_post_ID = {}", n % 30_000 + 1)
    }),
    ("WHERE post_author", 100, Numbers, |n| {
        format!("SELECT COUNT(*) FROM wp_posts WHERE post_author = {}", n % 5000 + 1)
    }),
    ("wp_postmeta WHERE post_id IN", 100, Numbers, |n| {
        format!("SELECT meta_id, post_id FROM wp_postmeta WHERE post_id IN ({}, {}, {})", n % 30_000, n % 999, n % 77)
    }),
    ("WHERE term_taxonomy_id", 100, Numbers, |n| {
        format!("SELECT object_id FROM wp_term_relationships WHERE term_taxonomy_id = {}", n % 3000 + 1)
    }),
    ("WHERE post_parent", 100, Numbers, |n| {
        format!("SELECT MAX(ID), MIN(ID) FROM wp_posts WHERE post_parent = {}", n % 500)
    }),
    ("FROM wp_options", 300, Text, |n| {
        format!("SELECT option_value FROM wp_options WHERE option_name = 'option_{}' LIMIT 1", n % 500)
    }),
    ("UPDATE wp_options", 50, Text, |n| {
        format!("UPDATE wp_options SET option_value = 'value {n}' WHERE option_name = 'option_{}'", n % 500)
    }),
    ("WHERE user_email", 100, Text, |n| {
        format!("SELECT ID, display_name FROM wp_users WHERE user_email = 'anna{}@example.net'", n % 5000)
    }),
    ("WHERE post_name", 200, Text, |n| {
        format!("SELECT ID FROM wp_posts WHERE post_name = 'title-{}' AND post_type = 'page'", n % 30_000)
    }),
    ("WHERE meta_key", 100, Text, |n| {
        format!("SELECT meta_value FROM wp_postmeta WHERE meta_key = '_edit_{}' AND post_id = {}", n % 9, n % 30_000)
    }),
    ("WHERE user_login", 50, RowsUnderBin, |n| {
        format!("SELECT ID FROM wp_users WHERE user_login = 'ANNA{}'", n % 5000)
    }),
    ("WHERE name", 50, RowsUnderBin, |n| {
        format!("SELECT term_id FROM wp_terms WHERE name = 'Cafe {}'", n % 3000 / 8 * 8)
    }),
    ("WHERE post_title", 10, RowsUnderNewest, |n| {
        format!("SELECT ID FROM wp_posts WHERE post_title = 'Strasse {}' ORDER BY ID", n % 30_000 / 8 * 8 + 1)
    }),
    ("WHERE comment_author_email", 50, RowsUnderNewest, |n| {
        format!("SELECT comment_ID FROM wp_comments WHERE comment_author_email = 'bob{}@example.net '", n % 20_000)
    }),
    ("WHERE user_nicename", 50, Index, |n| {
        format!(
            "SELECT ID, user_url FROM wp_users WHERE user_nicename = 'anna-{}' COLLATE utf8mb4_general_ci",
            n % 5000
        )
    }),
    ("JOIN wp_shop_prices", 50, Error, |n| {
        format!("SELECT i.id FROM wp_shop_items i JOIN wp_shop_prices p ON p.slug = i.slug WHERE i.id = {}", n % 500)
    }),
    ("WHERE meta_value", 10, Slower, |n| {
        format!("SELECT COUNT(*) FROM wp_postmeta WHERE meta_value = '{}{n}'", LONG.repeat(4))
    }),
];

/// Common prefix of many rows.
const LONG: &str = "Съешь ещё этих мягких французских булок, да выпей чаю. ";

/// Tables of a plugin. One column has the collation of its table; the other has a collation in its
/// definition, so only the first is converted.
const PLUGIN: &str = "CREATE TABLE wp_shop_items (id INT PRIMARY KEY, slug VARCHAR(80)) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci;
CREATE TABLE wp_shop_prices (id INT PRIMARY KEY, slug VARCHAR(80) COLLATE utf8mb4_unicode_520_ci, KEY (slug)) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci";

/// A table, its columns, its number of rows, and a function from a row's number to its values.
type TableRows = (&'static str, &'static str, u64, fn(u64) -> String);

const ROWS: [TableRows; 10] = [
    ("wp_users", "user_login, user_nicename, user_email, display_name", 5000, |n| {
        format!("'anna{n}', 'anna-{n}', 'anna{n}@example.net', '{} {n}'", word(n))
    }),
    (
        "wp_posts",
        "post_author, post_title, post_name, post_type, post_parent, post_content, post_excerpt, to_ping, pinged, post_content_filtered",
        30_000,
        |n| {
            let kind = ["post", "page", "revision"][n as usize % 3];
            format!(
                "{}, '{} {n}', 'title-{n}', '{kind}', {}, '{} {n}', '', '', '', ''",
                n % 5000 + 1,
                word(n),
                n % 500,
                LONG.replace('ё', word(n))
            )
        },
    ),
    ("wp_postmeta", "post_id, meta_key, meta_value", 34_000, |n| {
        format!("{}, '_edit_{}', '{}{n}'", n % 30_000 + 1, n % 9, LONG.repeat(4))
    }),
    ("wp_comments", "comment_post_ID, comment_author, comment_author_email, comment_content, user_id", 20_000, |n| {
        format!("{}, '{} {n}', 'bob{n}@example.net', '{} {n}', {}", n % 30_000 + 1, word(n), word(n + 3), n % 5000)
    }),
    ("wp_terms", "name, slug", 3000, |n| format!("'{} {n}', 'term-{n}'", if n % 8 == 0 { "Café" } else { word(n) })),
    ("wp_term_taxonomy", "term_id, taxonomy, description", 3000, |n| format!("{}, 'category', ''", n + 1)),
    ("wp_term_relationships", "object_id, term_taxonomy_id", 3000, |n| format!("{}, {}", n * 7 + 1, n % 3000 + 1)),
    ("wp_options", "option_name, option_value", 500, |n| format!("'option_{n}', 'value {n}'")),
    ("wp_shop_items", "id, slug", 750, |n| format!("{n}, 'item-{n}'")),
    ("wp_shop_prices", "id, slug", 750, |n| format!("{n}, 'item-{n}'")),
];

fn word(n: u64) -> &'static str {
    ["Müller", "Straße", "Иванова", "Παπάς", "東京", "שלום", "नमस्ते", "Zoë"][n as usize % 8]
}

/// Returns `true` if the findings on each server are the planted faults.
pub fn run(arguments: &Arguments) -> Result<bool> {
    let weigh = crate::build_weigh()?;
    let mut is_right = true;
    for name in &arguments.servers {
        let scratch = tempfile::tempdir()?;
        let folder = scratch.path().join("wp");
        let server = open(
            &name.parse()?,
            &Options { buffer_pool: Some(256 << 20), ..Options::default() },
            &Bar::with_steps_printed(),
        )?;
        let newest = match server.flavour() {
            Flavour::MySql => "utf8mb4_0900_ai_ci",
            Flavour::MariaDb => "utf8mb4_uca1400_nopad_ai_ci",
        };
        let log = run_load(&server, scratch.path()).with_context(|| format!("the load on {name}"))?;
        let Address::Socket(socket) = &server.endpoint().address else { unreachable!("private servers have a socket") };
        let mut capture = Command::new(&weigh);
        capture.args(["capture", "--no-defaults", "--user=root", "--schema=wordpress", "--rows=50000", "--socket"]);
        capture.arg(socket).arg("--slow-log").arg(log).arg("--out").arg(&folder);
        println!("{}", apps::capture_output(capture)?);
        server.stop()?;
        let mut bench = Command::new(&weigh);
        bench.args(["bench", "--format=json", "--classes=40", "--max-time", &arguments.max_time, "--server", name]);
        bench.arg("--workload").arg(&folder).arg("--out").arg(scratch.path().join("run"));
        bench.args(["--collation", &format!("as-is,utf8mb4_bin,{newest}")]);
        let document: Value = serde_json::from_str(&apps::capture_output(bench)?)?;
        is_right &= judge(name, &document, newest)?;
    }
    Ok(is_right)
}

/// Fills the schema, sends the load, and returns the path of the slow log.
fn run_load(server: &Server, scratch: &Path) -> Result<std::path::PathBuf> {
    let mut conn = server.connect()?;
    conn.query_drop("SET NAMES utf8mb4")?;
    conn.query_drop("CREATE DATABASE wordpress CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci")?;
    conn.query_drop("USE wordpress")?;
    conn.query_drop("SET SESSION sql_mode = ''")?;
    let schema = apps::fetch_schema("wordpress", scratch)?.replace("utf8mb4_unicode_ci", "utf8mb4_general_ci");
    for statement in schema.split(";\n").chain(PLUGIN.split(";\n")).filter(|one| !one.trim().is_empty()) {
        conn.query_drop(statement)?;
    }
    for (table, columns, count, row) in ROWS {
        for first in (0..count).step_by(500) {
            let rows: Vec<String> = (first..count.min(first + 500)).map(|n| format!("({})", row(n))).collect();
            conn.query_drop(format!("INSERT INTO {table} ({columns}) VALUES {}", rows.join(", ")))?;
        }
        conn.query_drop(format!("ANALYZE TABLE {table}"))?;
    }
    conn.query_drop("SET GLOBAL slow_query_log = ON")?;
    conn.query_drop("SET GLOBAL long_query_time = 0")?;
    // A connection takes its logging settings from the global ones when it begins.
    let mut conn = server.connect()?;
    conn.query_drop("SET NAMES utf8mb4")?;
    conn.query_drop("USE wordpress")?;
    let mut random = Xoshiro256StarStar::seed_from_u64(1);
    for (_, count, _, statement) in CLASSES {
        for _ in 0..count {
            conn.query_drop(statement(random.next_u64() >> 20))?;
        }
    }
    conn.query_drop("SET SESSION long_query_time = 10")?;
    conn.query_drop("SET GLOBAL long_query_time = 10")?;
    let (log, data): (String, String) =
        conn.query_first("SELECT @@slow_query_log_file, @@datadir")?.context("no row")?;
    Ok(Path::new(&data).join(log))
}

/// Prints the findings of each class under each collation, and returns `true` if they are the
/// planted faults.
fn judge(server: &str, document: &Value, newest: &str) -> Result<bool> {
    println!("{server}");
    for headline in list(&document["headlines"]) {
        println!("  {}", headline.as_str().unwrap_or_default());
    }
    let mut is_right = true;
    for (marker, _, planted, _) in CLASSES {
        for side in ["utf8mb4_bin", newest] {
            let findings = read_findings(document, marker, side)?;
            let is_wrong = match planted {
                Numbers | Text => {
                    findings.rows_differ || findings.errors_differ || planted == Numbers && findings.cost.is_some()
                }
                RowsUnderBin => findings.rows_differ != (side == "utf8mb4_bin"),
                RowsUnderNewest => findings.rows_differ != (side == newest),
                Index => !findings.loses_index,
                Error => findings.errors_differ != (side == newest),
                Slower => findings.rows_differ || side == newest && !findings.cost.is_some_and(|cpu| cpu > 1.3),
            };
            println!(
                "  {:9} {planted:?}: {marker}, {side}: {findings:?}",
                if is_wrong { "NOT RIGHT" } else { "right" }
            );
            is_right &= !is_wrong;
        }
    }
    Ok(is_right)
}

fn list(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

#[derive(Debug)]
struct Findings {
    rows_differ: bool,
    loses_index: bool,
    errors_differ: bool,
    /// Server CPU time divided by the baseline's, if the report calls it a difference.
    cost: Option<f64>,
}

fn read_findings(document: &Value, marker: &str, side: &str) -> Result<Findings> {
    let recording = &document["run"]["recording"];
    let findings: Vec<Value> = list(&recording["parity"])
        .iter()
        .flat_map(|parity| list(&parity["findings"]))
        .filter(|finding| finding["side"] == side && finding["text"].as_str().is_some_and(|text| text.contains(marker)))
        .collect();
    let differs = |what: &[&str]| {
        let differences = findings.iter().flat_map(|finding| list(&finding["differences"]));
        differences.into_iter().any(|one| what.iter().any(|what| one["what"] == *what))
    };
    let is_lost =
        |change: &Value| change["what"] == "index" && !change["control"].is_null() && change["treatment"].is_null();
    let loses_index = findings.iter().flat_map(|finding| list(&finding["plan"])).any(|change| is_lost(&change));
    let classes = list(&recording["classes"]);
    let class = classes.iter().find(|class| class["text"].as_str().is_some_and(|text| text.contains(marker)));
    let conditions = list(&document["run"]["conditions"]);
    let variants = list(&document["run"]["variants"]);
    let mut cost = None;
    if let Some(name) = class.and_then(|class| class["name"].as_str()) {
        let workload = format!("{}:{name}", recording["name"].as_str().context("a name")?);
        let at = conditions.iter().position(|condition| condition["workload"] == workload).context("a condition")?;
        for comparison in list(&document["analysis"]["conditions"][at]["comparisons"]) {
            let variant = comparison["variant"].as_u64().context("a variant")?;
            let is_this = comparison["kind"] == "collation" && variants[usize::try_from(variant)?]["collation"] == side;
            if is_this && (comparison["cpu_verdict"]["is"] == "more" || comparison["cpu_verdict"]["is"] == "less") {
                cost = comparison["server_cpu"]["value"].as_f64();
            }
        }
    }
    Ok(Findings {
        rows_differ: differs(&["rows", "order", "affected"]),
        loses_index,
        errors_differ: differs(&["error", "errors"]),
        cost,
    })
}
