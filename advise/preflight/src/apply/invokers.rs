//! Views for which MariaDB runs a function as it creates them.

use std::collections::BTreeSet;

use facts::{RunnableNames, ViewText};
use server::{Flavour, Server};
use sql::SqlMode;

use super::reach::created_programs;
use crate::Error;
use crate::model::Step;

/// Returns the steps without those that create a view for which MariaDB could run a function with
/// the rights of this account, and the names of these views. Functions of the plan count, as a
/// lying server can give them any definer; so do functions of `scratch` that run with this
/// account's rights.
pub(super) fn leave_out_views<'s>(
    scratch: &Server,
    steps: Vec<&'s Step>,
) -> Result<(Vec<&'s Step>, BTreeSet<String>), Error> {
    if scratch.flavour() != Flavour::MariaDb {
        return Ok((steps, BTreeSet::new()));
    }
    let mut code = facts::read_code_with_own_rights(&mut scratch.connect()?)
        .map_err(|source| Error::Statement { what: format!("list the functions of {}", scratch.label()), source })?;
    let (mut view_steps, mut mode) = (BTreeSet::new(), SqlMode::default());
    for (at, step) in steps.iter().enumerate() {
        for (kind, name) in created_programs(&step.sql, mode) {
            match kind.as_str() {
                "view" => {
                    view_steps.insert(at);
                    let is_harmless = |name: &str| {
                        !sql::is_server_function(name) && code.harmless.iter().any(|own| own.eq_ignore_ascii_case(name))
                    };
                    if sql::find_unknown_function(&step.sql, "utf8mb4", mode, is_harmless).is_some() {
                        code.functions.push(name.clone());
                    }
                    code.views.push(ViewText {
                        schema: String::new(),
                        name,
                        text: Some(step.sql.clone()),
                        client: "utf8mb4".to_owned(),
                    });
                }
                "function" | "package" => code.functions.push(name),
                _ => {}
            }
        }
        mode = sql::set_mode(&step.sql, mode).unwrap_or(mode);
    }
    let names = RunnableNames::new(&code);
    let runs = |at: usize, step: &Step| view_steps.contains(&at) && names.find_in(&step.sql).is_some();
    let left_out: BTreeSet<usize> = (0..steps.len()).filter(|at| runs(*at, steps[*at])).collect();
    let views = left_out.iter().map(|at| steps[*at].object.clone()).collect();
    let kept = steps.into_iter().enumerate().filter(|(at, _)| !left_out.contains(at)).map(|(_, step)| step);
    Ok((kept.collect(), views))
}
