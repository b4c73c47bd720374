//! Turns panics of libraries into errors. The panic hook of `weigh` prints nothing while
//! [`is_contained`] returns true.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    /// Number of [`contain`] calls on this thread's stack.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// A panic that [`contain`] caught, with its message.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Contained(String);

/// Runs `action` and returns a panic as an error. For code that reads what others sent and cannot
/// be trusted not to panic.
pub fn contain<T>(action: impl FnOnce() -> T) -> Result<T, Contained> {
    DEPTH.set(DEPTH.get() + 1);
    let result = catch_unwind(AssertUnwindSafe(action));
    DEPTH.set(DEPTH.get() - 1);
    result.map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref().copied());
        Contained(text.unwrap_or("a panic without a message").to_owned())
    })
}

/// True within [`contain`] on this thread.
pub fn is_contained() -> bool {
    DEPTH.get() > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contained_panic_is_an_error() {
        assert_eq!(contain(|| 1).unwrap(), 1);
        assert_eq!(contain(|| panic!("on purpose")).unwrap_err().to_string(), "on purpose");
        let number = 7;
        assert_eq!(contain(|| panic!("number {number}")).unwrap_err().to_string(), "number 7");
        assert!(!is_contained() && contain(is_contained).unwrap());
    }
}
