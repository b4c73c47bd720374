package mysqlcollation

// Encode returns a string in the collation's character set, and the number of
// characters that the set lacks. They become question marks, as in the servers.
func (c *Collation) Encode(s string) (encoded []byte, lost int) {
	e := c.weights().encoding
	encoded = make([]byte, 0, len(s)*c.charset.minBytes)
	for _, character := range s {
		bytes, ok := e.encode(uint32(character))
		if !ok {
			lost++
			bytes, _ = e.encode('?')
		}
		encoded = append(encoded, bytes...)
	}
	return encoded, lost
}

// Decode returns a string of the collation's character set in UTF-8. Characters
// without a code point, surrogates and ill-formed bytes become U+FFFD.
func (c *Collation) Decode(s []byte) string {
	e := c.weights().encoding
	decoded := make([]rune, 0, len(s)/c.charset.minBytes)
	for len(s) > 0 {
		codePoint, n := e.decode(s, 0)
		if n == 0 || isSurrogate(codePoint) {
			codePoint = 0xFFFD
		}
		decoded = append(decoded, rune(codePoint))
		s = s[max(n, 1):]
	}
	return string(decoded)
}
