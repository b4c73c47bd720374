//! Takes screenshots of a page, for review and for the README. `cargo run -p report --example
//! screenshots -- PAGE.html FOLDER` writes PNG files of the light, dark and narrow page, and a PDF
//! of the print.

#[path = "../tests/browsing/chromium.rs"]
mod chromium;

use std::error::Error;
use std::fs;
use std::path::Path;

use headless_chrome::browser::tab::Tab;
use headless_chrome::protocol::cdp::Page::CaptureScreenshotFormatOption::Png;

type Outcome = Result<(), Box<dyn Error>>;

fn main() -> Outcome {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [page, folder] = words.as_slice() else { return Err("give a page and a folder".into()) };
    let (page, folder) = (fs::canonicalize(page)?, Path::new(folder));
    fs::create_dir_all(folder)?;
    let browser = chromium::start_browser();
    for (name, width, theme) in [("light", 1280, "light"), ("dark", 1280, "dark"), ("narrow", 390, "light")] {
        let tab = browser.new_tab()?;
        chromium::resize(&tab, width, 900);
        chromium::set_theme(&tab, theme);
        tab.navigate_to(&format!("file://{}", page.display()))?.wait_until_navigated()?;
        chromium::resize(&tab, width, height(&tab)?);
        fs::write(folder.join(format!("{name}.png")), tab.capture_screenshot(Png, None, None, true)?)?;
        if name == "light" {
            fs::write(folder.join("print.pdf"), tab.print_to_pdf(None)?)?;
        }
    }
    Ok(())
}

/// Returns the height of the page at its current width, in pixels.
fn height(tab: &Tab) -> Result<u32, Box<dyn Error>> {
    let drawn = "new Promise((done) => requestAnimationFrame(() => done(document.documentElement.scrollHeight)))";
    let height = tab.evaluate(drawn, true)?.value.and_then(|value| value.as_u64()).ok_or("the page tells no height")?;
    Ok(u32::try_from(height)?)
}
