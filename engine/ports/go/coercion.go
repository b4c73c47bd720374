package mysqlcollation

import "fmt"

// Coercibility is the coercibility of an operand. The operand with the lower
// value determines the collation.
type Coercibility uint8

const (
	// Explicit is a COLLATE clause.
	Explicit Coercibility = iota
	// Mixed is a text made of columns with different collations, as
	// [CombineCollations] returns it.
	Mixed
	// Implicit is a column, a variable or parameter of a routine, a placeholder
	// of a prepared statement.
	Implicit
	// SystemConstant is USER(), VERSION() and similar functions.
	SystemConstant
	// Coercible is a literal.
	Coercible
	// Numeric is a number, date or time, with collation binary.
	Numeric
	// Ignorable is NULL.
	Ignorable
)

var coercibilityNames = [...]string{
	"Explicit", "Mixed", "Implicit", "SystemConstant", "Coercible", "Numeric", "Ignorable",
}

// String returns the name of the constant.
func (c Coercibility) String() string {
	if int(c) < len(coercibilityNames) {
		return coercibilityNames[c]
	}
	return fmt.Sprintf("Coercibility(%d)", uint8(c))
}

// An Operand is an operand of an expression.
type Operand struct {
	// Collation is the value's collation: binary for a binary string.
	Collation    *Collation
	Coercibility Coercibility
	// ASCII is whether the value is known to be ASCII only, such as an ASCII
	// literal. Values of the character set ascii are.
	ASCII bool
}

// Expression is what an expression does with its operands.
type Expression uint8

const (
	// Comparison compares them: =, <, IN (…), BETWEEN.
	Comparison Expression = iota
	// Text makes a text of them: CONCAT, COALESCE, IF, the results of CASE.
	Text
)

// A CombinedCollation is the result of [CombineCollations].
type CombinedCollation struct {
	// Operand has the collation and coercibility of the comparison or of the
	// text, which can be an operand of another expression.
	Operand
	// IfRepresentable is whether the expression is an error if the character set
	// cannot represent the values of operands that are converted: one of those of
	// [IllegalMixError], or 3854 in MySQL 8 and later.
	IfRepresentable bool
}

// An IllegalMixError is the server's error "Illegal mix of collations".
type IllegalMixError struct {
	// Code is the error's number: 1267 for two operands, 1270 for three, 1271 for
	// more.
	Code int
}

func (e *IllegalMixError) Error() string {
	return fmt.Sprintf("illegal mix of collations (error %d)", e.Code)
}

// ChooseCollation determines the collation of left = right on a server of a
// version. The error is an [*IllegalMixError] if the comparison is an error
// there, and an [*UnknownCollationError] if its flavour lacks a collation.
//
// Another name of a collation is the same collation: MariaDB's
// utf8mb4_0900_ai_ci and utf8mb4_uca1400_nopad_ai_ci.
func ChooseCollation(v ServerVersion, left, right Operand) (CombinedCollation, error) {
	return CombineCollations(v, Comparison, left, right)
}

// CombineCollations determines the collation of an expression with one or more
// operands on a server of a version, and the coercibility of its result. The
// order of the operands counts. Errors are those of [ChooseCollation].
//
// A text of numbers alone has the collation of the connection; here it is
// binary. LIKE of two operands, LOCATE, FIELD and REPLACE follow the rules of a
// comparison, but in MySQL 9.7 those of a text. Not followed: three and more
// operands of which two have different COLLATE clauses; some servers accept
// them if a third clause wins.
func CombineCollations(v ServerVersion, expression Expression, operands ...Operand) (CombinedCollation, error) {
	found := make([]Operand, len(operands))
	for i, operand := range operands {
		collation, err := operand.of(v)
		if err != nil {
			return CombinedCollation{}, err
		}
		operand.Collation = collation
		operand.ASCII = operand.ASCII || collation.Charset() == "ascii"
		if operand.Coercibility == Ignorable {
			// In MySQL, a text with a NULL isn't known to be ASCII only.
			operand.ASCII = v.Flavour == MariaDB
		}
		found[i] = operand
	}
	if result, fit := rulesOf(v).combine(expression, found); fit != fitNever {
		return CombinedCollation{Operand: result, IfRepresentable: fit == fitIfRepresentable}, nil
	}
	code := 1271
	if len(operands) <= 3 {
		code = [...]int{1267, 1267, 1267, 1270}[len(operands)]
	}
	return CombinedCollation{}, &IllegalMixError{Code: code}
}

// of returns the operand's collation on a server of a version.
func (o Operand) of(v ServerVersion) (*Collation, error) {
	if o.Collation == nil {
		return nil, &UnknownCollationError{Flavour: v.Flavour}
	}
	c, err := Lookup(v.Flavour, o.Collation.name)
	if err != nil {
		return nil, err
	}
	return resolveAlias(v, c), nil
}
