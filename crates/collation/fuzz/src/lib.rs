//! What the fuzz targets share.

use std::sync::LazyLock;

use mysql_collation::{Collation, Flavour, catalogue, oracle};

/// Names the instruction set to take; the best one of the machine, if it is not set.
const INSTRUCTION_SET: &str = "INSTRUCTION_SET";

/// A collation of all, by a number.
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

/// A pair that shares more than random texts do: the second text is its own, or the first with it in place of what comes after a
/// border anywhere.
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
