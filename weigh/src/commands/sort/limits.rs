//! Limits of a sort: memory, temporary folder, threads.

use std::path::PathBuf;
use std::str::FromStr;
use std::thread;

pub struct SortLimits {
    /// Bytes for lines while they are sorted.
    pub memory: usize,
    pub folder: PathBuf,
    /// Runs sorted at a time.
    pub threads: usize,
}

/// Maximum of threads by default, as in GNU sort.
const MAX_THREADS: usize = 8;

/// Returns the default number of threads: one per processor, at most [`MAX_THREADS`].
pub fn default_threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS)
}

/// Size as of GNU sort's `-S`: `500M`, `2G`, `50%`; in KiB without a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(pub usize);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text.len() - text.trim_start_matches(|character: char| character.is_ascii_digit()).len();
        let (number, unit) = text.split_at(digits);
        let factor = match unit {
            "b" => Some(1),
            "" | "K" | "k" => Some(1 << 10),
            "M" | "m" => Some(1 << 20),
            "G" | "g" => Some(1 << 30),
            "T" | "t" => Some(1 << 40),
            "%" => total_memory().map(|bytes| bytes / 100),
            _ => None,
        };
        let bytes = number.parse::<usize>().ok().zip(factor).and_then(|(number, factor)| number.checked_mul(factor));
        match bytes {
            Some(0) => Err("must be larger than 0".into()),
            Some(bytes) => Ok(Self(bytes)),
            None => Err("write it as 500M, 2G or 50%; without a letter it is in KiB".into()),
        }
    }
}

fn total_memory() -> Option<usize> {
    let info = rustix::system::sysinfo();
    (info.totalram as usize).checked_mul(info.mem_unit as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_sizes_as_gnu_sort() {
        let size = |text: &str| text.parse::<Size>().map(|size| size.0);
        assert_eq!(size("5"), Ok(5 << 10));
        assert_eq!(size("5K"), Ok(5 << 10));
        assert_eq!(size("200M"), Ok(200 << 20));
        assert_eq!(size("2G"), Ok(2 << 30));
        assert_eq!(size("7b"), Ok(7));
        assert!(size("50%").unwrap() < size("100%").unwrap());
        for wrong in ["", "M", "-1", "1 M", "1MB", "0", "99999999999999T", "1.5G"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }
}
