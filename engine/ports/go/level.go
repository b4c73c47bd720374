package mysqlcollation

// weightKind is the source of a collation's weights.
type weightKind uint8

const (
	kindBytes weightKind = iota
	kindByteTable
	kindByteExpansions
	kindCzechWords
	kindCzechPasses
	kindThai
	kindCharacters
	kindGB18030
	// kindNumbers has the code points themselves as weights.
	kindNumbers
	kindSimple
	kindFolding
	kindUCA
)

// noPad is the pad of a level without padding.
const noPad = -1

// level is one level of a collation as a source of weights of 16 bits.
type level struct {
	kind weightKind
	// index is the number of the level, 0 for the primary.
	index int
	// pad is the weight that follows the end of a text under PAD SPACE, or
	// noPad.
	pad int
	// endsAtErrors: a text ends at its first ill-formed byte.
	endsAtErrors bool
	encoding     *encoding
	// short has the weights of code points below U+0800 that have one weight
	// and continue no contraction, and 0 for all others. It is nil unless the
	// encoding is UTF-8 and the kind is kindUCA, kindSimple or kindFolding.
	short *[0x800]uint16
	// foldsASCII: ASCII letters weigh the same in both cases, and no ASCII
	// character continues a contraction.
	foldsASCII   bool
	uca          *ucaLevel
	contractions *contractionSet
	simple       *simpleTable
	folding      *foldingTable
	expansions   *[512]byte
	characters   *characterTable
	gb18030      *gb18030Table
}

// next writes the weights of the character or contraction at a position,
// which must be inside the text. It returns its length in bytes and the number
// of its weights.
func (l *level) next(text []byte, at int, out *weightBuffer) (size, count int) {
	switch l.kind {
	case kindByteExpansions:
		b := int(text[at])
		out[0], out[1] = uint16(l.expansions[2*b]), uint16(l.expansions[2*b+1])
		if out[1] == 0 {
			return 1, 1
		}
		return 1, 2
	case kindCharacters, kindGB18030:
		return l.nextCharacter(text, at, out)
	}
	codePoint, n := l.encoding.decode(text, at)
	if n == 0 {
		return l.illFormed(text, at, out)
	}
	switch l.kind {
	case kindUCA:
		if l.contractions != nil {
			if found, size := l.contractions.find(l.encoding, text, at, codePoint, n); found != nil {
				return size, l.uca.expand(0, found.entries[l.index], out[:])
			}
		}
		return n, l.uca.weights(codePoint, out[:])
	case kindSimple:
		out[0] = l.simple.weight(codePoint)
		if out[0] == 0xFFFF {
			// An ill-formed byte comes after all characters.
			out[1] = 0
			return n, 2
		}
		return n, 1
	case kindFolding:
		codePoint = l.folding.weight(codePoint)
	}
	return n, putCodePoint(codePoint, out)
}

// putCodePoint writes a code point as weights: itself, or FFFF and two words
// from U+FFFF on.
func putCodePoint(codePoint uint32, out *weightBuffer) int {
	if codePoint < 0xFFFF {
		out[0] = uint16(codePoint)
		return 1
	}
	out[0], out[1], out[2] = 0xFFFF, uint16(codePoint>>16), uint16(codePoint)
	return 3
}

// illFormed writes the weights of an ill-formed byte.
func (l *level) illFormed(text []byte, at int, out *weightBuffer) (size, count int) {
	switch l.kind {
	case kindUCA:
		if l.endsAtErrors {
			return len(text) - at, 0
		}
		out[0] = 0xFFFF
		return 1, 1
	case kindSimple:
		out[0], out[1] = 0xFFFF, 1+uint16(text[at])
		return 1, 2
	}
	return 1, putCodePoint(0x110000|uint32(text[at]), out)
}

func (l *level) nextCharacter(text []byte, at int, out *weightBuffer) (size, count int) {
	n := l.encoding.wellFormed(text[at:])
	if n == 0 {
		// An ill-formed byte comes after all characters, by value.
		out[0], out[1] = 0xFFFF, uint16(text[at])<<8
		return 1, 2
	}
	if l.kind == kindGB18030 {
		return n, l.gb18030.weights(text[at:at+n], out)
	}
	return n, l.characters.weights(text[at:at+n], out)
}

// continues reports whether the character at a position can continue a
// contraction.
func (l *level) continues(text []byte, at int) bool {
	if l.contractions == nil || at >= len(text) {
		return false
	}
	codePoint, n := l.encoding.decode(text, at)
	return n > 0 && l.contractions.later.has(codePoint)
}

// cursor reads the weights of a text one by one.
type cursor struct {
	level *level
	text  []byte
	at    int
	// first is the index of the next weight in weights, to the end of them.
	first, end int
	weights    weightBuffer
	mark       wrappedMark
}

// weight returns the next weight, or false at the end of the text.
func (c *cursor) weight() (uint16, bool) {
	for c.first == c.end {
		if c.at >= len(c.text) {
			return 0, false
		}
		c.first = 0
		if c.at == 0 && c.mark.contraction != nil && c.level.index > primary {
			c.at, c.end = c.mark.weights(c.level, c.text, &c.weights)
			continue
		}
		var n int
		n, c.end = c.level.next(c.text, c.at, &c.weights)
		c.at += n
	}
	weight := c.weights[c.first]
	c.first++
	return weight, true
}

// isAtBoundary reports whether all weights before the position are read.
func (c *cursor) isAtBoundary() bool { return c.first == c.end }
