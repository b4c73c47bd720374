//! Collations of columns after the conversion of their table. `_bin` columns stay `_bin`, and ascii
//! columns keep their collation.

use crate::charset::{collation_charset, current_collation_name, current_name};

/// Returns why a column of this character set keeps its collation. `None` if nothing speaks against
/// converting it.
pub fn keep_reason(charset: &str) -> Option<&'static str> {
    match charset {
        "ascii" => {
            Some("ascii was chosen for it: its text is the same in any other character set, and its keys are shorter")
        }
        "binary" => Some("it holds bytes"),
        _ => None,
    }
}

/// True for names that end in `_bin`: `utf8mb4_bin`.
pub fn is_binary(collation: &str) -> bool {
    collation.ends_with("_bin")
}

/// True for the names of NO PAD collations, under which 'a' differs from 'a '. False for `binary`.
pub fn is_no_pad(collation: &str) -> bool {
    collation.contains("_nopad_") || collation.contains("_0900_")
}

/// Returns the `_bin` collation of `charset` that replaces `from`: `from` itself if it is one of
/// `charset`. Otherwise, for a NO PAD collation, a NO PAD one if the server has it. Otherwise
/// `{charset}_bin`.
pub fn binary_collation(from: &str, charset: &str, server_has: impl Fn(&str) -> bool) -> String {
    let current = current_collation_name(from);
    if collation_charset(&current) == current_name(charset) {
        return from.to_owned();
    }
    let candidates = [format!("{charset}_nopad_bin"), format!("{charset}_0900_bin")];
    let no_pad = candidates.into_iter().filter(|_| is_no_pad(from)).find(|name| server_has(name));
    no_pad.unwrap_or_else(|| format!("{charset}_bin"))
}

/// Returns the collation that a column with the collation `from` gets by a conversion to `to`: a
/// `_bin` column stays `_bin`.
pub fn converted_collation(from: &str, to: &str, charset: &str, server_has: impl Fn(&str) -> bool) -> String {
    if is_binary(from) && !is_binary(to) { binary_collation(from, charset, server_has) } else { to.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_stay_codes() {
        let mysql = |name: &str| !name.contains("nopad");
        let new = |from: &str| converted_collation(from, "utf8mb4_0900_ai_ci", "utf8mb4", mysql);
        assert_eq!(new("latin1_swedish_ci"), "utf8mb4_0900_ai_ci");
        assert_eq!(new("latin1_bin"), "utf8mb4_bin");
        assert_eq!(new("utf8mb4_bin"), "utf8mb4_bin");
        assert_eq!(new("utf8mb4_0900_bin"), "utf8mb4_0900_bin");
        assert_eq!(converted_collation("latin1_bin", "utf8mb4_0900_bin", "utf8mb4", mysql), "utf8mb4_0900_bin");
        assert_eq!(binary_collation("utf8_bin", "utf8mb3", mysql), "utf8_bin");
        assert_eq!(binary_collation("latin1_nopad_bin", "utf8mb4", |_| true), "utf8mb4_nopad_bin");
        assert!(keep_reason("ascii").is_some() && keep_reason("latin1").is_none());
    }
}
