package watch

import (
	"strings"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/sm/partition"
	"weft/sm/terms"
	"weft/wire"
	"weft/wire/mad"
)

// before is a subnet that a manager has brought up, and into which the test writes what another
// one may have left.
type before struct {
	t   *testing.T
	v   *virtual
	raw emulator.ClientID
	got wire.Datagram
	key uint64 // M_Key of all ports

	own, leaf, spine, host fabric.GUID // nodes; host is not the manager's
}

// leftIn brings a subnet up.
func leftIn(t *testing.T, cfg terms.Config) *before {
	t.Helper()
	b := &before{t: t, v: staying(t, "rlft(4,2)", emulator.Options{}, cfg), key: cfg.Keys.One}
	if !b.v.isUp(t) {
		t.Fatalf("%v", b.v.manager.Result().Report.Incidents)
	}
	var err error
	b.raw, err = b.v.sub.Attach(emulator.Client{At: b.v.at, Deliver: func(d *wire.Datagram) { b.got.CopyFrom(d) }})
	if err != nil {
		t.Fatal(err)
	}
	l := b.v.manager.inForce
	b.own, b.leaf = l.Nodes[0].GUID, l.Nodes[l.Owner[l.Peer[l.OwnPort()]]].GUID
	for id := range l.Nodes {
		switch n := &l.Nodes[id]; {
		case n.Typ == fabric.CA && id > 0:
			b.host = n.GUID
		case n.Typ == fabric.Switch && n.GUID != b.leaf && len(n.Path) == 2:
			b.spine = n.GUID
		}
	}
	return b
}

// do sends an SMP to a node, and returns the attribute of the answer.
func (b *before) do(method mad.Method, id fabric.GUID, attr mad.AttrID, mod uint32, data []byte) []byte {
	b.t.Helper()
	l := b.v.manager.result.Ledger
	m, err := mad.Request{Method: method, Attr: attr, Modifier: mod, Key: b.key}.Directed(make([]byte, mad.Size), l.Nodes[l.ByGUID[id]].Path)
	if err != nil {
		b.t.Fatal(err)
	}
	copy(m.Data(), data)
	b.got = wire.Datagram{}
	b.v.sub.Send(b.raw, &wire.Datagram{Addr: wire.Directed(), MAD: m})
	if b.got.MAD == nil || mad.DirectedSMPStatus.Get(b.got.MAD)&0x7FFF != 0 {
		b.t.Fatalf("%s %v, modifier 0x%X, of node %s is not answered", method, attr, mod, id)
	}
	return b.got.MAD.Data()[:64]
}

// change sets fields of an attribute that a node has.
func (b *before) change(id fabric.GUID, attr mad.AttrID, mod uint32, change func(data []byte)) {
	b.t.Helper()
	data := append([]byte(nil), b.do(mad.Get, id, attr, mod, nil)...)
	if attr == mad.AttrPortInfo { // no change of a state, unless told
		mad.PortInfoPortState.Put(data, mad.PortNoChange)
		mad.PortInfoPhysicalState.Put(data, mad.PhysNoChange)
		mad.PortInfoLinkDownDefault.Put(data, 0)
	}
	change(data)
	b.do(mad.Set, id, attr, mod, data)
}

// field is a function that puts one value.
func field(f mad.Field, v uint64) func(data []byte) { return func(data []byte) { f.Put(data, v) } }

// holds reports whether a field of an attribute of a node has a value.
func (b *before) holds(id fabric.GUID, attr mad.AttrID, mod uint32, f mad.Field, v uint64) {
	b.t.Helper()
	if has := f.Get(b.do(mad.Get, id, attr, mod, nil)); has != v {
		b.t.Errorf("a field of %v, modifier 0x%X, of node %s is %d, not %d", attr, mod, id, has, v)
	}
}

// passes sends a packet of every SL from each host to each other one and to each switch, and back.
func (b *before) passes() {
	b.t.Helper()
	f := b.v.sub.Fabric()
	var lids []uint16
	for _, e := range endPorts(b.t, b.v.sub) {
		info, err := b.v.sub.PortInfo(e)
		if err != nil {
			b.t.Fatal(err)
		}
		lids = append(lids, uint16(mad.PortInfoLID.Get(info)))
	}
	came, sent := 0, 0
	for _, e := range endPorts(b.t, b.v.sub) {
		if f.Nodes[e.Node].Type != fabric.CA {
			continue
		}
		id, err := b.v.sub.Attach(emulator.Client{At: e, Deliver: func(*wire.Datagram) { came++ }})
		if err != nil {
			b.t.Fatal(err)
		}
		for _, lid := range lids {
			for sl := range uint8(16) {
				m, err := mad.Request{Method: mad.Get, Attr: mad.AttrClassPortInfo, TID: 1}.New(make([]byte, mad.Size), mad.ClassPerf)
				if err != nil {
					b.t.Fatal(err)
				}
				a := wire.ToLID(lid, 1)
				a.SL = sl
				sent++
				b.v.sub.Send(id, &wire.Datagram{Addr: a, MAD: m})
			}
		}
		b.v.sub.Detach(id)
	}
	if came != sent {
		b.t.Errorf("%d of %d packets are answered", came, sent)
	}
}

// lanes15 is an SL2VL table that drops all.
func lanes15(data []byte) {
	for sl := range 16 {
		mad.SLtoVLMappingTableVL.Set(data, sl, 15)
	}
}

// leftover is something that another manager, or ours with another configuration, may leave.
type leftover struct {
	name  string
	cfg   terms.Config // of the manager that finds it
	put   func(b *before)
	check func(b *before) // beside packets, LIDs, tables and states
	tells terms.IncidentKind
}

// pkeys writes the first block of a P_KeyTable.
func (b *before) pkeys(id fabric.GUID, mod uint32, keys ...uint16) {
	var data [64]byte
	for i, key := range keys {
		mad.PKeyTablePKey.Set(data[:], i, uint64(key))
	}
	b.do(mad.Set, id, mad.AttrPKeyTable, mod, data[:])
}

// hasKey reports whether an end port is in a partition.
func (b *before) hasKey(id fabric.GUID, key uint64) bool {
	data := b.do(mad.Get, id, mad.AttrPKeyTable, 0, nil)
	for i := range 32 {
		if mad.PKeyTablePKey.At(data, i) == key {
			return true
		}
	}
	return false
}

const everyPort = mad.SLtoVLAllInputs | mad.SLtoVLAllOutputs

// leftovers has a row for each row of the table in docs/operate.md.
func leftovers() []leftover {
	const info, swInfo = mad.AttrPortInfo, mad.AttrSwitchInfo
	return []leftover{
		{name: "SL2VL of a switch", put: func(b *before) { b.change(b.spine, mad.AttrSLtoVLMappingTable, everyPort, lanes15) }},
		{name: "SL2VL of one output", put: func(b *before) {
			b.change(b.spine, mad.AttrSLtoVLMappingTable, mad.SLtoVLAllInputs|mad.SLtoVLModifier(0, 2), lanes15)
		}},
		{name: "SL2VL of a host", put: func(b *before) { b.change(b.host, mad.AttrSLtoVLMappingTable, 0, lanes15) }},
		{name: "SL2VL with a VL that the link lacks", put: func(b *before) {
			b.change(b.host, mad.AttrSLtoVLMappingTable, 0, func(data []byte) { mad.SLtoVLMappingTableVL.Set(data, 0, 9) })
			b.change(b.host, mad.AttrVLArbitrationTable, mad.VLArbModifier(mad.VLArbHighLower, 0), func(data []byte) {
				mad.VLArbitrationTableVL.Set(data, 0, 9)
				mad.VLArbitrationTableWeight.Set(data, 0, 1)
			})
		}},
		{name: "arbitration of a switch port", put: func(b *before) {
			for port := range uint8(4) {
				b.do(mad.Set, b.spine, mad.AttrVLArbitrationTable, mad.VLArbModifier(mad.VLArbLowLower, port+1), make([]byte, 64))
			}
		}},
		{name: "arbitration of a host", put: func(b *before) {
			b.do(mad.Set, b.host, mad.AttrVLArbitrationTable, mad.VLArbModifier(mad.VLArbLowLower, 0), make([]byte, 64))
		}},
		{name: "operational VLs, MTU and patience", put: func(b *before) {
			b.change(b.spine, info, 1, func(data []byte) {
				mad.PortInfoOperationalVLs.Put(data, 1)
				mad.PortInfoNeighborMTU.Put(data, 1)
				mad.PortInfoHOQLife.Put(data, 0)
				mad.PortInfoVLStallCount.Put(data, 1)
			})
		}, check: func(b *before) {
			b.holds(b.spine, info, 1, mad.PortInfoOperationalVLs, 4)
			b.holds(b.spine, info, 1, mad.PortInfoNeighborMTU, 5)
			b.holds(b.spine, info, 1, mad.PortInfoHOQLife, 18)
			b.holds(b.spine, info, 1, mad.PortInfoVLStallCount, 7)
		}},
		{
			name: "packet life", put: func(b *before) { b.change(b.spine, swInfo, 0, field(mad.SwitchInfoLifeTimeValue, 0)) },
			check: func(b *before) { b.holds(b.spine, swInfo, 0, mad.SwitchInfoLifeTimeValue, 18) },
		},
		{name: "forwarding table", put: func(b *before) {
			b.change(b.spine, mad.AttrLinearForwardingTable, 0, func(data []byte) { data[3], data[4], data[5] = 1, 1, 255 })
		}},
		{name: "top of the forwarding table", put: func(b *before) { b.change(b.spine, swInfo, 0, field(mad.SwitchInfoLinearFDBTop, 2)) }},
		{name: "default multicast ports", put: func(b *before) {
			b.change(b.spine, swInfo, 0, func(data []byte) {
				mad.SwitchInfoDefaultMcastPrimary.Put(data, 1)
				mad.SwitchInfoDefaultMcastOther.Put(data, 2)
			})
		}, check: func(b *before) {
			b.holds(b.spine, swInfo, 0, mad.SwitchInfoDefaultMcastPrimary, 255)
			b.holds(b.spine, swInfo, 0, mad.SwitchInfoDefaultMcastOther, 255)
		}},
		{
			name: "P_Keys without the default partition", put: func(b *before) { b.pkeys(b.host, 0, 0x7FFF, 0x8001) },
			check: func(b *before) {
				if !b.hasKey(b.host, 0xFFFF) || !b.hasKey(b.host, 0x8001) {
					b.t.Error("the host is no full member, or has lost its other P_Key")
				}
			},
		},
		{
			name: "P_Keys of other partitions", cfg: terms.Config{Partitions: &terms.Partitioning{Partitions: partition.Everyone()}},
			put: func(b *before) { b.pkeys(b.host, 0, 0xFFFF, 0x8001) },
			check: func(b *before) {
				if !b.hasKey(b.host, 0xFFFF) || b.hasKey(b.host, 0x8001) {
					b.t.Error("the host has a P_Key that no partition gives it")
				}
			},
		},
		{name: "partition enforcement", put: func(b *before) {
			b.pkeys(b.leaf, 1<<16, 0x8001)
			b.change(b.leaf, info, 1, func(data []byte) {
				mad.PortInfoEnforceInbound.Put(data, 1)
				mad.PortInfoEnforceOutbound.Put(data, 1)
			})
		}, check: func(b *before) {
			b.holds(b.leaf, info, 1, mad.PortInfoEnforceInbound, 0)
			b.holds(b.leaf, info, 1, mad.PortInfoEnforceOutbound, 0)
		}},
		{name: "LMC, prefix and timeout", put: func(b *before) {
			b.change(b.host, info, 0, func(data []byte) {
				mad.PortInfoLID.Put(data, 64)
				mad.PortInfoLMC.Put(data, 3)
				mad.PortInfoGidPrefix.Put(data, 0xFEC0<<48)
				mad.PortInfoSubnetTimeOut.Put(data, 1)
			})
		}, check: func(b *before) {
			b.holds(b.host, info, 0, mad.PortInfoLMC, 0)
			b.holds(b.host, info, 0, mad.PortInfoGidPrefix, mad.DefaultGIDPrefix)
			b.holds(b.host, info, 0, mad.PortInfoSubnetTimeOut, 18)
		}},
		{name: "the manager's LID and SL", put: func(b *before) {
			b.change(b.host, info, 0, func(data []byte) {
				mad.PortInfoMasterSMLID.Put(data, 77)
				mad.PortInfoMasterSMSL.Put(data, 9)
			})
		}, check: func(b *before) {
			own := mad.PortInfoLID.Get(b.do(mad.Get, b.own, info, 0, nil))
			b.holds(b.host, info, 0, mad.PortInfoMasterSMLID, own)
			b.holds(b.host, info, 0, mad.PortInfoMasterSMSL, 0)
		}},
		{name: "a LID that two ports have", put: func(b *before) {
			lid := mad.PortInfoLID.Get(b.do(mad.Get, b.own, info, 0, nil))
			b.change(b.host, info, 0, field(mad.PortInfoLID, lid))
		}},
		{name: "a disabled port", put: func(b *before) {
			b.change(b.spine, info, 1, field(mad.PortInfoPhysicalState, mad.PhysDisabled))
		}, check: func(b *before) { b.holds(b.spine, info, 1, mad.PortInfoPhysicalState, mad.PhysDisabled) }, tells: terms.DisabledPort},
		{name: "speeds and widths", put: func(b *before) {
			b.change(b.host, info, 0, func(data []byte) {
				mad.PortInfoWidthEnabled.Put(data, 1)
				mad.PortInfoSpeedEnabled.Put(data, 1)
			})
		}, check: func(b *before) {
			b.holds(b.host, info, 0, mad.PortInfoWidthEnabled, 1)
			b.holds(b.host, info, 0, mad.PortInfoSpeedEnabled, 1)
		}},
		{
			name: "an M_Key that we know, its protection and lease", cfg: terms.Config{Keys: terms.Keys{One: 5, Protect: 1, Lease: 60, Others: []uint64{99}}},
			put: func(b *before) {
				b.change(b.host, info, 0, func(data []byte) {
					mad.PortInfoMKey.Put(data, 99)
					mad.PortInfoMKeyProtectBits.Put(data, 1)
				})
			}, check: func(b *before) {
				b.key = 5
				b.holds(b.host, info, 0, mad.PortInfoMKey, 5)
				b.holds(b.host, info, 0, mad.PortInfoMKeyLeasePeriod, 60)
			},
		},
		{
			name: "an M_Key that all can read, and we have none", put: func(b *before) { b.change(b.host, info, 0, field(mad.PortInfoMKey, 99)) },
			check: func(b *before) { b.holds(b.host, info, 0, mad.PortInfoMKey, 0) },
		},
		{
			name: "an M_Key of a switch that all can read, and we have none", put: func(b *before) { b.change(b.spine, info, 0, field(mad.PortInfoMKey, 99)) },
			check: func(b *before) { b.holds(b.spine, info, 0, mad.PortInfoMKey, 0) },
		},
		{name: "a hidden M_Key, and we have none", put: func(b *before) {
			b.change(b.host, info, 0, func(data []byte) {
				mad.PortInfoMKey.Put(data, 99)
				mad.PortInfoMKeyProtectBits.Put(data, 1)
			})
		}, check: func(b *before) {
			b.key = 99
			b.holds(b.host, info, 0, mad.PortInfoMKey, 99)
		}, tells: terms.Locked},
		{name: "a hidden M_Key with a lease, and we have none", put: func(b *before) {
			b.change(b.spine, info, 0, func(data []byte) {
				mad.PortInfoMKey.Put(data, 99)
				mad.PortInfoMKeyProtectBits.Put(data, 1)
				mad.PortInfoMKeyLeasePeriod.Put(data, 10)
			})
		}, check: func(b *before) {
			b.v.runUntil(b.v.now + time.Minute)
			if r := b.v.manager.Result().Report; r.State != terms.Up {
				b.t.Errorf("%s: %v", r.State, r.Incidents)
			}
			b.holds(b.spine, info, 0, mad.PortInfoMKey, 0)
		}, tells: terms.Locked},
	}
}

// TestLeftovers: what another manager has left in the devices does not keep packets from passing. A
// manager that starts finds it, and so does a full sweep of one that lives.
func TestLeftovers(t *testing.T) {
	for _, lives := range []bool{false, true} {
		for _, c := range leftovers() {
			t.Run(strings.ReplaceAll(c.name, " ", "-"), func(t *testing.T) {
				b := leftIn(t, c.cfg)
				if c.cfg.Keys.Given() {
					if lives {
						return // our own key locks others out
					}
					b = leftIn(t, terms.Config{})
				}
				v := b.v
				v.deaf = true // no trap tells
				c.put(b)
				if lives {
					v.step(&terms.Event{Kind: terms.Resweep})
				} else {
					v.manager, v.entries, v.wake = NewManager(c.cfg, terms.UsualWatch), nil, terms.Never
					v.step(&terms.Event{Kind: terms.Start})
				}
				v.runUntil(v.now + 3*time.Second)
				r := v.manager.Result().Report
				if c.tells != "" {
					if r.Find(c.tells) == nil {
						t.Errorf("lives %v: %s: %v", lives, r.State, r.Incidents)
					}
				} else if r.State != terms.Up {
					t.Errorf("lives %v: %s: %v", lives, r.State, r.Incidents)
				}
				if c.tells != terms.Locked {
					v.verify(t)
					b.passes()
				}
				if c.check != nil {
					c.check(b)
				}
			})
		}
	}
}

// TestForeignWrites: another manager writes to our own port and to tables of switches, and leaves.
// The next light sweep sees the first, and the round after it all tables.
func TestForeignWrites(t *testing.T) {
	b := leftIn(t, terms.Config{})
	b.v.deaf = true
	b.change(b.spine, mad.AttrLinearForwardingTable, 0, func(data []byte) { data[3], data[4], data[5] = 1, 1, 255 })
	b.change(b.spine, mad.AttrSLtoVLMappingTable, everyPort, lanes15)
	b.change(b.own, mad.AttrPortInfo, 0, field(mad.PortInfoMasterSMLID, 77))
	b.v.runUntil(b.v.now + 15*time.Second)
	b.v.verify(t)
	b.passes()
}

// TestForeignLID: somebody gives our own port another LID. The next light sweep sees it.
func TestForeignLID(t *testing.T) {
	b := leftIn(t, terms.Config{})
	b.v.deaf = true
	b.change(b.own, mad.AttrPortInfo, 0, field(mad.PortInfoLID, 77))
	b.v.runUntil(b.v.now + 15*time.Second)
	b.v.verify(t)
}

// TestTreesLeft: entries of multicast tables for groups that nobody has are cleared, also in blocks
// where no group of ours is.
func TestTreesLeft(t *testing.T) {
	b := leftIn(t, terms.Config{})
	const blocks = 3
	for block := range uint16(blocks) {
		b.change(b.spine, mad.AttrMulticastForwardingTable, mad.MFTModifier(0, block), func(data []byte) { mad.MulticastForwardingTablePort.Set(data, 5, 6) })
	}
	v := b.v
	v.manager, v.entries, v.wake = NewManager(terms.Config{}, terms.UsualWatch), nil, terms.Never
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(v.now + time.Second)
	v.step(&terms.Event{Kind: terms.MembersTold})
	v.runUntil(v.now + 10*time.Second)
	for block := range uint16(blocks) {
		data := b.do(mad.Get, b.spine, mad.AttrMulticastForwardingTable, mad.MFTModifier(0, block), nil)
		if mask := mad.MulticastForwardingTablePort.At(data, 5); mask != 0 {
			t.Errorf("block %d has ports %b: %v", block, mask, v.entries)
		}
	}
}
