//! CPU time of the calling thread.

use std::time::Duration;

pub(crate) fn client_thread_cpu_ns() -> u64 {
    thread_cpu_time().as_nanos() as u64
}

/// CPU time of the calling thread, user and system.
pub fn thread_cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_cpu_time_grows_with_work() {
        let before = client_thread_cpu_ns();
        let mut sum = 0u64;
        for i in 0..3_000_000u64 {
            sum = std::hint::black_box(sum ^ i);
        }
        assert!(client_thread_cpu_ns() > before);
    }
}
