//! Steal time: the share of CPU time that a hypervisor gave to other machines.

use std::fs;

/// Measures the steal time from [`StolenTime::begin`] on.
pub(crate) struct StolenTime(Option<CoreTicks>);

/// Clock ticks of all cores together since boot: in total, and stolen.
#[derive(Clone, Copy)]
struct CoreTicks {
    all: u64,
    stolen: u64,
}

impl StolenTime {
    pub(crate) fn begin() -> Self {
        Self(read_ticks())
    }

    /// Share of CPU time stolen since creation, 0 to 1. `None` if the kernel does not report it or
    /// no clock tick has passed.
    pub(crate) fn share(&self) -> Option<f64> {
        let (before, after) = (self.0?, read_ticks()?);
        let all = after.all.checked_sub(before.all).filter(|&all| all > 0)?;
        Some(after.stolen.saturating_sub(before.stolen) as f64 / all as f64)
    }
}

fn read_ticks() -> Option<CoreTicks> {
    parse_ticks(&fs::read_to_string("/proc/stat").ok()?)
}

/// Parses the `cpu` line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal.
/// Guest time follows; it is part of user time (proc_stat(5)).
fn parse_ticks(stat: &str) -> Option<CoreTicks> {
    let line = stat.lines().next()?.strip_prefix("cpu ")?;
    let ticks: Vec<u64> = line.split_whitespace().take(8).map_while(|ticks| ticks.parse().ok()).collect();
    let [.., stolen] = *<&[u64; 8]>::try_from(ticks.as_slice()).ok()?;
    Some(CoreTicks { all: ticks.iter().sum(), stolen })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steal_time_is_the_eighth_figure() {
        let ticks = parse_ticks("cpu  100 1 50 800 9 0 10 30 7 7\ncpu0 1 1 1 1 1 1 1 1 1 1\n").unwrap();
        assert_eq!((ticks.all, ticks.stolen), (1000, 30));
        assert!(parse_ticks("cpu  100 1 50").is_none() && parse_ticks("intr 5").is_none() && parse_ticks("").is_none());
    }

    #[test]
    fn reports_the_share_of_this_machine() {
        let stolen = StolenTime::begin();
        let mut wait = (0..1000).map(|_| std::thread::sleep(std::time::Duration::from_millis(30)));
        let share = wait.find_map(|()| stolen.share()).unwrap();
        assert!((0.0..=1.0).contains(&share), "{share}");
    }
}
