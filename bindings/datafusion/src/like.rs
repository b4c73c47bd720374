//! `mysql_like`.

use std::sync::{Arc, LazyLock};

use datafusion_common::Result;
use datafusion_common::arrow::array::{ArrayRef, BooleanArray};
use datafusion_common::arrow::datatypes::DataType;
use datafusion_expr::scalar_doc_sections::DOC_SECTION_STRING;
use datafusion_expr::{Documentation, ScalarUDF};

use crate::function::{self, Call, Operands, Operation, nulls, of_column};
use crate::options::Options;
use crate::text::texts;

/// `mysql_like(value, pattern, collation [, flavour [, escape]])`: whether a string matches a pattern.
///
/// The escape is a backslash where none is given, as in the servers, and `''` for none.
pub fn mysql_like() -> Arc<ScalarUDF> {
    function::udf(Like)
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Like;

static DOCUMENTATION: LazyLock<Documentation> = LazyLock::new(|| {
    let syntax = "mysql_like(value, pattern, collation [, flavour [, escape]])";
    Documentation::builder(
        DOC_SECTION_STRING,
        "Returns whether a string is LIKE a pattern to MySQL or MariaDB.",
        syntax,
    )
    .with_sql_example("SELECT * FROM people WHERE mysql_like(name, 'm_ller%', 'utf8mb4_general_ci')")
    .with_argument("value", "A string, or bytes in the collation's character set.")
    .with_argument("pattern", "A pattern; % stands for any characters, _ for one.")
    .with_argument("collation", "The collation's name, a literal.")
    .with_argument("flavour", "'mysql' or 'mariadb', where the name means another order in each.")
    .with_argument("escape", "The escape character, a literal; a backslash if not given, '' for none.")
    .build()
});

impl Operation for Like {
    const NAME: &'static str = "mysql_like";
    const STRINGS: &'static [&'static str] = &["value", "pattern"];
    const OPTIONS: usize = 3;
    const RETURNS: DataType = DataType::Boolean;

    fn documentation(&self) -> &'static Documentation {
        &DOCUMENTATION
    }

    fn evaluate(&self, call: &Call) -> Result<ArrayRef> {
        let Options { collation, escape } = call.options;
        match call.operands() {
            Operands::ColumnAndString(column, pattern) => {
                let pattern = collation.like_pattern(pattern, escape);
                of_column(column, |texts| {
                    Ok(Arc::new(BooleanArray::from(pattern.matches_column(texts.iter().copied()))))
                })
            }
            Operands::StringAndColumn(text, column) => of_column(column, |patterns| {
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
