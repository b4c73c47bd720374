//! Calls that change the case of a column.

use super::{Expr, ExprKind};

/// Returns the column of `LOWER(a)`, `UPPER(a)`, `LCASE(a)` and `UCASE(a)`. `None` for other
/// expressions.
pub fn folded_column(expression: &Expr) -> Option<&Expr> {
    let ExprKind::Call { schema: None, name, arguments } = &expression.kind else { return None };
    let folds = ["lower", "upper", "lcase", "ucase"].iter().any(|word| name.eq_ignore_ascii_case(word));
    let [column] = arguments.as_slice() else { return None };
    (folds && matches!(column.kind, ExprKind::Name(_))).then_some(column)
}
