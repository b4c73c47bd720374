//! Reads numbers in the form in which sysbench prints them.

/// Returns the number at the start of `text`: 12.34 for `12.34ms (95%)`. `None` if `text` does not
/// begin with a finite number.
pub(crate) fn leading_number(text: &str) -> Option<f64> {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    text[..end].parse().ok().filter(|number: &f64| number.is_finite())
}

/// Returns the first word as a whole number: 4055 for `4055   (2026.85 per sec.)`.
pub(crate) fn whole_number(text: &str) -> Option<u64> {
    text.split_whitespace().next()?.parse().ok()
}

/// Returns the part of `line` after the first occurrence of `word`.
pub(crate) fn text_after<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    line.find(word).map(|at| &line[at + word.len()..])
}
