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

	"weighbridge/mysqlcollation"
)

// maxExamples is the number of differences printed.
const maxExamples = 20

func main() {
	run := &comparison{in: bufio.NewReaderSize(os.Stdin, 1<<20)}
	if err := run.all(); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
	fmt.Printf("%d collations, %d pairs, %d differences\n", run.collations, run.pairs, run.differences)
	if run.differences > 0 || run.collations == 0 {
		os.Exit(1)
	}
}

type comparison struct {
	in                             *bufio.Reader
	collations, pairs, differences int
	key                            []byte
}

// record has two strings, a text and a pattern, and the library's answers.
type record struct {
	a, b, text, pattern []byte
	order               int
	isLike              bool
	hash                uint64
	key, weights        []byte
}

func (c *comparison) all() error {
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
	for range binary.LittleEndian.Uint32(head[3:]) {
		if err := c.read(&r); err != nil {
			return err
		}
		c.compare(collation, &r)
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
	if err := c.readString(&r.key); err != nil {
		return err
	}
	return c.readString(&r.weights)
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

func (c *comparison) differ(collation *mysqlcollation.Collation, format string, values ...any) {
	c.differences++
	if c.differences <= maxExamples {
		fmt.Printf("%s %s: "+format+"\n", append([]any{collation.Flavour(), collation}, values...)...)
	}
}
