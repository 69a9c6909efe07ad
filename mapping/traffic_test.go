package mapping

import (
	"math"
	"strings"
	"testing"
	"time"
)

// TestTraffic counts what becomes of probes, and that a late answer is taken for
// the same probe when it is sent again, and for no other.
func TestTraffic(t *testing.T) {
	n := pair(t)
	const probes = 20_000
	m := NewMapper(NewModel(n, Circuit, Myrinet), 0, Conditions{Traffic: Traffic{Loss: 0.1, Late: 0.2, Corrupt: 0.05}, Seed: 1})
	for i := range probes {
		reply, took := m.Probe([][]Turn{{1, -2}, {1, 0, -1}}[i%2])
		if reply.Answered && reply.Host.ID != [2]uint64{2, 1}[i%2] {
			t.Fatalf("probe %d was answered by %v", i, reply.Host)
		}
		if reply.Answered && took >= MyrinetClock.Timeout+MyrinetClock.Overhead || !reply.Answered && took != MyrinetClock.Timeout {
			t.Fatalf("probe %d took %v: %v", i, took, reply)
		}
	}
	for outcome, share := range map[Outcome]float64{Lost: 0.1, Late: 0.2, Corrupted: 0.05} {
		if got := float64(m.Outcomes[outcome]) / probes; math.Abs(got-share) > 0.02 {
			t.Errorf("%s: a share of %.3f, want %.3f", outcome, got, share)
		}
	}
	if m.Elapsed <= time.Second {
		t.Errorf("%v for all", m.Elapsed)
	}
}

// TestLateAnswer: a probe that is sent again meets its own late answer; one that is not
// is given up.
func TestLateAnswer(t *testing.T) {
	n := pair(t)
	met := 0
	for seed := range uint64(200) {
		m := NewMapper(NewModel(n, Circuit, Myrinet), 0, Conditions{Traffic: Traffic{Late: 0.5}, Seed: seed})
		if r, _ := m.Probe([]Turn{1, -2}); r.Answered || m.Outcomes[Late] != 1 {
			continue
		}
		if r, _ := m.Probe([]Turn{3}); r.Answered { // no such way
			t.Errorf("seed %d: another probe was answered by %v", seed, r.Host)
		}
		m.Outcomes[Delivered] = 0
		if r, _ := m.Probe([]Turn{1, -2}); r.Answered && m.Outcomes[Delivered] == 0 {
			met++
		}
	}
	if met == 0 {
		t.Error("no late answer was ever taken")
	}
}

// TestBusyWires lose what crosses them, each time.
func TestBusyWires(t *testing.T) {
	n := pair(t)
	m := NewMapper(NewModel(n, Circuit, Myrinet), 0, Conditions{Traffic: Traffic{Busy: 0.9}, Seed: 3})
	busy := 0
	for _, b := range m.disturbance.busy {
		if b {
			busy++
		}
	}
	for range 1000 {
		m.Probe([]Turn{1, -2})
	}
	if lost := m.Outcomes[Lost]; busy == 0 || busy%2 != 0 || lost < 300 || lost > 900 {
		t.Errorf("%d busy wire-ends, %d of 1,000 lost", busy, lost)
	}
}

// TestTrafficRefusals: shares are shares.
func TestTrafficRefusals(t *testing.T) {
	for _, c := range []struct {
		traffic Traffic
		want    string
	}{
		{Traffic{Loss: -0.1}, "lost"},
		{Traffic{Late: 1}, "late"},
		{Traffic{Corrupt: math.NaN()}, "corrupted"},
		{Traffic{Busy: 2}, "busy"},
		{Traffic{Loss: 0.5, Late: 0.5}, "none would be answered"},
	} {
		if err := c.traffic.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.traffic, err)
		}
	}
	if err := (Traffic{Loss: 0.3, Busy: 0.1}).Check(); err != nil {
		t.Error(err)
	}
}

// TestReconnect: the mapper goes on in another network, or in none.
func TestReconnect(t *testing.T) {
	n := pair(t)
	m := NewMapper(NewModel(n, Circuit, Myrinet), 0, Conditions{})
	m.Reconnect(NewModel(n, Circuit, Myrinet), 1)
	if r, _ := m.Probe([]Turn{2, -1}); !r.Answered || r.Host.ID != 1 {
		t.Errorf("from the other host: %v", r)
	}
	m.Reconnect(NewModel(n, Circuit, Myrinet), -1)
	if r, took := m.Probe([]Turn{2, -1}); r.Answered || took != MyrinetClock.Timeout {
		t.Errorf("wired to nothing: %v %v", r, took)
	}
}
