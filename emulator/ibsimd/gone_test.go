package ibsimd_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"strconv"
	"testing"
	"time"

	"weft/wire"
	"weft/wire/ibsim"
	"weft/wire/mad"
	"weft/wire/wiretest"
)

// program is a client that does no more than it is told. It can end without a word, as
// one that is killed does.
type program struct {
	t        *testing.T
	ctl      net.Conn
	data     net.PacketConn
	id, slot uint32
}

// newProgram opens the sockets of a client.
func newProgram(t *testing.T, o ibsim.Options, id uint32) *program {
	t.Helper()
	p := &program{t: t, id: id}
	name := func(suffix string) *net.UnixAddr {
		if o.Dir != "" {
			return &net.UnixAddr{Net: "unixgram", Name: o.Dir + "/sim:" + suffix}
		}
		return &net.UnixAddr{Net: "unixgram", Name: "@" + o.Base + ":" + suffix + "\x00"}
	}
	var err, bad error
	if o.Server != "" {
		var data *net.UDPConn
		data, err = net.ListenUDP("udp4", nil)
		p.data, p.id = data, uint32(data.LocalAddr().(*net.UDPAddr).Port)
		p.ctl, bad = net.Dial("udp4", net.JoinHostPort(o.Server, strconv.Itoa(o.Port)))
	} else {
		p.data, err = net.ListenUnixgram("unixgram", name(fmt.Sprintf("in%d", id)))
		p.ctl, bad = net.DialUnix("unixgram", name(fmt.Sprintf("ctl%d", id)), name("ctl"))
	}
	if err != nil || bad != nil {
		t.Fatal(err, bad)
	}
	t.Cleanup(p.die)
	return p
}

// die ends the program as the kernel does: its sockets are closed, their files stay.
func (p *program) die() {
	_ = p.data.Close()
	_ = p.ctl.Close()
}

// read waits for a datagram, and tells where it came from.
func (p *program) read() (wire.Datagram, net.Addr) {
	p.t.Helper()
	b := make([]byte, 2*ibsim.DataSize)
	_ = p.data.SetDeadline(time.Now().Add(patience))
	n, from, err := p.data.ReadFrom(b)
	if err != nil {
		p.t.Fatal(err)
	}
	d, err := ibsim.ParseData(b[:n])
	if err != nil {
		p.t.Fatal(err)
	}
	return d, from
}

// answer sends the answer to a request to the server.
func (p *program) answer(d wire.Datagram, server net.Addr) {
	p.t.Helper()
	if !d.MAD.Answer(mad.StatusOK) {
		p.t.Fatalf("%v has no answer", d.MAD.Method())
	}
	if u, ok := server.(*net.UnixAddr); ok && u.Name[0] == '@' {
		u.Name += "\x00" // abstract names of ibsim end with it, and ReadFrom cuts it off
	}
	b, err := ibsim.AppendData(nil, &d)
	if err == nil {
		_, err = p.data.WriteTo(b, server)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// ask sends a control datagram; it reports whether the server agreed.
func (p *program) ask(c ibsim.Control) bool {
	p.t.Helper()
	b := make([]byte, 2*ibsim.ControlSize)
	_ = p.ctl.SetDeadline(time.Now().Add(patience))
	_, err := p.ctl.Write(c.Append(nil))
	n := 0
	if err == nil {
		n, err = p.ctl.Read(b)
	}
	if err == nil {
		c, err = ibsim.ParseControl(b[:n])
	}
	if err != nil {
		p.t.Fatal(err)
	}
	if c.Type != ibsim.ControlError {
		p.slot = c.Slot
	}
	return c.Type != ibsim.ControlError
}

// connect asks for a slot at a node.
func (p *program) connect(node string) bool {
	p.t.Helper()
	c := ibsim.Control{Type: ibsim.ControlConnect}
	if err := (&ibsim.Client{ID: p.id, Node: node}).Put(&c); err != nil {
		p.t.Fatal(err)
	}
	return p.ask(c)
}

// setIsSM says that the program is a subnet manager.
func (p *program) setIsSM() bool {
	p.t.Helper()
	c := ibsim.Control{Type: ibsim.ControlSetIsSM, Slot: p.slot}
	binary.LittleEndian.PutUint32(c.Data[:], 1)
	return p.ask(c)
}

// dial attaches our own client to a node.
func dial(t *testing.T, o ibsim.Options, node string) *ibsim.Transport {
	t.Helper()
	o.Node = node
	tr, err := ibsim.Dial(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tr.Close() })
	return tr
}

// askB sends a request that is for the subnet manager of node B, from node A.
func askB(t *testing.T, a *ibsim.Transport) {
	t.Helper()
	m, err := mad.Request{Method: mad.Get, Attr: mad.AttrSMInfo}.Directed(make([]byte, mad.Size), []byte{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Send(&wire.Datagram{Addr: wire.Directed(), MAD: m}); err != nil {
		t.Fatal(err)
	}
}

// receive waits for the next datagram.
func receive(t *testing.T, a *ibsim.Transport) (d wire.Datagram) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := a.Recv(ctx, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// waitForIsSM waits until the port of a client says IsSM, or does not.
func waitForIsSM(t *testing.T, tr *ibsim.Transport, want bool) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		p, err := tr.Port(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if p.IsSM == want {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("IsSM is still %v", p.IsSM)
		}
	}
}

// forEachMedium runs a test over all kinds of sockets.
func forEachMedium(t *testing.T, test func(t *testing.T, o ibsim.Options)) {
	for name, options := range media {
		t.Run(name, func(t *testing.T) {
			mine, theirs := options(t)
			serve(t, mine)
			test(t, theirs)
		})
	}
}

// A slot whose UDP port another program has is passed over.
func TestSlotWithoutPort(t *testing.T) {
	mine, theirs := media["UDP"](t)
	serve(t, mine)
	other, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: theirs.Port + 1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	p := newProgram(t, theirs, 0)
	if !p.connect("A") || p.slot != 1 {
		t.Errorf("the client has slot %d, or is refused", p.slot)
	}
}

// Clients that end without a word keep no slots.
func TestSlotsOfTheDead(t *testing.T) {
	forEachMedium(t, func(t *testing.T, o ibsim.Options) {
		var all []*program
		for i := range 64 {
			p := newProgram(t, o, uint32(i+1))
			if !p.connect("A") {
				t.Fatalf("client %d is refused", i)
			}
			all = append(all, p)
		}
		late := newProgram(t, o, 100)
		if late.connect("A") {
			t.Fatal("the 65th client has a slot")
		}
		for _, p := range all {
			p.die()
		}
		if !late.connect("A") {
			t.Fatal("64 dead clients leave no slot to another")
		}
	})
}

// The IsSM of a client that ends without a word ends too: nobody needs to ask.
func TestIsSMOfTheDead(t *testing.T) {
	forEachMedium(t, func(t *testing.T, o ibsim.Options) {
		onlooker := dial(t, o, "A")
		p := newProgram(t, o, 1)
		if !p.connect("A") || !p.setIsSM() {
			t.Fatal("the server refuses a subnet manager")
		}
		waitForIsSM(t, onlooker, true)
		p.die()
		waitForIsSM(t, onlooker, false)
	})
}

// A subnet manager that is started again on a node takes IsSM at once, also with the ID
// that the dead one had.
func TestIsSMAgain(t *testing.T) {
	forEachMedium(t, func(t *testing.T, o ibsim.Options) {
		for try := range 5 {
			if o.Dir != "" && try > 0 {
				break // the files are still there
			}
			p := newProgram(t, o, 1)
			if !p.connect("A") || !p.setIsSM() {
				t.Fatalf("start %d is refused", try+1)
			}
			p.die()
		}
		if err := dial(t, o, "A").SetIsSM(t.Context(), true); err != nil {
			t.Fatal(err)
		}
	})
}

// A request that a client did not live to read comes back to its sender, who may have no
// timer.
func TestRequestToTheDead(t *testing.T) {
	forEachMedium(t, func(t *testing.T, o ibsim.Options) {
		p := newProgram(t, o, 1)
		if !p.connect("B") || !p.setIsSM() {
			t.Fatal("the server refuses a subnet manager")
		}
		a := dial(t, o, "A")
		p.die()
		askB(t, a)
		d := receive(t, a)
		if !d.Undelivered || d.MAD.Attr() != mad.AttrSMInfo || d.MAD.Method() != mad.Get {
			t.Fatalf("undelivered %v, %v of attribute %v", d.Undelivered, d.MAD.Method(), d.MAD.Attr())
		}
	})
}

// A control socket has one slot, whatever it calls itself: it cannot take all.
func TestOneSlotASocket(t *testing.T) {
	forEachMedium(t, func(t *testing.T, o ibsim.Options) {
		greedy := newProgram(t, o, 1)
		for i := range 100 {
			another := newProgram(t, o, uint32(i+2)) // with a data socket of its own
			greedy.id = another.id
			if !greedy.connect("B") {
				t.Fatalf("request %d is refused: the earlier ones should have been given up", i)
			}
		}
		if !newProgram(t, o, 1000).connect("B") {
			t.Fatal("one socket has all slots")
		}
	})
}

// The client that is replaced loses its slot: its control datagrams are refused.
func TestReplacedClient(t *testing.T) {
	wiretest.NoLeaks(t)
	forEachMedium(t, func(t *testing.T, o ibsim.Options) {
		first, second := newProgram(t, o, 1), newProgram(t, o, 2)
		if !first.connect("A") || !second.connect("B") || !first.setIsSM() {
			t.Fatal("refused")
		}
		second.id = first.id // whose data socket it then has
		if !second.connect("A") || first.setIsSM() || !second.setIsSM() {
			t.Fatal("two clients have one data socket")
		}
	})
}

// A request that a client has read but not answered when it ends comes back too; one that
// it has answered does not.
func TestUnansweredRequest(t *testing.T) {
	forEachMedium(t, func(t *testing.T, o ibsim.Options) {
		p := newProgram(t, o, 1)
		if !p.connect("B") || !p.setIsSM() {
			t.Fatal("the server refuses a subnet manager")
		}
		a := dial(t, o, "A")
		for _, answered := range []bool{true, false} {
			askB(t, a)
			request, server := p.read()
			if answered {
				p.answer(request, server)
			} else {
				p.die()
			}
			if d := receive(t, a); d.Undelivered == answered || d.MAD.Method().IsResponse() != answered {
				t.Fatalf("answered %v: undelivered %v, %v", answered, d.Undelivered, d.MAD.Method())
			}
		}
	})
}
