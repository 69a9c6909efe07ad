package probe

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"weft/mapping"
)

// script answers probes with replies in order, and notes their turns.
type script struct {
	replies []mapping.Reply
	sent    [][]mapping.Turn
}

func (s *script) Probe(turns []mapping.Turn) (mapping.Reply, time.Duration) {
	s.sent = append(s.sent, slices.Clone(turns))
	if len(s.replies) == 0 {
		return mapping.Reply{}, 2
	}
	r := s.replies[0]
	s.replies = s.replies[1:]
	return r, 1
}

var self, other = mapping.Host{ID: 1, Name: "a"}, mapping.Host{ID: 2, Name: "b"}

// TestKinds: every kind of probe has its turns and its tally, and a host that answers with turns
// left does not count as the answer.
func TestKinds(t *testing.T) {
	own, another := mapping.Reply{Answered: true, Host: self}, mapping.Reply{Answered: true, Host: other}
	early := mapping.Reply{Answered: true, Host: self, Early: true}
	p := &script{replies: []mapping.Reply{another, early, own, own, own, another, early}}
	s := NewSender(t.Context(), p, self, Options{})
	if r, ok := s.Host(2, -1); !ok || r.Host != other {
		t.Errorf("host: %+v, %v", r, ok)
	}
	if _, ok := s.Host(2, -1); ok {
		t.Error("a host that was reached too soon was taken")
	}
	if !s.IsOwn(s.Switch(2, -1)) {
		t.Error("the message that came back was not taken")
	}
	s.Loop([]mapping.Turn{2, -1})
	for k, want := range []bool{true, false, false} {
		if got := s.Compare([]mapping.Turn{2, -1}, 5, []mapping.Turn{3}); got != want {
			t.Errorf("comparison %d: %v", k, got)
		}
	}
	want := [][]mapping.Turn{{2, -1}, {2, -1}, {2, -1, 0, 1, -2}, {2, -1, 1, -2}, {2, -1, 5, -3}, {2, -1, 5, -3}, {2, -1, 5, -3}}
	if !slices.EqualFunc(p.sent, want, slices.Equal) {
		t.Errorf("sent %v, want %v", p.sent, want)
	}
	counts := Counts{Host: Tally{2, 2}, Switch: Tally{1, 1}, Loop: Tally{1, 1}, Compare: Tally{3, 3}}
	if s.Probes != counts || s.Elapsed != 7 || s.Probes.Total() != (Tally{7, 7}) {
		t.Errorf("%+v, %v", s.Probes, s.Elapsed)
	}
	if sum := counts; true {
		sum.Add(&counts)
		if sum.Total() != (Tally{14, 14}) || sum.Compare != (Tally{6, 6}) {
			t.Errorf("sum %+v", sum)
		}
	}
}

// TestRetries: silent probes are sent again, answered ones are not, and none beyond the
// limit.
func TestRetries(t *testing.T) {
	p := &script{replies: []mapping.Reply{{}, {Answered: true, Host: other}}}
	s := NewSender(t.Context(), p, self, Options{Retries: 2, Limit: 4})
	if _, ok := s.Host(1); !ok || len(p.sent) != 2 || s.Stopped() != nil {
		t.Errorf("%v, sent %v, %v", ok, p.sent, s.Stopped())
	}
	if _, ok := s.Host(2); ok || len(p.sent) != 4 || !errors.Is(s.Stopped(), ErrLimit) {
		t.Errorf("%v, sent %v, %v", ok, p.sent, s.Stopped())
	}
	if s.Probes.Host != (Tally{4, 1}) {
		t.Errorf("%+v", s.Probes)
	}
}

// TestEnded: a probe during the end of the context counts as not sent.
func TestEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := NewSender(ctx, mapping.ProbeFunc(func([]mapping.Turn) (mapping.Reply, time.Duration) {
		cancel()
		return mapping.Reply{Answered: true, Host: other}, 1
	}), self, Options{})
	if _, ok := s.Host(1); ok || s.Probes != (Counts{}) || s.Elapsed != 0 || !s.Ended() || !errors.Is(s.Stopped(), context.Canceled) {
		t.Errorf("%v, %+v, %v", ok, s.Probes, s.Stopped())
	}
}
