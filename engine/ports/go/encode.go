package mysqlcollation

// encode returns the bytes of a code point as MySQL encodes it, and false if
// the character set lacks it.
func (e *encoding) encode(codePoint uint32) ([]byte, bool) {
	if codePoint > 0x10FFFF || isSurrogate(codePoint) && e.decoding != decodeUCS2 {
		return nil, false
	}
	switch e.decoding {
	case decodeBinary:
		return []byte{byte(codePoint)}, codePoint < 0x100
	case decodeASCII:
		return []byte{byte(codePoint)}, codePoint < 0x80
	case decodeSingleByte:
		return e.single.encode(codePoint)
	case decodeDoubleByte:
		return e.encodeDoubleByte(codePoint)
	case decodeEUCJP:
		return e.encodeEUCJP(codePoint)
	case decodeGB18030:
		if bytes, ok := e.encodeDoubleByte(codePoint); ok {
			return bytes, true
		}
		return e.four.encode(codePoint)
	case decodeUTF8:
		bytes := []byte(string(rune(codePoint)))
		return bytes, len(bytes) <= e.longest
	case decodeUCS2:
		return []byte{byte(codePoint >> 8), byte(codePoint)}, codePoint < 0x10000
	case decodeUTF16, decodeUTF16LE:
		return e.encodeUTF16(codePoint), true
	case decodeUTF32:
		return []byte{0, byte(codePoint >> 16), byte(codePoint >> 8), byte(codePoint)}, true
	}
	return nil, false
}

func (e *encoding) encodeDoubleByte(codePoint uint32) ([]byte, bool) {
	code, ok := e.double.code(codePoint)
	if code < 0x100 {
		return []byte{byte(code)}, ok
	}
	return []byte{byte(code >> 8), byte(code)}, ok
}

// encodeEUCJP encodes in EUC for Japanese. In the table, a second byte below
// 0x80 marks a character of three bytes.
func (e *encoding) encodeEUCJP(codePoint uint32) ([]byte, bool) {
	code, ok := e.double.code(codePoint)
	if ok && code >= 0x100 && byte(code) < 0x80 {
		return []byte{0x8F, byte(code >> 8), byte(code) | 0x80}, true
	}
	return e.encodeDoubleByte(codePoint)
}

func (e *encoding) encodeUTF16(codePoint uint32) []byte {
	units := []uint32{codePoint}
	if codePoint >= 0x10000 {
		rest := codePoint - 0x10000
		units = []uint32{0xD800 | rest>>10, 0xDC00 | rest&0x3FF}
	}
	var bytes []byte
	for _, unit := range units {
		high, low := byte(unit>>8), byte(unit)
		if e.decoding == decodeUTF16LE {
			high, low = low, high
		}
		bytes = append(bytes, high, low)
	}
	return bytes
}

// escapeBytes encodes the escape character of a pattern. In character sets
// with characters of one byte, the servers take an ASCII escape as the byte
// with its number, MySQL even if the byte is another character (swe7).
// MariaDB converts the escape, which can yield a question mark. The result is
// nil without an escape, and in MySQL if the character set lacks it.
func (e *encoding) escapeBytes(escape rune, minBytes int) []byte {
	if escape < 0 || escape > 0x10FFFF {
		return nil
	}
	codePoint := uint32(escape)
	if codePoint < 0x80 && minBytes == 1 {
		character := []byte{byte(codePoint)}
		if decoded, ok := e.codePoint(character); e.flavour == MySQL || ok && decoded == codePoint {
			return character
		}
	}
	if bytes, ok := e.encode(codePoint); ok {
		return bytes
	}
	if e.flavour == MariaDB {
		if bytes, ok := e.encode('?'); ok {
			return bytes
		}
	}
	return nil
}
