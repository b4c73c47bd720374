//! A browser, and what a tab of it looks like to a page: for the tests and for the screenshots.

use std::time::Duration;

use headless_chrome::browser::default_executable;
use headless_chrome::browser::tab::Tab;
use headless_chrome::protocol::cdp::Emulation;
use headless_chrome::{Browser, LaunchOptions};
use server::{NoProgress, Tool};

/// Narrower windows are a phone's.
const PHONE: u32 = 600;

/// Starts a browser with some desktop's window.
pub fn browser() -> Browser {
    let path = default_executable().or_else(|_| Tool::Chromium.find_or_install(&NoProgress)).expect("a Chromium");
    let options = LaunchOptions::default_builder()
        .path(Some(path))
        .window_size(Some((1280, 900)))
        // As root, as in a container, it has no sandbox to run in. It opens our own page only.
        .sandbox(false)
        // A slow machine takes its time between two calls.
        .idle_browser_timeout(Duration::from_secs(300))
        .build()
        .unwrap();
    Browser::new(options).expect("Chromium starts")
}

/// Gives a tab a window.
pub fn resize(tab: &Tab, width: u32, height: u32) {
    let metrics = Emulation::SetDeviceMetricsOverride {
        width,
        height,
        device_scale_factor: 1.0,
        mobile: width < PHONE,
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

/// Gives the system a theme, `light` or `dark`.
pub fn prefer(tab: &Tab, theme: &str) {
    let scheme = Emulation::MediaFeature { name: "prefers-color-scheme".into(), value: theme.into() };
    tab.call_method(Emulation::SetEmulatedMedia { media: None, features: Some(vec![scheme]) }).unwrap();
}
