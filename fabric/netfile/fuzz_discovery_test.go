package netfile

import "testing"

func FuzzReadIBNetDiscover(f *testing.F) {
	seed(f, "*.ibnetdiscover")
	seed(f, exampleFiles+"*.ibnetdiscover")
	seed(f, "ibsim-*")
	seedBad(f, "")
	f.Add([]byte(chassisDump))
	f.Fuzz(func(t *testing.T, data []byte) {
		fab, _, err := readIBNetDiscover("fuzz", data)
		checkRead(t, fab, err)
	})
}

func FuzzReadLST(f *testing.F) {
	seed(f, exampleFiles+"*.lst")
	f.Add([]byte(swSide + " " + caSide("01") + " PHY=4x LOG=ACT SPD=14\n"))
	seedBad(f, "lst")
	f.Fuzz(func(t *testing.T, data []byte) {
		fab, _, err := readLST("fuzz", data)
		checkRead(t, fab, err)
	})
}

func FuzzReadNetDump(f *testing.F) {
	f.Add([]byte(dumpHead + "1/1/1 : 1 : ACT : 4x : 100 : 0x2 : B1D0F0/0/1 : 3 : \"h\"\n1/1/2 : 2 : ACT : 4x : 100 : 0x1 : 1/1/3 : 1 : \"sw\"\n1/1/3 : 3 : ACT : 4x : 100 : 0x1 : 1/1/2 : 1 : \"sw\"\n"))
	seedBad(f, "dump")
	f.Fuzz(func(t *testing.T, data []byte) {
		fab, _, err := readNetDump("fuzz", data)
		checkRead(t, fab, err)
	})
}
