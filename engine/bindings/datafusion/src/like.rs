//! The function `mysql_like`.

use std::sync::Arc;

use datafusion_common::Result;
use datafusion_common::arrow::array::{ArrayRef, BooleanArray};
use datafusion_common::arrow::datatypes::DataType;
use datafusion_expr::ScalarUDF;

use crate::function::{self, Call, Operands, Operation, VALUE, evaluate_column, nulls};
use crate::options::{Options, Parameter};
use crate::text::texts;

/// `mysql_like(value, pattern, collation [, flavour [, escape]])`: returns whether a string matches
/// a pattern.
///
/// The default escape is a backslash, as in the servers. `''` is no escape.
pub fn mysql_like() -> Arc<ScalarUDF> {
    function::create_udf(Like)
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Like;

impl Operation for Like {
    const NAME: &'static str = "mysql_like";
    const SUMMARY: &'static str = "Returns whether a string is LIKE a pattern to MySQL or MariaDB.";
    const EXAMPLE: &'static str = "SELECT * FROM people WHERE mysql_like(name, 'm_ller%', 'utf8mb4_general_ci')";
    const STRINGS: &'static [Parameter] = &[VALUE, ("pattern", "A pattern. % matches any characters, _ matches one.")];
    const OPTIONS: usize = 3;
    const RETURNS: DataType = DataType::Boolean;

    fn evaluate(&self, call: &Call) -> Result<ArrayRef> {
        let Options { collation, escape } = call.options;
        match call.operands() {
            Operands::ColumnAndString(column, pattern) => {
                let pattern = collation.like_pattern(pattern, escape);
                evaluate_column(column, |texts| {
                    Ok(Arc::new(BooleanArray::from(pattern.matches_column(texts.iter().copied()))))
                })
            }
            Operands::StringAndColumn(text, column) => evaluate_column(column, |patterns| {
                let matches = patterns.iter().map(|pattern| Some(collation.like(text, (*pattern)?, escape)));
                Ok(Arc::new(matches.collect::<BooleanArray>()))
            }),
            Operands::Columns(column, patterns) => {
                let rows = texts(column).into_iter().zip(texts(patterns));
                let matches = rows.map(|(text, pattern)| Some(collation.like(text?, pattern?, escape)));
                Ok(Arc::new(matches.collect::<BooleanArray>()))
            }
            Operands::Null(rows) => Ok(nulls::<Self>(rows)),
        }
    }
}
