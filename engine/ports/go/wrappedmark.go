package mysqlcollation

// wrappedMark follows a fault of MySQL's Japanese collations, because keys of
// servers hold it. A mark that repeats or prolongs the kana before it has
// special weights: the two are a contraction. MySQL reads a text once per
// level, and keeps the last character of the text when it begins the next
// level. Beyond the primary level, a mark at the start of a text therefore has
// the weights that it has after the text's last character. The contraction is
// nil for nearly all texts.
type wrappedMark struct {
	last        uint32
	contraction *contraction
}

// findWrappedMark finds the contraction of a text's last character with its
// first. The levels are those of a collation that wraps marks.
func findWrappedMark(l *level, text []byte) wrappedMark {
	// The marks have three bytes in UTF-8.
	if len(text) < 3 || text[0]&0xF0 != 0xE0 {
		return wrappedMark{}
	}
	first, n := l.encoding.decode(text, 0)
	if n == 0 || l.contractions == nil || !l.contractions.later.has(first) {
		return wrappedMark{}
	}
	last := first
	for at := n; ; at += n {
		var codePoint uint32
		if codePoint, n = l.encoding.decode(text, at); n == 0 {
			break
		}
		last = codePoint
	}
	at := l.contractions.firstRecord(last, first)
	if at < 0 || l.contractions.records[at].count != 2 {
		return wrappedMark{}
	}
	return wrappedMark{last: last, contraction: &l.contractions.records[at]}
}

// weights writes the weights of the first character at a level beyond the
// primary: those of the contraction after those of the last character. It
// returns the length of the character and the number of weights. A contraction
// at the start of the text comes first.
func (m *wrappedMark) weights(l *level, text []byte, out *weightBuffer) (size, count int) {
	codePoint, n := l.encoding.decode(text, 0)
	if found, _ := l.contractions.find(l.encoding, text, 0, codePoint, n); found != nil {
		return l.next(text, 0, out)
	}
	var all, last weightBuffer
	end := l.uca.expand(0, m.contraction.entries[l.index], all[:])
	skipped := l.uca.weights(m.last, last[:])
	if skipped >= end {
		return n, 0
	}
	return n, copy(out[:], all[skipped:end])
}
