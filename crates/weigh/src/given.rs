//! What users give: lists, and options that something else rules out.

/// Each value once, in the order in which it first came.
pub fn without_repeats<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut kept = Vec::new();
    for value in values {
        if !kept.contains(&value) {
            kept.push(value);
        }
    }
    kept
}

/// The first of these options that was given.
pub fn first_given<const N: usize>(options: [(bool, &'static str); N]) -> Option<&'static str> {
    options.into_iter().find(|(is_given, _)| *is_given).map(|(_, name)| name)
}
