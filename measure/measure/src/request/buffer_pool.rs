//! The requested size of each variant's buffer pool.

use std::fmt;
use std::str::FromStr;

pub(crate) const MIB: u64 = 1 << 20;

/// Minimum of a requested buffer pool, which every server accepts. MySQL's minimum is 5 MiB,
/// MariaDB's is slightly larger.
pub(crate) const MIN_BUFFER_POOL: u64 = 8 * MIB;

/// Requested size of the buffer pool of each variant's instance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BufferPool {
    /// As a share of the baseline's tables, such as 0.25.
    Share(f64),
    Bytes(u64),
}

impl FromStr for BufferPool {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const EXPECTED_FORM: &str =
            "give a percentage of the baseline's tables, such as 25%, or a size such as 512M or 2G";
        if let Some(number) = text.strip_suffix('%') {
            return match number.trim().parse::<f64>() {
                Ok(percent) if percent > 0.0 && percent <= 1000.0 => Ok(Self::Share(percent / 100.0)),
                _ => Err(EXPECTED_FORM),
            };
        }
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let unit = match &text[digits.len()..] {
            "" => 1,
            "K" | "k" => 1 << 10,
            "M" | "m" => MIB,
            "G" | "g" => 1 << 30,
            _ => return Err(EXPECTED_FORM),
        };
        let bytes = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(unit)).ok_or(EXPECTED_FORM)?;
        if bytes < MIN_BUFFER_POOL {
            Err("servers start with a buffer pool of 8M or more")
        } else {
            Ok(Self::Bytes(bytes))
        }
    }
}

/// Formats the size as the user types it: `25%`, `512M`.
impl fmt::Display for BufferPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Share(share) => write!(f, "{}%", (share * 1e6).round() / 1e4),
            Self::Bytes(bytes) if bytes % MIB == 0 => write!(f, "{}M", bytes / MIB),
            Self::Bytes(bytes) => write!(f, "{bytes}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> &'static str {
        text.parse::<BufferPool>().unwrap_err()
    }

    #[test]
    fn sizes_are_shares_or_bytes() {
        assert_eq!("25%".parse(), Ok(BufferPool::Share(0.25)));
        assert_eq!("2G".parse(), Ok(BufferPool::Bytes(2 << 30)));
        assert_eq!("8388608".parse(), Ok(BufferPool::Bytes(8 << 20)));
        for wrong in ["", "x", "0%", "-1%", "2T", "1001%", "99999999999G", "%", "NaN%"] {
            assert!(refusal(wrong).contains("such as 25%"), "{wrong}");
        }
        assert!(refusal("1M").contains("8M or more"));
        for text in ["25%", "12.5%", "512M", "8388609"] {
            assert_eq!(text.parse::<BufferPool>().unwrap().to_string(), text);
        }
    }
}
