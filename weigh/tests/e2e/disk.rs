//! Full disks: small tmpfs file systems in a mount namespace of weigh's.

use std::path::Path;
use std::process::Command;

use crate::workspace::{ENDLESS, ENDLESS_LOADING, Finished, SMALL, Workspace};

/// Returns a command that runs another in a mount namespace: in a user namespace if allowed, else
/// as root.
fn mount_namespace() -> Command {
    for words in [&["--user", "--map-root-user", "--mount"][..], &["--mount"]] {
        let mut try_it = Command::new("unshare");
        if try_it
            .args(words)
            .args(["mount", "-t", "tmpfs", "none", "/mnt"])
            .output()
            .is_ok_and(|output| output.status.success())
        {
            let mut unshare = Command::new("unshare");
            unshare.args(words);
            return unshare;
        }
    }
    panic!(
        "this test mounts a small file system to fill it, and this machine allows that neither in a user namespace (see user_namespaces(7)) nor as root"
    );
}

/// Runs a benchmark with a disk of a size mounted on a folder. The script runs the benchmark
/// by `"$@"`, and finds the folder in `$disk`.
fn with_disk(workspace: &Workspace, disk: &Path, size: &str, script: &str, bench: &Command) -> Finished {
    let mut shell = mount_namespace();
    let prelude = r#"set -u; size=$1 disk=$2; shift 2; mount -t tmpfs -o "size=$size" weigh-test "$disk"; "#;
    shell
        .args(["sh", "-c", &format!("{prelude}{script}"), "sh", size])
        .arg(disk)
        .arg(bench.get_program())
        .args(bench.get_args());
    workspace.set_up(&mut shell);
    workspace.wait_for_end(shell.spawn().unwrap())
}

#[test]
fn private_instances_need_space() {
    let workspace = Workspace::new();
    let finished = with_disk(&workspace, &workspace.tmp(), "100m", r#"exec "$@""#, &workspace.bench(&SMALL, &[]));
    finished.refuses_with(&["private instance", "MiB", "TMPDIR", workspace.tmp().to_str().unwrap()]);
    assert!(!workspace.out().exists());
}

#[test]
fn disk_fills_up_while_loading() {
    let workspace = Workspace::new();
    // Another file takes the space that the server still needs.
    let script = r#"
        "$@" & bench=$!
        until ls "$disk"/weigh-*/data/weigh_*/sbtest1.ibd >/dev/null 2>&1 || [ ! -e /proc/$bench/exe ]; do sleep 0.05; done
        cat /dev/zero >"$disk/ballast" 2>/dev/null
        wait $bench; status=$?
        rm "$disk/ballast"; ls -A "$disk" >&2
        exit $status"#;
    let finished = with_disk(&workspace, &workspace.tmp(), "600m", script, &workspace.bench(&ENDLESS_LOADING, &[]));
    finished.refuses_with(&["mariadb", "full"]);
    assert!(!workspace.out().exists());
}

#[test]
fn results_disk_fills_up() {
    let workspace = Workspace::new();
    std::fs::create_dir(workspace.out()).unwrap();
    // Copied out, because the disk is unmounted with the namespace.
    let copied = workspace.root().join("kept");
    let script = format!(r#""$@"; status=$?; cp -r "$disk" '{}'; exit $status"#, copied.display());
    let finished =
        with_disk(&workspace, &workspace.out(), "48k", &script, &workspace.bench(&ENDLESS, &["-c", "utf8mb4_bin"]));
    assert_eq!(finished.code, Some(2), "{finished}");
    assert!(finished.stderr.contains("samples.jsonl") && finished.stderr.contains("No space left"), "{finished}");
    assert!(finished.stdout.contains("oltp_read_only"), "what was measured is printed: {finished}");
    let (_, blocks) = measure::read_run(&copied).unwrap();
    assert!(blocks.iter().any(|block| !block.warm_up));
}

/// Writes a dump of about 1 MiB.
fn write_dump(workspace: &Workspace) {
    let rows: String = (0..2000).map(|id| format!(",({id},'{}')", "x".repeat(490))).collect();
    let dump = format!(
        "CREATE TABLE `t` (`id` int, `s` varchar(500) COLLATE utf8mb4_general_ci, PRIMARY KEY (`id`), UNIQUE (`s`(9))) ENGINE=InnoDB;\n\
         INSERT INTO `t` VALUES {};\n",
        &rows[1..]
    );
    std::fs::write(workspace.root().join("d.sql"), dump).unwrap();
}

/// What cannot be written is said in one sentence, and no half of it stays.
#[test]
fn files_without_space_or_right_to_write() {
    let workspace = Workspace::new();
    write_dump(&workspace);
    std::fs::write(workspace.root().join("lines"), "b\na\n".repeat(100_000)).unwrap();
    let disk = workspace.root().join("disk");
    std::fs::create_dir(&disk).unwrap();
    let preflight = ["preflight", "--dump=d.sql", "--flavour=mariadb", "--to=utf8mb4_unicode_ci"];
    let commands: [Vec<&str>; 4] = [
        vec!["capture", "--dump=d.sql", "--schema=d", "--rows=100000", "--out=disk/w"],
        [&preflight[..], &["--plan=disk/plan.sql"]].concat(),
        vec!["workload", "create", "disk/w"],
        vec!["bench", "--quick", "--server=mariadb", "--out=disk/run"],
    ];
    let keeps_status =
        r#""$@"; status=$?; rm -f "$disk/ballast" 2>/dev/null; find "$disk" -mindepth 1 >&2; exit $status"#;
    for (size, prepare, reason) in [
        ("64k", r#"cat /dev/zero >"$disk/ballast" 2>/dev/null; "#, "No space left on device"),
        ("64k", r#"mount -o remount,ro "$disk"; "#, "Read-only file system"),
    ] {
        for words in &commands {
            let command = workspace.weigh(words);
            let finished = with_disk(&workspace, &disk, size, &format!("{prepare}{keeps_status}"), &command);
            let message = finished.refusal();
            assert!(message.contains(reason) && !message.contains("os error"), "{words:?}: {message}");
            assert!(
                message.contains("disk/") && message.lines().count() == 1 && !message.contains(".weigh-"),
                "{words:?}: {message}"
            );
        }
    }
}

/// A run whose folder is removed ends with a message.
#[test]
fn folder_is_removed_during_a_run() {
    let workspace = Workspace::new();
    let mut child = workspace.bench(&ENDLESS, &["-c", "utf8mb4_bin"]).spawn().unwrap();
    workspace.wait_for_blocks(&mut child);
    // A second run does not mix with the first.
    workspace
        .bench(&SMALL, &[])
        .output()
        .map(Finished::from_output)
        .unwrap()
        .refuses_with(&["already holds a run", "--out"]);
    std::fs::remove_dir_all(workspace.out()).unwrap();
    let finished = workspace.wait_for_end(child);
    assert_eq!(finished.code, Some(2), "{finished}");
    assert!(finished.stderr.contains("removed during the run"), "{finished}");
}

/// A stranger's folder may hold pipes without a writer.
#[test]
fn pipes_in_folders_are_not_waited_for() {
    let workspace = Workspace::new();
    crate::folder::shop(&workspace);
    let run = workspace.root().join("run");
    std::fs::create_dir(&run).unwrap();
    for path in ["run/run.json", "shop/rows/pipe.csv", "shop/statements/pipe.sql"] {
        assert!(Command::new("mkfifo").arg(workspace.root().join(path)).status().unwrap().success());
    }
    for (words, code) in
        [(&["workload", "check", "shop"][..], 1), (&["report", "run"], 2), (&["compare", "run", "run"], 2)]
    {
        let finished = workspace.wait_for_end(workspace.weigh(words).spawn().unwrap());
        assert_eq!(finished.code, Some(code), "{words:?}: {finished}");
        assert!(format!("{finished}").contains("not a regular file"), "{words:?}: {finished}");
    }
}
