package netfile

import (
	"testing"

	"weft/fabric/netfile/netfiletest"
)

func FuzzDetect(f *testing.F) {
	netfiletest.Seed(f, "*.topo")
	netfiletest.Seed(f, "*.ibnetdiscover")
	netfiletest.Seed(f, netfiletest.ExampleFiles+"*.ibnetdiscover")
	netfiletest.SeedBad(f, "")
	f.Fuzz(func(t *testing.T, data []byte) {
		fab, _, err := Read("fuzz", data, Options{})
		netfiletest.CheckRead(t, fab, err)
	})
}
