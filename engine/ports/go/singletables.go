package mysqlcollation

// plane has a weight for each of 65,536 code points. A page without changes
// is nil: its code points are their own weights.
type plane [256]*page

// readPlane reads code points with their weights.
func readPlane(words []uint16) *plane {
	p := &plane{}
	for i := 0; i+1 < len(words); i += 2 {
		codePoint := words[i]
		number := codePoint >> 8
		if p[number] == nil {
			p[number] = &page{}
			for low := range p[number] {
				p[number][low] = number<<8 | uint16(low)
			}
		}
		p[number][codePoint&0xFF] = words[i+1]
	}
	return p
}

func (p *plane) weight(codePoint uint16) uint16 {
	if page := p[codePoint>>8]; page != nil {
		return page[codePoint&0xFF]
	}
	return codePoint
}

// simpleTable has one weight for each code point of the Basic Multilingual
// Plane, and one for all others.
type simpleTable struct {
	plane  *plane
	beyond uint16
}

func readSimpleTable(in *reader) *simpleTable {
	beyond := in.word()
	return &simpleTable{beyond: beyond, plane: readPlane(in.words(len(in.rest) / 2))}
}

func (t *simpleTable) weight(codePoint uint32) uint16 {
	if codePoint > 0xFFFF {
		return t.beyond
	}
	return t.plane.weight(uint16(codePoint))
}

// foldingTable maps code points to code points with their case folded.
type foldingTable struct {
	planes [2]*plane
}

func readFoldingTable(in *reader) *foldingTable {
	first := readPlane(in.words(2 * in.count()))
	return &foldingTable{planes: [2]*plane{first, readPlane(in.words(len(in.rest) / 2))}}
}

func (t *foldingTable) weight(codePoint uint32) uint32 {
	if number := codePoint >> 16; number < 2 {
		return number<<16 | uint32(t.planes[number].weight(uint16(codePoint)))
	}
	return codePoint
}
