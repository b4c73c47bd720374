//! The library as the page has it: JSON in, JSON out, over WebAssembly's memory.
//!
//! The page asks [`input`] for room, writes a question there, calls [`answer`], and reads as many bytes as it says at [`output`].
//! `question` has what can be asked; all explaining is the crate `explain`'s.

mod collations;
mod question;

use std::cell::RefCell;

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static OUTPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Makes room for a question of so many bytes. The address holds until the next call.
#[unsafe(no_mangle)]
pub extern "C" fn input(length: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        input.clear();
        input.resize(length, 0);
        input.as_mut_ptr()
    })
}

/// Answers the question in the input. Returns the bytes of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> usize {
    let answer = INPUT.with_borrow(|input| question::answer(input));
    OUTPUT.with_borrow_mut(|output| {
        *output = answer;
        output.len()
    })
}

/// Where the answer is, until the next one.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    OUTPUT.with_borrow(|output| output.as_ptr())
}
