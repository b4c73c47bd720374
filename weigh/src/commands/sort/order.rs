//! Order of lines: by a collation, then by `--stable`, `--unique` and `--reverse`.

use std::cmp::Ordering;
use std::hint::black_box;

use extsort::Ties;
use mysql_collation::Collation;

pub struct Order {
    pub collation: Collation,
    pub reverse: bool,
    /// Keeps only the first of lines that are equal under the collation.
    pub unique: bool,
    /// Keeps equal lines in input order. Otherwise their bytes decide, in reverse with `reverse`.
    pub stable: bool,
}

impl Order {
    pub fn sort(&self, lines: &mut Vec<&[u8]>) {
        self.collation.sort(lines);
        if self.unique {
            lines.dedup_by(|next, kept| self.collation.equals(kept, next));
        } else if !self.stable {
            self.for_each_equal_run(lines, <[_]>::sort_unstable);
        }
        if self.reverse {
            lines.reverse();
            if self.stable {
                self.for_each_equal_run(lines, <[_]>::reverse);
            }
        }
    }

    /// Returns `true` if `line` must not follow `before`. Equal lines may have any order; with
    /// `unique` they must not occur.
    pub fn is_out_of_order(&self, before: &[u8], line: &[u8]) -> bool {
        let ordering = self.collation.compare(before, line);
        match if self.reverse { ordering.reverse() } else { ordering } {
            Ordering::Less => false,
            Ordering::Equal => self.unique,
            Ordering::Greater => true,
        }
    }

    /// Returns what decides between lines with equal keys.
    pub fn ties(&self) -> Ties {
        if self.stable || self.unique { Ties::Arrival } else { Ties::Value }
    }

    pub fn key_order(&self) -> extsort::Order {
        extsort::Order { ties: self.ties(), descending: self.reverse }
    }

    fn for_each_equal_run<'l>(&self, lines: &mut [&'l [u8]], change: impl Fn(&mut [&'l [u8]])) {
        let mut begin = 0;
        for end in 1..=lines.len() {
            if end % PREFETCH_LINES == 1 {
                prefetch(&lines[end..lines.len().min(end + PREFETCH_LINES)]);
            }
            if end < lines.len() && self.collation.equals(lines[end - 1], lines[end]) {
                continue;
            }
            if end - begin > 1 {
                change(&mut lines[begin..end]);
            }
            begin = end;
        }
    }
}

/// Lines read ahead together. Sorted lines lie anywhere in the input, so each comparison would wait
/// for a cache miss; independent reads overlap.
const PREFETCH_LINES: usize = 64;

/// Bytes read ahead of each line, where most lines differ. They can span two cache lines.
const PREFETCH_BYTES: usize = 64;

fn prefetch(lines: &[&[u8]]) {
    let read_ends = |line: &[u8]| {
        let head = &line[..line.len().min(PREFETCH_BYTES)];
        head.first().zip(head.last()).map_or(0, |(first, last)| first ^ last)
    };
    black_box(lines.iter().fold(0, |sum, line| sum ^ read_ends(line)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use mysql_collation::Flavour;

    fn order(reverse: bool, unique: bool, stable: bool) -> Order {
        let collation = Collation::by_name(Flavour::MySql, "utf8mb4_general_ci").unwrap();
        Order { collation, reverse, unique, stable }
    }

    fn sorted(order: &Order, lines: &str) -> String {
        let mut lines: Vec<&[u8]> = lines.split(' ').map(str::as_bytes).collect();
        order.sort(&mut lines);
        lines.iter().map(|line| std::str::from_utf8(line).unwrap()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn bytes_decide_between_equal_lines() {
        assert_eq!(sorted(&order(false, false, false), "b a B A b"), "A a B b b");
        assert_eq!(sorted(&order(false, false, true), "b a B A b"), "a A b B b");
        assert_eq!(sorted(&order(false, true, false), "b a B A b"), "a b");
    }

    #[test]
    fn reverse_keeps_the_stable_order() {
        assert_eq!(sorted(&order(true, false, false), "b a B A b"), "b b B a A");
        assert_eq!(sorted(&order(true, false, true), "b a B A b"), "b B b a A");
        assert_eq!(sorted(&order(true, true, false), "b a B A b"), "b a");
    }

    #[test]
    fn finds_equal_runs_at_prefetch_boundaries() {
        for count in [0, 1, 2, PREFETCH_LINES - 1, PREFETCH_LINES, PREFETCH_LINES + 1, 3 * PREFETCH_LINES] {
            let texts: Vec<String> =
                (0..count).flat_map(|number| [format!("b{number}"), format!("B{number}")]).collect();
            let mut lines: Vec<&[u8]> = texts.iter().map(String::as_bytes).collect();
            order(false, false, false).sort(&mut lines);
            assert_eq!(lines.len(), 2 * count);
            assert!(lines.chunks_exact(2).all(|pair| pair[0] < pair[1] && pair[0].eq_ignore_ascii_case(pair[1])));
        }
        let mut equal = [b"a".as_slice(), b"A"].repeat(2 * PREFETCH_LINES);
        order(false, false, false).sort(&mut equal);
        assert!(equal.is_sorted());
    }

    #[test]
    fn finds_lines_out_of_order() {
        let is_out_of_order =
            |order: &Order, before: &str, line: &str| order.is_out_of_order(before.as_bytes(), line.as_bytes());
        let (default, unique, reverse) =
            (order(false, false, false), order(false, true, false), order(true, false, false));
        assert!(
            is_out_of_order(&default, "b", "a")
                && !is_out_of_order(&default, "a", "A")
                && !is_out_of_order(&default, "A", "b")
        );
        assert!(is_out_of_order(&unique, "a", "A"));
        assert!(
            is_out_of_order(&reverse, "A", "b")
                && !is_out_of_order(&reverse, "b", "B")
                && !is_out_of_order(&reverse, "b", "a")
        );
    }
}
