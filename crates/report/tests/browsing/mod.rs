//! A page in a browser of its own, which is gone with it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use headless_chrome::browser::default_executable;
use headless_chrome::browser::tab::Tab;
use headless_chrome::protocol::cdp::types::Event;
use headless_chrome::protocol::cdp::{Emulation, Runtime};
use headless_chrome::{Browser, LaunchOptions};
use serde::de::DeserializeOwned;
use tempfile::TempDir;

/// Some desktop's window.
const WINDOW: (u32, u32) = (1280, 900);

/// A page that is open.
pub struct Opened {
    tab: Arc<Tab>,
    /// What the console was told, and what nobody caught.
    complaints: Arc<Mutex<Vec<String>>>,
    _browser: Browser,
    _folder: TempDir,
}

/// Opens a page from disk, as a reader would.
pub fn open(page: &str) -> Opened {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.html");
    std::fs::write(&file, page).unwrap();
    let browser = browser();
    let tab = browser.new_tab().unwrap();
    let complaints = listen(&tab);
    tab.navigate_to(&format!("file://{}", file.display())).and_then(|tab| tab.wait_until_navigated()).unwrap();
    Opened { tab, complaints, _browser: browser, _folder: folder }
}

fn browser() -> Browser {
    let path = default_executable().expect("a Chromium to open pages in; `apt-get install chromium` installs one");
    let options = LaunchOptions::default_builder()
        .path(Some(path))
        .window_size(Some(WINDOW))
        // As root, as in a container, it has no sandbox to run in. It opens our own page only.
        .sandbox(false)
        // A slow machine takes its time between two calls.
        .idle_browser_timeout(Duration::from_secs(300))
        .build()
        .unwrap();
    Browser::new(options).expect("Chromium starts")
}

/// Collects warnings and errors from now on.
fn listen(tab: &Tab) -> Arc<Mutex<Vec<String>>> {
    let complaints: Arc<Mutex<Vec<String>>> = Arc::default();
    let heard = Arc::clone(&complaints);
    let hear = move |event: &Event| {
        let complaint = match event {
            Event::LogEntryAdded(entry) => format!("{:?}", entry.params.entry),
            Event::RuntimeConsoleAPICalled(call) => format!("{:?}", call.params),
            Event::RuntimeExceptionThrown(thrown) => format!("{:?}", thrown.params.exception_details),
            _ => return,
        };
        heard.lock().unwrap().push(complaint);
    };
    tab.add_event_listener(Arc::new(hear)).unwrap();
    tab.enable_log().and_then(Tab::enable_runtime).unwrap();
    complaints
}

impl Opened {
    /// What an expression of JavaScript gives.
    pub fn value<T: DeserializeOwned>(&self, expression: &str) -> T {
        let call = Runtime::Evaluate {
            expression: expression.into(),
            return_by_value: Some(true),
            await_promise: Some(true),
            object_group: None,
            include_command_line_api: None,
            silent: None,
            context_id: None,
            generate_preview: None,
            user_gesture: None,
            throw_on_side_effect: None,
            timeout: None,
            disable_breaks: None,
            repl_mode: None,
            allow_unsafe_eval_blocked_by_csp: None,
            unique_context_id: None,
            serialization_options: None,
        };
        let answer = self.tab.call_method(call).unwrap();
        assert!(answer.exception_details.is_none(), "{expression}: {:?}", answer.exception_details);
        let value = answer.result.value.unwrap_or_default();
        serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{expression}: {error}: {value}"))
    }

    /// Clicks the first element that a selector finds, where it is.
    pub fn click(&self, selector: &str) {
        self.tab.find_element(selector).and_then(|element| element.click().map(drop)).unwrap();
        self.settle();
    }

    /// Presses a key, such as `Enter`.
    pub fn press(&self, key: &str) {
        self.tab.press_key(key).unwrap();
        self.settle();
    }

    /// The system's theme is dark from now on.
    pub fn prefer_dark(&self) {
        let feature = Emulation::MediaFeature { name: "prefers-color-scheme".into(), value: "dark".into() };
        self.tab.call_method(Emulation::SetEmulatedMedia { media: None, features: Some(vec![feature]) }).unwrap();
        self.settle();
    }

    /// Gives the page another window, of a phone's width for instance.
    pub fn resize(&self, width: u32, height: u32) {
        let metrics = Emulation::SetDeviceMetricsOverride {
            width,
            height,
            device_scale_factor: 1.0,
            mobile: true,
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
        self.tab.call_method(metrics).unwrap();
        self.settle();
    }

    /// The page on paper: a PDF.
    pub fn print(&self) -> Vec<u8> {
        self.tab.print_to_pdf(None).unwrap()
    }

    /// Nothing was written to the console and nothing went wrong so far.
    pub fn assert_quiet(&self, page: &str) {
        let complaints = self.complaints.lock().unwrap();
        assert!(complaints.is_empty(), "{page}: {complaints:#?}");
    }

    /// Waits until what the last event set going is drawn.
    fn settle(&self) {
        self.value::<bool>(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))",
        );
    }
}
