//! The function `mysql_sort_key`.

use std::sync::Arc;

use datafusion_common::arrow::array::{ArrayRef, BinaryArray};
use datafusion_common::arrow::buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use datafusion_common::arrow::datatypes::DataType;
use datafusion_common::{Result, exec_datafusion_err};
use datafusion_expr::ScalarUDF;
use mysql_collation::Collation;

use crate::function::{self, Call, Operation, VALUE, evaluate_column};
use crate::options::Parameter;
use crate::text::Texts;

/// `mysql_sort_key(value, collation [, flavour])`: returns a key. Keys compare bytewise as their
/// strings compare.
///
/// Equal strings have equal keys, so rows can be grouped and joined by key. Compare stored keys
/// only with keys of the same [`mysql_collation::KEY_FORMAT`].
pub fn mysql_sort_key() -> Arc<ScalarUDF> {
    function::create_udf(SortKey)
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct SortKey;

impl Operation for SortKey {
    const NAME: &'static str = "mysql_sort_key";
    const SUMMARY: &'static str = "Returns a key: keys compare bytewise as MySQL or MariaDB compare their strings.";
    const EXAMPLE: &'static str =
        "SELECT name FROM people ORDER BY mysql_sort_key(name, 'utf8mb4_0900_ai_ci', 'mysql')";
    const STRINGS: &'static [Parameter] = &[VALUE];
    const RETURNS: DataType = DataType::Binary;

    fn evaluate(&self, call: &Call) -> Result<ArrayRef> {
        evaluate_column(call.column(), |texts| sort_keys(call.options.collation, texts))
    }
}

/// Computes the key of each string.
fn sort_keys(collation: Collation, texts: &Texts) -> Result<ArrayRef> {
    let mut offsets = Vec::with_capacity(texts.len() + 1);
    offsets.push(0);
    // Most keys have at most two bytes per byte of text.
    let mut values = Vec::with_capacity(2 * texts.iter().flatten().map(|text| text.len()).sum::<usize>());
    for text in texts {
        if let Some(text) = text {
            collation.sort_key_into(text, &mut values);
        }
        offsets.push(i32::try_from(values.len()).map_err(|_| {
            exec_datafusion_err!(
                "mysql_sort_key: the keys of a batch exceed 2 GiB; lower datafusion.execution.batch_size"
            )
        })?);
    }
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    let nulls = texts.contains(&None).then(|| texts.iter().map(Option::is_some).collect::<NullBuffer>());
    Ok(Arc::new(BinaryArray::try_new(offsets, Buffer::from_vec(values), nulls)?))
}
