//! The order of lines: a collation's, and what decides where it sees no difference.

use std::cmp::Ordering;
use std::hint::black_box;

use extsort::Ties;
use mysql_collation::Collation;

/// How lines are put in order.
pub struct Order {
    pub collation: Collation,
    /// The other way round.
    pub reverse: bool,
    /// Only the first of equal lines.
    pub unique: bool,
    /// Equal lines stay as they came; else their bytes decide, which `reverse` turns round as well.
    pub stable: bool,
}

impl Order {
    /// Puts lines in order.
    pub fn arrange(&self, lines: &mut Vec<&[u8]>) {
        self.collation.sort(lines);
        if self.unique {
            lines.dedup_by(|next, kept| self.collation.equals(kept, next));
        } else if !self.stable {
            self.each_run(lines, <[_]>::sort_unstable);
        }
        if self.reverse {
            lines.reverse();
            if self.stable {
                self.each_run(lines, <[_]>::reverse);
            }
        }
    }

    /// Whether a line must not stand behind this one. How equal lines stand is of no account.
    pub fn is_wrong(&self, before: &[u8], line: &[u8]) -> bool {
        let ordering = self.collation.compare(before, line);
        match if self.reverse { ordering.reverse() } else { ordering } {
            Ordering::Less => false,
            Ordering::Equal => self.unique,
            Ordering::Greater => true,
        }
    }

    /// What decides between lines of one key.
    pub fn ties(&self) -> Ties {
        if self.stable || self.unique { Ties::Arrival } else { Ties::Value }
    }

    /// The same order, of keys.
    pub fn by_key(&self) -> extsort::Order {
        extsort::Order { ties: self.ties(), descending: self.reverse }
    }

    /// Does something to each run of equal lines.
    fn each_run<'l>(&self, lines: &mut [&'l [u8]], change: impl Fn(&mut [&'l [u8]])) {
        let mut begin = 0;
        for end in 1..=lines.len() {
            if end % TOGETHER == 1 {
                fetch(&lines[end..lines.len().min(end + TOGETHER)]);
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

/// Sorted lines lie anywhere in the input, so each has to come from memory. A comparison waits for its line; reads that wait for nothing
/// are under way together.
const TOGETHER: usize = 64;

/// Where most lines differ. It may reach over two lines of the cache.
const HEAD: usize = 64;

fn fetch(lines: &[&[u8]]) {
    let ends = |line: &[u8]| {
        let head = &line[..line.len().min(HEAD)];
        head.first().zip(head.last()).map_or(0, |(first, last)| first ^ last)
    };
    black_box(lines.iter().fold(0, |sum, line| sum ^ ends(line)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use mysql_collation::Flavour;

    fn order(reverse: bool, unique: bool, stable: bool) -> Order {
        let collation = Collation::by_name(Flavour::MySql, "utf8mb4_general_ci").unwrap();
        Order { collation, reverse, unique, stable }
    }

    fn arranged(order: &Order, lines: &str) -> String {
        let mut lines: Vec<&[u8]> = lines.split(' ').map(str::as_bytes).collect();
        order.arrange(&mut lines);
        lines.iter().map(|line| std::str::from_utf8(line).unwrap()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn where_the_collation_sees_no_difference_bytes_decide_unless_told_otherwise() {
        assert_eq!(arranged(&order(false, false, false), "b a B A b"), "A a B b b");
        assert_eq!(arranged(&order(false, false, true), "b a B A b"), "a A b B b");
        assert_eq!(arranged(&order(false, true, false), "b a B A b"), "a b");
    }

    #[test]
    fn the_other_way_round_is_that_of_everything_but_the_stable_order() {
        assert_eq!(arranged(&order(true, false, false), "b a B A b"), "b b B a A");
        assert_eq!(arranged(&order(true, false, true), "b a B A b"), "b B b a A");
        assert_eq!(arranged(&order(true, true, false), "b a B A b"), "b a");
    }

    #[test]
    fn runs_are_found_wherever_they_lie() {
        for count in [0, 1, 2, TOGETHER - 1, TOGETHER, TOGETHER + 1, 3 * TOGETHER] {
            let texts: Vec<String> =
                (0..count).flat_map(|number| [format!("b{number}"), format!("B{number}")]).collect();
            let mut lines: Vec<&[u8]> = texts.iter().map(String::as_bytes).collect();
            order(false, false, false).arrange(&mut lines);
            assert_eq!(lines.len(), 2 * count);
            assert!(lines.chunks_exact(2).all(|pair| pair[0] < pair[1] && pair[0].eq_ignore_ascii_case(pair[1])));
        }
        let mut alike = [b"a".as_slice(), b"A"].repeat(2 * TOGETHER);
        order(false, false, false).arrange(&mut alike);
        assert!(alike.is_sorted());
    }

    #[test]
    fn a_line_is_wrong_behind_a_greater_one() {
        let is_wrong = |order: &Order, before: &str, line: &str| order.is_wrong(before.as_bytes(), line.as_bytes());
        let (plain, unique, reverse) =
            (order(false, false, false), order(false, true, false), order(true, false, false));
        assert!(is_wrong(&plain, "b", "a") && !is_wrong(&plain, "a", "A") && !is_wrong(&plain, "A", "b"));
        assert!(is_wrong(&unique, "a", "A"));
        assert!(is_wrong(&reverse, "A", "b") && !is_wrong(&reverse, "b", "B") && !is_wrong(&reverse, "b", "a"));
    }
}
