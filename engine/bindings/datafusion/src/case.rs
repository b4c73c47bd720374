//! The functions `mysql_upper` and `mysql_lower`.

use std::sync::Arc;

use datafusion_common::Result;
use datafusion_common::arrow::array::{ArrayRef, StringArray};
use datafusion_common::arrow::datatypes::DataType;
use datafusion_expr::ScalarUDF;
use mysql_collation::Charset;

use crate::function::{self, Call, Operation, VALUE, evaluate_column};
use crate::options::Parameter;

/// `mysql_upper(value, collation [, flavour])`: returns the server's `UPPER(value)` in UTF-8.
pub fn mysql_upper() -> Arc<ScalarUDF> {
    function::create_udf(Case::<true>)
}

/// `mysql_lower(value, collation [, flavour])`: returns the server's `LOWER(value)` in UTF-8.
pub fn mysql_lower() -> Arc<ScalarUDF> {
    function::create_udf(Case::<false>)
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Case<const UPPER: bool>;

impl<const UPPER: bool> Operation for Case<UPPER> {
    const NAME: &'static str = if UPPER { "mysql_upper" } else { "mysql_lower" };
    const SUMMARY: &'static str =
        if UPPER { "Returns the server's UPPER(value)." } else { "Returns the server's LOWER(value)." };
    const EXAMPLE: &'static str = if UPPER {
        "SELECT mysql_upper('straße', 'utf8mb4_general_ci')"
    } else {
        "SELECT mysql_lower('STRASSE', 'utf8mb4_general_ci')"
    };
    const STRINGS: &'static [Parameter] = &[VALUE];
    const RETURNS: DataType = DataType::Utf8;

    fn evaluate(&self, call: &Call) -> Result<ArrayRef> {
        let collation = call.options.collation;
        let convert = |text: &[u8]| {
            let other = if UPPER { collation.to_upper(text) } else { collation.to_lower(text) };
            let utf8 = collation.charset().convert(&other, Charset::Utf8mb4, collation.info().flavour).bytes;
            String::from_utf8_lossy(&utf8).into_owned()
        };
        evaluate_column(call.column(), |texts| {
            Ok(Arc::new(texts.iter().map(|text| text.map(convert)).collect::<StringArray>()))
        })
    }
}
