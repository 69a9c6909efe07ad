package watch

import (
	"math/rand/v2"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/sm/ledger"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire/mad"
)

// TestBlocksOfALostLink: where the Plan can be repaired, a lost link has at most twice as many
// blocks written as held entries whose paths crossed it. The blocks of the steps on the way to the
// new tables count too.
func TestBlocksOfALostLink(t *testing.T) {
	for _, c := range []struct {
		formula, chain string
		links          int
	}{{"rlft(6,3)", "ftree", 10}, {"rlft(8,2)", "updn", 10}} {
		t.Run(c.formula, func(t *testing.T) { blocksOfALostLink(t, smtest.Formula(t, c.formula), c.chain, c.links) })
	}
}

// TestBlocksOfALostLinkOfADump does the same on a real cluster.
func TestBlocksOfALostLinkOfADump(t *testing.T) {
	blocksOfALostLink(t, smtest.Janus(t), "auto", 6)
}

func blocksOfALostLink(t *testing.T, f *fabric.Fabric, chain string, links int) {
	v, err := newVirtual(f, emulator.Options{}, terms.Config{}, smtest.JobOf(chain, 0))
	if err != nil {
		t.Fatal(err)
	}
	watch := terms.UsualWatch
	watch.Rebalance = 0
	v.manager = NewManager(terms.Config{}, watch)
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(v.now + time.Minute)
	sets := 0
	v.onAction = func(a *terms.Action) {
		if a.Kind == terms.Send && a.Method == mad.Set && a.Attr == mad.AttrLinearForwardingTable {
			sets++
		}
	}
	rng := rand.New(rand.NewPCG(1, 0))
	written, held := 0, 0
	for range links {
		link := fabric.LinkID(rng.IntN(len(f.Links)))
		if l := f.Links[link]; f.Nodes[l.A.Node].Type != fabric.Switch || f.Nodes[l.B.Node].Type != fabric.Switch {
			continue
		}
		before := v.manager.inForce
		blocks := blocksOver(before, f.Nodes[f.Links[link].A.Node].GUID, f.Links[link].A.Port)
		sets = 0
		if err := v.sub.SetLinkDown(link, true); err != nil {
			t.Fatal(err)
		}
		v.runUntil(v.now + 20*time.Second)
		r := v.manager.Result().Report
		if sets > 2*blocks || r.State != terms.Up {
			t.Errorf("%s: %s: %d blocks were written for %d", f.LinkName(link), r.State, sets, blocks)
		}
		written, held = written+sets, held+blocks
		if err := v.sub.SetLinkDown(link, false); err != nil {
			t.Fatal(err)
		}
		v.runUntil(v.now + 20*time.Second)
	}
	if held == 0 || written == 0 {
		t.Error("no entry crossed a link")
	}
	t.Logf("%d blocks held crossed entries, %d were written", held, written)
}

// blocksOver counts the blocks of forwarding tables with an entry whose path crosses the cable in a
// switch port. It walks from every switch to every LID.
func blocksOver(l *ledger.Ledger, guid fabric.GUID, port uint8) (n int) {
	id := l.ByGUID[guid]
	here, far := l.Prog.Sw[id], l.Prog.Sw[l.Owner[l.Peer[l.Nodes[id].First+int32(port)]]]
	farPort := l.PortNumber(l.Peer[l.Nodes[id].First+int32(port)])
	for s := range int32(l.Graph.NumSwitches) {
		for b := range l.TableBlocks() {
			if crosses(l, s, fabric.LID(b)*mad.LFTBlock, here, port) || crosses(l, s, fabric.LID(b)*mad.LFTBlock, far, farPort) {
				n++
			}
		}
	}
	return n
}

// crosses reports whether an entry of a block leads by a port of a switch, there or farther on.
func crosses(l *ledger.Ledger, s int32, first fabric.LID, by int32, port uint8) bool {
	for lid := max(1, first); lid < first+mad.LFTBlock && lid <= l.Prog.Top; lid++ {
		for at := s; ; {
			out := l.Plan.Tables.Port(at, lid)
			if at == by && out == port {
				return true
			}
			next, _ := l.Graph.At(at, out)
			if next < 0 {
				break
			}
			at = l.Graph.To[next]
		}
	}
	return false
}
