//! What a real browser makes of the page. Needs Chromium (`apt-get install chromium`), which is driven by its DevTools protocol.

mod browsing;
mod common;
mod preflight_page;

use browsing::{Opened, open};
use common::{FIXTURES, report, run};
use report::page;

fn page_of(names: &[&str]) -> String {
    let of = |name: &&str| {
        let (run, blocks) = run(name);
        ((*name).to_owned(), report(run, &blocks))
    };
    page(&names.iter().map(of).collect::<Vec<_>>())
}

fn opened(name: &str) -> Opened {
    open(&page_of(&[name]))
}

/// How many charts the page has, and how many of them show marks of their figures.
const CHARTS: &str = "(() => {
    const all = [...document.querySelectorAll('figure[data-chart]')];
    const marks = 'circle, rect, path, text, line';
    const drawn = all.filter((figure) => figure.querySelectorAll('.plot svg').length > 0
        && [...figure.querySelectorAll('svg g[aria-label]')].some((group) => group.querySelector(marks)));
    return [all.length, drawn.length];
})()";

#[test]
fn every_page_loads_without_a_complaint_and_all_charts_draw() {
    for name in FIXTURES {
        let page = opened(name);
        let [charts, drawn]: [usize; 2] = page.value(CHARTS);
        assert!(charts > 0 && drawn == charts, "{name}: {drawn} of {charts} charts are drawn");
        page.assert_quiet(name);
    }
}

#[test]
fn a_chart_shows_a_mark_for_each_figure() {
    let page = opened("grid");
    let dots: usize = page.value("document.querySelectorAll('[data-chart=ratio] svg g[aria-label=dot] path').length");
    let rows: usize = page.value(
        "[...document.querySelectorAll('[data-chart=ratio] script')]
            .map((data) => JSON.parse(data.textContent).marks.length).reduce((sum, count) => sum + count)",
    );
    assert!(rows > 0 && dots == rows, "{dots} dots for {rows} ratios");
    let tiles: usize = page.value("document.querySelectorAll('[data-chart=heat] svg g[aria-label=cell] rect').length");
    assert_eq!(tiles, rows);
}

/// The figures in a column of the first table, as they stand.
fn column(page: &Opened, index: usize) -> Vec<String> {
    page.value(&format!(
        "[...document.querySelector('table').tBodies[0].rows].map((row) => row.cells[{index}].textContent)"
    ))
}

fn numbers(page: &Opened, index: usize) -> Vec<f64> {
    column(page, index).iter().map(|text| text.replace(',', "").parse().unwrap()).collect()
}

/// Column 2 of the first table of this run: queries a second.
const RATES: usize = 2;

#[test]
fn a_click_sorts_by_a_column_and_another_the_other_way_round() {
    let page = opened("two_servers");
    let before = numbers(&page, RATES);
    assert!(!before.is_sorted());
    let head = format!("table thead th:nth-child({}) button", RATES + 1);
    page.click(&head);
    assert!(numbers(&page, RATES).is_sorted(), "{:?}", numbers(&page, RATES));
    page.click(&head);
    assert!(numbers(&page, RATES).iter().rev().is_sorted(), "{:?}", numbers(&page, RATES));
    let sorted: Vec<String> =
        page.value("[...document.querySelectorAll('table')][0].querySelectorAll('th[aria-sort]').values().map((head) => head.ariaSort).toArray()");
    assert_eq!(sorted[RATES], "descending");
    assert_eq!(sorted.iter().filter(|order| *order == "none").count(), sorted.len() - 1);
    page.assert_quiet("two_servers");
}

#[test]
fn sorting_works_by_keyboard() {
    let page = opened("two_servers");
    page.value::<bool>("document.querySelector('table thead th button').focus() ?? true");
    for _ in 0..RATES {
        page.press("Tab");
    }
    page.press("Enter");
    assert!(numbers(&page, RATES).is_sorted(), "{:?}", numbers(&page, RATES));
}

#[test]
fn names_sort_as_names_and_what_is_not_known_comes_last() {
    let page = opened("two_servers");
    page.value::<bool>("document.querySelector('table tbody tr td:nth-child(3)').replaceChildren('–') ?? true");
    let head = format!("table thead th:nth-child({}) button", RATES + 1);
    for _ in 0..2 {
        page.click(&head);
        assert_eq!(column(&page, RATES).last().unwrap(), "–");
    }
    page.click("table thead th:nth-child(1) button");
    assert!(column(&page, 0).is_sorted(), "{:?}", column(&page, 0));
}

const GROUND: &str = "getComputedStyle(document.body).backgroundColor";

#[test]
fn the_page_is_dark_where_the_system_is_or_the_reader_says_so() {
    let page = opened("one_server");
    let light: String = page.value(GROUND);
    assert_eq!(light, "rgb(255, 255, 255)");
    page.prefer_dark();
    let dark: String = page.value(GROUND);
    assert_ne!(dark, light);
    // From automatic to light, then to dark.
    for (theme, ground) in [("light", &light), ("dark", &dark)] {
        page.click("#theme");
        assert_eq!(page.value::<String>("document.getElementById('theme').textContent"), format!("Theme: {theme}"));
        assert_eq!(page.value::<String>(GROUND), *ground, "{theme}");
    }
    // Marks follow: their colours are the style sheet's.
    let ink: String =
        page.value("getComputedStyle(document.querySelector('[data-chart=bars] svg g[aria-label=bar] rect')).fill");
    page.click("#theme");
    page.click("#theme");
    assert_ne!(
        page.value::<String>(
            "getComputedStyle(document.querySelector('[data-chart=bars] svg g[aria-label=bar] rect')).fill"
        ),
        ink
    );
    page.assert_quiet("one_server");
}

#[test]
fn a_phone_needs_no_sideways_scrolling() {
    for name in FIXTURES {
        let page = opened(name);
        page.resize(390, 844);
        let [needed, given]: [u32; 2] =
            page.value("[document.documentElement.scrollWidth, document.documentElement.clientWidth]");
        assert!(needed <= given, "{name}: {needed} of {given} px");
        // What is wider scrolls in a box of its own, which the keyboard reaches.
        let stuck: usize = page.value(
            "[...document.querySelectorAll('table')].filter((table) => table.closest('.scroll')?.tabIndex !== 0).length",
        );
        assert_eq!(stuck, 0, "{name}");
        let wide: usize = page.value(
            "[...document.querySelectorAll('[data-chart=ratio] svg')].filter((svg) => svg.clientWidth > 390).length",
        );
        assert_eq!(wide, 0, "{name}: charts are drawn anew for the width");
    }
}

#[test]
fn who_does_not_see_charts_is_told_what_they_show() {
    let page = opened("grid");
    let untold: usize = page.value(
        "[...document.querySelectorAll('.plot')].filter((plot) => plot.role !== 'img' || !plot.ariaLabel).length",
    );
    assert_eq!(untold, 0);
    let levels: Vec<u32> =
        page.value("[...document.querySelectorAll('h1, h2, h3')].map((head) => Number(head.tagName[1]))");
    assert_eq!(levels[0], 1);
    assert!(levels.windows(2).all(|pair| pair[1] <= pair[0] + 1), "no level is skipped: {levels:?}");
    let nameless: usize =
        page.value("[...document.querySelectorAll('table')].filter((table) => !table.caption?.textContent).length");
    assert_eq!(nameless, 0);
}

#[test]
fn two_runs_on_one_page_draw_both() {
    let page = open(&page_of(&["one_server", "solo"]));
    let [charts, drawn]: [usize; 2] = page.value(CHARTS);
    assert_eq!(charts, drawn);
    let each: Vec<usize> =
        page.value("[...document.querySelectorAll('article')].map((run) => run.querySelectorAll('.plot svg').length)");
    assert!(each.len() == 2 && each.iter().all(|charts| *charts > 0), "{each:?}");
    page.assert_quiet("both");
}

#[test]
fn printing_unfolds_what_is_folded() {
    let page = opened("grid");
    let folded = "[...document.querySelectorAll('details')].filter((details) => !details.open).length";
    assert!(page.value::<usize>(folded) > 0);
    assert!(page.print().starts_with(b"%PDF"));
    assert_eq!(page.value::<usize>(folded), 0);
}
