//! Names in `words` tables. They depend only on seed, kind of text, table and id, so that a lookup
//! always finds its row.
//!
//! A name is `<word> <word> <group>-<member> <word> <word>`, with the text's separator in place of
//! the spaces. Ten consecutive rows are a group. The text before the member is unique to the group,
//! so that LIKE 'prefix%' matches its rows. The two numbers make the names of a table different
//! under every collation, even one under which all emoji, or all accents, are equal.

use std::fmt::Write as _;

use crate::options::Options;
use crate::random::{Purpose, Random};
use crate::text::Text;

/// Number of rows that share a prefix.
pub(crate) const PREFIX_ROWS: u32 = 10;
/// Number of teams, the same in all tables.
pub(crate) const TEAM_COUNT: u64 = 100;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Names {
    pub seed: u64,
    pub text: Text,
    /// Number of the table, from 1.
    pub table: u32,
    /// Number of rows of the table. Friends are chosen among them.
    pub rows: u32,
}

impl Names {
    /// Creates the names of the table with this number.
    pub fn for_table(options: &Options, table: u32) -> Self {
        Self { seed: options.seed, text: options.text, table, rows: options.table_size }
    }

    /// Appends the prefix of the row's group.
    pub fn push_prefix(&self, id: u32, out: &mut String) {
        let group = (id - 1) / PREFIX_ROWS;
        let random = &mut self.random(Purpose::NamePrefix, group);
        let separator = self.text.separator();
        self.text.push_word(random, out);
        out.push_str(separator);
        self.text.push_word(random, out);
        let _ = write!(out, "{separator}{group:07}-");
    }

    /// Appends the row's name, unique in its table and at most 64 characters long.
    pub fn push_name(&self, id: u32, out: &mut String) {
        self.push_prefix(id, out);
        let random = &mut self.random(Purpose::NameSuffix, id);
        let separator = self.text.separator();
        let _ = write!(out, "{}{separator}", (id - 1) % PREFIX_ROWS);
        self.text.push_word(random, out);
        out.push_str(separator);
        self.text.push_word(random, out);
    }

    /// Appends the name of another row; the row's own name if the table has one row.
    pub fn push_friend(&self, id: u32, out: &mut String) {
        let steps = 1 + self.random(Purpose::Friend, id).below(u64::from(self.rows.saturating_sub(1)));
        let friend = (u64::from(id - 1) + steps) % u64::from(self.rows.max(1));
        self.push_name(1 + friend as u32, out);
    }

    /// Appends the name of the row's team, one of [`TEAM_COUNT`].
    pub fn push_team(&self, id: u32, out: &mut String) {
        let team = self.random(Purpose::Membership, id).below(TEAM_COUNT);
        let random = &mut Random::new(self.seed, Purpose::Team, 0, team);
        let separator = self.text.separator();
        self.text.push_word(random, out);
        out.push_str(separator);
        self.text.push_word(random, out);
        let _ = write!(out, "{separator}{team:02}");
    }

    fn random(&self, purpose: Purpose, minor: u32) -> Random {
        Random::new(self.seed, purpose, u64::from(self.table), u64::from(minor))
    }
}

/// Names, friends and teams as owned texts, for tables other than those of [`tables`].
///
/// [`tables`]: crate::tables
#[derive(Clone, Copy, Debug)]
pub struct PersonTexts(Names);

impl PersonTexts {
    /// Takes text, seed and number of rows of `options`.
    pub fn new(options: &Options) -> Self {
        Self(Names::for_table(options, 1))
    }

    /// Returns the name of the row, unique for each id from 1.
    pub fn name(&self, id: u32) -> String {
        self.collect(|names, out| names.push_name(id, out))
    }

    /// Returns the beginning of the row's name, which ten consecutive rows share.
    pub fn prefix(&self, id: u32) -> String {
        self.collect(|names, out| names.push_prefix(id, out))
    }

    /// Returns the name of another row.
    pub fn friend(&self, id: u32) -> String {
        self.collect(|names, out| names.push_friend(id, out))
    }

    /// Returns the row's team, one of 100.
    pub fn team(&self, id: u32) -> String {
        self.collect(|names, out| names.push_team(id, out))
    }

    fn collect(&self, push: impl FnOnce(&Names, &mut String)) -> String {
        let mut text = String::new();
        push(&self.0, &mut text);
        text
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
        fn names_fit_varchar_64(seed: u64, kind in 0..Text::ALL.len(), id in 1..=u32::MAX) {
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
    fn names_are_unique_and_ten_share_a_prefix() {
        for text in Text::ALL {
            let names = Names { seed: 1, text, table: 1, rows: 1000 };
            let all: Vec<String> = (1..=1000).map(|id| written(|out| names.push_name(id, out))).collect();
            assert_eq!(all.iter().collect::<HashSet<_>>().len(), 1000, "{text}");
            let prefix = written(|out| names.push_prefix(500, out));
            assert_eq!(all.iter().filter(|name| name.starts_with(&prefix)).count(), PREFIX_ROWS as usize, "{text}");
        }
    }

    #[test]
    fn digits_of_names_are_unique() {
        // ASCII characters alone must distinguish names of emoji: some collations ignore emoji.
        let names = Names { seed: 1, text: Text::Emoji, table: 1, rows: 1000 };
        let digits = |id| written(|out| names.push_name(id, out)).chars().filter(char::is_ascii).collect::<String>();
        assert_eq!((1..=1000).map(digits).collect::<HashSet<_>>().len(), 1000);
    }

    #[test]
    fn friends_are_names_of_rows() {
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
        assert_eq!(teams.len() as u64, TEAM_COUNT);
    }
}
