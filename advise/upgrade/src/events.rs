//! Events that begin to run with the upgrade.

use rehearsal::{Definitions, Kind, Object};
use sql::{SqlMode, tokenize};

use crate::settings::Defaults;

/// Setting that is OFF by default on MySQL 5.7 and MariaDB, and ON on MySQL 8.0 and later.
pub const SETTING: &str = "event_scheduler";

/// Returns a note if only the new server runs events as it starts, and some are enabled.
pub fn describe(defaults: &Defaults, definitions: &Definitions) -> Option<String> {
    let is_on = |value: Option<&String>| value.is_some_and(|value| value.eq_ignore_ascii_case("ON"));
    if is_on(defaults.source.get(SETTING)) || !is_on(defaults.target.get(SETTING)) {
        return None;
    }
    let enabled: Vec<&Object> = definitions.of_kind(Kind::Event).filter(|event| is_enabled(event)).collect();
    let first = enabled.first()?;
    Some(format!(
        "{SETTING} is ON as the new server starts, and OFF on the old one: {} that {} enabled, such as {}.{}, \
         will run. To keep them still, set {SETTING} = OFF in the new server's option file.",
        message::count_noun(enabled.len() as u64, "event"),
        if enabled.len() == 1 { "is" } else { "are" },
        first.name.schema,
        first.name.name,
    ))
}

fn is_enabled(event: &Object) -> bool {
    let mode = SqlMode::parse(event.session.sql_mode.as_deref().unwrap_or_default());
    !tokenize(&event.create, mode).take_while(|token| !token.is_keyword("do")).any(|token| token.is_keyword("disable"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn events_that_begin_to_run_are_counted() {
        let defaults = |source: &str, target: &str| Defaults {
            source: BTreeMap::from([(SETTING.to_owned(), source.to_owned())]),
            target: BTreeMap::from([(SETTING.to_owned(), target.to_owned())]),
            source_charsets: BTreeMap::new(),
            target_charsets: BTreeMap::new(),
        };
        let event = |name: &str, status: &str| {
            let create =
                format!("CREATE EVENT `{name}` ON SCHEDULE EVERY 1 DAY ON COMPLETION PRESERVE {status} DO SET @a = 1");
            Object::new(Kind::Event, "shop", name, create)
        };
        let definitions = Definitions {
            objects: vec![event("off", "DISABLE"), event("replica", "DISABLE ON SLAVE"), event("purge", "ENABLE")],
            ..Definitions::default()
        };
        let note = describe(&defaults("OFF", "ON"), &definitions).unwrap();
        assert!(note.contains("1 event that is enabled, such as shop.purge"), "{note}");
        for same in [defaults("ON", "ON"), defaults("OFF", "OFF"), defaults("ON", "OFF")] {
            assert_eq!(describe(&same, &definitions), None);
        }
        let none = Definitions { objects: vec![event("off", "DISABLE")], ..Definitions::default() };
        assert_eq!(describe(&defaults("OFF", "ON"), &none), None);
    }
}
