package sa

import (
	"context"
	"math/rand/v2"
	"testing"

	"weft/fabric/gen"
	"weft/planner"
	"weft/route/engine"
	"weft/route/lids"
	"weft/wire/mad"
)

// large makes the Subnet of 11,664 hosts.
func large(b *testing.B, name string, lmc uint8) *Subnet {
	f, err := gen.Parse("rlft(36,3)")
	if err != nil {
		b.Fatal(err)
	}
	chain, err := engine.Parse(name, nil)
	if err != nil {
		b.Fatal(err)
	}
	g := f.Compile()
	r, err := planner.Route(context.Background(), g, &planner.Request{Chain: chain, LIDs: lids.Options{LMC: lmc}, Workers: 1, Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	return fill(f, g, r.Plan, rand.New(rand.NewPCG(1, 0)))
}

// BenchmarkPathRecord asks for paths between random hosts of 11,664, bytes to bytes.
func BenchmarkPathRecord(b *testing.B) {
	s := large(b, "ftree", 0)
	rng := rand.New(rand.NewPCG(2, 0))
	queries := make([]mad.Datagram, 4096)
	for _, by := range []struct {
		name string
		mask uint64
	}{{"GID", pathSGID | pathDGID | pathNumbPath | pathReversible}, {"LID", pathSLID | pathDLID}} {
		for i := range queries {
			src, dst := rng.Int32N(int32(s.Graph.NumHosts)), rng.Int32N(int32(s.Graph.NumHosts))
			rec := make([]byte, 64)
			s.putGID(mad.PathRecordSGID.Get(rec), src)
			s.putGID(mad.PathRecordDGID.Get(rec), dst)
			mad.PathRecordSLID.Put(rec, uint64(s.Plan.Ends.Base[src]))
			mad.PathRecordDLID.Put(rec, uint64(s.Plan.Ends.Base[dst]))
			mad.PathRecordReversible.Put(rec, 1)
			mad.PathRecordNumbPath.Put(rec, 1)
			queries[i] = ask(mad.Get, mad.AttrPathRecord, by.mask, rec)
		}
		b.Run(by.name, func(b *testing.B) {
			var r Responder
			b.ReportAllocs()
			for i := range b.N {
				if a := r.Answer(s, queries[i%len(queries)]); a.Status() != mad.StatusOK {
					b.Fatal(a)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "queries/s")
		})
	}
}

// BenchmarkNew makes the index of 11,664 hosts.
func BenchmarkNew(b *testing.B) {
	s := large(b, "ftree", 0)
	for range b.N {
		New(*s)
	}
}
