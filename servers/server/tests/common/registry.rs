//! A registry on loopback, images, and a simple web server.
#![allow(dead_code, reason = "each test binary uses some of it")]

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

/// Debian's docker-registry. Ends when dropped.
pub struct Registry {
    child: Child,
    pub address: String,
    folder: TempDir,
}

impl Registry {
    pub fn start() -> Self {
        Self::with_access("")
    }

    /// Starts a registry with an `auth` section in its configuration.
    pub fn with_access(auth: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (storage, file) = (folder.path().join("storage"), folder.path().join("config.yml"));
        let text = format!(
            "version: 0.1\nstorage: {{filesystem: {{rootdirectory: {}}}}}\nhttp: {{addr: \"127.0.0.1:0\"}}\n{auth}",
            storage.display()
        );
        fs::write(&file, text).unwrap();
        let mut child = tool("docker-registry")
            .args(["serve", file.to_str().unwrap()])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let (sender, address) = channel();
        // Reads to the end, so that the registry is never blocked by a full pipe.
        thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                if let Some((_, rest)) = line.split_once("listening on ") {
                    let _ = sender.send(rest.split(['"', ' ']).next().unwrap_or_default().to_owned());
                }
            }
        });
        let address = address.recv_timeout(Duration::from_secs(300)).expect("docker-registry reports its address");
        Self { child, address, folder }
    }

    /// Returns the name of an image of this registry.
    pub fn name(&self, image: &str) -> String {
        format!("{}/{image}", self.address)
    }

    /// Pushes an OCI layout. `options` are those of `skopeo copy`.
    pub fn push(&self, layout: &Path, image: &str, options: &[&str]) {
        skopeo_copy(
            layout,
            &format!("docker://{}", self.name(image)),
            &[&["--dest-tls-verify=false"], options].concat(),
        );
    }

    /// Returns the registry's file of a blob.
    pub fn blob(&self, digest: &str) -> PathBuf {
        let hexadecimal = digest.strip_prefix("sha256:").unwrap();
        let blobs = self.folder.path().join("storage/docker/registry/v2/blobs/sha256");
        blobs.join(&hexadecimal[..2]).join(hexadecimal).join("data")
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Script that unpacks Debian packages and their dependencies, except the C library, without root.
const UNPACK: &str = r#"set -eu
    mkdir -p state/lists/partial cache/archives/partial root
    : >status
    apt() {
        apt-get -qq -oDir::State="$PWD/state" -oDir::State::Status="$PWD/status" -oDir::Cache="$PWD/cache" -oDir::Log="$PWD" \
            -oAPT::Sandbox::User=root -oAcquire::Languages=none "$@"
    }
    apt update
    apt -y --download-only --no-install-recommends install docker-registry skopeo
    for package in cache/archives/*.deb; do
        case "$package" in */libc6_* | */libc-bin_*) ;; *) dpkg-deb -x "$package" root ;; esac
    done
    rm -r state cache
    touch done"#;

/// Returns a command for a program from `PATH`, or else from Debian packages unpacked for all
/// tests.
fn tool(program: &str) -> Command {
    let path = std::env::var_os("PATH").unwrap_or_default();
    if std::env::split_paths(&path).any(|folder| folder.join(program).is_file()) {
        return Command::new(program);
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("registry-tools");
    fs::create_dir_all(&folder).unwrap();
    let lock = File::create(folder.join("lock")).unwrap();
    lock.lock().unwrap();
    if !folder.join("done").exists() {
        let output = Command::new("sh").args(["-c", UNPACK]).current_dir(&folder).output().unwrap();
        assert!(output.status.success(), "cannot unpack {program}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let root = folder.join("root");
    let libraries = ["usr/lib", "lib"].map(|lib| root.join(lib).join(format!("{}-linux-gnu", std::env::consts::ARCH)));
    let mut command = Command::new(root.join("usr/bin").join(program));
    command.env("LD_LIBRARY_PATH", std::env::join_paths(libraries).unwrap());
    command
}

/// Copies the image of an OCI layout to a destination of `skopeo copy`.
pub fn skopeo_copy(layout: &Path, to: &str, options: &[&str]) {
    let mut command = tool("skopeo");
    command.args(["--insecure-policy", "copy"]).args(options).arg(format!("oci:{}:it", layout.display())).arg(to);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Writes an OCI layout with tar archives as layers, compressed by gzip. Returns the layout and the
/// digest of its last layer.
pub fn layout(folder: &Path, layers: &[PathBuf], architecture: &str) -> (PathBuf, String) {
    let layout = folder.join("layout");
    fs::create_dir_all(layout.join("blobs/sha256")).unwrap();
    let blob = |bytes: &[u8], kind: &str| -> Value {
        let digest = image::sha256(bytes);
        fs::write(layout.join("blobs").join(digest.replace(':', "/")), bytes).unwrap();
        json!({"mediaType": format!("application/vnd.oci.image.{kind}"), "digest": digest, "size": bytes.len()})
    };
    let compressed: Vec<Value> = layers.iter().map(|layer| blob(&gzip(layer), "layer.v1.tar+gzip")).collect();
    let diff_ids: Vec<String> = layers.iter().map(|layer| image::sha256(&fs::read(layer).unwrap())).collect();
    let last = compressed.last().map(|layer| layer["digest"].as_str().unwrap().to_owned()).unwrap_or_default();
    let config = json!({"architecture": architecture, "os": "linux", "config": {}, "rootfs": {"type": "layers", "diff_ids": diff_ids}});
    let config = blob(config.to_string().as_bytes(), "config.v1+json");
    let manifest = json!({"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "config": config, "layers": compressed});
    let mut manifest = blob(manifest.to_string().as_bytes(), "manifest.v1+json");
    manifest["annotations"] = json!({"org.opencontainers.image.ref.name": "it"});
    fs::write(layout.join("oci-layout"), r#"{"imageLayoutVersion": "1.0.0"}"#).unwrap();
    fs::write(layout.join("index.json"), json!({"schemaVersion": 2, "manifests": [manifest]}).to_string()).unwrap();
    (layout, last)
}

/// Returns this machine's architecture as in images.
pub fn architecture() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    }
}

fn gzip(file: &Path) -> Vec<u8> {
    let output = Command::new("gzip").args(["-1", "--stdout"]).arg(file).output().unwrap();
    assert!(output.status.success());
    output.stdout
}

/// Writes a tar archive of a folder, without documentation and client programs.
pub fn tar(folder: &Path, file: &Path) {
    let mut command = Command::new("tar");
    command.args(["--exclude=./usr/share/doc", "--exclude=./usr/share/man", "--exclude=./usr/bin"]);
    assert!(command.arg("-C").arg(folder).arg("-cf").arg(file).arg(".").status().unwrap().success());
}

/// Returns the folder into which a running server of the catalogue was unpacked.
pub fn root_of(server: &server::Server) -> PathBuf {
    let arguments = fs::read(format!("/proc/{}/cmdline", server.pid().unwrap())).unwrap();
    let loader = String::from_utf8(arguments).unwrap().split('\0').next().unwrap().to_owned();
    // The last match: the cache of the user root may be below /root, too.
    let (root, _) = loader.rsplit_once("/root/").expect("the server runs with a loader below its root");
    Path::new(root).join("root")
}

pub struct Request {
    pub path: String,
    /// First requested byte.
    pub from: Option<usize>,
    pub authorization: Option<String>,
}

/// Starts a web server that sends the bytes of `respond` for each request. Returns its address.
pub fn web_server(respond: impl Fn(&Request) -> Vec<u8> + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            // Fails if the client has closed the connection.
            let _ = respond_to(stream, &respond);
        }
    });
    address
}

fn respond_to(mut stream: TcpStream, respond: impl Fn(&Request) -> Vec<u8>) -> std::io::Result<()> {
    let mut lines = Vec::new();
    for line in BufReader::new(stream.try_clone()?).lines() {
        let line = line?;
        if line.is_empty() {
            break;
        }
        lines.push(line);
    }
    let header =
        |name: &str| lines.iter().find_map(|line| line.strip_prefix(name)).map(|value| value.trim().to_owned());
    let request = Request {
        path: lines.first().and_then(|line| line.split(' ').nth(1)).unwrap_or_default().to_owned(),
        from: header("range: bytes=").and_then(|range| range.trim_end_matches('-').parse().ok()),
        authorization: header("authorization:"),
    };
    stream.write_all(&respond(&request))
}

/// Returns an HTTP response. `connection: close`, because the server reads one request per
/// connection.
pub fn http(status: &str, length: usize, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n");
    [head.as_bytes(), body].concat()
}
