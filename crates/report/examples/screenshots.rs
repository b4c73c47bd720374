//! Pictures of a page, for looking at after a change of it, and for the README:
//! `cargo run -p report --example screenshots -- PAGE.html FOLDER` writes light, dark and narrow PNGs and a PDF of the print.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::Duration;

use headless_chrome::browser::default_executable;
use headless_chrome::browser::tab::Tab;
use headless_chrome::protocol::cdp::Emulation;
use headless_chrome::protocol::cdp::Page::CaptureScreenshotFormatOption::Png;
use headless_chrome::{Browser, LaunchOptions};

type Done = Result<(), Box<dyn Error>>;

fn main() -> Done {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [page, folder] = words.as_slice() else { return Err("give a page and a folder".into()) };
    let (page, folder) = (fs::canonicalize(page)?, Path::new(folder));
    fs::create_dir_all(folder)?;
    let options = LaunchOptions::default_builder()
        .path(Some(default_executable()?))
        .sandbox(false)
        .idle_browser_timeout(Duration::from_secs(300))
        .build()?;
    let browser = Browser::new(options)?;
    for (name, width, theme) in [("light", 1280, "light"), ("dark", 1280, "dark"), ("narrow", 390, "light")] {
        let tab = browser.new_tab()?;
        dress(&tab, width, 900, theme)?;
        tab.navigate_to(&format!("file://{}", page.display()))?.wait_until_navigated()?;
        dress(&tab, width, height(&tab)?, theme)?;
        fs::write(folder.join(format!("{name}.png")), tab.capture_screenshot(Png, None, None, true)?)?;
        if name == "light" {
            fs::write(folder.join("print.pdf"), tab.print_to_pdf(None)?)?;
        }
    }
    Ok(())
}

/// Gives a tab a window and the system a theme.
fn dress(tab: &Tab, width: u32, height: u32, theme: &str) -> Done {
    tab.call_method(Emulation::SetDeviceMetricsOverride {
        width,
        height,
        device_scale_factor: 1.0,
        mobile: width < 600,
        scale: None,
        screen_width: None,
        screen_height: None,
        position_x: None,
        position_y: None,
        dont_set_visible_size: None,
        screen_orientation: None,
        viewport: None,
        display_feature: None,
        device_posture: None,
    })?;
    let scheme = Emulation::MediaFeature { name: "prefers-color-scheme".into(), value: theme.into() };
    tab.call_method(Emulation::SetEmulatedMedia { media: None, features: Some(vec![scheme]) })?;
    Ok(())
}

/// How tall the page is, drawn for its width.
fn height(tab: &Tab) -> Result<u32, Box<dyn Error>> {
    let drawn = "new Promise((done) => requestAnimationFrame(() => done(document.documentElement.scrollHeight)))";
    let height = tab.evaluate(drawn, true)?.value.and_then(|value| value.as_u64()).ok_or("the page tells no height")?;
    Ok(u32::try_from(height)?)
}
