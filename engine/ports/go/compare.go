package mysqlcollation

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// Compare returns -1 if a is less than b, 0 if they are equal, and +1 if a is
// greater. Once the tables are read, it allocates nothing, unless strings of
// more than 80 bytes are compared under a collation of Czech or Thai in an
// 8-bit character set.
func (c *Collation) Compare(a, b []byte) int {
	if len(a) == len(b) && bytes.Equal(a, b) {
		return 0
	}
	same := mismatch(a, b)
	w := c.ready.Load()
	if w == nil {
		w = c.weights()
	}
	switch {
	case w.bytes != nil:
		return compareBytes(w.bytes, c.pads[primary], a[same:], b[same:])
	case w.text != nil:
		return compareTexts(w.text, c.pads[primary], a, b)
	case c.wrapsFirstMark:
		x, y := findWrappedMark(&w.levels[0], a), findWrappedMark(&w.levels[0], b)
		if x.contraction != nil || y.contraction != nil {
			return compareWrapped(w.levels, a, b, x, y)
		}
	case c.kind == kindNumbers && w.encoding.decoding == decodeUTF8:
		return compareCodePoints(w.encoding, c.pads[primary], a, b, same)
	}
	l := &w.levels[0]
	from := l.boundary(a, b, same)
	if l.endsAtErrors && !l.encoding.isWellFormed(a[:from]) {
		// Both strings end at the same ill-formed byte.
		return 0
	}
	for i := range w.levels {
		if order := w.levels[i].compare(a, b, from); order != 0 {
			return order
		}
	}
	return 0
}

// CompareString compares two strings of UTF-8, as drivers return them. Unless
// the collation's character set is utf8mb4, utf8mb3 or binary, it encodes them
// first ([Collation.Encode]), which allocates; characters that the set lacks
// compare as question marks. It fits [slices.SortFunc].
func (c *Collation) CompareString(a, b string) int {
	if !c.encodesStrings() || a == b {
		return c.Compare(bytesOf(a), bytesOf(b))
	}
	x, _ := c.Encode(a)
	y, _ := c.Encode(b)
	return c.Compare(x, y)
}

// encodesStrings reports whether the bytes of a Go string are not those of the
// collation's character set. The strings of binary are bytes.
func (c *Collation) encodesStrings() bool {
	return c.charset.decoding != decodeUTF8 && c.charset.decoding != decodeBinary
}

// Equal reports whether two strings are equal.
func (c *Collation) Equal(a, b []byte) bool { return c.Compare(a, b) == 0 }

// mismatch returns the index of the first byte that differs, or the length of
// the shorter string.
func mismatch(a, b []byte) int {
	n := min(len(a), len(b))
	a, b = a[:n], b[:n]
	at := 0
	for ; at+8 <= n; at += 8 {
		if difference := binary.LittleEndian.Uint64(a[at:]) ^ binary.LittleEndian.Uint64(b[at:]); difference != 0 {
			return at + bits.TrailingZeros64(difference)/8
		}
	}
	for ; at < n; at++ {
		if a[at] != b[at] {
			return at
		}
	}
	return n
}

// compareBytes compares strings with one weight for each byte.
func compareBytes(weights *[256]byte, isPadded bool, a, b []byte) int {
	n := min(len(a), len(b))
	for i, x := range a[:n] {
		if x, y := weights[x], weights[b[i]]; x != y {
			return cmp.Compare(x, y)
		}
	}
	if len(a) > n {
		return bytesPastEnd(weights, isPadded, a[n:])
	}
	return -bytesPastEnd(weights, isPadded, b[n:])
}

// bytesPastEnd compares the rest of a string with the end of the other.
func bytesPastEnd(weights *[256]byte, isPadded bool, rest []byte) int {
	if !isPadded {
		return min(len(rest), 1)
	}
	space := weights[' ']
	for _, b := range rest {
		if weight := weights[b]; weight != space {
			return cmp.Compare(weight, space)
		}
	}
	return 0
}

func compareTexts(t *textTable, isPadded bool, a, b []byte) int {
	var x, y [maxShortKey]byte
	return compareBytes(&identity, isPadded, t.appendKey(x[:0], a), t.appendKey(y[:0], b))
}

// compareCodePoints compares strings of UTF-8 by code points. Ill-formed bytes
// come after all characters.
func compareCodePoints(e *encoding, isPadded bool, a, b []byte, same int) int {
	if same < len(a) && same < len(b) && a[same]|b[same] < 0x80 {
		return cmp.Compare(a[same], b[same])
	}
	at := characterStart(a, b, same)
	for at < len(a) && at < len(b) {
		x, n := codePointOrByte(e, a, at)
		y, _ := codePointOrByte(e, b, at)
		if x != y {
			return cmp.Compare(x, y)
		}
		at += n
	}
	if at < len(a) {
		return codePointsPastEnd(e, isPadded, a[at:])
	}
	if at < len(b) {
		return -codePointsPastEnd(e, isPadded, b[at:])
	}
	return 0
}

func codePointOrByte(e *encoding, text []byte, at int) (uint32, int) {
	if codePoint, n := e.decodeUTF8(text, at); n > 0 {
		return codePoint, n
	}
	return 0x110000 | uint32(text[at]), 1
}

func codePointsPastEnd(e *encoding, isPadded bool, rest []byte) int {
	if !isPadded {
		return 1
	}
	for at, b := range rest {
		if b != ' ' {
			codePoint, _ := codePointOrByte(e, rest, at)
			return cmp.Compare(codePoint, ' ')
		}
	}
	return 0
}

// characterStart returns the start of the character of UTF-8 that contains a
// position in a or b. The strings are equal before it.
func characterStart(a, b []byte, at int) int {
	isInside := func(text []byte) bool { return at < len(text) && isContinuation(text[at]) }
	if !isInside(a) && !isInside(b) {
		return at
	}
	for start := at - 1; start >= 0 && start >= at-3; start-- {
		if !isContinuation(a[start]) {
			return start
		}
	}
	return at
}

// boundary returns a position up to which two strings, equal before at, hold
// the same characters, and at which no contraction is in progress.
func (l *level) boundary(a, b []byte, at int) int {
	switch l.encoding.decoding {
	case decodeUTF8:
		at = characterStart(a, b, at)
		for at > 0 && (l.continues(a, at) || l.continues(b, at)) {
			at--
			for back := 0; back < 3 && at > 0 && isContinuation(a[at]); back++ {
				at--
			}
		}
		return at
	case decodeUCS2, decodeUTF16, decodeUTF16LE, decodeUTF32:
		return 0
	}
	if l.kind == kindByteExpansions {
		return at
	}
	// ASCII at the start of a string is never part of a longer character.
	at = asciiPrefix(a[:at])
	for at > 0 && (l.continues(a, at) || l.continues(b, at)) {
		at--
	}
	return at
}

func asciiPrefix(text []byte) int {
	for i, b := range text {
		if b >= 0x80 {
			return i
		}
	}
	return len(text)
}

// isWellFormed reports whether text consists of characters.
func (e *encoding) isWellFormed(text []byte) bool {
	if e.decoding == decodeUTF8 && !e.surrogates {
		return utf8.Valid(text) && (e.longest > 3 || asciiOrShort(text))
	}
	for at := 0; at < len(text); {
		n := e.wellFormed(text[at:])
		if n == 0 {
			return false
		}
		at += n
	}
	return true
}

// asciiOrShort reports whether no byte begins a character of four bytes.
func asciiOrShort(text []byte) bool {
	for _, b := range text {
		if b >= 0xF0 {
			return false
		}
	}
	return true
}

// compare compares two strings at a level. They are equal before from.
func (l *level) compare(a, b []byte, from int) int {
	if l.short == nil {
		return l.compareRest(a, b, from, from)
	}
	// Most comparisons need no cursors.
	i, j, order := l.compareShort(a, b, from, from)
	if order != 0 || i == len(a) && j == len(b) {
		return order
	}
	return l.compareRest(a, b, i, j)
}

// compareRest compares two strings at a level from two positions on, before
// which they are equal.
func (l *level) compareRest(a, b []byte, i, j int) int {
	x, y := cursor{level: l, text: a, at: i}, cursor{level: l, text: b, at: j}
	for {
		order, isDone := l.compareWeights(&x, &y)
		if order != 0 || isDone {
			return order
		}
		if x.at, y.at, order = l.compareShort(a, b, x.at, y.at); order != 0 {
			return order
		}
	}
}

// compareWeights compares weights until they differ, both strings end or both
// cursors are at a boundary. isDone reports that a string ended.
func (l *level) compareWeights(x, y *cursor) (order int, isDone bool) {
	for {
		p, hasP := x.weight()
		q, hasQ := y.weight()
		switch {
		case !hasP && !hasQ:
			return 0, true
		case !hasQ:
			return l.pastEnd(p, x), true
		case !hasP:
			return -l.pastEnd(q, y), true
		case p != q:
			return cmp.Compare(p, q), false
		case l.short != nil && x.isAtBoundary() && y.isAtBoundary():
			return 0, false
		}
	}
}

// pastEnd compares the weights from one on with the end of the other string.
func (l *level) pastEnd(weight uint16, rest *cursor) int {
	if l.pad == noPad {
		return 1
	}
	for ok := true; ok; weight, ok = rest.weight() {
		if int(weight) != l.pad {
			return cmp.Compare(int(weight), l.pad)
		}
	}
	return 0
}

// compareWrapped compares strings of which at least one begins with a mark
// that is weighed after the string's last character.
func compareWrapped(levels []level, a, b []byte, x, y wrappedMark) int {
	for i := range levels {
		l := &levels[i]
		p, q := cursor{level: l, text: a, mark: x}, cursor{level: l, text: b, mark: y}
		for {
			order, isDone := l.compareWeights(&p, &q)
			if order != 0 {
				return order
			}
			if isDone {
				break
			}
		}
	}
	return 0
}
