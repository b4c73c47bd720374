//! What the functions have in common: strings first, then what is said about them in literals.

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

/// What sets one function apart.
pub(crate) trait Operation: Clone + Debug + Eq + Hash + Send + Sync + 'static {
    /// Its name.
    const NAME: &'static str;
    /// What users are told of it, in a sentence.
    const SUMMARY: &'static str;
    /// A statement that uses it.
    const EXAMPLE: &'static str;
    /// The parameters that are strings; the collation, the flavour and so on follow.
    const STRINGS: &'static [Parameter];
    /// How many of [`OPTIONS`] it has.
    const OPTIONS: usize = 2;
    /// What it returns.
    const RETURNS: DataType;

    /// The results of a batch.
    fn evaluate(&self, call: &Call) -> Result<ArrayRef>;
}

/// The string of a function that has one.
pub(crate) const VALUE: Parameter = ("value", "A string, or bytes in the collation's character set.");
/// The first of two strings.
pub(crate) const A: Parameter = ("a", VALUE.1);
/// The second.
pub(crate) const B: Parameter = ("b", "Another.");

/// An operation as a function of DataFusion.
pub(crate) fn udf<O: Operation>(operation: O) -> Arc<ScalarUDF> {
    let (signature, documentation) = (signature::<O>(), documentation::<O>());
    Arc::new(ScalarUDF::new_from_impl(Function { operation, signature, documentation }))
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Function<O> {
    operation: O,
    signature: Signature,
    documentation: Documentation,
}

/// All parameters.
fn parameters<O: Operation>() -> impl Iterator<Item = Parameter> {
    O::STRINGS.iter().chain(&OPTIONS[..O::OPTIONS]).copied()
}

/// As in `mysql_like(value, pattern, collation [, flavour [, escape]])`.
fn syntax<O: Operation>() -> String {
    let needed: Vec<&str> = parameters::<O>().take(O::STRINGS.len() + 1).map(|(name, _)| name).collect();
    let optional: String = parameters::<O>().skip(needed.len()).map(|(name, _)| format!(" [, {name}")).collect();
    format!("{}({}{optional}{})", O::NAME, needed.join(", "), "]".repeat(O::OPTIONS - 1))
}

fn documentation<O: Operation>() -> Documentation {
    let documentation = Documentation::builder(DOC_SECTION_STRING, O::SUMMARY, syntax::<O>());
    let documentation = documentation.with_sql_example(O::EXAMPLE);
    parameters::<O>().fold(documentation, |all, (name, what)| all.with_argument(name, what)).build()
}

fn signature<O: Operation>() -> Signature {
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

    /// Nothing is cast: every type of strings is read as it is. Others are refused by `return_field_from_args`, whose errors reach
    /// the user as they are.
    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        Ok(types.to_vec())
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        let given = args.arg_fields.len();
        let needed = O::STRINGS.len() + 1;
        if given < needed || given > O::STRINGS.len() + O::OPTIONS {
            let (needed, optional): (Vec<_>, Vec<_>) = parameters::<O>().enumerate().partition(|&(at, _)| at < needed);
            let joined = |parameters: Vec<(usize, Parameter)>| {
                parameters.into_iter().map(|(_, (name, _))| name).collect::<Vec<_>>().join(", ")
            };
            return plan_err!(
                "{} takes {} and optionally {}; it was given {given}",
                O::NAME,
                joined(needed),
                joined(optional)
            );
        }
        let (strings, _) = args.arg_fields.split_at(O::STRINGS.len());
        for ((name, _), field) in O::STRINGS.iter().zip(strings) {
            if !text::has_strings(field.data_type()) {
                return plan_err!("{} needs strings or bytes as {name}, not {}", O::NAME, field.data_type());
            }
        }
        Options::of(O::NAME, &args.scalar_arguments[O::STRINGS.len()..])?;
        let is_nullable = strings.iter().any(|field| field.is_nullable());
        Ok(Arc::new(Field::new(O::NAME, O::RETURNS, is_nullable)))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let (strings, literals) = args.args.split_at(O::STRINGS.len());
        let literals: Vec<Option<&ScalarValue>> = literals.iter().map(literal).collect();
        let options = Options::of(O::NAME, &literals)?;
        let strings = strings.iter().map(|value| Argument::of(value, options.collation)).collect::<Result<Vec<_>>>()?;
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

/// A batch of arguments: strings in the collation's character set.
pub(crate) struct Call {
    /// What the literals say.
    pub options: Options,
    strings: Vec<Argument>,
    rows: usize,
}

enum Argument {
    Column(ArrayRef),
    /// An array of one row that stands for all.
    Constant(ArrayRef),
}

impl Argument {
    fn of(value: &ColumnarValue, collation: Collation) -> Result<Self> {
        Ok(match value {
            ColumnarValue::Array(array) => Self::Column(text::encoded(collation, array)?),
            ColumnarValue::Scalar(value) => Self::Constant(text::encoded(collation, &value.to_array()?)?),
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
    /// The same second string in each row.
    ColumnAndString(&'a ArrayRef, &'a [u8]),
    /// The same first string in each row.
    StringAndColumn(&'a [u8], &'a ArrayRef),
    /// One of the two is NULL in so many rows.
    Null(usize),
}

impl Call {
    /// The strings of a function that has one a row.
    pub fn column(&self) -> &ArrayRef {
        self.strings[0].array()
    }

    /// The strings of a function that has two a row.
    pub fn operands(&self) -> Operands<'_> {
        match (&self.strings[0], &self.strings[1]) {
            (Argument::Column(column), Argument::Constant(constant)) => match text::first(constant) {
                Some(text) => Operands::ColumnAndString(column, text),
                None => Operands::Null(self.rows),
            },
            (Argument::Constant(constant), Argument::Column(column)) => match text::first(constant) {
                Some(text) => Operands::StringAndColumn(text, column),
                None => Operands::Null(self.rows),
            },
            (one, other) => Operands::Columns(one.array(), other.array()),
        }
    }
}

/// NULL in each row.
pub(crate) fn nulls<O: Operation>(rows: usize) -> ArrayRef {
    new_null_array(&O::RETURNS, rows)
}

/// Evaluates what depends on one column alone: for a dictionary, once a value instead of once a row.
pub(crate) fn of_column(column: &ArrayRef, evaluate: impl Fn(&Texts) -> Result<ArrayRef>) -> Result<ArrayRef> {
    match column.as_any_dictionary_opt() {
        // A slice may have fewer rows than its dictionary has values.
        Some(dictionary) if dictionary.values().len() <= column.len() => {
            let results = evaluate(&text::texts(dictionary.values()))?;
            Ok(take(&results, dictionary.keys(), None)?)
        }
        _ => evaluate(&text::texts(column)),
    }
}
