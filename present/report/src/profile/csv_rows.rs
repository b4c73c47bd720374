//! CSV of profiles: a line per category and per function of each side.

use profile::{CategoryShare, FunctionShare, Profile, Profiles, SideProfile};
use serde::Serialize;

use crate::format::csv::{to_csv, value_and_bounds};
use crate::format::number::round_six_digits;

/// Columns of a line, in order.
#[derive(Serialize)]
struct Line<'a> {
    profile: &'a str,
    side: &'a str,
    kind: &'static str,
    name: &'a str,
    category: &'static str,
    samples: u64,
    share: f64,
    share_low: Option<f64>,
    share_high: Option<f64>,
    cpu_us: Option<f64>,
    cpu_us_low: Option<f64>,
    cpu_us_high: Option<f64>,
    /// Of a function: its symbol, or where it was found.
    raw_name: Option<&'a str>,
}

/// Returns the profiles as CSV with a header.
pub fn profile_csv(profiles: &Profiles) -> String {
    to_csv(profiles.profiles.iter().flat_map(lines))
}

fn lines(profile: &Profile) -> impl Iterator<Item = Line<'_>> {
    profile.sides.iter().flat_map(|side| {
        let categories = side.categories.iter().map(|part| category(profile, side, part));
        categories.chain(side.functions.iter().map(|part| function(profile, side, part)))
    })
}

fn category<'a>(profile: &'a Profile, side: &'a SideProfile, part: &'a CategoryShare) -> Line<'a> {
    let [_, share_low, share_high] = value_and_bounds(part.share.interval);
    let [cpu_us, cpu_us_low, cpu_us_high] = value_and_bounds(part.cpu_us);
    Line {
        profile: &profile.title,
        side: &side.label,
        kind: "category",
        name: part.category.name(),
        category: part.category.name(),
        samples: part.samples,
        share: round_six_digits(part.share.value),
        share_low,
        share_high,
        cpu_us,
        cpu_us_low,
        cpu_us_high,
        raw_name: None,
    }
}

/// Builds the line of a function, which has no intervals.
fn function<'a>(profile: &'a Profile, side: &'a SideProfile, part: &'a FunctionShare) -> Line<'a> {
    Line {
        profile: &profile.title,
        side: &side.label,
        kind: "function",
        name: &part.name,
        category: part.category.name(),
        samples: part.samples,
        share: round_six_digits(part.share),
        share_low: None,
        share_high: None,
        cpu_us: part.cpu_us.map(round_six_digits),
        cpu_us_low: None,
        cpu_us_high: None,
        raw_name: Some(&part.raw_name),
    }
}
