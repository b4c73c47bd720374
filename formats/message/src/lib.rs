//! Parts of messages to users: similar names, lists of names, and nouns with a count.

use std::fmt::Display;

/// Sorts names by their similarity to `given`, the most similar first. Ignores case. Names of equal
/// similarity keep their order.
pub fn sort_by_similarity<'a>(given: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut names: Vec<&str> = names.into_iter().collect();
    names.sort_by_key(|name| distance(given, name));
    names
}

/// Returns "; did you mean customers?", or an empty text if no name is similar to `given`. A
/// similar name has an edit distance of at most a third of the length of `given`, plus 1.
pub fn suggest_name<'a>(given: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let max_distance = given.chars().count() / 3 + 1;
    let nearest = names.into_iter().min_by_key(|name| distance(given, name));
    let nearest = nearest.filter(|name| distance(given, name) <= max_distance);
    nearest.map_or_else(String::new, |name| format!("; did you mean {name}?"))
}

/// Formats a count and a noun with a regular plural: `1 row`, `2 rows`, `12,000 rows`.
pub fn count_noun<N: Display + From<u8> + PartialEq>(count: N, noun: &str) -> String {
    if count == N::from(1) { format!("1 {noun}") } else { format!("{} {noun}s", group_thousands(count)) }
}

/// Writes a whole number with thousands separators: `12,000`.
pub fn group_thousands(count: impl Display) -> String {
    let text = count.to_string();
    let first = text.find(|character: char| character.is_ascii_digit()).unwrap_or_default();
    let digits = text.len() - first;
    let mut grouped = String::with_capacity(text.len() + digits / 3);
    for (at, character) in text.chars().enumerate() {
        if at > first && (text.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(character);
    }
    grouped
}

/// Returns the form of a verb that goes with a count: `agree(1, "has", "have")` is `has`.
pub fn agree<'w, N: From<u8> + PartialEq>(count: N, one: &'w str, more: &'w str) -> &'w str {
    if count == N::from(1) { one } else { more }
}

/// Writes up to `max` names: `a, b, c and 4 more`.
pub fn list_names(names: &[impl AsRef<str>], max: usize) -> String {
    let listed: Vec<&str> = names.iter().take(max).map(AsRef::as_ref).collect();
    match names.len().saturating_sub(max) {
        0 => listed.join(", "),
        more => format!("{} and {more} more", listed.join(", ")),
    }
}

fn distance(given: &str, name: &str) -> usize {
    strsim::damerau_levenshtein(&given.to_lowercase(), &name.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_by_similarity() {
        assert_eq!(sort_by_similarity("Mysq", ["mariadb", "MySQL"]), ["MySQL", "mariadb"]);
    }

    #[test]
    fn suggests_only_similar_names() {
        assert_eq!(suggest_name("custmers", ["orders", "customers"]), "; did you mean customers?");
        assert_eq!(suggest_name("x", ["orders"]), "");
    }

    #[test]
    fn lists_the_first_names() {
        assert_eq!(list_names(&["a", "b"], 2), "a, b");
        assert_eq!(list_names(&["a", "b", "c", "d"], 2), "a, b and 2 more");
        assert_eq!(list_names(&[] as &[&str], 2), "");
    }

    #[test]
    fn counts_nouns() {
        assert_eq!(
            (count_noun(999_u64, "row"), count_noun(12_000_usize, "row")),
            ("999 rows".into(), "12,000 rows".into())
        );
        assert_eq!(
            (group_thousands(1_234_567), group_thousands(-100), group_thousands(-1000)),
            ("1,234,567".into(), "-100".into(), "-1,000".into())
        );
        assert_eq!((count_noun(1_usize, "row"), count_noun(0_u64, "row")), ("1 row".into(), "0 rows".into()));
        assert_eq!((agree(1_usize, "has", "have"), agree(0_u64, "has", "have")), ("has", "have"));
    }
}
