package mysqlcollation

import "sort"

const (
	// maxContraction is the maximum number of code points of a contraction.
	maxContraction = 6
	// contractionRemoved marks a contraction of the parent that a table lacks.
	contractionRemoved = 0x8000
)

// contraction is a sequence of code points with its own weights.
type contraction struct {
	codePoints [maxContraction]uint32
	count      int
	entries    [maxLevels]uint16
}

// contractionSet has the contractions of a table.
type contractionSet struct {
	// records are in the order of their code points.
	records []contraction
	// first and later have the code points that begin and continue
	// contractions.
	first, later codePointSet
	// slots is a hash table from the first two code points to the index of
	// the first such record plus one. Its length is a power of two.
	slots []uint32
}

func readContractions(in *reader, parent *contractionSet, levels int) *contractionSet {
	s := &contractionSet{}
	if parent != nil {
		s.records = append(s.records, parent.records...)
	}
	for range in.count() {
		head := in.word()
		record := contraction{count: min(int(head&^contractionRemoved), maxContraction)}
		for i := range record.count {
			record.codePoints[i] = uint32(in.word())<<16 | uint32(in.word())
		}
		for level := range levels {
			entry := in.word()
			if level < maxLevels {
				record.entries[level] = entry
			}
		}
		s.change(record, head&contractionRemoved != 0)
	}
	if len(s.records) == 0 {
		return nil
	}
	s.index()
	return s
}

// change adds, replaces or removes a record.
func (s *contractionSet) change(record contraction, isRemoved bool) {
	at := sort.Search(len(s.records), func(i int) bool { return !isLess(s.records[i].codePoints, record.codePoints) })
	isThere := at < len(s.records) && s.records[at].codePoints == record.codePoints
	switch {
	case isThere && isRemoved:
		s.records = append(s.records[:at], s.records[at+1:]...)
	case isThere:
		s.records[at] = record
	case !isRemoved:
		s.records = append(s.records, contraction{})
		copy(s.records[at+1:], s.records[at:])
		s.records[at] = record
	}
}

func isLess(a, b [maxContraction]uint32) bool {
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

func (s *contractionSet) index() {
	size := 1
	for size < 2*len(s.records) {
		size *= 2
	}
	s.slots = make([]uint32, size)
	for i := range s.records {
		record := &s.records[i]
		s.first.add(record.codePoints[0])
		for _, codePoint := range record.codePoints[1:record.count] {
			s.later.add(codePoint)
		}
		if i > 0 && s.records[i-1].codePoints[0] == record.codePoints[0] && s.records[i-1].codePoints[1] == record.codePoints[1] {
			continue
		}
		slot := s.slot(record.codePoints[0], record.codePoints[1])
		for s.slots[slot] != 0 {
			slot = (slot + 1) & (size - 1)
		}
		s.slots[slot] = uint32(i + 1)
	}
}

func (s *contractionSet) slot(one, other uint32) int {
	return int((one*0x9E3779B1^other*0x85EBCA6B)>>15) & (len(s.slots) - 1)
}

// firstRecord returns the index of the first record that begins with two code
// points, or -1.
func (s *contractionSet) firstRecord(one, other uint32) int {
	for slot := s.slot(one, other); s.slots[slot] != 0; slot = (slot + 1) & (len(s.slots) - 1) {
		at := int(s.slots[slot] - 1)
		if s.records[at].codePoints[0] == one && s.records[at].codePoints[1] == other {
			return at
		}
	}
	return -1
}

// find returns the longest contraction at a position of a text and its length
// in bytes, or nil. The first character has the code point one and n bytes.
func (s *contractionSet) find(e *encoding, text []byte, at int, one uint32, n int) (*contraction, int) {
	if !s.first.has(one) {
		return nil, 0
	}
	other, m := e.decode(text, at+n)
	if m == 0 || !s.later.has(other) {
		return nil, 0
	}
	from := s.firstRecord(one, other)
	if from < 0 {
		return nil, 0
	}
	var found *contraction
	size := 0
	for i := from; i < len(s.records); i++ {
		record := &s.records[i]
		if record.codePoints[0] != one || record.codePoints[1] != other {
			break
		}
		if found != nil && record.count <= found.count {
			continue
		}
		if end := record.end(e, text, at+n+m); end > 0 {
			found, size = record, end-at
		}
	}
	return found, size
}

// end returns the end of the contraction in a text whose first two characters
// match and end at a position, or 0 if a later one doesn't match.
func (c *contraction) end(e *encoding, text []byte, at int) int {
	for _, expected := range c.codePoints[2:c.count] {
		codePoint, n := e.decode(text, at)
		if n == 0 || codePoint != expected {
			return 0
		}
		at += n
	}
	return at
}

// codePointSet is a set of code points in pages of 256.
type codePointSet struct {
	// blocks has the number of a page's block plus one, or 0 for an empty page.
	blocks [pageCount]uint16
	bits   [][4]uint64
}

func (s *codePointSet) add(codePoint uint32) {
	number := codePoint >> 8
	if number >= pageCount {
		return
	}
	if s.blocks[number] == 0 {
		s.bits = append(s.bits, [4]uint64{})
		s.blocks[number] = uint16(len(s.bits))
	}
	s.bits[s.blocks[number]-1][codePoint>>6&3] |= 1 << (codePoint & 63)
}

func (s *codePointSet) has(codePoint uint32) bool {
	number := codePoint >> 8
	if number >= pageCount {
		return false
	}
	block := s.blocks[number]
	return block != 0 && s.bits[block-1][codePoint>>6&3]>>(codePoint&63)&1 == 1
}
