//! Built-in recipes and their published figures.

macro_rules! file {
    ($path:literal) => {
        include_str!(concat!("../recipes/", $path))
    };
}

/// Built-in recipes: name and TOML text.
const RECIPES: [(&str, &str); 5] = [
    ("percona-2019", file!("percona-2019.toml")),
    ("cnblogs-2020", file!("cnblogs-2020.toml")),
    ("order-by-2021", file!("order-by-2021.toml")),
    ("mariadb-collations", file!("mariadb-collations.toml")),
    ("charset-sizes", file!("charset-sizes.toml")),
];

/// Built-in files of published figures: name in recipes, and CSV text.
const PUBLISHED: [(&str, &str); 2] = [
    ("published/percona-2019.csv", file!("published/percona-2019.csv")),
    ("published/cnblogs-2020.csv", file!("published/cnblogs-2020.csv")),
];

pub(crate) fn recipe_names() -> impl Iterator<Item = &'static str> {
    RECIPES.iter().map(|(name, _)| *name)
}

/// Returns the text of a built-in recipe, as a start for a custom recipe.
pub fn source(name: &str) -> Option<&'static str> {
    find(&RECIPES, name)
}

pub(crate) fn published_file(name: &str) -> Option<&'static str> {
    find(&PUBLISHED, name)
}

fn find(files: &[(&'static str, &'static str)], name: &str) -> Option<&'static str> {
    files.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// Returns the names of all built-in recipes, most similar first.
pub(crate) fn names_by_similarity(given: &str) -> Vec<String> {
    message::sort_by_similarity(given, recipe_names()).into_iter().map(String::from).collect()
}
