//! The last section of the file: tables of operations that don't compare.

use anyhow::{Context, Result};
use mysql_collation::oracle::{CaseRule, case_rule, case_runs, locate_weights};
use mysql_collation::{Collation, Flavour, Info};

/// Name of the section.
pub const OPERATIONS: &str = "operations";

const IS_TURKISH: u8 = 0x10;
const IS_IN_PLACE: u8 = 0x20;
const IS_BYTES: u8 = 0x80;

/// Returns the section, with a rule for each of the collations.
pub fn encode(collations: impl Iterator<Item = &'static Info>) -> Result<Vec<u8>> {
    let czech = Collation::by_name(Flavour::MySql, "latin2_czech_cs")?;
    let mut out = locate_weights(czech).context("latin2_czech_cs weighs texts as a whole")?.to_vec();
    for runs in case_runs() {
        out.extend((runs.len() as u16).to_le_bytes());
        for run in runs {
            out.extend([run.first, run.last, run.to].iter().flat_map(|number| number.to_le_bytes()));
            out.extend((run.step as u16).to_le_bytes());
            out.extend(run.sets.to_le_bytes());
        }
    }
    let mut tables: Vec<[[u8; 256]; 2]> = Vec::new();
    let mut rules = Vec::new();
    for info in collations {
        rules.push(match case_rule(Collation::by_id(info.flavour, info.id)?) {
            CaseRule::CodePoints { set, is_turkish, is_in_place } => {
                set as u8 | if is_turkish { IS_TURKISH } else { 0 } | if is_in_place { IS_IN_PLACE } else { 0 }
            }
            CaseRule::Bytes(table) => {
                let known = tables.iter().position(|other| *other == *table);
                IS_BYTES
                    | known.unwrap_or_else(|| {
                        tables.push(*table);
                        tables.len() - 1
                    }) as u8
            }
        });
    }
    out.push(tables.len() as u8);
    out.extend(tables.as_flattened().as_flattened());
    out.extend(rules);
    Ok(out)
}
