package main

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"weft/emulator"
	"weft/emulator/live"
	"weft/fabric"
	"weft/sm/sa"
	"weft/wire"
	"weft/wire/mad"
)

// customer is a program at a host that registers services, changes and ends them, one after the
// other, as long as the test lasts, and remembers what was acknowledged.
type customer struct {
	live      *live.Live
	at        fabric.End
	requester *wire.Requester
	gid       []byte
	rng       *rand.Rand
	timeout   time.Duration
	pause     time.Duration // between two changes
	end       chan struct{}
	ended     chan struct{}

	mu    sync.Mutex
	has   map[uint64]string // acknowledged, by ServiceID
	open  map[uint64]string // asked for, and not answered yet; "" for its end
	acks  int
	heard int // packets to multicast groups

	mlid uint16 // of the group that it has joined
}

// newCustomer starts a customer at a host.
func newCustomer(t *testing.T, l *live.Live, at fabric.End, seed uint64, timeout, pause time.Duration) *customer {
	t.Helper()
	port, err := l.Attach(at)
	if err != nil {
		t.Fatal(err)
	}
	c := &customer{
		live: l, at: at, rng: rand.New(rand.NewPCG(seed, 1)), timeout: timeout, pause: pause, end: make(chan struct{}), ended: make(chan struct{}),
		has: map[uint64]string{}, open: map[uint64]string{}, gid: make([]byte, 16),
	}
	c.requester = wire.New(port, wire.Options{Handler: func(d *wire.Datagram) {
		if fabric.LID(d.Addr.DLID) >= fabric.FirstMLID {
			c.mu.Lock()
			c.heard++
			c.mu.Unlock()
		}
	}})
	guid := uint64(0)
	l.Do(func(s *emulator.Subnet) { guid = uint64(s.Fabric().Nodes[at.Node].Ports[at.Port].GUID) })
	for i := range 8 {
		c.gid[i], c.gid[8+i] = byte(uint64(mad.DefaultGIDPrefix)>>(56-8*i)), byte(guid>>(56-8*i))
	}
	go c.run(seed << 32)
	t.Cleanup(func() {
		close(c.end)
		_ = c.requester.Close(context.Background())
		<-c.ended
	})
	return c
}

// run changes services whose numbers begin at first.
func (c *customer) run(first uint64) {
	defer close(c.ended)
	for n := 0; ; n++ {
		id, value := first+uint64(c.rng.IntN(16)), ""
		method, mask := mad.Delete, mad.ServiceRecord.Mask(mad.ServiceRecordID, mad.ServiceRecordGID)
		rec := make([]byte, mad.ServiceRecord.Size)
		mad.ServiceRecordID.Put(rec, id)
		mad.ServiceRecordGID.Put(rec, c.gid)
		mad.ServiceRecordLease.Put(rec, 0xFFFFFFFF)
		if c.rng.IntN(4) > 0 {
			method, value = mad.Set, fmt.Sprint("value ", n)
			mad.ServiceRecordName.Put(rec, []byte(value))
			mask |= mad.ServiceRecord.Mask(mad.ServiceRecordName)
		}
		c.mu.Lock()
		c.open[id] = value
		c.mu.Unlock()
		for {
			reply := c.ask(method, mad.AttrServiceRecord, mask, rec)
			// Of an end whose answer was lost, the second answer says that it is not there.
			if reply != nil && (reply.Status() == mad.StatusOK || value == "") {
				break
			}
			select {
			case <-c.end:
				return
			case <-time.After(c.timeout / 4):
			}
		}
		c.mu.Lock()
		c.acks++
		delete(c.open, id)
		if c.has[id] = value; value == "" {
			delete(c.has, id)
		}
		c.mu.Unlock()
		select {
		case <-c.end:
			return
		case <-time.After(c.pause):
		}
	}
}

// awaitAnswer waits until one more change is acknowledged, or the time is over.
func (c *customer) awaitAnswer(most time.Duration) {
	_, _, before := c.snapshot()
	for begun := time.Now(); time.Since(begun) < most; time.Sleep(time.Millisecond) {
		if _, _, acks := c.snapshot(); acks > before {
			return
		}
	}
}

// ask asks the manager that the port knows, once; nil where there is no answer, or it is busy.
func (c *customer) ask(method mad.Method, attr mad.AttrID, mask uint64, rec []byte) mad.Datagram {
	m, err := mad.Request{Method: method, Attr: attr}.SA(make([]byte, mad.Size), mask)
	if err != nil {
		panic(err)
	}
	copy(m.Data(), rec)
	var to wire.Address
	c.live.Do(func(s *emulator.Subnet) {
		if info, err := s.PortInfo(c.at); err == nil {
			to = wire.ToLID(uint16(mad.PortInfoMasterSMLID.Get(info)), 1)
			to.SLID = uint16(mad.PortInfoLID.Get(info))
		}
	})
	done := make(chan mad.Datagram, 1)
	c.requester.Start(&wire.Request{Addr: to, MAD: m, Timeout: c.timeout, Retries: wire.NoRetries, Done: func(res *wire.Result) {
		var reply mad.Datagram
		if res.Reply != nil && res.Reply.MAD.Status()&mad.StatusBusy == 0 {
			reply = append(reply, res.Reply.MAD...)
		}
		done <- reply
	}})
	return <-done
}

// customersGroup is the multicast group that all customers join.
var customersGroup = [16]byte{0xFF, 0x12, 0xA0, 0x1C, 15: 1}

// join joins the group.
func (c *customer) join(t *testing.T) {
	t.Helper()
	rec := make([]byte, mad.MCMemberRecord.RecordSize())
	copy(rec, customersGroup[:])
	copy(rec[16:], c.gid)
	mad.MCMemberRecordQKey.Put(rec, 1)
	mad.MCMemberRecordPKey.Put(rec, mad.DefaultPKey)
	mad.MCMemberRecordJoinState.Put(rec, mad.JoinFull)
	mask := mad.MCMemberRecord.Mask(mad.MCMemberRecordMGID, mad.MCMemberRecordPortGID, mad.MCMemberRecordQKey, mad.MCMemberRecordPKey, mad.MCMemberRecordJoinState) |
		mad.MCMemberRecord.Mask(mad.MCMemberRecordSL, mad.MCMemberRecordFlowLabel, mad.MCMemberRecordTClass)
	var reply mad.Datagram
	for range 1000 {
		if reply = c.ask(mad.Set, mad.AttrMCMemberRecord, mask, rec); reply != nil {
			break
		}
	}
	if reply == nil || reply.Status() != mad.StatusOK {
		t.Fatalf("a join is answered by %v", reply)
	}
	c.mlid = uint16(mad.MCMemberRecordMLID.Get(reply.Data()))
}

// reaches reports whether a packet to the group comes to another member, in one of many attempts,
// and how long that takes: tables may just be written.
func (c *customer) reaches(to *customer) (after time.Duration, come bool) {
	begun := time.Now()
	to.mu.Lock()
	before := to.heard
	to.mu.Unlock()
	for time.Since(begun) < time.Minute {
		d := wire.Datagram{Addr: wire.ToLID(c.mlid, 1), MAD: make(mad.Datagram, wire.Size)}
		d.MAD[0], d.MAD[1], d.MAD[2], d.MAD[3] = 1, 0x09, 1, byte(mad.Send)
		_ = c.requester.Transport().Send(&d) // what is lost is sent again
		time.Sleep(5 * time.Millisecond)
		to.mu.Lock()
		come = to.heard > before
		to.mu.Unlock()
		if come {
			return time.Since(begun), true
		}
	}
	return 0, false
}

// snapshot returns what was acknowledged, what is open, and how much was acknowledged so far.
func (c *customer) snapshot() (has, open map[uint64]string, acks int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.has), maps.Clone(c.open), c.acks
}

// servicesOf are the names of services by their numbers.
func servicesOf(list []sa.Entry) map[uint64]string {
	got := map[uint64]string{}
	for _, e := range list {
		if e.Kind == sa.Service {
			rec := e.Value[8:]
			got[mad.ServiceRecordID.Get(rec)] = mad.ServiceRecordName.Text(rec)
		}
	}
	return got
}

// lost reports what is other than it was acknowledged; "" where nothing is. What is open may be
// either way.
func lost(has, open, got map[uint64]string) string {
	for _, list := range []map[uint64]string{has, got} {
		for id := range list {
			if asked, is := open[id]; got[id] != has[id] && (!is || asked != got[id]) {
				return fmt.Sprintf("service %x is %q, acknowledged was %q", id, got[id], has[id])
			}
		}
	}
	return ""
}
