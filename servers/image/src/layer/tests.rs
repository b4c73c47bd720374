//! Unpacking valid and hostile layers.

use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicBool, Ordering};

use tar::{Builder, Header};
use tempfile::TempDir;

use super::*;

/// A monitor that only interrupts.
struct Interruption(AtomicBool);

impl Monitor for Interruption {
    fn step(&self, _what: &str) {}
    fn fraction(&self, _done: f64) {}
    fn is_interrupted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Returns an entry with any path. The setters of `tar` reject hostile paths.
fn entry(kind: EntryType, path: &str, link: &str, mode: u32, data: &[u8]) -> Vec<u8> {
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_size(data.len() as u64);
    let fields = header.as_gnu_mut().unwrap();
    fields.name[..path.len()].copy_from_slice(path.as_bytes());
    fields.linkname[..link.len()].copy_from_slice(link.as_bytes());
    header.set_cksum();
    let mut builder = Builder::new(Vec::new());
    builder.append(&header, data).unwrap();
    let mut bytes = builder.into_inner().unwrap();
    // Removes the end of the archive, so that entries can be concatenated.
    bytes.truncate(bytes.len() - 1024);
    bytes
}

fn file(path: &str, text: &str) -> Vec<u8> {
    entry(EntryType::Regular, path, "", 0o644, text.as_bytes())
}

fn link(path: &str, target: &str) -> Vec<u8> {
    entry(EntryType::Symlink, path, target, 0o777, b"")
}

fn folder(path: &str) -> Vec<u8> {
    entry(EntryType::Directory, path, "", 0o755, b"")
}

/// A root in a folder whose other files must not change.
struct Sandbox {
    outer: TempDir,
    root: PathBuf,
}

impl Sandbox {
    fn new() -> Self {
        let outer = tempfile::tempdir().unwrap();
        let root = outer.path().join("a/b/root");
        fs::create_dir_all(&root).unwrap();
        fs::write(outer.path().join("precious"), "untouched").unwrap();
        Self { outer, root }
    }

    fn apply(&self, entries: &[Vec<u8>]) -> Result<(), Error> {
        let mut archive = entries.concat();
        archive.extend([0; 1024]);
        let result =
            apply(&self.root, ArchiveKind::Layer("sha256:1234"), &archive[..], &Interruption(AtomicBool::new(false)));
        assert_eq!(fs::read_to_string(self.outer.path().join("precious")).unwrap(), "untouched");
        assert_eq!(fs::read_dir(self.outer.path()).unwrap().count(), 2, "a file was created outside the root");
        assert_eq!(
            fs::read_dir(self.outer.path().join("a/b")).unwrap().count(),
            1,
            "a file was created outside the root"
        );
        result
    }

    fn refuses(&self, entries: &[Vec<u8>], words: &[&str]) {
        let message = self.apply(entries).unwrap_err().to_string();
        for word in [&["sha256:1234"], words].concat() {
            assert!(message.contains(word), "{message}");
        }
        assert!(!message.contains('\n'), "{message}");
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    fn has(&self, path: &str) -> bool {
        fs::symlink_metadata(self.root.join(path)).is_ok()
    }
}

#[test]
fn layer_overrides_lower_layer() {
    let sandbox = Sandbox::new();
    sandbox
        .apply(&[folder("./"), folder("./usr/"), file("./usr/a", "old"), file("usr/b", "b"), file("/etc/c", "c")])
        .unwrap();
    sandbox.apply(&[file("usr/a", "new"), entry(EntryType::Regular, "bin/x", "", 0o4755, b"#!")]).unwrap();
    assert_eq!(
        (sandbox.text("usr/a"), sandbox.text("usr/b"), sandbox.text("etc/c")),
        ("new".into(), "b".into(), "c".into())
    );
    let mode = fs::metadata(sandbox.root.join("bin/x")).unwrap().permissions().mode();
    assert_eq!((mode & 0o7000, mode & 0o100), (0, 0o100), "executable, without set-user-id");
}

#[test]
fn whiteouts_hide_files_of_lower_layers() {
    let sandbox = Sandbox::new();
    sandbox.apply(&[file("etc/a", ""), file("etc/b", ""), file("var/lib/x/y", ""), file("opt/old", "")]).unwrap();
    sandbox
        .apply(&[file("opt/new", ""), file("etc/.wh.a", ""), file("var/.wh.lib", ""), file("opt/.wh..wh..opq", "")])
        .unwrap();
    assert!(!sandbox.has("etc/a") && sandbox.has("etc/b") && !sandbox.has("var/lib"));
    assert!(sandbox.has("opt/new") && !sandbox.has("opt/old"), "an opaque folder keeps files of its own layer");
    assert!(!sandbox.has("etc/.wh.a"));
    // `new` stays, although the layer has no entry for its folder.
    sandbox.apply(&[file("srv/old", "")]).unwrap();
    sandbox.apply(&[file("srv/new", ""), file(".wh.srv", "")]).unwrap();
    assert!(sandbox.has("srv/new") && !sandbox.has("srv/old"));
    // A whiteout of a missing file is valid.
    sandbox.apply(&[file("etc/.wh.never", "")]).unwrap();
}

#[test]
fn links_resolve_as_in_the_image() {
    let sandbox = Sandbox::new();
    let entries = [
        file("usr/lib/libc.so", "libc"),
        link("lib", "usr/lib"),
        link("lib64", "/lib"),
        link("usr/lib/deep", "../../usr/./lib/../lib/libc.so"),
        link("etc/alternative", "/usr/lib/libc.so"),
        file("lib64/libm.so", "libm"),
        entry(EntryType::Link, "usr/share/hard", "lib/libc.so", 0, b""),
        entry(EntryType::Link, "hard", "etc/alternative", 0, b""),
        link("root", "/"),
        link("absent", "/no/such/file"),
    ];
    sandbox.apply(&entries).unwrap();
    for path in
        ["lib/libc.so", "lib64/libc.so", "usr/lib/deep", "etc/alternative", "usr/share/hard", "hard", "root/hard"]
    {
        assert_eq!(sandbox.text(path), "libc", "{path}");
    }
    assert_eq!(sandbox.text("usr/lib/libm.so"), "libm");
    for entry in ["lib64", "etc/alternative", "hard", "root", "absent"] {
        assert!(fs::read_link(sandbox.root.join(entry)).unwrap().is_relative(), "{entry}");
    }
}

#[test]
fn file_replaces_link_without_following_it() {
    let sandbox = Sandbox::new();
    let outside = format!("{}/precious", sandbox.outer.path().display());
    sandbox.apply(&[file("a", "a"), link("b", "a"), link("c", &outside), link("d", "/")]).unwrap();
    sandbox.apply(&[file("b", "b"), file("c", "c"), folder("d")]).unwrap();
    assert_eq!((sandbox.text("a"), sandbox.text("b"), sandbox.text("c")), ("a".into(), "b".into(), "c".into()));
    assert!(fs::symlink_metadata(sandbox.root.join("d")).unwrap().is_dir());
}

#[test]
fn paths_through_outward_link_stay_inside() {
    let sandbox = Sandbox::new();
    let outside = sandbox.outer.path().display().to_string();
    sandbox.apply(&[link("out", &outside), file("out/new", "new"), file("out/.wh.precious", "")]).unwrap();
    let below = outside.trim_start_matches('/');
    assert_eq!(sandbox.text(&format!("{below}/new")), "new");
}

#[test]
fn refuses_hostile_layers() {
    let refused: [(&[Vec<u8>], &[&str]); 15] = [
        (&[file("../../../precious", "x")], &["../../../precious", "leaves the image"]),
        (&[file("usr/../../x", "x")], &["usr/../../x", "leaves the image"]),
        (&[file("/../x", "x")], &["/../x", "leaves the image"]),
        (&[folder("..")], &["..", "leaves the image"]),
        (&[link("x", "../../../precious")], &["links x to ../../../precious", "leaves the image"]),
        (&[link("usr/x", "a/../../../b")], &["links usr/x", "leaves the image"]),
        (&[link("usr/x", "/../../etc/passwd")], &["links usr/x", "leaves the image"]),
        (&[entry(EntryType::Link, "x", "../../../precious", 0, b"")], &["links x to", "leaves the image"]),
        (&[entry(EntryType::Link, "x", "/", 0, b"")], &["links x to", "not a file"]),
        (&[entry(EntryType::Char, "usr/null", "", 0o666, b"")], &["device file usr/null"]),
        (&[entry(EntryType::Block, "sda", "", 0o666, b"")], &["device file sda"]),
        (&[entry(EntryType::Fifo, "run/pipe", "", 0o666, b"")], &["named pipe run/pipe"]),
        (&[file("usr/.wh...", "")], &["usr/.wh..."]),
        (&[file(".wh.", "")], &[".wh."]),
        (&[entry(EntryType::new(b'Z'), "x", "", 0o644, b"")], &["holds x", "not allowed"]),
    ];
    for (entries, words) in refused {
        Sandbox::new().refuses(entries, words);
    }
}

#[test]
fn names_of_entries_are_bounded() {
    let sandbox = Sandbox::new();
    let long = |kind: EntryType| entry(kind, "././@LongLink", "", 0o644, &vec![b'x'; 3 << 20]);
    for kind in [EntryType::GNULongName, EntryType::GNULongLink, EntryType::XHeader] {
        sandbox.refuses(&[file("a", &"x".repeat(3 << 20)), long(kind), file("b", "")], &["longer than 1 MiB"]);
    }
}

#[test]
fn deep_paths_are_refused() {
    let deep = |depth: usize| format!("{}f", "a/".repeat(depth - 1));
    Sandbox::new().apply(&[file(&deep(40), ""), file(&"b/".repeat(24), "")]).unwrap();
    // The name field has 100 bytes; a long name precedes the entry.
    let long = entry(EntryType::GNULongName, "././@LongLink", "", 0o644, format!("{}\0", deep(65)).as_bytes());
    Sandbox::new().refuses(&[long, file("a", "")], &["a/a/a/…", "more than 64 parts"]);
    // By links, short paths lead deeper and deeper.
    let sandbox = Sandbox::new();
    let entries = [file(&deep(40), ""), link("l", &"a/".repeat(39)), file(&format!("l/{}", deep(40)), "")];
    sandbox.refuses(&entries, &["more than 64 parts"]);
}

#[test]
fn folders_without_entries_are_counted() {
    let sandbox = Sandbox::new();
    let mut unpacker = Unpacker {
        root: &sandbox.root,
        kind: ArchiveKind::Archive("x"),
        monitor: &Interruption(AtomicBool::new(false)),
        added: HashSet::new(),
        added_bytes: 0,
        remaining_bytes: 0,
        remaining_entries: Cell::new(3),
    };
    unpacker.create_parent(Path::new("a/b/c/file")).unwrap();
    assert_eq!(unpacker.remaining_entries.get(), 0);
    unpacker.create_parent(Path::new("a/b/c/other")).unwrap();
    let error = unpacker.create_parent(Path::new("a/b/d/file")).unwrap_err().to_string();
    assert!(error.contains("more than 1000000 entries and folders"), "{error}");
    unpacker.added_bytes = MAX_PATH_BYTES - 10;
    let error = unpacker.remember(&sandbox.root.join("a/b")).unwrap_err().to_string();
    assert!(error.contains("paths of more than 256 MiB"), "{error}");
}

#[test]
fn zeros_take_no_space_on_the_disk() {
    let sandbox = Sandbox::new();
    let mut content = vec![0; 8 << 20];
    content[5 << 20] = b'x';
    sandbox.apply(&[entry(EntryType::Regular, "f", "", 0o644, &content)]).unwrap();
    let path = sandbox.root.join("f");
    assert!(fs::read(&path).unwrap() == content);
    assert!(std::os::unix::fs::MetadataExt::blocks(&fs::metadata(&path).unwrap()) * 512 < 2 << 20);
}

#[test]
fn only_padding_may_follow_the_end() {
    let monitor = Interruption(AtomicBool::new(false));
    let kind = ArchiveKind::Layer("sha256:1234");
    skip_padding(kind, &mut io::repeat(0).take(MAX_TRAILING_BYTES), &monitor).unwrap();
    let error = skip_padding(kind, &mut io::repeat(0), &monitor).unwrap_err().to_string();
    assert!(error.contains("more than 1 MiB after its end"), "{error}");
    monitor.0.store(true, Ordering::Relaxed);
    assert!(matches!(skip_padding(kind, &mut io::empty(), &monitor), Err(Error::Interrupted)));
}

#[test]
fn ignores_devices_of_base_images() {
    let sandbox = Sandbox::new();
    sandbox.apply(&[entry(EntryType::Char, "dev/null", "", 0o666, b""), file("dev/text", "")]).unwrap();
    assert!(!sandbox.has("dev/null") && sandbox.has("dev/text"));
}

#[test]
fn hard_link_to_symlink_is_rewritten() {
    let sandbox = Sandbox::new();
    let entries = [
        file("etc/x", "x"),
        link("usr/share/deep/l", "../../../etc/x"),
        entry(EntryType::Link, "l", "usr/share/deep/l", 0, b""),
    ];
    sandbox.apply(&entries).unwrap();
    assert_eq!(sandbox.text("l"), "x");
    assert_eq!(fs::read_link(sandbox.root.join("l")).unwrap(), Path::new("etc/x"));
}

#[test]
fn reports_broken_layers() {
    let sandbox = Sandbox::new();
    let mut truncated = file("a", &"x".repeat(5000));
    truncated.truncate(2000);
    let error =
        apply(&sandbox.root, ArchiveKind::Layer("sha256:1234"), &truncated[..], &Interruption(AtomicBool::new(false)))
            .unwrap_err()
            .to_string();
    assert!(error.contains("sha256:1234") && error.contains("not a valid tar archive"), "{error}");
    sandbox.apply(&[link("a", "b"), link("b", "a")]).unwrap();
    let looped = sandbox.apply(&[file("a/x", "")]).unwrap_err().to_string();
    assert!(looped.contains("links"), "{looped}");
    let below = sandbox.apply(&[file("f", ""), file("f/x", "")]).unwrap_err().to_string();
    assert!(below.contains("cannot create"), "{below}");
    let stopped =
        apply(&sandbox.root, ArchiveKind::Layer("x"), &file("a", "")[..], &Interruption(AtomicBool::new(true)))
            .unwrap_err();
    assert!(matches!(stopped, Error::Interrupted));
}
