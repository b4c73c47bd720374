//! Variants, duet schedule, stopping rule, statistics, and the results on disk.
