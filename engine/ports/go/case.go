package mysqlcollation

import (
	"encoding/binary"
	"fmt"
	"sort"
	"sync"
)

// operations is the section with the tables of LOCATE, UPPER and LOWER.
type operations struct {
	// locate has the weights of latin2_czech_cs in LOCATE.
	locate *[256]byte
	// runs has the code points that UPPER and LOWER change.
	runs [2][]caseRun
	// bytes has the other cases of bytes.
	bytes []byte
	// rules has a rule for each collation, in the order of the catalogue.
	rules []byte
}

// caseRun is a run of code points at equal distances whose other cases are,
// too, for sets of collations.
type caseRun struct {
	first, last, to uint32
	step, sets      uint16
}

const (
	upper = 0
	lower = 1
)

// Flags of a rule.
const (
	caseSet       = 0x0F
	caseIsTurkish = 0x10
	caseIsInPlace = 0x20
	caseIsBytes   = 0x80
)

const (
	caseRunSize   = 16
	caseTableSize = 512
)

// ToUpper returns the text in upper case, byte for byte as UPPER. Each
// character becomes one character: ß stays ß. Under MySQL's collations of
// utf8mb3 and utf8mb4, except turkish_ci, the result is cut at a character that
// takes more bytes than before.
func (c *Collation) ToUpper(s []byte) []byte { return c.convertCase(s, upper) }

// ToLower returns the text in lower case, byte for byte as LOWER. Otherwise it
// is like [Collation.ToUpper].
func (c *Collation) ToLower(s []byte) []byte { return c.convertCase(s, lower) }

func (c *Collation) convertCase(s []byte, to int) []byte {
	o := c.catalogue.operations()
	rule := caseRule{operations: o, to: to, rule: o.rules[c.index], encoding: c.weights().encoding, charset: c.charset}
	switch {
	case rule.rule&caseIsBytes != 0:
		table := o.bytes[int(rule.rule&^caseIsBytes)*caseTableSize+256*to:]
		out := make([]byte, len(s))
		for i, b := range s {
			out[i] = table[b]
		}
		return out
	case rule.rule&caseIsInPlace != 0:
		return rule.convertInPlace(append([]byte(nil), s...))
	}
	out := make([]byte, 0, len(s))
	for len(s) > 0 {
		n := rule.encoding.length(s)
		out = append(out, rule.convert(s[:n])...)
		s = s[n:]
	}
	return out
}

// caseRule converts characters of a multi-byte character set.
type caseRule struct {
	*operations
	to       int
	rule     byte
	encoding *encoding
	charset  *charset
}

// convert returns the other case of a character.
func (r *caseRule) convert(character []byte) []byte {
	if other, ok := r.otherCode(character); ok {
		return other
	}
	if r.encoding.wellFormed(character) != len(character) {
		return character
	}
	codePoint, isAssigned := r.encoding.codePoint(character)
	if !isAssigned {
		return character
	}
	if other := r.other(codePoint); other != codePoint {
		if encoded, ok := r.encoding.encode(other); ok {
			return encoded
		}
	}
	return character
}

// convertInPlace converts as MySQL does in UTF-8, in one buffer that is read
// and written: a result that is longer than its character overwrites the bytes
// after it, and the text ends there.
func (r *caseRule) convertInPlace(buffer []byte) []byte {
	from, to := 0, 0
	for from < len(buffer) {
		codePoint, n := r.encoding.decodeUTF8(buffer, from)
		if n == 0 {
			if to > from {
				break
			}
			buffer[to] = buffer[from]
			from, to = from+1, to+1
			continue
		}
		encoded, _ := r.encoding.encode(r.other(codePoint))
		if to+len(encoded) > len(buffer) {
			break
		}
		from += n
		to += copy(buffer[to:], encoded)
	}
	return buffer[:to]
}

// otherCode returns the other case of a character that has several codes:
// Roman numerals, which cp932 and eucjpms have from two manufacturers.
func (r *caseRule) otherCode(character []byte) ([]byte, bool) {
	code := uint32(0)
	for _, b := range character {
		code = code<<8 | uint32(b)
	}
	isIn := func(first, last uint32) bool { return first <= code && code <= last }
	switch {
	case r.charset.name == "cp932" && r.to == lower && isIn(0x8754, 0x875D):
		code += 0xEEEF - 0x8754
	case r.charset.name == "cp932" && r.to == upper && isIn(0xFA40, 0xFA49):
		code += 10
	case r.charset.name == "eucjpms" && r.to == upper && isIn(0x8FF3F3, 0x8FF3F4):
		code += 10
	case r.charset.name == "eucjpms" && r.to == upper && isIn(0x8FF3F5, 0x8FF3FC):
		code += 0x8FF4A1 - 0x8FF3F5
	default:
		return nil, false
	}
	return binary.BigEndian.AppendUint32(nil, code)[4-len(character):], true
}

// other returns the other case of a code point.
func (r *caseRule) other(codePoint uint32) uint32 {
	if r.rule&caseIsTurkish != 0 {
		switch {
		case r.to == upper && codePoint == 'i':
			return 'İ'
		case r.to == lower && codePoint == 'I':
			return 'ı'
		}
	}
	runs := r.runs[r.to]
	set := uint16(1) << (r.rule & caseSet)
	end := sort.Search(len(runs), func(i int) bool { return runs[i].first > codePoint })
	for i := end - 1; i >= 0 && codePoint <= runs[i].last; i-- {
		if run := runs[i]; run.sets&set != 0 && (codePoint-run.first)%uint32(run.step) == 0 {
			return run.to + codePoint - run.first
		}
	}
	return codePoint
}

// lazyOperations is the section, read once.
type lazyOperations struct {
	once  sync.Once
	value *operations
}

// operations returns the section. A damaged file is a fault of the build, so
// that it panics.
func (c *catalogue) operations() *operations {
	c.lazyOperations.once.Do(func() {
		o, err := c.readOperations()
		if err != nil {
			panic("mysqlcollation: " + err.Error())
		}
		c.lazyOperations.value = o
	})
	return c.lazyOperations.value
}

func (c *catalogue) readOperations() (*operations, error) {
	number := 0
	for i, name := range c.tableNames {
		if name == "operations" {
			number = i
		}
	}
	if number == 0 {
		return nil, fmt.Errorf("the data file has no section of operations")
	}
	section, err := c.file.section(number)
	if err != nil {
		return nil, err
	}
	in := &reader{rest: section}
	o := &operations{locate: (*[256]byte)(in.bytes(256))}
	for to := range o.runs {
		bytes := in.bytes(in.count() * caseRunSize)
		for at := 0; at < len(bytes); at += caseRunSize {
			number := func(offset int) uint32 { return binary.LittleEndian.Uint32(bytes[at+offset:]) }
			run := caseRun{first: number(0), last: number(4), to: number(8), step: uint16(number(12)), sets: uint16(number(12) >> 16)}
			run.step = max(run.step, 1)
			o.runs[to] = append(o.runs[to], run)
		}
	}
	tables := int(in.byte())
	o.bytes = in.bytes(tables * caseTableSize)
	o.rules = in.bytes(len(c.all[MySQL]) + len(c.all[MariaDB]))
	for _, rule := range o.rules {
		in.failed = in.failed || rule&caseIsBytes != 0 && int(rule&^caseIsBytes) >= tables
	}
	if in.failed || len(in.rest) > 0 {
		return nil, fmt.Errorf("the section of operations is damaged")
	}
	return o, nil
}
