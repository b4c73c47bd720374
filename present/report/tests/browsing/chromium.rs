//! Starts a browser and sets the window and theme of a tab, for tests and screenshots.

use std::time::Duration;

use fetch::Tool;
use headless_chrome::browser::default_executable;
use headless_chrome::browser::tab::Tab;
use headless_chrome::protocol::cdp::Emulation;
use headless_chrome::{Browser, LaunchOptions};
use server::NoProgress;

/// Width below which a window emulates a phone, in pixels.
const MAX_PHONE_WIDTH: u32 = 600;

/// Limit of waiting for a tab or a page, on a slow machine.
pub const MAX_WAIT: Duration = Duration::from_secs(120);

/// Starts a browser with a desktop window.
pub fn start_browser() -> Browser {
    let path =
        default_executable().or_else(|_| Tool::Chromium.find_or_install(&NoProgress)).expect("Chromium is installed");
    let options = LaunchOptions::default_builder()
        .path(Some(path))
        .window_size(Some((1280, 900)))
        // Root in a container has no sandbox. The browser opens only our own page.
        .sandbox(false)
        // Allows a slow machine long pauses between calls.
        .idle_browser_timeout(Duration::from_secs(300))
        .build()
        .unwrap();
    // Waits half a minute for the browser's address, which a slow machine can exceed.
    let start = || Browser::new(options.clone());
    let browser = start().or_else(|_| start()).or_else(|_| start()).expect("Chromium starts");
    browser.set_default_timeout(MAX_WAIT);
    browser
}

/// Sets the size of a tab's window.
pub fn resize(tab: &Tab, width: u32, height: u32) {
    let metrics = Emulation::SetDeviceMetricsOverride {
        width,
        height,
        device_scale_factor: 1.0,
        mobile: width < MAX_PHONE_WIDTH,
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
    };
    tab.call_method(metrics).unwrap();
}

/// Sets the system's theme, `light` or `dark`.
pub fn set_theme(tab: &Tab, theme: &str) {
    let scheme = Emulation::MediaFeature { name: "prefers-color-scheme".into(), value: theme.into() };
    tab.call_method(Emulation::SetEmulatedMedia { media: None, features: Some(vec![scheme]) }).unwrap();
}
