//! What a sort may use: memory, a folder, threads.

use std::path::PathBuf;
use std::str::FromStr;
use std::thread;

/// What a sort may use.
pub struct Room {
    /// Bytes for lines while they are sorted.
    pub memory: usize,
    /// The folder of temporary files.
    pub folder: PathBuf,
    /// How many runs are sorted at the same time.
    pub threads: usize,
}

/// The most threads that are taken unless more are asked for, as GNU sort does.
const MOST: usize = 8;

/// As many threads as there are processors.
pub fn threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from).min(MOST)
}

/// A size as GNU sort's `-S` takes it: a number, in KiB unless a letter follows.
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
            "%" => memory().map(|bytes| bytes / 100),
            _ => None,
        };
        let bytes = number.parse::<usize>().ok().zip(factor).and_then(|(number, factor)| number.checked_mul(factor));
        match bytes {
            Some(0) => Err("it is nothing".into()),
            Some(bytes) => Ok(Self(bytes)),
            None => Err("write it as 500M, 2G or 50%; without a letter it is in KiB".into()),
        }
    }
}

/// The memory of the machine, in bytes.
fn memory() -> Option<usize> {
    let info = rustix::system::sysinfo();
    (info.totalram as usize).checked_mul(info.mem_unit as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_gnu_sort() {
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
