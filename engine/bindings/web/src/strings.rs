//! Collations on strings, for programs in JavaScript. Strings are in the request's buffer, one
//! after the other, in UTF-8.

use std::cell::RefCell;

use mysql_collation::{Charset, Collation, Meaning};

use crate::{INPUT, reply};

thread_local! {
    /// Collations that were found, by their handles.
    static FOUND: RefCell<Vec<Collation>> = const { RefCell::new(Vec::new()) };
}

/// Finds the collation whose name is in the buffer. Returns its handle; -1 if there is none, -2 if
/// MySQL and MariaDB mean different collations.
#[unsafe(no_mangle)]
pub extern "C" fn find() -> i32 {
    let name = INPUT.with_borrow(|input| String::from_utf8_lossy(input).into_owned());
    let found = match name.split_once(':') {
        Some((flavour, name)) => flavour.parse().ok().and_then(|flavour| Collation::by_name(flavour, name).ok()),
        None => match Collation::of_name(&name) {
            Ok(Meaning::Alone(collation) | Meaning::Same(collation)) => Some(collation),
            Ok(Meaning::Different(_)) => return -2,
            Err(_) => None,
        },
    };
    let Some(collation) = found else { return -1 };
    FOUND.with_borrow_mut(|all| {
        all.push(collation);
        all.len() as i32 - 1
    })
}

/// Compares the first `length` bytes of the buffer with the others. Returns -1, 0 or 1.
#[unsafe(no_mangle)]
pub extern "C" fn compare(handle: usize, length: usize) -> i32 {
    with_strings(handle, length, |collation, a, b| collation.compare(a, b) as i32)
}

/// Returns 1 if the first `length` bytes of the buffer match the pattern after them. `escape` is
/// the escape character; 0: none.
#[unsafe(no_mangle)]
pub extern "C" fn like(handle: usize, length: usize, escape: u32) -> i32 {
    let escape = char::from_u32(escape).filter(|escape| *escape != '\0');
    with_strings(handle, length, |collation, text, pattern| i32::from(collation.like(text, pattern, escape)))
}

/// Writes the sort key of the string in the buffer to the reply. Returns its length.
#[unsafe(no_mangle)]
pub extern "C" fn sort_key(handle: usize) -> usize {
    reply(with_strings(handle, usize::MAX, |collation, text, _| collation.sort_key(text)))
}

/// Writes `WEIGHT_STRING` of the string in the buffer to the reply. Returns its length.
#[unsafe(no_mangle)]
pub extern "C" fn weight_string(handle: usize) -> usize {
    reply(with_strings(handle, usize::MAX, |collation, text, _| collation.weight_string(text)))
}

/// Splits the buffer and converts both strings to the collation's character set. As in a column of
/// that character set, characters that it lacks become question marks.
fn with_strings<T>(handle: usize, length: usize, operation: impl FnOnce(Collation, &[u8], &[u8]) -> T) -> T {
    let collation = FOUND.with_borrow(|all| all[handle]);
    INPUT.with_borrow(|input| {
        let (a, b) = input.split_at(length.min(input.len()));
        if matches!(collation.charset(), Charset::Utf8mb4 | Charset::Binary) {
            return operation(collation, a, b);
        }
        let convert = |text| Charset::Utf8mb4.convert(text, collation.charset(), collation.info().flavour).bytes;
        operation(collation, &convert(a), &convert(b))
    })
}
