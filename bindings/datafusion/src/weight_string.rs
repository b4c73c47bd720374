//! `mysql_weight_string`.

use std::sync::{Arc, LazyLock};

use datafusion_common::Result;
use datafusion_common::arrow::array::{ArrayRef, BinaryArray};
use datafusion_common::arrow::datatypes::DataType;
use datafusion_expr::scalar_doc_sections::DOC_SECTION_STRING;
use datafusion_expr::{Documentation, ScalarUDF};

use crate::function::{self, Call, Operation, of_column};

/// `mysql_weight_string(value, collation [, flavour])`: what the server answers to `WEIGHT_STRING(value)`.
pub fn mysql_weight_string() -> Arc<ScalarUDF> {
    function::udf(WeightString)
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct WeightString;

static DOCUMENTATION: LazyLock<Documentation> = LazyLock::new(|| {
    let syntax = "mysql_weight_string(value, collation [, flavour])";
    Documentation::builder(DOC_SECTION_STRING, "Returns what the server answers to WEIGHT_STRING(value).", syntax)
        .with_sql_example("SELECT mysql_weight_string('ä', 'utf8mb4_general_ci')")
        .with_argument("value", "A string, or bytes in the collation's character set.")
        .with_argument("collation", "The collation's name, a literal.")
        .with_argument("flavour", "'mysql' or 'mariadb', where the name means another order in each.")
        .build()
});

impl Operation for WeightString {
    const NAME: &'static str = "mysql_weight_string";
    const STRINGS: &'static [&'static str] = &["value"];
    const RETURNS: DataType = DataType::Binary;

    fn documentation(&self) -> &'static Documentation {
        &DOCUMENTATION
    }

    fn evaluate(&self, call: &Call) -> Result<ArrayRef> {
        let collation = call.options.collation;
        of_column(call.column(), |texts| {
            let weights = texts.iter().map(|text| text.map(|text| collation.weight_string(text)));
            Ok(Arc::new(weights.collect::<BinaryArray>()))
        })
    }
}
