//! DSNs as in Percona Toolkit: `h=host,P=port,u=user,p=password,S=socket,D=database`.

use crate::attach::ClientOptions;
use crate::connect::Secret;

/// True if the text begins with a letter and an equals sign. No other form of a server does.
pub(super) fn is_dsn(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic()) && chars.next() == Some('=')
}

/// Parses a DSN. A comma inside a value is written `\,`, as in Percona's tools. Errors do not
/// repeat values, which may contain a password.
pub(super) fn parse(text: &str) -> Result<ClientOptions, String> {
    let mut options = ClientOptions::default();
    for part in split_parts(text) {
        let (key, value) = part.split_once('=').ok_or("every part must be key=value, separated by commas")?;
        match key {
            "h" => options.host = Some(value.to_owned()),
            "P" => options.port = Some(value.parse().map_err(|_| "P is not a port from 0 to 65535")?),
            "u" => options.user = Some(value.to_owned()),
            "p" => options.password = Some(Secret::new(value)),
            "S" => options.socket = Some(value.into()),
            "D" => options.database = Some(value.to_owned()),
            "A" => {
                return Err("A (charset) is not supported: weigh chooses the charset of each connection itself".into());
            }
            _ => return Err("unknown key; known keys: h host, P port, u user, p password, S socket, D database".into()),
        }
    }
    Ok(options)
}

fn split_parts(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.peek() == Some(&',') => {
                parts.last_mut().expect("there is always a last part").extend(chars.next())
            }
            ',' => parts.push(String::new()),
            _ => parts.last_mut().expect("there is always a last part").push(c),
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_every_key() {
        let options = parse(r"h=db.example,P=3307,u=root,p=a\,b=c,S=/tmp/s,D=shop").unwrap();
        assert_eq!((options.host.as_deref(), options.port), (Some("db.example"), Some(3307)));
        assert_eq!((options.user.as_deref(), options.database.as_deref()), (Some("root"), Some("shop")));
        assert_eq!(options.password.as_ref().map(Secret::reveal), Some("a,b=c"));
        assert_eq!(options.socket.as_deref(), Some("/tmp/s".as_ref()));
    }

    #[test]
    fn rejects_invalid_dsns() {
        for bad in ["h=a,b", "P=x", "h=a,q=1", "h=a,A=utf8"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
        assert!(!is_dsn("mysql@5.6") && !is_dsn("/a=b") && is_dsn("h="));
    }
}
