//! The function `mysql_weight_string`.

use std::sync::Arc;

use datafusion_common::Result;
use datafusion_common::arrow::array::{ArrayRef, BinaryArray};
use datafusion_common::arrow::datatypes::DataType;
use datafusion_expr::ScalarUDF;

use crate::function::{self, Call, Operation, VALUE, evaluate_column};
use crate::options::Parameter;

/// `mysql_weight_string(value, collation [, flavour])`: returns the server's
/// `WEIGHT_STRING(value)`.
pub fn mysql_weight_string() -> Arc<ScalarUDF> {
    function::create_udf(WeightString)
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct WeightString;

impl Operation for WeightString {
    const NAME: &'static str = "mysql_weight_string";
    const SUMMARY: &'static str = "Returns the server's WEIGHT_STRING(value).";
    const EXAMPLE: &'static str = "SELECT mysql_weight_string('ä', 'utf8mb4_general_ci')";
    const STRINGS: &'static [Parameter] = &[VALUE];
    const RETURNS: DataType = DataType::Binary;

    fn evaluate(&self, call: &Call) -> Result<ArrayRef> {
        let collation = call.options.collation;
        evaluate_column(call.column(), |texts| {
            let weights = texts.iter().map(|text| text.map(|text| collation.weight_string(text)));
            Ok(Arc::new(weights.collect::<BinaryArray>()))
        })
    }
}
