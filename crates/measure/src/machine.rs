//! The machine that a run was made on.

use std::fs;

use crate::model::Machine;

/// Describes this machine.
pub fn describe() -> Machine {
    let uname = rustix::system::uname();
    Machine {
        system: field("/etc/os-release", "PRETTY_NAME=")
            .map_or_else(|| uname.sysname().to_string_lossy().into_owned(), |name| name.trim_matches('"').into()),
        kernel: uname.release().to_string_lossy().into_owned(),
        processor: field("/proc/cpuinfo", "model name")
            .map_or_else(|| uname.machine().to_string_lossy().into_owned(), |name| clean(&name)),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        memory_bytes: field("/proc/meminfo", "MemTotal").and_then(|size| kibibytes(&size)).unwrap_or(0),
    }
}

/// What follows a key at the start of a line of a file.
fn field(path: &str, key: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    text.lines().find_map(|line| line.strip_prefix(key)).map(str::to_owned)
}

fn clean(value: &str) -> String {
    value.trim_start_matches([' ', '\t', ':']).trim_end().into()
}

fn kibibytes(value: &str) -> Option<u64> {
    clean(value).strip_suffix("kB")?.trim().parse::<u64>().ok().map(|size| size * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_cores_memory_and_a_name() {
        let machine = describe();
        assert!(machine.cores > 0 && machine.memory_bytes > 1 << 20, "{machine:?}");
        assert!(!machine.system.is_empty() && !machine.kernel.is_empty() && !machine.processor.is_empty());
    }

    #[test]
    fn sizes_are_in_kibibytes() {
        assert_eq!(kibibytes(":       24578 kB"), Some(24578 * 1024));
        assert_eq!(kibibytes("24578"), None);
    }
}
