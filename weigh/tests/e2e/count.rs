//! `weigh count` and `weigh compare` of counts, on real servers.

use std::fs;
use std::process::Command;

use count::{Comparison, History, Results};

use crate::workspace::{Finished, Workspace, retry};

fn run(workspace: &Workspace, words: &[&str]) -> Finished {
    workspace.wait_for_end(workspace.weigh(words).spawn().unwrap())
}

/// Counts DISTINCT on a server with its functions, into a file.
fn count(workspace: &Workspace, server: &str, file: &str) -> Results {
    let words = ["count", "--functions=distinct_ranges", "--collation=latin1_swedish_ci,utf8mb4_unicode_ci"];
    let server = format!("--server={server}");
    let counted = run(workspace, &[&words[..], &[&server, "--events=10", "--format=json"]].concat());
    assert_eq!(counted.code, Some(0), "{counted}");
    fs::write(workspace.root().join(file), &counted.stdout).unwrap();
    serde_json::from_str(&counted.stdout).unwrap()
}

fn compare(workspace: &Workspace, words: &[&str]) -> Comparison {
    let compared = run(workspace, &[&["compare", "--format=json"], words].concat());
    let value: serde_json::Value = serde_json::from_str(&compared.stdout).unwrap_or_else(|_| panic!("{compared}"));
    let schema = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../schemas/count-compare.schema.json")).unwrap();
    jsonschema::validator_for(&serde_json::from_slice(&schema).unwrap()).unwrap().validate(&value).unwrap();
    let comparison: Comparison = serde_json::from_value(value).unwrap();
    let fails = comparison.changes.iter().any(|change| change.fails);
    assert_eq!(compared.code, Some(i32::from(fails)), "{compared}");
    comparison
}

/// Multiplies one function's instructions, and adds the difference to its cell.
fn plant(results: &mut Results, factor: f64) -> String {
    let cell = &mut results.cells[1];
    let function = &mut cell.functions[0];
    let more = function.instructions * (factor - 1.0);
    function.instructions += more;
    function.by_start.iter_mut().for_each(|one| *one *= factor);
    cell.instructions.iter_mut().for_each(|one| *one += more);
    function.name.clone()
}

#[test]
fn a_server_equals_itself_and_a_planted_change_is_named() {
    retry(|| {
        let workspace = Workspace::new();
        count(&workspace, "mariadb", "one.json");
        let mut later = count(&workspace, "mariadb", "two.json");
        let same = compare(&workspace, &["one.json", "two.json"]);
        assert_eq!((same.compared, same.changes.as_slice()), (2, &[][..]), "the same server counted twice");
        let text = run(&workspace, &["compare", "one.json", "two.json"]);
        assert!(text.code == Some(0) && text.stdout.starts_with("✓ No statement executes more instructions"), "{text}");
        let changed = plant(&mut later, 1.005);
        fs::write(workspace.root().join("planted.json"), serde_json::to_string(&later).unwrap()).unwrap();
        let planted = compare(&workspace, &["one.json", "planted.json"]);
        let [change] = planted.changes.as_slice() else { panic!("{planted:#?}") };
        let names: Vec<&str> = change.functions.iter().map(|function| function.name.as_str()).collect();
        assert_eq!(names, [changed.as_str()], "{change:#?}");
        plant(&mut later, 1.5);
        fs::write(workspace.root().join("slower.json"), serde_json::to_string(&later).unwrap()).unwrap();
        let slower = run(&workspace, &["compare", "one.json", "slower.json", "--fail-above=1%"]);
        assert!(slower.code == Some(1) && slower.stdout.contains(&changed), "{slower}");
        assert!(slower.stdout.starts_with("✗ 1 of 2 statements executes more than 1 % more instructions"), "{slower}");
        assert_eq!(run(&workspace, &["compare", "one.json", "slower.json", "--fail-above=60%"]).code, Some(0));
    });
}

#[test]
fn a_history_names_the_count_that_changed() {
    retry(|| {
        let workspace = Workspace::new();
        let mut results = count(&workspace, "mariadb", "one.json");
        let history = workspace.root().join("history.json");
        run(&workspace, &["compare", "one.json"]).refuses_with(&["one.json has 1 counts; a change needs two"]);
        for (label, factor) in [("a1", 1.0), ("b2", 1.0), ("c3", 1.02), ("d4", 1.0)] {
            plant(&mut results, factor);
            results.label = Some(label.into());
            let mut file = fs::OpenOptions::new().create(true).append(true).open(&history).unwrap();
            serde_json::to_writer_pretty(&mut file, &results).unwrap();
        }
        let compared = run(&workspace, &["compare", "history.json", "--format=json"]);
        assert_eq!(compared.code, Some(0), "the newest count is as the one before: {compared}");
        let value: serde_json::Value = serde_json::from_str(&compared.stdout).unwrap();
        let schema = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../schemas/count-history.schema.json")).unwrap();
        jsonschema::validator_for(&serde_json::from_slice(&schema).unwrap()).unwrap().validate(&value).unwrap();
        let found: History = serde_json::from_value(value).unwrap();
        let [step] = found.steps.as_slice() else { panic!("{found:#?}") };
        assert_eq!((step.count, found.counts[step.count].label.as_deref()), (2, Some("c3")));
        plant(&mut results, 1.5);
        results.label = Some("e5".into());
        let file = fs::OpenOptions::new().append(true).open(&history).unwrap();
        serde_json::to_writer(file, &results).unwrap();
        let worse = run(&workspace, &["compare", "history.json", "--fail-over=1%"]);
        assert!(worse.code == Some(1) && worse.stdout.starts_with("✗ In e5 1 of 2 statements executes"), "{worse}");
        run(&workspace, &["compare", "history.json", "one.json"]).refuses_with(&["a history of 5 counts"]);
    });
}

/// Writes a workload folder with one table and one statement, `shop`.
pub fn write_small_folder(workspace: &Workspace) {
    for (name, text) in [
        ("workload.toml", "format = 1\nname = \"shop\"\n"),
        ("schema.sql", "CREATE TABLE t (a INT NOT NULL);\n"),
        ("rows/t.csv", "a:int\n1\n"),
        ("statements/all.sql", "SELECT a FROM t\n"),
    ] {
        let path = workspace.root().join("shop").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

#[test]
fn a_kept_count_serves_the_same_command_only() {
    let workspace = Workspace::new();
    write_small_folder(&workspace);
    let words = ["count", "--server=mariadb", "-w", "shop/", "-c", "as-is", "--starts=1", "--events=5", "--out=kept"];
    let words = [&words[..], &["--format=json", "--label=one"]].concat();
    let counted = run(&workspace, &words);
    assert_eq!(counted.code, Some(0), "{counted}");
    assert_eq!(run(&workspace, &words).stdout, counted.stdout);
    for word in ["--set=sort_buffer_size=40000", "--label=two"] {
        run(&workspace, &[&words[..], &[word]].concat()).refuses_with(&["mariadb.json has counts with other options"]);
    }
    fs::write(workspace.root().join("shop/statements/all.sql"), "SELECT a + 1 FROM t\n").unwrap();
    run(&workspace, &words).refuses_with(&["mariadb.json has counts with other options or statements"]);
}

#[test]
fn versions_differ_in_named_functions() {
    let workspace = Workspace::new();
    count(&workspace, "mysql@5.7", "old.json");
    count(&workspace, "mysql@sid", "new.json");
    let comparison = compare(&workspace, &["old.json", "new.json"]);
    assert_eq!(comparison.changes.len(), 2, "{comparison:#?}");
    for change in &comparison.changes {
        assert!(change.server.contains(" → ") && !change.functions.is_empty(), "{change:#?}");
    }
}

#[test]
fn counts_that_cannot_be_compared_are_refused() {
    let workspace = Workspace::new();
    fs::write(workspace.root().join("none.json"), "{}").unwrap();
    fs::create_dir(workspace.root().join("empty")).unwrap();
    run(&workspace, &["compare", "none.json", "none.json"])
        .refuses_with(&["none.json is not what weigh count --format json writes"]);
    run(&workspace, &["compare", "none.json", "empty"]).refuses_with(&["empty has no counts"]);
}

/// A table without an index, six times in a join: no server ends this.
#[test]
fn a_statement_that_never_ends_ends_the_count() {
    retry(|| {
        let workspace = Workspace::new();
        let rows: String = (0..100).map(|n| format!("{n}\n")).collect();
        for (name, text) in [
            ("workload.toml", "format = 1\nname = \"slow\"\n"),
            ("schema.sql", "CREATE TABLE t (a INT NOT NULL);\n"),
            ("rows/t.csv", &format!("a:int\n{rows}")),
            (
                "statements/endless.sql",
                "SELECT COUNT(*) FROM t a, t b, t c, t d, t e, t f WHERE a.a + b.a + c.a + d.a + e.a + f.a < 0\n",
            ),
        ] {
            let path = workspace.root().join("slow").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let words = ["count", "--workload=slow/", "--collation=as-is", "--starts=1", "--statement-time=10s"];
        let finished = run(&workspace, &words);
        assert_eq!(finished.code, Some(2), "{finished}");
        assert!(
            finished.stderr.contains("endless under as-is on ") && finished.stderr.contains(" within 10 s"),
            "{finished}"
        );
        assert_eq!(finished.stderr.trim().lines().count(), 1, "{finished}");
    });
}

#[test]
fn without_valgrind_and_a_way_to_install_it_the_reason_is_said() {
    let workspace = Workspace::new();
    let tools = workspace.root().join("bin");
    fs::create_dir(&tools).unwrap();
    let cache = workspace.root().join("cache");
    fs::create_dir(&cache).unwrap();
    std::os::unix::fs::symlink(fetch::Cache::for_user().unwrap().folder("servers"), cache.join("servers")).unwrap();
    let mut command = workspace.weigh(&["count", "--server=mariadb@11.4", "--workload=oltp_point_select"]);
    command.env("PATH", &tools).env("WEIGH_CACHE", &cache);
    let finished = workspace.wait_for_end(command.spawn().unwrap());
    assert_eq!(finished.code, Some(2), "{finished}");
    assert!(finished.stderr.contains("valgrind"), "{finished}");
    assert_eq!(finished.stderr.trim().lines().count(), 1, "{finished}");
}

/// Waits until a count ends, and asserts exit status 2 and its message.
fn ends_with(mut command: Command, workspace: &Workspace, message: &str) -> Finished {
    let finished = workspace.wait_for_end(command.spawn().unwrap());
    assert!(finished.code == Some(2) && finished.stderr.contains(message), "{finished}");
    finished
}

#[test]
fn a_server_that_does_not_start_under_valgrind_is_named() {
    let workspace = Workspace::new();
    // Valgrind has less address space than that. Without valgrind the server starts.
    let words =
        ["count", "--server=mariadb@11.8", "--workload=oltp_point_select", "--set=innodb_buffer_pool_size_max=8T"];
    let finished = ends_with(workspace.weigh(&words), &workspace, "mariadb@11.8 does not start under valgrind: ");
    assert!(finished.stderr.contains("Cannot map innodb_buffer_pool_size_max"), "{finished}");
}

#[test]
fn missing_memory_is_said_in_one_line() {
    let workspace = Workspace::new();
    let count = workspace.weigh(&["count", "--server=mysql@5.6", "--workload=oltp_point_select", "--starts=1"]);
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -v 600000; exec \"$0\" \"$@\""]).arg(count.get_program()).args(count.get_args());
    workspace.set_up(&mut limited);
    let finished = ends_with(limited, &workspace, "mysql@5.6 under valgrind needs more memory than it can have");
    assert_eq!(finished.stderr.trim().lines().count(), 1, "{finished}");
}
