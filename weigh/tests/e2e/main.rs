//! `weigh` end to end: the real program on real servers. Each test has its own folder, which also
//! holds weigh's private instances. `Workspace::wait_for_end` asserts that no process or instance
//! is left.

mod accounting;
mod action;
mod attach;
mod attacks;
mod audit;
mod axes;
mod buffer_pool;
mod capture;
mod charsets;
mod compare;
mod completions;
mod count;
mod disk;
mod folder;
mod frozen;
mod images;
mod import;
mod input;
mod killed_servers;
mod leftover;
mod managed;
mod micro;
mod offline;
mod ordered;
mod output;
mod pipeline;
mod preflight;
mod profile;
mod rate;
mod recipes;
#[path = "../../../servers/server/tests/common/registry.rs"]
mod registry;
mod report;
mod resume;
mod selftest;
mod signals;
mod strangers;
mod sysbench;
mod terminal;
mod tunnel;
mod upgrade;
mod why;
mod work;
mod workload;
mod workload_compare;
mod workspace;
mod writes;
