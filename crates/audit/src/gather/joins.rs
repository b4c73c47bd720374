//! Comparisons and views, explained.

use facts::{Column, Table};
use mysql::Conn;
use server::Error;

use super::pairs::{self, Pair, column_ref, index_led_by};
use super::plans::{self, Plan};
use super::{Gatherer, quoted};
use crate::evidence::{IndexUse, JoinProof, Probe, ViewProof, Warning};

/// The most comparisons that are explained.
const MOST: usize = 1000;
/// Errors that tell of a missing privilege.
const DENIED: [u16; 4] = [1044, 1142, 1143, 1345];

impl Gatherer<'_> {
    /// Explains every comparison of different collations, from each side that has an index.
    pub(super) fn joins(&mut self) -> Result<Vec<JoinProof>, Error> {
        let facts = self.facts;
        let all = pairs::pairs(facts);
        if all.len() > MOST {
            let why =
                format!("{} pairs of columns have different collations; the first {MOST} were explained", all.len());
            self.cannot_see(
                "some joins of columns with different collations".into(),
                why,
                Some("name fewer schemas by --schema".into()),
            );
        }
        if all.is_empty() {
            return Ok(Vec::new());
        }
        let mut conn = self.explaining()?;
        let mut proofs = Vec::new();
        let most = all.len().min(MOST);
        self.progress.step("explaining joins");
        for (index, pair) in all.iter().take(MOST).enumerate() {
            server::interrupt::check()?;
            self.progress.fraction(index as f64 / most as f64);
            proofs.push(self.prove(&mut conn, pair)?);
        }
        Ok(proofs)
    }

    fn explaining(&self) -> Result<Conn, Error> {
        let mut conn = facts::connect(self.server, &self.limits)?;
        plans::set_up(&mut conn, self.server.flavour());
        Ok(conn)
    }

    fn prove(&mut self, conn: &mut Conn, pair: &Pair<'_>) -> Result<JoinProof, Error> {
        let mut probes = Vec::new();
        for (driving, driven) in [(pair.left, pair.right), (pair.right, pair.left)] {
            if let Some(index) = index_led_by(driven.0, driven.1) {
                probes.push(self.probe(conn, driving, driven, index)?);
            }
        }
        Ok(JoinProof { left: column_ref(pair.left), right: column_ref(pair.right), kind: pair.kind.clone(), probes })
    }

    fn probe(
        &mut self,
        conn: &mut Conn,
        driving: (&Table, &Column),
        driven: (&Table, &Column),
        index: &str,
    ) -> Result<Probe, Error> {
        let table = |table: &Table| format!("{}.{}", quoted(&table.schema), quoted(&table.name));
        let select = format!(
            "SELECT 1 FROM {} AS driving STRAIGHT_JOIN {} AS driven FORCE INDEX ({}) ON driven.{} = driving.{}",
            table(driving.0),
            table(driven.0),
            quoted(index),
            quoted(&driven.1.name),
            quoted(&driving.1.name)
        );
        let plan = plans::explain(conn, self.server.flavour(), &select).map_err(self.failed("explain a join"))?;
        let (usage, warnings) = match plan {
            Plan::Refused(error) if DENIED.contains(&error.code) => {
                let remedy = format!("GRANT SELECT ON {}.* TO the account", quoted(&driven.0.schema));
                let what = format!("plans of joins with {}.{}", driven.0.schema, driven.0.name);
                self.cannot_see(what, error.message, Some(remedy));
                (IndexUse::Unknown, Vec::new())
            }
            Plan::Refused(error) if error.code == 1267 => (IndexUse::Refused, vec![error]),
            Plan::Refused(error) => (IndexUse::Unknown, vec![error]),
            Plan::Lines(lines, warnings) => match lines.iter().find(|line| line.table.as_deref() == Some("driven")) {
                Some(line) if line.lookup.is_some() => (IndexUse::Kept, Vec::new()),
                Some(line) if line.access.as_deref().is_some_and(|access| matches!(access, "index" | "ALL")) => {
                    (IndexUse::Lost, warnings)
                }
                _ => (IndexUse::Unknown, warnings),
            },
        };
        Ok(Probe { indexed: column_ref(driven), index: index.to_owned(), usage, warnings })
    }

    /// Explains every view that was read.
    pub(super) fn views(&mut self) -> Result<Vec<ViewProof>, Error> {
        let facts = self.facts;
        let views: Vec<_> = facts.schemas.iter().flat_map(|schema| &schema.views).collect();
        if views.is_empty() {
            return Ok(Vec::new());
        }
        let mut conn = self.explaining()?;
        let mut proofs = Vec::new();
        self.progress.step("explaining views");
        for (index, view) in views.iter().enumerate() {
            server::interrupt::check()?;
            self.progress.fraction(index as f64 / views.len() as f64);
            let (schema, name) = (&view.program.schema, &view.program.name);
            let select = format!("SELECT * FROM {}.{}", quoted(schema), quoted(name));
            let plan =
                plans::explain(&mut conn, self.server.flavour(), &select).map_err(self.failed("explain a view"))?;
            let warnings: Vec<Warning> = match plan {
                Plan::Lines(_, warnings) => warnings,
                Plan::Refused(error) if DENIED.contains(&error.code) => {
                    let remedy = format!("GRANT SELECT, SHOW VIEW ON {}.* TO the account", quoted(schema));
                    self.cannot_see(format!("the plan of view {schema}.{name}"), error.message, Some(remedy));
                    continue;
                }
                Plan::Refused(error) => vec![error],
            };
            proofs.push(ViewProof { schema: schema.clone(), name: name.clone(), warnings });
        }
        Ok(proofs)
    }
}
