package mad

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestEveryTruncationIsAnError: each shorter prefix of each vector gives an error that names the
// missing field. One prefix is a datagram by itself: the first segment of a reassembled message.
func TestEveryTruncationIsAnError(t *testing.T) {
	for _, v := range madVectors(t) {
		if err := Check(v.mad); err != nil {
			t.Fatalf("%s: %v", v.name, err)
		}
		for n := range v.mad {
			if n == Size {
				continue
			}
			short := new(ShortError)
			if err := Check(v.mad[:n]); !errors.As(err, &short) {
				t.Fatalf("%s cut to %d bytes: %v", v.name, n, err)
			}
			if short.Have != n || short.Need <= n || short.Field == nil && n < Header.Size {
				t.Fatalf("%s cut to %d bytes: %v", v.name, n, short)
			}
			var out bytes.Buffer
			if err := Dump(&out, v.mad[:n]); !errors.As(err, &short) {
				t.Fatalf("%s cut to %d bytes: Dump says %v", v.name, n, err)
			}
			back, err := Parse(out.Bytes())
			if err != nil || !bytes.Equal(back, v.mad[:n]) {
				t.Fatalf("%s cut to %d bytes came back as %x, %v", v.name, n, back, err)
			}
		}
	}
}

func TestTruncationNamesTheField(t *testing.T) {
	for _, c := range []struct {
		vector string
		from   int // bytes in front of the datagram
		have   int
		want   string
	}{
		{"smp-nodeinfo-get-farca.rep", 0, 0, "mad: 0 bytes of 256: Header.BaseVersion is missing"},
		{"smp-nodeinfo-get-farca.rep", 0, 15, "mad: 15 bytes of 256: Header.TransactionID is missing"},
		{"smp-nodeinfo-get-farca.rep", 0, 24, "mad: 24 bytes of 256: DirectedSMP.M_Key is missing"},
		{"smp-nodeinfo-get-farca.rep", 0, 75, "mad: 75 bytes of 256: NodeInfo.SystemImageGUID is missing"},
		{"smp-nodeinfo-get-farca.rep", 0, 150, "mad: 150 bytes of 256: DirectedSMP.InitialPath is missing"},
		{"smp-lid-nodeinfo-get.rep", 0, 200, "mad: 200 bytes of 256: reserved bytes are missing"},
		{"trap144", 0, 80, "mad: 80 bytes of 256: Notice.DataDetails is missing"},
		{"sa-pathrecord-get.rep", 0, 40, "mad: 40 bytes of 256: SAHeader.SM_Key is missing"},
		{"sa-pathrecord-get.rep", 0, 97, "mad: 97 bytes of 256: PathRecord.DLID is missing"},
		{"perf-portcountersext-get.rep", 0, 100, "mad: 100 bytes of 256: PortCountersExtended.PortRcvPkts is missing"},
		{"umad-kernel-rmpp-1rec", 64, 167, "mad: 167 bytes of 168: reserved bytes are missing"},
		{"umad-kernel-rmpp-1rec", 64, 90, "mad: 90 bytes of 168: NodeInfo.DeviceID is missing"},
		{"umad-kernel-rmpp-2rec-reassembled", 64, 200, "mad: 200 bytes of 280: NodeInfo.PartitionCap is missing"},
	} {
		err := Check(readHex(t, c.vector+".hex")[c.from : c.from+c.have])
		if err == nil || err.Error() != c.want {
			t.Errorf("%s cut to %d: %v, want %s", c.vector, c.have, err, c.want)
		}
	}
}

func TestTooLong(t *testing.T) {
	smp := append(readHex(t, "smp-lft-set.req.hex"), 0)
	if err := Check(smp); err == nil || !strings.Contains(err.Error(), "257 bytes, the datagram has 256") {
		t.Errorf("an SMP of 257 bytes: %v", err)
	}
	message := append(readHex(t, "umad-kernel-rmpp-1rec.hex")[64:], 0)
	if err := Check(message); err == nil || !strings.Contains(err.Error(), "the datagram has 168") {
		t.Errorf("a message that is a byte longer than it says: %v", err)
	}
}

// The segments of a message hold all its data once, and the first one says how
// long it is.
func TestSegments(t *testing.T) {
	d := make(Datagram, Size)
	d[1] = byte(ClassSA)
	for total := range 1000 {
		n, next := 0, 0
		for last := false; !last; {
			n++
			from, to := d.PutSegment(n, total)
			if from != next || to-from > RMPPSegmentData || to == from && total > 0 {
				t.Fatalf("%d bytes: segment %d holds %d..%d", total, n, from, to)
			}
			if n == 1 && d.MessageLength() != saData+total || n > 1 && d.MessageLength() != 0 {
				t.Fatalf("%d bytes: segment %d says that the message has %d", total, n, d.MessageLength())
			}
			next, last = to, RMPPFlags.Get(d)&RMPPLast != 0
		}
		if next != total {
			t.Fatalf("%d bytes: the segments hold %d", total, next)
		}
	}
	for name, total := range map[string]int{"umad-kernel-rmpp-1rec": 112, "umad-kernel-rmpp-2rec-reassembled": 224} {
		want := readHex(t, name+".hex")[64:]
		d.PutSegment(1, total)
		if !bytes.Equal(d[24:36], want[24:36]) {
			t.Errorf("%s: header %x, want %x", name, d[24:36], want[24:36])
		}
	}
	d.PutAck(3, 9)
	if RMPPType.Get(d) != RMPPTypeAck || RMPPSegmentNumber.Get(d) != 3 || RMPPNewWindowLast.Get(d) != 9 || d.MessageLength() != 0 {
		t.Errorf("acknowledgement %x", d[24:36])
	}
}

func TestMessageLengthThatCannotBe(t *testing.T) {
	d := make(Datagram, Size)
	d[1] = byte(ClassSA)
	RMPPType.Put(d, RMPPTypeData)
	for _, c := range []struct{ flags, length uint64 }{
		{RMPPActive | RMPPFirst, 0},
		{RMPPActive | RMPPFirst, 19},
		{RMPPActive | RMPPFirst, 239},
		{RMPPActive | RMPPFirst | RMPPLast, 240},
		{RMPPActive, 220},
		{RMPPFirst, 220},
	} {
		RMPPFlags.Put(d, c.flags)
		RMPPPayloadLength.Put(d, c.length)
		if got := d.MessageLength(); got != 0 {
			t.Errorf("flags %d, length %d: %d", c.flags, c.length, got)
		}
	}
}

// A message of open length ends with its last record.
func TestMessageOfOpenLength(t *testing.T) {
	d := make(Datagram, saData+3*112)
	copy(d, readHex(t, "umad-kernel-rmpp-2rec-reassembled.hex")[64:])
	RMPPPayloadLength.Put(d, 0)
	if size, n := d.Records(); size != 112 || n != 3 {
		t.Errorf("%d records of %d bytes", n, size)
	}
	if err := Check(d); err != nil {
		t.Error(err)
	}
	short := new(ShortError)
	if err := Check(d[:len(d)-30]); !errors.As(err, &short) || short.Layout != NodeDescription || short.Need != len(d) {
		t.Errorf("cut: %v", err)
	}
}

// A length that was forged costs no memory.
func TestForgedLength(t *testing.T) {
	d := Datagram(readHex(t, "umad-kernel-rmpp-2rec-reassembled.hex")[64:])
	RMPPPayloadLength.Put(d, 0xFFFFFFF0)
	err := Check(d)
	if short := new(ShortError); !errors.As(err, &short) || short.Need < 1<<31 {
		t.Errorf("%v", err)
	}
	if n := testing.AllocsPerRun(1, func() { _ = Check(d) }); n > 50 {
		t.Errorf("%v allocations", n)
	}
}

func TestDumpOfTheUnknown(t *testing.T) {
	b := make([]byte, Size)
	d, err := Request{Method: Get, Attr: 0x7777, TID: 5}.New(b, 0x32)
	if err != nil {
		t.Fatal(err)
	}
	copy(d[40:], "vendor")
	text, err := dump(t, d)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"datagram 256 bytes: 0x32 Get 0x7777 tid 0x5\n", "  AttributeID: 0x7777\n", fmt.Sprintf("@40: %x\n", "vendor")} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestParseErrors(t *testing.T) {
	const head = "datagram 256 bytes\n"
	for text, want := range map[string]string{
		"":                                      "mad: no line says how long the datagram is (want: datagram 256 bytes)",
		"# nothing\n":                           "mad: no line says how long the datagram is (want: datagram 256 bytes)",
		"Header @0\n":                           `mad: line 1: "Header @0" before the line that says how long the datagram is`,
		"datagram x bytes\n":                    `mad: line 1: "x" is not a length of up to 16777216 bytes`,
		"datagram 99999999 bytes\n":             `mad: line 1: "99999999" is not a length of up to 16777216 bytes`,
		head + head:                             "mad: line 2: a second datagram begins",
		head + "Head @0\n":                      `mad: line 2: no layout is called "Head"`,
		head + "Header @257\n":                  `mad: line 2: "@257" is not an offset in 256 bytes`,
		head + "  LID: 1\n":                     `mad: line 2: "LID: 1" is not a field of a layout`,
		head + "Header @0\n  LID: 1\n":          `mad: line 3: Header has no field "LID"`,
		head + "Header @0\n  LID\n":             `mad: line 3: "LID" is not a field of a layout`,
		head + "PortInfo @64\n  LMC: 8\n":       `mad: line 3: PortInfo.LMC: "8" is not a number of 3 bits`,
		head + "PortInfo @64\n  LMC: two\n":     `mad: line 3: PortInfo.LMC: "two" is not a number of 3 bits`,
		head + "SMInfo @250\n  GUID: 1\n":       `mad: line 3: SMInfo.GUID does not fit 256 bytes`,
		head + "GUIDInfo @0\n  GUID[7]: 1 2\n":  `mad: line 3: GUIDInfo.GUID has 8 elements`,
		head + "GUIDInfo @0\n  GUID[x]: 1\n":    `mad: line 3: "x]" is not an index`,
		head + "GID @0\n  Prefix[1]: 1\n":       `mad: line 3: GID.Prefix has 1 elements`,
		head + "TrapGID @0\n  GID: nonsense\n":  `mad: line 3: TrapGID.GID: "nonsense" is not a value of 16 bytes`,
		head + "@255: 0102\n":                   `mad: line 2: "255: 0102" is not an offset and hexadecimal digits in 256 bytes`,
		head + "@0: 0x\n":                       `mad: line 2: "0: 0x" is not an offset and hexadecimal digits in 256 bytes`,
		head + "NodeRecord @0\n  NodeInfo: 1\n": `mad: line 3: NodeRecord has no field "NodeInfo"`,
	} {
		_, err := Parse([]byte(text))
		if got := fmt.Sprint(err); got != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// Text can be written by hand: comments, names left out, any base.
func TestParseByHand(t *testing.T) {
	d, err := Parse([]byte("# a trap\ndatagram 256 bytes\r\n\nHeader @0\n  MgmtClass: 1\n  Method: 0x5 (Trap)\nNotice @64\n  TrapNumber: 0x80\n@70: 0007\n"))
	if err != nil {
		t.Fatal(err)
	}
	if d.Method() != Trap || NoticeTrapNumber.Get(d.Data()) != 128 || NoticeIssuerLID.Get(d.Data()) != 7 {
		t.Errorf("read %v", d)
	}
}

func TestOneLine(t *testing.T) {
	for name, want := range map[string]string{
		"smp-vlarb-set-ca-low.req":           "DirectedSMP Set VLArbitrationTable modifier 0x10000 tid 0x129c",
		"sa-pkeyrecord-gettable-refused.rep": "SA GetTableResp P_KeyTableRecord tid",
		"sa-guidinforecord-get-toomany.rep":  "status 0x0400 too many records",
	} {
		b := readHex(t, name+".hex")
		if got := Datagram(b).String(); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if got := (Datagram{1, 2}).String(); got != "2 bytes" {
		t.Errorf("two bytes are %q", got)
	}
}
