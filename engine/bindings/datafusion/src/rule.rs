//! A rule of the analyzer: operators on columns that are marked with a collation become functions
//! of this crate.

use std::collections::HashMap;

use datafusion_common::arrow::datatypes::Field;
use datafusion_common::config::ConfigOptions;
use datafusion_common::tree_node::{Transformed, TreeNode};
use datafusion_common::{DFSchema, JoinConstraint, Result, plan_err};
use datafusion_expr::expr::{Between, InList};
use datafusion_expr::expr_rewriter::NamePreserver;
use datafusion_expr::utils::merge_schema;
use datafusion_expr::{BinaryExpr, Expr, ExprSchemable, Like, LogicalPlan, Operator, Sort, binary_expr, lit};
use datafusion_optimizer::analyzer::AnalyzerRule;

use crate::{mysql_compare, mysql_equal, mysql_like, mysql_sort_key, text};

/// Key in a field's metadata for the name of its collation.
pub const COLLATION_KEY: &str = "mysql.collation";
/// Key in a field's metadata for the flavour of its collation, `mysql` or `mariadb`. Optional if
/// the name means one order only, except for `LIKE … ESCAPE`.
pub const FLAVOUR_KEY: &str = "mysql.flavour";

/// Marks a column with a collation: [`MarkedColumns`] then compares it as the server does.
pub fn mark(field: Field, collation: &str, flavour: &str) -> Field {
    let mut metadata: HashMap<String, String> = field.metadata().clone();
    metadata.insert(COLLATION_KEY.to_owned(), collation.to_owned());
    metadata.insert(FLAVOUR_KEY.to_owned(), flavour.to_owned());
    field.with_metadata(metadata)
}

/// A rule that gives columns with a collation in their metadata the server's order, in `ORDER BY`,
/// `=`, `<>`, `<`, `<=`, `>`, `>=`, `IS [NOT] DISTINCT FROM`, `BETWEEN`, `IN (…)`, `LIKE`, and in
/// conditions of joins. It leaves `GROUP BY`, `DISTINCT`, window functions, aggregates and
/// subqueries after `IN` as they are.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> datafusion::error::Result<()> {
/// use std::sync::Arc;
/// use datafusion::arrow::array::{RecordBatch, StringArray};
/// use datafusion::arrow::datatypes::{DataType, Field, Schema};
/// use datafusion::prelude::SessionContext;
/// use datafusion_mysql_collation::{MarkedColumns, mark};
///
/// let name = mark(Field::new("name", DataType::Utf8, false), "utf8mb4_0900_ai_ci", "mysql");
/// let names = StringArray::from(vec!["Zug", "STRASSE", "Straße"]);
/// let rows = RecordBatch::try_new(Arc::new(Schema::new(vec![name])), vec![Arc::new(names)])?;
///
/// let context = SessionContext::new();
/// context.add_analyzer_rule(Arc::new(MarkedColumns));
/// context.register_batch("people", rows)?;
/// assert_eq!(context.sql("SELECT * FROM people WHERE name = 'strasse'").await?.count().await?, 2);
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct MarkedColumns;

impl AnalyzerRule for MarkedColumns {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        Ok(plan.transform_up_with_subqueries(rewrite_node)?.data)
    }

    fn name(&self) -> &str {
        "mysql_collation"
    }
}

fn rewrite_node(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let inputs = plan.inputs();
    let schema = if inputs.is_empty() { plan.schema().as_ref().clone() } else { merge_schema(&inputs) };
    let names = NamePreserver::new(&plan);
    let plan = plan.map_expressions(|expr| {
        let name = names.save(&expr);
        let rewritten = expr.transform_up(|expr| rewrite(expr, &schema))?;
        Ok(rewritten.update_data(|expr| name.restore(expr)))
    })?;
    let plan = plan.transform_data(|plan| match plan {
        LogicalPlan::Sort(sort) => sort_by_keys(sort, &schema),
        LogicalPlan::Join(mut join) => {
            let mut is_rewritten = false;
            for (left, right) in &mut join.on {
                if let Some(mark) = Mark::of_pair(left, right, &schema)? {
                    (*left, *right) = (mark.key(left.clone()), mark.key(right.clone()));
                    is_rewritten = true;
                }
            }
            if is_rewritten {
                // The conditions of USING are columns.
                join.join_constraint = JoinConstraint::On;
            }
            Ok(Transformed::new_transformed(LogicalPlan::Join(join), is_rewritten))
        }
        plan => Ok(Transformed::no(plan)),
    })?;
    if plan.transformed { plan.map_data(LogicalPlan::recompute_schema) } else { Ok(plan) }
}

fn sort_by_keys(mut sort: Sort, schema: &DFSchema) -> Result<Transformed<LogicalPlan>> {
    let mut is_rewritten = false;
    for column in &mut sort.expr {
        if let Some(mark) = Mark::of(&column.expr, schema)? {
            column.expr = mark.key(column.expr.clone());
            is_rewritten = true;
        }
    }
    Ok(Transformed::new_transformed(LogicalPlan::Sort(sort), is_rewritten))
}

/// The collation of an operand.
#[derive(Clone, PartialEq, Eq)]
struct Mark {
    collation: String,
    flavour: Option<String>,
}

impl Mark {
    /// Returns the collation of an expression. The functions of this crate have no collation.
    fn of(expr: &Expr, schema: &DFSchema) -> Result<Option<Self>> {
        let (_, field) = expr.to_field(schema)?;
        // A cast to a number keeps the metadata of its column.
        if !text::is_string_type(field.data_type()) {
            return Ok(None);
        }
        let get = |key| field.metadata().get(key).cloned();
        Ok(get(COLLATION_KEY).map(|collation| Self { collation, flavour: get(FLAVOUR_KEY) }))
    }

    /// Returns the collation of a comparison.
    fn of_pair(left: &Expr, right: &Expr, schema: &DFSchema) -> Result<Option<Self>> {
        match (Self::of(left, schema)?, Self::of(right, schema)?) {
            (Some(one), Some(other)) if one != other => plan_err!(
                "{left} has the collation {} and {right} has {}: compare keys of one collation, with mysql_sort_key",
                one.collation,
                other.collation
            ),
            (one, other) => Ok(one.or(other)),
        }
    }

    /// Returns the arguments after the strings of a function.
    fn options(&self) -> impl Iterator<Item = Expr> {
        [Some(&self.collation), self.flavour.as_ref()].into_iter().flatten().map(|text| lit(text.as_str()))
    }

    fn arguments(&self, strings: impl IntoIterator<Item = Expr>) -> Vec<Expr> {
        strings.into_iter().chain(self.options()).collect()
    }

    fn key(&self, value: Expr) -> Expr {
        mysql_sort_key().call(self.arguments([value]))
    }

    /// Returns a comparison of `mysql_compare` with 0.
    fn compare(&self, left: Expr, operator: Operator, right: Expr) -> Expr {
        binary_expr(mysql_compare().call(self.arguments([left, right])), operator, lit(0_i8))
    }
}

fn rewrite(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    match expr {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) if is_comparison(op) => {
            match Mark::of_pair(&left, &right, schema)? {
                Some(mark) => Ok(Transformed::yes(rewrite_comparison(&mark, *left, op, *right))),
                None => Ok(Transformed::no(binary_expr(*left, op, *right))),
            }
        }
        Expr::Between(Between { expr, negated, low, high }) => {
            let mark = Mark::of_pair(&expr, &low, schema)?.or(Mark::of_pair(&expr, &high, schema)?);
            let Some(mark) = mark else {
                return Ok(Transformed::no(Expr::Between(Between { expr, negated, low, high })));
            };
            let is_not_less = mark.compare((*expr).clone(), Operator::GtEq, *low);
            let between = is_not_less.and(mark.compare(*expr, Operator::LtEq, *high));
            Ok(Transformed::yes(negate(between, negated)))
        }
        Expr::InList(InList { expr, list, negated }) => match Mark::of(&expr, schema)? {
            Some(mark) => {
                let list = list.into_iter().map(|item| mark.key(item)).collect();
                Ok(Transformed::yes(mark.key(*expr).in_list(list, negated)))
            }
            None => Ok(Transformed::no(Expr::InList(InList { expr, list, negated }))),
        },
        Expr::Like(like) if !like.case_insensitive => match Mark::of(&like.expr, schema)? {
            Some(mark) => Ok(Transformed::yes(rewrite_like(&mark, like)?)),
            None => Ok(Transformed::no(Expr::Like(like))),
        },
        expr => Ok(Transformed::no(expr)),
    }
}

fn is_comparison(operator: Operator) -> bool {
    use Operator::{Eq, Gt, GtEq, IsDistinctFrom, IsNotDistinctFrom, Lt, LtEq, NotEq};
    matches!(operator, Eq | NotEq | Lt | LtEq | Gt | GtEq | IsDistinctFrom | IsNotDistinctFrom)
}

/// Evaluates `=` with a literal, and `<`, `<=`, `>` and `>=`, row by row. Other equalities compare
/// keys, which a join can hash.
fn rewrite_comparison(mark: &Mark, left: Expr, operator: Operator, right: Expr) -> Expr {
    let has_literal = matches!(left, Expr::Literal(..)) || matches!(right, Expr::Literal(..));
    match operator {
        Operator::Eq if has_literal => mysql_equal().call(mark.arguments([left, right])),
        Operator::Eq | Operator::NotEq | Operator::IsDistinctFrom | Operator::IsNotDistinctFrom => {
            binary_expr(mark.key(left), operator, mark.key(right))
        }
        _ => mark.compare(left, operator, right),
    }
}

fn rewrite_like(mark: &Mark, like: Like) -> Result<Expr> {
    let mut arguments = mark.arguments([*like.expr, *like.pattern]);
    if let Some(escape) = like.escape_char {
        if mark.flavour.is_none() {
            return plan_err!("LIKE … ESCAPE on a marked column needs its flavour in the metadata as {FLAVOUR_KEY}");
        }
        arguments.push(lit(escape.to_string()));
    }
    Ok(negate(mysql_like().call(arguments), like.negated))
}

fn negate(expr: Expr, is_negated: bool) -> Expr {
    if is_negated { !expr } else { expr }
}
