package mysqlcollation

import (
	"bytes"
	"math/big"
	"slices"
	"sort"
)

// An Alphabet has characters in the order of a collation, from which strings
// between other strings are made: split points of a key range, and upper bounds
// of prefixes. It is immutable.
//
// Each character has weights at the primary level, no two have the same, and
// none is part of a contraction. All are greater than a space.
type Alphabet struct {
	collation *Collation
	letters   []letter
}

type letter struct {
	// weights are those of the primary level.
	weights []uint32
	bytes   []byte
}

// maxDepth is the number of characters after the first difference of two
// strings, up to which a string between them is searched for.
const maxDepth = 16

// NewAlphabet chooses from the characters of a string. Characters that the
// collation's character set lacks are left out. Of characters with equal
// weights, the least is kept. For even parts of a table's rows, give the
// characters that occur in them.
func NewAlphabet(c *Collation, characters string) *Alphabet {
	a := &Alphabet{collation: c}
	space, _ := c.letter(' ')
	for _, character := range characters {
		if c.isContracted(uint32(character)) {
			continue
		}
		if l, ok := c.letter(character); ok && slices.Compare(l.weights, space.weights) > 0 {
			a.letters = append(a.letters, l)
		}
	}
	slices.SortFunc(a.letters, func(x, y letter) int {
		if order := slices.Compare(x.weights, y.weights); order != 0 {
			return order
		}
		if order := c.Compare(x.bytes, y.bytes); order != 0 {
			return order
		}
		return bytes.Compare(x.bytes, y.bytes)
	})
	// A letter whose weights begin with those of another would sort among its
	// strings.
	kept := a.letters[:0]
	for _, l := range a.letters {
		if len(kept) == 0 || !hasPrefix(l.weights, kept[len(kept)-1].weights) {
			kept = append(kept, l)
		}
	}
	a.letters = kept
	return a
}

func hasPrefix(weights, prefix []uint32) bool {
	return len(weights) >= len(prefix) && slices.Equal(weights[:len(prefix)], prefix)
}

// letter returns a character with its weights, and false if the character set
// lacks it or it has none.
func (c *Collation) letter(character rune) (letter, bool) {
	w := c.weights()
	encoded, ok := w.encoding.encode(uint32(character))
	if !ok {
		return letter{}, false
	}
	weights := c.primaryWeights(encoded)
	return letter{weights: weights, bytes: encoded}, len(weights) > 0
}

// isContracted reports whether a code point is part of a contraction.
func (c *Collation) isContracted(codePoint uint32) bool {
	switch w := c.weights(); {
	case c.kind == kindCzechWords || c.kind == kindCzechPasses:
		return codePoint == 'C' || codePoint == 'c' || codePoint == 'H' || codePoint == 'h'
	case w.uca != nil && w.uca.contractions != nil:
		return w.uca.contractions.first.has(codePoint) || w.uca.contractions.later.has(codePoint)
	}
	return false
}

// primaryWeights returns the weights of a text at the primary level. Those of
// kindCharacters and kindGB18030 are bytes.
func (c *Collation) primaryWeights(text []byte) []uint32 {
	w := c.weights()
	var all []uint32
	addBytes := func(weights []byte) {
		for _, weight := range weights {
			all = append(all, uint32(weight))
		}
	}
	switch {
	case w.text != nil:
		if len(text) > 0 {
			addBytes(w.text.appendKey(nil, text))
		}
		return all
	case w.bytes != nil:
		for _, b := range text {
			all = append(all, uint32(w.bytes[b]))
		}
		return all
	}
	var out weightBuffer
	for l, at := &w.levels[0], 0; at < len(text); {
		n, count := l.next(text, at, &out)
		switch c.kind {
		case kindCharacters, kindGB18030:
			addBytes(l.characterWeights(text[at : at+n]))
		case kindNumbers, kindFolding, kindSimple:
			all = append(all, joinWeights(out[:count], c.kind))
		default:
			for _, weight := range out[:count] {
				all = append(all, uint32(weight))
			}
		}
		at += n
	}
	return all
}

// joinWeights returns the weight that a level divides into words.
func joinWeights(words []uint16, kind weightKind) uint32 {
	switch {
	case len(words) == 3:
		return uint32(words[1])<<16 | uint32(words[2])
	case len(words) == 2 && kind == kindSimple && words[1] > 0:
		// An ill-formed byte.
		return 0x10000 | uint32(words[1]-1)
	}
	return uint32(words[0])
}

// characterWeights returns the weight of a character in bytes.
func (l *level) characterWeights(character []byte) []byte {
	if l.encoding.wellFormed(character) == 0 {
		return []byte{0xFF, 0xFF, character[0], 0}
	}
	if l.kind == kindGB18030 {
		weight := l.gb18030.appendReported(nil, character)
		if len(character) > 1 && len(weight) == 1 {
			return []byte{0x80, weight[0]}
		}
		return weight
	}
	switch len(character) {
	case 1:
		return []byte{l.characters.singles[character[0]]}
	case 2:
		weight := l.characters.doubleWeight(character[0], character[1])
		return []byte{byte(weight >> 8), byte(weight)}
	}
	return character
}

// Len returns the number of characters.
func (a *Alphabet) Len() int { return len(a.letters) }

// Split returns up to parts - 1 strings in ascending order, each greater than
// low and less than high. They divide the range into parts of about the same
// size, counted in strings of the alphabet. It returns fewer strings if there
// are not enough between low and high, and none unless low is less than high.
func (a *Alphabet) Split(low, high []byte, parts int) [][]byte {
	if parts < 2 || len(a.letters) < 2 || a.collation.Compare(low, high) >= 0 {
		return nil
	}
	from, to := a.digits(low), a.digits(high)
	common := 0
	for common < len(from) && common < len(to) && from[common] == to[common] {
		common++
	}
	var best [][]byte
	for depth := 1; depth <= maxDepth && len(best) < parts-1; depth++ {
		found := a.splitAtDepth(low, high, a.number(from, common+depth), a.number(to, common+depth), common+depth, parts)
		if len(found) > len(best) {
			best = found
		}
	}
	return best
}

// Between returns a string that is greater than low and less than high, about
// halfway, or nil if none is found.
func (a *Alphabet) Between(low, high []byte) []byte {
	if found := a.Split(low, high, 2); found != nil {
		return found[0]
	}
	return nil
}

// splitAtDepth splits with strings of at most length characters.
func (a *Alphabet) splitAtDepth(low, high []byte, from, to *big.Int, length, parts int) [][]byte {
	difference := new(big.Int).Sub(to, from)
	if difference.Sign() < 0 {
		difference.SetInt64(0)
	}
	var found [][]byte
	before := low
	for part := 1; part < parts; part++ {
		step := new(big.Int).Mul(difference, big.NewInt(int64(part)))
		step.Quo(step, big.NewInt(int64(parts)))
		text := a.text(step.Add(step, from), length)
		if a.collation.Compare(before, text) < 0 && a.collation.Compare(text, high) < 0 {
			found = append(found, text)
			before = text
		}
	}
	return found
}

// PrefixUpperBound returns a string that is greater than every string that
// begins with prefix, as [Collation.StartsWith] decides, or nil if the alphabet
// has none. Strings between prefix and the bound need not begin with prefix.
func (a *Alphabet) PrefixUpperBound(prefix []byte) []byte {
	c := a.collation
	_, end := c.PrefixRange(prefix)
	if end == nil {
		return nil
	}
	var starts []int
	for at := 0; at < len(prefix); at += c.weights().encoding.length(prefix[at:]) {
		starts = append(starts, at)
	}
	for _, start := range slices.Backward(starts) {
		with := func(i int) []byte { return append(slices.Clone(prefix[:start]), a.letters[i].bytes...) }
		found := sort.Search(len(a.letters), func(i int) bool {
			return bytes.Compare(c.AppendSortKey(nil, with(i)), end) >= 0
		})
		if found < len(a.letters) {
			return with(found)
		}
	}
	return nil
}

// digits returns for each character of a text the index of the last letter up
// to it: 0 for a character before all letters. It ends after a character that
// is not a letter.
func (a *Alphabet) digits(text []byte) []int {
	var digits []int
	for rest := a.collation.primaryWeights(text); len(rest) > 0; {
		after := sort.Search(len(a.letters), func(i int) bool { return slices.Compare(a.letters[i].weights, rest) > 0 })
		index := max(after-1, 0)
		digits = append(digits, index)
		if !hasPrefix(rest, a.letters[index].weights) {
			break
		}
		rest = rest[len(a.letters[index].weights):]
	}
	return digits
}

// number returns digits as a number of as many digits as length.
func (a *Alphabet) number(digits []int, length int) *big.Int {
	base := big.NewInt(int64(len(a.letters)))
	number := new(big.Int)
	for i := range length {
		number.Mul(number, base)
		if i < len(digits) {
			number.Add(number, big.NewInt(int64(digits[i])))
		}
	}
	return number
}

// text returns the string of a number, without first letters at its end.
func (a *Alphabet) text(number *big.Int, length int) []byte {
	base := big.NewInt(int64(len(a.letters)))
	digits := make([]int64, length)
	digit := new(big.Int)
	for i := length - 1; i >= 0; i-- {
		number.QuoRem(number, base, digit)
		digits[i] = digit.Int64()
	}
	for len(digits) > 0 && digits[len(digits)-1] == 0 {
		digits = digits[:len(digits)-1]
	}
	text := []byte{}
	for _, digit := range digits {
		text = append(text, a.letters[digit].bytes...)
	}
	return text
}
