//! Texts of programs and views that checks don't read.

use check::ObjectKind;
use facts::{Facts, Program, Schema, Unseen};

use crate::checks::programs;
use crate::text::prepared_texts;

/// Maximum length of the text of a program or view that checks read, in bytes.
const MAX_TEXT: usize = 1 << 20;

/// Takes longer texts out of the facts, and names their programs in [`Facts::unseen`].
pub(super) fn leave_out_long_texts(facts: &mut Facts) {
    let mut unseen = Vec::new();
    for schema in &mut facts.schemas {
        let views = schema.views.iter_mut().map(|view| ("view", &mut view.program));
        let routines = schema.routines.iter_mut().map(|routine| ("routine", &mut routine.program));
        let triggers = schema.triggers.iter_mut().map(|trigger| ("trigger", &mut trigger.program));
        let events = schema.events.iter_mut().map(|event| ("event", &mut event.program));
        let programs = views.chain(routines).chain(triggers).chain(events);
        unseen.extend(programs.filter_map(|(kind, program)| leave_out(kind, program)));
    }
    facts.unseen.extend(unseen);
}

fn leave_out(kind: &str, program: &mut Program) -> Option<Unseen> {
    let text = program.body.take_if(|body| body.len() > MAX_TEXT)?;
    let [length, max] = [text.len(), MAX_TEXT].map(message::group_thousands);
    Some(Unseen {
        what: format!("the text of {kind} {}", check::table_name(&program.schema, &program.name)),
        why: format!("it has {length} bytes; texts of up to {max} are read"),
        remedy: None,
    })
}

/// Maximum number of programs that a message names.
const MAX_NAMED: usize = 5;

/// Returns an entry for each schema with programs that put statements together when they run.
pub fn describe_unread_statements<'f>(
    facts: &'f Facts,
    selects: impl Fn(&Schema) -> bool + 'f,
) -> impl Iterator<Item = Unseen> + 'f {
    facts.schemas.iter().filter(move |schema| selects(schema)).filter_map(|schema| {
        let is_unread =
            |(kind, program): &(ObjectKind, &Program)| *kind != ObjectKind::View && prepared_texts(program).has_unread;
        let name = |(kind, program): (ObjectKind, &Program)| {
            format!("{kind} {}", check::table_name(&program.schema, &program.name))
        };
        let names: Vec<String> = programs(schema).filter(is_unread).map(name).collect();
        (!names.is_empty()).then(|| Unseen {
            what: format!("prepared statements of {}", message::list_names(&names, MAX_NAMED)),
            why: "the program puts them together when it runs (PREPARE, EXECUTE IMMEDIATE); only literals are read"
                .into(),
            remedy: None,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_named() {
        let program = |length: usize| Program {
            schema: "shop".into(),
            name: "p".into(),
            body: Some("x".repeat(length)),
            ..Program::default()
        };
        let mut long = program(MAX_TEXT + 1);
        let unseen = leave_out("routine", &mut long).unwrap();
        assert_eq!((unseen.what.as_str(), long.body), ("the text of routine shop.p", None));
        assert_eq!(unseen.why, "it has 1,048,577 bytes; texts of up to 1,048,576 are read");
        let mut short = program(MAX_TEXT);
        assert_eq!(leave_out("routine", &mut short), None);
        assert!(short.body.is_some());
    }
}
