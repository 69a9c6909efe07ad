package emulator_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/wire"
	"weft/wire/mad"
)

// fuzzBed is a subnet with programs that take everything.
func fuzzBed(t testing.TB) (*emulator.Subnet, emulator.ClientID) {
	s, err := emulator.New(chain(t), emulator.Options{KeepLIDs: true, TrapInterval: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	var first emulator.ClientID
	for i := range 2 {
		id, err := s.Attach(emulator.Client{
			At: fabric.End{Node: fabric.NodeID(2 + i), Port: 1}, ReturnLost: i == 0,
			Deliver: func(d *wire.Datagram) {
				if len(d.MAD) < mad.Header.Size {
					t.Error("a datagram without a header was delivered")
				}
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = id
		}
	}
	return s, first
}

// FuzzDatagrams sends arbitrary datagrams, one or several after the other, over
// directed routes and by LID.
func FuzzDatagrams(f *testing.F) {
	b, err := mad.Request{Method: mad.Set, Attr: mad.AttrPortInfo, Modifier: 1}.Directed(make([]byte, wire.Size), []byte{1, 2, 2})
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(b), uint16(0xFFFF), uint32(0))
	paths, _ := filepath.Glob("../wire/mad/testdata/vectors/*.hex")
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			f.Fatal(err)
		}
		if raw := unhex(string(text)); len(raw) == wire.Size {
			f.Add(raw, uint16(0xFFFF), uint32(0))
			f.Add(raw, uint16(2), uint32(1))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, lid uint16, qp uint32) {
		s, id := fuzzBed(t)
		for len(data) > 0 {
			n := min(len(data), wire.Size)
			m := make([]byte, n)
			copy(m, data)
			data = data[n:]
			s.Send(id, &wire.Datagram{Addr: wire.ToLID(lid, qp), MAD: m})
		}
		s.Advance(5 * time.Second)
		s.Tables()
		s.Lanes()
		s.Fabric()
	})
}

// unhex reads the hexadecimal bytes of a file with comments.
func unhex(text string) (out []byte) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for w := range strings.FieldsSeq(line) {
			var v byte
			for _, c := range []byte(w) {
				v = v<<4 | byte(strings.IndexByte("0123456789abcdef", c))
			}
			out = append(out, v)
		}
	}
	return out
}

// FuzzCommands gives arbitrary lines to the operator's interface.
func FuzzCommands(f *testing.F) {
	for line := range strings.Lines(emulator.CommandHelp) {
		f.Add(line)
	}
	for _, line := range []string{
		"link a 2 flap 1s", "node b reboot 2s", "connect a 3 a 4", "impair loss=0.5 late=1 lateby=3ms", "node a guid 0x101",
		`count "host 0" 1 3 9`, "link a 2 impair none",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, lines string) {
		s, id := fuzzBed(t)
		for line := range strings.Lines(lines) {
			_ = s.Do(line)
			m, err := mad.Request{Method: mad.Get, Attr: mad.AttrNodeInfo}.Directed(make([]byte, wire.Size), []byte{1, 2, 2})
			if err != nil {
				t.Fatal(err)
			}
			s.Send(id, &wire.Datagram{Addr: wire.Directed(), MAD: m})
			s.Advance(s.Now() + time.Second)
		}
		s.Fabric()
	})
}
