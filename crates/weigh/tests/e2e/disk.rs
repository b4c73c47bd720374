//! Disks that are full. They are small file systems in memory, seen by nobody but the `weigh` that they are made for.

use std::path::Path;
use std::process::Command;

use crate::place::{Done, ENDLESS, ENDLESS_LOADING, Place, SMALL};

/// How a command gets a view of file systems of its own: as a user who is root there only, else as root.
fn own_view() -> Command {
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

/// Runs a benchmark with a disk of a size mounted on a folder. The script may use `$bench` (a function) and `$disk`.
fn with_disk(place: &Place, disk: &Path, size: &str, script: &str, bench: &Command) -> Done {
    let mut shell = own_view();
    let prelude = r#"set -u; size=$1 disk=$2; shift 2; mount -t tmpfs -o "size=$size" weigh-test "$disk"; "#;
    shell
        .args(["sh", "-c", &format!("{prelude}{script}"), "sh", size])
        .arg(disk)
        .arg(bench.get_program())
        .args(bench.get_args());
    place.set_up(&mut shell);
    place.end(shell.spawn().unwrap())
}

#[test]
fn a_private_instance_needs_room() {
    let place = Place::new();
    let done = with_disk(&place, &place.tmp(), "100m", r#"exec "$@""#, &place.bench(&SMALL, &[]));
    done.refuses_with(&["private instance", "MiB", "TMPDIR", place.tmp().to_str().unwrap()]);
    assert!(!place.out().exists());
}

#[test]
fn the_disk_of_a_private_instance_fills_up_while_rows_are_loaded() {
    let place = Place::new();
    // Somebody else's file takes what the server still needs.
    let script = r#"
        "$@" & bench=$!
        until ls "$disk"/weigh-*/data/weigh_*/sbtest1.ibd >/dev/null 2>&1; do sleep 0.05; done
        cat /dev/zero >"$disk/ballast" 2>/dev/null
        wait $bench; status=$?
        rm "$disk/ballast"; ls -A "$disk" >&2
        exit $status"#;
    let done = with_disk(&place, &place.tmp(), "600m", script, &place.bench(&ENDLESS_LOADING, &[]));
    done.refuses_with(&["mariadb", "full"]);
    assert!(!place.out().exists());
}

#[test]
fn the_disk_of_the_results_fills_up() {
    let place = Place::new();
    std::fs::create_dir(place.out()).unwrap();
    // What lies there is looked at while it is mounted, by copying it out.
    let kept = place.root().join("kept");
    let script = format!(r#""$@"; status=$?; cp -r "$disk" '{}'; exit $status"#, kept.display());
    let done = with_disk(&place, &place.out(), "48k", &script, &place.bench(&ENDLESS, &["-c", "utf8mb4_bin"]));
    assert_eq!(done.code, Some(2), "{done}");
    assert!(done.stderr.contains("samples.jsonl") && done.stderr.contains("No space left"), "{done}");
    assert!(done.stdout.contains("oltp_read_only"), "what was measured is printed: {done}");
    let (_, blocks) = measure::read(&kept).unwrap();
    assert!(blocks.iter().any(|block| !block.warm_up));
}
