//! `weigh bench` and `weigh profile` end to end: the real program on real servers. Every test works in a folder of its own, in which `weigh` keeps its
//! private instances too, and after every `weigh` that ends it is made sure that nothing of it stays.

mod accounting;
mod attach;
mod audit;
mod axes;
mod buffer_pool;
mod capture;
mod charsets;
mod compare;
mod disk;
mod folder;
mod frozen;
mod images;
mod import;
mod input;
mod leftover;
mod micro;
mod offline;
mod ordered;
mod output;
mod parity;
mod place;
mod preflight;
mod profile;
mod rate;
mod recipes;
#[path = "../../../server/tests/common/registry.rs"]
mod registry;
mod report;
mod resume;
mod selftest;
mod signals;
mod sysbench;
mod terminal;
mod tunnel;
mod victim;
mod work;
mod workload;
mod writes;
