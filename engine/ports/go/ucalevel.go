package mysqlcollation

import "sort"

const (
	// pageCount is the number of pages of 256 code points.
	pageCount = 0x1100
	// reorderedPages is the number of pages, from the first, whose reordered
	// entries are resolved when a level is read.
	reorderedPages = 0x340
	// firstSequence is the least entry that refers to a sequence of weights.
	firstSequence = 0xC000
	// firstRule is the least entry that is a rule.
	firstRule = 0xFFF0
)

// Rules of code points.
const (
	ruleUnassigned = firstRule + iota
	ruleHan
	ruleHanExtension
	ruleTangut
	ruleNushu
	ruleKhitan
	ruleHangul
	ruleListed
	ruleReordered
)

// ruleBases has the first code points of the scripts whose implicit weights
// count from there, by rule.
var ruleBases = [...]uint32{ruleTangut - firstRule: 0x17000, ruleNushu - firstRule: 0x1B170, ruleKhitan - firstRule: 0x18B00}

type page = [256]uint16

var emptyPage page

// ucaLevel has the weights of one level by code point.
type ucaLevel struct {
	pages  [pageCount]*page
	parent *ucaLevel
	// sequences has the own sequences, numbered after the parent's.
	sequences     [][]uint16
	firstSequence int
	leads         [6]uint16
	// listed has pages of single weights that an entry can't hold.
	listed  map[uint32]*page
	ranges  [][4]uint16
	uniform [pageCount]bool
	// short has the weights of the code points below U+0800 that have one
	// weight and continue no contraction, and 0 for all others.
	short [0x800]uint16
}

func readLevel(in *reader, parent *ucaLevel) *ucaLevel {
	l := &ucaLevel{parent: parent}
	copy(l.leads[:], in.words(len(l.leads)))
	if parent != nil {
		l.firstSequence = parent.firstSequence + len(parent.sequences)
	}
	ends, weightCount := in.count(), in.count()
	l.readSequences(in.words(ends), in.words(weightCount))
	patched := l.readPages(in)
	l.findUniformPages()
	l.readListed(in)
	if len(in.rest) > 0 {
		for range in.count() {
			l.ranges = append(l.ranges, [4]uint16(in.words(4)))
		}
	}
	l.resolveReordered(patched)
	return l
}

func (l *ucaLevel) readSequences(ends, weights []uint16) {
	start := 0
	for _, end := range ends {
		to := min(max(int(end), start), len(weights))
		l.sequences = append(l.sequences, weights[start:to])
		start = to
	}
}

// readPages reads the directory and the patches. It returns the numbers of
// the patched pages, which are copies.
func (l *ucaLevel) readPages(in *reader) map[int]bool {
	if l.parent != nil {
		l.pages = l.parent.pages
	} else {
		for i := range l.pages {
			l.pages[i] = &emptyPage
		}
	}
	pages := make([]*page, in.count())
	for i := range pages {
		pages[i] = readPage(in)
	}
	for range in.count() {
		first, last, index := in.count(), in.count(), in.count()
		for number := first; number <= last && number < pageCount && index < len(pages); number++ {
			l.pages[number] = pages[index]
		}
	}
	patched := map[int]bool{}
	for range in.count() {
		number, count := in.count(), in.count()
		patches := in.words(2 * count)
		if number >= pageCount {
			continue
		}
		copied := *l.pages[number]
		for i := 0; i+1 < len(patches); i += 2 {
			copied[patches[i]&0xFF] = patches[i+1]
		}
		l.pages[number] = &copied
		patched[number] = true
	}
	return patched
}

func readPage(in *reader) *page {
	return (*page)(in.words(256))
}

func (l *ucaLevel) readListed(in *reader) {
	if len(in.rest) == 0 {
		return
	}
	l.listed = map[uint32]*page{}
	for range in.count() {
		number := uint32(in.word())
		l.listed[number] = readPage(in)
	}
}

func (l *ucaLevel) listedWeight(codePoint uint32) uint16 {
	if p := l.listed[codePoint>>8]; p != nil {
		return p[codePoint&0xFF]
	}
	return 0
}

// findUniformPages finds the pages whose code points LIKE compares by number:
// all have the same entry, or computed weights.
func (l *ucaLevel) findUniformPages() {
	for number, p := range l.pages {
		if number > 0 && l.pages[number-1] == p && p[0] != ruleReordered {
			l.uniform[number] = l.uniform[number-1]
			continue
		}
		l.uniform[number] = isUniform(p) || isAll(p, ruleReordered) && l.parent != nil && l.parent.uniform[number]
	}
}

func isUniform(p *page) bool {
	if p[0] != ruleReordered && isAll(p, p[0]) {
		return true
	}
	for _, entry := range p {
		if entry < firstRule || entry == ruleListed || entry == ruleReordered {
			return false
		}
	}
	return true
}

func isAll(p *page, entry uint16) bool {
	for _, one := range p {
		if one != entry {
			return false
		}
	}
	return true
}

// resolveReordered replaces reordered entries by the weight, where it is a
// single one.
func (l *ucaLevel) resolveReordered(patched map[int]bool) {
	if len(l.ranges) == 0 {
		return
	}
	for number := range l.pages {
		if number >= reorderedPages && !patched[number] || !hasEntry(l.pages[number], ruleReordered) {
			continue
		}
		resolved := *l.pages[number]
		for low, entry := range resolved {
			if entry == ruleReordered {
				resolved[low] = l.reorderedEntry(uint32(number<<8 | low))
			}
		}
		l.pages[number] = &resolved
	}
}

func hasEntry(p *page, entry uint16) bool {
	for _, one := range p {
		if one == entry {
			return true
		}
	}
	return false
}

func (l *ucaLevel) reorderedEntry(codePoint uint32) uint16 {
	var weights weightBuffer
	switch n := l.reordered(codePoint, weights[:]); {
	case n == 0:
		return 0
	case n == 1 && weights[0] > 0 && weights[0] < firstSequence:
		return weights[0]
	}
	return ruleReordered
}

// entry returns the entry of a code point up to U+10FFFF.
func (l *ucaLevel) entry(codePoint uint32) uint16 {
	if number := codePoint >> 8; number < pageCount {
		return l.pages[number][codePoint&0xFF]
	}
	return 0
}

// weights writes the weights of a code point and returns their number.
func (l *ucaLevel) weights(codePoint uint32, out []uint16) int {
	return l.expand(codePoint, l.entry(codePoint), out)
}

// expand writes the weights of an entry and returns their number.
func (l *ucaLevel) expand(codePoint uint32, entry uint16, out []uint16) int {
	switch {
	case entry == 0:
		return 0
	case entry < firstSequence:
		return put(out, entry)
	case entry < firstRule:
		return copy(out, l.sequence(int(entry)-firstSequence))
	}
	switch entry {
	case ruleHangul:
		return l.hangul(codePoint, out)
	case ruleListed:
		return put(out, l.listedWeight(codePoint))
	case ruleReordered:
		return l.reordered(codePoint, out)
	}
	return l.implicit(entry, codePoint, out)
}

func (l *ucaLevel) sequence(number int) []uint16 {
	for ; l != nil; l = l.parent {
		if own := number - l.firstSequence; own >= 0 {
			if own < len(l.sequences) {
				return l.sequences[own]
			}
			return nil
		}
	}
	return nil
}

// implicit writes the two implicit weights of a code point (UTS #10, 10.1.3).
func (l *ucaLevel) implicit(rule uint16, codePoint uint32, out []uint16) int {
	switch rule {
	case ruleUnassigned, ruleHan, ruleHanExtension:
		return put(out, l.leads[rule-firstRule]+uint16(codePoint>>15), uint16(codePoint)&0x7FFF|0x8000)
	case ruleTangut, ruleNushu, ruleKhitan:
		return put(out, l.leads[rule-firstRule], uint16(codePoint-ruleBases[rule-firstRule])&0x7FFF|0x8000)
	}
	return put(out, 0, 0)
}

// put writes as many weights as there is room for.
func put(out []uint16, weights ...uint16) int { return copy(out, weights) }

// hangul writes the weights of the letters of a syllable (Unicode, "Conjoining
// Jamo Behavior").
func (l *ucaLevel) hangul(codePoint uint32, out []uint16) int {
	index := codePoint - 0xAC00
	if index >= 19*21*28 {
		return 0
	}
	letters := [3]uint32{0x1100 + index/(21*28), 0x1161 + index/28%21, 0x11A7 + index%28}
	count := 3
	if index%28 == 0 {
		count = 2
	}
	n := 0
	for _, letter := range letters[:count] {
		// A letter is no syllable, so that the depth is one.
		n += l.weights(letter, out[n:])
	}
	return n
}

// reordered writes the parent's weights of a code point, moved, and returns
// their number.
func (l *ucaLevel) reordered(codePoint uint32, out []uint16) int {
	if l.parent == nil {
		return 0
	}
	var weights weightBuffer
	count, n := l.parent.weights(codePoint, weights[:]), 0
	add := func(weight uint16) {
		if n < len(out) {
			out[n] = weight
			n++
		}
	}
	for _, weight := range weights[:count] {
		at := sort.Search(len(l.ranges), func(i int) bool { return l.ranges[i][1] >= weight })
		if at < len(l.ranges) && l.ranges[at][0] <= weight {
			if lead := l.ranges[at][2]; lead != 0 {
				add(lead)
			}
			weight += l.ranges[at][3]
		}
		add(weight)
	}
	return n
}

// rootRemainder returns the parent's weights of a code point after as many as
// this level has and one more, followed by zeros.
func (l *ucaLevel) rootRemainder(codePoint uint32) weightBuffer {
	var own, root, rest weightBuffer
	if l.parent == nil {
		return rest
	}
	from := l.weights(codePoint, own[:]) + 1
	if count := l.parent.weights(codePoint, root[:]); from < count {
		copy(rest[:], root[from:count])
	}
	return rest
}

func (l *ucaLevel) setShort(contractions *contractionSet) {
	for codePoint := range l.short {
		entry := l.entry(uint32(codePoint))
		if entry < firstSequence && !(contractions != nil && contractions.later.has(uint32(codePoint))) {
			l.short[codePoint] = entry
		}
	}
}
