//! The load: connections, statements, latency histograms, CPU accounting.
