package opensm_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"weft/emulator"
	"weft/emulator/ibsimd"
	"weft/emulator/live"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/internal/peer"
	"weft/planner"
	"weft/route/engine"
	"weft/route/lids"
	"weft/sm"
	"weft/sm/opensm"
	"weft/sm/partition"
	"weft/sm/round"
	"weft/sm/terms"
	"weft/wire"
	"weft/wire/ibsim"
)

// subnet is an emulated fabric that has just been switched on, served over ibsim's protocol.
type subnet struct {
	*peer.Simulator
	t   *testing.T
	off func()
	l   *live.Live
}

func switchOn(t *testing.T, f *fabric.Fabric) *subnet {
	t.Helper()
	library := peer.Preload(t)
	sub, err := emulator.New(f, emulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	l := live.New(sub, clock())
	base := fmt.Sprintf("weft-opensm-%d", os.Getpid())
	server, err := ibsimd.Listen(l, ibsimd.Options{Base: base})
	if err != nil {
		t.Fatal(err)
	}
	off := sync.OnceFunc(func() {
		server.Close()
		l.Close()
	})
	t.Cleanup(off)
	s := peer.Attached(t, t.TempDir(), base)
	s.Env = append(s.Env, "LD_PRELOAD="+library)
	return &subnet{s, t, off, l}
}

func clock() func() time.Duration {
	origin := time.Now()
	return func() time.Duration { return time.Since(origin) }
}

// openSM has OpenSM bring the subnet up, with what its cache holds before, and returns what it
// holds afterwards.
func (s *subnet) openSM(cache []opensm.File, args ...string) *opensm.Input {
	s.t.Helper()
	for _, f := range cache {
		s.write(f)
	}
	s.Run("opensm", append(args, "-o", "-f", s.Path("osm.log"))...)
	in := &opensm.Input{}
	for name, to := range map[string]**opensm.File{"guid2lid": &in.LIDs, "neighbors": &in.Neighbors} {
		data, err := os.ReadFile(s.Path(name))
		if err != nil {
			s.t.Fatal(err)
		}
		*to = &opensm.File{Name: name, Data: data}
	}
	return in
}

func (s *subnet) write(f opensm.File) {
	s.t.Helper()
	if err := os.WriteFile(s.Path(f.Name), f.Data, 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// weft has our manager bring the subnet up, or look at it, and returns it.
func (s *subnet) weft(cfg terms.Config, lmc uint8) *round.Result {
	s.t.Helper()
	t, err := ibsim.Dial(s.t.Context(), ibsim.Options{Base: s.Socket})
	if err != nil {
		s.t.Fatal(err)
	}
	chain, err := engine.Parse("updn", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	r := sm.Runner{Config: cfg, Routing: planner.Request{Chain: chain, LIDs: lids.Options{LMC: lmc}, Workers: 1, Seed: 1}, Clock: clock(), Wire: wire.Config{Window: 32}}
	core, err := r.Run(context.Background(), t)
	if err != nil {
		s.t.Fatal(err)
	}
	if rep := core.Report; !cfg.ReadOnly && rep.State != terms.Up {
		s.t.Fatalf("%s: %v", rep.State, rep.Incidents)
	}
	return core
}

// lids reads what LIDs the ports have.
func (s *subnet) lids() terms.LIDMap {
	s.t.Helper()
	f := s.weft(terms.Config{ReadOnly: true}, 0).Fabric()
	m := terms.LIDMap{}
	for i := range f.Nodes {
		n := &f.Nodes[i]
		for number := range n.Ports {
			p := &n.Ports[number]
			if p.LID != 0 && (n.Type != fabric.Switch || number == 0) {
				m[p.GUID] = terms.PortLIDs{Base: p.LID, LMC: p.LMC}
			}
		}
	}
	return m
}

// oddLIDs gives all end ports LIDs that no manager would choose by itself.
func oddLIDs(f *fabric.Fabric, lmc uint8, seed uint64) terms.LIDMap {
	m := terms.LIDMap{}
	for i := range f.Nodes {
		n := &f.Nodes[i]
		for number := range n.Ports {
			switch {
			case n.Type == fabric.Switch && number == 0:
				m[n.Ports[0].GUID] = terms.PortLIDs{}
			case n.Type != fabric.Switch && number > 0:
				m[n.Ports[number].GUID] = terms.PortLIDs{LMC: lmc}
			}
		}
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	places := rng.Perm(3 * len(m))
	for i := range f.Nodes { // in one order
		for number := range f.Nodes[i].Ports {
			guid := f.Nodes[i].Ports[number].GUID
			if p, ok := m[guid]; ok && p.Base == 0 {
				p.Base, places = fabric.LID((places[0]+5)<<lmc), places[1:]
				m[guid] = p
			}
		}
	}
	return m
}

// TestFromOpenSMAndBack: a fabric goes from OpenSM to weft and back, and no LID moves: neither
// while it is in service, nor where all devices have been switched off and on in between, so that
// the files alone know their LIDs. The LIDs are such as no manager chooses by itself.
func TestFromOpenSMAndBack(t *testing.T) {
	for _, c := range []struct {
		formula string
		lmc     uint8
	}{{"rlft(8,2)|fail(links=3,seed=1)", 0}, {"torus(3x3,hosts=1)", 1}} {
		f, err := gen.Parse(c.formula)
		if err != nil {
			t.Fatal(err)
		}
		for _, off := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, LMC %d, switched off %t", c.formula, c.lmc, off), func(t *testing.T) {
				want := oddLIDs(f, c.lmc, 1)
				files, _ := (&opensm.Export{LIDs: want}).Files("/")
				s := switchOn(t, f)
				lmc := []string{"-R", "updn", "-l", fmt.Sprint(c.lmc)}
				in := s.openSM(files[:1], lmc...)
				same(t, "of OpenSM", s.lids(), want)
				r, err := opensm.Import(in)
				if err != nil {
					t.Fatal(err)
				}
				same(t, "imported", r.LIDs, want)
				if off {
					s.off()
					s = switchOn(t, f)
				}
				core := s.weft(terms.Config{History: terms.History{Stored: r.LIDs}, TakeOver: true}, c.lmc)
				same(t, "of weft", s.lids(), want)
				var kept bytes.Buffer
				if err := core.WriteLIDs(&kept); err != nil {
					t.Fatal(err)
				}
				stored, err := terms.ReadLIDs("kept", kept.Bytes())
				if err != nil {
					t.Fatal(err)
				}
				files, _ = (&opensm.Export{LIDs: stored, Subnet: core.Fabric()}).Files("/")
				if off {
					s.off()
					s = switchOn(t, f)
				}
				after := s.openSM(files[:2], lmc...)
				same(t, "of OpenSM again", s.lids(), want)
				r, err = opensm.Import(after)
				if err != nil {
					t.Fatal(err)
				}
				same(t, "imported again", r.LIDs, want)
			})
		}
	}
}

func same(t *testing.T, what string, got, want terms.LIDMap) {
	t.Helper()
	if !maps.Equal(got, want) {
		t.Fatalf("LIDs %s: got %v\nwant %v", what, got, want)
	}
}

// keys reads what P_Keys the ports of hosts have, in order of their numbers.
func (s *subnet) keys(f *fabric.Fabric) map[fabric.GUID][]uint16 {
	s.t.Helper()
	m := map[fabric.GUID][]uint16{}
	s.l.Do(func(sub *emulator.Subnet) {
		for i := range f.Nodes {
			if f.Nodes[i].Type == fabric.Switch {
				continue
			}
			keys, err := sub.PKeys(fabric.End{Node: fabric.NodeID(i), Port: 1})
			if err != nil {
				s.t.Error(err)
			}
			keys = slices.DeleteFunc(slices.Clone(keys), func(k uint16) bool { return k == 0 })
			slices.Sort(keys)
			m[f.Nodes[i].Ports[1].GUID] = keys
		}
	})
	return m
}

// TestPartitionsToOpenSM: partitions that weft has, with patterns and units that OpenSM does not
// know, give all hosts the same P_Keys under an OpenSM that they are exported to; and what that has
// is imported as the same P_Keys again.
func TestPartitionsToOpenSM(t *testing.T) {
	f, err := gen.Parse("rlft(4,2)")
	if err != nil {
		t.Fatal(err)
	}
	ps, err := partition.Read("ours", []byte("Default=0x7fff,ipoib,mtu=4096 : ALL=full;\nstorage=0x0010 : \"host [0-3]\"=full, ALL_CAS;\ntwo=0x11,ipoib,rate=100G : \"host 5\"=both;\n"))
	if err != nil {
		t.Fatal(err)
	}
	s := switchOn(t, f)
	core := s.weft(terms.Config{Partitions: &terms.Partitioning{Partitions: ps, In: true, Out: true}}, 0)
	ours := s.keys(f)
	s.off()
	s = switchOn(t, f)
	files, _ := (&opensm.Export{LIDs: s.lids(), Subnet: core.Fabric(), Partitions: ps}).Files(s.Dir)
	for _, file := range files {
		s.write(file)
	}
	s.openSM(nil, "-F", s.Path("opensm.conf"))
	theirs := s.keys(f)
	for guid, keys := range ours {
		if !slices.Equal(keys, theirs[guid]) || len(keys) < 2 {
			t.Errorf("port %s: weft gives %#x, OpenSM %#x", guid, keys, theirs[guid])
		}
	}
	data, err := os.ReadFile(s.Path("partitions.conf"))
	if err != nil {
		t.Fatal(err)
	}
	again, err := partition.Read("partitions.conf", data)
	if err != nil {
		t.Fatal(err)
	}
	s.off()
	s = switchOn(t, f)
	s.weft(terms.Config{Partitions: &terms.Partitioning{Partitions: again, In: true, Out: true}}, 0)
	if got := s.keys(f); !maps.EqualFunc(got, ours, slices.Equal) {
		t.Errorf("imported again: %#x, want %#x", got, ours)
	}
}
