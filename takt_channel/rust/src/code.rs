//! Codes of the C interface, and the name of the last unexpected error.

use core::ffi::{c_char, CStr};
use std::cell::RefCell;
use std::ffi::CString;
use std::panic::{catch_unwind, AssertUnwindSafe};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Code {
    Ok = 0,
    Empty = 1,
    AllInUse = 2,
    TooLarge = 3,
    Incompatible = 4,
    Full = 5,
    Denied = 6,
    NoMemory = 7,
    Invalid = 8,
    Failed = 9,
}

thread_local! {
    static LAST_WORDS: RefCell<CString> = RefCell::new(CString::default());
}

/// Keeps an error's name for `takt_channel_last_words`.
pub fn failed(error: impl core::fmt::Debug) -> Code {
    keep(format!("{error:?}"));
    Code::Failed
}

/// Keeps what differs between a channel and the shape that its user asks for.
pub fn incompatible(difference: String) -> Code {
    keep(difference);
    Code::Incompatible
}

/// Keeps how many bytes of shared memory a port needs; 0: not known.
pub fn no_memory(needed: u64) -> Code {
    keep(format!("{needed}"));
    Code::NoMemory
}

fn keep(words: String) {
    let words = CString::new(words).unwrap_or_default();
    LAST_WORDS.with(|kept| *kept.borrow_mut() = words);
}

/// Runs a function of the interface: a panic becomes a code.
pub fn guarded(run: impl FnOnce() -> Result<(), Code>) -> i32 {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(())) => Code::Ok as i32,
        Ok(Err(code)) => code as i32,
        Err(_) => failed("panic") as i32,
    }
}

/// Reads a string of the caller.
pub unsafe fn text<'a>(pointer: *const c_char) -> Result<&'a str, Code> {
    if pointer.is_null() {
        return Err(Code::Invalid);
    }
    unsafe { CStr::from_ptr(pointer) }.to_str().map_err(|_| Code::Invalid)
}

#[unsafe(no_mangle)]
pub extern "C" fn takt_channel_last_words() -> *const c_char {
    LAST_WORDS.with(|kept| kept.borrow().as_ptr())
}
