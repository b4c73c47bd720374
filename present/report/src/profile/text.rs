//! A profile for a terminal: what a query takes more, and in which work and functions.

use measure::Estimate;
use profile::{CategoryDifference, Difference, FunctionDifference, FunctionShare, Profile, SideProfile};

use crate::format::number::{count_noun, format_percent};
use crate::format::text::Style;
use crate::run::verdict::cell::format_change;
use crate::run::verdict::grid::describe_shortly;

/// Samples of a side below which a profile says nothing.
const MIN_SAMPLES: u64 = 200;
const MAX_CATEGORIES: usize = 5;
const MAX_FUNCTIONS: usize = 6;
/// Share of the whole below which a category is left out, and a function of a difference.
const MIN_SHARE: f64 = 0.03;
const BAR_WIDTH: f64 = 24.0;
/// Share of samples in a known function below which the quality is only fair.
const GOOD_NAMING: f64 = 0.9;

/// Writes the verdict of each profile, with what `push_more` adds, and once what the intervals leave
/// out.
pub(crate) fn push_verdicts(
    profiles: &[Profile],
    push_more: impl Fn(&Profile, &mut String),
    style: Style,
    out: &mut String,
) {
    let scope = (profiles.len() == 1).then_some(INTERVAL_SCOPE);
    for (at, profile) in profiles.iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        push_verdict(profile, scope, style, out);
        push_more(profile, out);
    }
    if scope.is_none() && profiles.iter().any(|profile| too_few_samples(profile).is_none()) {
        style.push_wrapped("", "  ", &format!("In all of these, {INTERVAL_SCOPE}."), out);
    }
}

/// Writes the verdict of a profile. `scope` says what its intervals leave out.
fn push_verdict(profile: &Profile, scope: Option<&str>, style: Style, out: &mut String) {
    if let Some(reason) = too_few_samples(profile) {
        style.push_wrapped("✗ ", "  ", &format!("{}: {reason}", profile.title), out);
        return;
    }
    match profile.differences.as_slice() {
        [] => profile.sides.iter().for_each(|side| push_side(profile, side, style, out)),
        differences => differences.iter().for_each(|difference| push_difference(profile, difference, style, out)),
    }
    let (level, reasons) = quality(profile);
    let scope = scope.map(|scope| format!("; {scope}")).unwrap_or_default();
    style.push_wrapped("", "  ", &format!("Quality: {level} ({reasons}{scope})."), out);
    profile.notes.iter().for_each(|note| style.push_wrapped("note: ", "  ", note, out));
}

/// Returns why a profile says nothing. `None` if it has enough samples.
pub(crate) fn too_few_samples(profile: &Profile) -> Option<String> {
    let fewest = profile.sides.iter().map(|side| side.samples).min().unwrap_or(0);
    (fewest < MIN_SAMPLES).then(|| {
        format!(
            "{} of a side are too few to say anything; {MIN_SAMPLES} would do: sample for longer (--seconds), or under more load",
            count_noun(fewest, "sample")
        )
    })
}

fn push_difference(profile: &Profile, difference: &Difference, style: Style, out: &mut String) {
    let (first, own) = (&profile.sides[0], &profile.sides[difference.side]);
    style.push_title(&title(profile, Some((own, first))), out);
    let (Some(all), Some(text)) = (difference.cpu_us, difference.text_cpu_us) else {
        push_side(profile, own, style, out);
        return;
    };
    let mut line = describe_cost(profile, difference).unwrap_or_default();
    let share = text.value / all.value;
    if !all.contains(0.0) && (0.0..=1.2).contains(&share) {
        line += &format!(" {} of that is charset and collation work:", format_percent(share.min(1.0)));
    }
    style.push_wrapped("", "  ", &line, out);
    let mut categories: Vec<(&CategoryDifference, f64)> =
        difference.categories.iter().filter_map(|one| Some((one, one.cpu_us?.value))).collect();
    categories.sort_by(|one, other| other.1.abs().total_cmp(&one.1.abs()));
    let largest = categories.first().map_or(1.0, |(_, value)| value.abs()).max(f64::MIN_POSITIVE);
    let is_large = |value: f64| value.abs() >= MIN_SHARE * all.value.abs();
    // Differences that may be chance would be read as causes.
    if all.contains(0.0) {
        categories.retain(|(category, _)| category.cpu_us.is_some_and(|cpu| !cpu.contains(0.0)));
    }
    for (category, value) in categories.iter().take(MAX_CATEGORIES).filter(|(_, value)| is_large(*value)) {
        push_bar(category.category.describe(), &format!("{} µs", signed(*value)), value.abs() / largest, out);
    }
    push_functions(difference.functions.iter().filter_map(|one| describe_change(one, all)), style, out);
    describe_different_work(difference).iter().for_each(|note| style.push_wrapped("! ", "  ", note, out));
}

/// Returns `Handler_read_rnd 12.5 per query instead of 6.2: …`. `None` if the sides do the same
/// work besides the collations'.
pub(crate) fn describe_different_work(difference: &Difference) -> Option<String> {
    difference.not_comparable.as_ref().map(|different| format!("{}.", describe_shortly(different)))
}

/// Returns `A query takes 114.0 instead of 65.0 µs of server CPU: +75 % ± 1.` `None` without times.
pub(crate) fn describe_cost(profile: &Profile, difference: &Difference) -> Option<String> {
    let (first, own, all) = (&profile.sides[0], &profile.sides[difference.side], difference.cpu_us?);
    Some(match (first.cpu_us, own.cpu_us) {
        (Some(before), Some(now)) if before.value > 0.0 => {
            let ratio = |value: f64| 1.0 + value / before.value;
            let change = Estimate { value: ratio(all.value), low: ratio(all.low), high: ratio(all.high) };
            let found = if all.contains(0.0) { ", no difference found" } else { "" };
            format!(
                "A query takes {:.1} instead of {:.1} µs of server CPU: {}{found}.",
                now.value,
                before.value,
                format_change(change)
            )
        }
        _ => format!("A query takes {} µs more server CPU.", format_signed(all)),
    })
}

fn push_side(profile: &Profile, side: &SideProfile, style: Style, out: &mut String) {
    if profile.differences.is_empty() {
        style.push_title(&title(profile, None), out);
    }
    let share = side.text_share;
    let half =
        share.interval.map(|interval| format!(" ± {:.1}", (interval.high - interval.low) * 50.0)).unwrap_or_default();
    let line = format!(
        "Charset and collation work is {:.1} %{half} of the server's CPU under {}.",
        share.value * 100.0,
        side.label
    );
    style.push_wrapped("", "  ", &line, out);
    let mut categories: Vec<_> = side.categories.iter().map(|one| (one.category, one.share.value)).collect();
    categories.sort_by(|one, other| other.1.total_cmp(&one.1));
    let largest = categories.first().map_or(1.0, |(_, value)| *value).max(f64::MIN_POSITIVE);
    for (category, value) in categories.into_iter().take(MAX_CATEGORIES).filter(|(_, value)| *value >= MIN_SHARE) {
        push_bar(category.describe(), &format!("{:.1} %", value * 100.0), value / largest, out);
    }
    let name = |one: &FunctionShare| format!("{} {:.1} %", one.name, one.share * 100.0);
    push_functions(side.functions.iter().map(name), style, out);
}

/// Returns `utf8mb4_general_ci compared with latin1_swedish_ci · oltp_read_write · 10 s each`.
pub(crate) fn title(profile: &Profile, sides: Option<(&SideProfile, &SideProfile)>) -> String {
    let mut parts = Vec::new();
    parts.extend(sides.map(|(own, first)| format!("{} compared with {}", own.label, first.label)));
    parts.push(profile.title.clone());
    if let Some(window) = profile.window_s {
        let sides = profile.sides.len().max(1) as f64;
        parts.push(format!("{:.0} s each", window * profile.windows as f64 / sides));
    }
    parts.join(" · ")
}

fn push_bar(name: &str, figure: &str, share: f64, out: &mut String) {
    let length = (share * BAR_WIDTH).round().max(1.0) as usize;
    out.push_str(&format!("  {name:<24}{figure:>10}  {}\n", "█".repeat(length)));
}

fn push_functions(functions: impl Iterator<Item = String>, style: Style, out: &mut String) {
    let functions: Vec<String> = functions.take(MAX_FUNCTIONS).collect();
    if !functions.is_empty() {
        style.push_wrapped("", "  ", &format!("Functions: {}", functions.join(", ")), out);
    }
}

/// Returns `my_strnxfrm_unicode +5.2`, in µs per query. `None` for a small difference.
fn describe_change(function: &FunctionDifference, all: Estimate) -> Option<String> {
    let value = function.cpu_us?.value;
    let is_chance = all.contains(0.0) && function.cpu_us?.contains(0.0);
    (value.abs() >= MIN_SHARE * all.value.abs() && !is_chance).then(|| format!("{} {}", function.name, signed(value)))
}

fn signed(value: f64) -> String {
    format!("{}{:.1}", if value < 0.0 { '−' } else { '+' }, value.abs())
}

fn format_signed(estimate: Estimate) -> String {
    format!("{} ± {:.1}", signed(estimate.value), (estimate.high - estimate.low) / 2.0)
}

/// Limit of the printed intervals.
pub(crate) const INTERVAL_SCOPE: &str =
    "± is of these samples alone: fresh starts of the servers can differ by more (weigh bench)";

/// Returns the profile's level of quality, how many samples each side has at least, and how many are
/// in a known function, which may lack a name.
pub(crate) fn quality(profile: &Profile) -> (&'static str, String) {
    let samples = profile.sides.iter().map(|side| side.samples).min().unwrap_or(0);
    let (all, unknown) = profile
        .sides
        .iter()
        .fold((0, 0), |(all, unknown), side| (all + side.coverage.samples, unknown + side.coverage.unknown));
    let named = if all == 0 { 0.0 } else { (all - unknown) as f64 / all as f64 };
    let level = if named < GOOD_NAMING { "fair" } else { "good" };
    let samples = count_noun(samples, "sample");
    (level, format!("{samples} of each side, {} in a known function", format_percent(named)))
}
