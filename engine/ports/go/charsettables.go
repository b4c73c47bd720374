package mysqlcollation

import "sort"

// pageTable maps two bytes to a word, in pages by the first byte. The word 0
// is no entry.
type pageTable struct {
	pages [256]struct {
		start       int
		first, last byte
	}
	pool []uint16
}

func readPageTable(in *reader) *pageTable {
	count := int(in.word()) | int(in.word())<<16
	t := &pageTable{}
	for i := range t.pages {
		page := &t.pages[i]
		page.start = in.count()
		page.first = in.byte()
		page.last = in.byte()
	}
	t.pool = in.words(count)
	return t
}

func (t *pageTable) get(first, second byte) uint16 {
	page := &t.pages[first]
	if second < page.first || second > page.last {
		return 0
	}
	if at := page.start + int(second-page.first); at < len(t.pool) {
		return t.pool[at]
	}
	return 0
}

// singleByteTable has the code points of a single-byte character set.
type singleByteTable struct {
	codePoints [256]uint16
	// encoded has the bytes for encoding in the order of their code points.
	encoded []byte
}

func readSingleByteTable(in *reader) *singleByteTable {
	t := &singleByteTable{}
	copy(t.codePoints[:], in.words(256))
	t.encoded = in.rest
	return t
}

func (t *singleByteTable) decode(b byte) (uint32, bool) {
	codePoint := t.codePoints[b]
	return uint32(codePoint), codePoint != 0 || b == 0
}

func (t *singleByteTable) encode(codePoint uint32) ([]byte, bool) {
	at := sort.Search(len(t.encoded), func(i int) bool { return uint32(t.codePoints[t.encoded[i]]) >= codePoint })
	if at < len(t.encoded) && uint32(t.codePoints[t.encoded[at]]) == codePoint {
		return []byte{t.encoded[at]}, true
	}
	return nil, false
}

// doubleByteTable has the characters of one and two bytes.
type doubleByteTable struct {
	decode, encode *pageTable
}

func (t *doubleByteTable) decodeCharacter(character []byte) (uint32, bool) {
	switch len(character) {
	case 1:
		if character[0] == 0 {
			return 0, true
		}
		return assigned(t.decode.get(0, character[0]))
	case 2:
		return assigned(t.decode.get(character[0], character[1]))
	}
	return 0, false
}

// code returns the bytes of a character as a number, below 0x100 for one byte.
func (t *doubleByteTable) code(codePoint uint32) (uint16, bool) {
	if codePoint > 0xFFFF {
		return 0, false
	}
	code := t.encode.get(byte(codePoint>>8), byte(codePoint))
	return code, code != 0 || codePoint == 0
}

// fourByteTable has the runs of consecutive code points among the characters
// of four bytes of GB 18030.
type fourByteTable struct {
	byNumber, byCodePoint []codePointRun
}

type codePointRun struct{ number, codePoint, length uint32 }

// firstSupplementary is the number of 90 30 81 30, which is U+10000.
const firstSupplementary = 189_000

func readFourByteTable(section []byte) *fourByteTable {
	words := toWords(section)
	runs := make([]codePointRun, len(words)/3)
	for i := range runs {
		runs[i] = codePointRun{uint32(words[3*i]), uint32(words[3*i+1]), uint32(words[3*i+2])}
	}
	half := len(runs) / 2
	return &fourByteTable{byNumber: runs[:half], byCodePoint: runs[half:]}
}

// fourByteNumber returns the number of a character of four bytes in the order
// of bytes.
func fourByteNumber(c []byte) uint32 {
	letter := func(b byte) uint32 { return uint32(b - 0x81) }
	digit := func(b byte) uint32 { return uint32(b - '0') }
	return ((letter(c[0])*10+digit(c[1]))*126+letter(c[2]))*10 + digit(c[3])
}

func (t *fourByteTable) decode(number uint32) (uint32, bool) {
	if number >= firstSupplementary {
		codePoint := number - firstSupplementary + 0x10000
		return codePoint, codePoint <= 0x10FFFF
	}
	after := sort.Search(len(t.byNumber), func(i int) bool { return t.byNumber[i].number > number })
	if after == 0 {
		return 0, false
	}
	run := t.byNumber[after-1]
	return run.codePoint + number - run.number, number-run.number < run.length
}

func (t *fourByteTable) encode(codePoint uint32) ([]byte, bool) {
	var number uint32
	if codePoint >= 0x10000 {
		number = codePoint - 0x10000 + firstSupplementary
	} else {
		after := sort.Search(len(t.byCodePoint), func(i int) bool { return t.byCodePoint[i].codePoint > codePoint })
		if after == 0 || codePoint-t.byCodePoint[after-1].codePoint >= t.byCodePoint[after-1].length {
			return nil, false
		}
		run := t.byCodePoint[after-1]
		number = run.number + codePoint - run.codePoint
	}
	return []byte{
		byte(0x81 + number/12_600%126), byte('0' + number/1260%10), byte(0x81 + number/10%126), byte('0' + number%10),
	}, true
}
