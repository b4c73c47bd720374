//! Schemas, rows and statements of each workload; pure, no I/O.
