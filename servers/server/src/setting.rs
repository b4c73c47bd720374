//! Settings of private servers: `--set`, recipes, and the commands of runs that are resumed.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Prefixes that MySQL or MariaDB takes before an option's name ("Option Modifiers" in their
/// manuals).
const MODIFIERS: [&str; 6] = ["loose_", "skip_", "disable_", "enable_", "maximum_", "autoset_"];

/// Parts of names of settings that hold names of files, programs or libraries.
const NAMING_PARTS: [&str; 12] =
    ["plugin", "cmd", "init", "file", "dir", "path", "log", "load", "secure", "wsrep", "provider", "library"];

/// Name of a server's option: ASCII letters, digits, `_`, `-` and `.`. These characters can't add a
/// second option to `--NAME=VALUE`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct SettingName(Cow<'static, str>);

impl SettingName {
    /// Returns the name as the server's variable is named: `sql_mode` of `loose-SQL-mode`.
    pub fn variable(&self) -> String {
        let name = self.0.replace('-', "_").to_lowercase();
        let mut name = name.as_str();
        while let Some(rest) = MODIFIERS.iter().find_map(|modifier| name.strip_prefix(modifier)) {
            name = rest;
        }
        name.to_owned()
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_name(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    !text.is_empty() && !text.starts_with('-') && text.bytes().all(is_part)
}

impl fmt::Display for SettingName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A text that is no name of a setting.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no name of a setting: it takes letters, digits, `_`, `-` and `.`")]
pub struct SettingNameError(String);

impl TryFrom<String> for SettingName {
    type Error = SettingNameError;

    fn try_from(text: String) -> Result<Self, SettingNameError> {
        if is_name(&text) { Ok(Self(text.into())) } else { Err(SettingNameError(text)) }
    }
}

/// A setting, as in `--set NAME=VALUE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    pub name: SettingName,
    pub value: String,
}

impl Setting {
    /// Makes a setting whose name this program knows.
    pub fn known(name: &'static str, value: impl Into<String>) -> Self {
        debug_assert!(is_name(name), "{name}");
        Self { name: SettingName(name.into()), value: value.into() }
    }

    /// Adopts settings of a running server, which may be a stranger's. Leaves out names that are no
    /// names, and values with a slash: a private server may use the paths of its settings.
    pub fn adopt(settings: impl IntoIterator<Item = (String, String)>) -> Vec<Self> {
        let adopted = settings.into_iter().filter(|(_, value)| !value.contains('/'));
        adopted.filter_map(|(name, value)| Some(Self { name: name.try_into().ok()?, value })).collect()
    }

    /// True for numbers, sizes and switches, and for words in settings that hold no names of files,
    /// programs or libraries.
    pub fn is_harmless(&self) -> bool {
        let value = &self.value;
        let digits = value.trim_end_matches(['k', 'K', 'm', 'M', 'g', 'G', 't', 'T']);
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let is_switch = ["on", "off", "true", "false", "default"].iter().any(|word| value.eq_ignore_ascii_case(word));
        let is_word = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_,-".contains(&byte));
        let name = self.name.variable();
        is_number || is_switch || (is_word && !NAMING_PARTS.iter().any(|part| name.contains(part)))
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.name, self.value)
    }
}

/// A text that is no setting.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    #[error("write NAME=VALUE, such as innodb_buffer_pool_size=4G")]
    Shape,
    #[error(transparent)]
    Name(#[from] SettingNameError),
}

impl FromStr for Setting {
    type Err = SettingError;

    /// Reads `NAME=VALUE`, also `--NAME = VALUE`.
    fn from_str(text: &str) -> Result<Self, SettingError> {
        let (name, value) = text.split_once('=').ok_or(SettingError::Shape)?;
        let name = name.trim().trim_start_matches('-');
        if name.is_empty() {
            return Err(SettingError::Shape);
        }
        Ok(Self { name: name.to_owned().try_into()?, value: value.trim().to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_hold_no_other_setting() {
        for name in ["general_log_file=/x/log", "", "a b", "-x", "a\nb", "a/b", "é", "#a", "a;b"] {
            assert!(SettingName::try_from(name.to_owned()).is_err(), "{name}");
        }
        for name in ["sql_mode", "innodb-page-size", "mariabackup.x9"] {
            assert_eq!(SettingName::try_from(name.to_owned()).unwrap().as_str(), name);
        }
        let parsed: Setting = "--sort-buffer-size = 1M".parse().unwrap();
        assert_eq!(parsed.to_string(), "sort-buffer-size=1M");
        assert!("a b=1".parse::<Setting>().is_err() && "=1".parse::<Setting>() == Err(SettingError::Shape));
    }

    #[test]
    fn names_of_files_and_programs_are_recognised_in_any_spelling() {
        let is_harmless = |text: &str| text.parse::<Setting>().unwrap().is_harmless();
        for text in ["plugin_dir=x", "LOOSE-Plugin-Load=x", "loose_init-file=x", "maximum_plugin_dir=x", "tmpdir=/x"] {
            assert!(!is_harmless(text), "{text}");
        }
        for text in ["sql_mode=ANSI", "general_log=ON", "innodb_log_file_size=1G", "loose-sort_buffer_size=1"] {
            assert!(is_harmless(text), "{text}");
        }
        let variable = |name: &str| SettingName::try_from(name.to_owned()).unwrap().variable();
        assert_eq!(variable("Loose-Skip-Data_Dir"), "data_dir");
    }

    #[test]
    fn running_servers_name_no_paths() {
        let read = [("sql_mode", "ANSI"), ("innodb_file_format", "/root/.ssh"), ("a=b", "1")];
        let adopted = Setting::adopt(read.map(|(name, value)| (name.to_owned(), value.to_owned())));
        assert_eq!(adopted, [Setting::known("sql_mode", "ANSI")]);
    }
}
