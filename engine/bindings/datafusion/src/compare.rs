//! The function `mysql_compare`.

use std::sync::Arc;

use datafusion_common::Result;
use datafusion_common::arrow::array::{ArrayRef, Int8Array};
use datafusion_common::arrow::datatypes::DataType;
use datafusion_expr::ScalarUDF;

use crate::function::{self, A, B, Call, Operands, Operation, evaluate_column, nulls};
use crate::options::Parameter;
use crate::text::{Texts, texts};

/// `mysql_compare(a, b, collation [, flavour])`: returns -1, 0 or 1 if `a` sorts before `b`, equals
/// `b`, or sorts after `b`.
pub fn mysql_compare() -> Arc<ScalarUDF> {
    function::create_udf(Compare)
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Compare;

impl Operation for Compare {
    const NAME: &'static str = "mysql_compare";
    const SUMMARY: &'static str =
        "Returns -1, 0 or 1: to MySQL or MariaDB a sorts before b, equals it, or sorts after it.";
    const EXAMPLE: &'static str = "SELECT mysql_compare('chata', 'hrad', 'utf8mb4_czech_ci')";
    const STRINGS: &'static [Parameter] = &[A, B];
    const RETURNS: DataType = DataType::Int8;

    fn evaluate(&self, call: &Call) -> Result<ArrayRef> {
        let order = |a: &[u8], b: &[u8]| call.options.collation.compare(a, b) as i8;
        let each = |texts: &Texts, order: &dyn Fn(&[u8]) -> i8| -> Result<ArrayRef> {
            Ok(Arc::new(texts.iter().map(|text| text.map(order)).collect::<Int8Array>()))
        };
        match call.operands() {
            Operands::ColumnAndString(column, b) => evaluate_column(column, |texts| each(texts, &|a| order(a, b))),
            Operands::StringAndColumn(a, column) => evaluate_column(column, |texts| each(texts, &|b| order(a, b))),
            Operands::Columns(a, b) => {
                let rows = texts(a).into_iter().zip(texts(b));
                Ok(Arc::new(rows.map(|(a, b)| Some(order(a?, b?))).collect::<Int8Array>()))
            }
            Operands::Null(rows) => Ok(nulls::<Self>(rows)),
        }
    }
}
