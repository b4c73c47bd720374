package mysqlcollation

import (
	"encoding/binary"
	"fmt"
	"sort"
)

// Parameters of a table of characters.
const (
	// parameterReportsPages: characters of two bytes compare by their bytes,
	// and the pages are for WEIGHT_STRING.
	parameterReportsPages = 1
	// parameterFoldsSecond: the second byte has the weight of a character of
	// one byte.
	parameterFoldsSecond = 2
)

// characterTable has the weights of the characters of one and two bytes of a
// multi-byte character set.
type characterTable struct {
	singles *[256]byte
	// doubles is nil if characters of two bytes weigh their bytes.
	doubles *pageTable
	// reported has the weights of WEIGHT_STRING, or is nil.
	reported    *pageTable
	foldsSecond bool
}

func readCharacterTable(in *reader, parameter byte) *characterTable {
	t := &characterTable{singles: (*[256]byte)(in.bytes(256)), foldsSecond: parameter&parameterFoldsSecond != 0}
	if len(in.rest) > 0 {
		t.reported = readPageTable(in)
	}
	if parameter&parameterReportsPages == 0 {
		t.doubles = t.reported
	}
	return t
}

func (t *characterTable) doubleWeight(first, second byte) uint16 {
	switch {
	case t.doubles != nil:
		return t.doubles.get(first, second)
	case t.foldsSecond:
		second = t.singles[second]
	}
	return uint16(first)<<8 | uint16(second)
}

func (t *characterTable) reportedWeight(first, second byte) uint16 {
	if t.reported != nil {
		return t.reported.get(first, second)
	}
	return uint16(first)<<8 | uint16(second)
}

// weights writes the weights of a well-formed character: its server's weight
// in pairs of bytes.
func (t *characterTable) weights(character []byte, out *weightBuffer) int {
	switch len(character) {
	case 1:
		out[0] = uint16(t.singles[character[0]]) << 8
		return 1
	case 2:
		out[0] = t.doubleWeight(character[0], character[1])
		return 1
	}
	out[0] = uint16(character[0])<<8 | uint16(character[1])
	out[1] = uint16(character[2]) << 8
	return 2
}

const (
	// gb18030FirstWeight is the least entry that is a weight.
	gb18030FirstWeight = 0xA1A1
	// gb18030AmongOthers is the entry of a character in the list of other
	// weights.
	gb18030AmongOthers = 0xFFFF
	gb18030Ideographs  = 0xFFA00000
	gb18030FourBytes   = 0xFF000000
)

// gb18030Table has the weights of gb18030_chinese_ci.
type gb18030Table struct {
	singles             *[256]byte
	doubles, quadruples *pageTable
	// others has pairs of a character and its weight.
	others []byte
}

func readGB18030Table(in *reader) (*gb18030Table, error) {
	t := &gb18030Table{singles: (*[256]byte)(in.bytes(256)), doubles: readPageTable(in), quadruples: readPageTable(in)}
	t.others = in.rest
	if in.failed || len(t.others)%8 != 0 {
		return nil, fmt.Errorf("the table of gb18030 is damaged")
	}
	return t, nil
}

// weight returns the weight of a character of two or four bytes.
func (t *gb18030Table) weight(character []byte) uint32 {
	if len(character) == 2 {
		own := uint32(character[0])<<8 | uint32(character[1])
		return t.resolve(t.doubles.get(character[0], character[1]), own, own)
	}
	number := fourByteNumber(character)
	entry := uint16(gb18030AmongOthers)
	if number <= 0xFFFF {
		entry = t.quadruples.get(byte(number>>8), byte(number))
	}
	return t.resolve(entry, bigEndian32(character), gb18030FourBytes+number)
}

func (t *gb18030Table) resolve(entry uint16, key, own uint32) uint32 {
	switch {
	case entry == 0:
		return own
	case entry == gb18030AmongOthers:
		count := len(t.others) / 8
		at := sort.Search(count, func(i int) bool { return binary.BigEndian.Uint32(t.others[8*i:]) >= key })
		if at < count && binary.BigEndian.Uint32(t.others[8*at:]) == key {
			return binary.BigEndian.Uint32(t.others[8*at+4:])
		}
		return own
	case entry >= gb18030FirstWeight:
		return uint32(entry)
	}
	return gb18030Ideographs + uint32(entry)
}

// weights writes the weights of a well-formed character: its weight in pairs
// of bytes. A longer character whose capital has one byte comes after all
// characters of one byte and before all others.
func (t *gb18030Table) weights(character []byte, out *weightBuffer) int {
	if len(character) == 1 {
		out[0] = uint16(t.singles[character[0]]) << 8
		return 1
	}
	switch weight := t.weight(character); {
	case weight < 0x100:
		out[0] = 0x8000 | uint16(weight)
	case weight < 0x10000:
		out[0] = uint16(weight)
	default:
		out[0], out[1] = uint16(weight>>16), uint16(weight)
		return 2
	}
	return 1
}

// appendReported appends the bytes of WEIGHT_STRING for a character or an
// ill-formed byte.
func (t *gb18030Table) appendReported(dst, character []byte) []byte {
	if len(character) == 1 {
		return append(dst, t.singles[character[0]])
	}
	weight := t.weight(character)
	for shift := 24; shift > 0; shift -= 8 {
		if weight>>shift != 0 {
			dst = append(dst, byte(weight>>shift))
		}
	}
	return append(dst, byte(weight))
}

// matchesOthers reports whether a character of one byte matches longer ones in
// LIKE, which compare as different.
func (t *gb18030Table) matchesOthers(character []byte) bool {
	for at := 0; at < len(t.others); at += 8 {
		if weight := binary.BigEndian.Uint32(t.others[at+4:]); weight == uint32(t.singles[character[0]]) {
			return true
		}
	}
	return false
}
