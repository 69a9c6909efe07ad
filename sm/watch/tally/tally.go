// Package tally counts the work of a manager.
package tally

import (
	"slices"
	"time"

	"weft/sm/ledger"
	"weft/sm/round"
	"weft/sm/terms"
	"weft/wire/mad"
)

// Tally counts the work of a Manager since it started. It is a value: a copy does not change.
type Tally struct {
	LightSweeps int
	HeavySweeps int // in rounds: of all nodes and ports
	Rounds      [len(ends)]int
	Repairs     int // rounds that repaired the Plan in force
	Moved       int // entries of forwarding tables moved by repairs
	Spread      int // entries of forwarding tables moved to less loaded links
	Blocks      int // of forwarding tables, written and acknowledged
	Traps       [len(trapNumbers) + 1]int
	Dropped     Dropped
	smps        [ledger.NumKinds + 1]smpCount

	LightSweepTimes terms.Times // of light sweeps that came to their end
	RoundTimes      terms.Times // of rounds, from beginning to end
	RouteTimes      terms.Times // of Plans: computed and judged
	RepairTimes     terms.Times // from the first sign of a change to the end of the round that repaired the Plan
	Quarantines     int         // links put in quarantine
}

// Dropped counts datagrams that were ignored.
type Dropped struct {
	Unheeded  int // valid but not answered: not for a subnet manager, a query while not the master, or unanswerable
	Malformed int // too short for their class
	Stray     int // answers to no request under way: late, repeated, or not ours
	Overflow  int // no room: too many unsolicited ones at once
}

// smpCount counts SMPs of one kind.
type smpCount struct{ requests, sent, failed int }

// ends lists the possible ends of a round.
var ends = [...]terms.State{terms.Up, terms.UpInPart, terms.Discovered, terms.OtherMaster, terms.NotRouted, terms.Interrupted, terms.Failed}

// trapNumbers lists the traps with a count of their own; all others share one.
var trapNumbers = [...]uint64{
	mad.TrapGIDInService, mad.TrapGIDOutOfService, mad.TrapGroupCreated, mad.TrapGroupDeleted, mad.TrapLinkState, mad.TrapLinkIntegrity,
	mad.TrapBufferOverrun, mad.TrapFlowControl, mad.TrapLocalChanges, mad.TrapSystemImageGUID, mad.TrapBadMKey, mad.TrapBadPKey,
	mad.TrapBadQKey, mad.TrapBadPKeySwitchPort,
}

// RoundsBy returns the number of rounds by how they ended.
func (t *Tally) RoundsBy() map[terms.State]int {
	by := map[terms.State]int{}
	for i, s := range ends {
		by[s] = t.Rounds[i]
	}
	return by
}

// TrapsBy returns the number of traps by trap number; 0 stands for all others.
func (t *Tally) TrapsBy() map[uint64]int {
	by := map[uint64]int{0: t.Traps[len(trapNumbers)]}
	for i, n := range trapNumbers {
		by[n] = t.Traps[i]
	}
	return by
}

// SetManager counts Sets of SMInfo at other managers. Rounds have no such kind.
const SetManager = ledger.NumKinds

// SMPs returns the counts by method and attribute, light sweeps and other managers included.
func (t *Tally) SMPs() []terms.Count {
	return slices.DeleteFunc(t.AllSMPs(), func(n terms.Count) bool { return n.Requests == 0 })
}

// AllSMPs returns SMPs, with zeros for attributes that were never sent.
func (t *Tally) AllSMPs() []terms.Count {
	by := slices.Clone(noSMPs)
	for k, n := range t.smps {
		c := &by[smpRows[k]]
		c.Requests += n.requests
		c.Sent += n.sent
		c.Failed += n.failed
	}
	return by
}

// smpRows maps kinds of SMPs to rows of noSMPs, which has one row for each method and attribute,
// with zeros.
var smpRows, noSMPs = func() (rows [ledger.NumKinds + 1]int, none []terms.Count) {
	for k := range rows {
		method, attr := mad.Set, mad.AttrSMInfo
		if ledger.Kind(k) != SetManager {
			method, attr = ledger.Kinds[k].Method, ledger.Kinds[k].Attr
		}
		c := terms.Count{Method: method.String(), Attribute: ledger.AttrName(attr)}
		if rows[k] = slices.Index(none, c); rows[k] < 0 {
			rows[k], none = len(none), append(none, c)
		}
	}
	return rows, none
}()

// Answer counts the end of an SMP of a kind.
func (t *Tally) Answer(k ledger.Kind, ev *terms.Event) {
	n := &t.smps[k]
	n.requests++
	n.sent += ev.Attempts
	if ev.Outcome != terms.Answered {
		n.failed++
	}
}

// Trap counts a trap.
func (t *Tally) Trap(number uint64) {
	i := slices.Index(trapNumbers[:], number)
	if i < 0 {
		i = len(trapNumbers)
	}
	t.Traps[i]++
}

// Round counts a round that has ended: when it began, and when the first sign of the change came
// that it handles.
func (t *Tally) Round(now, begun, noticed time.Duration, result *round.Result) {
	r := result.Report
	t.RoundTimes.Add(now - begun)
	t.Rounds[slices.Index(ends[:], r.State)]++
	t.HeavySweeps += r.Sweeps
	t.Blocks += r.Written.Blocks
	switch {
	case result.Spread != nil:
		t.Spread += result.Spread.Moved
	case result.Repaired:
		t.Repairs++
		t.Moved += result.Moved
		t.RepairTimes.Add(now - noticed)
	}
}
