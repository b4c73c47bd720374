package mysqlcollation

import "encoding/binary"

// AppendWeightString appends the server's WEIGHT_STRING(s) to dst, byte for
// byte.
func (c *Collation) AppendWeightString(dst, s []byte) []byte {
	w := c.weights()
	switch c.kind {
	case kindBytes:
		return append(dst, s...)
	case kindByteTable:
		for _, b := range s {
			dst = append(dst, w.bytes[b])
		}
		return dst
	case kindByteExpansions:
		return w.levels[0].appendExpansions(dst, s)
	case kindCzechWords, kindCzechPasses, kindThai:
		return w.text.appendWeightString(dst, s, c.flavour)
	case kindCharacters, kindGB18030:
		return w.levels[0].appendReported(dst, s)
	case kindUCA:
		return c.appendUCAWeightString(dst, w, s)
	}
	return w.levels[0].appendSingleWeights(dst, s, int(c.parameter))
}

func (l *level) appendExpansions(dst, s []byte) []byte {
	for _, b := range s {
		dst = append(dst, l.expansions[2*int(b)])
		if second := l.expansions[2*int(b)+1]; second != 0 {
			dst = append(dst, second)
		}
	}
	return dst
}

func (l *level) appendReported(dst, s []byte) []byte {
	for at := 0; at < len(s); {
		n := l.encoding.length(s[at:])
		character := s[at : at+n]
		switch {
		case l.kind == kindGB18030:
			dst = l.gb18030.appendReported(dst, character)
		case n == 1:
			dst = append(dst, l.characters.singles[character[0]])
		case n == 2:
			dst = binary.BigEndian.AppendUint16(dst, l.characters.reportedWeight(character[0], character[1]))
		default:
			dst = append(dst, character...)
		}
		at += n
	}
	return dst
}

// appendSingleWeights appends one weight for each code point, up to the first
// ill-formed byte.
func (l *level) appendSingleWeights(dst, s []byte, width int) []byte {
	for at := 0; at < len(s); {
		codePoint, n := l.encoding.decode(s, at)
		if n == 0 {
			break
		}
		switch l.kind {
		case kindSimple:
			codePoint = uint32(l.simple.weight(codePoint))
		case kindFolding:
			codePoint = l.folding.weight(codePoint)
		}
		if width == 3 {
			dst = append(dst, byte(codePoint>>16))
		}
		dst = append(dst, byte(codePoint>>8), byte(codePoint))
		at += n
	}
	return dst
}

func (c *Collation) appendUCAWeightString(dst []byte, w *weights, s []byte) []byte {
	var mark wrappedMark
	if c.wrapsFirstMark {
		mark = findWrappedMark(&w.levels[0], s)
	}
	for i := range w.levels {
		l := &w.levels[i]
		start := len(dst)
		if c.isSeparated && l.index > primary {
			dst = append(dst, 0, 0)
		}
		isZero := true
		read := cursor{level: l, text: s, mark: mark}
		for weight, ok := read.weight(); ok; weight, ok = read.weight() {
			if weight == 1 && l.index >= c.oneIsZeroFrom {
				weight = 0
			}
			isZero = isZero && weight == 0
			dst = append(dst, byte(weight>>8), byte(weight))
		}
		if l.index == quaternary && isZero {
			dst = dst[:start]
		}
	}
	return dst
}
