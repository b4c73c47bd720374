package mysqlcollation

import "encoding/binary"

// AppendSortKey appends a key to dst. Keys compare by [bytes.Compare] as their
// strings compare by [Collation.Compare]. The key of a prefix need not be a
// prefix of the key: see [Collation.PrefixRange].
//
// Keys are those of the Rust library of the same project. The servers' own
// format is [Collation.AppendWeightString].
func (c *Collation) AppendSortKey(dst, s []byte) []byte {
	w := c.weights()
	from := len(dst)
	switch {
	case w.bytes != nil:
		return appendBytesKey(dst, w.bytes, c.pads[primary], s)
	case w.text != nil:
		dst = w.text.appendKey(dst, s)
		return finishBytesKey(dst, from, ' ', c.pads[primary])
	case c.kind == kindNumbers && w.encoding.decoding == decodeUTF8:
		dst = appendCodePointsKey(dst, w.encoding, s)
		return finishBytesKey(dst, from, ' ', c.pads[primary])
	}
	var mark wrappedMark
	if c.wrapsFirstMark {
		mark = findWrappedMark(&w.levels[0], s)
	}
	for i := range w.levels {
		l := &w.levels[i]
		if i > 0 && w.levels[i-1].pad == noPad {
			dst = append(dst, 0, 0)
		}
		from = len(dst)
		dst = l.appendKey(dst, s, mark)
		if l.pad != noPad {
			dst = markSpaces(dst, from, 2, uint16(l.pad))
			dst = binary.BigEndian.AppendUint16(dst, below(uint16(l.pad)))
			dst = append(dst, markEnd)
		}
	}
	return dst
}

func appendBytesKey(dst []byte, weights *[256]byte, isPadded bool, s []byte) []byte {
	from := len(dst)
	dst = append(dst, s...)
	if weights != &identity {
		key := dst[from:]
		for i, b := range key {
			key[i] = weights[b]
		}
	}
	return finishBytesKey(dst, from, weights[' '], isPadded)
}

// finishBytesKey marks spaces of a key with one byte for each weight.
func finishBytesKey(dst []byte, from int, space byte, isPadded bool) []byte {
	if !isPadded {
		return dst
	}
	dst = markSpaces(dst, from, 1, uint16(space))
	return append(dst, byte(below(uint16(space))), markEnd)
}

// appendCodePointsKey appends the bytes of a string of UTF-8, with FF before
// each ill-formed byte.
func appendCodePointsKey(dst []byte, e *encoding, s []byte) []byte {
	for at := 0; at < len(s); {
		_, n := e.decodeUTF8(s, at)
		if n == 0 {
			dst = append(dst, 0xFF)
			n = 1
		}
		dst = append(dst, s[at:at+n]...)
		at += n
	}
	return dst
}

// appendKey appends the weights of a string.
func (l *level) appendKey(dst, s []byte, mark wrappedMark) []byte {
	var weights weightBuffer
	at := 0
	if mark.contraction != nil && l.index > primary {
		n, count := mark.weights(l, s, &weights)
		dst = appendWeights(dst, weights[:count])
		at = n
	}
	dst = growBy(dst, 2*(len(s)-at))
	for at < len(s) {
		if l.short != nil {
			dst, at = l.appendShort(dst, s, at)
			if at == len(s) {
				break
			}
		}
		n, count := l.next(s, at, &weights)
		dst = appendWeights(dst, weights[:count])
		at += n
	}
	return dst
}

func growBy(dst []byte, count int) []byte {
	if cap(dst)-len(dst) >= count {
		return dst
	}
	return append(make([]byte, 0, len(dst)+count+16), dst...)
}

func appendWeights(dst []byte, weights []uint16) []byte {
	for _, weight := range weights {
		dst = append(dst, byte(weight>>8), byte(weight))
	}
	return dst
}

// appendShort appends the weights of characters of UTF-8 up to one that needs
// another look, and returns its position. In front of a character that may
// continue a contraction, the last one is given back.
func (l *level) appendShort(dst, s []byte, at int) ([]byte, int) {
	short := l.short
	last, lastWeights := 0, 0
	for {
		for at < len(s) && s[at] < 0x80 && short[s[at]] != 0 {
			weight := short[s[at]]
			dst = append(dst, byte(weight>>8), byte(weight))
			at++
			last, lastWeights = 1, 2
		}
		if at == len(s) || s[at] < 0x80 {
			break
		}
		c := s[at]
		n := 1
		var weight uint16
		switch {
		case c < 0xE0:
			if c >= 0xC2 && at+1 < len(s) && isContinuation(s[at+1]) {
				weight, n = short[uint(c&0x1F)<<6|uint(s[at+1]&0x3F)], 2
			}
		case l.kind == kindUCA:
			var second uint16
			if weight, second, n = l.ideograph(s, at); second != 0 {
				dst = append(dst, byte(weight>>8), byte(weight), byte(second>>8), byte(second))
				at += n
				last, lastWeights = n, 4
				continue
			}
		default:
			weight, n = l.single(s, at, last)
		}
		if weight == 0 {
			break
		}
		dst = append(dst, byte(weight>>8), byte(weight))
		at += n
		last, lastWeights = n, 2
	}
	if l.contractions != nil && last > 0 && l.continues(s, at) {
		return dst[:len(dst)-lastWeights], at - last
	}
	return dst, at
}

// ideograph returns the weights of a character of three or four bytes that has
// one weight, or is an ideograph with two, and its length. The first is 0 for
// all others and if it continues a contraction.
func (l *level) ideograph(s []byte, at int) (first, second uint16, n int) {
	codePoint, n := l.encoding.decodeUTF8(s, at)
	if n == 0 || l.contractions != nil && l.contractions.later.has(codePoint) {
		return 0, 0, 1
	}
	switch entry := l.uca.entry(codePoint); {
	case entry < firstSequence:
		return entry, 0, n
	case entry == ruleHan:
		return l.uca.leads[ruleHan-firstRule] + uint16(codePoint>>15), uint16(codePoint)&0x7FFF | 0x8000, n
	}
	return 0, 0, n
}

// Marks of spaces in keys of PAD SPACE collations. A mark begins with the
// weight just below that of a space, and one of these bytes follows.
const (
	// markEscaped: the weight just below the space's itself.
	markEscaped = 0
	// markBeforeLess and the length: spaces before a lesser weight.
	markBeforeLess = 1
	// markEnd is the end of a string, without its trailing spaces.
	markEnd = 2
	// markBeforeGreater and the inverted length: two or more spaces before a
	// greater weight.
	markBeforeGreater = 3
)

func below(space uint16) uint16 {
	if space == 0 {
		return 0
	}
	return space - 1
}

// keyWeights has the weights of a part of a key, with width bytes each.
type keyWeights struct {
	bytes []byte
	width int
}

func (k keyWeights) count() int { return len(k.bytes) / k.width }

func (k keyWeights) at(index int) uint16 {
	if k.width == 1 {
		return uint16(k.bytes[index])
	}
	return binary.BigEndian.Uint16(k.bytes[2*index:])
}

// needsMark reports whether a weight is just below a space, or a space without
// a greater weight after it.
func (k keyWeights) needsMark(index int, space uint16) bool {
	weight := k.at(index)
	return weight == below(space) || weight == space && (index+1 == k.count() || k.at(index+1) <= space)
}

// firstMark returns the index of the first weight that needs a mark, or the
// number of weights. The last weight is no space.
func (k keyWeights) firstMark(space uint16) int {
	low := below(space)
	if k.width == 1 {
		for index, b := range k.bytes {
			if weight := uint16(b); weight == low || weight == space && k.needsMark(index, space) {
				return index
			}
		}
		return len(k.bytes)
	}
	for at := 0; at+1 < len(k.bytes); at += 2 {
		weight := uint16(k.bytes[at])<<8 | uint16(k.bytes[at+1])
		if weight == low || weight == space && k.needsMark(at/2, space) {
			return at / 2
		}
	}
	return len(k.bytes) / 2
}

// markSpaces removes trailing spaces from the weights from a position on, and
// marks those that need it.
func markSpaces(dst []byte, from, width int, space uint16) []byte {
	k := keyWeights{dst[from:], width}
	for k.count() > 0 && k.at(k.count()-1) == space {
		k.bytes = k.bytes[:len(k.bytes)-width]
	}
	if index := k.firstMark(space); index < k.count() {
		// The marked weights are written after the others, and moved.
		start, end := from+index*width, from+len(k.bytes)
		dst = appendMarked(dst[:end], keyWeights{dst[start:end], width}, space)
		return dst[:start+copy(dst[start:], dst[end:])]
	}
	return dst[:from+len(k.bytes)]
}

func appendMarked(dst []byte, k keyWeights, space uint16) []byte {
	for index := 0; index < k.count(); {
		if !k.needsMark(index, space) {
			dst = append(dst, k.bytes[index*k.width:(index+1)*k.width]...)
			index++
			continue
		}
		dst = appendKeyWeight(dst, k.width, below(space))
		run := 0
		for k.at(index+run) == space {
			run++
		}
		if run == 0 {
			dst = append(dst, markEscaped)
			index++
			continue
		}
		dst = appendRun(dst, run, k.at(index+run) < space)
		index += run
	}
	return dst
}

func appendKeyWeight(dst []byte, width int, weight uint16) []byte {
	if width == 1 {
		return append(dst, byte(weight))
	}
	return binary.BigEndian.AppendUint16(dst, weight)
}

// appendRun appends the rest of the mark of a run of spaces.
func appendRun(dst []byte, length int, isBeforeLess bool) []byte {
	class, flip := byte(markBeforeGreater), byte(0xFF)
	if isBeforeLess {
		class, flip = markBeforeLess, 0
	}
	dst = append(dst, class)
	if length < 255 {
		return append(dst, byte(length)^flip)
	}
	dst = append(dst, 255^flip)
	for shift := 56; shift >= 0; shift -= 8 {
		dst = append(dst, byte(uint64(length)>>shift)^flip)
	}
	return dst
}
