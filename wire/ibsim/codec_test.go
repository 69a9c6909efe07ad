package ibsim_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/wire"
	"weft/wire/ibsim"
	"weft/wire/mad"
	"weft/wire/wiretest"
)

func vectors(tb testing.TB, pattern string) map[string][]byte {
	tb.Helper()
	files, _ := filepath.Glob(filepath.Join("testdata", pattern))
	if len(files) == 0 {
		tb.Fatalf("no vectors %s", pattern)
	}
	all := map[string][]byte{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			tb.Fatal(err)
		}
		b, err := wiretest.ParseHex(text)
		if err != nil {
			tb.Fatalf("%s: %v", name, err)
		}
		all[filepath.Base(name)] = b
	}
	return all
}

// TestDataVectors: every captured datagram is read and written back byte for byte,
// but for the padding.
func TestDataVectors(t *testing.T) {
	for name, b := range vectors(t, "ibsim-data-*.hex") {
		d, err := ibsim.ParseData(b)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if want := strings.Contains(name, "dropped"); d.Undelivered != want {
			t.Errorf("%s: undelivered %v", name, d.Undelivered)
		}
		again, err := ibsim.AppendData(nil, &d)
		clear(b[20:24])
		if err != nil || !bytes.Equal(again, b) {
			t.Errorf("%s: %v\n got %x\nwant %x", name, err, again, b)
		}
	}
	d, err := ibsim.ParseData(vectors(t, "ibsim-data-trap.hex")["ibsim-data-trap.hex"])
	if err != nil || d.Addr != (wire.Address{DLID: 1, SLID: 2}) || d.MAD.Method() != mad.Trap {
		t.Errorf("the trap: %+v %v, %v", d.Addr, d.MAD.Method(), err)
	}
}

func TestControlVectors(t *testing.T) {
	for name, b := range vectors(t, "ibsim-ctl-*.hex") {
		c, err := ibsim.ParseControl(b)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if again := c.Append(nil); !bytes.Equal(again, b) {
			t.Errorf("%s\n got %x\nwant %x", name, again, b)
		}
		if c.Type == ibsim.ControlConnect {
			client := c.Client()
			if client.Node != "H-000-00" {
				t.Errorf("%s: %+v", name, client)
			}
			again := ibsim.Control{Type: c.Type, Slot: c.Slot}
			if err := client.Put(&again); err != nil || again != c {
				t.Errorf("%s: %v\n got %+v\nwant %+v", name, err, again, c)
			}
		}
	}
}

func TestMalformed(t *testing.T) {
	good, err := ibsim.AppendData(nil, &wire.Datagram{MAD: make(mad.Datagram, mad.Size)})
	if err != nil {
		t.Fatal(err)
	}
	long, short := bytes.Clone(good), bytes.Clone(good)
	long[30], short[30] = 2, 0
	for name, b := range map[string][]byte{"empty": nil, "short": good[:287], "long": append(good, 0), "MAD too long": long, "MAD too short": short} {
		if _, err := ibsim.ParseData(b); err == nil {
			t.Errorf("%s was read", name)
		}
	}
	control := new(ibsim.Control).Append(nil)
	wrong := bytes.Clone(control)
	wrong[0]++
	for name, b := range map[string][]byte{"empty": nil, "short": control[:79], "long": append(control, 0), "magic": wrong} {
		if _, err := ibsim.ParseControl(b); err == nil {
			t.Errorf("control: %s was read", name)
		}
	}
	for _, n := range []int{0, mad.Header.Size - 1, mad.Size + 1} {
		if _, err := ibsim.AppendData(nil, &wire.Datagram{MAD: make(mad.Datagram, n)}); !errors.Is(err, wire.ErrMalformed) {
			t.Errorf("a MAD of %d bytes: %v", n, err)
		}
	}
	for _, node := range []string{strings.Repeat("x", 32), "a\x00b"} {
		if err := (&ibsim.Client{Node: node}).Put(new(ibsim.Control)); err == nil {
			t.Errorf("node %q was taken", node)
		}
	}
}

func FuzzParseData(f *testing.F) {
	for _, b := range vectors(f, "ibsim-data-*.hex") {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := ibsim.ParseData(b)
		if err != nil {
			return
		}
		again, err := ibsim.AppendData(nil, &d)
		if err != nil {
			t.Fatal(err)
		}
		d2, err := ibsim.ParseData(again)
		if err != nil || d2.Addr != d.Addr || d2.Undelivered != d.Undelivered || !bytes.Equal(d2.MAD, d.MAD) {
			t.Fatalf("%+v became %+v, %v", d, d2, err)
		}
	})
}

func FuzzParseControl(f *testing.F) {
	for _, b := range vectors(f, "ibsim-ctl-*.hex") {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := ibsim.ParseControl(b)
		if err != nil {
			return
		}
		if again := c.Append(nil); !bytes.Equal(again, b) {
			t.Fatalf("%x became %x", b, again)
		}
		client := c.Client()
		if err := client.Put(&c); err != nil {
			t.Fatal(err)
		}
		if again := c.Client(); again != client {
			t.Fatalf("%+v became %+v", client, again)
		}
	})
}

// The protocol carries no Q_Key: that of QP 1 is known.
func TestQKey(t *testing.T) {
	for qp, want := range []uint32{0, wire.QKeyGSI, 0} {
		sent := wire.Datagram{Addr: wire.Address{DLID: 1, DQP: uint32(qp)}, MAD: make(mad.Datagram, mad.Size)}
		b, err := ibsim.AppendData(nil, &sent)
		if err != nil {
			t.Fatal(err)
		}
		if d, err := ibsim.ParseData(b); err != nil || d.Addr.QKey != want {
			t.Errorf("QP %d: Q_Key %#x (%v), want %#x", qp, d.Addr.QKey, err, want)
		}
	}
}
