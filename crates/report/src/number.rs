//! Numbers as people read them.

use measure::Estimate;

/// A count or rate with thousands separated: `143,178`.
pub(crate) fn grouped(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut out = String::with_capacity(digits.len() + digits.len() / 3 + 1);
    if value < 0.0 && digits != "0" {
        out.push('-');
    }
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Somebody's figure with thousands separated and the decimals that it has: `1,241.18`.
pub(crate) fn plain(value: f64) -> String {
    let text = value.to_string();
    let (_, decimals) = text.split_once('.').unwrap_or((&text, ""));
    let whole = grouped(value.trunc());
    if decimals.is_empty() { whole } else { format!("{whole}.{decimals}") }
}

/// `1 block`, `1,253 blocks`.
pub(crate) fn counted(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(count as f64))
}

/// A figure with so many decimals, or a dash where it is not known.
pub(crate) fn decimals(value: Option<f64>, decimals: usize) -> String {
    value.map_or_else(|| DASH.into(), |value| format!("{value:.decimals$}"))
}

/// Six significant digits of a figure: more than any measurement has, fewer than rounding leaves in the last places.
pub(crate) fn rounded(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

/// Stands where a figure is not known.
pub(crate) const DASH: &str = "–";

/// A measured fraction in percent: whole from 10 % on, one decimal below.
pub(crate) fn percent(fraction: f64) -> String {
    let percent = fraction * 100.0;
    if percent.abs() >= 9.95 { format!("{percent:.0} %") } else { format!("{percent:.1} %") }
}

/// A fraction that somebody set, in percent, with no more decimals than it has: `2 %`, `0.5 %`.
pub(crate) fn set_percent(fraction: f64) -> String {
    let rounded = format!("{:.3}", fraction * 100.0);
    format!("{} %", rounded.trim_end_matches('0').trim_end_matches('.'))
}

/// A difference with its interval: `+ 9.5 (9.0 … 10.1)`; the ends' signs are told where the interval holds 0.
pub(crate) fn difference(estimate: Estimate) -> String {
    let places = if estimate.value.abs().max(estimate.high - estimate.low) < 10.0 { 2 } else { 1 };
    let signed = |value: f64| format!("{} {:.places$}", if value < 0.0 { '−' } else { '+' }, value.abs());
    if estimate.contains(0.0) || estimate.value < 0.0 {
        return format!("{} ({} … {})", signed(estimate.value), signed(estimate.low), signed(estimate.high));
    }
    format!("{} ({:.places$} … {:.places$})", signed(estimate.value), estimate.low, estimate.high)
}

/// An estimate with its interval: `0.551 (0.543 … 0.559)`.
pub(crate) fn interval(estimate: Estimate) -> String {
    format!("{:.3} ({:.3} … {:.3})", estimate.value, estimate.low, estimate.high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        assert_eq!(grouped(0.4), "0");
        assert_eq!(grouped(999.6), "1,000");
        assert_eq!(grouped(143_178.2), "143,178");
        assert_eq!(grouped(-1_234_567.0), "-1,234,567");
        assert_eq!(grouped(-0.4), "0");
    }

    #[test]
    fn one_is_singular() {
        let counts = [0, 1, 2, 1253].map(|count| counted(count, "block"));
        assert_eq!(counts, ["0 blocks", "1 block", "2 blocks", "1,253 blocks"]);
    }

    #[test]
    fn what_is_not_known_is_a_dash() {
        assert_eq!((decimals(Some(0.0357), 3), decimals(None, 3)), ("0.036".into(), "–".into()));
    }

    #[test]
    fn six_digits_are_kept() {
        assert_eq!([0.543_210_987, 82_701.234_5, 0.0].map(rounded), [0.543_211, 82_701.2, 0.0]);
    }

    #[test]
    fn percentages_have_a_decimal_where_it_matters() {
        assert_eq!(percent(0.0124), "1.2 %");
        assert_eq!(percent(0.45), "45 %");
        assert_eq!(percent(0.0999), "10 %");
        assert_eq!([0.02, 0.07, 0.005, 0.0001, 0.1].map(set_percent), ["2 %", "7 %", "0.5 %", "0.01 %", "10 %"]);
    }
}
