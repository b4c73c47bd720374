//! The library for the web page and for the npm package, called through WebAssembly's memory.
//!
//! The caller calls [`input`] for a buffer, writes a request there, and calls [`answer`], which
//! returns the length of the reply at [`output`]. `question` defines the requests, in JSON. The
//! crate `explain` does the work. `strings` has functions on strings, without JSON.

mod collations;
mod question;
mod strings;

use std::cell::RefCell;

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static OUTPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Allocates a buffer for a request of `length` bytes. The address is valid until the next call of
/// `input`.
#[unsafe(no_mangle)]
pub extern "C" fn input(length: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        input.clear();
        input.resize(length, 0);
        input.as_mut_ptr()
    })
}

/// Processes the request in the buffer. Returns the length of the reply in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> usize {
    let answer = INPUT.with_borrow(|input| question::process(input));
    reply(answer)
}

/// Keeps a reply until the next one, and returns its length.
fn reply(bytes: Vec<u8>) -> usize {
    OUTPUT.with_borrow_mut(|output| {
        *output = bytes;
        output.len()
    })
}

/// Returns the address of the reply, which is valid until the next reply.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    OUTPUT.with_borrow(|output| output.as_ptr())
}
