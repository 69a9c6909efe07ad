package sm

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"weft/fabric"
	"weft/sm/round"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire"
	"weft/wire/ibsim"
	"weft/wire/mad"
)

// TestHandoverWithOpenSM: weft and OpenSM hand the subnet over to each other, by priority. A
// standby writes nothing, and no LID moves. On the real ibsim only OpenSM hands over: one that gets
// the subnet there waits for ever for the TrapRepress of its own trap 144, which ibsim swallows.
func TestHandoverWithOpenSM(t *testing.T) {
	f := smtest.Formula(t, "rlft(4,2)")
	for name, start := range media {
		t.Run(name, func(t *testing.T) {
			s := start(t, f)
			node := nodeID(f.Nodes[smtest.Find(f, fabric.CA, 3)].GUID)
			s.Env = append(s.Env, "SIM_HOST="+nodeID(f.Nodes[smtest.Find(f, fabric.CA, 0)].GUID))
			log := s.Path("osm.log")
			says := func(text string) bool {
				data, _ := os.ReadFile(log)
				return bytes.Contains(data, []byte(text))
			}

			// Ours runs the subnet; OpenSM comes, goes before it, and gets it.
			var first *stayer
			if name == "emulator" {
				first = s.stay(node, 1)
				s.Wait("weft", "", func() bool { return first.told(terms.RoundEnds) > 0 })
			}
			opensm := s.Start("opensm", "-d2", "-s", "1", "-f", log, "-p", "5", "-R", "minhop")
			s.Wait("OpenSM", opensm, func() bool { return says("Entering MASTER state") && says("SUBNET UP") })
			if first != nil {
				// On a busy machine OpenSM may not get our SMInfo in time, and take the subnet
				// unasked: ours finds that out.
				s.Wait("standby", opensm, func() bool { return first.told(terms.Standby) > 0 })
				if first.told(terms.Handover) == 0 {
					t.Log("OpenSM did not wait for the subnet to be handed over")
				}
				before := s.state()
				time.Sleep(2 * time.Second) // of polls
				if first.end(t); s.state() != before {
					t.Errorf("a standby has changed the subnet from\n%s\nto\n%s", before, s.state())
				}
			}

			// One of ours that goes before OpenSM comes, and gets the subnet.
			lids, tables := s.Run("ibnetdiscover", "-p"), s.blocks()
			second := s.stay(node, 9)
			// OpenSM stands by as soon as it has handed over, also where ours looks at the subnet
			// just then and is not ready: ours then finds by its next poll that nobody is the
			// master.
			s.Wait("handover to weft", opensm, func() bool { return second.isMaster() && second.rests() && says("Entering STANDBY state") })
			if now := s.Run("ibnetdiscover", "-p"); !bytes.Equal(lids, now) {
				t.Errorf("LIDs have moved from\n%s\nto\n%s", lids, now)
			}
			if core := second.end(t); core.Report.State != terms.Up {
				t.Errorf("%s: %v", core.Report.State, second.incidents())
			}
			if differ, written := differing(tables, s.blocks()), second.written(t); written != differ {
				t.Errorf("%d blocks were written where %d are other ones than OpenSM's", written, differ)
			} else {
				t.Logf("%d of %d blocks are other ones than OpenSM's, and only these were written", differ, len(tables))
			}
		})
	}
}

// stayer is a manager that stays on a simulator.
type stayer struct {
	mu     sync.Mutex
	list   []terms.Incident
	held   time.Time // when all switches held their tables, in the last round
	cancel context.CancelFunc
	core   *round.Result
	done   chan error
}

// stay runs a manager of this priority until it is ended.
func (s *simulator) stay(node string, priority uint8) *stayer {
	s.tb.Helper()
	t, err := ibsim.Dial(context.Background(), ibsim.Options{Base: s.Socket, Node: node})
	if err != nil {
		s.tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	m := &stayer{cancel: cancel, done: make(chan error, 1)}
	watch := terms.UsualWatch
	watch.Interval = 500 * time.Millisecond
	r := Runner{
		Config: terms.Config{Elect: true, Priority: priority, SMKey: 1}, Watch: watch, Routing: smtest.JobOf("updn", 0), Clock: testClock(), Wire: wire.Config{Window: 32},
		Note: func(i terms.Incident) {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.list = append(m.list, i)
		},
		Phase: func(name string) {
			if name == "arm" {
				m.mu.Lock()
				defer m.mu.Unlock()
				m.held = time.Now()
			}
		},
	}
	go func() {
		var err error
		m.core, err = r.Run(ctx, t)
		m.done <- err
	}()
	return m
}

// heldAt returns when all switches held their tables, in the last round.
func (m *stayer) heldAt() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.held
}

// incidents lists the incidents so far.
func (m *stayer) incidents() []terms.Incident {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.list)
}

// told counts the incidents of a kind.
func (m *stayer) told(k terms.IncidentKind) (n int) {
	for _, i := range m.incidents() {
		if i.Kind == k {
			n++
		}
	}
	return n
}

// isMaster reports whether it has brought the subnet up.
func (m *stayer) isMaster() bool {
	return slices.ContainsFunc(m.incidents(), func(i terms.Incident) bool {
		return i.Kind == terms.RoundEnds && strings.HasPrefix(i.Text, string(terms.Up))
	})
}

// rests reports whether no round is under way: clients of OpenSM are asked to register again by one
// after the first.
func (m *stayer) rests() bool {
	asked, ended, begun := 0, 0, 0
	for _, i := range m.incidents() {
		switch i.Kind {
		case terms.Reregistration:
			asked = ended
		case terms.RoundBegun:
			begun++
		case terms.RoundEnds:
			ended++
		default: // says nothing of rounds
		}
	}
	return begun == ended && ended > asked && asked > 0
}

// end ends it, and returns its last round.
func (m *stayer) end(t *testing.T) *round.Result {
	t.Helper()
	m.cancel()
	if err := <-m.done; err != nil {
		t.Errorf("%v: %v", err, m.incidents())
	}
	return m.core
}

// blockOf names a block of the forwarding table of a switch.
type blockOf struct {
	sw    string
	block int
}

var (
	tableHead  = regexp.MustCompile(`^Unicast lids .* of switch .* guid (0x[0-9a-f]+)`)
	tableEntry = regexp.MustCompile(`^(0x[0-9a-f]+) +(\d+)`)
)

// blocks reads the forwarding tables of all switches by infiniband-diags: the entries of each
// block, as text.
func (s *simulator) blocks() map[blockOf]string {
	s.tb.Helper()
	all, sw := map[blockOf]string{}, ""
	for line := range strings.Lines(string(s.Run("dump_fts", "-n"))) {
		if m := tableHead.FindStringSubmatch(line); m != nil {
			sw = m[1]
		} else if m := tableEntry.FindStringSubmatch(line); m != nil {
			lid, err := strconv.ParseUint(m[1], 0, 16)
			if err != nil {
				s.tb.Fatal(err)
			}
			all[blockOf{sw, int(lid) / mad.LFTBlock}] += m[1] + " " + m[2] + "\n"
		}
	}
	if len(all) == 0 {
		s.tb.Fatal("no tables")
	}
	return all
}

// differing counts the blocks that are not alike.
func differing(a, b map[blockOf]string) (n int) {
	for at := range b {
		if a[at] != b[at] {
			n++
		}
	}
	return n
}

var blocksWritten = regexp.MustCompile(`(\d+) blocks of forwarding tables written`)

// written counts the blocks that all its rounds together have written.
func (m *stayer) written(t *testing.T) (n int) {
	for _, i := range m.incidents() {
		if found := blocksWritten.FindStringSubmatch(i.Text); i.Kind == terms.RoundEnds && found != nil {
			of, err := strconv.Atoi(found[1])
			if err != nil {
				t.Fatal(err)
			}
			n += of
		}
	}
	return n
}
