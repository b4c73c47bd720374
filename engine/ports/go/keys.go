package mysqlcollation

import "bytes"

// AppendPrefixIndexKey appends the sort key of the first characters of a
// string, as in a prefix index: KEY (name(10)), UNIQUE KEY (name(10)). A
// character of binary is a byte.
func (c *Collation) AppendPrefixIndexKey(dst, s []byte, characters int) []byte {
	return c.AppendSortKey(dst, c.firstCharacters(s, characters))
}

func (c *Collation) firstCharacters(s []byte, count int) []byte {
	e := c.weights().encoding
	at := 0
	for ; count > 0 && at < len(s); count-- {
		at += e.length(s[at:])
	}
	return s[:min(at, len(s))]
}

// AppendGroupKey appends a key for the group of a string in GROUP BY, SELECT
// DISTINCT and UNION. Strings have equal keys if the server's temporary tables
// put them in one group. The order of keys has no meaning.
//
// Groups differ from equality only for collations of MySQL with PAD SPACE in
// which other characters weigh as much as a space: UCA, cp1250_general_ci,
// cp1251_ukrainian_ci and koi8u_general_ci. In UCA collations "a" equals
// "a\u00a0", but MySQL 8.0.12 and 9.7.4 make two groups of them; MySQL 5.6 and
// 5.7 make one or two, by the number of rows. COUNT(DISTINCT …), joins, unique
// keys, and GROUP BY through an index or a sort take them as equal. Groups of
// latin2_czech_cs are not followed. MySQL 8.0.12 also makes two groups of the
// empty string and the strings that equal it.
func (c *Collation) AppendGroupKey(dst, s []byte) []byte {
	w := c.weights()
	if c.flavour != MySQL || !c.padSpace || w.text != nil {
		return c.AppendSortKey(dst, s)
	}
	if space, ok := w.encoding.encode(' '); ok {
		for bytes.HasSuffix(s, space) {
			s = s[:len(s)-len(space)]
		}
	}
	switch {
	case w.bytes != nil:
		return w.appendBytes(dst, s)
	case c.kind == kindNumbers && w.encoding.decoding == decodeUTF8:
		return append(dst, s...)
	}
	return w.appendLevels(dst, s, wrappedMark{}, false)
}
