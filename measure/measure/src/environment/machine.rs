//! Description of this machine.

use std::fs;

use crate::model::Machine;

/// Describes this machine: system, kernel, processor, cores, memory.
pub fn describe_machine() -> Machine {
    let uname = rustix::system::uname();
    Machine {
        system: read_field("/etc/os-release", "PRETTY_NAME=")
            .map_or_else(|| uname.sysname().to_string_lossy().into_owned(), |name| name.trim_matches('"').into()),
        kernel: uname.release().to_string_lossy().into_owned(),
        processor: read_field("/proc/cpuinfo", "model name")
            .map_or_else(|| uname.machine().to_string_lossy().into_owned(), |name| trim_value(&name)),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        memory_bytes: read_field("/proc/meminfo", "MemTotal").and_then(|size| parse_kibibytes(&size)).unwrap_or(0),
    }
}

/// Returns the text after `key` in a file's first line that begins with `key`.
fn read_field(path: &str, key: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    text.lines().find_map(|line| line.strip_prefix(key)).map(str::to_owned)
}

fn trim_value(value: &str) -> String {
    value.trim_start_matches([' ', '\t', ':']).trim_end().into()
}

fn parse_kibibytes(value: &str) -> Option<u64> {
    trim_value(value).strip_suffix("kB")?.trim().parse::<u64>().ok().map(|size| size * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_cores_memory_and_a_name() {
        let machine = describe_machine();
        assert!(machine.cores > 0 && machine.memory_bytes > 1 << 20, "{machine:?}");
        assert!(!machine.system.is_empty() && !machine.kernel.is_empty() && !machine.processor.is_empty());
    }

    #[test]
    fn sizes_are_in_kibibytes() {
        assert_eq!(parse_kibibytes(":       24578 kB"), Some(24578 * 1024));
        assert_eq!(parse_kibibytes("24578"), None);
    }
}
