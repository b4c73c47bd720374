//! HTML page of `weigh profile`: what a query takes more, by category and function, with flame
//! graphs.

use askama::Template;
use profile::{Profile, Profiles};

use super::text::{INTERVAL_SCOPE, describe_cost, quality, title, too_few_samples};
use crate::frame::{Badge, Frame};
use crate::page::profile::Body;
use crate::profile::table::text_share;

#[derive(Template)]
#[template(path = "profile_page.html")]
struct Page {
    frame: Frame,
    titles: Vec<String>,
    badge: Badge,
    body: Body,
    notes: Vec<String>,
}

/// Returns the page of profiles. `graphs` are flame graphs as SVG, by file name.
pub fn profile_page(profiles: &Profiles, graphs: &[(String, String)]) -> String {
    let first = profiles.profiles.first();
    let page = Page {
        frame: Frame::with_charts(first.map_or_else(|| "Nothing was sampled".into(), finding)),
        titles: profiles.profiles.iter().flat_map(titles).collect(),
        badge: first.map_or_else(|| badge_of(Some("no sample".into()), String::new()), badge),
        body: Body::new(profiles, graphs),
        notes: profiles.profiles.iter().flat_map(|profile| profile.notes.iter().cloned()).collect(),
    };
    crate::frame::render(&page)
}

/// Returns `A query takes 114.0 instead of 65.0 µs of server CPU: +75 % ± 1`.
fn finding(profile: &Profile) -> String {
    if too_few_samples(profile).is_some() {
        return "Too few samples to say anything".into();
    }
    let cost = profile.differences.iter().find_map(|difference| describe_cost(profile, difference));
    cost.unwrap_or_else(|| text_share(profile)).trim_end_matches('.').to_owned()
}

fn titles(profile: &Profile) -> Vec<String> {
    match profile.differences.as_slice() {
        [] => vec![title(profile, None)],
        all => all.iter().map(|one| title(profile, Some((&profile.sides[one.side], &profile.sides[0])))).collect(),
    }
}

fn badge(profile: &Profile) -> Badge {
    let (level, reasons) = quality(profile);
    let reasons = format!("{reasons}; {INTERVAL_SCOPE}");
    match too_few_samples(profile) {
        Some(reason) => badge_of(Some(reason), reasons),
        None => Badge { level, title: format!("Quality: {level}"), reasons },
    }
}

fn badge_of(failure: Option<String>, reasons: String) -> Badge {
    Badge { level: "poor", title: "Quality: poor".into(), reasons: failure.unwrap_or(reasons) }
}
