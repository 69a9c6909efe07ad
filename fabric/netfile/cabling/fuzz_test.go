package cabling

import (
	"strings"
	"testing"
	"testing/fstest"

	"weft/fabric/netfile/netfiletest"
)

func FuzzReadTopo(f *testing.F) {
	netfiletest.Seed(f, "*.topo")
	netfiletest.SeedBad(f, "topo")
	systems, err := readSystems(netfiletest.Systems())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		fab, _, err := readTopoWith("fuzz", data, systems)
		netfiletest.CheckRead(t, fab, err)
	})
}

func FuzzReadIBNL(f *testing.F) {
	netfiletest.Seed(f, "ibnl/*.ibnl")
	f.Add([]byte(netfiletest.Bomb()))
	f.Add([]byte("\u3000")) // a blank that is not ASCII
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := parseIBNL("x.ibnl", data)
		if err != nil {
			netfiletest.CheckRead(t, nil, err)
			return
		}
		for _, s := range file.systems {
			topo := s.names[0] + " A\n"
			if s.isBoard() || s.chips > 1000 || strings.ContainsAny(topo, "->#") {
				continue
			}
			fab, _, err := ReadTopo("fuzz", []byte(topo), fstest.MapFS{"x.ibnl": {Data: data}})
			netfiletest.CheckRead(t, fab, err)
		}
	})
}

func FuzzReadNDT(f *testing.F) {
	netfiletest.SeedBad(f, "ndt")
	f.Add([]byte(ndtText))
	f.Fuzz(func(t *testing.T, data []byte) {
		fab, _, err := ReadNDT("fuzz", data)
		netfiletest.CheckRead(t, fab, err)
	})
}
