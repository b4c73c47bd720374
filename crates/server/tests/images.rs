//! Servers in container images: from a real registry, from archives and layouts, and what becomes of bad ones.

mod common;
#[path = "common/registry.rs"]
mod registry;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{hold_command, private};
use registry::{Registry, architecture, http, layout, root_of, skopeo_copy, tar, web_server};
use tempfile::TempDir;

/// Opens a server in a process with a cache and credentials of its own, and ends once it is ready.
fn hold(cache: &Path, spec: &str) -> Command {
    let mut command = hold_command();
    command.args([spec, "panic"]).env("WEIGH_CACHE", cache).env("DOCKER_CONFIG", cache.join("docker"));
    for name in ["REGISTRY_AUTH_FILE", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME"] {
        command.env_remove(name);
    }
    command.env("HOME", cache).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn starts(mut command: Command) {
    let output = command.output().unwrap();
    // `hold-server … panic` ends so once the server is ready.
    assert_eq!(output.status.code(), Some(101), "{}", stderr(&output));
}

/// Opening fails with one sentence that has these words, and leaves nothing in the cache that could be taken for a server.
fn refuses(cache: &Path, spec: &str, words: &[&str]) {
    let output = hold(cache, spec).output().unwrap();
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{message}");
    for word in words {
        assert!(message.contains(word), "{word}: {message}");
    }
    let sentence = message.trim_start_matches("hold-server: ").split("\nCheck the network").next().unwrap().trim();
    assert!(!sentence.contains('\n') && sentence.len() < 400, "{sentence}");
    for kind in ["images", "archives", "downloads"] {
        for entry in fs::read_dir(cache.join(kind)).into_iter().flatten() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(name.ends_with(".lock"), "{name} stayed");
        }
    }
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// MariaDB 11.8 as an image of two layers: the second one hides a file of the first, and puts a link where a folder was.
static DEBIAN: LazyLock<(TempDir, PathBuf)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let root = root_of(&private("mariadb@trixie"));
    let base = folder.path().join("base.tar");
    tar(&root, &base);
    let change = folder.path().join("change");
    fs::create_dir_all(change.join("usr/share/mariadb/german")).unwrap();
    fs::write(change.join("usr/share/mariadb/german/.wh.errmsg.sys"), "").unwrap();
    symlink("/usr/lib", change.join("opt")).unwrap();
    let second = folder.path().join("second.tar");
    tar(&change, &second);
    let (layout, _) = layout(folder.path(), &[base, second], architecture());
    (folder, layout)
});

/// The same server laid out as on Red Hat's systems: libraries in `/usr/lib64` only, `/lib64` a link to it, the loader a
/// link beside its file, the program in `/usr/libexec` behind absolute links.
static RED_HAT: LazyLock<(TempDir, PathBuf)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let from = root_of(&private("mariadb@trixie"));
    let to = folder.path().join("root");
    for path in ["usr/libexec", "usr/share", "usr/lib", "etc/alternatives"] {
        fs::create_dir_all(to.join(path)).unwrap();
    }
    let copy = |source: &Path, target: &str| {
        assert!(Command::new("cp").arg("-a").arg(source).arg(to.join(target)).status().unwrap().success());
    };
    let is_multiarch = |path: &PathBuf| path.to_string_lossy().ends_with("-linux-gnu");
    let mut folders = fs::read_dir(from.join("usr/lib")).unwrap().map(|entry| entry.unwrap().path());
    copy(&folders.find(is_multiarch).unwrap(), "usr/lib64");
    copy(&from.join("usr/sbin/mariadbd"), "usr/libexec/mariadbd-11.8");
    copy(&from.join("usr/share/mariadb"), "usr/share/mariadb");
    let mut libraries =
        fs::read_dir(to.join("usr/lib64")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let loader = libraries.find(|name| name.starts_with("ld-linux")).unwrap();
    fs::rename(to.join("usr/lib64").join(&loader), to.join("usr/lib64/ld-2.41.so")).unwrap();
    symlink("ld-2.41.so", to.join("usr/lib64").join(loader)).unwrap();
    symlink("usr/lib64", to.join("lib64")).unwrap();
    symlink("/usr/lib", to.join("lib")).unwrap();
    symlink("/usr/libexec/mariadbd-11.8", to.join("etc/alternatives/mysqld")).unwrap();
    symlink("/etc/alternatives/mysqld", to.join("usr/libexec/mysqld")).unwrap();
    let archive = folder.path().join("root.tar");
    tar(&to, &archive);
    let (layout, _) = layout(folder.path(), &[archive], architecture());
    (folder, layout)
});

#[test]
fn an_image_is_pulled_once_and_runs_without_the_registry() {
    let registry = Registry::start();
    registry.push(&DEBIAN.1, "mariadb:11.8", &[]);
    registry.push(&RED_HAT.1, "team/mariadb:el", &["--format=v2s2"]);
    let cache = tempfile::tempdir().unwrap();
    let names = [registry.name("mariadb:11.8"), registry.name("team/mariadb:el")];
    names.iter().for_each(|name| starts(hold(cache.path(), name)));

    // By its digest it is the same image, unpacked once.
    let list = fs::read_dir(cache.path().join("installed"))
        .unwrap()
        .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap());
    let record = list.into_iter().find(|text| text.contains("mariadb:11.8")).unwrap();
    let digest =
        serde_json::from_str::<serde_json::Value>(&record).unwrap()["manifest"]["package"].as_str().unwrap().to_owned();
    starts(hold(cache.path(), &registry.name(&format!("mariadb@{digest}"))));
    let images =
        fs::read_dir(cache.path().join("images")).unwrap().filter(|entry| entry.as_ref().unwrap().path().is_dir());
    assert_eq!(images.count(), 2);
    let root = cache.path().join("images").join(digest.replace(':', "-")).join("root");
    assert!(
        !root.join("usr/share/mariadb/german/errmsg.sys").exists() && root.join("usr/share/mariadb/german").is_dir()
    );
    assert_eq!(fs::read_link(root.join("opt")).unwrap(), Path::new("usr/lib"));

    drop(registry);
    for name in &names {
        let mut again = hold(cache.path(), name);
        again.env("PATH", "/nonexistent");
        starts(again);
    }
}

#[test]
fn archives_and_layouts_of_images_run() {
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("saved.tar");
    skopeo_copy(&RED_HAT.1, &format!("docker-archive:{}:mariadb:11.8", saved.display()), &[]);
    assert!(Command::new("gzip").args(["-1", "--keep"]).arg(&saved).status().unwrap().success());
    let oci = folder.path().join("oci.tar");
    skopeo_copy(&DEBIAN.1, &format!("oci-archive:{}:it", oci.display()), &[]);
    let packed = folder.path().join("saved.tar.gz");
    for spec in [&packed, &oci, &RED_HAT.1] {
        let cache = tempfile::tempdir().unwrap();
        for _ in 0..2 {
            starts(hold(cache.path(), spec.to_str().unwrap()));
        }
    }
}

#[test]
fn what_a_registry_does_not_have_is_told() {
    let registry = Registry::start();
    registry.push(&small(architecture()).1, "mariadb:11.8", &[]);
    registry.push(&small(if architecture() == "amd64" { "arm64" } else { "amd64" }).1, "foreign:1", &[]);
    let cache = tempfile::tempdir().unwrap();
    let refuses = |image: &str, words: &[&str]| refuses(cache.path(), &registry.name(image), words);
    refuses("mariadb:11.9", &["no image mariadb:11.9", "nearest first: 11.8"]);
    refuses("nothing:1", &["no image nothing:1"]);
    refuses(&format!("mariadb@sha256:{}", "0".repeat(64)), &["no image mariadb:sha256:000"]);
    refuses("foreign:1", &["the image is for linux/", "this machine is linux/"]);
    // It is whole, and no server.
    refuses("mariadb:11.8", &["holds no mysqld"]);
}

/// An image that holds one file.
fn small(architecture: &str) -> (TempDir, PathBuf, String) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("file"), "text").unwrap();
    let archive = folder.path().join("root.tar");
    tar(&root, &archive);
    let (layout, digest) = layout(folder.path(), &[archive], architecture);
    (folder, layout, digest)
}

#[test]
fn a_registry_that_cannot_be_reached_is_told() {
    let cache = tempfile::tempdir().unwrap();
    let words = ["127.0.0.1:9 cannot be reached", "Connection refused", "Check the network"];
    refuses(cache.path(), "127.0.0.1:9/mariadb:11.8", &words);
    // Something that answers, but no registry.
    let other = web_server(|_| http("500 Internal Server Error", 0, b""));
    refuses(cache.path(), &format!("{other}/mariadb:11.8"), &[&other, "answered 500", "the manifest"]);
    let text = web_server(|_| http("200 OK", 5, b"hello"));
    refuses(cache.path(), &format!("{text}/mariadb:11.8"), &["no image manifest"]);
}

#[test]
fn a_layer_that_is_not_what_its_digest_says_is_refused() {
    let registry = Registry::start();
    let (_folder, layout, digest) = small(architecture());
    registry.push(&layout, "mariadb:11.8", &[]);
    let cache = tempfile::tempdir().unwrap();
    let blob = registry.blob(&digest);
    let mut bytes = fs::read(&blob).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&blob, &bytes).unwrap();
    refuses(cache.path(), &registry.name("mariadb:11.8"), &[&digest, "damaged or was tampered with"]);

    // In a layout too.
    let blob = layout.join("blobs").join(digest.replace(':', "/"));
    fs::write(&blob, &bytes).unwrap();
    refuses(cache.path(), layout.to_str().unwrap(), &[&digest, "damaged or was tampered with"]);
}

#[test]
fn a_hostile_layer_is_refused_wherever_it_comes_from() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("file"), "text").unwrap();
    let archive = folder.path().join("hostile.tar");
    // GNU tar keeps paths as they are when it is told to.
    let mut command = Command::new("tar");
    command
        .args(["--absolute-names", "--transform=s,^file,../../../hostile,", "-C"])
        .arg(&root)
        .arg("-cf")
        .arg(&archive)
        .arg("file");
    assert!(command.status().unwrap().success());
    let (layout, digest) = layout(folder.path(), &[archive], architecture());
    let registry = Registry::start();
    registry.push(&layout, "mariadb:11.8", &[]);
    let saved = folder.path().join("saved.tar");
    skopeo_copy(&layout, &format!("docker-archive:{}:mariadb:11.8", saved.display()), &[]);
    let cache = tempfile::tempdir().unwrap();
    let words = ["../../../hostile", "leaves the image", "the image is refused"];
    refuses(cache.path(), &registry.name("mariadb:11.8"), &[&words[..], &[&digest]].concat());
    refuses(cache.path(), layout.to_str().unwrap(), &words);
    refuses(cache.path(), saved.to_str().unwrap(), &words);
    assert!(!cache.path().parent().unwrap().join("hostile").exists());
}

/// The password is `secret`.
const HTPASSWD: &str = "anna:$2y$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a";
/// `anna:secret` in base64.
const BASIC: &str = "YW5uYTpzZWNyZXQ=";

fn log_in(cache: &Path, registry: &str) {
    fs::create_dir_all(cache.join("docker")).unwrap();
    let text = format!(r#"{{"auths": {{"{registry}": {{"auth": "{BASIC}"}}}}}}"#);
    fs::write(cache.join("docker/config.json"), text).unwrap();
}

#[test]
fn a_registry_is_logged_in_to() {
    let folder = tempfile::tempdir().unwrap();
    let users = folder.path().join("htpasswd");
    fs::write(&users, HTPASSWD).unwrap();
    let registry = Registry::with_access(&format!("auth: {{htpasswd: {{realm: test, path: {}}}}}\n", users.display()));
    registry.push(&small(architecture()).1, "mariadb:11.8", &["--dest-creds=anna:secret"]);
    let cache = tempfile::tempdir().unwrap();
    let name = registry.name("mariadb:11.8");
    refuses(cache.path(), &name, &["gives mariadb to nobody who is not logged in", "docker login"]);
    log_in(cache.path(), &registry.address);
    // Let in, it finds what is there: no server.
    refuses(cache.path(), &name, &["holds no mysqld"]);
}

#[test]
fn a_token_is_asked_for_with_the_credentials() {
    let asked = web_server(|request| {
        let known = request.authorization.as_deref() == Some(&format!("Basic {BASIC}"));
        let path = "/token?service=test&scope=repository:mariadb:pull";
        if known && request.path == path {
            http("200 OK", 14, br#"{"token": "t"}"#)
        } else {
            http("401 Unauthorized", 0, b"")
        }
    });
    // It wants a token of that address, and takes any.
    let registry =
        Registry::with_access(&format!("auth: {{silly: {{realm: \"http://{asked}/token\", service: test}}}}\n"));
    let cache = tempfile::tempdir().unwrap();
    let name = registry.name("mariadb:11.8");
    refuses(cache.path(), &name, &["gives mariadb to nobody who is not logged in"]);
    log_in(cache.path(), &registry.address);
    refuses(cache.path(), &name, &["no image mariadb:11.8"]);
}

#[test]
fn an_archive_on_a_web_server_is_a_server() {
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("saved.tar");
    skopeo_copy(&RED_HAT.1, &format!("docker-archive:{}:mariadb:11.8", saved.display()), &[]);
    let bytes = fs::read(&saved).unwrap();
    let digest = image::sha256(&bytes).replacen(':', "=", 1);
    let connections = AtomicUsize::new(0);
    let half = bytes.len() / 2;
    // The first connection ends in the middle.
    let host = web_server(move |request| match (connections.fetch_add(1, Ordering::SeqCst), request.from) {
        _ if request.path != "/saved.tar" => http("404 Not Found", 0, b""),
        (0, _) => http("200 OK", bytes.len(), &bytes[..half]),
        (_, Some(from)) => http("206 Partial Content", bytes.len() - from, &bytes[from..]),
        (_, None) => http("200 OK", bytes.len(), &bytes),
    });
    let cache = tempfile::tempdir().unwrap();
    let url = format!("http://{host}/saved.tar");
    starts(hold(cache.path(), &format!("{url}#{digest}")));

    let other = tempfile::tempdir().unwrap();
    refuses(other.path(), &format!("{url}#sha256={}", "0".repeat(64)), &[&url, "damaged or was tampered with"]);
    refuses(other.path(), &format!("http://{host}/other.tar#{digest}"), &["answered 404"]);
    refuses(other.path(), &format!("http://127.0.0.1:9/saved.tar#{digest}"), &["127.0.0.1:9 cannot be reached"]);
    refuses(other.path(), "https://host.example/saved.tar", &["#sha256="]);
}
