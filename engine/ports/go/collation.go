package mysqlcollation

import (
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"
)

// A Collation compares, hashes, keys and matches strings as the servers of one
// flavour do. It is found by [Lookup] or [ByID].
//
// Strings are bytes in the collation's character set ([Collation.Charset]).
// Ill-formed bytes have a defined order. In UCA collations of MySQL a string
// ends at the first of them; in those of MariaDB each weighs more than any
// character. In other collations they come after all characters, by value.
type Collation struct {
	flavour   Flavour
	id        uint16
	name      string
	isDefault bool
	isBinary  bool
	padSpace  bool
	hasLevel  [maxLevels]bool
	pads      [maxLevels]bool
	kind      weightKind
	// parameter depends on the kind: the bytes of a weight in WEIGHT_STRING,
	// or flags.
	parameter byte
	table     int
	// Rules of the server.
	endsAtErrors            bool
	likeByPageBeyondPrimary bool
	isSeparated             bool
	wrapsFirstMark          bool
	likeSeesRoot            bool
	oneIsZeroFrom           int

	charset   *charset
	catalogue *catalogue
	// index is the number of the collation's record in the catalogue.
	index int

	once  sync.Once
	ready atomic.Pointer[weights]
}

// weights has the tables of a collation, ready for use.
type weights struct {
	encoding *encoding
	// levels has the levels at which the collation compares, in order. It is
	// empty if bytes or whole texts have weights.
	levels []level
	bytes  *[256]byte
	text   *textTable
	uca    *ucaTable
}

// Flavour returns the flavour of the servers that have the collation.
func (c *Collation) Flavour() Flavour { return c.flavour }

// ID returns the id in the client/server protocol.
func (c *Collation) ID() uint16 { return c.id }

// Name returns the full name, such as utf8mb4_0900_ai_ci.
func (c *Collation) Name() string { return c.name }

// String returns the full name.
func (c *Collation) String() string { return c.name }

// Charset returns the name of the character set of the collation's strings.
func (c *Collation) Charset() string { return c.charset.name }

// PadSpace reports whether strings compare as if followed by infinitely many
// spaces: 'a' = 'a '.
func (c *Collation) PadSpace() bool { return c.padSpace }

// IsDefault reports whether the collation is the default of its character set in the newest
// version of its flavour, such as utf8mb4_0900_ai_ci for utf8mb4 in MySQL.
func (c *Collation) IsDefault() bool { return c.isDefault }

// IsBinary reports whether the collation compares the codes of bytes or
// characters.
func (c *Collation) IsBinary() bool { return c.isBinary }

// weights returns the tables, and reads them at the first call. A damaged file
// is a fault of the build, so that it panics.
func (c *Collation) weights() *weights {
	if w := c.ready.Load(); w != nil {
		return w
	}
	c.once.Do(func() {
		w, err := c.load()
		if err != nil {
			panic("mysqlcollation: " + c.name + ": " + err.Error())
		}
		c.ready.Store(w)
	})
	return c.ready.Load()
}

func (c *Collation) load() (*weights, error) {
	encoding, err := newEncoding(c.catalogue.file, c.charset, c.flavour)
	if err != nil {
		return nil, err
	}
	w := &weights{encoding: encoding}
	if c.kind == kindUCA {
		if w.uca, err = c.catalogue.ucaTable(c.table); err != nil {
			return nil, err
		}
		w.levels = c.ucaLevels(w)
		return w, nil
	}
	in := &reader{}
	if c.table != 0 {
		if in.rest, err = c.catalogue.file.section(c.table); err != nil {
			return nil, err
		}
	}
	l := level{kind: c.kind, encoding: encoding, pad: noPad}
	switch c.kind {
	case kindBytes:
		w.bytes = &identity
		return w, nil
	case kindByteTable:
		w.bytes = (*[256]byte)(in.bytes(256))
		return w, checked(in)
	case kindCzechWords, kindCzechPasses, kindThai:
		w.text = readTextTable(in, c.kind, c.parameter)
		return w, checked(in)
	case kindByteExpansions:
		l.expansions = (*[512]byte)(in.bytes(512))
	case kindCharacters:
		l.characters = readCharacterTable(in, c.parameter)
	case kindGB18030:
		if l.gb18030, err = readGB18030Table(in); err != nil {
			return nil, err
		}
	case kindSimple:
		l.simple = readSimpleTable(in)
	case kindFolding:
		l.folding = readFoldingTable(in)
	case kindNumbers:
	default:
		return nil, fmt.Errorf("there is no kind %d of weights", c.kind)
	}
	l.setPad(c.pads[primary])
	l.setShort()
	w.levels = []level{l}
	return w, checked(in)
}

func checked(in *reader) error {
	if in.failed {
		return fmt.Errorf("the table is damaged")
	}
	return nil
}

func (c *Collation) ucaLevels(w *weights) []level {
	var all []level
	for index, table := range w.uca.levels {
		if index >= maxLevels || !c.hasLevel[index] {
			continue
		}
		l := level{
			kind: kindUCA, index: index, encoding: w.encoding, endsAtErrors: c.endsAtErrors,
			uca: table, contractions: w.uca.contractions, pad: noPad,
		}
		l.setPad(c.pads[index])
		l.setShort()
		all = append(all, l)
	}
	return all
}

// setPad sets the weight of a space, if texts are padded.
func (l *level) setPad(isPadded bool) {
	if !isPadded {
		return
	}
	var weights weightBuffer
	switch l.kind {
	case kindByteExpansions, kindCharacters, kindGB18030:
		l.next([]byte{' '}, 0, &weights)
	case kindUCA:
		l.uca.weights(' ', weights[:])
	case kindSimple:
		weights[0] = l.simple.weight(' ')
	default:
		weights[0] = ' '
	}
	l.pad = int(weights[0])
}

// setShort sets the weights below U+0800 of an encoding in UTF-8.
func (l *level) setShort() {
	if l.encoding.decoding != decodeUTF8 {
		return
	}
	defer l.setFolding()
	switch l.kind {
	case kindUCA:
		l.short = &l.uca.short
	case kindSimple, kindFolding:
		l.short = &[0x800]uint16{}
		for codePoint := range l.short {
			if l.kind == kindSimple {
				l.short[codePoint] = l.simple.weight(uint32(codePoint))
			} else {
				l.short[codePoint] = uint16(l.folding.weight(uint32(codePoint)))
			}
			if l.short[codePoint] == 0xFFFF {
				l.short[codePoint] = 0
			}
		}
	}
}

func (l *level) setFolding() {
	if l.short == nil {
		return
	}
	l.foldsASCII = true
	for letter := 'a'; letter <= 'z'; letter++ {
		weight := l.short[letter]
		l.foldsASCII = l.foldsASCII && weight != 0 && weight == l.short[letter-0x20]
	}
	for b := range uint32(0x80) {
		l.foldsASCII = l.foldsASCII && !(l.contractions != nil && l.contractions.later.has(b))
	}
}

// bytesOf returns the bytes of a string without a copy. They must not be
// written.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
