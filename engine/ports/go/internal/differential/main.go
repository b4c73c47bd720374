// Compares this package with the Rust library: reads what the library returns
// for random strings, computes the same, and prints the differences.
//
//	go run ./internal/differential < <(cargo xtask port-answers)
//
// lab/src/port_answers.rs describes the stream.
package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"

	"weighbridge/mysqlcollation"
)

// maxExamples is the maximum number of differences printed.
const maxExamples = 20

func main() {
	run := &comparison{in: bufio.NewReaderSize(os.Stdin, 1<<20)}
	if err := run.all(); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
	fmt.Printf("%d combinations, %d collations, %d pairs, %d differences\n",
		run.combinations, run.collations, run.pairs, run.differences)
	if run.differences > 0 || run.collations == 0 {
		os.Exit(1)
	}
}

type comparison struct {
	in                       *bufio.Reader
	combinations, collations int
	pairs, differences       int
	key                      []byte
}

// alphabet has the characters of strings between strings.
const alphabet = "!-09azAZbcdhlsxyéßñőŁΩЖяあ漢한"

// record has two strings, a text and a pattern, and the library's answers.
type record struct {
	a, b, text, pattern []byte
	order               int
	isLike              bool
	hash                uint64
	key, weights        []byte
	needle              []byte
	startsWith          bool
	found, foundEqual   int
	replaced            []byte
	ranges              [2]keyRange
	cases               [2][]byte
	stableHash          uint64
	decoded, encoded    []byte
	group, prefix       []byte
	// hasParts: the record has parts and a bound.
	hasParts bool
	parts    [][]byte
	bound    []byte
}

type keyRange struct{ low, high []byte }

func (c *comparison) all() error {
	if err := c.allCombinations(); err != nil {
		return err
	}
	for {
		more, err := c.in.ReadByte()
		if err != nil {
			return fmt.Errorf("the stream is incomplete: %w", err)
		}
		if more == 0 {
			return nil
		}
		if err := c.collation(); err != nil {
			return err
		}
	}
}

func (c *comparison) collation() error {
	var head [7]byte
	if _, err := io.ReadFull(c.in, head[:]); err != nil {
		return err
	}
	collation, err := mysqlcollation.ByID(mysqlcollation.Flavour(head[0]), binary.LittleEndian.Uint16(head[1:]))
	if err != nil {
		return err
	}
	c.collations++
	var r record
	letters := mysqlcollation.NewAlphabet(collation, alphabet)
	for number := range binary.LittleEndian.Uint32(head[3:]) {
		r.hasParts = number%16 == 0
		if err := c.read(&r); err != nil {
			return err
		}
		c.compare(collation, &r)
		c.compareOperations(collation, &r)
		if r.hasParts {
			c.compareParts(letters, collation, &r)
		}
		c.pairs++
	}
	return nil
}

func (c *comparison) read(r *record) error {
	for _, to := range []*[]byte{&r.a, &r.b, &r.text, &r.pattern} {
		if err := c.readString(to); err != nil {
			return err
		}
	}
	var numbers [10]byte
	if _, err := io.ReadFull(c.in, numbers[:]); err != nil {
		return err
	}
	r.order, r.isLike = int(numbers[0])-1, numbers[1] != 0
	r.hash = binary.LittleEndian.Uint64(numbers[2:])
	for _, to := range []*[]byte{&r.key, &r.weights, &r.needle} {
		if err := c.readString(to); err != nil {
			return err
		}
	}
	return c.readOperations(r)
}

func (c *comparison) readOperations(r *record) error {
	var numbers [9]byte
	if _, err := io.ReadFull(c.in, numbers[:]); err != nil {
		return err
	}
	r.startsWith = numbers[0] != 0
	r.found = int(int32(binary.LittleEndian.Uint32(numbers[1:])))
	r.foundEqual = int(int32(binary.LittleEndian.Uint32(numbers[5:])))
	if err := c.readString(&r.replaced); err != nil {
		return err
	}
	for i := range r.ranges {
		if err := c.readString(&r.ranges[i].low); err != nil {
			return err
		}
		if err := c.readOptional(&r.ranges[i].high); err != nil {
			return err
		}
	}
	for i := range r.cases {
		if err := c.readString(&r.cases[i]); err != nil {
			return err
		}
	}
	if err := binary.Read(c.in, binary.LittleEndian, &r.stableHash); err != nil {
		return err
	}
	for _, to := range []*[]byte{&r.decoded, &r.encoded, &r.group, &r.prefix} {
		if err := c.readString(to); err != nil {
			return err
		}
	}
	if !r.hasParts {
		return nil
	}
	return c.readParts(r)
}

func (c *comparison) readParts(r *record) error {
	var count uint32
	if err := binary.Read(c.in, binary.LittleEndian, &count); err != nil {
		return err
	}
	r.parts = nil
	for range count {
		var part []byte
		if err := c.readString(&part); err != nil {
			return err
		}
		r.parts = append(r.parts, part)
	}
	return c.readOptional(&r.bound)
}

// readOptional reads a string, or nil.
func (c *comparison) readOptional(to *[]byte) error {
	hasString, err := c.in.ReadByte()
	if err != nil {
		return err
	}
	*to = nil
	if hasString == 0 {
		return nil
	}
	*to = []byte{}
	return c.readString(to)
}

func (c *comparison) readString(to *[]byte) error {
	var length [4]byte
	if _, err := io.ReadFull(c.in, length[:]); err != nil {
		return err
	}
	count := int(binary.LittleEndian.Uint32(length[:]))
	if cap(*to) < count {
		*to = make([]byte, count)
	}
	*to = (*to)[:count]
	_, err := io.ReadFull(c.in, *to)
	return err
}

func (c *comparison) compare(collation *mysqlcollation.Collation, r *record) {
	if order := collation.Compare(r.a, r.b); order != r.order {
		c.differ(collation, "compare x'%x' with x'%x': %d, not %d", r.a, r.b, order, r.order)
	}
	if order := collation.Compare(r.b, r.a); order != -r.order {
		c.differ(collation, "compare x'%x' with x'%x': %d, not %d", r.b, r.a, order, -r.order)
	}
	if isLike := collation.Like(r.text, r.pattern, '\\'); isLike != r.isLike {
		c.differ(collation, "x'%x' LIKE x'%x': %t, not %t", r.text, r.pattern, isLike, r.isLike)
	}
	if hash := collation.Hash(r.a); hash != r.hash {
		c.differ(collation, "hash of x'%x': %x, not %x", r.a, hash, r.hash)
	}
	if c.key = collation.AppendSortKey(c.key[:0], r.a); !bytes.Equal(c.key, r.key) {
		c.differ(collation, "key of x'%x': %x, not %x", r.a, c.key, r.key)
	}
	if c.key = collation.AppendWeightString(c.key[:0], r.a); !bytes.Equal(c.key, r.weights) {
		c.differ(collation, "WEIGHT_STRING of x'%x': %x, not %x", r.a, c.key, r.weights)
	}
}

func (c *comparison) compareOperations(collation *mysqlcollation.Collation, r *record) {
	if got := collation.StartsWith(r.a, r.needle); got != r.startsWith {
		c.differ(collation, "x'%x' starts with x'%x': %t, not %t", r.a, r.needle, got, r.startsWith)
	}
	if got := collation.Find(r.a, r.needle); got != r.found {
		c.differ(collation, "x'%x' in x'%x': %d, not %d", r.needle, r.a, got, r.found)
	}
	if got := collation.FindEqualLength(r.a, r.needle); got != r.foundEqual {
		c.differ(collation, "x'%x' of equal length in x'%x': %d, not %d", r.needle, r.a, got, r.foundEqual)
	}
	c.checkBytes(collation, "replacement", r.a, collation.Replace(r.a, r.needle, r.b), r.replaced)
	low, high := collation.PrefixRange(r.needle)
	c.checkRange(collation, "range of prefix", r.needle, keyRange{low, high}, r.ranges[0])
	low, high = collation.LikeRange(r.pattern, '\\')
	c.checkRange(collation, "range of LIKE", r.pattern, keyRange{low, high}, r.ranges[1])
	c.checkBytes(collation, "upper case", r.a, collation.ToUpper(r.a), r.cases[0])
	c.checkBytes(collation, "lower case", r.a, collation.ToLower(r.a), r.cases[1])
	if got := collation.StableHash(r.a, uint64(len(r.a))); got != r.stableHash {
		c.differ(collation, "stable hash of x'%x': %x, not %x", r.a, got, r.stableHash)
	}
	c.checkBytes(collation, "decoding", r.a, []byte(collation.Decode(r.a)), r.decoded)
	encoded, _ := collation.Encode(string(r.decoded))
	c.checkBytes(collation, "encoding", r.decoded, encoded, r.encoded)
	c.checkBytes(collation, "group key", r.a, collation.AppendGroupKey(nil, r.a), r.group)
	c.checkBytes(collation, "prefix key", r.a, collation.AppendPrefixIndexKey(nil, r.a, len(r.a)%5), r.prefix)
}

func (c *comparison) compareParts(letters *mysqlcollation.Alphabet, collation *mysqlcollation.Collation, r *record) {
	low, high := r.a, r.b
	if collation.Compare(low, high) > 0 {
		low, high = high, low
	}
	parts := letters.Split(low, high, 2+len(r.a)%7)
	if !slices.EqualFunc(parts, r.parts, bytes.Equal) {
		c.differ(collation, "parts from x'%x' to x'%x': %x, not %x", low, high, parts, r.parts)
	}
	bound := letters.PrefixUpperBound(r.needle)
	c.checkRange(collation, "bound", r.needle, keyRange{nil, bound}, keyRange{nil, r.bound})
}

func (c *comparison) checkBytes(collation *mysqlcollation.Collation, what string, s, got, expected []byte) {
	if !bytes.Equal(got, expected) {
		c.differ(collation, what+" of x'%x': %x, not %x", s, got, expected)
	}
}

func (c *comparison) checkRange(collation *mysqlcollation.Collation, what string, s []byte, got, expected keyRange) {
	if !bytes.Equal(got.low, expected.low) || !bytes.Equal(got.high, expected.high) || (got.high == nil) != (expected.high == nil) {
		c.differ(collation, what+" of x'%x': %x, not %x", s, got, expected)
	}
}

func (c *comparison) differ(collation *mysqlcollation.Collation, format string, values ...any) {
	c.differences++
	if c.differences <= maxExamples {
		fmt.Printf("%s %s: "+format+"\n", append([]any{collation.Flavour(), collation}, values...)...)
	}
}
