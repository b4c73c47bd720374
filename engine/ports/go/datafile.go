package mysqlcollation

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
)

// The embedded file. docs/reference/data-format.md of the project describes
// it.
//
//go:embed collations.dat
var embedded []byte

const (
	fileMagic   = "MYCOLLAT"
	fileFormat  = 1
	headerSize  = 16
	entrySize   = 20
	splitWords  = 1
	maxSection  = 1 << 26
	catalogueAt = 0
)

// dataFile is a file whose header and directory are valid. Sections are
// checked when they are read.
type dataFile struct {
	bytes     []byte
	directory []byte
}

func openDataFile(file []byte) (dataFile, error) {
	if len(file) < headerSize || string(file[:8]) != fileMagic {
		return dataFile{}, fmt.Errorf("the file does not begin with %s", fileMagic)
	}
	if format := binary.LittleEndian.Uint16(file[8:]); format != fileFormat {
		return dataFile{}, fmt.Errorf("the file is of format %d, not %d", format, fileFormat)
	}
	end := headerSize + entrySize*int(binary.LittleEndian.Uint16(file[10:]))
	if len(file) < end || crc32.ChecksumIEEE(file[headerSize:end]) != binary.LittleEndian.Uint32(file[12:]) {
		return dataFile{}, fmt.Errorf("the directory is damaged")
	}
	return dataFile{bytes: file, directory: file[headerSize:end]}, nil
}

// section decompresses a section and verifies its checksum.
func (f dataFile) section(index int) ([]byte, error) {
	if index < 0 || (index+1)*entrySize > len(f.directory) {
		return nil, fmt.Errorf("there is no section %d", index)
	}
	entry := f.directory[index*entrySize:]
	number := func(at int) uint64 { return uint64(binary.LittleEndian.Uint32(entry[at:])) }
	start, length, size := number(0), number(4), number(8)
	if start+length > uint64(len(f.bytes)) || size > maxSection {
		return nil, fmt.Errorf("section %d is incomplete", index)
	}
	unpacked := make([]byte, size)
	reader := flate.NewReader(bytes.NewReader(f.bytes[start : start+length]))
	if _, err := io.ReadFull(reader, unpacked); err != nil {
		return nil, fmt.Errorf("section %d: %w", index, err)
	}
	if number(16) == splitWords {
		unpacked = joinWords(unpacked)
	}
	if uint64(crc32.ChecksumIEEE(unpacked)) != number(12) {
		return nil, fmt.Errorf("section %d is damaged", index)
	}
	return unpacked, nil
}

// joinWords reverses the split of 16-bit words into low bytes and high bytes.
// The last byte of an odd number stays.
func joinWords(split []byte) []byte {
	half := len(split) / 2
	joined := make([]byte, len(split))
	for i := range half {
		joined[2*i] = split[i]
		joined[2*i+1] = split[half+i]
	}
	copy(joined[2*half:], split[2*half:])
	return joined
}

// reader reads little-endian numbers and short texts from the start of a
// section. After a read beyond the end, failed is set and reads return zeros.
type reader struct {
	rest   []byte
	failed bool
}

func (r *reader) bytes(count int) []byte {
	if count > len(r.rest) {
		r.failed = true
		r.rest = nil
		return make([]byte, count)
	}
	taken := r.rest[:count:count]
	r.rest = r.rest[count:]
	return taken
}

func (r *reader) byte() byte { return r.bytes(1)[0] }

func (r *reader) word() uint16 { return binary.LittleEndian.Uint16(r.bytes(2)) }

func (r *reader) count() int { return int(r.word()) }

func (r *reader) text() string { return string(r.bytes(int(r.byte()))) }

// words reads count words.
func (r *reader) words(count int) []uint16 {
	return toWords(r.bytes(2 * count))
}

func toWords(from []byte) []uint16 {
	all := make([]uint16, len(from)/2)
	for i := range all {
		all[i] = binary.LittleEndian.Uint16(from[2*i:])
	}
	return all
}
