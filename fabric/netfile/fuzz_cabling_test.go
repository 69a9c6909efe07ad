package netfile

import (
	"strings"
	"testing"
	"testing/fstest"
)

func FuzzReadTopo(f *testing.F) {
	seed(f, "*.topo")
	seedBad(f, "topo")
	systems, err := readSystems(testSystems())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		fab, _, err := readTopoWith("fuzz", data, systems)
		checkRead(t, fab, err)
	})
}

func FuzzReadIBNL(f *testing.F) {
	seed(f, "ibnl/*.ibnl")
	f.Add([]byte(bomb()))
	f.Add([]byte("\u3000")) // a blank that is not ASCII
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := parseIBNL("x.ibnl", data)
		if err != nil {
			checkRead(t, nil, err)
			return
		}
		for _, s := range file.systems {
			topo := s.names[0] + " A\n"
			if s.isBoard() || s.chips > 1000 || strings.ContainsAny(topo, "->#") {
				continue
			}
			fab, _, err := readTopo("fuzz", []byte(topo), fstest.MapFS{"x.ibnl": {Data: data}})
			checkRead(t, fab, err)
		}
	})
}
