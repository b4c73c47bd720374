//! The guide names every check.

use std::fs;
use std::path::Path;

#[test]
fn the_guide_names_every_check() {
    let guide = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/audit.md")).unwrap();
    for check in audit::CHECKS {
        let line = format!("| `{}` | {} |", check.name, check.title);
        assert!(guide.contains(&line), "docs/audit.md lacks: {line}");
    }
}
