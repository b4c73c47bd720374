// What Vitess' collations cost, in ns of CPU time: a comparison and a sort key of the texts that the benchmarks of
// crates/collation use. Run by `cargo xtask peers`.
package main

import (
	"bufio"
	"fmt"
	"os"
	"sort"
	"strings"
	"syscall"
	"time"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/mysql/collations/colldata"
)

const rounds = 30

// cpuTime is the user time of the process: the benchmark is its only work.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano())
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

// Lines of standard input: "compare" or "key", a name, the first text, for "compare" the second one; tabs between them.
func main() {
	env := collations.NewEnvironment("8.0.30")
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		collation := colldata.Lookup(env.LookupByName(fields[1]))
		if collation == nil {
			fmt.Fprintf(os.Stderr, "Vitess has no collation %s\n", fields[1])
			os.Exit(2)
		}
		a := []byte(fields[2])
		var median float64
		switch fields[0] {
		case "compare":
			b := []byte(fields[3])
			median = ns(func() { collation.Collate(a, b, false) })
		case "key":
			key := make([]byte, 0, 4096)
			median = ns(func() { key = collation.WeightString(key[:0], a, 0) })
		}
		fmt.Printf("%.2f\n", median)
	}
}
