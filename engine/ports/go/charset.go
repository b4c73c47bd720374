package mysqlcollation

// decoding is the way in which a character set is decoded.
type decoding uint8

const (
	decodeBinary decoding = iota
	decodeASCII
	decodeSingleByte
	decodeDoubleByte
	decodeEUCJP
	decodeGB18030
	decodeUTF8
	decodeUCS2
	decodeUTF16
	decodeUTF16LE
	decodeUTF32
)

// Roles of a byte in characters of one and two bytes.
const (
	roleSingle = 1
	roleLead   = 2
	roleTrail  = 4
)

// charset is a character set of the catalogue.
type charset struct {
	name               string
	minBytes, maxBytes int
	decoding           decoding
	sections           [2]int
	roles              []byte
}

func readCharset(in *reader) charset {
	c := charset{name: in.text(), minBytes: int(in.byte()), maxBytes: int(in.byte()), decoding: decoding(in.byte())}
	c.sections = [2]int{in.count(), in.count()}
	if c.decoding == decodeDoubleByte || c.decoding == decodeGB18030 {
		c.roles = in.bytes(256)
	}
	return c
}

// encoding reads the characters of a character set as servers of a flavour do.
type encoding struct {
	decoding decoding
	// longest is the maximum length of a character in bytes.
	longest int
	// surrogates are characters in UTF-8 and UTF-32 of MariaDB.
	surrogates bool
	flavour    Flavour
	roles      *[256]byte
	single     *singleByteTable
	double     doubleByteTable
	// third has the characters of three bytes of EUC for Japanese.
	third *pageTable
	four  *fourByteTable
}

func newEncoding(f dataFile, c *charset, flavour Flavour) (*encoding, error) {
	e := &encoding{decoding: c.decoding, longest: c.maxBytes, surrogates: flavour == MariaDB, flavour: flavour}
	if c.roles != nil {
		e.roles = (*[256]byte)(c.roles)
	}
	var sections [2][]byte
	for i, number := range c.sections {
		if number == 0 {
			continue
		}
		section, err := f.section(number)
		if err != nil {
			return nil, err
		}
		sections[i] = section
	}
	in := &reader{rest: sections[0]}
	switch c.decoding {
	case decodeSingleByte:
		e.single = readSingleByteTable(in)
	case decodeDoubleByte:
		e.double = doubleByteTable{decode: readPageTable(in), encode: readPageTable(in)}
	case decodeEUCJP:
		decode := readPageTable(in)
		e.third = readPageTable(in)
		e.double = doubleByteTable{decode: decode, encode: readPageTable(in)}
	case decodeGB18030:
		e.double = doubleByteTable{decode: readPageTable(in), encode: readPageTable(in)}
		e.four = readFourByteTable(sections[1])
	}
	return e, nil
}

// length returns the length of the character or ill-formed byte at the start
// of text, which must not be empty.
func (e *encoding) length(text []byte) int {
	if n := e.wellFormed(text); n > 0 {
		return n
	}
	return 1
}

// wellFormed returns the length of the character at the start of text, or 0
// if the bytes are ill-formed. The character may be unassigned.
func (e *encoding) wellFormed(text []byte) int {
	if len(text) == 0 {
		return 0
	}
	switch e.decoding {
	case decodeUTF8:
		_, n := e.decodeUTF8(text, 0)
		return n
	case decodeDoubleByte:
		return e.doubleByteLength(text)
	case decodeGB18030:
		if len(text) >= 4 && isBetween(text[0], 0x81, 0xFE) && isBetween(text[1], '0', '9') &&
			isBetween(text[2], 0x81, 0xFE) && isBetween(text[3], '0', '9') {
			return 4
		}
		return e.doubleByteLength(text)
	case decodeEUCJP:
		return eucJPLength(text)
	case decodeUCS2:
		if len(text) >= 2 {
			return 2
		}
		return 0
	case decodeUTF16, decodeUTF16LE:
		return e.utf16Length(text)
	case decodeUTF32:
		if len(text) >= 4 {
			number := bigEndian32(text)
			if number <= 0x10FFFF && (e.surrogates || !isSurrogate(number)) {
				return 4
			}
		}
		return 0
	}
	return 1
}

func (e *encoding) doubleByteLength(text []byte) int {
	if e.roles[text[0]]&roleSingle != 0 {
		return 1
	}
	if len(text) >= 2 && e.roles[text[0]]&roleLead != 0 && e.roles[text[1]]&roleTrail != 0 {
		return 2
	}
	return 0
}

func eucJPLength(text []byte) int {
	first := text[0]
	isEUC := func(at int) bool { return at < len(text) && isBetween(text[at], 0xA1, 0xFE) }
	switch {
	case first < 0x80:
		return 1
	case first == 0x8E && len(text) >= 2 && isBetween(text[1], 0xA1, 0xDF):
		return 2
	case first == 0x8F && isEUC(1) && isEUC(2):
		return 3
	case isBetween(first, 0xA1, 0xFE) && isEUC(1):
		return 2
	}
	return 0
}

func (e *encoding) unit(text []byte) uint32 {
	if e.decoding == decodeUTF16LE {
		return uint32(text[1])<<8 | uint32(text[0])
	}
	return uint32(text[0])<<8 | uint32(text[1])
}

func (e *encoding) utf16Length(text []byte) int {
	if len(text) < 2 {
		return 0
	}
	unit := e.unit(text)
	if !isSurrogate(unit) {
		return 2
	}
	if unit < 0xDC00 && len(text) >= 4 {
		if second := e.unit(text[2:]); second >= 0xDC00 && second < 0xE000 {
			return 4
		}
	}
	return 0
}

// codePoint returns the code point of a well-formed character, and false if
// the character is unassigned.
func (e *encoding) codePoint(character []byte) (uint32, bool) {
	switch e.decoding {
	case decodeBinary:
		return uint32(character[0]), true
	case decodeASCII:
		return uint32(character[0]), character[0] < 0x80
	case decodeSingleByte:
		return e.single.decode(character[0])
	case decodeEUCJP:
		if len(character) == 3 {
			return assigned(e.third.get(character[1], character[2]))
		}
		return e.double.decodeCharacter(character)
	case decodeGB18030:
		if len(character) == 4 {
			return e.four.decode(fourByteNumber(character))
		}
		return e.double.decodeCharacter(character)
	case decodeDoubleByte:
		return e.double.decodeCharacter(character)
	case decodeUTF8:
		codePoint, n := readUTF8(character, 0)
		return codePoint, n > 0
	case decodeUCS2:
		return e.unit(character), true
	case decodeUTF16, decodeUTF16LE:
		if len(character) == 4 {
			return 0x10000 + (e.unit(character)&0x3FF<<10 | e.unit(character[2:])&0x3FF), true
		}
		return e.unit(character), true
	case decodeUTF32:
		return bigEndian32(character), true
	}
	return 0, false
}

// decode returns the code point at a position and its length in bytes, or a
// length of 0 at the end and for ill-formed bytes. An unassigned character is
// U+FFFD.
func (e *encoding) decode(text []byte, at int) (uint32, int) {
	if e.decoding == decodeUTF8 {
		return e.decodeUTF8(text, at)
	}
	if at >= len(text) {
		return 0, 0
	}
	n := e.wellFormed(text[at:])
	if n == 0 {
		return 0, 0
	}
	codePoint, isAssigned := e.codePoint(text[at : at+n])
	if !isAssigned {
		codePoint = 0xFFFD
	}
	return codePoint, n
}

func (e *encoding) decodeUTF8(text []byte, at int) (uint32, int) {
	codePoint, n := readUTF8(text, at)
	if n > e.longest || n == 3 && !e.surrogates && isSurrogate(codePoint) {
		return 0, 0
	}
	return codePoint, n
}

// readUTF8 returns the code point at a position and its length in bytes, or
// a length of 0 at the end and for ill-formed bytes. Surrogates are decoded.
func readUTF8(text []byte, at int) (uint32, int) {
	if at >= len(text) {
		return 0, 0
	}
	rest := text[at:]
	a := rest[0]
	switch {
	case a < 0x80:
		return uint32(a), 1
	case a < 0xC2:
		return 0, 0
	case a < 0xE0:
		if len(rest) >= 2 && isContinuation(rest[1]) {
			return uint32(a&0x1F)<<6 | uint32(rest[1]&0x3F), 2
		}
	case a < 0xF0:
		if len(rest) >= 3 && isContinuation(rest[1]) && isContinuation(rest[2]) && (a > 0xE0 || rest[1] >= 0xA0) {
			return uint32(a&0xF)<<12 | uint32(rest[1]&0x3F)<<6 | uint32(rest[2]&0x3F), 3
		}
	case a < 0xF5:
		if len(rest) >= 4 && isContinuation(rest[1]) && isContinuation(rest[2]) && isContinuation(rest[3]) &&
			(a > 0xF0 || rest[1] >= 0x90) && (a < 0xF4 || rest[1] < 0x90) {
			return uint32(a&7)<<18 | uint32(rest[1]&0x3F)<<12 | uint32(rest[2]&0x3F)<<6 | uint32(rest[3]&0x3F), 4
		}
	}
	return 0, 0
}

func isContinuation(b byte) bool { return b&0xC0 == 0x80 }

func isSurrogate(codePoint uint32) bool { return codePoint >= 0xD800 && codePoint < 0xE000 }

func isBetween(b, first, last byte) bool { return first <= b && b <= last }

func bigEndian32(b []byte) uint32 {
	return uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
}

func assigned(entry uint16) (uint32, bool) { return uint32(entry), entry != 0 }
