package netfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"weft/fabric"
)

// checkRead checks what every reader must hold for any input.
func checkRead(t *testing.T, f *fabric.Fabric, err error) {
	t.Helper()
	if err == nil {
		checkFabric(t, f)
		return
	}
	var e *Error
	if !errors.As(err, &e) || e.Msg == "" {
		t.Fatalf("error is a %T: %v", err, err)
	}
}

// seed adds the files of testdata that match a pattern, cut short.
func seed(f *testing.F, pattern string) {
	names, err := filepath.Glob(filepath.Join("testdata", pattern))
	if err != nil || len(names) == 0 {
		f.Fatalf("no files for %s: %v", pattern, err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data[:min(len(data), 3000)])
	}
}

// seedBad adds the inputs that a reader must refuse, by prefix of their names.
func seedBad(f *testing.F, prefix string) {
	for _, c := range badInputs {
		if strings.HasPrefix(c.name, prefix) {
			f.Add([]byte(c.data))
		}
	}
}

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
			fab, _, err := readTopo("fuzz", []byte(topo), Options{Systems: fstest.MapFS{"x.ibnl": {Data: data}}})
			checkRead(t, fab, err)
		}
	})
}

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
