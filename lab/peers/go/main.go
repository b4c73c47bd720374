// Times collations in Go, in ns of CPU time: comparisons and sort keys of the texts of
// `cargo xtask peers`, which runs this program. The argument names the library: `vitess`, `text`
// (golang.org/x/text/collate) or `port` (engine/ports/go).
package main

import (
	"bufio"
	"fmt"
	"os"
	"sort"
	"strings"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/text/collate"
	"golang.org/x/text/language"
	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/mysql/collations/colldata"

	"weighbridge/mysqlcollation"
)

const rounds = 30

// cpuTime is the CPU time of the process: the benchmark is its only work.
func cpuTime() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &now); err != nil {
		panic(err)
	}
	return time.Duration(now.Nano())
}

// The median of the rounds.
func ns(do func()) float64 {
	times := make([]float64, rounds)
	for round := range times {
		const calls = 20000
		begin := cpuTime()
		for range calls {
			do()
		}
		times[round] = float64(cpuTime()-begin) / calls
	}
	sort.Float64s(times)
	return (times[rounds/2-1] + times[rounds/2]) / 2
}

// operations are a comparison, and a sort key that is written over a buffer.
type operations struct {
	compare func(a, b []byte) int
	key     func(s []byte)
}

// vitess returns false if Vitess lacks the collation.
func vitess(name string) (operations, bool) {
	collation := colldata.Lookup(collations.NewEnvironment("8.0.30").LookupByName(name))
	if collation == nil {
		return operations{}, false
	}
	key := make([]byte, 0, 4096)
	return operations{
		compare: func(a, b []byte) int { return collation.Collate(a, b, false) },
		key:     func(s []byte) { key = collation.WeightString(key[:0], s, 0) },
	}, true
}

// text returns the settings nearest to MySQL's collations of UCA 9.0.
func text(name string) (operations, bool) {
	var options []collate.Option
	switch name {
	case "utf8mb4_0900_ai_ci":
		options = append(options, collate.Loose)
	case "utf8mb4_0900_as_cs":
	default:
		return operations{}, false
	}
	collator := collate.New(language.Und, options...)
	var buffer collate.Buffer
	return operations{
		compare: collator.Compare,
		key: func(s []byte) {
			buffer.Reset()
			collator.Key(&buffer, s)
		},
	}, true
}

func port(name string) (operations, bool) {
	collation, err := mysqlcollation.Lookup(mysqlcollation.MySQL, name)
	if err != nil {
		return operations{}, false
	}
	key := make([]byte, 0, 4096)
	return operations{
		compare: collation.Compare,
		key:     func(s []byte) { key = collation.AppendSortKey(key[:0], s) },
	}, true
}

// A line of standard input has "compare" or "key", a collation, the first text, and for "compare"
// the second one, separated by tabs. A line of output is a time, or "none" if the library lacks the
// collation.
func main() {
	find := map[string]func(string) (operations, bool){"vitess": vitess, "text": text, "port": port}[os.Args[1]]
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		operations, found := find(fields[1])
		if !found {
			fmt.Println("none")
			continue
		}
		a := []byte(fields[2])
		var median float64
		switch fields[0] {
		case "compare":
			b := []byte(fields[3])
			median = ns(func() { operations.compare(a, b) })
		case "key":
			median = ns(func() { operations.key(a) })
		}
		fmt.Printf("%.2f\n", median)
	}
}
