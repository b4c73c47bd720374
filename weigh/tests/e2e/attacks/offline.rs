//! Attacks by files and folders of strangers on commands that need no server.

use std::fs;
use std::os::unix::fs::{lchown, symlink};

use rustix::fs::{CWD, FileType, mknodat};

use super::weigh;
use crate::workspace::Workspace;

/// A link of another account in the path of `--plan`, to a folder of this one.
#[test]
fn plans_go_through_no_link_of_another_user() {
    let workspace = Workspace::new();
    let at = |name: &str| workspace.root().join(name);
    fs::write(at("t.csv"), "id,name\n1,a\n").unwrap();
    fs::create_dir_all(at("target/below")).unwrap();
    symlink("target", at("link")).unwrap();
    let preflight = |file: &str| {
        let words = ["preflight", "--csv=t.csv", "--from=utf8mb4_bin", "--to=utf8mb4_unicode_ci", "--all-columns"];
        weigh(&workspace, &[&words[..], &[&format!("--plan={file}")]].concat())
    };
    let own = preflight("link/below/plan.sql");
    assert!(own.code == Some(0) && at("target/below/plan.sql").exists(), "{own}");
    if lchown(at("link"), Some(61_000), None).is_err() {
        eprintln!("SKIPPED in part: only root changes owners");
        return;
    }
    for file in ["p.sql", "below/p.sql"] {
        preflight(&format!("link/{file}")).refuses_with(&["symbolic link of another user"]);
        assert!(!at("target").join(file).exists(), "{file}");
    }
}

/// Logs and names that would keep `weigh import` busy for hours, or waiting for ever.
#[test]
fn import_gives_up_on_odd_logs() {
    let workspace = Workspace::new();
    let at = |name: &str| workspace.root().join(name);
    let import = |words: &[&str]| {
        let labels = ["--collation=latin1_swedish_ci", "--server=x", "--workload=oltp_read_only"];
        weigh(&workspace, &[&["import", "sysbench"], words, &labels].concat())
    };
    let run = |threads: u32| {
        format!("sysbench 1.0.20\nNumber of threads: {threads}\nread: 1\ntotal: 1\ntransactions: 1\ntotal time: 1s\n")
    };
    fs::write(at("many.log"), (1..=20_000).map(run).collect::<String>()).unwrap();
    mknodat(CWD, at("pipe.log"), FileType::Fifo, 0o600.into(), 0).unwrap();
    let name = format!("./{}x", "-".repeat(200));
    fs::write(at(&name), run(1)).unwrap();
    for (words, reason) in [
        (&["many.log"][..], "at most 10000 conditions, not 20000"),
        (&["pipe.log"], "not a regular file"),
        (&[&name, "--pattern={a}-{b}-{c}-{d}-{e}.log"], "its path does not end in"),
    ] {
        let refused = import(words);
        assert!(refused.code == Some(2) && refused.stderr.contains(reason), "{refused}");
    }
}
