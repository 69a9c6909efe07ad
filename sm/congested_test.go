package sm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	simcongestion "weft/sim/congestion"
	"weft/sm/congestion"
	"weft/sm/perf"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/sm/watch"
	"weft/wire"
	"weft/wire/mad"
	"weft/wire/wiretest"
)

// easedUntil runs a manager over a medium until all devices were told, and looks, and then ends it.
func easedUntil(t *testing.T, medium wire.Transport, set *congestion.Settings, is func(r *congestion.Report) bool, look func()) {
	t.Helper()
	shown := make(chan congestion.Report, 100000)
	r := Runner{
		Config: terms.Config{SMKey: 1, Congestion: set}, Watch: terms.UsualWatch, Routing: smtest.JobOf("updn", 0), Clock: testClock(), Wire: wire.Config{Window: 32},
		Show: func(s *watch.Snapshot) {
			if s.Congestion != nil {
				shown <- *s.Congestion
			}
		},
	}
	r.Watch.Interval = 50 * time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := r.Run(ctx, medium)
		ended <- err
	}()
	for patience := time.After(2 * time.Minute); ; {
		select {
		case r := <-shown:
			if !is(&r) {
				continue
			}
			if look(); ctx.Err() == nil {
				cancel()
				if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
				return
			}
		case <-patience:
			t.Fatal("the devices were not told")
		}
	}
}

// TestCongestionControl: all switches and adapters do what the simulator does by the same settings;
// one that has no congestion control is counted, and one that has restarted is told again.
func TestCongestionControl(t *testing.T) {
	wiretest.NoLeaks(t)
	f := smtest.Formula(t, "rlft(4,2)")
	sub, err := emulator.New(f, emulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	bad := smtest.Find(f, fabric.Switch, 1)
	if err := sub.SetCongestionControl(bad, false); err != nil {
		t.Fatal(err)
	}
	l, medium := inRealTime(t, sub, testClock())
	defer l.Close()
	set := &congestion.Settings{Control: simcongestion.Usual()}
	var switches, hosts int
	for i := range f.Nodes {
		if f.Nodes[i].Type == fabric.Switch {
			switches++
		} else {
			hosts++
		}
	}
	again := fabric.End{Node: smtest.Find(f, fabric.CA, 2), Port: 1}
	rebooted := false
	easedUntil(t, medium, set, func(r *congestion.Report) bool {
		if *r != (congestion.Report{Switches: switches - 1, Adapters: hosts, Without: 1}) {
			return false
		}
		if rebooted {
			var has *emulator.Congestion
			l.Do(func(s *emulator.Subnet) { has, _ = s.Congestion(again) })
			return has != nil
		}
		rebooted = true
		l.Do(func(s *emulator.Subnet) { err = s.Reboot(again.Node, 10*time.Millisecond) })
		return false
	}, func() {
		l.Do(func(s *emulator.Subnet) {
			for i := range f.Nodes {
				e := fabric.End{Node: fabric.NodeID(i), Port: 1}
				if f.Nodes[i].Type == fabric.Switch {
					e.Port = 0
				}
				has, err := s.Congestion(e)
				if err != nil {
					t.Fatal(err)
				}
				if e.Node == bad {
					if has != nil {
						t.Error("a switch without congestion control has it")
					}
					continue
				}
				want := *set.Control
				sw, ca, table := has.Switch, has.Adapter, has.Table
				if sw == nil {
					sw = make([]byte, 192)
				} else {
					ca, table = make([]byte, 192), [][]byte{make([]byte, 192)}
				}
				got := congestion.Control(sw, ca, table)
				if has.Switch != nil && (got.Threshold != want.Threshold || got.MarkingRate != want.MarkingRate) || has.Switch == nil && (got.Limit != want.Limit || got.Timer != want.Timer || len(got.Table) != len(want.Table) || got.Table[100] != want.Table[100]) {
					t.Errorf("%s has %+v", f.EndName(e), got)
				}
			}
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestToldAnew: a running manager takes new settings: it sets congestion control anew at the
// devices, and starts or stops reading counters.
func TestToldAnew(t *testing.T) {
	wiretest.NoLeaks(t)
	f := smtest.Formula(t, "rlft(4,2)")
	sub, err := emulator.New(f, emulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	l, medium := inRealTime(t, sub, testClock())
	defer l.Close()
	asked, shown := make(chan *terms.Event), make(chan *watch.Snapshot, 1)
	looks := terms.UsualWatch
	looks.Interval = 20 * time.Millisecond
	r := Runner{
		Config: terms.Config{SMKey: 1}, Watch: looks, Routing: smtest.JobOf("updn", 0), Clock: testClock(), Wire: wire.Config{Window: 32}, Asked: asked,
		Show: func(s *watch.Snapshot) {
			select {
			case <-shown:
			default:
			}
			shown <- s // the last one
		},
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := r.Run(ctx, medium)
		ended <- err
	}()
	threshold := func() (value uint8) {
		l.Do(func(s *emulator.Subnet) {
			if has, _ := s.Congestion(fabric.End{Node: smtest.Find(f, fabric.Switch, 1)}); has != nil && has.Switch != nil {
				value = congestion.Control(has.Switch, make([]byte, 192), [][]byte{make([]byte, 192)}).Threshold
			}
		})
		return value
	}
	other := simcongestion.Usual()
	other.Threshold = 3
	for i, c := range []struct {
		set       *congestion.Settings
		counters  perf.Config
		threshold uint8
	}{
		{&congestion.Settings{Control: simcongestion.Usual()}, perf.Config{}, simcongestion.Usual().Threshold},
		{&congestion.Settings{Control: other}, perf.Config{Interval: time.Second, Rate: 1e6}, 3},
		{nil, perf.Config{}, 0}, // devices that were told are told to stop, and nothing is read
		{&congestion.Settings{}, perf.Config{}, 0},
	} {
		asked <- &terms.Event{Kind: terms.Reconfigure, Settings: &terms.Settings{Config: terms.Config{SMKey: 1, Congestion: c.set}, Counters: c.counters, Watch: looks, Routing: smtest.JobOf("updn", 0)}}
		for patience := time.After(2 * time.Minute); ; {
			select {
			case s := <-shown:
				told := s.Congestion != nil && s.Congestion.Waiting+s.Congestion.Silent == 0 && s.Congestion.Switches > 0
				if !told || (s.Counters != nil) != (c.counters.Interval > 0) || threshold() != c.threshold {
					continue
				}
			case <-patience:
				t.Fatalf("settings %d: threshold %d", i, threshold())
			}
			break
		}
	}
	cancel()
	if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestCongestionControlOfOpenSM: by the same numbers OpenSM and ours tell devices the same, but for
// which ports of a switch are victims: OpenSM has one mask for all.
func TestCongestionControlOfOpenSM(t *testing.T) {
	f := tree(t)
	s, l := emulateLive(t, f)
	set := &congestion.Settings{Control: simcongestion.Usual()}
	set.Control.MarkingRate, set.Control.PacketSize = 3, 2
	var cct []string
	for _, d := range set.Control.Table {
		cct = append(cct, fmt.Sprintf("%d:%d", d.Shift, d.Multiplier))
	}
	text := "congestion_control TRUE\ncc_sw_cong_setting_control_map 0x15\ncc_sw_cong_setting_threshold 0xf\ncc_sw_cong_setting_packet_size 2\n" +
		"cc_sw_cong_setting_marking_rate 3\ncc_ca_cong_setting_control_map 0xffff\ncc_cct " + strings.Join(cct, ",") + "\n"
	for sl := range 16 {
		text += fmt.Sprintf("cc_ca_cong_setting_ccti_timer %d 30\ncc_ca_cong_setting_ccti_increase %d 1\n", sl, sl)
	}
	file := s.Path("opensm.conf")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	told := func() (all map[fabric.End]*emulator.Congestion, whole bool) {
		all = map[fabric.End]*emulator.Congestion{}
		l.Do(func(sub *emulator.Subnet) {
			whole = true
			for i := range f.Nodes {
				e := fabric.End{Node: fabric.NodeID(i), Port: 1}
				if f.Nodes[i].Type == fabric.Switch {
					e.Port = 0
				}
				c, _ := sub.Congestion(e)
				all[e] = c
				whole = whole && c != nil && (c.Switch != nil || c.Table[1][1] != 0 && c.Adapter[3] != 0)
			}
		})
		return all, whole
	}
	end := s.OpenSM("-R", "minhop", "-F", file)
	for wait := 0; ; wait++ {
		if _, whole := told(); whole {
			break
		}
		if wait > 1200 {
			t.Fatal("OpenSM did not tell all devices")
		}
		time.Sleep(100 * time.Millisecond)
	}
	end()
	theirs, _ := told()
	medium, err := l.Attach(fabric.End{Node: smtest.Find(f, fabric.CA, 0), Port: 1})
	if err != nil {
		t.Fatal(err)
	}
	easedUntil(t, medium, set, func(r *congestion.Report) bool { return r.Waiting == 0 && r.Switches > 0 }, func() {})
	ours, _ := told()
	for e, want := range theirs {
		got := ours[e]
		if want.Switch != nil {
			for _, c := range []*emulator.Congestion{want, got} {
				clear(mad.SwitchCongestionSettingVictimMask.Get(c.Switch))
			}
		}
		if !bytes.Equal(got.Switch, want.Switch) || !bytes.Equal(got.Adapter, want.Adapter) {
			t.Errorf("%s: OpenSM\n% x\n% x, ours\n% x\n% x", f.EndName(e), want.Switch, want.Adapter, got.Switch, got.Adapter)
		}
		for i := range want.Table {
			if !bytes.Equal(got.Table[i], want.Table[i]) {
				t.Errorf("%s: block %d: OpenSM % x, ours % x", f.EndName(e), i, want.Table[i], got.Table[i])
			}
		}
	}
}
