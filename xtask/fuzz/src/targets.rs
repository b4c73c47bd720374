//! The readers, and their seeds.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use anyhow::Result;
use files::{Access, HeldFolder};
use sql::{SqlMode, StatementReader};

/// A reader and the inputs that are damaged for it.
pub struct Target {
    pub name: &'static str,
    pub read: fn(&[u8]),
    pub seeds: fn() -> Result<Vec<Vec<u8>>>,
}

pub const TARGETS: [Target; 11] = [
    Target { name: "sql", read: read_sql, seeds: sql_seeds },
    Target { name: "dump", read: read_dump, seeds: sql_seeds },
    Target { name: "logs", read: read_logs, seeds: || files("formats/querylog/tests/fixtures", "log") },
    Target { name: "workload-sql", read: read_workload_sql, seeds: sql_seeds },
    Target {
        name: "rows",
        read: read_rows,
        seeds: || Ok(texts(&["id:int,s,x:hex,l:int[]\n1,a,FF,[1]\n2,\\N,00,\"[1, 2]\"\n", "id,s\n1,\"a\"\"b\"\n"])),
    },
    Target { name: "parquet", read: read_parquet, seeds: || files("formats/parquetfile/tests/fixtures", "parquet") },
    Target { name: "run", read: read_run, seeds: || files("present/report/tests/fixtures", "run.json") },
    Target { name: "counts", read: read_counts, seeds: || files("present/report/tests/fixtures/count", "json") },
    Target { name: "perf-script", read: read_perf_script, seeds: || Ok(texts(&[PERF_SCRIPT])) },
    Target { name: "recipe", read: read_recipe, seeds: || files("present/recipe/recipes", "toml") },
    Target { name: "sysbench-log", read: read_sysbench_log, seeds: || files("present/import/tests/logs", "") },
];

const PERF_SCRIPT: &str = "\
ld-linux-x86-64     0/0         0.000000: PERF_RECORD_MMAP2 174/174: [0x7f92aecc9000(0xaee000) @ 0x6c9000 fe:00 10275424 0]: r-xp /usr/sbin/mariadbd
ld-linux-x86-64     0/0         0.000000: PERF_RECORD_COMM: mariadbd:174/174
one_connection 174/176 12119.162571: 
\t          a309a6 DsMrr_impl::dsmrr_next+0x16 (/nowhere/mariadbd)
\t          7c9d0d [unknown] (/nowhere/mariadbd)
\tffffffff81a0 do_syscall_64+0x5 ([kernel.kallsyms])

my sqld 177 [001] 12119.163216123:    2004008 cpu-clock:u: 
\t7f00 operator()(int) (inlined) (/nowhere/a b)
";

/// Folder for readers of files.
static FOLDER: LazyLock<tempfile::TempDir> =
    LazyLock::new(|| tempfile::tempdir().expect("a temporary folder can be made"));

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Reads the files of up to 64 KiB below a folder whose names end with `ending`.
fn files(folder: &str, ending: &str) -> Result<Vec<Vec<u8>>> {
    let (mut found, mut folders) = (Vec::new(), vec![root().join(folder)]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.to_string_lossy().ends_with(ending) {
                found.push(fs::read(&path)?);
            }
        }
    }
    // Longer files are left out, not cut: Parquet files end with their metadata.
    found.retain(|file| file.len() <= 64 << 10);
    found.sort();
    anyhow::ensure!(!found.is_empty(), "{folder} has no file that ends with {ending}");
    Ok(found)
}

fn texts(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

fn sql_seeds() -> Result<Vec<Vec<u8>>> {
    let own = texts(&[
        "CREATE TABLE `t` (\n  `id` int NOT NULL,\n  `s` varchar(9) COLLATE utf8mb4_bin DEFAULT 'x' COMMENT 'it''s, (',\n  PRIMARY KEY (`id`),\n  KEY `k` (`s`(5))\n) ENGINE=InnoDB\n\
         /*!50100 PARTITION BY HASH (`id`)\nPARTITIONS 4 */;\nINSERT INTO `t` VALUES (1,'a\\'b'),(2,NULL),(3,0x41);\n",
        "DELIMITER ;;\n/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER `x` BEFORE INSERT ON `t` FOR EACH ROW BEGIN\n  -- it's\n  SET NEW.id = 1;\nEND */;;\nDELIMITER ;\n",
        "WITH x (n) AS (SELECT 1 FROM t) SELECT a.id, COUNT(*) FROM t a JOIN (u b, v) USING (id) WHERE a.s IN ('x', \"y\") AND b.n BETWEEN -1 AND 2.5 ORDER BY 1 LIMIT 10;",
        "INSERT INTO t (a, b) VALUES (1, X'41'), (2, 'b') ON DUPLICATE KEY UPDATE a = VALUES(a);\nDELETE t, u.* FROM t JOIN u ON t.a = u.a;\nUPDATE t SET a = TRIM(BOTH 'x' FROM b);",
        "CREATE ALGORITHM=UNDEFINED DEFINER=`a`@`b` SQL SECURITY DEFINER VIEW `v` AS select `t`.`id` AS `id` from `t`;",
    ]);
    Ok([own, files("advise/audit/tests/fixtures", "sql")?].concat())
}

const MODES: [SqlMode; 2] = [
    SqlMode { ansi_quotes: false, no_backslash_escapes: false },
    SqlMode { ansi_quotes: true, no_backslash_escapes: true },
];

fn read_sql(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    for mode in MODES {
        let tokens = sql::tokenize_uncommented(&text, mode);
        sql::find_tables(&tokens);
        let _ = sql::readings(&text, mode);
        sql::extract_template(&text, mode);
        sql::split_statements(&text, mode).for_each(drop);
        sql::keep_local(&text, mode);
    }
    sql::remove_definer(&text);
    for definition in sql::ddl::split_definitions(&text) {
        sql::ddl::with_collation(definition, "utf8mb4", "utf8mb4_bin", None);
        sql::ddl::parse_members(definition);
    }
}

fn read_dump(input: &[u8]) {
    let mut statements = StatementReader::with_limit(input, SqlMode::default(), 16 << 10);
    let mut streamed = 0;
    while let Ok(Some(statement)) = statements.read() {
        streamed += 1;
        sql::InsertTuples::new(statement).take(10_000).for_each(drop);
    }
    if let Ok(text) = std::str::from_utf8(input).map_err(drop)
        && input.len() < 16 << 10
    {
        assert_eq!(streamed, sql::split_statements(text, SqlMode::default()).count(), "a stream is split as a text is");
    }
}

fn read_logs(input: &[u8]) {
    querylog::SlowLog::new(input).for_each(drop);
    querylog::GeneralLog::new(input).for_each(drop);
    querylog::Script::new(input, SqlMode::default()).for_each(drop);
}

fn read_workload_sql(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    workload_folder::SchemaSql::parse(&text);
    for mode in MODES {
        let _ = workload_folder::check_scope(&text, mode, &HashSet::new());
        let tokens = sql::tokenize_uncommented(&text, mode);
        let _ = workload_folder::statement_effect(&tokens);
    }
}

/// Writes an input to a file; returns its path.
fn write(name: &str, input: &[u8]) -> PathBuf {
    let path = FOLDER.path().join(name);
    fs::create_dir_all(path.parent().unwrap_or(&path)).expect("a folder can be made");
    fs::write(&path, input).expect("a file can be written");
    path
}

fn read_rows(input: &[u8]) {
    write("workload/workload.toml", b"format = 1\n");
    write("workload/schema.sql", b"CREATE TABLE t (id int, s text, x blob, l int);\n");
    write("workload/statements/s.sql", b"SELECT id FROM t WHERE id = :id\n");
    write("workload/statements/s.csv", input);
    write("workload/rows/t.csv", input);
    workload_folder::check(&FOLDER.path().join("workload"));
}

fn read_parquet(input: &[u8]) {
    let Ok(table) = parquetfile::Table::from_path(&write("t.parquet", input)) else { return };
    let Ok(columns) = table.columns() else { return };
    let names: Vec<_> =
        columns.iter().filter(|column| column.kind.is_some()).map(|column| column.name.clone()).collect();
    let (mut rows, mut row) = (table.rows(names.iter().map(String::as_str)), Vec::new());
    while let Ok(true) = rows.read(&mut row) {}
}

fn read_run(input: &[u8]) {
    let path = write("run/run.json", input);
    write("run/samples.jsonl", input);
    let Ok((run, blocks)) = measure::read_run(path.parent().unwrap_or(&path)) else { return };
    let analysis = measure::analyse(&run, &blocks);
    let report = report::Report::new(run, analysis);
    report::details_text(&report, report::Style::default());
    report::markdown(&report);
    report::json(&report);
    report::csv([&report]);
    report::page(&[("run".to_owned(), report)]);
}

fn read_counts(input: &[u8]) {
    let Ok(results) = serde_json::from_slice::<count::Results>(input) else { return };
    if results.cells.iter().any(|cell| cell.server >= results.servers.len()) {
        return;
    }
    report::count::csv(&results);
    report::count::text(&results, report::Style::default());
    if let Ok(comparison) = count::compare(("a", &results), ("b", &results), 0.01) {
        report::count::changes::text(&comparison, report::Style::default());
    }
}

fn read_perf_script(input: &[u8]) {
    let path = write("perf.txt", input);
    let folder = HeldFolder::create(&FOLDER.path().join("profile"), Access::OwnerOnly);
    let _ = profile::import(&path, 4, &folder.expect("a folder can be created"));
    let _ = fs::remove_dir_all(FOLDER.path().join("profile"));
}

fn read_recipe(input: &[u8]) {
    let path = write("recipe.toml", input);
    let _ = recipe::Recipe::find(&path.to_string_lossy());
}

fn read_sysbench_log(input: &[u8]) {
    import::parse(&String::from_utf8_lossy(input));
}
