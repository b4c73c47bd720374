//! Layers as tools write them, and as nobody should.

use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicBool, Ordering};

use tar::{Builder, Header};
use tempfile::TempDir;

use super::*;

struct Quiet(AtomicBool);

impl Watch for Quiet {
    fn step(&self, _what: &str) {}
    fn fraction(&self, _done: f64) {}
    fn is_interrupted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// An entry with any path: the library's own setters refuse the bad ones.
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
    // Without the end of the archive, so that entries can be joined.
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

/// A root inside of a folder in which nothing else may change.
struct Place {
    outer: TempDir,
    root: PathBuf,
}

impl Place {
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
        let result = apply(&self.root, "sha256:1234", &archive[..], &Quiet(AtomicBool::new(false)));
        assert_eq!(fs::read_to_string(self.outer.path().join("precious")).unwrap(), "untouched");
        assert_eq!(fs::read_dir(self.outer.path()).unwrap().count(), 2, "something was put outside");
        assert_eq!(fs::read_dir(self.outer.path().join("a/b")).unwrap().count(), 1, "something was put outside");
        result
    }

    fn refuses(&self, entries: &[Vec<u8>], words: &[&str]) {
        let message = self.apply(entries).unwrap_err().to_string();
        for word in [&["sha256:1234"], words].concat() {
            assert!(message.contains(word), "{message}");
        }
        assert!(!message.contains('\n'), "one sentence: {message}");
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    fn has(&self, path: &str) -> bool {
        fs::symlink_metadata(self.root.join(path)).is_ok()
    }
}

#[test]
fn a_layer_is_put_upon_another() {
    let place = Place::new();
    place
        .apply(&[folder("./"), folder("./usr/"), file("./usr/a", "old"), file("usr/b", "b"), file("/etc/c", "c")])
        .unwrap();
    place.apply(&[file("usr/a", "new"), entry(EntryType::Regular, "bin/x", "", 0o4755, b"#!")]).unwrap();
    assert_eq!((place.text("usr/a"), place.text("usr/b"), place.text("etc/c")), ("new".into(), "b".into(), "c".into()));
    let mode = fs::metadata(place.root.join("bin/x")).unwrap().permissions().mode();
    assert_eq!((mode & 0o7000, mode & 0o100), (0, 0o100), "a program, and nobody else's");
}

#[test]
fn whiteouts_take_away_what_is_below() {
    let place = Place::new();
    place.apply(&[file("etc/a", ""), file("etc/b", ""), file("var/lib/x/y", ""), file("opt/old", "")]).unwrap();
    place
        .apply(&[file("opt/new", ""), file("etc/.wh.a", ""), file("var/.wh.lib", ""), file("opt/.wh..wh..opq", "")])
        .unwrap();
    assert!(!place.has("etc/a") && place.has("etc/b") && !place.has("var/lib"));
    assert!(place.has("opt/new") && !place.has("opt/old"), "an opaque folder keeps what its own layer has put there");
    assert!(!place.has("etc/.wh.a"));
    // A whiteout of what is not there is no error.
    place.apply(&[file("etc/.wh.never", "")]).unwrap();
}

#[test]
fn links_lead_where_they_do_in_the_image() {
    let place = Place::new();
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
    place.apply(&entries).unwrap();
    for path in
        ["lib/libc.so", "lib64/libc.so", "usr/lib/deep", "etc/alternative", "usr/share/hard", "hard", "root/hard"]
    {
        assert_eq!(place.text(path), "libc", "{path}");
    }
    assert_eq!(place.text("usr/lib/libm.so"), "libm");
    for entry in ["lib64", "etc/alternative", "hard", "root", "absent"] {
        assert!(fs::read_link(place.root.join(entry)).unwrap().is_relative(), "{entry}");
    }
}

#[test]
fn a_file_replaces_a_link_and_is_not_written_through_it() {
    let place = Place::new();
    let outside = format!("{}/precious", place.outer.path().display());
    place.apply(&[file("a", "a"), link("b", "a"), link("c", &outside), link("d", "/")]).unwrap();
    place.apply(&[file("b", "b"), file("c", "c"), folder("d")]).unwrap();
    assert_eq!((place.text("a"), place.text("b"), place.text("c")), ("a".into(), "b".into(), "c".into()));
    assert!(fs::symlink_metadata(place.root.join("d")).unwrap().is_dir());
}

#[test]
fn what_goes_through_a_link_out_stays_inside() {
    let place = Place::new();
    let outside = place.outer.path().display().to_string();
    place.apply(&[link("out", &outside), file("out/new", "new"), file("out/.wh.precious", "")]).unwrap();
    let below = outside.trim_start_matches('/');
    assert_eq!(place.text(&format!("{below}/new")), "new");
}

#[test]
fn hostile_layers_are_refused_in_one_sentence() {
    let refused: [(&[Vec<u8>], &[&str]); 15] = [
        (&[file("../../../precious", "x")], &["../../../precious", "leaves the image"]),
        (&[file("usr/../../x", "x")], &["usr/../../x", "leaves the image"]),
        (&[file("/../x", "x")], &["/../x", "leaves the image"]),
        (&[folder("..")], &["..", "leaves the image"]),
        (&[link("x", "../../../precious")], &["links x to ../../../precious", "leaves the image"]),
        (&[link("usr/x", "a/../../../b")], &["links usr/x", "leaves the image"]),
        (&[link("usr/x", "/../../etc/passwd")], &["links usr/x", "leaves the image"]),
        (&[entry(EntryType::Link, "x", "../../../precious", 0, b"")], &["links x to", "leaves the image"]),
        (&[entry(EntryType::Link, "x", "/", 0, b"")], &["links x to", "no file"]),
        (&[entry(EntryType::Char, "usr/null", "", 0o666, b"")], &["device file usr/null"]),
        (&[entry(EntryType::Block, "sda", "", 0o666, b"")], &["device file sda"]),
        (&[entry(EntryType::Fifo, "run/pipe", "", 0o666, b"")], &["named pipe run/pipe"]),
        (&[file("usr/.wh...", "")], &["usr/.wh..."]),
        (&[file(".wh.", "")], &[".wh."]),
        (&[entry(EntryType::new(b'Z'), "x", "", 0o644, b"")], &["holds x", "no kind"]),
    ];
    for (entries, words) in refused {
        Place::new().refuses(entries, words);
    }
}

#[test]
fn devices_of_base_images_are_left_out() {
    let place = Place::new();
    place.apply(&[entry(EntryType::Char, "dev/null", "", 0o666, b""), file("dev/text", "")]).unwrap();
    assert!(!place.has("dev/null") && place.has("dev/text"));
}

#[test]
fn a_hard_link_to_a_link_stays_inside_where_it_is_put() {
    let place = Place::new();
    let entries = [
        file("etc/x", "x"),
        link("usr/share/deep/l", "../../../etc/x"),
        entry(EntryType::Link, "l", "usr/share/deep/l", 0, b""),
    ];
    place.apply(&entries).unwrap();
    assert_eq!(place.text("l"), "x");
    assert_eq!(fs::read_link(place.root.join("l")).unwrap(), Path::new("etc/x"));
}

#[test]
fn what_is_broken_is_told() {
    let place = Place::new();
    let mut cut = file("a", &"x".repeat(5000));
    cut.truncate(2000);
    let error = apply(&place.root, "sha256:1234", &cut[..], &Quiet(AtomicBool::new(false))).unwrap_err().to_string();
    assert!(error.contains("sha256:1234") && error.contains("no tar archive"), "{error}");
    place.apply(&[link("a", "b"), link("b", "a")]).unwrap();
    let looped = place.apply(&[file("a/x", "")]).unwrap_err().to_string();
    assert!(looped.contains("links"), "{looped}");
    let below = place.apply(&[file("f", ""), file("f/x", "")]).unwrap_err().to_string();
    assert!(below.contains("cannot create"), "{below}");
    let stopped = apply(&place.root, "x", &file("a", "")[..], &Quiet(AtomicBool::new(true))).unwrap_err();
    assert!(matches!(stopped, Error::Interrupted));
}
