//! Latency histograms: encoded for a block's line, decoded, and merged over blocks.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer, V2DeflateSerializer};

use stats::mean;

use crate::model::Latency;

/// Encodes a histogram in nanoseconds and computes its percentiles. An empty histogram has no
/// percentiles.
pub fn from_histogram(histogram: &Histogram<u64>) -> Latency {
    let mut bytes = Vec::new();
    V2DeflateSerializer::new().serialize(histogram, &mut bytes).expect("a vector takes every write");
    Latency { hdr: Some(STANDARD.encode(bytes)), ..percentiles(histogram) }
}

fn percentiles(histogram: &Histogram<u64>) -> Latency {
    let at = |percentile| (!histogram.is_empty()).then(|| histogram.value_at_percentile(percentile) as f64 / 1e6);
    Latency { p50_ms: at(50.0), p95_ms: at(95.0), p99_ms: at(99.0), hdr: None }
}

/// Merges the latency of several blocks: from the merged histogram if every block has one,
/// otherwise as the mean of each percentile.
pub(crate) fn merge<'a>(latencies: impl Iterator<Item = &'a Latency> + Clone) -> Latency {
    let merged = latencies.clone().map(histogram).reduce(|sum, next| {
        let mut sum = sum?;
        sum.add(next?).ok()?;
        Some(sum)
    });
    match merged.flatten() {
        Some(histogram) => percentiles(&histogram),
        None => {
            let average = |percentile: fn(&Latency) -> Option<f64>| {
                let known: Vec<f64> = latencies.clone().filter_map(percentile).collect();
                (!known.is_empty()).then(|| mean(&known))
            };
            Latency {
                p50_ms: average(|latency| latency.p50_ms),
                p95_ms: average(|latency| latency.p95_ms),
                p99_ms: average(|latency| latency.p99_ms),
                hdr: None,
            }
        }
    }
}

fn histogram(latency: &Latency) -> Option<Histogram<u64>> {
    let bytes = STANDARD.decode(latency.hdr.as_ref()?).ok()?;
    let mut histogram: Histogram<u64> = Deserializer::new().deserialize(&mut &bytes[..]).ok()?;
    histogram.auto(true);
    Some(histogram)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded(values: std::ops::Range<u64>) -> Latency {
        let mut histogram = load::new_histogram();
        for value in values {
            histogram.record(value * 1_000_000).unwrap();
        }
        from_histogram(&histogram)
    }

    #[test]
    fn percentiles_are_in_milliseconds_and_merge_exactly() {
        let (low, high) = (recorded(1..51), recorded(51..101));
        assert!((low.p50_ms.unwrap() - 25.0).abs() < 0.1);
        let both = merge([&low, &high].into_iter());
        assert!((both.p50_ms.unwrap() - 50.0).abs() < 0.1 && (both.p99_ms.unwrap() - 99.0).abs() < 0.2, "{both:?}");
    }

    #[test]
    fn without_histograms_percentiles_are_averaged() {
        let bare = |p95| Latency { p50_ms: None, p95_ms: Some(p95), p99_ms: None, hdr: None };
        let merged = merge([&bare(1.0), &bare(3.0)].into_iter());
        assert_eq!((merged.p50_ms, merged.p95_ms), (None, Some(2.0)));
    }

    #[test]
    fn nothing_recorded_has_no_percentile() {
        assert_eq!(recorded(0..0).p95_ms, None);
    }
}
