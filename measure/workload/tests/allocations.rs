//! Generators share the machine with the measured server, so events must not allocate.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::convert::Infallible;

use workload::{Options, Text, Workload, WorkloadKind};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call goes to `System` unchanged, so its guarantees are `System`'s; counting touches
// a thread-local without a destructor, which neither allocates nor unwinds.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's promises about `layout` are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: `pointer` came from `System.alloc` with this `layout`, as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn events_do_not_allocate() {
    for text in Text::ALL {
        for workload in WorkloadKind::ALL.map(Workload::from) {
            let script = workload.script(&Options { text, tables: 3, ..Options::default() });
            let mut generator = script.generator(0);
            let mut events = |count: u32| {
                for _ in 0..count {
                    let Ok(()) = generator.next_event(|_, _| -> Result<(), Infallible> { Ok(()) });
                }
            };
            // The first event may parse the word lists.
            events(1);
            let before = ALLOCATIONS.get();
            events(200);
            assert_eq!(ALLOCATIONS.get() - before, 0, "{workload} with {text}");
        }
    }
}
