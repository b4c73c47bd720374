//! Downloads: `https://…/server.tar.xz#sha256=…`.

use std::fmt;

/// An archive on a web server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Download {
    /// URL without the digest.
    pub url: String,
    /// SHA-256 of the archive, as 64 hexadecimal digits in lower case.
    pub sha256: String,
}

impl fmt::Display for Download {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#sha256={}", self.url, self.sha256)
    }
}

/// Parses a URL with a digest. Errors do not repeat the text, which may contain a password.
pub(super) fn parse(text: &str) -> Result<Download, String> {
    let (url, fragment) = text.split_once('#').unwrap_or((text, ""));
    let authority = url.split('/').nth(2).unwrap_or_default();
    if authority.is_empty() {
        return Err("it names no host".into());
    }
    if authority.contains('@') {
        return Err(
            "a user or password in the URL would be written to weigh's records; download the file and give its path"
                .into(),
        );
    }
    let sha256 = fragment
        .strip_prefix("sha256=")
        .ok_or("the SHA-256 of the file is missing; append it to the URL: https://…/server.tar.xz#sha256=…")?;
    let sha256 = sha256.to_ascii_lowercase();
    if sha256.len() != 64 || !sha256.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err("a SHA-256 has 64 hexadecimal digits".into());
    }
    Ok(Download { url: url.to_owned(), sha256 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_url_with_digest() {
        let digest = "0123456789abcdef".repeat(4);
        let download =
            parse(&format!("https://host.example:8/a/mysql.tar.xz#sha256={}", digest.to_uppercase())).unwrap();
        assert_eq!(download, Download { url: "https://host.example:8/a/mysql.tar.xz".into(), sha256: digest });
        for (text, word) in [
            ("https://host.example/a.tar.xz", "#sha256="),
            ("https://host.example/a.tar.xz#md5=12", "#sha256="),
            ("https://host.example/a.tar.xz#sha256=12", "64"),
            ("https://", "no host"),
        ] {
            assert!(parse(text).unwrap_err().contains(word), "{text}");
        }
    }
}
