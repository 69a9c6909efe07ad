package mad

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// everyField calls do for every declaration of every layout.
func everyField(t *testing.T, do func(*testing.T, *Layout, *Decl)) {
	t.Helper()
	fields := 0
	for _, l := range layouts {
		for _, f := range l.Fields() {
			fields++
			do(t, l, f)
		}
	}
	if fields < 460 {
		t.Fatalf("only %d fields are declared", fields)
	}
}

func TestFieldsFitTheirLayout(t *testing.T) {
	everyField(t, func(t *testing.T, l *Layout, f *Decl) {
		if f.Off < 0 || f.Width < 1 || f.End() > l.Size*8 {
			t.Errorf("%s.%s: bits %d..%d of %d", l.Name, f.Name, f.Off, f.End(), l.Size*8)
		}
		if f.Clause == "" || f.Name == "" || strings.ContainsAny(f.Name, " :[@") {
			t.Errorf("%s.%s: clause %q", l.Name, f.Name, f.Clause)
		}
		if f.Count > 1 && f.Stride < f.Width {
			t.Errorf("%s.%s: elements of %d bits every %d", l.Name, f.Name, f.Width, f.Stride)
		}
		for _, v := range f.values.names {
			if f.values.bits && v.v >= uint64(f.Width) || !f.values.bits && v.v>>f.Width != 0 {
				t.Errorf("%s.%s: %q is no value of %d bits", l.Name, f.Name, v.name, f.Width)
			}
		}
	})
}

func TestFieldsDoNotOverlap(t *testing.T) {
	for _, l := range layouts {
		names := map[string]bool{}
		owner := make([]string, l.Size*8)
		for _, f := range l.Fields() {
			if names[f.Name] {
				t.Errorf("%s has two fields %s", l.Name, f.Name)
			}
			names[f.Name] = true
			for i := 0; i < f.Count && !f.Union(); i++ {
				for bit := f.Off + i*f.Stride; bit < f.Off+i*f.Stride+f.Width; bit++ {
					if owner[bit] != "" {
						t.Fatalf("%s: bit %d is of %s and of %s", l.Name, bit, owner[bit], f.Name)
					}
					owner[bit] = f.Name
				}
			}
		}
	}
}

// dumbGet reads bits one by one.
func dumbGet(b []byte, off, width int) (v uint64) {
	for bit := off; bit < off+width; bit++ {
		v = v<<1 | uint64(b[bit/8]>>(7-bit%8)&1)
	}
	return v
}

// dumbPut writes bits one by one.
func dumbPut(b []byte, off, width int, v uint64) {
	for i := range width {
		bit := off + width - 1 - i
		b[bit/8] = b[bit/8]&^(1<<(7-bit%8)) | byte(v>>i&1)<<(7-bit%8)
	}
}

// Get and Put agree with reading and writing bit by bit, in bytes that are as
// short as a layout may be, whatever lies around the field.
func TestGetAndPut(t *testing.T) {
	everyField(t, func(t *testing.T, l *Layout, f *Decl) {
		if f.wide {
			return
		}
		rapid.Check(t, func(r *rapid.T) {
			size := max(l.Size, 8)
			b := rapid.SliceOfN(rapid.Byte(), size, size).Draw(r, "bytes")
			v := rapid.Uint64().Draw(r, "value")
			i := rapid.IntRange(0, f.Count-1).Draw(r, "element")
			off, h := f.Off+i*f.Stride, f.element(i)
			if got, want := h.Get(b), dumbGet(b, off, f.Width); got != want {
				r.Fatalf("%s.%s[%d]: %#x, want %#x", l.Name, f.Name, i, got, want)
			}
			want := bytes.Clone(b)
			dumbPut(want, off, f.Width, v)
			h.Put(b, v)
			if !bytes.Equal(b, want) {
				r.Fatalf("%s.%s[%d]: Put made %x, want %x", l.Name, f.Name, i, b, want)
			}
			if h.Is(b) != (h.Get(b) != 0) {
				r.Fatal("Is disagrees with Get")
			}
		})
	})
}

func TestBytesHandles(t *testing.T) {
	b := bytes.Repeat([]byte{0xAA}, ServiceRecord.Size)
	ServiceRecordName.Put(b, []byte("name"))
	if got := ServiceRecordName.Text(b); got != "name" {
		t.Errorf("name is %q", got)
	}
	if b[47] != 0xAA || b[112] != 0xAA || b[111] != 0 {
		t.Error("Put wrote beside its range or left the rest of it")
	}
	ServiceRecordName.Put(b, bytes.Repeat([]byte{'x'}, 100))
	if got := ServiceRecordName.Text(b); got != strings.Repeat("x", 64) || b[112] != 0xAA {
		t.Errorf("name is %q, then %#x", got, b[112])
	}
	table := make([]byte, 64)
	LinearForwardingTablePort.Set(table, 5, 17)
	if raw := LinearForwardingTablePort.Raw(table); raw[5] != 17 || len(raw) != LFTBlock || LinearForwardingTablePort.Len() != LFTBlock {
		t.Errorf("raw table %v", raw)
	}
}

// The masks of mads.md, by hand.
func TestComponentMasks(t *testing.T) {
	for _, c := range []struct {
		record *Layout
		field  Handle
		want   uint64
	}{
		{NodeRecord, NodeRecordLID, 1 << 0},
		{NodeRecord, NodeInfoNodeType, 1 << 4},
		{NodeRecord, NodeInfoVendorID, 1 << 13},
		{NodeRecord, NodeDescriptionText, 1 << 14},
		{PortInfoRecord, PortInfoRecordOptions, 1 << 2},
		{PortInfoRecord, PortInfoCapabilityMask, 1 << 7},
		{PortInfoRecord, PortInfoMKeyProtectBits, 1 << 18},
		{PortInfoRecord, PortInfoLMC, 1 << 20},
		{PortInfoRecord, PortInfoOperationalVLs, 1 << 34},
		{PortInfoRecord, PortInfoClientReregister, 1 << 43},
		{PortInfoRecord, PortInfoSubnetTimeOut, 1 << 45},
		{PortInfoRecord, PortInfoMaxCreditHint, 1 << 50},
		{PortInfoRecord, PortInfoSpeedExtSupported, 1 << 55},
		{PortInfoRecord, PortInfoSpeedExtEnabled, 1 << 57},
		{PathRecord, PathRecordServiceID, 3},
		{PathRecord, PathRecordSL, 1 << 15},
		{PathRecord, PathRecordPacketLifeTime, 1 << 21},
		{MultiPathRecord, MultiPathRecordServiceIDLow, 1 << 21},
		{MCMemberRecord, MCMemberRecordJoinState, 1 << 16},
		{GUIDInfoRecord, GUIDInfoGUID, 0xFF << 4},
		{ServiceRecord, ServiceRecordData8, 0xFFFF << 7},
		{ServiceRecord, ServiceRecordData64, 3 << 35},
		{InformInfoRecord, InformInfoQPN, 1 << 11},
		{InformInfoRecord, InformInfoProducerType, 1 << 15},
		{SMInfoRecord, SMInfoSMState, 1 << 6},
		{MulticastForwardingTableRecord, MulticastForwardingTableRecordBlock, 1 << 3},
		{PathRecord, NodeRecordLID, 0},
		{PathRecord, PathRecordPreference, 0},
	} {
		if got := c.record.Component(c.field.Decl()); got != c.want {
			t.Errorf("%s: %s is 0x%x, want 0x%x", c.record.Name, c.field.Decl().Name, got, c.want)
		}
	}
	if got := PathRecord.Mask(PathRecordDGID, PathRecordSGID, PathRecordNumbPath); got != 0x100C {
		t.Errorf("mask 0x%x", got)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("a field without a component bit was taken into a mask")
			}
		}()
		PathRecord.Mask(PathRecordPreference)
	}()
	for _, l := range layouts {
		seen := uint64(0)
		masks := []uint64{}
		for _, f := range l.decls {
			masks = append(masks, f.component)
		}
		for _, c := range l.parts {
			masks = append(masks, c.mask)
		}
		for _, m := range masks {
			if seen&m != 0 {
				t.Errorf("%s: bits 0x%x stand for two fields", l.Name, seen&m)
			}
			seen |= m
		}
	}
}

// A class calls every attribute number and every layout once; an attribute of
// a class fits its datagram.
func TestAttributesFitTheirClass(t *testing.T) {
	for _, c := range []Class{ClassSMP, ClassDirectedSMP, ClassSA, ClassPerf, ClassCC} {
		ids, names := map[AttrID]bool{}, map[string]bool{}
		for _, a := range c.attributes() {
			if ids[a.id] || names[a.layout.Name] {
				t.Errorf("%v: 0x%04x %s is there twice", c, a.id, a.layout.Name)
			}
			ids[a.id], names[a.layout.Name] = true, true
			room := len(make(Datagram, Size)[c.dataOffset():])
			if c == ClassSMP || c == ClassDirectedSMP {
				room = 64
			}
			if a.layout.Size > room {
				t.Errorf("%v: %s has %d bytes", c, a.layout.Name, a.layout.Size)
			}
		}
	}
	if Class(0x32).Attribute(0x11) != nil || ClassSMP.Attribute(0x7777) != nil {
		t.Error("an unknown attribute has a layout")
	}
}

func TestLayoutCheckNamesWhatIsMissing(t *testing.T) {
	for _, l := range layouts {
		need := max(l.Size, 8)
		if err := l.Check(make([]byte, need)); err != nil {
			t.Errorf("%s: %v", l.Name, err)
		}
		for n := range need {
			short := new(ShortError)
			if err := l.Check(make([]byte, n)); !errors.As(err, &short) {
				t.Fatalf("%s with %d bytes: %v", l.Name, n, err)
			}
			if short.Layout != l || short.Field != nil && short.Field.End() <= n*8 {
				t.Fatalf("%s with %d bytes: %v", l.Name, n, short)
			}
		}
	}
	err := NodeInfo.Check(make([]byte, 15))
	if want := "mad: 15 bytes of 40: NodeInfo.NodeGUID is missing"; err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
