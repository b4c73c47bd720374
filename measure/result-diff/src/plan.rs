//! Comparison of two plans of one statement.

use std::collections::HashMap;

use load::{PlanStep, StatementPlan};

use crate::model::PlanChange;

/// Returns the differences between two plans. Tables are matched by name, so a different join order
/// alone is no difference. Of a name that occurs several times, as in a UNION, the nth step is
/// compared with the nth.
pub fn compare_plans(control: &StatementPlan, treatment: &StatementPlan) -> Vec<PlanChange> {
    let mut changes = Vec::new();
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for step in &control.steps {
        let Some(table) = step.table.clone() else { continue };
        let nth = seen.entry(step.table.as_deref().unwrap_or_default()).or_default();
        let other = treatment.steps.iter().filter(|other| other.table.as_ref() == Some(&table)).nth(*nth);
        *nth += 1;
        let Some(other) = other else { continue };
        if step.key != other.key {
            changes.push(PlanChange::Index { table, control: step.key.clone(), treatment: other.key.clone() });
        } else if let (Some(one), Some(two)) = (&step.access, &other.access)
            && one != two
        {
            changes.push(PlanChange::Access { table, control: one.clone(), treatment: two.clone() });
        }
    }
    let has = |plan: &StatementPlan, what: &str| {
        plan.steps.iter().any(|step: &PlanStep| step.extra.as_deref().is_some_and(|extra| extra.contains(what)))
    };
    for (what, change) in [
        ("Using filesort", (|gained| PlanChange::Filesort { gained }) as fn(bool) -> PlanChange),
        ("Using temporary", |gained| PlanChange::Temporary { gained }),
    ] {
        if has(control, what) != has(treatment, what) {
            changes.push(change(has(treatment, what)));
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(steps: &[(&str, &str, &str, &str)]) -> StatementPlan {
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let step = |(table, access, key, extra): &(&str, &str, &str, &str)| PlanStep {
            table: text(table),
            access: text(access),
            key: text(key),
            extra: text(extra),
        };
        StatementPlan { statement: String::new(), steps: steps.iter().map(step).collect(), json: None }
    }

    #[test]
    fn names_lost_and_gained_parts() {
        let control = plan(&[("a", "ref", "k", ""), ("b", "eq_ref", "PRIMARY", "Using where")]);
        let treatment =
            plan(&[("b", "range", "PRIMARY", "Using temporary; Using filesort"), ("a", "ALL", "", "Using where")]);
        let sentences: Vec<String> = compare_plans(&control, &treatment).iter().map(PlanChange::sentence).collect();
        assert_eq!(
            sentences,
            ["a: index k lost", "b: read by range instead of eq_ref", "filesort gained", "temporary table gained"]
        );
        assert_eq!(compare_plans(&control, &control), []);
    }

    #[test]
    fn compares_steps_of_one_name_in_order() {
        let control = plan(&[("t", "ref", "k", ""), ("t", "ref", "l", "")]);
        let treatment = plan(&[("t", "ref", "k", ""), ("t", "ALL", "", "")]);
        assert_eq!(compare_plans(&control, &control), []);
        let sentences: Vec<String> = compare_plans(&control, &treatment).iter().map(PlanChange::sentence).collect();
        assert_eq!(sentences, ["t: index l lost"]);
    }
}
