//! `mysql_equal`.

use std::sync::{Arc, LazyLock};

use datafusion_common::Result;
use datafusion_common::arrow::array::{ArrayRef, BooleanArray};
use datafusion_common::arrow::datatypes::DataType;
use datafusion_expr::scalar_doc_sections::DOC_SECTION_STRING;
use datafusion_expr::{Documentation, ScalarUDF};

use crate::function::{self, Call, Operands, Operation, nulls, of_column};
use crate::text::texts;

/// `mysql_equal(a, b, collation [, flavour])`: whether two strings are equal.
///
/// A join is faster on `mysql_sort_key(a, …) = mysql_sort_key(b, …)`, which DataFusion can hash.
pub fn mysql_equal() -> Arc<ScalarUDF> {
    function::udf(Equal)
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Equal;

static DOCUMENTATION: LazyLock<Documentation> = LazyLock::new(|| {
    let syntax = "mysql_equal(a, b, collation [, flavour])";
    Documentation::builder(DOC_SECTION_STRING, "Returns whether two strings are equal to MySQL or MariaDB.", syntax)
        .with_sql_example("SELECT * FROM people WHERE mysql_equal(name, 'Müller', 'utf8mb4_general_ci')")
        .with_argument("a", "A string, or bytes in the collation's character set.")
        .with_argument("b", "Another.")
        .with_argument("collation", "The collation's name, a literal.")
        .with_argument("flavour", "'mysql' or 'mariadb', where the name means another order in each.")
        .build()
});

impl Operation for Equal {
    const NAME: &'static str = "mysql_equal";
    const STRINGS: &'static [&'static str] = &["a", "b"];
    const RETURNS: DataType = DataType::Boolean;

    fn documentation(&self) -> &'static Documentation {
        &DOCUMENTATION
    }

    fn evaluate(&self, call: &Call) -> Result<ArrayRef> {
        let collation = call.options.collation;
        match call.operands() {
            Operands::ColumnAndString(column, text) | Operands::StringAndColumn(text, column) => {
                of_column(column, |texts| {
                    Ok(Arc::new(BooleanArray::from(collation.column_equals(texts.iter().copied(), text))))
                })
            }
            Operands::Columns(a, b) => Ok(Arc::new(BooleanArray::from(collation.columns_equal(texts(a), texts(b))))),
            Operands::Null(rows) => Ok(nulls::<Self>(rows)),
        }
    }
}
