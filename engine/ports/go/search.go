package mysqlcollation

import "bytes"

// StartsWith reports whether s begins with prefix, as s LIKE 'prefix%' with
// all characters of prefix taken literally. Characters are compared one by one.
func (c *Collation) StartsWith(s, prefix []byte) bool {
	m := matcher{collation: c, weights: c.weights()}
	for len(prefix) > 0 {
		if len(s) == 0 {
			return false
		}
		n, k := m.length(prefix), m.length(s)
		if !m.isSame(s[:k], prefix[:n]) {
			return false
		}
		s, prefix = s[k:], prefix[n:]
	}
	return true
}

// Find returns the position in bytes of the first occurrence of needle in s, or
// -1, as LOCATE of MySQL 9.7 and of MariaDB, which count characters from 1 on.
// In MySQL's collations of Unicode character sets, and gb18030_unicode_520_ci,
// the weights from there on begin with those of needle. Others follow
// [Collation.FindEqualLength].
func (c *Collation) Find(s, needle []byte) int {
	w := c.weights()
	isUTF8Bin := c.kind == kindNumbers && w.encoding.decoding == decodeUTF8
	if c.flavour == MariaDB || c.kind < kindNumbers || isUTF8Bin {
		return c.FindEqualLength(s, needle)
	}
	needles := make([][]byte, len(w.levels))
	for i := range w.levels {
		needles[i] = w.levels[i].appendAll(nil, needle)
	}
	return w.first(s, needle, func(at int) bool {
		for i := range w.levels {
			if !w.levels[i].beginsWith(s[at:], needles[i]) {
				return false
			}
		}
		return true
	})
}

// FindEqualLength returns the position in bytes of the first occurrence of
// needle in s, or -1, as LOCATE of MariaDB and of MySQL up to 8.0.12: an
// occurrence has as many bytes as needle and is equal to it.
func (c *Collation) FindEqualLength(s, needle []byte) int {
	w := c.weights()
	isEqual := func(part []byte) bool { return w.areEqual(part, needle, len(w.levels)) }
	switch {
	case w.bytes != nil:
		isEqual = func(part []byte) bool { return haveEqualBytes(w.bytes, part, needle) }
	case c.kind == kindCzechWords:
		locate := c.catalogue.operations().locate
		isEqual = func(part []byte) bool { return haveEqualBytes(locate, part, needle) }
	case w.text != nil:
		isEqual = func(part []byte) bool { return haveEqualBytes(w.text.like, part, needle) }
	case c.kind == kindNumbers && w.encoding.decoding == decodeUTF8:
		isEqual = func(part []byte) bool { return bytes.Equal(part, needle) }
	}
	return w.first(s, needle, func(at int) bool {
		return at+len(needle) <= len(s) && isEqual(s[at:at+len(needle)])
	})
}

// Replace returns s with each occurrence of from replaced by to, as REPLACE.
// Occurrences have the bytes of from, and begin at a character; under binary
// collations of MariaDB at any byte.
func (c *Collation) Replace(s, from, to []byte) []byte {
	e := c.weights().encoding
	out := make([]byte, 0, len(s))
	for len(s) > 0 {
		if len(from) > 0 && bytes.HasPrefix(s, from) {
			out = append(out, to...)
			s = s[len(from):]
			continue
		}
		n := 1
		if !c.isBinary || c.flavour != MariaDB {
			n = e.length(s)
		}
		out = append(out, s[:n]...)
		s = s[n:]
	}
	return out
}

// first returns the first position of a character at which matches is true, 0
// for an empty needle, or -1.
func (w *weights) first(s, needle []byte, matches func(at int) bool) int {
	if len(needle) == 0 {
		return 0
	}
	for at := 0; at < len(s); at += w.encoding.length(s[at:]) {
		if matches(at) {
			return at
		}
	}
	return -1
}

// appendAll appends all weights of a text.
func (l *level) appendAll(dst, text []byte) []byte {
	c := cursor{level: l, text: text}
	for {
		weight, ok := c.weight()
		if !ok {
			return dst
		}
		dst = append(dst, byte(weight>>8), byte(weight))
	}
}

// beginsWith reports whether the weights of a text begin with those of needle.
func (l *level) beginsWith(text, needle []byte) bool {
	c := cursor{level: l, text: text}
	for ; len(needle) > 0; needle = needle[2:] {
		weight, ok := c.weight()
		if !ok || weight != uint16(needle[0])<<8|uint16(needle[1]) {
			return false
		}
	}
	return true
}
