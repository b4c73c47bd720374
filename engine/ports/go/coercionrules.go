package mysqlcollation

import (
	"cmp"
	"strings"
)

// mariadbLanguages are the names of languages in MariaDB's own collations, by
// their names in collations with 0900.
var mariadbLanguages = map[string]string{
	"cs": "czech", "da": "danish", "de_pb": "german2", "eo": "esperanto", "es": "spanish", "es_trad": "spanish2",
	"et": "estonian", "hr": "croatian", "hu": "hungarian", "is": "icelandic", "la": "roman", "lt": "lithuanian",
	"lv": "latvian", "pl": "polish", "ro": "romanian", "sk": "slovak", "sl": "slovenian", "sv": "swedish",
	"tr": "turkish", "vi": "vietnamese",
}

// resolveAlias returns the collation that MariaDB means by a name with 0900,
// and other collations as they are.
func resolveAlias(v ServerVersion, c *Collation) *Collation {
	rest, isUTF8 := strings.CutPrefix(c.name, "utf8mb4_")
	language, levels, isAlias := strings.Cut(rest, "0900_")
	if !isUTF8 || !isAlias || c.flavour != MariaDB {
		return c
	}
	name := "utf8mb4_uca1400_nopad_" + levels
	switch language = strings.TrimSuffix(language, "_"); {
	case language != "":
		if own, ok := mariadbLanguages[language]; ok {
			language = own
		}
		name = "utf8mb4_uca1400_" + language + "_nopad_" + levels
	case levels == "bin" && v.isAtLeast(11, 8, 0):
		name = "utf8mb4_nopad_bin"
	case levels == "bin":
		name = "utf8mb4_bin"
	}
	if own, err := Lookup(MariaDB, name); err == nil {
		return own
	}
	return c
}

// combinationRules are how MySQL's versions differ. All are false for MariaDB.
type combinationRules struct {
	// hasWideCharsets: utf8mb4 and utf32 hold the values of every Unicode
	// character set. MySQL 8.0.
	hasWideCharsets bool
	// isStrict: two COLLATE clauses or literals with different character sets are
	// an error, even if one side is Unicode or ASCII. Columns are converted row by
	// row, and win over mixed texts. MySQL 8.0.31.
	isStrict bool
}

func rulesOf(v ServerVersion) combinationRules {
	return combinationRules{
		hasWideCharsets: v.Flavour == MySQL && v.isAtLeast(8, 0, 0),
		isStrict:        v.Flavour == MySQL && v.isAtLeast(8, 0, 31),
	}
}

// isWeak reports whether an operand is a mixed text that any other operand wins
// over, NULL included: an operand with a mixed collation since MySQL 8.0.31.
func (r combinationRules) isWeak(o Operand) bool { return r.isStrict && o.Coercibility == Mixed }

// compare compares the coercibility of two operands: the lesser determines the
// collation.
func (r combinationRules) compare(left partial, right Operand) int {
	const weakest = 2*int(Ignorable) + 1
	ofLeft, ofRight := 2*int(left.Coercibility), 2*int(right.Coercibility)
	if r.isWeak(right) {
		ofRight = weakest
	}
	if r.isWeak(left.Operand) {
		ofLeft = weakest
		// Columns win over the mix of columns before them.
		if left.isMixedHere {
			ofLeft = 2*int(Implicit) + 1
		}
	}
	return cmp.Compare(ofLeft, ofRight)
}

// partial is the combination of the operands up to one.
type partial struct {
	Operand
	// isMixedHere: two of these operands made the collation a mixed one.
	isMixedHere bool
}

// fit is whether an operand can be converted to the character set of the
// result.
type fit uint8

const (
	fitAlways fit = iota
	fitIfRepresentable
	fitNever
)

// combine returns collation and coercibility of all operands, and fitNever for
// an illegal mix.
func (r combinationRules) combine(expression Expression, operands []Operand) (Operand, fit) {
	if len(operands) == 0 {
		return Operand{}, fitNever
	}
	first := operands[0]
	result, isIllegal := partial{Operand: first}, false
	for _, operand := range operands[1:] {
		// After an illegal mix, only a COLLATE clause decides.
		if isIllegal && operand.Coercibility != Explicit {
			continue
		}
		combined, ok := r.combineTwo(expression, result, operand)
		switch {
		case ok:
			result, isIllegal = combined, false
		case result.Coercibility == Explicit && operand.Coercibility == Explicit:
			return result.Operand, fitNever
		default:
			isIllegal = true
		}
	}
	isMixed := result.Coercibility == Mixed && (result.isMixedHere || !r.isStrict)
	isPair := expression == Comparison && len(operands) <= 2
	if isIllegal || expression == Comparison && isMixed ||
		isPair && len(operands) == 2 && r.isWeak(first) && operands[1].Collation == first.Collation {
		return result.Operand, fitNever
	}
	worst := fitAlways
	for _, operand := range operands {
		worst = max(worst, r.fit(result.Operand, operand, r.isStrict && !isPair))
	}
	return result.Operand, worst
}

// combineTwo returns collation and coercibility of two operands, and false if
// neither determines them.
func (r combinationRules) combineTwo(expression Expression, left partial, right Operand) (partial, bool) {
	order := r.compare(left, right)
	ofLeft, ofRight := left, partial{Operand: right}
	ofLeft.ASCII = left.ASCII && right.ASCII
	stronger := ofLeft
	if order > 0 {
		stronger = ofRight
	}
	switch {
	case left.Collation == right.Collation:
		if left.isMixedHere && right.Coercibility != Explicit {
			return ofLeft, true
		}
		return stronger, true
	case left.Coercibility == Ignorable || right.Coercibility == Ignorable || left.isBinary() && order == 0:
		return stronger, true
	case left.isBinary() || right.isBinary():
		// Among equals, the binary string.
		if order == 0 {
			return ofRight, true
		}
		return stronger, true
	case left.charset() == right.charset():
		if order == 0 {
			return combineEquals(expression, ofLeft, ofRight)
		}
		return stronger, true
	case r.isStrict && left.Coercibility == Explicit && right.Coercibility == Explicit:
		return left, false
	case r.canHoldAll(left.Operand, right, order):
		return ofLeft, true
	case r.canHoldAll(right, left.Operand, -order):
		return ofRight, true
	}
	weaker := right
	if order > 0 {
		weaker = left.Operand
	}
	// Only constants are converted, and since MySQL 8.0.31 each row.
	return stronger, order != 0 && (r.isStrict || weaker.Coercibility > Implicit)
}

// combineEquals combines different collations of a character set with equal
// coercibility: one that is _bin, or in a text _bin as a mixed collation.
func combineEquals(expression Expression, left, right partial) (partial, bool) {
	if left.Coercibility == Explicit {
		return left, false
	}
	for _, operand := range []partial{left, right} {
		if strings.HasSuffix(operand.Collation.name, "_bin") {
			return operand, true
		}
	}
	bin, err := Lookup(left.Collation.flavour, left.charset()+"_bin")
	mixed := Operand{Collation: bin, Coercibility: Mixed, ASCII: left.ASCII}
	return partial{Operand: mixed, isMixedHere: true}, err == nil && expression == Text
}

// fit returns whether an operand can be converted to the result's character
// set: always to Unicode and if it is ASCII, and other constants if their
// characters are there. MySQL 9.7.4 refuses bytes of binary strings that are
// ill-formed there.
func (r combinationRules) fit(result, operand Operand, convertsRows bool) fit {
	isLiteral := operand.Coercibility == Coercible
	switch {
	case operand.Coercibility >= Numeric || operand.charset() == result.charset() || result.isBinary():
		return fitAlways
	case operand.isBinary():
		if r.isStrict && result.Collation.charset.maxBytes > 1 {
			return fitIfRepresentable
		}
		return fitAlways
	case operand.ASCII:
		return fitAlways
	case isUnicode(result.charset()):
		// A character set without characters beyond U+FFFF cannot represent every
		// literal.
		if isLiteral && (result.charset() == "utf8mb3" || result.charset() == "ucs2") {
			return fitIfRepresentable
		}
		return fitAlways
	case operand.Coercibility == SystemConstant:
		// Assumes that names of users and servers are ASCII.
		return fitAlways
	case isLiteral || convertsRows || r.isWeak(operand):
		return fitIfRepresentable
	}
	return fitNever
}

// canHoldAll reports whether winner can hold all values of loser by the
// servers' rules, and its coercibility is not higher. order is that of their
// coercibility.
func (r combinationRules) canHoldAll(winner, loser Operand, order int) bool {
	unicode := isUnicode(winner.charset()) && (order < 0 || order == 0 && !isUnicode(loser.charset()))
	wider := order <= 0 && r.isWider(winner.charset(), loser.charset())
	// Between two literals, strict servers ignore that a text is ASCII only.
	countsAsASCII := func(o Operand) bool {
		if r.isStrict {
			return o.charset() == "ascii"
		}
		return o.ASCII
	}
	ascii := order < 0 && loser.ASCII || order == 0 && countsAsASCII(loser) && !countsAsASCII(winner)
	return unicode || wider || ascii
}

// isUnicode is true for Unicode character sets. gb18030 is not one in the
// servers' rules.
func isUnicode(charset string) bool {
	switch charset {
	case "utf8mb3", "utf8mb4", "ucs2", "utf16", "utf16le", "utf32":
		return true
	}
	return false
}

func (r combinationRules) isWider(charset, than string) bool {
	if r.hasWideCharsets && (charset == "utf8mb4" || charset == "utf32") {
		return isUnicode(than)
	}
	return charset == "utf8mb4" && than == "utf8mb3"
}

func (o Operand) charset() string { return o.Collation.charset.name }

func (o Operand) isBinary() bool { return o.charset() == "binary" }
