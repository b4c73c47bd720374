//! One change in percent, with its interval.

use measure::{Analysis, Comparison, Estimate, PairKind, Verdict, judge};

/// The figure that a run's verdict is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Figure {
    /// Server CPU per query.
    Cpu,
    /// Queries per second, for servers whose CPU time is unknown.
    Throughput,
    /// 95th percentile of latency, for an open loop on such servers.
    Latency,
}

impl Figure {
    /// Returns the first of server CPU, throughput and latency that was measured. Server CPU if
    /// none was.
    pub(crate) fn of_run(analysis: &Analysis) -> Self {
        let has = |figure: Self| compared(analysis).any(|comparison| figure.ratio(comparison).is_some());
        [Self::Cpu, Self::Throughput, Self::Latency].into_iter().find(|figure| has(*figure)).unwrap_or(Self::Cpu)
    }

    pub(crate) fn ratio(self, comparison: &Comparison) -> Option<Estimate> {
        match self {
            Self::Cpu => comparison.server_cpu,
            Self::Throughput => comparison.throughput,
            Self::Latency => comparison.latency.p95,
        }
    }

    pub(crate) fn verdict(self, comparison: &Comparison) -> Verdict {
        match self {
            Self::Cpu => comparison.cpu_verdict,
            Self::Throughput => comparison.verdict,
            Self::Latency => judge(comparison.latency.p95, 0.0),
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Cpu => "server CPU per query",
            Self::Throughput => "throughput",
            Self::Latency => "p95 latency",
        }
    }

    /// Whether more of it is worse.
    pub(crate) fn is_cost(self) -> bool {
        self != Self::Throughput
    }
}

/// Returns the comparisons of a run, without its A/A pairs.
pub(crate) fn compared(analysis: &Analysis) -> impl Iterator<Item = &Comparison> {
    let all = analysis.conditions.iter().flat_map(|condition| &condition.comparisons);
    all.filter(|comparison| comparison.kind != PairKind::AA)
}

/// Change of a figure, as a comparison shows it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Change {
    More(Estimate),
    Less(Estimate),
    /// No difference, up to this fraction.
    Same(f64),
    /// A difference up to this fraction, either way, is not excluded.
    Unclear(f64),
    /// The interval is too wide to say anything.
    TooFew,
    NotMeasured,
}

/// A change is shown as `same` if any larger difference is excluded.
const MAX_SAME: f64 = 0.1;
/// An interval that reaches further from 1 says nothing.
const MAX_UNCLEAR: f64 = 0.5;
/// Half-width above which a change has no figure, unless the change is at least twice as large.
const MAX_HALF_WIDTH: f64 = 1.0;

impl Change {
    pub(crate) fn new(comparison: &Comparison, figure: Figure) -> Self {
        let Some(ratio) = figure.ratio(comparison) else { return Self::NotMeasured };
        let half = (ratio.high - ratio.low) / 2.0;
        let is_absurd = half > MAX_HALF_WIDTH && half > (ratio.value - 1.0).abs() / 2.0;
        match figure.verdict(comparison) {
            _ if is_absurd => Self::TooFew,
            Verdict::More => Self::More(ratio),
            Verdict::Less => Self::Less(ratio),
            Verdict::NoDifference { less, more } => match less.max(more) {
                most if most <= MAX_SAME => Self::Same(most),
                most if most <= MAX_UNCLEAR => Self::Unclear(most),
                _ => Self::TooFew,
            },
            Verdict::NotMeasured => Self::NotMeasured,
        }
    }

    pub(crate) fn text(self) -> String {
        match self {
            Self::More(ratio) | Self::Less(ratio) => format_change(ratio),
            Self::Same(most) => format!("same ± {}", percent(most)),
            Self::Unclear(most) => format!("unclear ± {}", percent(most)),
            Self::TooFew => "?".into(),
            Self::NotMeasured => "–".into(),
        }
    }

    pub(crate) fn is_decided(self) -> bool {
        matches!(self, Self::More(_) | Self::Less(_))
    }
}

/// Returns `+23 % ± 2`, or `+3.1 % ± 0.4` if both are below 10 %.
pub(crate) fn format_change(ratio: Estimate) -> String {
    let (value, half) = ((ratio.value - 1.0) * 100.0, (ratio.high - ratio.low) * 50.0);
    let places = usize::from(value.abs() < 9.95 && half < 9.95);
    let least = if places == 1 { 0.1 } else { 1.0 };
    let sign = if value < 0.0 { '−' } else { '+' };
    format!("{sign}{:.places$} % ± {:.places$}", value.abs(), half.max(least))
}

/// Returns `2 %`, or `0.4 %` below one percent.
pub(crate) fn percent(fraction: f64) -> String {
    let percent = fraction * 100.0;
    if percent < 0.95 { format!("{:.1} %", percent.max(0.1)) } else { format!("{percent:.0} %") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(value: f64, half: f64) -> Estimate {
        Estimate { value, low: value - half, high: value + half }
    }

    #[test]
    fn changes_are_in_percent() {
        assert_eq!(format_change(estimate(1.234, 0.021)), "+23 % ± 2");
        assert_eq!(format_change(estimate(0.969, 0.004)), "−3.1 % ± 0.4");
        assert_eq!(format_change(estimate(1.753, 0.001)), "+75 % ± 1");
        assert_eq!(Change::Same(0.012).text(), "same ± 1 %");
        assert_eq!(Change::Same(0.0004).text(), "same ± 0.1 %");
    }
}
