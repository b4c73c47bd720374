//! `--driver sysbench`: with the real sysbench, and with none installed.

use std::fs;

use fetch::Tool;
use measure::Driver;
use server::NoProgress;

use crate::workspace::{Finished, SMALL, Workspace};

#[test]
fn reports_missing_sysbench() {
    let workspace = Workspace::new();
    let mut command = workspace.bench(&SMALL, &["--driver=sysbench", "-w", "oltp_point_select", "-c", "utf8mb4_bin"]);
    let nowhere = [("PATH", "/nonexistent"), ("WEIGH_CACHE", "/nonexistent")];
    let finished = workspace.wait_for_end(command.envs(nowhere).spawn().unwrap());
    finished.refuses_with(&["sysbench", "install it", "--driver sysbench"]);
    assert!(!workspace.out().exists());
}

#[test]
fn measures_with_sysbench() {
    Tool::Sysbench.find_or_install(&NoProgress).unwrap();
    let words = [
        "--driver=sysbench",
        "-w",
        "oltp_read_only",
        "-c",
        "utf8mb4_general_ci",
        "--block=1s",
        "--replicates=1",
        "--max-time=60s",
    ];
    let measured = Workspace::new().measured(&words);
    measured.assert_complete();
    assert_eq!(measured.run.options.driver, Driver::Sysbench);
    assert!(measured.blocks.iter().flat_map(|block| &block.sides).all(|side| side.rows.is_none() && side.queries > 0));
}

/// A script in its users' style: options, tables, one statement.
const SCRIPT: &str = r#"
sysbench.cmdline.options = { rows = { "Rows of the table", 50 } }

function prepare()
   local con = sysbench.sql.driver():connect()
   con:query("CREATE TABLE words (id INT PRIMARY KEY, word VARCHAR(40)COLLATION, KEY (word))")
   con:bulk_insert_init("INSERT INTO words VALUES")
   for id = 1, sysbench.opt.rows do
      con:bulk_insert_next(string.format("(%d, 'word %d')", id, id % 50))
   end
   con:bulk_insert_done()
end

function thread_init()
   con = sysbench.sql.driver():connect()
end

function event()
   print("more than a pipe holds, over all events")
   con:query("SELECT COUNT(*) FROM words WHERE word = 'Word " .. sysbench.rand.uniform(1, 50) .. "'")
end
"#;

fn run_script(workspace: &Workspace, script: &str, words: &[&str]) -> Finished {
    Tool::Sysbench.find_or_install(&NoProgress).unwrap();
    fs::write(workspace.root().join("own.lua"), script).unwrap();
    let fixed = ["--driver=sysbench", "--script=own.lua", "--server=mariadb"];
    let size = [&SMALL[1..], &["--block=1s", "--replicates=1", "--max-time=120s"]].concat();
    let sides = ["--baseline=utf8mb4_bin", "-c", "utf8mb4_bin,utf8mb4_general_ci"];
    workspace.wait_for_end(workspace.bench(&size, &[&fixed[..], &sides, words].concat()).spawn().unwrap())
}

#[test]
fn measures_a_custom_script() {
    let workspace = Workspace::new();
    let finished = run_script(&workspace, &SCRIPT.replace("COLLATION", ""), &["--script-option=rows=300"]);
    assert_eq!(finished.code, Some(0), "{finished}");
    let measured = workspace.read();
    measured.assert_complete();
    let script = measured.run.script.as_ref().unwrap();
    assert_eq!((script.name.as_str(), script.options.as_slice()), ("own", &["rows=300".to_owned()][..]));
    assert_eq!(measured.run.conditions[0].workload, "own");
    for variant in &measured.run.variants {
        let column = &variant.layers.as_ref().unwrap().column;
        assert_eq!(
            column.as_ref().unwrap().collation,
            variant.collation,
            "the script's tables follow the schema's default"
        );
    }
    assert!(finished.stdout.contains("own") && !measured.notes().contains("other rows"), "{finished}");
}

#[test]
fn rejects_unusable_scripts() {
    let workspace = Workspace::new();
    let finished = run_script(&workspace, &SCRIPT.replace("COLLATION", " CHARACTER SET latin1"), &[]);
    finished.refuses_with(&["own.lua prepares no text column with its schema's default collation (words.word latin1_"]);
    let finished = run_script(&workspace, "function event() end\n", &[]);
    finished.refuses_with(&["mariadb: sysbench failed: ", "prepare"]);
    let finished = run_script(&workspace, &SCRIPT.replace("COLLATION", ""), &["--script-option=rws=300"]);
    finished.refuses_with(&["sysbench failed: ", "rws"]);
    assert!(!workspace.out().exists());
}
