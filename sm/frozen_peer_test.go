package sm

import (
	"bytes"
	"context"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"weft/emulator"
	"weft/emulator/live"
	"weft/fabric"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire"
	"weft/wire/mad"
)

// TestBesideFrozenPeers: an OpenSM that stands by is stopped, and a host says that it is the
// master, of the highest priority, with no SM_Key. Beside them our manager repairs a cable within
// five seconds, and answers every query.
func TestBesideFrozenPeers(t *testing.T) {
	f := smtest.Formula(t, "rlft(4,2)")
	s, l := emulateLive(t, f)
	m := s.stay(nodeID(f.Nodes[smtest.Find(f, fabric.CA, 3)].GUID), 9)
	s.Wait("weft", "", m.isMaster)

	s.Env = append(s.Env, "SIM_HOST="+nodeID(f.Nodes[smtest.Find(f, fabric.CA, 0)].GUID))
	log := s.Path("osm.log")
	opensm := s.Start("opensm", "-d2", "-s", "1", "-f", log, "-p", "5")
	s.Wait("OpenSM", opensm, func() bool {
		text, _ := os.ReadFile(log)
		return bytes.Contains(text, []byte("Entering STANDBY state"))
	})
	s.Freeze()
	asked := lieAt(t, l, f, smtest.Find(f, fabric.CA, 5))
	s.Wait("the lie", "", func() bool { return m.told(terms.Disbelieved) > 0 })

	pulled := time.Now()
	l.Do(func(sub *emulator.Subnet) {
		if err := sub.SetLinkDown(switchCable(t, f), true); err != nil {
			t.Error(err)
		}
	})
	s.Wait("our repair", "", func() bool { return m.told(terms.FabricChanged) > 0 })
	if took := time.Since(pulled); took > 5*time.Second {
		t.Errorf("a repair took %v: %v", took, m.incidents())
	}
	s.Env[len(s.Env)-1] = "SIM_HOST=" + nodeID(f.Nodes[smtest.Find(f, fabric.CA, 6)].GUID)
	for range 3 {
		if out, err := s.TryRun("saquery", "-t", "5000", "PR", "--src-to-dst", "1:2"); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	}
	m.end(t)
	if asked.Load() == 0 || m.told(terms.Standby)+m.told(terms.Handover) > 0 {
		t.Errorf("the liar was asked %d times: %v", asked.Load(), m.incidents())
	}
}

// switchCable returns a cable between two switches.
func switchCable(t *testing.T, f *fabric.Fabric) fabric.LinkID {
	t.Helper()
	for id := range f.Links {
		if f.IsSwitchLink(fabric.LinkID(id)) {
			return fabric.LinkID(id)
		}
	}
	t.Fatal("no cable between switches")
	return fabric.NoLink
}

// lieAt has a host say that it runs the master. It returns the number of questions so far.
func lieAt(t *testing.T, l *live.Live, f *fabric.Fabric, host fabric.NodeID) *atomic.Int64 {
	t.Helper()
	port, err := l.Attach(fabric.End{Node: host, Port: 1})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	asked, done := new(atomic.Int64), make(chan struct{})
	t.Cleanup(func() { cancel(); <-done; _ = port.Close() })
	go func() {
		defer close(done)
		var d wire.Datagram
		for port.Recv(ctx, &d) == nil {
			if d.MAD.Attr() != mad.AttrSMInfo || d.MAD.Method() != mad.Get || !d.MAD.Answer(mad.StatusOK) {
				continue
			}
			asked.Add(1)
			info := d.MAD.Data()
			clear(info)
			mad.SMInfoGUID.Put(info, uint64(f.Nodes[host].Ports[1].GUID))
			mad.SMInfoPriority.Put(info, 15)
			mad.SMInfoSMState.Put(info, mad.SMStateMaster)
			d.Addr = d.Addr.Reply()
			_ = port.Send(&d) // a lost answer is asked for again
		}
	}()
	if err := port.SetIsSM(ctx, true); err != nil {
		t.Fatal(err)
	}
	return asked
}
