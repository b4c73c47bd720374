//! A page in a browser of its own, which is gone with it.

mod dress;

use std::sync::{Arc, Mutex};

use headless_chrome::Browser;
use headless_chrome::browser::tab::Tab;
use headless_chrome::protocol::cdp::Runtime;
use headless_chrome::protocol::cdp::types::Event;
use serde::de::DeserializeOwned;
use tempfile::TempDir;

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
    open_at(page, "")
}

/// Opens a page at a fragment, such as `#a`.
pub fn open_at(page: &str, fragment: &str) -> Opened {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.html");
    std::fs::write(&file, page).unwrap();
    let browser = dress::browser();
    let tab = browser.new_tab().unwrap();
    let complaints = listen(&tab);
    tab.navigate_to(&format!("file://{}{fragment}", file.display()))
        .and_then(|tab| tab.wait_until_navigated())
        .unwrap();
    Opened { tab, complaints, _browser: browser, _folder: folder }
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
        dress::prefer(&self.tab, "dark");
        self.settle();
    }

    /// Gives the page another window, of a phone's width for instance.
    pub fn resize(&self, width: u32, height: u32) {
        dress::resize(&self.tab, width, height);
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
