package netfile

import (
	"testing"
)

func FuzzDetect(f *testing.F) {
	seed(f, "*.topo")
	seed(f, "*.ibnetdiscover")
	seed(f, exampleFiles+"*.ibnetdiscover")
	seedBad(f, "")
	f.Fuzz(func(t *testing.T, data []byte) {
		fab, _, err := Read("fuzz", data, Options{})
		checkRead(t, fab, err)
	})
}
