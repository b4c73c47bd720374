//! Times and percentages in command-line options.

use std::time::Duration;

const EXPECTED_FORM: &str = "give a time such as 90, 250ms, 1.5s, 5m or 1h";

/// Longest time: a year. Sums and multiples of times stay far from overflow.
const MAX_DURATION: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Parses a time of 1 ms to a year: seconds, or a number with unit ms, s, m or h.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err(EXPECTED_FORM.into()),
    };
    let number = digits.parse::<f64>().map_err(|_| EXPECTED_FORM)?;
    let time = Duration::try_from_secs_f64(number * unit).map_err(|error| error.to_string())?;
    match time {
        _ if time < Duration::from_millis(1) => Err("give a time of 1 ms or more".into()),
        _ if time > MAX_DURATION => Err("give a time of a year (8760h) or less".into()),
        time => Ok(time),
    }
}

/// Parses a percentage above 0 and up to 100, with or without `%`, as a fraction.
pub fn parse_percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim();
    match number.parse::<f64>() {
        Ok(percent) if percent > 0.0 && percent <= 100.0 => Ok(percent / 100.0),
        _ => Err("give a percentage above 0 and up to 100, such as 2%".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!(parse_duration("90"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_duration("1.5s"), Ok(Duration::from_millis(1500)));
        assert_eq!(parse_duration("5m"), Ok(Duration::from_secs(300)));
        assert_eq!(parse_duration("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(parse_duration("8760h"), Ok(MAX_DURATION));
        for wrong in ["", "x", "5 m", "-1", "0", "1d", "inf", "1e300h", "9999999999999999999", "8761h"] {
            assert!(parse_duration(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn percentages_have_an_optional_sign() {
        assert_eq!(parse_percent("2%"), Ok(0.02));
        assert_eq!(parse_percent("2"), Ok(0.02));
        for wrong in ["", "0", "-1%", "x", "101%", "NaN"] {
            assert!(parse_percent(wrong).is_err(), "{wrong}");
        }
    }
}
