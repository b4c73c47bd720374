//! `mysql_sort_key`.

use std::sync::Arc;

use datafusion_common::arrow::array::{ArrayRef, BinaryArray};
use datafusion_common::arrow::buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use datafusion_common::arrow::datatypes::DataType;
use datafusion_common::{Result, exec_datafusion_err};
use datafusion_expr::ScalarUDF;
use mysql_collation::ColumnKeys;

use crate::function::{self, Call, Operation, VALUE, of_column};
use crate::options::Parameter;
use crate::text::Texts;

/// `mysql_sort_key(value, collation [, flavour])`: keys compare bytewise as their strings do.
///
/// Keys are equal where strings are, so they can be grouped and joined by. Keys that are stored compare with those of the same
/// [`mysql_collation::KEY_FORMAT`] only.
pub fn mysql_sort_key() -> Arc<ScalarUDF> {
    function::udf(SortKey)
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
        let collation = call.options.collation;
        of_column(call.column(), |texts| keys(collation.column_keys(texts.iter().copied()), texts))
    }
}

/// Keys as an array.
fn keys(keys: ColumnKeys, texts: &Texts) -> Result<ArrayRef> {
    let offsets = keys.offsets.into_iter().map(i32::try_from).collect::<Result<Vec<_>, _>>().map_err(|_| {
        exec_datafusion_err!("mysql_sort_key: the keys of a batch exceed 2 GiB; lower datafusion.execution.batch_size")
    })?;
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    let nulls = texts.contains(&None).then(|| texts.iter().map(Option::is_some).collect::<NullBuffer>());
    Ok(Arc::new(BinaryArray::try_new(offsets, Buffer::from_vec(keys.values), nulls)?))
}
