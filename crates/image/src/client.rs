//! HTTP with what every download needs: time limits, a limit on what is read, digests, and going on where a broken
//! connection ended.

use std::fs::File;
use std::io::{self, Read, Write};
use std::net::IpAddr;
use std::time::Duration;

use sha2::{Digest as _, Sha256};
use ureq::http::Response;
use ureq::http::uri::Uri;
use ureq::{Agent, Body, Proxy};

use crate::watch::{self, Watch};
use crate::{Error, digest};

const CONNECT_WITHIN: Duration = Duration::from_secs(15);
/// A connection that brings nothing for so long is given up.
const SILENCE: Duration = Duration::from_secs(25);
/// How often a download that broke off is taken up again.
const RETRIES: u32 = 3;

/// An HTTP client for one host. In plain text only where nothing leaves this machine.
pub(crate) struct Client {
    agent: Agent,
    host: String,
    scheme: &'static str,
}

impl Client {
    /// A client for `host`, which may carry a port.
    pub fn new(host: &str) -> Self {
        let is_local = is_loopback(host);
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .https_only(!is_local)
            .proxy(if is_local { None } else { Proxy::try_from_env() })
            .user_agent(concat!("weighbridge/", env!("CARGO_PKG_VERSION")))
            .timeout_resolve(Some(CONNECT_WITHIN))
            .timeout_connect(Some(CONNECT_WITHIN))
            .timeout_recv_response(Some(SILENCE))
            .timeout_per_read(Some(SILENCE))
            .build()
            .new_agent();
        Self { agent, host: host.to_owned(), scheme: if is_local { "http" } else { "https" } }
    }

    /// The address of a path on this host.
    pub fn url(&self, path: &str) -> String {
        format!("{}://{}{path}", self.scheme, self.host)
    }

    /// Sends a GET. Every status is an answer; an error is the network's.
    pub fn get(&self, url: &str, headers: &[(&str, &str)]) -> Result<Response<Body>, Error> {
        let mut request = self.agent.get(url);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.call().map_err(|error| unreachable(&self.host, &error))
    }

    /// Sends a form to another host that this one names for logging in.
    pub fn post(&self, url: &str, form: &[(&str, &str)]) -> Result<Response<Body>, Error> {
        self.agent.post(url).send_form(form.iter().copied()).map_err(|error| unreachable(host_of(url), &error))
    }

    /// All of a small answer.
    pub fn read(&self, mut response: Response<Body>, limit: u64) -> Result<Vec<u8>, Error> {
        let read = response.body_mut().with_config().limit(limit).read_to_vec();
        read.map_err(|error| unreachable(&self.host, &error))
    }

    /// The error of a status that nothing else explains.
    pub fn unexpected(&self, response: &Response<Body>, what: &str) -> Error {
        Error::Status { host: self.host.clone(), status: response.status().as_u16(), what: what.to_owned() }
    }
}

/// What is downloaded, and what it must be.
pub(crate) struct Wanted<'a> {
    /// For messages.
    pub what: &'a str,
    /// Its digest, `sha256:…`.
    pub digest: &'a str,
    /// Its size in bytes, where it is known before.
    pub size: Option<u64>,
}

/// Downloads into `file`. `get` asks for the bytes from an offset on, and is asked again where a connection breaks off.
pub(crate) fn fetch(
    client: &Client,
    wanted: &Wanted,
    file: &mut File,
    watch: &dyn Watch,
    get: impl Fn(u64) -> Result<Response<Body>, Error>,
) -> Result<(), Error> {
    let mut transfer = Transfer { hasher: Sha256::new(), received: 0, size: wanted.size, file, watch };
    let mut retries = 0;
    loop {
        watch::check(watch)?;
        let response = get(transfer.received)?;
        if !response.status().is_success() {
            return Err(client.unexpected(&response, wanted.what));
        }
        if transfer.received > 0 && response.status() != 206 {
            transfer.restart()?;
        }
        match transfer.receive(response)? {
            None => break,
            Some(_) if retries < RETRIES => retries += 1,
            Some(error) => return Err(Error::Unreachable { host: client.host.clone(), reason: error.to_string() }),
        }
    }
    digest::check(wanted.what, wanted.digest, digest::finish(transfer.hasher))
}

struct Transfer<'a> {
    hasher: Sha256,
    received: u64,
    size: Option<u64>,
    file: &'a mut File,
    watch: &'a dyn Watch,
}

impl Transfer<'_> {
    /// Receives a body. Returns why it ended early, if it did.
    fn receive(&mut self, response: Response<Body>) -> Result<Option<io::Error>, Error> {
        let body = response.into_body();
        if self.received == 0 {
            self.size = self.size.or(body.content_length());
        }
        // One byte more than there should be is read, so that it is noticed.
        let limit = self.size.map_or(u64::MAX, |size| size + 1);
        let mut body = body.into_with_config().limit(u64::MAX).reader();
        let mut buffer = vec![0; 1 << 16];
        while self.received < limit {
            watch::check(self.watch)?;
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
            if let Some(size) = self.size {
                self.watch.fraction(self.received as f64 / size.max(1) as f64);
            }
        }
        Ok(None)
    }

    fn restart(&mut self) -> Result<(), Error> {
        self.hasher = Sha256::new();
        self.received = 0;
        let emptied = self.file.set_len(0).and_then(|()| io::Seek::rewind(self.file));
        emptied.map_err(Error::io("empty", "a download"))
    }
}

/// Downloads what is at `url` into `file` and verifies its digest, `sha256:…`.
pub fn download(url: &str, digest: &str, file: &mut File, watch: &dyn Watch) -> Result<(), Error> {
    let client = Client::new(host_of(url));
    let wanted = Wanted { what: url, digest, size: None };
    fetch(&client, &wanted, file, watch, |offset| match offset {
        0 => client.get(url, &[]),
        _ => client.get(url, &[("range", &format!("bytes={offset}-"))]),
    })
}

/// Host and port of a URL.
pub(crate) fn host_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    authority.rsplit_once('@').map_or(authority, |(_, host)| host)
}

/// Whether traffic to a host, with or without a port, stays on this machine.
pub(crate) fn is_loopback(host: &str) -> bool {
    let name = format!("http://{host}").parse::<Uri>().ok().and_then(|uri| uri.host().map(str::to_owned));
    let Some(name) = name else { return false };
    let address = name.trim_matches(['[', ']']).parse::<IpAddr>();
    name == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

fn unreachable(host: &str, error: &ureq::Error) -> Error {
    let reason = match error {
        ureq::Error::HostNotFound => "there is no such host".into(),
        ureq::Error::Timeout(_) => "it does not answer".into(),
        ureq::Error::RequireHttpsOnly(_) => "it wants to be asked in plain text, which only this machine may".into(),
        ureq::Error::Io(error) => error.to_string(),
        error => error.to_string(),
    };
    Error::Unreachable { host: host.to_owned(), reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_stays_on_this_machine() {
        for host in ["localhost:5000", "127.0.0.1", "127.8.9.1:80", "[::1]:5000"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in ["registry-1.docker.io", "10.0.0.1:5000", "localhost.example", "127.0.0.1.example:80"] {
            assert!(!is_loopback(host), "{host}");
        }
        let refused = Client::new("registry.example").get("http://registry.example/v2/", &[]).unwrap_err();
        assert!(refused.to_string().contains("plain text"), "{refused}");
    }

    #[test]
    fn the_host_of_a_url_is_found() {
        assert_eq!(host_of("https://a.example:8/b?c"), "a.example:8");
        assert_eq!(host_of("http://user:word@a.example/b@c"), "a.example");
    }
}
