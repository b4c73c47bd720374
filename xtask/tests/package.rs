//! The Debian package, installed into an empty root and run there.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

fn run(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().unwrap();
    assert!(status.success(), "{command:?}: {status}\n{}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).unwrap()
}

/// Copies the host's libraries that a dynamically linked program needs.
fn copy_libraries(program: &Path, root: &Path) {
    let listed = run(Command::new("ldd").arg(program));
    for library in listed.split_whitespace().filter(|word| word.starts_with('/')) {
        let to = root.join(library.trim_start_matches('/'));
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(library, to).unwrap();
    }
}

#[test]
fn package_installs_and_runs_in_an_empty_root() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    for folder in ["var/lib/dpkg/info", "var/lib/dpkg/updates"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    fs::write(root.join("var/lib/dpkg/status"), "").unwrap();
    let mut xtask = Command::new(env!("CARGO_BIN_EXE_xtask"));
    let built = run(xtask.args(["package", "--profile=dev", "--out"]).arg(folder.path()));
    let built = built.lines().last().unwrap();
    let fields = run(Command::new("dpkg-deb").args(["--field", built, "Package", "Depends"]));
    assert!(fields.contains("weighbridge"), "{fields}");
    let is_static = !fields.contains("Depends");

    let mut dpkg = Command::new("dpkg");
    dpkg.arg(format!("--root={}", root.display())).args(["--force-not-root", "--force-depends", "--install", built]);
    // dpkg refuses to install unless `ldconfig` and `start-stop-daemon` are on PATH.
    run(dpkg.env("PATH", "/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin"));
    let program = root.join("usr/bin/weigh");
    assert_eq!(fs::metadata(&program).unwrap().permissions().mode() & 0o777, 0o755);
    if !is_static {
        copy_libraries(&program, &root);
    }
    // In some containers, root may not create user namespaces: plain `chroot` is used there.
    let has_namespaces =
        Command::new("unshare").args(["--map-root-user", "true"]).output().is_ok_and(|output| output.status.success());
    let inside = |words: &[&str]| {
        let mut command = Command::new(if has_namespaces { "unshare" } else { "chroot" });
        command.args(if has_namespaces { &["--map-root-user", "chroot"][..] } else { &[][..] });
        command.arg(&root).args(words);
        run(command.env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin"))
    };
    assert!(inside(&["/usr/bin/weigh", "--version"]).contains(env!("CARGO_PKG_VERSION")));
    let explained = inside(&["/usr/bin/weigh", "explain", "-c", "utf8mb4_general_ci", "a", "A"]);
    assert!(explained.contains("a = b"), "{explained}");

    for file in [
        "usr/share/man/man1/weigh.1.gz",
        "usr/share/man/man1/weigh-bench.1.gz",
        "usr/share/bash-completion/completions/weigh",
        "usr/share/zsh/vendor-completions/_weigh",
        "usr/share/fish/vendor_completions.d/weigh.fish",
        "usr/share/doc/weighbridge/copyright",
    ] {
        assert!(fs::metadata(root.join(file)).is_ok_and(|file| file.len() > 0), "{file}");
    }
}
