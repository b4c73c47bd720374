package mysqlcollation

import (
	"cmp"
	"encoding/binary"
)

// compareShort compares characters with one weight, and skips equal
// characters, in UTF-8. It returns the positions of the characters that need
// another look, or the order. No contraction crosses the positions.
//
// Under a collation with contractions, the last compared characters are given
// back: they have one weight each, or are the same, and no contraction crosses
// their start.
func (l *level) compareShort(a, b []byte, i, j int) (int, int, int) {
	short := l.short
	lastA, lastB := 0, 0
	for i < len(a) && j < len(b) {
		c, d := a[i], b[j]
		if c|d < 0x80 {
			if x := short[c]; x != 0 && x == short[d] {
				i++
				j++
				if l.foldsASCII {
					same := equalFolded(a[i:], b[j:])
					i += same
					j += same
				}
				lastA, lastB = 1, 1
				continue
			}
		} else if x := shortPair(short, a[i:]); x != 0 && x == shortPair(short, b[j:]) {
			i += 2
			j += 2
			lastA, lastB = 2, 2
			continue
		}
		x, m := l.single(a, i, lastA)
		y, n := l.single(b, j, lastB)
		if x == 0 || y == 0 {
			if m = l.equalCharacter(a[i:], b[j:]); m == 0 {
				break
			}
			n = m
		} else if x != y {
			if l.contractions != nil && (l.continues(a, i+m) || l.continues(b, j+n)) {
				break
			}
			return i, j, cmp.Compare(x, y)
		}
		i += m
		j += n
		lastA, lastB = m, n
	}
	if l.contractions != nil {
		return i - lastA, j - lastB, 0
	}
	return i, j, 0
}

// shortPair returns the short weight of a character of two bytes, or 0.
func shortPair(short *[0x800]uint16, text []byte) uint16 {
	if len(text) >= 2 && text[0] >= 0xC2 && text[0] < 0xE0 && isContinuation(text[1]) {
		return short[uint(text[0]&0x1F)<<6|uint(text[1]&0x3F)]
	}
	return 0
}

// single returns the weight and the length of a character, or a weight of 0 if
// it has no single weight or may continue a contraction that the character
// before begins. last is the length of the character before, or 0 if no
// contraction crosses the position.
func (l *level) single(text []byte, at, last int) (uint16, int) {
	codePoint, n := l.encoding.decodeUTF8(text, at)
	if n == 0 {
		return 0, 1
	}
	if l.contractions != nil && last > 0 && l.contractions.later.has(codePoint) {
		if before, _ := l.encoding.decodeUTF8(text, at-last); l.contractions.first.has(before) {
			return 0, n
		}
	}
	switch l.kind {
	case kindUCA:
		if weight := l.uca.entry(codePoint); weight < firstSequence {
			return weight, n
		}
	case kindSimple:
		if weight := l.simple.weight(codePoint); weight != 0xFFFF {
			return weight, n
		}
	case kindFolding:
		if weight := l.folding.weight(codePoint); weight < 0xFFFF {
			return uint16(weight), n
		}
	}
	return 0, n
}

// equalFolded returns the number of bytes, in steps of eight, that are ASCII
// and equal but for the case of letters.
func equalFolded(a, b []byte) int {
	const (
		ones  = 0x0101010101010101
		highs = 0x80 * ones
		cases = 0x20 * ones
	)
	at := 0
	for at+8 <= len(a) && at+8 <= len(b) {
		x, y := binary.LittleEndian.Uint64(a[at:]), binary.LittleEndian.Uint64(b[at:])
		if (x|y)&highs != 0 {
			break
		}
		difference := x ^ y
		lower := x | cases
		letters := (lower + (0x80-'a')*ones) &^ (lower + (0x7F-'z')*ones) & highs
		if difference&^cases != 0 || difference<<2&^letters != 0 {
			break
		}
		at += 8
	}
	return at
}

// equalCharacter returns the length of the character with which both strings
// begin, or 0 if they begin otherwise or with one that continues a
// contraction.
func (l *level) equalCharacter(a, b []byte) int {
	if a[0] != b[0] {
		return 0
	}
	codePoint, n := l.encoding.decodeUTF8(a, 0)
	if n == 0 || len(b) < n || string(a[:n]) != string(b[:n]) {
		return 0
	}
	if l.contractions != nil && l.contractions.later.has(codePoint) {
		return 0
	}
	return n
}
