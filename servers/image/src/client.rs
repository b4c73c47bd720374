//! HTTP downloads with time limits, size limits, verified digests and resumption after a broken
//! connection.

use std::fs::File;
use std::io::{self, Read, Write};
use std::net::IpAddr;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};
use ureq::http::Response;
use ureq::http::uri::Uri;
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::{Agent, Body, Proxy};

use crate::monitor::{self, Monitor};
use crate::{Error, digest};

/// Time limit of the name lookup, and again of the connection.
const MAX_CONNECT_TIME: Duration = Duration::from_secs(15);
/// Maximum time without received bytes.
const MAX_SILENCE: Duration = Duration::from_secs(25);
/// Maximum time to read a manifest or another document, and interval at which the rate of a
/// download is looked at.
const PATIENCE: Duration = Duration::from_secs(60);
/// Minimum rate of a download in bytes per second.
const MIN_RATE: u64 = 1024;
/// Free space that a download leaves on its disk, and how much it receives between two looks at
/// the free space, in bytes.
const RESERVED_BYTES: u64 = 256 << 20;
const DISK_INTERVAL: u64 = 16 << 20;
/// Maximum number of resumptions of a download.
const MAX_RETRIES: u32 = 3;

/// An HTTP client for one host. Uses HTTPS, except on loopback.
pub(crate) struct Client {
    agent: Agent,
    host: String,
    scheme: &'static str,
    /// [`PATIENCE`], or less in tests.
    patience: Duration,
}

impl Client {
    /// Creates a client for `host`, with or without a port.
    pub fn new(host: &str) -> Self {
        let is_local = is_loopback(host);
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .https_only(!is_local)
            .tls_config(TlsConfig::builder().root_certs(root_certificates()).build())
            .proxy(if is_local { None } else { Proxy::try_from_env() })
            .user_agent(concat!("weighbridge/", env!("CARGO_PKG_VERSION")))
            .timeout_resolve(Some(MAX_CONNECT_TIME))
            .timeout_connect(Some(MAX_CONNECT_TIME))
            .timeout_recv_response(Some(MAX_SILENCE))
            .timeout_per_read(Some(MAX_SILENCE))
            .build()
            .new_agent();
        let scheme = if is_local { "http" } else { "https" };
        Self { agent, host: host.to_owned(), scheme, patience: PATIENCE }
    }

    /// Returns the URL of a path on this host.
    pub fn url(&self, path: &str) -> String {
        format!("{}://{}{path}", self.scheme, self.host)
    }

    /// Sends a GET request. Returns a response of any status; fails without a response.
    pub fn get(&self, url: &str, headers: &[(&str, &str)]) -> Result<Response<Body>, Error> {
        let mut request = self.agent.get(url);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.call().map_err(|error| unreachable_error(&self.host, &error))
    }

    /// Sends a form to `url`, which may name another host.
    pub fn post(&self, url: &str, form: &[(&str, &str)]) -> Result<Response<Body>, Error> {
        self.agent.post(url).send_form(form.iter().copied()).map_err(|error| unreachable_error(url_host(url), &error))
    }

    /// Reads a body. Fails if it has more than `limit` bytes, or takes more than a minute. `what`
    /// names it in messages.
    pub fn read(&self, response: Response<Body>, what: &str, limit: u64) -> Result<Vec<u8>, Error> {
        let unreachable = |reason| Error::Unreachable { host: self.host.clone(), reason };
        let mut body = response.into_body().into_with_config().limit(u64::MAX).reader();
        let (mut bytes, mut buffer) = (Vec::new(), vec![0; 1 << 16]);
        let begun = Instant::now();
        loop {
            let length = body.read(&mut buffer).map_err(|error| unreachable(error.to_string()))?;
            if length == 0 {
                return Ok(bytes);
            }
            bytes.extend_from_slice(&buffer[..length]);
            if bytes.len() as u64 > limit {
                let reason = format!("it is larger than {limit} bytes");
                return Err(Error::Malformed { what: what.to_owned(), expected: "document", reason });
            }
            if begun.elapsed() > self.patience {
                let seconds = self.patience.as_secs_f64();
                return Err(unreachable(format!("after {seconds} s, {what} had not come as a whole")));
            }
        }
    }

    /// Returns the error for an unexpected status. `what` names the requested data.
    pub fn status_error(&self, response: &Response<Body>, what: &str) -> Error {
        Error::Status { host: self.host.clone(), status: response.status().as_u16(), what: what.to_owned() }
    }
}

/// A file to download and verify.
pub(crate) struct ExpectedFile<'a> {
    /// Name for messages.
    pub what: &'a str,
    /// `sha256:…`.
    pub digest: &'a str,
    /// Size in bytes. `None` if unknown.
    pub size: Option<u64>,
    /// Maximum size that is downloaded, even if the host states a larger one.
    pub max_bytes: u64,
}

/// Downloads into `file` and verifies the digest. `get` requests the bytes from an offset on. `get`
/// is called again after a connection that broke or was too slow, at most 3 times.
pub(crate) fn download_verified(
    client: &Client,
    expected: &ExpectedFile,
    file: &mut File,
    monitor: &dyn Monitor,
    get: impl Fn(u64) -> Result<Response<Body>, Error>,
) -> Result<(), Error> {
    let patience = client.patience;
    let ExpectedFile { what, size, max_bytes, .. } = *expected;
    let mut transfer = Transfer { hasher: Sha256::new(), received: 0, what, size, max_bytes, file, monitor, patience };
    let mut retries = 0;
    loop {
        monitor::check(monitor)?;
        let response = get(transfer.received)?;
        if !response.status().is_success() {
            return Err(client.status_error(&response, expected.what));
        }
        if transfer.received > 0 && response.status() != 206 {
            transfer.restart()?;
        }
        match transfer.receive(response)? {
            None => break,
            Some(_) if retries < MAX_RETRIES => retries += 1,
            Some(error) => return Err(Error::Unreachable { host: client.host.clone(), reason: error.to_string() }),
        }
    }
    digest::check(expected.what, expected.digest, digest::finish(transfer.hasher))
}

struct Transfer<'a> {
    hasher: Sha256,
    received: u64,
    what: &'a str,
    size: Option<u64>,
    max_bytes: u64,
    file: &'a mut File,
    monitor: &'a dyn Monitor,
    /// Interval at which the rate is looked at.
    patience: Duration,
}

impl Transfer<'_> {
    /// Receives a body. Returns `Some` error if the connection broke or was too slow, and the
    /// download may be resumed.
    fn receive(&mut self, response: Response<Body>) -> Result<Option<io::Error>, Error> {
        let body = response.into_body();
        if self.received == 0 {
            self.size = self.size.or(body.content_length());
        }
        // A byte beyond the expected size is read, too, so that a longer body fails the
        // verification.
        let limit = self.size.map_or(u64::MAX, |size| size.saturating_add(1));
        self.check_size(self.size.unwrap_or(0))?;
        self.check_disk(self.size.unwrap_or(0).saturating_sub(self.received))?;
        let mut looked = self.received;
        let mut body = body.into_with_config().limit(u64::MAX).reader();
        let mut buffer = vec![0; 1 << 16];
        let mut window = (Instant::now(), self.received);
        while self.received < limit {
            monitor::check(self.monitor)?;
            if window.0.elapsed() > self.patience {
                if ((self.received - window.1) as f64) < MIN_RATE as f64 * window.0.elapsed().as_secs_f64() {
                    let reason = format!("it sends fewer than {MIN_RATE} bytes per second");
                    return Ok(Some(io::Error::new(io::ErrorKind::TimedOut, reason)));
                }
                window = (Instant::now(), self.received);
            }
            let length = match body.read(&mut buffer) {
                Ok(0) if self.size.is_some_and(|size| self.received < size) => {
                    return Ok(Some(io::Error::new(io::ErrorKind::UnexpectedEof, "the connection ended early")));
                }
                Ok(0) => return Ok(None),
                Ok(length) => length,
                Err(error) => return Ok(Some(error)),
            };
            self.hasher.update(&buffer[..length]);
            self.file.write_all(&buffer[..length]).map_err(Error::io("write", "a download"))?;
            self.received += length as u64;
            self.check_size(self.received)?;
            if self.received - looked > DISK_INTERVAL {
                self.check_disk(0)?;
                looked = self.received;
            }
            if let Some(size) = self.size {
                self.monitor.fraction(self.received as f64 / size.max(1) as f64);
            }
        }
        Ok(None)
    }

    fn check_size(&self, bytes: u64) -> Result<(), Error> {
        let limit = self.max_bytes;
        if bytes > limit { Err(Error::TooLarge { what: self.what.to_owned(), limit }) } else { Ok(()) }
    }

    /// Fails if the disk would have less than [`RESERVED_BYTES`] free after `bytes` more.
    fn check_disk(&self, bytes: u64) -> Result<(), Error> {
        // Some network file systems do not report their free space.
        let Ok(disk) = rustix::fs::fstatvfs(&self.file) else { return Ok(()) };
        let free = disk.f_bavail.saturating_mul(disk.f_frsize);
        if free >= bytes.saturating_add(RESERVED_BYTES) {
            return Ok(());
        }
        Err(Error::DiskSpace { free: free >> 20, reserve: RESERVED_BYTES >> 20 })
    }

    fn restart(&mut self) -> Result<(), Error> {
        self.hasher = Sha256::new();
        self.received = 0;
        let truncated = self.file.set_len(0).and_then(|()| io::Seek::rewind(self.file));
        truncated.map_err(Error::io("empty", "a download"))
    }
}

/// Downloads `url`, of at most `max_bytes`, into `file` and verifies the digest, `sha256:…`.
pub fn download(url: &str, digest: &str, max_bytes: u64, file: &mut File, monitor: &dyn Monitor) -> Result<(), Error> {
    let client = Client::new(url_host(url));
    let expected = ExpectedFile { what: url, digest, size: None, max_bytes };
    download_verified(&client, &expected, file, monitor, |offset| match offset {
        0 => client.get(url, &[]),
        _ => client.get(url, &[("range", &format!("bytes={offset}-"))]),
    })
}

/// Returns the certificates that this machine trusts, or Mozilla's on a machine without any. A
/// company's proxy may sign with a certificate of its own. `SSL_CERT_FILE` and `SSL_CERT_DIR`
/// apply.
fn root_certificates() -> RootCerts {
    static CERTIFICATES: OnceLock<RootCerts> = OnceLock::new();
    let load = || {
        let found = rustls_native_certs::load_native_certs().certs;
        let found: Vec<_> = found.iter().map(|certificate| Certificate::from_der(certificate).to_owned()).collect();
        if found.is_empty() { RootCerts::WebPki } else { RootCerts::new_with_certs(&found) }
    };
    CERTIFICATES.get_or_init(load).clone()
}

/// Returns the host and port of a URL.
pub(crate) fn url_host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    authority.rsplit_once('@').map_or(authority, |(_, host)| host)
}

/// True if `host`, with or without a port, is `localhost` or a loopback address.
pub(crate) fn is_loopback(host: &str) -> bool {
    let name = format!("http://{host}").parse::<Uri>().ok().and_then(|uri| uri.host().map(str::to_owned));
    let Some(name) = name else { return false };
    let address = name.trim_matches(['[', ']']).parse::<IpAddr>();
    name == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

fn unreachable_error(host: &str, error: &ureq::Error) -> Error {
    let reason = match error {
        ureq::Error::HostNotFound => "there is no such host".into(),
        ureq::Error::Timeout(_) => "it does not answer".into(),
        ureq::Error::RequireHttpsOnly(_) => {
            "it requires HTTP without TLS, which is allowed on this machine only".into()
        }
        ureq::Error::Io(error) => error.to_string(),
        error => error.to_string(),
    };
    Error::Unreachable { host: host.to_owned(), reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allows_http_on_loopback_only() {
        for host in ["localhost:5000", "127.0.0.1", "127.8.9.1:80", "[::1]:5000"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in ["registry-1.docker.io", "10.0.0.1:5000", "localhost.example", "127.0.0.1.example:80"] {
            assert!(!is_loopback(host), "{host}");
        }
        let refused = Client::new("registry.example").get("http://registry.example/v2/", &[]).unwrap_err();
        assert!(refused.to_string().contains("without TLS"), "{refused}");
    }

    struct Silent;

    impl Monitor for Silent {
        fn step(&self, _what: &str) {}
        fn fraction(&self, _done: f64) {}
        fn is_interrupted(&self) -> bool {
            false
        }
    }

    /// Returns the address of a server that sends a byte every 10 ms, for ever.
    fn drip() -> String {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                std::thread::spawn(move || {
                    let _ = stream.read(&mut [0; 4096]);
                    let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 4000000\r\n\r\n");
                    while stream.write_all(b" ").is_ok() {
                        std::thread::sleep(Duration::from_millis(10));
                    }
                });
            }
        });
        address
    }

    #[test]
    fn slow_hosts_have_a_time_limit() {
        let client = Client { patience: Duration::from_millis(200), ..Client::new(&drip()) };
        let url = client.url("/");
        let get = || client.get(&url, &[]);
        let error = client.read(get().unwrap(), "the manifest 1", 4 << 20).unwrap_err().to_string();
        assert!(error.contains("after 0.2 s, the manifest 1 had not come as a whole"), "{error}");
        let expected = ExpectedFile { what: "the layer", digest: "sha256:", size: Some(4_000_000), max_bytes: 4 << 20 };
        let mut file = tempfile::tempfile().unwrap();
        let error = download_verified(&client, &expected, &mut file, &Silent, |_| get()).unwrap_err().to_string();
        assert!(error.contains("fewer than 1024 bytes per second"), "{error}");
    }

    /// Returns the address of a server that sends zeros, for ever, after these headers.
    fn flood(headers: &'static str) -> String {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let _ = stream.read(&mut [0; 4096]);
                let _ = stream.write_all(format!("HTTP/1.1 200 OK\r\n{headers}\r\n").as_bytes());
                while stream.write_all(&[0; 1 << 16]).is_ok() {}
            }
        });
        address
    }

    #[test]
    fn endless_downloads_stop_at_their_limit() {
        for headers in ["", "Content-Length: 4000000000\r\n", "Content-Length: 18446744073709551615\r\n"] {
            let url = format!("http://{}/x.tar.gz", flood(headers));
            let mut file = tempfile::tempfile().unwrap();
            let error = download(&url, "sha256:", 1 << 20, &mut file, &Silent).unwrap_err().to_string();
            assert!(error.contains("larger than 1048576 bytes"), "{headers}: {error}");
            assert!(file.metadata().unwrap().len() <= (1 << 20) + (1 << 16), "{headers}");
        }
    }

    #[test]
    fn extracts_host_of_url() {
        assert_eq!(url_host("https://a.example:8/b?c"), "a.example:8");
        assert_eq!(url_host("http://user:word@a.example/b@c"), "a.example");
    }
}
