package mysqlcollation_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"weighbridge/mysqlcollation"
)

// vectorFolder has what servers returned. docs/reference/vectors.md describes
// the files.
const vectorFolder = "../vectors"

func TestVectors(t *testing.T) {
	if _, err := os.Stat(vectorFolder); os.IsNotExist(err) {
		t.Skip("the vectors are in the project's repository, not in the module")
	}
	for folder, flavour := range map[string]mysqlcollation.Flavour{"mysql": mysqlcollation.MySQL, "mariadb": mysqlcollation.MariaDB} {
		paths, err := filepath.Glob(filepath.Join(vectorFolder, folder, "*.txt.gz"))
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		for _, path := range paths {
			v := vectorFile{t: t, flavour: flavour}
			v.check(path)
			count += len(v.collations)
		}
		if all := len(mysqlcollation.All(flavour)); count != all {
			t.Errorf("the vectors of %s have %d of %d collations", flavour, count, all)
		}
	}
}

type vectorFile struct {
	t          *testing.T
	flavour    mysqlcollation.Flavour
	collations []*mysqlcollation.Collation
	strings    [][]byte
	orders     []string
}

func (v *vectorFile) check(path string) {
	file, err := os.Open(path)
	if err != nil {
		v.t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		v.t.Fatal(err)
	}
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		v.line(lines.Text())
	}
	if lines.Err() != nil {
		v.t.Fatal(lines.Err())
	}
	if len(v.strings) < 500 {
		v.t.Errorf("%s has %d strings", path, len(v.strings))
	}
	for i, signs := range v.orders {
		v.order(v.strings[i], v.strings[(i+1)%len(v.strings)], signs)
	}
}

func (v *vectorFile) line(line string) {
	words := strings.Split(line, " ")
	switch words[0] {
	case "#":
	case "collation":
		collation, err := mysqlcollation.Lookup(v.flavour, words[1])
		if err != nil {
			v.t.Fatal(err)
		}
		v.collations = append(v.collations, collation)
	case "string":
		v.strings = append(v.strings, v.bytes(words[1]))
	case "weight":
		v.weight(words[1], v.bytes(words[2]))
	case "order":
		v.orders = append(v.orders, words[1])
	case "ill-formed":
		v.order(v.bytes(words[1]), v.bytes(words[2]), words[3])
	default:
		v.t.Fatalf("a line begins with %s", words[0])
	}
}

func (v *vectorFile) bytes(digits string) []byte {
	decoded, err := hex.DecodeString(digits)
	if err != nil {
		v.t.Fatal(err)
	}
	return decoded
}

func (v *vectorFile) weight(ranges string, expected []byte) {
	s := v.strings[len(v.strings)-1]
	for _, one := range strings.Split(ranges, ",") {
		from, to, isRange := strings.Cut(one, "-")
		first, err := strconv.Atoi(from)
		if err != nil {
			v.t.Fatal(err)
		}
		last := first
		if isRange {
			if last, err = strconv.Atoi(to); err != nil {
				v.t.Fatal(err)
			}
		}
		for _, collation := range v.collations[first : last+1] {
			if weights := collation.AppendWeightString(nil, s); !bytes.Equal(weights, expected) {
				v.t.Errorf("%s %s: WEIGHT_STRING(x'%x') is %x, not %x", v.flavour, collation, s, weights, expected)
			}
		}
	}
}

func (v *vectorFile) order(a, b []byte, signs string) {
	if len(signs) != len(v.collations) {
		v.t.Fatalf("%d signs for %d collations", len(signs), len(v.collations))
	}
	for i, collation := range v.collations {
		expected := strings.IndexByte("<=>", signs[i]) - 1
		if signs[i] == '.' {
			continue
		}
		if order := collation.Compare(a, b); order != expected {
			v.t.Errorf("%s %s: x'%x' to x'%x' is %d, not %d", v.flavour, collation, a, b, order, expected)
		}
		if keys := bytes.Compare(collation.AppendSortKey(nil, a), collation.AppendSortKey(nil, b)); keys != expected {
			v.t.Errorf("%s %s: the keys of x'%x' and x'%x' are in order %d, not %d", v.flavour, collation, a, b, keys, expected)
		}
		if expected == 0 && collation.Hash(a) != collation.Hash(b) {
			v.t.Errorf("%s %s: the hashes of x'%x' and x'%x' differ", v.flavour, collation, a, b)
		}
	}
}
