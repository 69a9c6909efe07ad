package umadfs

import (
	"bytes"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"weft/wire"
	"weft/wire/mad"
	"weft/wire/umad"
)

// cable joins two devices, with LIDs 1 and 2, in virtual time.
type cable struct {
	*testing.T
	now  time.Duration
	dev  [2]*device
	file [2]*file
	sent int // datagrams
	// lost says which datagrams do not arrive.
	lost func(d *wire.Datagram) bool
}

func newCable(t *testing.T) *cable {
	c := &cable{T: t, lost: func(*wire.Datagram) bool { return false }}
	for i := range c.dev {
		c.dev[i] = newDevice(func() uint16 { return uint16(i + 1) })
		c.file[i] = c.dev[i].open(func() {})
	}
	return c
}

// register makes an agent of subnet administration.
func (c *cable) register(at int, a umad.Agent) uint32 {
	c.Helper()
	a.Class, a.QP, a.Version = mad.ClassSA, 1, 2
	return (&bench{c.T, c.dev[at]}).register(c.file[at], a)
}

// write writes a message to the other port.
func (c *cable) write(at int, h umad.Header, m mad.Datagram) {
	c.Helper()
	h.LID, h.QPN = uint16(2-at), 1
	if e := c.file[at].write(c.now, message(h, m)); e != 0 {
		c.Fatal(e)
	}
	c.carry()
}

// carry carries datagrams until there are none, without time passing.
func (c *cable) carry() {
	c.Helper()
	for moved := true; moved; {
		moved = false
		for i, v := range c.dev {
			list := v.taken()
			for j := range list {
				d := &list[j]
				moved = true
				c.sent++
				if d.Addr.SLID = uint16(i + 1); len(d.MAD) > mad.Size || d.Addr.DLID != uint16(2-i) {
					c.Fatalf("a datagram of %d bytes to LID %d", len(d.MAD), d.Addr.DLID)
				}
				if !c.lost(d) {
					c.dev[1-i].deliver(c.now, d, 0)
				}
			}
		}
	}
}

// wait lets time pass.
func (c *cable) wait(until time.Duration) {
	c.Helper()
	for {
		due := min(c.dev[0].deadline(), c.dev[1].deadline())
		if due > until {
			c.now = until
			return
		}
		c.now = due
		for _, v := range c.dev {
			v.expire(c.now)
		}
		c.carry()
	}
}

// table returns an answer with so many bytes of data. Of the RMPP header it has what OpenSM sets.
func table(method mad.Method, tid uint64, size int) mad.Datagram {
	m := make(mad.Datagram, mad.SAHeader.Size+size)
	m[0], m[1], m[2], m[3] = 1, byte(mad.ClassSA), 2, byte(method)
	mad.HeaderTransactionID.Put(m, tid)
	mad.RMPPFlags.Put(m, mad.RMPPActive)
	for i := range m.Data() {
		m.Data()[i] = byte(i * 7 / 3)
	}
	return m
}

var (
	whole    = umad.Agent{RMPPVersion: 1}
	own      = umad.Agent{RMPPVersion: 1, Flags: umad.FlagUserRMPP}
	without  = umad.Agent{}
	answerer = umad.Agent{RMPPVersion: 1, Methods: []mad.Method{mad.Get, mad.GetTable, mad.GetMulti}}
)

// asked has an agent of port 0 ask for a table, and returns the request as port 1 reads it.
func (c *cable) asked(id uint32, timeout uint32) (umad.Header, mad.Datagram) {
	c.Helper()
	q := datagram(mad.ClassSA, mad.GetTable, 0x77)
	q[2] = 2
	c.write(0, umad.Header{Agent: id, TimeoutMS: timeout}, q)
	return (&bench{c.T, c.dev[1]}).read(c.file[1])
}

// TestMessages: a long answer is written in one piece, crosses the subnet in datagrams, and is read
// in one piece. A reader without room gets its beginning first.
func TestMessages(t *testing.T) {
	for _, size := range []int{0, 112, 200, 201, 400, 5000, 300_000} {
		c := newCable(t)
		id := c.register(0, whole)
		server := c.register(1, answerer)
		h, q := c.asked(id, 1000)
		answer := table(mad.GetTableResp, q.TID(), size)
		c.write(1, umad.Header{Agent: server, LID: h.LID}, answer)
		b := &bench{t, c.dev[0]}
		if len(answer) > mad.Size {
			got, e := c.file[0].read(umad.HeaderSize + mad.Size)
			b.want(e, syscall.ENOSPC)
			head, m, err := umad.ParseMessage(got)
			if err != nil || int(head.Length) != umad.HeaderSize+len(answer) || !bytes.Equal(m.Data(), answer.Data()[:mad.RMPPSegmentData]) {
				t.Errorf("%d bytes: a reader without room gets %+v, %d bytes", size, head, len(m))
			}
			_, e = c.file[0].read(umad.HeaderSize + mad.Size - 1)
			b.want(e, syscall.EINVAL)
		}
		msg, e := c.file[0].read(1 << 20)
		b.want(e, 0)
		head, m, _ := umad.ParseMessage(msg)
		if head.Agent != id || head.LID != 2 || !bytes.Equal(m[:len(answer)].Data(), answer.Data()) {
			t.Errorf("%d bytes: agent %d has read %d bytes", size, head.Agent, len(m))
		}
		b.wantEmpty(c.file[0])
		c.wait(time.Minute)
		(&bench{t, c.dev[1]}).wantEmpty(c.file[1]) // it was acknowledged
	}
}

// TestOwnRMPP: programs that do RMPP themselves get every segment, and each of their datagrams
// crosses the subnet as it is.
func TestOwnRMPP(t *testing.T) {
	for _, a := range []umad.Agent{own, without} {
		c := newCable(t)
		id := c.register(0, a)
		server := c.register(1, answerer)
		h, q := c.asked(id, 1000)
		c.write(1, umad.Header{Agent: server, LID: h.LID}, table(mad.GetTableResp, q.TID(), 500))
		b := &bench{t, c.dev[0]}
		for got := 1; got <= 3; got++ {
			_, m := b.read(c.file[0])
			if len(m) != mad.Size || mad.RMPPSegmentNumber.Get(m) != uint64(got) {
				t.Fatalf("segment %d has %d bytes", mad.RMPPSegmentNumber.Get(m), len(m))
			}
			ack := append(mad.Datagram(nil), m...)
			mad.HeaderMethod.Put(ack, uint64(mad.GetTable))
			ack.PutAck(got, got+1)
			c.write(0, umad.Header{Agent: id}, ack)
		}
		b.wantEmpty(c.file[0])
		c.wait(time.Minute)
		(&bench{t, c.dev[1]}).wantEmpty(c.file[1]) // it was acknowledged
		if e := c.file[0].write(0, message(umad.Header{Agent: id}, table(mad.GetTableResp, 1, 500))); e != syscall.EINVAL {
			t.Errorf("a message written whole: error %d", e)
		}
	}
}

// TestMessageTimedOut: an answer that nobody acknowledges comes back with its header alone, once;
// the receiver of its beginning gets nothing. A request comes back once, too.
func TestMessageTimedOut(t *testing.T) {
	for _, timeout := range []uint32{0, 500, 60_000} { // 0: no answer is expected
		c := newCable(t)
		id := c.register(0, whole)
		server := c.register(1, answerer)
		h, q := c.asked(id, 100)
		began := c.now
		c.lost = func(d *wire.Datagram) bool { return d.Addr.DLID == 2 }
		c.write(1, umad.Header{Agent: server, LID: h.LID, TimeoutMS: timeout, Retries: 2}, table(mad.GetTableResp, q.TID(), 5000))
		step := ackTimeout
		if timeout == 500 {
			step = 500 * time.Millisecond
		}
		b := &bench{t, c.dev[1]}
		c.wait(began + 3*step - 1)
		b.wantEmpty(c.file[1])
		c.wait(began + 3*step)
		if head, m := b.read(c.file[1]); head.Status != uint32(syscall.ETIMEDOUT) || len(m) != mad.Header.Size || m.TID() != q.TID() || head.LID != 1 {
			t.Errorf("timeout %d: %+v, %d bytes", timeout, head, len(m))
		}
		c.wait(began + time.Hour)
		b.wantEmpty(c.file[1])
		asker := &bench{t, c.dev[0]}
		if head, _ := asker.read(c.file[0]); head.Status != uint32(syscall.ETIMEDOUT) {
			t.Errorf("the request has come back with %+v", head)
		}
		asker.wantEmpty(c.file[0])

		c.write(0, umad.Header{Agent: id, TimeoutMS: timeout, Retries: 1}, table(mad.GetMulti, 0x78, 1000))
		c.wait(c.now + time.Hour)
		if timeout > 0 {
			if head, m := asker.read(c.file[0]); head.Status != uint32(syscall.ETIMEDOUT) || uint32(m.TID()) != 0x78 {
				t.Errorf("a long request has come back with %+v", head)
			}
		}
		asker.wantEmpty(c.file[0])
		if asker.dev.deadline() != never {
			t.Error("something is still under way")
		}
	}
}

// TestLossyMessages: requests and answers of many segments arrive whole, in spite of losses.
func TestLossyMessages(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		c := newCable(t)
		id := c.register(0, whole)
		server := c.register(1, answerer)
		lost := 0
		c.lost = func(d *wire.Datagram) bool {
			if wire.RMPPActive(d.MAD) && r.IntN(5) == 0 {
				lost++
				return true
			}
			return false
		}
		request := table(mad.GetMulti, 0x99, 300+r.IntN(5000))
		c.write(0, umad.Header{Agent: id, TimeoutMS: 1_000_000, Retries: 20}, request)
		b := [2]*bench{{t, c.dev[0]}, {t, c.dev[1]}}
		for len(c.file[1].queue) == 0 && c.now < time.Hour {
			c.wait(c.now + 100*time.Millisecond)
		}
		h, q := b[1].read(c.file[1])
		if !bytes.Equal(q.Data(), request.Data()) {
			t.Fatalf("a request of %d bytes has %d", len(request), len(q))
		}
		answer := table(mad.GetMultiResp, q.TID(), 300+r.IntN(50_000))
		c.write(1, umad.Header{Agent: server, LID: h.LID, Retries: 20}, answer)
		for len(c.file[0].queue) == 0 && c.now < time.Hour {
			c.wait(c.now + 100*time.Millisecond)
		}
		if h, m := b[0].read(c.file[0]); h.Status != 0 || !bytes.Equal(m.Data(), answer.Data()) {
			t.Fatalf("status %d, an answer of %d bytes has %d", h.Status, len(answer), len(m))
		}
		if lost == 0 {
			t.Error("nothing was lost: this tests little")
		}
	}
}

// TestMessagesEnd: the messages of a closed file end with it.
func TestMessagesEnd(t *testing.T) {
	c := newCable(t)
	id := c.register(0, whole)
	server := c.register(1, answerer)
	h, q := c.asked(id, 1000)
	c.file[0].close()
	c.write(1, umad.Header{Agent: server, LID: h.LID}, table(mad.GetTableResp, q.TID(), 5000))
	if c.dev[1].deadline() == never {
		t.Error("nothing is under way")
	}
	c.file[1].close()
	if c.dev[1].deadline() != never {
		t.Error("a message has outlived its file")
	}
}

// TestLateMessage: an answer that comes after its request has timed out goes to nobody.
func TestLateMessage(t *testing.T) {
	c := newCable(t)
	id := c.register(0, whole)
	server := c.register(1, answerer)
	h, q := c.asked(id, 100)
	c.wait(time.Second)
	b := &bench{t, c.dev[0]}
	if head, _ := b.read(c.file[0]); head.Status != uint32(syscall.ETIMEDOUT) {
		t.Fatalf("the request has come back with %+v", head)
	}
	c.write(1, umad.Header{Agent: server, LID: h.LID}, table(mad.GetTableResp, q.TID(), 5000))
	b.wantEmpty(c.file[0])
}
