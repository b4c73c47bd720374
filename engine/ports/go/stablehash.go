package mysqlcollation

import (
	"encoding/binary"
	"math/bits"
)

// StableHash returns a hash that no version of the package changes, for
// partitions, sharding and stored values: XXH64 of the weights, with a seed. It
// is the Rust library's stable_hash. Equal strings have equal hashes.
func (c *Collation) StableHash(s []byte, seed uint64) uint64 {
	w := c.weights()
	switch {
	case w.bytes != nil:
		return xxh64(c.trimmed(w.appendBytes(nil, s), w.bytes[' ']), seed)
	case w.text != nil:
		return xxh64(c.trimmed(w.text.appendKey(nil, s), ' '), seed)
	case c.kind == kindNumbers && w.encoding.decoding == decodeUTF8:
		return xxh64(c.trimmed(s, ' '), seed)
	}
	var mark wrappedMark
	if c.wrapsFirstMark {
		mark = findWrappedMark(&w.levels[0], s)
	}
	return xxh64(w.appendLevels(nil, s, mark, true), seed)
}

// appendBytes appends the weight of each byte.
func (w *weights) appendBytes(dst, s []byte) []byte {
	for _, b := range s {
		dst = append(dst, w.bytes[b])
	}
	return dst
}

// appendLevels appends the weights of all levels, each after the first after
// 00 00. With trims, those of spaces at the end of levels that pad are left
// out.
func (w *weights) appendLevels(dst, s []byte, mark wrappedMark, trims bool) []byte {
	for i := range w.levels {
		if i > 0 {
			dst = append(dst, 0, 0)
		}
		dst = w.levels[i].appendFed(dst, s, mark, trims)
	}
	return dst
}

// trimmed returns weights without those of spaces at the end, under PAD SPACE.
func (c *Collation) trimmed(weights []byte, space byte) []byte {
	for c.pads[primary] && len(weights) > 0 && weights[len(weights)-1] == space {
		weights = weights[:len(weights)-1]
	}
	return weights
}

// appendFed appends the weights of a text. With trims, those of spaces at the
// end are left out if the level pads.
func (l *level) appendFed(dst, text []byte, mark wrappedMark, trims bool) []byte {
	c := cursor{level: l, text: text, mark: mark}
	kept := len(dst)
	for {
		weight, ok := c.weight()
		if !ok {
			return dst[:kept]
		}
		dst = append(dst, byte(weight>>8), byte(weight))
		if !trims || int(weight) != l.pad {
			kept = len(dst)
		}
	}
}

// Primes of XXH64.
const (
	prime1 = 0x9E3779B185EBCA87
	prime2 = 0xC2B2AE3D27D4EB4F
	prime3 = 0x165667B19E3779F9
	prime4 = 0x85EBCA77C2B2AE63
	prime5 = 0x27D4EB2F165667C5
)

// xxh64 is XXH64, as its specification describes it.
func xxh64(input []byte, seed uint64) uint64 {
	rest := input
	hash := seed + prime5
	if len(input) >= 32 {
		lanes := [4]uint64{seed + prime1, seed + prime2, seed, seed - prime1}
		lanes[0] += prime2
		for ; len(rest) >= 32; rest = rest[32:] {
			for i := range lanes {
				lanes[i] = xxhRound(lanes[i], binary.LittleEndian.Uint64(rest[8*i:]))
			}
		}
		hash = bits.RotateLeft64(lanes[0], 1) + bits.RotateLeft64(lanes[1], 7) +
			bits.RotateLeft64(lanes[2], 12) + bits.RotateLeft64(lanes[3], 18)
		for _, lane := range lanes {
			hash = (hash^xxhRound(0, lane))*prime1 + prime4
		}
	}
	hash += uint64(len(input))
	for ; len(rest) >= 8; rest = rest[8:] {
		hash = bits.RotateLeft64(hash^xxhRound(0, binary.LittleEndian.Uint64(rest)), 27)*prime1 + prime4
	}
	if len(rest) >= 4 {
		hash = bits.RotateLeft64(hash^uint64(binary.LittleEndian.Uint32(rest))*prime1, 23)*prime2 + prime3
		rest = rest[4:]
	}
	for _, b := range rest {
		hash = bits.RotateLeft64(hash^uint64(b)*prime5, 11) * prime1
	}
	hash = (hash ^ hash>>33) * prime2
	hash = (hash ^ hash>>29) * prime3
	return hash ^ hash>>32
}

func xxhRound(lane, word uint64) uint64 {
	return bits.RotateLeft64(lane+word*prime2, 31) * prime1
}
