package mysqlcollation

import "slices"

// PrefixRange returns a range of sort keys that holds the key of every string
// that begins with prefix, as LIKE 'prefix%' decides: low <= key, and
// key < high unless high is nil. Keys of other strings can be in the range:
// check the strings with [Collation.StartsWith].
//
// The key of prefix itself is no bound: keys of longer strings can be less.
// The range is wider than need be after a character that may begin a
// contraction. Collations of Czech and Thai in 8-bit character sets have no
// bounds.
func (c *Collation) PrefixRange(prefix []byte) (low, high []byte) {
	e := c.weights().encoding
	var characters [][]byte
	for len(prefix) > 0 {
		n := e.length(prefix)
		characters = append(characters, prefix[:n])
		prefix = prefix[n:]
	}
	return c.rangeOf(characters)
}

// LikeRange returns a range of sort keys that holds the key of every string
// that matches a pattern of LIKE, from its characters before the first
// wildcard. Otherwise it is like [Collation.PrefixRange].
func (c *Collation) LikeRange(pattern []byte, escape rune) (low, high []byte) {
	m := c.matcher(pattern, escape)
	var characters [][]byte
	for at := 0; ; {
		kind, character, next := m.part(at)
		if kind != partCharacter {
			return c.rangeOf(characters)
		}
		characters = append(characters, character)
		at = next
	}
}

// keyRange collects the primary weights of a range.
type keyRange struct {
	width int
	// space is the weight of a space, if the collation pads.
	space   uint16
	isPad   bool
	weights []uint16
	// next has the first weights that can follow, unless all can.
	next []uint16
}

func (c *Collation) rangeOf(characters [][]byte) (low, high []byte) {
	w := c.weights()
	r := keyRange{width: 1, isPad: c.pads[primary]}
	switch {
	case w.text != nil:
		// Passes and moved characters leave no common beginning of keys.
		return nil, nil
	case w.bytes != nil:
		r.space = uint16(w.bytes[' '])
		for _, character := range characters {
			for _, b := range character {
				r.weights = append(r.weights, uint16(w.bytes[b]))
			}
		}
	case c.kind == kindNumbers && w.encoding.decoding == decodeUTF8:
		r.space = ' '
		for _, character := range characters {
			if w.encoding.wellFormed(character) != len(character) {
				break
			}
			for _, b := range character {
				r.weights = append(r.weights, uint16(b))
			}
		}
	default:
		r.width = 2
		r.space = uint16(max(w.levels[0].pad, 0))
		r.addLevel(&w.levels[0], characters)
	}
	return r.bounds()
}

// addLevel adds the weights of characters up to the first one that may begin a
// contraction, or is ill-formed.
func (r *keyRange) addLevel(l *level, characters [][]byte) {
	for i, character := range characters {
		if l.encoding.wellFormed(character) != len(character) {
			return
		}
		own := l.weightsOf(character)
		others, hasOthers, isBounded := l.otherWeights(characters[i:], own)
		if !hasOthers {
			r.weights = append(r.weights, own...)
			continue
		}
		if isBounded && len(own) > 0 {
			r.next = append(others, own[0])
		}
		return
	}
}

// weightsOf returns the weights of one character.
func (l *level) weightsOf(character []byte) []uint16 {
	var out weightBuffer
	_, count := l.next(character, 0, &out)
	return append([]uint16(nil), out[:count]...)
}

// otherWeights returns the first weights that a string can have, instead of
// own, where it matches the first of the characters. The weights are not
// bounded if a contraction has none.
func (l *level) otherWeights(characters [][]byte, own []uint16) (others []uint16, hasOthers, isBounded bool) {
	if l.kind == kindGB18030 {
		others = l.gb18030.otherWeights(characters[0])
		return others, others != nil, true
	}
	if l.contractions == nil {
		return nil, false, true
	}
	var next [][]uint16
	for _, character := range characters[1:min(len(characters), maxContraction)] {
		next = append(next, l.weightsOf(character))
	}
	isBounded = true
	first, isFirst := uint32(0), false
	for i := range l.contractions.records {
		record := &l.contractions.records[i]
		if i == 0 || record.codePoints[0] != first {
			first = record.codePoints[0]
			isFirst = l.weigh(first, own)
		}
		if !isFirst || !l.continueWith(record.codePoints[1:record.count], next) {
			continue
		}
		hasOthers = true
		var out weightBuffer
		if l.uca.expand(0, record.entries[l.index], out[:]) == 0 {
			isBounded = false
		} else {
			others = append(others, out[0])
		}
	}
	return others, hasOthers, isBounded
}

// weigh reports whether a code point has these weights.
func (l *level) weigh(codePoint uint32, weights []uint16) bool {
	var out weightBuffer
	return slices.Equal(out[:l.uca.weights(codePoint, out[:])], weights)
}

// continueWith reports whether a string can have these code points where it
// matches characters with the weights of next.
func (l *level) continueWith(codePoints []uint32, next [][]uint16) bool {
	for i, codePoint := range codePoints {
		if i < len(next) && !l.weigh(codePoint, next[i]) {
			return false
		}
	}
	return true
}

// otherWeights returns the weight of characters that match this one in LIKE and
// compare as different: longer ones whose capital has one byte.
func (t *gb18030Table) otherWeights(character []byte) []uint16 {
	if len(character) == 1 {
		if t.matchesOthers(character) {
			return []uint16{0x8000 | uint16(t.singles[character[0]])}
		}
	} else if weight := t.weight(character); weight < 0x100 {
		return []uint16{uint16(weight) << 8}
	}
	return nil
}

// bounds returns the bounds of keys that begin with the weights.
func (r *keyRange) bounds() (low, high []byte) {
	if r.isPad {
		// How spaces at the end are written depends on the weight after them.
		kept := len(r.weights)
		for kept > 0 && r.weights[kept-1] == r.space {
			kept--
		}
		if kept < len(r.weights) {
			r.weights, r.next = r.weights[:kept], []uint16{r.space}
		}
	}
	var key []byte
	for _, weight := range r.weights {
		key = appendKeyWeight(key, r.width, weight)
	}
	if r.isPad {
		key = markSpaces(key, 0, r.width, r.space)
	}
	if len(r.next) == 0 {
		return key, successor(key)
	}
	least := func(weight uint16) uint16 {
		if r.isPad && weight == r.space {
			return below(r.space)
		}
		return weight
	}
	first := least(r.next[0])
	for _, weight := range r.next {
		first = min(first, least(weight))
	}
	low = appendKeyWeight(slices.Clone(key), r.width, first)
	return low, successor(appendKeyWeight(key, r.width, slices.Max(r.next)))
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
