//! x86-64: AVX-512 with VBMI2 (such as Ice Lake and Zen 4), AVX2, and SSE2, which every x86-64 has.

mod avx2;
mod avx512;
mod sse2;

use super::Backend;

/// Whether the machine has a feature. Without `std`, whether the crate was compiled for it.
#[cfg(feature = "std")]
macro_rules! has {
    ($($feature:tt),+) => { $(std::arch::is_x86_feature_detected!($feature))&&+ };
}
#[cfg(not(feature = "std"))]
macro_rules! has {
    ($($feature:tt),+) => { $(cfg!(target_feature = $feature))&&+ };
}

/// Backends that this machine can run, the best first.
pub(super) fn available() -> impl Iterator<Item = &'static Backend> {
    // The AVX-512 backend is compiled with AVX2 enabled.
    let avx512 = has!("avx2", "avx512f", "avx512bw", "avx512vl", "avx512vbmi", "avx512vbmi2", "bmi1", "bmi2", "popcnt");
    let avx2 = has!("avx2", "bmi1", "bmi2", "popcnt");
    [(avx512, &avx512::BACKEND), (avx2, &avx2::BACKEND), (true, &sse2::BACKEND)]
        .into_iter()
        .filter_map(|(has, backend)| has.then_some(backend))
}
