//! The recipes that come with `weigh`, and their published figures.

macro_rules! file {
    ($path:literal) => {
        include_str!(concat!("../../../recipes/", $path))
    };
}

/// Recipes by name.
const RECIPES: [(&str, &str); 5] = [
    ("percona-2019", file!("percona-2019.toml")),
    ("cnblogs-2020", file!("cnblogs-2020.toml")),
    ("order-by-2021", file!("order-by-2021.toml")),
    ("mariadb-collations", file!("mariadb-collations.toml")),
    ("charset-sizes", file!("charset-sizes.toml")),
];

/// Files that recipes name.
const PUBLISHED: [(&str, &str); 2] = [
    ("published/percona-2019.csv", file!("published/percona-2019.csv")),
    ("published/cnblogs-2020.csv", file!("published/cnblogs-2020.csv")),
];

pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    RECIPES.iter().map(|(name, _)| *name)
}

/// The text of a recipe that comes with `weigh`, to begin one's own from.
pub fn source(name: &str) -> Option<&'static str> {
    find(&RECIPES, name)
}

pub(crate) fn published(name: &str) -> Option<&'static str> {
    find(&PUBLISHED, name)
}

fn find(files: &[(&'static str, &'static str)], name: &str) -> Option<&'static str> {
    files.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// The names of recipes, nearest first.
pub(crate) fn nearest(given: &str) -> Vec<String> {
    let mut known: Vec<String> = names().map(String::from).collect();
    known.sort_by_key(|name| strsim::damerau_levenshtein(name, given));
    known
}
