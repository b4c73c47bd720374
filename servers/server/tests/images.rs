//! Servers in container images from a registry, archives and layouts, and invalid images.

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

/// Returns a command that opens a server with a separate cache and credentials, and ends when the
/// server is ready.
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
    // The panic of `hold-server … panic`: the server was ready.
    assert_eq!(output.status.code(), Some(101), "{}", stderr(&output));
}

/// Checks that opening fails with a one-line message, and leaves no server in the cache.
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

/// MariaDB 11.8 in two layers. The second layer hides a file, and adds an absolute link.
static DEBIAN: LazyLock<(TempDir, PathBuf)> = LazyLock::new(|| {
    let folder = common::open_folder();
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

/// MariaDB 11.8 with the file layout of Red Hat: libraries in `/usr/lib64`, links for `/lib64` and
/// the loader, and absolute links to the program in `/usr/libexec`.
static RED_HAT: LazyLock<(TempDir, PathBuf)> = LazyLock::new(|| {
    let folder = common::open_folder();
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
fn image_is_pulled_once_and_runs_without_the_registry() {
    let registry = Registry::start();
    registry.push(&DEBIAN.1, "mariadb:11.8", &[]);
    registry.push(&RED_HAT.1, "team/mariadb:el", &["--format=v2s2"]);
    let cache = common::open_folder();
    let names = [registry.name("mariadb:11.8"), registry.name("team/mariadb:el")];
    names.iter().for_each(|name| starts(hold(cache.path(), name)));

    // The digest names the same image, which is not unpacked again.
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
fn runs_archives_and_layouts() {
    let folder = common::open_folder();
    let saved = folder.path().join("saved.tar");
    skopeo_copy(&RED_HAT.1, &format!("docker-archive:{}:mariadb:11.8", saved.display()), &[]);
    assert!(Command::new("gzip").args(["-1", "--keep"]).arg(&saved).status().unwrap().success());
    let oci = folder.path().join("oci.tar");
    skopeo_copy(&DEBIAN.1, &format!("oci-archive:{}:it", oci.display()), &[]);
    // Colons separate the folders of a library path.
    let packed = folder.path().join("mariadb:11.8;a.tar.gz");
    fs::rename(folder.path().join("saved.tar.gz"), &packed).unwrap();
    for spec in [&packed, &oci, &RED_HAT.1] {
        let cache = common::open_folder();
        for _ in 0..2 {
            starts(hold(cache.path(), spec.to_str().unwrap()));
        }
    }
}

#[test]
fn reports_missing_images() {
    let registry = Registry::start();
    registry.push(&image_with_one_file(architecture()).1, "mariadb:11.8", &[]);
    registry.push(&image_with_one_file(if architecture() == "amd64" { "arm64" } else { "amd64" }).1, "foreign:1", &[]);
    let cache = common::open_folder();
    let refuses = |image: &str, words: &[&str]| refuses(cache.path(), &registry.name(image), words);
    refuses("mariadb:11.9", &["no image mariadb:11.9", "nearest first: 11.8"]);
    refuses("nothing:1", &["no image nothing:1"]);
    refuses(&format!("mariadb@sha256:{}", "0".repeat(64)), &["no image mariadb:sha256:000"]);
    refuses("foreign:1", &["the image is for linux/", "this machine is linux/"]);
    // The image is valid, but contains no server.
    refuses("mariadb:11.8", &["has no mysqld"]);
}

#[test]
fn names_what_holds_no_server() {
    let (folder, layout, _) = image_with_one_file(architecture());
    let saved = folder.path().join("saved.tar");
    skopeo_copy(&layout, &format!("docker-archive:{}:mariadb:11.8", saved.display()), &[]);
    let plain = folder.path().join("root.tar");
    let cache = common::open_folder();
    for (archive, reason) in [(&saved, "the image has no mysqld"), (&plain, "no mysqld or mariadbd in bin")] {
        let bytes = fs::read(archive).unwrap();
        let digest = image::sha256(&bytes).replacen(':', "=", 1);
        let host = web_server(move |_| http("200 OK", bytes.len(), &bytes));
        let url = format!("http://{host}/server.tar");
        for (spec, name) in
            [(archive.display().to_string(), archive.display().to_string()), (format!("{url}#{digest}"), url)]
        {
            refuses(cache.path(), &spec, &[&format!("no server at {name}: {reason}")]);
        }
    }
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).unwrap();
    let refused = server::install(&empty.to_str().unwrap().parse().unwrap(), &server::NoProgress);
    let message = refused.unwrap_err().to_string();
    assert!(message.contains("no mysqld or mariadbd in bin"), "{message}");
}

/// Creates an image with one file. Returns its folder, layout and digest of the layer.
fn image_with_one_file(architecture: &str) -> (TempDir, PathBuf, String) {
    let folder = common::open_folder();
    let root = folder.path().join("root");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("file"), "text").unwrap();
    let archive = folder.path().join("root.tar");
    tar(&root, &archive);
    let (layout, digest) = layout(folder.path(), &[archive], architecture);
    (folder, layout, digest)
}

#[test]
fn reports_unreachable_registry() {
    let cache = common::open_folder();
    let words = ["127.0.0.1:9 cannot be reached", "Connection refused", "Check the network"];
    refuses(cache.path(), "127.0.0.1:9/mariadb:11.8", &words);
    // A web server that is not a registry.
    let other = web_server(|_| http("500 Internal Server Error", 0, b""));
    refuses(cache.path(), &format!("{other}/mariadb:11.8"), &[&other, "answered 500", "the manifest"]);
    let text = web_server(|_| http("200 OK", 5, b"hello"));
    refuses(cache.path(), &format!("{text}/mariadb:11.8"), &["not a valid image manifest"]);
}

#[test]
fn refuses_layer_with_another_digest() {
    let registry = Registry::start();
    let (_folder, layout, digest) = image_with_one_file(architecture());
    registry.push(&layout, "mariadb:11.8", &[]);
    let cache = common::open_folder();
    let blob = registry.blob(&digest);
    let mut bytes = fs::read(&blob).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&blob, &bytes).unwrap();
    refuses(cache.path(), &registry.name("mariadb:11.8"), &[&digest, "damaged or was tampered with"]);

    let blob = layout.join("blobs").join(digest.replace(':', "/"));
    fs::write(&blob, &bytes).unwrap();
    refuses(cache.path(), layout.to_str().unwrap(), &[&digest, "damaged or was tampered with"]);
}

#[test]
fn refuses_hostile_layer_of_every_origin() {
    let folder = common::open_folder();
    let root = folder.path().join("root");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("file"), "text").unwrap();
    let archive = folder.path().join("hostile.tar");
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
    let cache = common::open_folder();
    let words = ["../../../hostile", "leaves the image", "the image is refused"];
    refuses(cache.path(), &registry.name("mariadb:11.8"), &[&words[..], &[&digest]].concat());
    refuses(cache.path(), layout.to_str().unwrap(), &words);
    refuses(cache.path(), saved.to_str().unwrap(), &words);
    assert!(!cache.path().parent().unwrap().join("hostile").exists());
}

/// User `anna`, password `secret`.
const HTPASSWD: &str = "anna:$2y$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a";
/// `anna:secret` in base64.
const BASIC: &str = "YW5uYTpzZWNyZXQ=";

fn log_in(cache: &Path, registry: &str) {
    fs::create_dir_all(cache.join("docker")).unwrap();
    let text = format!(r#"{{"auths": {{"{registry}": {{"auth": "{BASIC}"}}}}}}"#);
    fs::write(cache.join("docker/config.json"), text).unwrap();
}

#[test]
fn logs_in_to_registry() {
    let folder = common::open_folder();
    let users = folder.path().join("htpasswd");
    fs::write(&users, HTPASSWD).unwrap();
    let registry = Registry::with_access(&format!("auth: {{htpasswd: {{realm: test, path: {}}}}}\n", users.display()));
    registry.push(&image_with_one_file(architecture()).1, "mariadb:11.8", &["--dest-creds=anna:secret"]);
    let cache = common::open_folder();
    let name = registry.name("mariadb:11.8");
    refuses(cache.path(), &name, &["refuses mariadb without a login", "docker login"]);
    log_in(cache.path(), &registry.address);
    // After the login, the image contains no server.
    refuses(cache.path(), &name, &["has no mysqld"]);
}

#[test]
fn requests_token_with_credentials() {
    let asked = web_server(|request| {
        let is_authorized = request.authorization.as_deref() == Some(&format!("Basic {BASIC}"));
        let path = "/token?service=test&scope=repository:mariadb:pull";
        if is_authorized && request.path == path {
            http("200 OK", 14, br#"{"token": "t"}"#)
        } else {
            http("401 Unauthorized", 0, b"")
        }
    });
    // Requires a token from that address, and accepts any token.
    let registry =
        Registry::with_access(&format!("auth: {{silly: {{realm: \"http://{asked}/token\", service: test}}}}\n"));
    let cache = common::open_folder();
    let name = registry.name("mariadb:11.8");
    refuses(cache.path(), &name, &["refuses mariadb without a login"]);
    log_in(cache.path(), &registry.address);
    refuses(cache.path(), &name, &["no image mariadb:11.8"]);
}

#[test]
fn runs_archive_from_web_server() {
    let folder = common::open_folder();
    let saved = folder.path().join("saved.tar");
    skopeo_copy(&RED_HAT.1, &format!("docker-archive:{}:mariadb:11.8", saved.display()), &[]);
    let bytes = fs::read(&saved).unwrap();
    let digest = image::sha256(&bytes).replacen(':', "=", 1);
    let connections = AtomicUsize::new(0);
    let half = bytes.len() / 2;
    // The first connection breaks in the middle.
    let host = web_server(move |request| match (connections.fetch_add(1, Ordering::SeqCst), request.from) {
        _ if request.path != "/saved.tar" => http("404 Not Found", 0, b""),
        (0, _) => http("200 OK", bytes.len(), &bytes[..half]),
        (_, Some(from)) => http("206 Partial Content", bytes.len() - from, &bytes[from..]),
        (_, None) => http("200 OK", bytes.len(), &bytes),
    });
    let cache = common::open_folder();
    let url = format!("http://{host}/saved.tar");
    starts(hold(cache.path(), &format!("{url}#{digest}")));

    let other = common::open_folder();
    refuses(other.path(), &format!("{url}#sha256={}", "0".repeat(64)), &[&url, "damaged or was tampered with"]);
    refuses(other.path(), &format!("http://{host}/other.tar#{digest}"), &["answered 404"]);
    refuses(other.path(), &format!("http://127.0.0.1:9/saved.tar#{digest}"), &["127.0.0.1:9 cannot be reached"]);
    refuses(other.path(), "https://host.example/saved.tar", &["#sha256="]);
}
