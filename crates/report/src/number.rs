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

/// Three significant digits, no exponent: `0.0123`, `1.23`, `12.3`, `123`.
pub(crate) fn significant(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let magnitude = value.abs().log10().floor() as i32;
    let decimals = (2 - magnitude).clamp(0, 6) as usize;
    format!("{value:.decimals$}")
}

/// A figure that may be unknown.
pub(crate) fn or_dash(value: Option<String>) -> String {
    value.unwrap_or_else(|| "–".into())
}

/// A fraction in percent: whole from 10 % on, one decimal below.
pub(crate) fn percent(fraction: f64) -> String {
    let percent = fraction * 100.0;
    if percent.abs() >= 9.95 { format!("{percent:.0} %") } else { format!("{percent:.1} %") }
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
    }

    #[test]
    fn three_digits_tell_enough() {
        for (value, text) in [(0.0, "0"), (0.01234, "0.0123"), (1.234, "1.23"), (12.34, "12.3"), (1234.5, "1234")] {
            assert_eq!(significant(value), text);
        }
    }

    #[test]
    fn percentages_have_a_decimal_where_it_matters() {
        assert_eq!(percent(0.0124), "1.2 %");
        assert_eq!(percent(0.45), "45 %");
        assert_eq!(percent(0.0999), "10 %");
    }
}
