package discovery

import (
	"testing"

	"weft/fabric/netfile/netfiletest"
)

func FuzzReadIBNetDiscover(f *testing.F) {
	netfiletest.Seed(f, "*.ibnetdiscover")
	netfiletest.Seed(f, netfiletest.ExampleFiles+"*.ibnetdiscover")
	netfiletest.Seed(f, "ibsim-*")
	netfiletest.SeedBad(f, "")
	f.Add([]byte(netfiletest.ChassisDump))
	f.Fuzz(func(t *testing.T, data []byte) {
		fab, _, err := ReadIBNetDiscover("fuzz", data)
		netfiletest.CheckRead(t, fab, err)
	})
}

func FuzzReadLST(f *testing.F) {
	netfiletest.Seed(f, netfiletest.ExampleFiles+"*.lst")
	f.Add([]byte(netfiletest.SwSide + " " + netfiletest.CaSide("01") + " PHY=4x LOG=ACT SPD=14\n"))
	netfiletest.SeedBad(f, "lst")
	f.Fuzz(func(t *testing.T, data []byte) {
		fab, _, err := ReadLST("fuzz", data)
		netfiletest.CheckRead(t, fab, err)
	})
}

func FuzzReadNetDump(f *testing.F) {
	f.Add([]byte(netfiletest.DumpHead + "1/1/1 : 1 : ACT : 4x : 100 : 0x2 : B1D0F0/0/1 : 3 : \"h\"\n1/1/2 : 2 : ACT : 4x : 100 : 0x1 : 1/1/3 : 1 : \"sw\"\n1/1/3 : 3 : ACT : 4x : 100 : 0x1 : 1/1/2 : 1 : \"sw\"\n"))
	netfiletest.SeedBad(f, "dump")
	f.Fuzz(func(t *testing.T, data []byte) {
		fab, _, err := ReadNetDump("fuzz", data)
		netfiletest.CheckRead(t, fab, err)
	})
}
