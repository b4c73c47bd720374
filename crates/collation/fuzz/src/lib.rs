//! What the fuzz targets share.

use mysql_collation::{Collation, Flavour, catalogue};

/// A collation, by a number.
pub fn collation(number: u8) -> Collation {
    let all: Vec<Collation> = Flavour::ALL
        .into_iter()
        .flat_map(|flavour| catalogue(flavour).iter().filter_map(move |info| Collation::by_id(flavour, info.id).ok()))
        .collect();
    all[usize::from(number) % all.len()]
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
