//! Assigns functions to categories by name. The rules are data (`categories.conf`).

use std::sync::LazyLock;

use regex::RegexSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::conf::{self, ConfError};

const RULES_TEXT: &str = include_str!("../categories.conf");

/// Kind of work that the server's CPU does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Category {
    /// Decoding, validating, counting and converting characters.
    Charset,
    /// Comparing text by a collation.
    Compare,
    /// Computing sort keys of text.
    SortKey,
    /// Hashing text by a collation.
    Hash,
    /// Sorting rows.
    Sort,
    /// Parsing statements.
    Parser,
    /// Resolving names, and choosing a plan.
    Optimiser,
    /// Executing the plan.
    Executor,
    /// Reading and writing rows.
    StorageEngine,
    /// Communicating with clients, including the kernel's network code.
    Network,
    /// All other work of the kernel for the server.
    Kernel,
    /// Named functions that no rule matches, and helper functions without a known caller.
    Other,
    /// Addresses that are in no function, and unnamed functions without a named caller.
    Unknown,
}

impl Category {
    /// All categories, in the order in which reports list them.
    pub const ALL: [Self; 13] = [
        Self::Charset,
        Self::Compare,
        Self::SortKey,
        Self::Hash,
        Self::Sort,
        Self::Parser,
        Self::Optimiser,
        Self::Executor,
        Self::StorageEngine,
        Self::Network,
        Self::Kernel,
        Self::Other,
        Self::Unknown,
    ];

    /// Returns the name in `categories.conf` and in CSV.
    pub fn name(self) -> &'static str {
        match self {
            Self::Charset => "charset and validation",
            Self::Compare => "collation compare",
            Self::SortKey => "sort key",
            Self::Hash => "hash",
            Self::Sort => "sort",
            Self::Parser => "parser",
            Self::Optimiser => "optimiser",
            Self::Executor => "executor",
            Self::StorageEngine => "storage engine",
            Self::Network => "network",
            Self::Kernel => "kernel",
            Self::Other => "other",
            Self::Unknown => "unknown",
        }
    }

    /// Returns the category in words, such as `comparing strings`.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Charset => "decoding characters",
            Self::Compare => "comparing strings",
            Self::SortKey => "making sort keys",
            Self::Hash => "hashing strings",
            Self::Sort => "sorting rows",
            Self::Parser => "parsing",
            Self::Optimiser => "choosing plans",
            Self::Executor => "executing plans",
            Self::StorageEngine => "storage engine",
            Self::Network => "network",
            Self::Kernel => "kernel",
            Self::Other => "other functions",
            Self::Unknown => "unknown functions",
        }
    }

    /// True for work on text: charset conversion, comparison, sort keys and hashes.
    pub fn is_text(self) -> bool {
        matches!(self, Self::Charset | Self::Compare | Self::SortKey | Self::Hash)
    }
}

/// Role of a function, by its name and file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Belongs to a category.
    Category(Category),
    /// Helper function, which counts for its caller. Example: `memcpy`.
    Helper,
}

/// Returns the role of a user-space function.
pub(crate) fn role_of_function(function: &str, file: &str) -> Role {
    RULES
        .sections
        .iter()
        .find(|section| section.matches(function, file))
        .map_or(Role::Category(Category::Other), |section| section.role)
}

/// Returns the category of a function by itself. Helper functions, which `weigh profile` counts for
/// their callers, are [`Category::Other`].
pub fn name_category(function: &str, file: &str) -> Category {
    match role_of_function(function, file) {
        Role::Category(category) => category,
        Role::Helper => Category::Other,
    }
}

/// True if a kernel function is network code.
pub(crate) fn is_kernel_network(function: &str) -> bool {
    RULES.kernel_network.is_match(function)
}

struct Section {
    role: Role,
    names: RegexSet,
    files: RegexSet,
}

impl Section {
    fn matches(&self, function: &str, file: &str) -> bool {
        self.names.is_match(function) || self.files.is_match(file)
    }
}

struct Rules {
    sections: Vec<Section>,
    kernel_network: RegexSet,
}

static RULES: LazyLock<Rules> = LazyLock::new(|| parse(RULES_TEXT).expect("the built-in rules are valid"));

/// Parses the rules: sections for categories, one for helper functions, and one for the kernel's
/// network functions. Lines that begin with `file ` match the file name instead of the function.
fn parse(text: &str) -> Result<Rules, ConfError> {
    let mut rules = Rules { sections: Vec::new(), kernel_network: RegexSet::empty() };
    for conf::Section { heading, lines } in conf::parse_sections(text)? {
        let files: Vec<&str> = lines.iter().filter_map(|line| line.strip_prefix("file ")).collect();
        let names: Vec<&str> = lines.into_iter().filter(|line| !line.starts_with("file ")).collect();
        let set = |lines: Vec<&str>| {
            RegexSet::new(lines).map_err(|source| ConfError::Pattern { heading: heading.into(), source })
        };
        let (names, files) = (set(names)?, set(files)?);
        let role = match heading {
            "kernel network" => {
                rules.kernel_network = names;
                continue;
            }
            "helper" => Role::Helper,
            _ => {
                let known = Category::ALL.into_iter().find(|category| category.name() == heading);
                Role::Category(known.ok_or_else(|| ConfError::UnknownSection(heading.into()))?)
            }
        };
        rules.sections.push(Section { role, names, files });
    }
    Ok(rules)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_of_named_functions_have_rules() {
        let rules = parse(RULES_TEXT).unwrap();
        let with_rules: Vec<Role> = rules.sections.iter().map(|section| section.role).collect();
        for category in Category::ALL {
            let by_name = !matches!(category, Category::Kernel | Category::Other | Category::Unknown);
            assert_eq!(with_rules.contains(&Role::Category(category)), by_name, "{category:?}");
        }
        assert!(with_rules.contains(&Role::Helper) && !rules.kernel_network.is_empty());
    }

    #[test]
    fn assigns_functions_of_servers() {
        use Category::*;
        for (category, functions) in [
            (
                Charset,
                &[
                    "my_ismbchar_utf8mb4",
                    "my_charpos_mb",
                    "my_mb_wc_utf8mb4",
                    "my_lengthsp_8bit",
                    "well_formed_copy_nchars",
                    "mb_wc@utf8mb4",
                    "my_well_formed_len_utf8mb4",
                    "my_valid_mbcharlen_utf8mb4",
                    "String_copier::well_formed_copy",
                ][..],
            ),
            (
                Compare,
                &[
                    "my_strnncollsp_utf8mb4",
                    "strnncollsp@utf8mb4_0900_ai_ci(+61)",
                    "my_strnncoll_simple",
                    "my_wildcmp_uca",
                    "sortcmp",
                    "Field_varstring::cmp",
                    "stringcmp",
                ],
            ),
            (SortKey, &["my_strnxfrm_unicode", "strnxfrm@utf8mb4_unicode_ci(+96)", "Field_string::make_sort_key"]),
            (Hash, &["my_hash_sort_utf8mb4", "hash_sort@utf8mb4_general_ci", "my_hash_sort_simple_nopad"]),
            (Sort, &["filesort", "my_qsort2", "std::__introsort_loop", "Filesort::make_sortorder"]),
            (Parser, &["MYSQLparse", "MYSQLlex", "Lex_input_stream::skip_binary", "lex_one_token", "parse_sql"]),
            (Optimiser, &["JOIN::optimize", "best_access_path", "setup_fields", "Item_field::fix_fields"]),
            (
                Executor,
                &[
                    "sub_select",
                    "evaluate_join_record",
                    "Item_func::val_int",
                    "JOIN::exec",
                    "dispatch_command",
                    "TableScanIterator::Read",
                ],
            ),
            (
                StorageEngine,
                &[
                    "row_search_mvcc",
                    "btr_cur_search_to_nth_level",
                    "ha_innobase::index_read",
                    "hp_rec_hashnr",
                    "page_cur_search_with_match",
                    "mtr_t::commit",
                    "cmp_dtuple_rec_with_match",
                    "temptable::Table::insert",
                ],
            ),
            (Network, &["net_write_packet", "vio_read", "Protocol_classic::end_row"]),
            (Other, &["frobnicate"]),
        ] {
            for function in functions {
                assert_eq!(role_of_function(function, "mysqld"), Role::Category(category), "{function}");
            }
        }
        assert_eq!(role_of_function("SSL_write", "libssl.so.3"), Role::Category(Network));
        for (function, file) in [
            ("my_malloc", "mysqld"),
            ("libc.so.6+0x9a0", "libc.so.6"),
            ("std::vector::push_back", "mysqld"),
            ("alloc_root", "mysqld"),
        ] {
            assert_eq!(role_of_function(function, file), Role::Helper, "{function}");
        }
        assert!(is_kernel_network("unix_stream_sendmsg") && !is_kernel_network("do_user_addr_fault"));
    }

    #[test]
    fn rejects_malformed_rules() {
        for wrong in ["[nonsense]\nx", "x", "[sort]\n(", "[sort]\n[hash]\nx", "[sort]\na\n[sort]\nb"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
