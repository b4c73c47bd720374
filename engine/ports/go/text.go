package mysqlcollation

import "bytes"

// textTable weighs a text as a whole: Czech in several passes, Thai with
// moved vowels and marks. Keys compare bytewise as the texts compare.
type textTable struct {
	kind weightKind
	// passes is the number of weights of a byte.
	passes int
	// weights has passes bytes for each byte, then for each Czech sequence.
	weights []byte
	// like has the weights of bytes in LIKE.
	like *[256]byte
	// endsAtZero ends a Thai key at its first zero.
	endsAtZero bool
}

// czechSequences are the contractions of Czech: cH is none.
var czechSequences = [...]string{"CH", "Ch", "ch"}

func readTextTable(in *reader, kind weightKind, parameter byte) *textTable {
	t := &textTable{kind: kind, endsAtZero: parameter != 0}
	switch kind {
	case kindCzechWords:
		t.passes = 4
	case kindCzechPasses:
		t.passes = 2
	case kindThai:
		t.weights = in.bytes(256)
		t.like = (*[256]byte)(in.bytes(256))
		return t
	}
	t.weights = in.bytes(t.passes * (256 + len(czechSequences)))
	t.like = &identity
	return t
}

// identity has the bytes themselves.
var identity = func() (all [256]byte) {
	for i := range all {
		all[i] = byte(i)
	}
	return all
}()

// maxShortKey is the room for a key on the stack.
const maxShortKey = 512

// appendKey appends the key of a text.
func (t *textTable) appendKey(dst, text []byte) []byte {
	switch t.kind {
	case kindCzechWords:
		return t.appendWordsKey(dst, bytes.TrimRight(text, " \t"))
	case kindCzechPasses:
		text = bytes.TrimRight(text, " ")
		dst = append(t.appendPass(dst, text, 0), 0)
		return t.appendPass(dst, text, 1)
	}
	from := len(dst)
	dst = t.appendThai(dst, text)
	if t.endsAtZero {
		if end := bytes.IndexByte(dst[from:], 0); end >= 0 {
			dst = dst[:from+end]
		}
	}
	return dst
}

// next returns the weights of the character or sequence at a position, its
// length, and whether it is a space or a tab.
func (t *textTable) next(text []byte, at int) (weights []byte, n int, isSpace bool) {
	index, n := int(text[at]), 1
	if at+1 < len(text) {
		for i, sequence := range czechSequences {
			if text[at] == sequence[0] && text[at+1] == sequence[1] {
				index, n = 256+i, 2
			}
		}
	}
	return t.weights[t.passes*index:][:t.passes], n, n == 1 && (text[at] == ' ' || text[at] == '\t')
}

func (t *textTable) appendPass(dst, text []byte, pass int) []byte {
	for at := 0; at < len(text); {
		weights, n, _ := t.next(text, at)
		dst = append(dst, weights[pass])
		at += n
	}
	return dst
}

// Bytes of a key of latin2_czech_cs. czechWord ends a word and represents
// a space or tab in the last pass.
const (
	czechWord = 2
	czechPass = 1
	czechEnd  = 0
)

// appendWordsKey appends a key of latin2_czech_cs: the letters and the accents
// word by word, the case of the whole text, its other characters.
func (t *textTable) appendWordsKey(dst, text []byte) []byte {
	word, inSpaces := 0, false
	for at := 0; at < len(text); {
		weights, n, isSpace := t.next(text, at)
		if isSpace && !inSpaces {
			dst = append(dst, czechWord)
			dst = append(t.appendAccents(dst, text[word:at]), czechWord)
			word = at
		}
		inSpaces = isSpace
		dst = appendWeight(dst, weights[0])
		at += n
	}
	dst = append(dst, czechPass)
	dst = append(t.appendAccents(dst, text[word:]), czechPass)
	inSpaces = false
	for at := 0; at < len(text); {
		weights, n, isSpace := t.next(text, at)
		if isSpace && !inSpaces {
			dst = append(dst, czechWord)
		}
		inSpaces = isSpace
		dst = appendWeight(dst, weights[2])
		at += n
	}
	dst = append(dst, czechPass)
	for at := 0; at < len(text); {
		weights, n, isSpace := t.next(text, at)
		if isSpace {
			dst = append(dst, czechWord)
		} else {
			dst = appendWeight(dst, weights[3])
		}
		at += n
	}
	return append(dst, czechEnd)
}

func (t *textTable) appendAccents(dst, text []byte) []byte {
	for at := 0; at < len(text); {
		weights, n, _ := t.next(text, at)
		dst = appendWeight(dst, weights[1])
		at += n
	}
	return dst
}

func appendWeight(dst []byte, weight byte) []byte {
	if weight == 0 {
		return dst
	}
	return append(dst, weight)
}

func isThaiConsonant(b byte) bool    { return isBetween(b, 0xA1, 0xCE) }
func isThaiLeadingVowel(b byte) bool { return isBetween(b, 0xE0, 0xE4) }
func isThaiMark(b byte) bool         { return isBetween(b, 0xE7, 0xEC) }

// thaiPlace is the amount by which each consonant, or byte below 0x80, before
// a mark reduces the weight of the mark. The consonant of a leading vowel
// doesn't count.
const thaiPlace = 8

// appendThai appends the weights of Thai, as many as the text has bytes. A
// leading vowel changes places with its consonant. A mark is removed, and its
// weight replaces the last byte. As in the servers, only the weight of the
// last mark remains, and the bytes at the end are not cleared.
func (t *textTable) appendThai(dst, text []byte) []byte {
	from := len(dst)
	dst = append(dst, text...)
	key := dst[from:]
	at, rest, place := 0, len(text), byte(0)
	for rest > 0 {
		switch b := key[at]; {
		case b < 0x80:
			place += thaiPlace
			key[at] = t.weights[b]
		case isThaiConsonant(b):
			place += thaiPlace
		case isThaiLeadingVowel(b) && rest > 1 && isThaiConsonant(key[at+1]):
			key[at], key[at+1] = key[at+1], key[at]
			at++
			rest--
		case isThaiMark(b):
			copy(key[at:], key[at+1:at+rest])
			key[len(key)-1] = t.weights[b] - place
			rest--
			continue
		}
		at++
		rest--
	}
	return dst
}

// appendWeightString appends WEIGHT_STRING of a text.
func (t *textTable) appendWeightString(dst, text []byte, flavour Flavour) []byte {
	switch {
	case t.kind == kindCzechWords:
		return t.appendKey(dst, text)
	case t.kind == kindCzechPasses:
		return t.appendPass(t.appendPass(dst, text, 0), text, 1)
	case flavour == MySQL:
		// MySQL's has spaces from the first zero on, although comparisons use
		// the text after the zero.
		end := len(text)
		if zero := bytes.IndexByte(text, 0); zero >= 0 {
			end = zero
		}
		dst = t.appendThai(dst, text[:end])
		for range len(text) - end {
			dst = append(dst, ' ')
		}
		return dst
	}
	return t.appendThai(dst, text)
}
