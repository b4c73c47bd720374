//! The function `mysql_equal`.

use std::sync::Arc;

use datafusion_common::Result;
use datafusion_common::arrow::array::{ArrayRef, BooleanArray};
use datafusion_common::arrow::datatypes::DataType;
use datafusion_expr::ScalarUDF;

use crate::function::{self, A, B, Call, Operands, Operation, evaluate_column, nulls};
use crate::options::Parameter;
use crate::text::texts;

/// `mysql_equal(a, b, collation [, flavour])`: returns whether two strings are equal.
///
/// For joins, `mysql_sort_key(a, …) = mysql_sort_key(b, …)` is faster: DataFusion can hash the
/// keys.
pub fn mysql_equal() -> Arc<ScalarUDF> {
    function::create_udf(Equal)
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Equal;

impl Operation for Equal {
    const NAME: &'static str = "mysql_equal";
    const SUMMARY: &'static str = "Returns whether two strings are equal to MySQL or MariaDB.";
    const EXAMPLE: &'static str = "SELECT * FROM people WHERE mysql_equal(name, 'Müller', 'utf8mb4_general_ci')";
    const STRINGS: &'static [Parameter] = &[A, B];
    const RETURNS: DataType = DataType::Boolean;

    fn evaluate(&self, call: &Call) -> Result<ArrayRef> {
        let collation = call.options.collation;
        match call.operands() {
            Operands::ColumnAndString(column, text) | Operands::StringAndColumn(text, column) => {
                evaluate_column(column, |texts| {
                    Ok(Arc::new(BooleanArray::from(collation.column_equals(texts.iter().copied(), text))))
                })
            }
            Operands::Columns(a, b) => Ok(Arc::new(BooleanArray::from(collation.columns_equal(texts(a), texts(b))))),
            Operands::Null(rows) => Ok(nulls::<Self>(rows)),
        }
    }
}
