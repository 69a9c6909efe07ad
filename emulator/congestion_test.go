package emulator_test

import (
	"bytes"
	"testing"

	"weft/fabric"
	"weft/wire"
	"weft/wire/mad"
)

// cc asks for congestion control at a LID; nil where no answer comes.
func (b *bed) cc(lid uint16, method mad.Method, attr mad.AttrID, mod uint32, key uint64, fill func([]byte)) mad.Datagram {
	b.t.Helper()
	m, err := mad.Request{Method: method, Attr: attr, Modifier: mod, Key: key}.Congestion(make([]byte, wire.Size))
	if err != nil {
		b.t.Fatal(err)
	}
	if fill != nil {
		fill(m.Data())
	}
	got := b.answers(b.send(&wire.Datagram{Addr: wire.ToLID(lid, 1), MAD: m}))
	if len(got) == 0 {
		return nil
	}
	return got[0]
}

// Devices store the congestion control settings of their kind until they are switched off, and
// require their key if they have one.
func TestCongestionControl(t *testing.T) {
	b := newBed(t, star(t))
	b.configure()
	host := b.lid(b.at)
	sw := fabric.End{Node: b.s.Fabric().Peer(b.at).Node}
	at := b.lid(sw)
	status := func(d mad.Datagram) mad.Status {
		if d == nil {
			return 0xFFFF
		}
		return d.Status()
	}
	info := b.cc(host, mad.Get, mad.AttrCongestionInfo, 0, 0, nil)
	if status(info) != mad.StatusOK || mad.CongestionInfoTableCap.Get(info.Data()) != 2 {
		t.Fatalf("CongestionInfo: %v", info)
	}
	for _, c := range []struct {
		lid  uint16
		attr mad.AttrID
		mod  uint32
		want mad.Status
		size int
	}{
		{at, mad.AttrSwitchCongestionSetting, 0, mad.StatusOK, mad.SwitchCongestionSetting.Size},
		{at, mad.AttrSwitchPortCongestionSetting, 0, mad.StatusOK, mad.SwitchPortCongestionSetting.Size},
		{at, mad.AttrSwitchPortCongestionSetting, 7, mad.StatusBadField, 0},
		{at, mad.AttrCACongestionSetting, 0, mad.StatusBadAttribute, 0},
		{host, mad.AttrCACongestionSetting, 0, mad.StatusOK, mad.CACongestionSetting.Size},
		{host, mad.AttrCongestionControlTable, 1, mad.StatusOK, mad.CongestionControlTable.Size},
		{host, mad.AttrCongestionControlTable, 2, mad.StatusBadField, 0},
		{host, mad.AttrSwitchCongestionSetting, 0, mad.StatusBadAttribute, 0},
		{host, 0x77, 0, mad.StatusBadAttribute, 0},
	} {
		sent := make([]byte, 192)
		got := b.cc(c.lid, mad.Set, c.attr, c.mod, 0, func(d []byte) {
			for i := range d {
				d[i] = byte(i*7 + 1)
			}
			copy(sent, d)
		})
		if status(got) != c.want {
			t.Errorf("Set of 0x%x[%d]: %v, want %v", uint16(c.attr), c.mod, got, c.want)
			continue
		}
		if c.want != mad.StatusOK {
			continue
		}
		clear(sent[c.size:])
		if read := b.cc(c.lid, mad.Get, c.attr, c.mod, 0, nil); status(read) != mad.StatusOK || !bytes.Equal(read.Data()[:192], sent) {
			t.Errorf("0x%x[%d] holds % x, want % x", uint16(c.attr), c.mod, read.Data(), sent)
		}
	}
	// A key: Sets need it, Gets where it protects them too.
	for _, protect := range []uint64{0, 1} {
		b.cc(host, mad.Set, mad.AttrCongestionKeyInfo, 0, 9, func(d []byte) {
			mad.CongestionKeyInfoKey.Put(d, 9)
			mad.CongestionKeyInfoProtect.Put(d, protect)
		})
		if d := b.cc(host, mad.Set, mad.AttrCACongestionSetting, 0, 8, nil); d != nil {
			t.Errorf("a Set with a wrong key: %v", d)
		}
		if d := b.cc(host, mad.Get, mad.AttrCACongestionSetting, 0, 8, nil); (d == nil) != (protect == 1) {
			t.Errorf("protect %d, a Get with a wrong key: %v", protect, d)
		}
		if d := b.cc(host, mad.Set, mad.AttrCACongestionSetting, 0, 9, nil); status(d) != mad.StatusOK {
			t.Errorf("a Set with the key: %v", d)
		}
	}
	if d := b.cc(host, mad.Get, mad.AttrCongestionKeyInfo, 0, 9, nil); mad.CongestionKeyInfoViolations.Get(d.Data()) != 3 {
		t.Errorf("violations: %v", d)
	}
	if err := b.s.SetCongestionControl(sw.Node, false); err != nil {
		t.Fatal(err)
	}
	if d := b.cc(at, mad.Get, mad.AttrSwitchCongestionSetting, 0, 0, nil); status(d) == mad.StatusOK {
		t.Errorf("a switch without congestion control: %v", d)
	}
	if c, err := b.s.Congestion(b.at); err != nil || c == nil || len(c.Table) != 2 {
		t.Error(c, err)
	}
}
