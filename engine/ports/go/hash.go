package mysqlcollation

import "math/bits"

const (
	// hashFactor and hashSeed are digits of pi's fraction. The factor is odd.
	hashFactor = 0x243F6A8885A308D3
	hashSeed   = 0x13198A2E03707344
	// hashBatch is the number of weights mixed by one multiplication.
	hashBatch = 8
)

// hashState is the unfinished hash of the weights of a string's levels.
type hashState struct {
	hash    uint64
	pending [hashBatch]uint16
	// count is the number of weights of the current level.
	count uint64
}

// Hash returns a hash. Equal strings have equal hashes. It does not resist
// deliberate collisions, and can change between versions of the package. For
// maps with keys from outside, take the sort key as a string.
func (c *Collation) Hash(s []byte) uint64 {
	w := c.weights()
	switch {
	case w.bytes != nil:
		return hashBytes(w.bytes, c.pads[primary], s)
	case w.text != nil:
		var key [maxShortKey]byte
		return hashBytes(&identity, c.pads[primary], w.text.appendKey(key[:0], s))
	case c.kind == kindNumbers && w.encoding.decoding == decodeUTF8:
		// Strings are equal if their bytes are, except for trailing spaces.
		return hashBytes(&identity, c.pads[primary], s)
	}
	var mark wrappedMark
	if c.wrapsFirstMark {
		mark = findWrappedMark(&w.levels[0], s)
	}
	state := hashState{hash: hashSeed}
	for i := range w.levels {
		state.addLevel(&w.levels[i], s, mark)
		state.endLevel()
	}
	return state.hash
}

func (h *hashState) mix(first, second uint64) {
	high, low := bits.Mul64(h.hash^first, hashFactor^second)
	h.hash = low ^ high ^ bits.RotateLeft64(second, 32)
}

func (h *hashState) mixPending() {
	p := &h.pending
	word := func(a, b, c, d uint16) uint64 {
		return uint64(a)<<48 | uint64(b)<<32 | uint64(c)<<16 | uint64(d)
	}
	h.mix(word(p[0], p[1], p[2], p[3]), word(p[4], p[5], p[6], p[7]))
	h.pending = [hashBatch]uint16{}
}

func (h *hashState) add(weight uint16) {
	at := h.count % hashBatch
	h.pending[at] = weight
	h.count++
	if at == hashBatch-1 {
		h.mixPending()
	}
}

// addLevel adds the weights of a level. Under PAD SPACE, trailing spaces are
// left out.
func (h *hashState) addLevel(l *level, s []byte, mark wrappedMark) {
	c := cursor{level: l, text: s, mark: mark}
	spaces := 0
	for weight, ok := c.weight(); ok; weight, ok = c.weight() {
		if int(weight) == l.pad {
			spaces++
			continue
		}
		for ; spaces > 0; spaces-- {
			h.add(uint16(l.pad))
		}
		h.add(weight)
	}
}

// endLevel mixes the pending weights and the number of all weights of a level.
func (h *hashState) endLevel() {
	h.mixPending()
	factor := uint64(hashFactor)
	h.mix(h.count, bits.RotateLeft64(factor, 1))
	h.count = 0
}

// hashBytes returns the hash of a string whose bytes have weights.
func hashBytes(weights *[256]byte, isPadded bool, s []byte) uint64 {
	if isPadded {
		for len(s) > 0 && weights[s[len(s)-1]] == weights[' '] {
			s = s[:len(s)-1]
		}
	}
	word := func(bytes []byte) (word uint64) {
		for _, b := range bytes {
			word = word<<8 | uint64(weights[b])
		}
		return word
	}
	state := hashState{hash: hashSeed}
	rest := s
	for ; len(rest) >= 16; rest = rest[16:] {
		state.mix(word(rest[:8]), word(rest[8:16]))
	}
	half := min(len(rest), 8)
	state.mix(word(rest[:half]), word(rest[half:]))
	factor := uint64(hashFactor)
	state.mix(uint64(len(s)), bits.RotateLeft64(factor, 1))
	return state.hash
}
