package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"weighbridge/mysqlcollation"
)

// combination has operands, and how the library combines their collations.
type combination struct {
	version    mysqlcollation.ServerVersion
	expression mysqlcollation.Expression
	operands   []mysqlcollation.Operand
	// code is the number of the error, or 0.
	code   int
	result mysqlcollation.CombinedCollation
}

func (c *comparison) allCombinations() error {
	var count uint32
	if err := binary.Read(c.in, binary.LittleEndian, &count); err != nil {
		return err
	}
	for range count {
		expected, err := c.readCombination()
		if err != nil {
			return err
		}
		expected.check(c)
		c.combinations++
	}
	return nil
}

func (c *comparison) readCombination() (*combination, error) {
	var head [9]byte
	if _, err := io.ReadFull(c.in, head[:]); err != nil {
		return nil, err
	}
	number := func(at int) uint16 { return binary.LittleEndian.Uint16(head[at:]) }
	r := &combination{expression: mysqlcollation.Expression(head[7])}
	r.version = mysqlcollation.ServerVersion{
		Flavour: mysqlcollation.Flavour(head[0]), Major: number(1), Minor: number(3), Patch: number(5),
	}
	for range head[8] {
		operand, err := c.readOperand(r.version.Flavour)
		if err != nil {
			return nil, err
		}
		r.operands = append(r.operands, operand)
	}
	kind, err := c.in.ReadByte()
	if err != nil {
		return nil, err
	}
	if kind == 0 {
		var code uint16
		err = binary.Read(c.in, binary.LittleEndian, &code)
		r.code = int(code)
		return r, err
	}
	r.result.IfRepresentable = kind == 2
	r.result.Operand, err = c.readOperand(r.version.Flavour)
	return r, err
}

func (c *comparison) readOperand(flavour mysqlcollation.Flavour) (mysqlcollation.Operand, error) {
	var bytes [4]byte
	if _, err := io.ReadFull(c.in, bytes[:]); err != nil {
		return mysqlcollation.Operand{}, err
	}
	collation, err := mysqlcollation.ByID(flavour, binary.LittleEndian.Uint16(bytes[:]))
	return mysqlcollation.Operand{
		Collation: collation, Coercibility: mysqlcollation.Coercibility(bytes[2]), ASCII: bytes[3] != 0,
	}, err
}

func (r *combination) check(c *comparison) {
	result, err := mysqlcollation.CombineCollations(r.version, r.expression, r.operands...)
	code := 0
	if mix := new(mysqlcollation.IllegalMixError); errors.As(err, &mix) {
		code = mix.Code
	}
	if code == r.code && result == r.result && (err == nil) == (code == 0) {
		return
	}
	c.differences++
	if c.differences <= maxExamples {
		fmt.Printf("%s, expression %d of %v: %v, %v, not %v, error %d\n",
			r.version, r.expression, r.operands, result, err, r.result, r.code)
	}
}
