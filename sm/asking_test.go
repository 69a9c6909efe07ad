package sm

import (
	"context"
	"sync"
	"testing"
	"time"

	"weft/emulator"
	"weft/emulator/live"
	"weft/fabric"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/sm/watch"
	"weft/wire"
	"weft/wire/mad"
)

// TestStandbyAsksNeighbours: where ports tell nothing without their M_Keys, a manager that has the
// secret and knows nothing else learns from the master which port is behind which: it finds the
// subnet and stands by, and when the master is gone it takes the subnet, all of it, and no LID
// moves.
func TestStandbyAsksNeighbours(t *testing.T) {
	f := smtest.Formula(t, "rlft(4,2)")
	sub, err := emulator.New(f, emulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	l := live.New(sub, testClock())
	defer l.Close()
	var end [2]func()
	var shown [2]chan *watch.Snapshot
	for k := range end {
		transport, err := l.Attach(fabric.End{Node: smtest.Find(f, fabric.CA, 3*k), Port: 1})
		if err != nil {
			t.Fatal(err)
		}
		r := &Runner{
			Config: terms.Config{Elect: true, Priority: uint8(5 - k), SMKey: 1, Keys: smtest.HidingKeys}, Watch: terms.UsualWatch, Routing: smtest.JobOf("updn", 0), Clock: testClock(),
			Wire: wire.Config{Window: 32, Timeout: 100 * time.Millisecond},
		}
		shown[k] = make(chan *watch.Snapshot, 1)
		r.Watch.Interval = time.Second
		r.Show = func(s *watch.Snapshot) {
			select {
			case <-shown[k]:
			default:
			}
			shown[k] <- s
		}
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = r.Run(ctx, transport) })
		end[k] = sync.OnceFunc(func() { cancel(); wg.Wait() })
		defer end[k]()
		await(t, shown[k], []terms.Role{terms.Master, terms.StandBy}[k])
	}
	before := lidsOfSubnet(l)
	end[0]()
	s := await(t, shown[1], terms.Master)
	if r := s.Last.Report; r.State != terms.Up || r.Found.CAs != 8 || r.Found.Switches != 6 {
		t.Errorf("%s: %+v, %v", r.State, r.Found, r.Incidents)
	}
	for guid, lid := range lidsOfSubnet(l) {
		if before[guid] != lid {
			t.Errorf("port %s has LID %d, and had %d", guid, lid, before[guid])
		}
	}
}

// await waits until a manager has a role, and as the master has brought the subnet up.
func await(t *testing.T, shown <-chan *watch.Snapshot, role terms.Role) *watch.Snapshot {
	t.Helper()
	for patience := time.After(2 * time.Minute); ; {
		select {
		case s := <-shown:
			if s.Role == role && s.UnderWay == nil && (role != terms.Master || s.InForce != nil && s.Last != nil && s.Last.Report.State == terms.Up) {
				return s
			}
		case <-patience:
			t.Fatalf("it is not %s", role)
		}
	}
}

// lidsOfSubnet lists the LIDs that CA ports have.
func lidsOfSubnet(l *live.Live) map[fabric.GUID]uint64 {
	lids := map[fabric.GUID]uint64{}
	l.Do(func(sub *emulator.Subnet) {
		f := sub.Fabric()
		for id := range f.Nodes {
			if info, err := sub.PortInfo(fabric.End{Node: fabric.NodeID(id), Port: 1}); err == nil && f.Nodes[id].Type == fabric.CA {
				lids[f.Nodes[id].Ports[1].GUID] = mad.PortInfoLID.Get(info)
			}
		}
	})
	return lids
}
