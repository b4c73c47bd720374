//! The names in `words` tables: pure functions of seed, table and id, so that a lookup always finds its row.
//!
//! A name is `<word> <word> <family>-<member> <word> <word>`. Ten rows in a row are a family: they share all up to the hyphen and nobody
//! else has that, which gives LIKE 'prefix%' its ten matches. The two numbers keep names apart under every collation, also where it
//! takes all emoji, or all accents, for the same.

use std::fmt::Write as _;

use crate::options::Options;
use crate::random::{Purpose, Random};
use crate::text::Text;

/// Rows that share the start of their names.
pub(crate) const FAMILY: u32 = 10;
/// Teams in all, whatever the table.
pub(crate) const TEAMS: u64 = 100;

/// Writes the names of one table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Names {
    pub seed: u64,
    pub text: Text,
    /// The table's number, from 1.
    pub table: u32,
    /// The table's rows.
    pub rows: u32,
}

impl Names {
    /// The names of the table with this number.
    pub fn of(options: &Options, table: u32) -> Self {
        Self { seed: options.seed, text: options.text, table, rows: options.table_size }
    }

    /// Appends what all names of the row's family begin with, and no other name does.
    pub fn push_prefix(&self, id: u32, out: &mut String) {
        let family = (id - 1) / FAMILY;
        let random = &mut self.random(Purpose::NamePrefix, family);
        let gap = self.text.separator();
        self.text.push_word(random, out);
        out.push_str(gap);
        self.text.push_word(random, out);
        let _ = write!(out, "{gap}{family:07}-");
    }

    /// Appends the row's name: unique in its table, at most 64 characters.
    pub fn push_name(&self, id: u32, out: &mut String) {
        self.push_prefix(id, out);
        let random = &mut self.random(Purpose::NameSuffix, id);
        let gap = self.text.separator();
        let _ = write!(out, "{}{gap}", (id - 1) % FAMILY);
        self.text.push_word(random, out);
        out.push_str(gap);
        self.text.push_word(random, out);
    }

    /// Appends the name of another row (its own where there is no other).
    pub fn push_friend(&self, id: u32, out: &mut String) {
        let steps = 1 + self.random(Purpose::Friend, id).below(u64::from(self.rows.saturating_sub(1)));
        let friend = (u64::from(id - 1) + steps) % u64::from(self.rows.max(1));
        self.push_name(1 + friend as u32, out);
    }

    /// Appends the name of the row's team, one of [`TEAMS`].
    pub fn push_team(&self, id: u32, out: &mut String) {
        let team = self.random(Purpose::Membership, id).below(TEAMS);
        let random = &mut Random::new(self.seed, Purpose::Team, 0, team);
        let gap = self.text.separator();
        self.text.push_word(random, out);
        out.push_str(gap);
        self.text.push_word(random, out);
        let _ = write!(out, "{gap}{team:02}");
    }

    fn random(&self, purpose: Purpose, minor: u32) -> Random {
        Random::new(self.seed, purpose, u64::from(self.table), u64::from(minor))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    fn written(push: impl Fn(&mut String)) -> String {
        let mut out = String::new();
        push(&mut out);
        out
    }

    proptest! {
        #[test]
        fn names_fit_varchar_64_whatever_the_id(seed: u64, kind in 0..Text::ALL.len(), id in 1..=u32::MAX) {
            let names = Names { seed, text: Text::ALL[kind], table: 1, rows: u32::MAX };
            let name = written(|out| names.push_name(id, out));
            prop_assert!(name.chars().count() <= 64, "{}", name);
            prop_assert_eq!(name.trim(), name.as_str());
            prop_assert!(name.starts_with(&written(|out| names.push_prefix(id, out))));
            prop_assert_ne!(name, written(|out| names.push_friend(id, out)));
            prop_assert!(written(|out| names.push_team(id, out)).chars().count() <= 64);
        }
    }

    #[test]
    fn names_are_unique_and_a_prefix_is_shared_by_ten() {
        for text in Text::ALL {
            let names = Names { seed: 1, text, table: 1, rows: 1000 };
            let all: Vec<String> = (1..=1000).map(|id| written(|out| names.push_name(id, out))).collect();
            assert_eq!(all.iter().collect::<HashSet<_>>().len(), 1000, "{text}");
            let prefix = written(|out| names.push_prefix(500, out));
            assert_eq!(all.iter().filter(|name| name.starts_with(&prefix)).count(), FAMILY as usize, "{text}");
        }
    }

    #[test]
    fn the_digits_of_names_alone_keep_them_apart() {
        // All that some collations tell apart in names of emoji.
        let names = Names { seed: 1, text: Text::Emoji, table: 1, rows: 1000 };
        let digits = |id| written(|out| names.push_name(id, out)).chars().filter(char::is_ascii).collect::<String>();
        assert_eq!((1..=1000).map(digits).collect::<HashSet<_>>().len(), 1000);
    }

    #[test]
    fn a_friend_is_the_name_of_a_row() {
        let names = Names { seed: 1, text: Text::Latin, table: 2, rows: 25 };
        let all: HashSet<String> = (1..=25).map(|id| written(|out| names.push_name(id, out))).collect();
        assert!((1..=25).all(|id| all.contains(&written(|out| names.push_friend(id, out)))));
        let alone = Names { rows: 1, ..names };
        assert_eq!(written(|out| alone.push_friend(1, out)), written(|out| alone.push_name(1, out)));
    }

    #[test]
    fn there_are_a_hundred_teams() {
        let names = Names { seed: 1, text: Text::Mixed, table: 1, rows: 10_000 };
        let teams: HashSet<String> = (1..=10_000).map(|id| written(|out| names.push_team(id, out))).collect();
        assert_eq!(teams.len() as u64, TEAMS);
    }
}
