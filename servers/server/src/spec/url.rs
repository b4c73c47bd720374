//! Server URLs: `mysql://user:password@host:port/database?socket=…&ssl-mode=…`, also with the
//! scheme `mariadb`.

use crate::attach::ClientOptions;
use crate::connect::Secret;

/// How special characters of a password are written.
pub(super) const ENCODING: &str = "in a password, write %40 for @, %2F for /, %3F for ? and %25 for %";

/// Parses a URL. Errors do not repeat the text, which may contain a password.
pub(super) fn parse(text: &str) -> Result<ClientOptions, String> {
    let (scheme, rest) = text.split_once("://").ok_or("no scheme")?;
    if !["mysql", "mariadb"].contains(&scheme.to_ascii_lowercase().as_str()) {
        return Err("it must begin with mysql:// or mariadb://".into());
    }
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, database) = rest.split_once('/').unwrap_or((rest, ""));
    // A password with an unescaped / or ? ends at the @ that follows: a part of it would be taken
    // for the host.
    let is_parameter = |pair: &str| pair.split_once('=').is_some_and(|(name, _)| PARAMETERS.contains(&name));
    let is_query = query.split('&').all(|pair| pair.is_empty() || is_parameter(&pair.replace('_', "-")));
    if database.contains('@') || query.contains('@') && !is_query {
        return Err(format!("an @ follows a / or a ?; {ENCODING}"));
    }
    // The last @ separates: a password may contain an unescaped @, a host may not.
    let (account, address) = match authority.rsplit_once('@') {
        Some((account, address)) => (Some(account), address),
        None => (None, authority),
    };
    let mut options = ClientOptions::default();
    if let Some(account) = account {
        let (user, password) = match account.split_once(':') {
            Some((user, password)) => (user, Some(password)),
            None => (account, None),
        };
        options.user = non_empty(decode(user)?);
        options.password = password.map(decode).transpose()?.map(Secret::new);
    }
    let (host, port) = split_address(address)?;
    options.host = non_empty(decode(host)?);
    options.port = port.map(|port| port.parse().map_err(|_| "the port is not a number from 0 to 65535")).transpose()?;
    options.database = non_empty(decode(database)?);
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').ok_or("a parameter has no value")?;
        set_parameter(&mut options, name, decode(value)?)?;
    }
    Ok(options)
}

/// Splits `host:port`, with an IPv6 address in brackets.
fn split_address(address: &str) -> Result<(&str, Option<&str>), String> {
    if let Some(rest) = address.strip_prefix('[') {
        let (host, rest) = rest.split_once(']').ok_or("a bracket is not closed")?;
        return match rest.strip_prefix(':') {
            Some(port) => Ok((host, Some(port))),
            None if rest.is_empty() => Ok((host, None)),
            None => Err("only a port may follow the bracket".into()),
        };
    }
    Ok(match address.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (address, None),
    })
}

/// Names of the parameters.
const PARAMETERS: [&str; 5] = ["socket", "ssl-mode", "ssl-ca", "ssl-cert", "ssl-key"];

fn set_parameter(options: &mut ClientOptions, name: &str, value: String) -> Result<(), String> {
    match name.replace('_', "-").as_str() {
        "socket" => options.socket = Some(value.into()),
        "ssl-mode" => options.ssl_mode = Some(value.parse()?),
        "ssl-ca" => options.ssl_ca = Some(value.into()),
        "ssl-cert" => options.ssl_cert = Some(value.into()),
        "ssl-key" => options.ssl_key = Some(value.into()),
        other => {
            return Err(format!("unknown parameter `{other}`; known: {}", PARAMETERS.join(", ")));
        }
    }
    Ok(())
}

fn non_empty(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

/// Decodes percent-encoding.
fn decode(text: &str) -> Result<String, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = tail.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let value = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let value = value.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(value.ok_or("a % is not followed by two hexadecimal digits; write %25 for % itself")?);
        rest = &tail[2..];
    }
    String::from_utf8(bytes).map_err(|_| "a percent-encoded part is not UTF-8".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connect::TlsMode;

    #[test]
    fn decodes_every_part() {
        let url = "mysql://we%40igh:p%3A%2f%C3%A9@db.example:3307/my%20db?socket=%2Ftmp%2Fs&ssl_mode=verify_ca";
        let options = parse(url).unwrap();
        assert_eq!(options.user.as_deref(), Some("we@igh"));
        assert_eq!(options.password.as_ref().map(Secret::reveal), Some("p:/é"));
        assert_eq!((options.host.as_deref(), options.port), (Some("db.example"), Some(3307)));
        assert_eq!(options.database.as_deref(), Some("my db"));
        assert_eq!(options.socket.as_deref(), Some("/tmp/s".as_ref()));
        assert_eq!(options.ssl_mode, Some(TlsMode::VerifyCa));
    }

    #[test]
    fn all_parts_are_optional() {
        assert_eq!(parse("mariadb://").unwrap(), ClientOptions::default());
        let options = parse("MySQL://root@[::1]:3310").unwrap();
        assert_eq!((options.host.as_deref(), options.port), (Some("::1"), Some(3310)));
        assert_eq!((options.user.as_deref(), options.password), (Some("root"), None));
        assert_eq!(parse("mysql://root:@h").unwrap().password, Some(Secret::new("")));
        assert_eq!(parse("mysql://a:b@c@h").unwrap().password, Some(Secret::new("b@c")));
    }

    #[test]
    fn rejects_invalid_urls() {
        for bad in ["http://h", "mysql://h:x", "mysql://h:70000", "mysql://%zz@h", "mysql://%+1@h", "mysql://[::1"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
        for split in ["mysql://u:ge@he/im@h:3306", "mysql://u:1/2@h", "mysql://u:a@b?c=d@h", "mysql://u:1?a@h/db"] {
            let refusal = parse(split).unwrap_err();
            assert!(refusal.contains("%2F"), "{split}: {refusal}");
        }
        assert!(parse("mysql://u@h/db?socket=/tmp/a@b&ssl_mode=DISABLED").is_ok());
        assert!(parse("mysql://h/?timeout=3").unwrap_err().contains("socket"));
    }
}
