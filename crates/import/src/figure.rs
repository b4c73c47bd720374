//! Figures as sysbench prints them.

/// A number at the beginning of a text, such as that of `12.34ms (95%)`; `None` where there is none, or none that is finite.
pub(crate) fn leading(text: &str) -> Option<f64> {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    text[..end].parse().ok().filter(|number: &f64| number.is_finite())
}

/// The first word as a whole number, such as that of `4055   (2026.85 per sec.)`.
pub(crate) fn whole(text: &str) -> Option<u64> {
    text.split_whitespace().next()?.parse().ok()
}

/// What stands behind a word, wherever in the line that is.
pub(crate) fn behind<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    line.find(word).map(|at| &line[at + word.len()..])
}
