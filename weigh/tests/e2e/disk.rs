//! Full disks: small tmpfs file systems in a mount namespace of weigh's.

use std::path::Path;
use std::process::Command;

use crate::workspace::{ENDLESS, ENDLESS_LOADING, Finished, SMALL, Workspace};

/// Runs a command in a mount namespace: in a user namespace if allowed, else as root.
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

/// Runs a benchmark with a disk of a size mounted on a folder. The script can use `$bench` (a
/// function) and `$disk`.
fn with_disk(workspace: &Workspace, disk: &Path, size: &str, script: &str, bench: &Command) -> Finished {
    let mut shell = mount_namespace();
    let prelude = r#"set -u; size=$1 disk=$2; shift 2; mount -t tmpfs -o "size=$size" weigh-test "$disk"; "#;
    shell
        .args(["sh", "-c", &format!("{prelude}{script}"), "sh", size])
        .arg(disk)
        .arg(bench.get_program())
        .args(bench.get_args());
    workspace.set_up(&mut shell);
    workspace.end(shell.spawn().unwrap())
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
        until ls "$disk"/weigh-*/data/weigh_*/sbtest1.ibd >/dev/null 2>&1; do sleep 0.05; done
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
