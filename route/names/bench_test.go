package names

import (
	"context"
	"testing"
)

// BenchmarkAssign assigns LIDs for 512 hosts on 64 switches, on two cores.
func BenchmarkAssign(b *testing.B) {
	g := graph(b, "irregular(switches=64,hosts=512,degree=8,seed=1)")
	for _, algorithm := range []string{"shortest-widest", "path-selection"} {
		set := compute(b, g, algorithm, 1)
		for _, s := range Schemes() {
			if s.Name == "ilp" {
				continue
			}
			b.Run(algorithm+"/"+s.Name, func(b *testing.B) {
				for b.Loop() {
					a, err := Assign(context.Background(), set, s, Options{Workers: 2})
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(a.LIDs()), "LIDs")
				}
			})
		}
		b.Run(algorithm+"/realise", func(b *testing.B) {
			a := assign(b, set, "color-l")
			ends := must(nameOf(a))(b)
			for b.Loop() {
				realise(b, a, ends)
			}
		})
	}
}
