package terms

import "testing"

// TestSentCounts: every attempt counts as sent, for nodes that answer.
func TestSentCounts(t *testing.T) {
	var l LossCount
	for _, ev := range []Event{{Kind: Answer, Attempts: 4}, {Kind: Answer, Attempts: 1, Outcome: Refused}, {Kind: Answer, Attempts: 8, Outcome: Silent}, {Kind: Unasked, Attempts: 3}} {
		l.Add(&ev)
	}
	if l != (LossCount{sent: 5, again: 3}) {
		t.Errorf("%+v", l)
	}
}

// TestLossCount: requests are retried more often if answers show losses. A silent node shows
// nothing.
func TestLossCount(t *testing.T) {
	var l LossCount
	for range 100 {
		l.Add(&Event{Kind: Answer, Outcome: Silent, Attempts: 8})
		l.Add(&Event{Kind: Answer, Outcome: Answered, Attempts: 1})
	}
	if got := l.Retries(0); got != usualRetries {
		t.Errorf("%d retries on a good wire", got)
	}
	for range 100 {
		l.Add(&Event{Kind: Answer, Outcome: Refused, Attempts: 3})
	}
	if got := l.Retries(0); got <= usualRetries || got > mostRetries {
		t.Errorf("%d retries on a bad wire", got)
	}
	if got := l.Retries(-1); got != -1 {
		t.Errorf("%d retries where none are wanted", got)
	}
}
