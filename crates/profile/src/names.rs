//! Names as people read them: demangled, without parameters, template arguments and what compilers add.

use cpp_demangle::{DemangleOptions, Symbol};

/// Suffixes that compilers give to parts and clones of a function.
const CLONES: [&str; 7] = [".cold", ".part", ".constprop", ".isra", ".lto_priv", ".llvm", ".clone"];

/// Says only that a name is its file's own.
const ANONYMOUS: &str = "(anonymous namespace)::";

/// A readable form of a symbol, mangled or not.
pub(crate) fn shorten(symbol: &str) -> String {
    let base = without_clone(symbol);
    let options = DemangleOptions::new().no_params().no_return_type();
    let demangled = Symbol::new(base).ok().and_then(|symbol| symbol.demangle_with_options(&options).ok());
    let plain = demangled.unwrap_or_else(|| base.to_owned());
    let short = without_arguments(&plain);
    // A name that is all parameters, as of a function in a lambda, is better long than empty.
    if short.trim().is_empty() { plain } else { short.trim().to_owned() }
}

fn without_clone(symbol: &str) -> &str {
    let ends = CLONES.iter().filter_map(|clone| symbol.find(clone)).filter(|&at| at > 0);
    ends.min().map_or(symbol, |end| &symbol[..end])
}

/// Operators whose signs are those that are left out elsewhere.
const OPERATORS: [&str; 11] = ["()", "<=>", "<<=", ">>=", "->*", "<<", ">>", "->", "<=", ">=", "<"];

/// Leaves out `<…>` and, from the first parenthesis of the parameters on, the rest; operators keep their signs.
fn without_arguments(name: &str) -> String {
    let mut short = String::new();
    let mut depth = 0usize;
    let mut rest = name;
    while let Some(character) = rest.chars().next() {
        if depth == 0 && short.ends_with("operator") {
            let sign =
                OPERATORS.into_iter().find(|sign| rest.starts_with(sign)).unwrap_or(&rest[..character.len_utf8()]);
            short.push_str(sign);
            rest = &rest[sign.len()..];
            continue;
        }
        match character {
            '<' => depth += 1,
            '>' if depth > 0 => depth -= 1,
            _ if depth > 0 => {}
            '(' if rest.starts_with(ANONYMOUS) => {
                rest = &rest[ANONYMOUS.len()..];
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
    fn names_lose_what_is_no_name() {
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
