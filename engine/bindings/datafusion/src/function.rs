//! Common implementation of the functions: string arguments first, then literals.

use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;

use datafusion_common::arrow::array::{ArrayRef, AsArray, new_null_array};
use datafusion_common::arrow::compute::take;
use datafusion_common::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion_common::{Result, ScalarValue, plan_err};
use datafusion_expr::scalar_doc_sections::DOC_SECTION_STRING;
use datafusion_expr::{
    ColumnarValue, Documentation, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use mysql_collation::Collation;

use crate::options::{OPTIONS, Options, Parameter};
use crate::text::{self, Texts};

/// The properties of one function.
pub(crate) trait Operation: Clone + Debug + Eq + Hash + Send + Sync + 'static {
    const NAME: &'static str;
    /// Description for users, in one sentence.
    const SUMMARY: &'static str;
    /// Example statement.
    const EXAMPLE: &'static str;
    /// String parameters. The parameters in [`OPTIONS`] follow.
    const STRINGS: &'static [Parameter];
    /// Number of parameters from [`OPTIONS`].
    const OPTIONS: usize = 2;
    const RETURNS: DataType;

    /// Computes the results of a batch.
    fn evaluate(&self, call: &Call) -> Result<ArrayRef>;
}

/// The string parameter of a function of one string, or of a string and a pattern.
pub(crate) const VALUE: Parameter = ("value", "A string, or bytes in the collation's character set.");
/// First string parameter of a function of two strings.
pub(crate) const A: Parameter = ("a", VALUE.1);
/// Second string parameter of a function of two strings.
pub(crate) const B: Parameter = ("b", "A second string, or bytes.");

pub(crate) fn create_udf<O: Operation>(operation: O) -> Arc<ScalarUDF> {
    let (signature, documentation) = (build_signature::<O>(), build_documentation::<O>());
    Arc::new(ScalarUDF::new_from_impl(Function { operation, signature, documentation }))
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Function<O> {
    operation: O,
    signature: Signature,
    documentation: Documentation,
}

/// Returns all parameters in order.
fn parameters<O: Operation>() -> impl Iterator<Item = Parameter> {
    O::STRINGS.iter().chain(&OPTIONS[..O::OPTIONS]).copied()
}

/// Returns for example `mysql_like(value, pattern, collation [, flavour [, escape]])`.
fn describe_syntax<O: Operation>() -> String {
    let needed: Vec<&str> = parameters::<O>().take(O::STRINGS.len() + 1).map(|(name, _)| name).collect();
    let optional: String = parameters::<O>().skip(needed.len()).map(|(name, _)| format!(" [, {name}")).collect();
    format!("{}({}{optional}{})", O::NAME, needed.join(", "), "]".repeat(O::OPTIONS - 1))
}

fn build_documentation<O: Operation>() -> Documentation {
    let documentation = Documentation::builder(DOC_SECTION_STRING, O::SUMMARY, describe_syntax::<O>());
    let documentation = documentation.with_sql_example(O::EXAMPLE);
    parameters::<O>().fold(documentation, |all, (name, what)| all.with_argument(name, what)).build()
}

fn build_signature<O: Operation>() -> Signature {
    let mut signature = Signature::user_defined(Volatility::Immutable);
    signature.parameter_names = Some(parameters::<O>().map(|(name, _)| name.to_owned()).collect());
    signature
}

impl<O: Operation> ScalarUDFImpl for Function<O> {
    fn name(&self) -> &str {
        O::NAME
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(O::RETURNS)
    }

    /// Casts nothing: all string types are read directly. `return_field_from_args` rejects other
    /// types, because its errors reach the user unchanged.
    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        Ok(types.to_vec())
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        let given = args.arg_fields.len();
        let needed = O::STRINGS.len() + 1;
        if given < needed || given > O::STRINGS.len() + O::OPTIONS {
            let (needed, optional): (Vec<_>, Vec<_>) = parameters::<O>().enumerate().partition(|&(at, _)| at < needed);
            let join_names = |parameters: Vec<(usize, Parameter)>| {
                parameters.into_iter().map(|(_, (name, _))| name).collect::<Vec<_>>().join(", ")
            };
            return plan_err!(
                "{} takes {} and optionally {}; it was given {given}",
                O::NAME,
                join_names(needed),
                join_names(optional)
            );
        }
        let (strings, _) = args.arg_fields.split_at(O::STRINGS.len());
        for ((name, _), field) in O::STRINGS.iter().zip(strings) {
            if !text::is_string_type(field.data_type()) {
                return plan_err!("{} needs strings or bytes as {name}, not {}", O::NAME, field.data_type());
            }
        }
        Options::from_literals(O::NAME, &args.scalar_arguments[O::STRINGS.len()..])?;
        let is_nullable = strings.iter().any(|field| field.is_nullable());
        Ok(Arc::new(Field::new(O::NAME, O::RETURNS, is_nullable)))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let (strings, literals) = args.args.split_at(O::STRINGS.len());
        let literals: Vec<Option<&ScalarValue>> = literals.iter().map(literal).collect();
        let options = Options::from_literals(O::NAME, &literals)?;
        let strings =
            strings.iter().map(|value| Argument::encode(value, options.collation)).collect::<Result<Vec<_>>>()?;
        let is_constant = strings.iter().all(|argument| matches!(argument, Argument::Constant(_)));
        let results = self.operation.evaluate(&Call { options, strings, rows: args.number_rows })?;
        if is_constant {
            return Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&results, 0)?));
        }
        Ok(ColumnarValue::Array(results))
    }

    fn is_strict(&self) -> bool {
        true
    }

    fn documentation(&self) -> Option<&Documentation> {
        Some(&self.documentation)
    }
}

fn literal(value: &ColumnarValue) -> Option<&ScalarValue> {
    match value {
        ColumnarValue::Scalar(value) => Some(value),
        ColumnarValue::Array(_) => None,
    }
}

/// Arguments of a batch: strings in the collation's character set.
pub(crate) struct Call {
    /// Values of the literal arguments.
    pub options: Options,
    strings: Vec<Argument>,
    rows: usize,
}

enum Argument {
    Column(ArrayRef),
    /// An array of one row, the value for all rows.
    Constant(ArrayRef),
}

impl Argument {
    fn encode(value: &ColumnarValue, collation: Collation) -> Result<Self> {
        Ok(match value {
            ColumnarValue::Array(array) => Self::Column(text::encode_array(collation, array)?),
            ColumnarValue::Scalar(value) => Self::Constant(text::encode_array(collation, &value.to_array()?)?),
        })
    }

    fn array(&self) -> &ArrayRef {
        let (Self::Column(array) | Self::Constant(array)) = self;
        array
    }
}

/// The two strings of each row.
pub(crate) enum Operands<'a> {
    Columns(&'a ArrayRef, &'a ArrayRef),
    /// The second string is the same in all rows.
    ColumnAndString(&'a ArrayRef, &'a [u8]),
    /// The first string is the same in all rows.
    StringAndColumn(&'a [u8], &'a ArrayRef),
    /// One of the strings is NULL in all rows. Holds the number of rows.
    Null(usize),
}

impl Call {
    /// Returns the strings of a function of one string.
    pub fn column(&self) -> &ArrayRef {
        self.strings[0].array()
    }

    /// Returns the strings of a function of two strings.
    pub fn operands(&self) -> Operands<'_> {
        match (&self.strings[0], &self.strings[1]) {
            (Argument::Column(column), Argument::Constant(constant)) => match text::first_string(constant) {
                Some(text) => Operands::ColumnAndString(column, text),
                None => Operands::Null(self.rows),
            },
            (Argument::Constant(constant), Argument::Column(column)) => match text::first_string(constant) {
                Some(text) => Operands::StringAndColumn(text, column),
                None => Operands::Null(self.rows),
            },
            (one, other) => Operands::Columns(one.array(), other.array()),
        }
    }
}

/// Returns NULL for each row.
pub(crate) fn nulls<O: Operation>(rows: usize) -> ArrayRef {
    new_null_array(&O::RETURNS, rows)
}

/// Evaluates a function of one column. A dictionary is evaluated per value instead of per row,
/// unless it has more values than rows.
pub(crate) fn evaluate_column(column: &ArrayRef, evaluate: impl Fn(&Texts) -> Result<ArrayRef>) -> Result<ArrayRef> {
    match column.as_any_dictionary_opt() {
        // The dictionary of a slice may have more values than the slice has rows.
        Some(dictionary) if dictionary.values().len() <= column.len() => {
            let results = evaluate(&text::texts(dictionary.values()))?;
            Ok(take(&results, dictionary.keys(), None)?)
        }
        _ => evaluate(&text::texts(column)),
    }
}
