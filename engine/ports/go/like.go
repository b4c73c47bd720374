package mysqlcollation

import "bytes"

// NoEscape is the escape of a pattern without an escape character.
const NoEscape rune = -1

// likeLevels is the number of levels that LIKE compares.
const likeLevels = 3

// Like reports whether s LIKE pattern ESCAPE escape. The servers' default for
// escape is a backslash. Trailing spaces count, and contractions don't.
func (c *Collation) Like(s, pattern []byte, escape rune) bool {
	m := c.matcher(pattern, escape)
	return m.matches(s)
}

func (c *Collation) matcher(pattern []byte, escape rune) matcher {
	w := c.weights()
	m := matcher{collation: c, weights: w, pattern: pattern, escape: w.encoding.escapeBytes(escape, c.charset.minBytes)}
	m.any, m.one = wildcards(w.encoding.decoding)
	return m
}

// matcher matches a text with a pattern.
type matcher struct {
	collation *Collation
	weights   *weights
	pattern   []byte
	escape    []byte
	any, one  string
}

// wildcards returns the bytes of % and of _.
func wildcards(d decoding) (any, one string) {
	switch d {
	case decodeUCS2, decodeUTF16:
		return "\x00%", "\x00_"
	case decodeUTF16LE:
		return "%\x00", "_\x00"
	case decodeUTF32:
		return "\x00\x00\x00%", "\x00\x00\x00_"
	}
	return "%", "_"
}

type partKind uint8

const (
	partEnd partKind = iota
	partAny
	partOne
	partCharacter
)

// part returns the part of the pattern at a position, the character of a
// partCharacter, and the position of the next part.
func (m *matcher) part(at int) (kind partKind, character []byte, next int) {
	if at >= len(m.pattern) {
		return partEnd, nil, at
	}
	end := at + m.length(m.pattern[at:])
	character = m.pattern[at:end]
	switch {
	case m.escape != nil && bytes.Equal(character, m.escape):
		if end < len(m.pattern) {
			after := end + m.length(m.pattern[end:])
			return partCharacter, m.pattern[end:after], after
		}
		// An escape character at the end of the pattern is a literal.
		return partCharacter, character, end
	case string(character) == m.any:
		return partAny, nil, end
	case string(character) == m.one:
		return partOne, nil, end
	}
	return partCharacter, character, end
}

func (m *matcher) length(text []byte) int { return m.weights.encoding.length(text) }

// matches matches in one pass over the pattern. On a mismatch, the last % is
// tried with one more character. Earlier ones need no retry: the last can
// match any text that they could.
func (m *matcher) matches(s []byte) bool {
	at, partAt := 0, 0
	retryAt, retryPart := -1, 0
	for {
		kind, character, next := m.part(partAt)
		isTaken := false
		switch {
		case kind == partEnd && at == len(s):
			return true
		case kind == partAny:
			if after, _, _ := m.part(next); after == partEnd {
				return true
			}
			retryAt, retryPart = at, next
			isTaken = true
		case kind != partEnd && at < len(s):
			end := at + m.length(s[at:])
			if isTaken = kind == partOne || m.isSame(s[at:end], character); isTaken {
				at = end
			}
		}
		if isTaken {
			partAt = next
			continue
		}
		if retryAt < 0 || retryAt >= len(s) {
			return false
		}
		retryAt += m.length(s[retryAt:])
		at, partAt = retryAt, retryPart
	}
}

// isSame reports whether a character matches a character of the pattern.
func (m *matcher) isSame(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	c, w := m.collation, m.weights
	switch c.kind {
	case kindBytes, kindNumbers:
		if c.kind == kindNumbers && w.encoding.decoding != decodeUTF8 {
			return w.haveEqualWeights(a, b)
		}
		return false
	case kindByteTable:
		return haveEqualBytes(w.bytes, a, b)
	case kindCzechWords, kindCzechPasses, kindThai:
		return haveEqualBytes(w.text.like, a, b)
	case kindGB18030:
		if w.levels[0].isReportedAlike(a, b) {
			return true
		}
	case kindCharacters:
		if w.levels[0].characters.foldsSecond && (len(a) > 1 || len(b) > 1) {
			return false
		}
	case kindUCA:
		return w.haveEqualWeights(a, b) && !m.differInLike(a, b)
	}
	return w.haveEqualWeights(a, b)
}

func haveEqualBytes(weights *[256]byte, a, b []byte) bool {
	if len(a) != len(b) {
		return false
	}
	for i, x := range a {
		if weights[x] != weights[b[i]] {
			return false
		}
	}
	return true
}

// haveEqualWeights reports whether two characters have the same weights at the
// levels of LIKE.
func (w *weights) haveEqualWeights(a, b []byte) bool {
	return w.areEqual(a, b, min(len(w.levels), likeLevels))
}

// areEqual reports whether two texts have the same weights at the first levels,
// without padding.
func (w *weights) areEqual(a, b []byte, levels int) bool {
	for i := range w.levels[:levels] {
		x, y := cursor{level: &w.levels[i], text: a}, cursor{level: &w.levels[i], text: b}
		for {
			p, hasP := x.weight()
			q, hasQ := y.weight()
			if p != q || hasP != hasQ {
				return false
			}
			if !hasP {
				break
			}
		}
	}
	return true
}

// isReportedAlike reports whether WEIGHT_STRING is equal for two characters of
// gb18030_chinese_ci. They then match, even if they compare as different.
func (l *level) isReportedAlike(a, b []byte) bool {
	var x, y [4]byte
	return bytes.Equal(l.gb18030.appendReported(x[:0], a), l.gb18030.appendReported(y[:0], b))
}

// differInLike reports whether two characters of equal weights do not match.
// Those on uniform pages match only themselves. A tailoring overwrites the
// root's weights with its own and an end mark, and LIKE compares the weights
// of the root after the mark, too.
func (m *matcher) differInLike(a, b []byte) bool {
	c, w := m.collation, m.weights
	x, n := w.encoding.decode(a, 0)
	y, k := w.encoding.decode(b, 0)
	for i := range w.levels {
		l := &w.levels[i]
		if l.index > primary && !c.likeByPageBeyondPrimary {
			continue
		}
		if n > 0 && l.uca.uniform[x>>8] || k > 0 && l.uca.uniform[y>>8] {
			return true
		}
	}
	if !c.likeSeesRoot || !w.uca.isTailoring || n == 0 || k == 0 {
		return false
	}
	for i := range w.levels {
		if l := w.levels[i].uca; l.rootRemainder(x) != l.rootRemainder(y) {
			return true
		}
	}
	return false
}
