//! Statements that programs run by PREPARE and EXECUTE IMMEDIATE.

use sql::{PreparedTexts, SqlMode};

use super::{Diagnoser, Given};
use crate::Error;
use crate::copy::{Session, StoredProgram};
use crate::groups::Group;
use crate::model::{Finding, Scope};
use crate::trial::is_explainable;

impl Diagnoser<'_, '_> {
    /// Judges the literal statements that the programs of groups prepare. Those that a program puts
    /// together are named as not judged.
    pub(super) fn judge_prepared(&mut self, groups: &[Group]) -> Result<Vec<Finding>, Error> {
        let mut findings = Vec::new();
        if !self.reads_prepared {
            return Ok(findings);
        }
        for inner in groups.iter().filter_map(|group| group.subject.inner.as_ref()) {
            let Some(program) = self.copy.program(inner.keyword, &inner.schema, &inner.name)? else { continue };
            let texts = PreparedTexts::of_body(&program.create, SqlMode::parse(&program.sql_mode));
            if texts.has_unread {
                let title = program.title();
                let reason = format!("the {title} puts statements together when it runs (PREPARE, EXECUTE IMMEDIATE)");
                self.unjudged.get_or_insert(format!("{reason}; these are not judged"));
            }
            for text in texts.literals.into_iter().filter(|text| is_explainable(text)) {
                findings.extend(self.judge_prepared_statement(&program, text)?);
            }
        }
        Ok(findings)
    }

    /// Judges a statement as the program runs it: under the collation of its creation (MySQL 5.6 to
    /// 9.7, MariaDB 10.2 to 11.8), without its parameters and variables.
    fn judge_prepared_statement(&mut self, program: &StoredProgram, text: String) -> Result<Vec<Finding>, Error> {
        let title = program.title();
        let place = format!("the prepared statement of the {title}");
        // Statements are sent to the copy as utf8mb4, whatever client created the program.
        let settings = program.creation_settings().into_iter().skip(1).collect();
        let session = Session { schema: Some(program.schema.clone()), prelude: settings };
        let mut own = Diagnoser { reads_prepared: false, ..Diagnoser::new(self.copy, session) };
        let found = own.judge(&Given { place: place.clone(), text, ..Given::default() });
        let (unjudged, filled, suspects) = (own.unjudged(), own.filled, own.suspects);
        self.filled.extend(filled);
        self.suspects.extend(suspects);
        let unjudged = match &found {
            Err(Error::Statement { message, .. }) => Some(message.clone()),
            _ => unjudged,
        };
        if let Some(reason) = unjudged {
            self.unjudged.get_or_insert(format!("{place}: {reason}"));
        }
        let mut findings = match found {
            Err(Error::Statement { .. }) => Vec::new(),
            found => found?,
        };
        for finding in &mut findings {
            finding.sites.iter_mut().for_each(|site| site.program = Some(title.clone()));
            // The caller's session does not matter.
            finding.remedies.retain(|remedy| remedy.scope != Scope::Session);
            for remedy in &mut finding.remedies {
                remedy.what = remedy.what.replacen("In the statement", &format!("In {place}"), 1);
            }
        }
        Ok(findings)
    }
}
