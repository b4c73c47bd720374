//! A page in its own browser, which ends with the page.

mod chromium;

use std::sync::{Arc, Mutex};

use headless_chrome::Browser;
use headless_chrome::browser::tab::Tab;
use headless_chrome::protocol::cdp::Runtime;
use headless_chrome::protocol::cdp::types::Event;
use serde::de::DeserializeOwned;
use tempfile::TempDir;

/// An open page.
pub struct OpenPage {
    tab: Arc<Tab>,
    /// Messages of the console, and uncaught exceptions.
    messages: Arc<Mutex<Vec<String>>>,
    _browser: Browser,
    _folder: TempDir,
}

/// Opens a page from disk.
pub fn open(page: &str) -> OpenPage {
    open_at(page, "")
}

/// Opens a page at a fragment, such as `#a`.
pub fn open_at(page: &str, fragment: &str) -> OpenPage {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.html");
    std::fs::write(&file, page).unwrap();
    let browser = chromium::start_browser();
    let tab = browser.new_tab().unwrap();
    tab.set_default_timeout(chromium::MAX_WAIT);
    let messages = listen(&tab);
    tab.navigate_to(&format!("file://{}{fragment}", file.display()))
        .and_then(|tab| tab.wait_until_navigated())
        .unwrap();
    OpenPage { tab, messages, _browser: browser, _folder: folder }
}

/// Collects the console's messages and uncaught exceptions from now on.
fn listen(tab: &Tab) -> Arc<Mutex<Vec<String>>> {
    let messages: Arc<Mutex<Vec<String>>> = Arc::default();
    let heard = Arc::clone(&messages);
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
    messages
}

impl OpenPage {
    /// Returns the value of a JavaScript expression.
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

    /// Clicks the first element that matches a selector.
    pub fn click(&self, selector: &str) {
        self.tab.find_element(selector).and_then(|element| element.click().map(drop)).unwrap();
        self.wait_until_drawn();
    }

    #[allow(dead_code, reason = "each test binary uses a part of this")]
    /// Presses a key. Example: `Enter`.
    pub fn press(&self, key: &str) {
        self.tab.press_key(key).unwrap();
        self.wait_until_drawn();
    }

    /// Sets the system's theme to dark.
    pub fn set_dark_theme(&self) {
        chromium::set_theme(&self.tab, "dark");
        self.wait_until_drawn();
    }

    /// Sets the size of the window.
    pub fn resize(&self, width: u32, height: u32) {
        chromium::resize(&self.tab, width, height);
        self.wait_until_drawn();
    }

    #[allow(dead_code, reason = "each test binary uses a part of this")]
    /// Prints the page to PDF.
    pub fn print(&self) -> Vec<u8> {
        self.tab.print_to_pdf(None).unwrap()
    }

    /// Fails if the console has a message or an exception was thrown.
    pub fn assert_no_messages(&self, page: &str) {
        let messages = self.messages.lock().unwrap();
        assert!(messages.is_empty(), "{page}: {messages:#?}");
    }

    /// Waits until pending changes are drawn.
    fn wait_until_drawn(&self) {
        self.value::<bool>(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))",
        );
    }
}
