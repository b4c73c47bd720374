//! What a function's work belongs to, by its name: the rules are data (`categories.conf`), this applies them.

use std::sync::LazyLock;

use regex::RegexSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::conf::{self, ConfError};

const RULES: &str = include_str!("../categories.conf");

/// What the server's CPU is spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Category {
    /// Decoding, validating, counting and converting characters.
    Charset,
    /// Comparing text by a collation.
    Compare,
    /// Making sort keys from text.
    SortKey,
    /// Hashing text by a collation.
    Hash,
    /// Sorting rows.
    Sort,
    /// Parsing statements.
    Parser,
    /// Resolving names, and choosing a plan.
    Optimiser,
    /// Running the plan.
    Executor,
    /// Reading and writing rows.
    StorageEngine,
    /// Talking to clients, the kernel's part included.
    Network,
    /// The rest of what the kernel does for the server.
    Kernel,
    /// Functions that have a name, but none of the above.
    Other,
    /// Functions without a name, and none that called them; addresses in no function.
    Unknown,
}

impl Category {
    /// All of them, in the order of tables.
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

    /// In words.
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

    /// Whether charsets and collations are what this work is for.
    pub fn is_text(self) -> bool {
        matches!(self, Self::Charset | Self::Compare | Self::SortKey | Self::Hash)
    }
}

/// What is known of a function by its name alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// It does this work.
    Does(Category),
    /// It works for its caller.
    Helps,
}

/// The role of a function of a user-space file. A function without a name of its own works for its caller.
pub(crate) fn role(function: &str, file: &str) -> Role {
    RULESET
        .sections
        .iter()
        .find(|section| section.fits(function, file))
        .map_or(Role::Does(Category::Other), |section| section.role)
}

/// Whether a kernel function works for the network.
pub(crate) fn is_kernel_network(function: &str) -> bool {
    RULESET.kernel_network.is_match(function)
}

struct Section {
    role: Role,
    names: RegexSet,
    files: RegexSet,
}

impl Section {
    fn fits(&self, function: &str, file: &str) -> bool {
        self.names.is_match(function) || self.files.is_match(file)
    }
}

struct Rules {
    sections: Vec<Section>,
    kernel_network: RegexSet,
}

static RULESET: LazyLock<Rules> = LazyLock::new(|| parse(RULES).expect("the rules are tested"));

/// A section a category; behind `file`, a line is for the file's name.
fn parse(text: &str) -> Result<Rules, ConfError> {
    let mut rules = Rules { sections: Vec::new(), kernel_network: RegexSet::empty() };
    for conf::Section { heading, lines } in conf::sections(text)? {
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
            "helper" => Role::Helps,
            _ => {
                let known = Category::ALL.into_iter().find(|category| category.name() == heading);
                Role::Does(known.ok_or_else(|| ConfError::Unknown(heading.into()))?)
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
    fn every_category_that_names_decide_has_rules() {
        let rules = parse(RULES).unwrap();
        let with_rules: Vec<Role> = rules.sections.iter().map(|section| section.role).collect();
        for category in Category::ALL {
            let by_name = !matches!(category, Category::Kernel | Category::Other | Category::Unknown);
            assert_eq!(with_rules.contains(&Role::Does(category)), by_name, "{category:?}");
        }
        assert!(with_rules.contains(&Role::Helps) && !rules.kernel_network.is_empty());
    }

    #[test]
    fn functions_of_real_servers_are_where_they_belong() {
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
                assert_eq!(role(function, "mysqld"), Role::Does(category), "{function}");
            }
        }
        assert_eq!(role("SSL_write", "libssl.so.3"), Role::Does(Network));
        for (function, file) in [
            ("my_malloc", "mysqld"),
            ("libc.so.6+0x9a0", "libc.so.6"),
            ("std::vector::push_back", "mysqld"),
            ("alloc_root", "mysqld"),
        ] {
            assert_eq!(role(function, file), Role::Helps, "{function}");
        }
        assert!(is_kernel_network("unix_stream_sendmsg") && !is_kernel_network("do_user_addr_fault"));
    }

    #[test]
    fn rules_that_mean_nothing_are_refused() {
        for wrong in ["[nonsense]\nx", "x", "[sort]\n(", "[sort]\n[hash]\nx", "[sort]\na\n[sort]\nb"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
