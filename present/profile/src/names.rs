//! Readable names of functions: demangled, without parameters, template arguments and compiler
//! suffixes.

use cpp_demangle::{DemangleOptions, Symbol};

use crate::image::Naming;

/// Suffixes of parts and clones of a function, which compilers add.
const CLONE_SUFFIXES: [&str; 7] = [".cold", ".part", ".constprop", ".isra", ".lto_priv", ".llvm", ".clone"];

/// C++ namespace of names that are local to a file.
const ANONYMOUS_NAMESPACE: &str = "(anonymous namespace)::";

/// Returns a readable form of a symbol, mangled or not: `JOIN::exec` for `_ZN4JOIN4execEv`.
pub fn shorten(symbol: &str) -> String {
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

/// Returns a function's name in words: `hash_sort of utf8mb4_0900_ai_ci and 61 more` for
/// `hash_sort@utf8mb4_0900_ai_ci(+61)`, `code called by strnncollsp of binary (0x9a0)` for
/// `strnncollsp@binary/0x9a0`, `unnamed code in mysqld (0x9a0)` for `mysqld+0x9a0`. `unnamed code
/// in libc.so.6` for `[libc.so.6]`. Names of symbols don't change.
pub fn describe_function(name: &str, naming: Naming) -> String {
    match naming {
        Naming::Symbol => name.to_owned(),
        Naming::Handler => match name.rsplit_once("/0x") {
            Some((caller, address)) => format!("code called by {} (0x{address})", describe_slot(caller)),
            None => describe_slot(name),
        },
        Naming::Bounds => match name.rsplit_once("+0x") {
            Some((file, address)) => format!("unnamed code in {file} (0x{address})"),
            None => format!("unnamed code in {name}"),
        },
        Naming::Unknown => match name.trim_matches(['[', ']']) {
            "unknown" => "unknown code".to_owned(),
            "kernel" => "unnamed code in the kernel".to_owned(),
            file => format!("unnamed code in {file}"),
        },
    }
}

/// Describes a function by the slot of a table and the collations or charsets that share it.
fn describe_slot(name: &str) -> String {
    let Some((slot, owner)) = name.split_once('@') else { return name.to_owned() };
    match owner.strip_suffix(')').and_then(|owner| owner.rsplit_once("(+")) {
        Some((owner, others)) => format!("{slot} of {owner} and {others} more"),
        None => format!("{slot} of {owner}"),
    }
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
    fn describes_functions_in_words() {
        use Naming::{Bounds, Handler, Symbol, Unknown};
        for (name, naming, described) in [
            ("my_charpos_mb", Symbol, "my_charpos_mb"),
            ("hash_sort@utf8mb4_bin", Handler, "hash_sort of utf8mb4_bin"),
            ("my_mb_wc_utf8mb4", Handler, "my_mb_wc_utf8mb4"),
            ("hash_sort@gb18030_unicode_520_ci(+96)", Handler, "hash_sort of gb18030_unicode_520_ci and 96 more"),
            (
                "strnncollsp@binary(+3)/0x2ee3480",
                Handler,
                "code called by strnncollsp of binary and 3 more (0x2ee3480)",
            ),
            ("mariadbd+0x10f8800", Bounds, "unnamed code in mariadbd (0x10f8800)"),
            ("[mysqld]", Unknown, "unnamed code in mysqld"),
            ("[kernel]", Unknown, "unnamed code in the kernel"),
            ("[unknown]", Unknown, "unknown code"),
        ] {
            assert_eq!(describe_function(name, naming), described);
        }
    }

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
