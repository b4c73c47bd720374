//! How much of this machine's time a hypervisor gave to others while it was wanted here.

use std::fs;

/// Counts from when it was made.
pub(crate) struct Stolen(Option<Ticks>);

/// Of all cores together, since the machine started.
#[derive(Clone, Copy)]
struct Ticks {
    all: u64,
    stolen: u64,
}

impl Stolen {
    /// Begins to count.
    pub(crate) fn begin() -> Self {
        Self(now())
    }

    /// The share of the cores' time since then; `None` where the kernel doesn't tell.
    pub(crate) fn share(&self) -> Option<f64> {
        let (before, after) = (self.0?, now()?);
        let all = after.all.checked_sub(before.all).filter(|&all| all > 0)?;
        Some(after.stolen.saturating_sub(before.stolen) as f64 / all as f64)
    }
}

fn now() -> Option<Ticks> {
    parse(&fs::read_to_string("/proc/stat").ok()?)
}

/// The line of all cores: user, nice, system, idle, iowait, irq, softirq, steal; guests' time, which follows, is in user's (proc_stat(5)).
fn parse(stat: &str) -> Option<Ticks> {
    let line = stat.lines().next()?.strip_prefix("cpu ")?;
    let ticks: Vec<u64> = line.split_whitespace().take(8).map_while(|ticks| ticks.parse().ok()).collect();
    let [.., stolen] = *<&[u64; 8]>::try_from(ticks.as_slice()).ok()?;
    Some(Ticks { all: ticks.iter().sum(), stolen })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stolen_time_is_the_eighth_figure() {
        let ticks = parse("cpu  100 1 50 800 9 0 10 30 7 7\ncpu0 1 1 1 1 1 1 1 1 1 1\n").unwrap();
        assert_eq!((ticks.all, ticks.stolen), (1000, 30));
        assert!(parse("cpu  100 1 50").is_none() && parse("intr 5").is_none() && parse("").is_none());
    }

    #[test]
    fn this_machine_tells() {
        let stolen = Stolen::begin();
        std::thread::sleep(std::time::Duration::from_millis(30));
        let share = stolen.share().unwrap();
        assert!((0.0..=1.0).contains(&share), "{share}");
    }
}
