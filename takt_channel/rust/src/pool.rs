//! The library's allocator: small blocks that were freed wait in slots, so that a message's way calls no malloc.
//!
//! iceoryx2 makes one small object for each loan and frees it when the message is sent. Lock-free: a slot is emptied and
//! filled by one atomic exchange, so a block is in one hand only.

use core::alloc::{GlobalAlloc, Layout};
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, Ordering};
use std::alloc::System;

const STEP: usize = 32;
const CLASSES: usize = 8;
const SLOTS: usize = 16;
const ALIGNMENT: usize = 16;

static FREED: [[AtomicPtr<u8>; SLOTS]; CLASSES] =
    [const { [const { AtomicPtr::new(null_mut()) }; SLOTS] }; CLASSES];

struct Pool;

/// The class of a layout and the layout of all blocks of that class.
fn class_of(layout: Layout) -> Option<(usize, Layout)> {
    if layout.size() == 0 || layout.size() > STEP * CLASSES || layout.align() > ALIGNMENT {
        return None;
    }
    let class = (layout.size() - 1) / STEP;
    Some((class, unsafe { Layout::from_size_align_unchecked((class + 1) * STEP, ALIGNMENT) }))
}

unsafe impl GlobalAlloc for Pool {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some((class, block)) = class_of(layout) else {
            return unsafe { System.alloc(layout) };
        };
        for slot in &FREED[class] {
            if !slot.load(Ordering::Relaxed).is_null() {
                let freed = slot.swap(null_mut(), Ordering::Acquire);
                if !freed.is_null() {
                    return freed;
                }
            }
        }
        unsafe { System.alloc(block) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        let Some((class, block)) = class_of(layout) else {
            return unsafe { System.dealloc(pointer, layout) };
        };
        for slot in &FREED[class] {
            let free = slot.load(Ordering::Relaxed).is_null();
            if free
                && slot
                    .compare_exchange(null_mut(), pointer, Ordering::Release, Ordering::Relaxed)
                    .is_ok()
            {
                return;
            }
        }
        unsafe { System.dealloc(pointer, block) };
    }
}

#[global_allocator]
static POOL: Pool = Pool;
