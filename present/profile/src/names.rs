//! Readable names of functions: demangled, without parameters, template arguments and compiler
//! suffixes.

use cpp_demangle::{DemangleOptions, Symbol};

/// Suffixes of parts and clones of a function, which compilers add.
const CLONE_SUFFIXES: [&str; 7] = [".cold", ".part", ".constprop", ".isra", ".lto_priv", ".llvm", ".clone"];

/// C++ namespace of names that are local to a file.
const ANONYMOUS_NAMESPACE: &str = "(anonymous namespace)::";

/// Returns a readable form of a symbol, mangled or not: `JOIN::exec` for `_ZN4JOIN4execEv`.
pub(crate) fn shorten(symbol: &str) -> String {
    let base = strip_clone_suffix(symbol);
    let options = DemangleOptions::new().no_params().no_return_type();
    let demangled = Symbol::new(base).ok().and_then(|symbol| symbol.demangle_with_options(&options).ok());
    let full_name = demangled.unwrap_or_else(|| base.to_owned());
    let short = strip_arguments(&full_name);
    // A name may consist of parameters only, for example a function in a lambda. Then the long form
    // is kept.
    if short.trim().is_empty() { full_name } else { short.trim().to_owned() }
}

fn strip_clone_suffix(symbol: &str) -> &str {
    let ends = CLONE_SUFFIXES.iter().filter_map(|clone| symbol.find(clone)).filter(|&at| at > 0);
    ends.min().map_or(symbol, |end| &symbol[..end])
}

/// Operators with characters that otherwise begin or end arguments.
const OPERATORS: [&str; 11] = ["()", "<=>", "<<=", ">>=", "->*", "<<", ">>", "->", "<=", ">=", "<"];

/// Removes `<…>`, `(anonymous namespace)::`, and everything from the first parenthesis of the
/// parameters on. Operators keep their characters.
fn strip_arguments(name: &str) -> String {
    let mut short = String::new();
    let mut depth = 0usize;
    let mut rest = name;
    while let Some(character) = rest.chars().next() {
        if depth == 0 && short.ends_with("operator") {
            let operator = OPERATORS
                .into_iter()
                .find(|operator| rest.starts_with(operator))
                .unwrap_or(&rest[..character.len_utf8()]);
            short.push_str(operator);
            rest = &rest[operator.len()..];
            continue;
        }
        match character {
            '<' => depth += 1,
            '>' if depth > 0 => depth -= 1,
            _ if depth > 0 => {}
            '(' if rest.starts_with(ANONYMOUS_NAMESPACE) => {
                rest = &rest[ANONYMOUS_NAMESPACE.len()..];
                continue;
            }
            '(' => break,
            _ => short.push(character),
        }
        rest = &rest[character.len_utf8()..];
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortens_symbols() {
        for (symbol, short) in [
            ("my_ismbchar_utf8mb4", "my_ismbchar_utf8mb4"),
            ("_Z17my_wildcmp_mb_binPK12CHARSET_INFOPKcS2_S2_S2_iii", "my_wildcmp_mb_bin"),
            ("_ZN4JOIN4execEv", "JOIN::exec"),
            ("_ZNSt6vectorIiSaIiEE9push_backEOi", "std::vector::push_back"),
            ("row_search_mvcc.constprop.0", "row_search_mvcc"),
            ("_ZL11find_key_idj.part.0.cold", "find_key_id"),
            ("JOIN::exec(int, char<a>)", "JOIN::exec"),
            ("Item::operator<(Item const&)", "Item::operator<"),
            ("Item::operator->()", "Item::operator->"),
            ("Functor::operator()(int)", "Functor::operator()"),
            ("(anonymous namespace)::helper<int>(char)", "helper"),
            ("[vdso]", "[vdso]"),
        ] {
            assert_eq!(shorten(symbol), short, "{symbol}");
        }
    }
}
