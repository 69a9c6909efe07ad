package mad

import (
	"bytes"
	enchex "encoding/hex"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// vector is a line of testdata/vectors/INDEX.tsv with the datagram it names,
// the headers of ibsim and umad taken off.
type vector struct {
	name, layer, note           string
	class, method, attr, modify uint64
	compare                     int
	mad                         []byte
	frame                       []byte // the bytes cut off, or a whole control datagram
}

var frameSize = map[string]int{"mad": 0, "sim_request": 32, "umad": 64, "sim_ctl": 80}

func readVectors(tb testing.TB) []vector {
	tb.Helper()
	index, err := os.ReadFile("testdata/vectors/INDEX.tsv")
	if err != nil {
		tb.Fatal(err)
	}
	var all []vector
	for line := range strings.Lines(string(index)) {
		c := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") || len(c) < 11 {
			continue
		}
		b := readHex(tb, c[0])
		v := vector{name: c[0], layer: c[2], note: c[10], mad: b[frameSize[c[2]]:], frame: b[:frameSize[c[2]]]}
		for i, field := range []*uint64{&v.class, &v.method, &v.attr, &v.modify} {
			*field, _ = strconv.ParseUint(c[4+i], 16, 32)
		}
		v.compare, _ = strconv.Atoi(c[8])
		if n, _ := strconv.Atoi(c[1]); n != len(b) {
			tb.Fatalf("%s has %d bytes, the index says %d", c[0], len(b), n)
		}
		all = append(all, v)
	}
	files, _ := filepath.Glob("testdata/vectors/*.hex")
	if len(all) == 0 || len(all) != len(files) {
		tb.Fatalf("%d vectors in the index, %d files", len(all), len(files))
	}
	return all
}

func readHex(tb testing.TB, name string) []byte {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join("testdata/vectors", name))
	if err != nil {
		tb.Fatal(err)
	}
	var digits strings.Builder
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			digits.WriteString(strings.Join(strings.Fields(line), ""))
		}
	}
	b, err := enchex.DecodeString(digits.String())
	if err != nil {
		tb.Fatalf("%s: %v", name, err)
	}
	return b
}

func dump(tb testing.TB, b []byte) (string, error) {
	tb.Helper()
	var out bytes.Buffer
	err := Dump(&out, b)
	return out.String(), err
}

// madVectors are the vectors that hold a whole management datagram.
func madVectors(tb testing.TB) []vector {
	var all []vector
	for _, v := range readVectors(tb) {
		if v.layer != "sim_ctl" && len(v.mad) >= saData {
			all = append(all, v)
		}
	}
	return all
}

func TestVectorsPrintAndEncode(t *testing.T) {
	for _, v := range madVectors(t) {
		t.Run(v.name, func(t *testing.T) {
			text, err := dump(t, v.mad)
			if err != nil {
				t.Fatal(err)
			}
			back, err := Parse([]byte(text))
			if err != nil {
				t.Fatalf("%v in\n%s", err, text)
			}
			if !bytes.Equal(back, v.mad) {
				t.Fatalf("came back as\n%x\nwant\n%x\nfrom\n%s", back, v.mad, text)
			}
		})
	}
}

// The index is what the capture knew of each datagram.
func TestVectorsHeaders(t *testing.T) {
	for _, v := range madVectors(t) {
		d := Datagram(v.mad)
		if v.layer != "mad" {
			continue
		}
		if uint64(d.Class()) != v.class || uint64(d.Method()) != v.method || uint64(d.Attr()) != v.attr || uint64(d.Modifier()) != v.modify {
			t.Errorf("%s: %v, want %02x %02x %04x %08x", v.name, d, v.class, v.method, v.attr, v.modify)
		}
	}
}

// unnamed are the vectors with bits, before the index's compare column, that no
// field stands for.
var unnamed = map[string]string{
	"smp-mlnxextportinfo-get.req.hex":         "stack of the sender",
	"sminfo-lid-get-master.rep.hex":           "heap behind the attribute",
	"trap128-repress.hex":                     "heap behind the attribute",
	"trap144-repress.hex":                     "heap behind the attribute",
	"umad-kernel-vendor-request-received.hex": "a class without layouts",
	"umad-kernel-vendor-reply-received.hex":   "a class without layouts",
	"umad-kernel-rmpp-1rec.hex":               "counting bytes instead of a record",
	"umad-kernel-rmpp-2rec-reassembled.hex":   "counting bytes instead of records",
}

// Raw lines begin with @ and say where they begin.
func TestVectorsAreNamed(t *testing.T) {
	for _, v := range madVectors(t) {
		text, _ := dump(t, v.mad)
		first := len(v.mad)
		for line := range strings.Lines(text) {
			if number, _, ok := strings.Cut(strings.TrimPrefix(line, "@"), ": "); ok && line[0] == '@' {
				off, _ := strconv.Atoi(number)
				first = min(first, off)
			}
		}
		raw := first < v.compare-len(v.frame)
		if why, known := unnamed[v.name]; raw != known {
			t.Errorf("%s: unnamed bits at %d of %d; known reason: %q", v.name, first, v.compare, why)
		}
	}
}

// TestControlVectorsHoldAttributes: ibsim's control datagrams carry the attributes of SMPs.
func TestControlVectorsHoldAttributes(t *testing.T) {
	info := readHex(t, "ibsim-ctl-getnodeinfo.rep.hex")[16:]
	if got := NodeInfoNodeGUID.Get(info); got != 0x100000 {
		t.Errorf("NodeGUID 0x%x", got)
	}
	port := readHex(t, "ibsim-ctl-getportinfo.rep.hex")[16:]
	if got := PortInfoPhysicalState.Get(port); got != PhysLinkUp {
		t.Errorf("PortPhysicalState %d", got)
	}
	keys := readHex(t, "ibsim-ctl-getpkeys.rep.hex")[16:]
	if got := PKeyTablePKey.At(keys, 0); got != DefaultPKey {
		t.Errorf("P_Key 0x%x", got)
	}
}
