//! Functions shared by the fuzz targets.

use std::sync::LazyLock;

use mysql_collation::{Collation, Flavour, catalogue, oracle};

/// Environment variable with the instruction set to test. Default: the machine's best.
const INSTRUCTION_SET: &str = "INSTRUCTION_SET";

/// Returns a collation by an arbitrary number.
pub fn collation(number: u16) -> Collation {
    static ALL: LazyLock<Vec<Collation>> = LazyLock::new(|| {
        if let Ok(name) = std::env::var(INSTRUCTION_SET) {
            assert!(oracle::instruction_sets().any(|known| known == name), "this machine has no {name}");
            oracle::use_instruction_set(&name);
        }
        let of = |flavour| catalogue(flavour).iter().filter_map(move |info| Collation::by_id(flavour, info.id).ok());
        Flavour::ALL.into_iter().flat_map(of).collect()
    });
    ALL[usize::from(number) % ALL.len()]
}

/// Returns a text related to `a`. Depending on `cut`, the result is `b`, or `a` with the bytes from
/// `cut` on overwritten by `b`.
pub fn related(a: &[u8], b: &[u8], cut: u8) -> Vec<u8> {
    let cut = usize::from(cut);
    if cut > a.len() {
        return b.to_vec();
    }
    let mut text = a[..cut].to_vec();
    text.extend_from_slice(b);
    text.extend(a[cut..].iter().skip(b.len()));
    text
}
