package mysqlcollation

// PrefixRange returns a range of sort keys that holds the key of every string
// that begins with prefix, as LIKE 'prefix%' decides: low <= key, and
// key < high unless high is nil. Keys of other strings can be in the range,
// so that a scan of it checks its rows with [Collation.Like].
//
// The range can be wide. Under a collation with contractions, the characters
// of the prefix count up to one that may contract with the next. Trailing
// spaces don't count under PAD SPACE. Collations of Czech and Thai in 8-bit
// character sets have no bounds.
func (c *Collation) PrefixRange(prefix []byte) (low, high []byte) {
	w := c.weights()
	switch {
	case w.text != nil:
		return nil, nil
	case w.bytes != nil:
		low = appendBytesKey(nil, w.bytes, false, prefix)
		low = c.finishPrefix(low, 1, uint16(w.bytes[' ']))
	case c.kind == kindNumbers && w.encoding.decoding == decodeUTF8:
		low = appendCodePointsKey(nil, w.encoding, w.encoding.completePart(prefix))
		low = c.finishPrefix(low, 1, ' ')
	default:
		l := &w.levels[0]
		low = l.appendPrefix(nil, prefix)
		low = c.finishPrefix(low, 2, uint16(max(l.pad, 0)))
	}
	return low, successor(low)
}

// finishPrefix marks the spaces of the weights of a prefix.
func (c *Collation) finishPrefix(weights []byte, width int, space uint16) []byte {
	if !c.pads[primary] {
		return weights
	}
	return markSpaces(weights, 0, width, space)
}

// completePart returns text without ill-formed bytes at its end, which can be
// the start of a character.
func (e *encoding) completePart(text []byte) []byte {
	end := 0
	for end < len(text) {
		n := e.wellFormed(text[end:])
		if n == 0 {
			break
		}
		end += n
	}
	return text[:end]
}

// appendPrefix appends the primary weights that every string has that begins
// with prefix: up to the first character that may contract with the next one,
// and up to the first ill-formed byte.
func (l *level) appendPrefix(dst, prefix []byte) []byte {
	prefix = l.encoding.completePart(prefix)
	var weights weightBuffer
	for at := 0; at < len(prefix); {
		n := l.encoding.length(prefix[at:])
		if l.mayContract(prefix, at, n) || l.kind == kindGB18030 && l.gb18030.matchesOthers(prefix[at:at+n]) {
			break
		}
		_, count := l.next(prefix[:at+n], at, &weights)
		dst = appendWeights(dst, weights[:count])
		at += n
	}
	return dst
}

// mayContract reports whether a character with the weights of the one at a
// position may contract with one like the next. LIKE compares characters by
// weight, so that other characters of the same weights count.
func (l *level) mayContract(prefix []byte, at, n int) bool {
	if l.contractions == nil {
		return false
	}
	codePoint, _ := l.encoding.decode(prefix, at)
	if !l.isAmong(&l.contractions.first, codePoint) {
		return false
	}
	next, m := l.encoding.decode(prefix, at+n)
	return m == 0 || l.isAmong(&l.contractions.later, next)
}

// isAmong reports whether a set has a code point with the same weights.
func (l *level) isAmong(set *codePointSet, codePoint uint32) bool {
	if set.has(codePoint) {
		return true
	}
	var own weightBuffer
	count := l.uca.weights(codePoint, own[:])
	found := false
	set.each(func(member uint32) bool {
		var other weightBuffer
		found = l.uca.weights(member, other[:]) == count && own == other
		return !found
	})
	return found
}

// each calls a function with each code point, until it returns false.
func (s *codePointSet) each(call func(uint32) bool) {
	for number, block := range s.blocks {
		if block == 0 {
			continue
		}
		for low := range uint32(256) {
			if s.bits[block-1][low>>6]>>(low&63)&1 == 1 && !call(uint32(number)<<8|low) {
				return
			}
		}
	}
}

// successor returns the least key that is greater than all keys that begin
// with prefix, or nil.
func successor(prefix []byte) []byte {
	for end := len(prefix); end > 0; end-- {
		if prefix[end-1] != 0xFF {
			next := append([]byte(nil), prefix[:end]...)
			next[end-1]++
			return next
		}
	}
	return nil
}
