//! The page in Chromium, driven by the DevTools protocol. Installs Chromium if it is missing.

mod browsing;
mod common;
mod preflight_page;

use browsing::{OpenPage, open};
use common::{FIXTURES, report, run};
use report::page;

fn page_of(names: &[&str]) -> String {
    let of = |name: &&str| {
        let (run, blocks) = run(name);
        ((*name).to_owned(), report(run, &blocks))
    };
    page(&names.iter().map(of).collect::<Vec<_>>())
}

fn open_fixture(name: &str) -> OpenPage {
    open(&page_of(&[name]))
}

/// Script that returns the number of charts, and the number of charts that are drawn.
const CHARTS: &str = "(() => {
    const all = [...document.querySelectorAll('figure[data-chart]')];
    const marks = 'circle, rect, path, text, line';
    const drawn = all.filter((figure) => figure.querySelectorAll('.plot svg').length > 0
        && [...figure.querySelectorAll('svg g[aria-label]')].some((group) => group.querySelector(marks)));
    return [all.length, drawn.length];
})()";

#[test]
fn pages_load_without_messages_and_draw_all_charts() {
    for name in FIXTURES {
        let page = open_fixture(name);
        let [charts, drawn]: [usize; 2] = page.value(CHARTS);
        assert!(charts > 0 && drawn == charts, "{name}: {drawn} of {charts} charts are drawn");
        page.assert_no_messages(name);
    }
}

#[test]
fn chart_has_a_mark_per_figure() {
    let page = open_fixture("grid");
    let dots: usize = page.value("document.querySelectorAll('[data-chart=ratio] svg g[aria-label=dot] path').length");
    let rows: usize = page.value(
        "[...document.querySelectorAll('[data-chart=ratio] script')]
            .map((data) => JSON.parse(data.textContent).marks.length).reduce((sum, count) => sum + count)",
    );
    assert!(rows > 0 && dots == rows, "{dots} dots for {rows} ratios");
    let tiles: usize = page.value("document.querySelectorAll('[data-chart=heat] svg g[aria-label=cell] rect').length");
    assert_eq!(tiles, rows);
}

/// Returns the texts of a column of the first table of ratios.
fn column(page: &OpenPage, index: usize) -> Vec<String> {
    page.value(&format!(
        "[...document.querySelector('section[id$=ratios] table').tBodies[0].rows].map((row) => row.cells[{index}].textContent)"
    ))
}

fn numbers(page: &OpenPage, index: usize) -> Vec<f64> {
    column(page, index).iter().map(|text| text.replace(',', "").parse().unwrap()).collect()
}

/// Index of the column with queries per second in the first table of ratios of `two_servers`.
const THROUGHPUT_COLUMN: usize = 2;

#[test]
fn clicks_sort_a_column_in_both_directions() {
    let page = open_fixture("two_servers");
    let before = numbers(&page, THROUGHPUT_COLUMN);
    assert!(!before.is_sorted());
    let head = format!("section[id$=ratios] table thead th:nth-child({}) button", THROUGHPUT_COLUMN + 1);
    page.click(&head);
    assert!(numbers(&page, THROUGHPUT_COLUMN).is_sorted(), "{:?}", numbers(&page, THROUGHPUT_COLUMN));
    page.click(&head);
    assert!(numbers(&page, THROUGHPUT_COLUMN).iter().rev().is_sorted(), "{:?}", numbers(&page, THROUGHPUT_COLUMN));
    let sorted: Vec<String> =
        page.value("document.querySelector('section[id$=ratios] table').querySelectorAll('th[aria-sort]').values().map((head) => head.ariaSort).toArray()");
    assert_eq!(sorted[THROUGHPUT_COLUMN], "descending");
    assert_eq!(sorted.iter().filter(|order| *order == "none").count(), sorted.len() - 1);
    page.assert_no_messages("two_servers");
}

#[test]
fn sorting_works_by_keyboard() {
    let page = open_fixture("two_servers");
    page.value::<bool>("document.querySelector('section[id$=ratios] table thead th button').focus() ?? true");
    for _ in 0..THROUGHPUT_COLUMN {
        page.press("Tab");
    }
    page.press("Enter");
    assert!(numbers(&page, THROUGHPUT_COLUMN).is_sorted(), "{:?}", numbers(&page, THROUGHPUT_COLUMN));
}

#[test]
fn names_sort_as_names_and_unknown_figures_come_last() {
    let page = open_fixture("two_servers");
    page.value::<bool>(
        "document.querySelector('section[id$=ratios] table tbody tr td:nth-child(3)').replaceChildren('–') ?? true",
    );
    let head = format!("section[id$=ratios] table thead th:nth-child({}) button", THROUGHPUT_COLUMN + 1);
    for _ in 0..2 {
        page.click(&head);
        assert_eq!(column(&page, THROUGHPUT_COLUMN).last().unwrap(), "–");
    }
    page.click("section[id$=ratios] table thead th:nth-child(1) button");
    assert!(column(&page, 0).is_sorted(), "{:?}", column(&page, 0));
}

const BACKGROUND: &str = "getComputedStyle(document.body).backgroundColor";

#[test]
fn theme_follows_the_system_and_the_button() {
    let page = open_fixture("one_server");
    let light: String = page.value(BACKGROUND);
    assert_eq!(light, "rgb(255, 255, 255)");
    page.set_dark_theme();
    let dark: String = page.value(BACKGROUND);
    assert_ne!(dark, light);
    // The first click selects light, the second dark.
    for (theme, background) in [("light", &light), ("dark", &dark)] {
        page.click("#theme");
        assert_eq!(page.value::<String>("document.getElementById('theme').textContent"), format!("Theme: {theme}"));
        assert_eq!(page.value::<String>(BACKGROUND), *background, "{theme}");
    }
    // Colours of marks come from the style sheet.
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
    page.assert_no_messages("one_server");
}

#[test]
fn narrow_page_does_not_scroll_sideways() {
    for name in FIXTURES {
        let page = open_fixture(name);
        page.resize(390, 844);
        let [needed, given]: [u32; 2] =
            page.value("[document.documentElement.scrollWidth, document.documentElement.clientWidth]");
        assert!(needed <= given, "{name}: {needed} of {given} px");
        // Each table is in a box that the keyboard can focus.
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
fn charts_have_descriptions_for_screen_readers() {
    let page = open_fixture("grid");
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
    page.assert_no_messages("both");
}

#[test]
fn printing_unfolds_all_details() {
    let page = open_fixture("grid");
    let folded = "[...document.querySelectorAll('details')].filter((details) => !details.open).length";
    assert!(page.value::<usize>(folded) > 0);
    assert!(page.print().starts_with(b"%PDF"));
    assert_eq!(page.value::<usize>(folded), 0);
}
