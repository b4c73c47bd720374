//! Takes pictures of a page's first screen, for review and for the documentation. `cargo run -p
//! report --example screenshots -- PAGE.html FOLDER` writes PNG files named after the page: on a
//! desktop, in dark, on a phone, and as printed.

#[path = "../tests/browsing/chromium.rs"]
mod chromium;

use std::error::Error;
use std::fs;
use std::path::Path;

use headless_chrome::browser::tab::Tab;
use headless_chrome::protocol::cdp::Emulation::SetEmulatedMedia;
use headless_chrome::protocol::cdp::Page::CaptureScreenshotFormatOption::Png;

type Outcome = Result<(), Box<dyn Error>>;

/// Suffix of the file's name, width and height of the screen, theme, and medium.
const SCREENS: [(&str, u32, u32, &str, &str); 4] = [
    ("", 1280, 800, "light", "screen"),
    ("-dark", 1280, 800, "dark", "screen"),
    ("-phone", 390, 844, "light", "screen"),
    // A4 at 96 pixels per inch.
    ("-print", 794, 1123, "light", "print"),
];

fn main() -> Outcome {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [page, folder] = words.as_slice() else { return Err("give a page and a folder".into()) };
    let (page, folder) = (fs::canonicalize(page)?, Path::new(folder));
    fs::create_dir_all(folder)?;
    let name = page.file_stem().unwrap_or_default().to_string_lossy();
    let browser = chromium::start_browser();
    for (suffix, width, height, theme, medium) in SCREENS {
        let tab = browser.new_tab()?;
        chromium::resize(&tab, width, height);
        chromium::set_theme(&tab, theme);
        tab.navigate_to(&format!("file://{}", page.display()))?.wait_until_navigated()?;
        if medium == "print" {
            tab.call_method(SetEmulatedMedia { media: Some(medium.into()), features: None })?;
            tab.evaluate("dispatchEvent(new Event('beforeprint'))", false)?;
        }
        wait_until_drawn(&tab)?;
        let picture = tab.capture_screenshot(Png, None, None, true)?;
        fs::write(folder.join(format!("{name}{suffix}.png")), picture)?;
    }
    Ok(())
}

fn wait_until_drawn(tab: &Tab) -> Outcome {
    let drawn = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))";
    tab.evaluate(drawn, true)?;
    Ok(())
}
