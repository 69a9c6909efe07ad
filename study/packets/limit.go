package packets

import (
	"fmt"

	"weft/fabric"
	"weft/route"
	"weft/study"
)

// Limit is the link that limits a run: it is in use nearly all the time. Of links between switches
// it is the busiest. Without such a link it is the busiest one to a host.
type Limit struct {
	BusyLink
	// Sources and Targets count the hosts with packets on the link, by the tables at the start of
	// the run; 0 between subnets, where routers choose the way.
	Sources int `json:"sources"`
	Targets int `json:"targets"`
}

// The least use of a link that limits. Of many links to hosts that carry the same load some have
// little more by chance.
const (
	alwaysUsed  = .95 // between switches
	alwaysTaken = .99 // to a host
)

// limit finds the link that limits a run, which gives a sender a share of its rate. limit is nil if
// there is none, or if senders get nearly all of their rate.
func (j *job) limit(run *oneRun, share float64) *Limit {
	if share >= alwaysUsed || j.once {
		return nil
	}
	g := j.g
	busiest, sw := BusyLink{Used: alwaysUsed}, int32(-1)
	for c := range int32(g.NumChannels) {
		if l := j.link(run, j.linkNumber(c), g.ChanRate[c], g.ChannelPorts(c)); l.Used > busiest.Used {
			busiest, sw = l, g.From[c]
		}
	}
	if sw < 0 {
		busiest.Used = alwaysTaken
		for _, e := range run.takers {
			if l := j.linkTo(run, e); l.Used > busiest.Used {
				busiest, sw = l, g.EndSwitch[e]
			}
		}
	}
	if sw < 0 {
		return nil
	}
	out := &Limit{BusyLink: busiest}
	if j.Between == nil {
		out.Sources, out.Targets = j.usersOf(run, sw, out.Ports[0].Port)
	}
	return out
}

// usersOf counts the senders and the receivers of a run with packets on the link of a switch's
// port.
func (j *job) usersOf(run *oneRun, sw int32, port uint8) (sources, targets int) {
	uses := &linkUsers{g: j.g, plan: j.plan.Plan, sw: sw, port: port, passes: make([]uint8, j.g.NumSwitches)}
	sends := make([]bool, j.g.NumEnds)
	for _, target := range run.takers {
		from := run.senders
		if run.sendersTo != nil {
			from = run.sendersTo[target]
		}
		if uses.mark(target, from, sends) {
			targets++
		}
	}
	for _, s := range sends {
		if s {
			sources++
		}
	}
	return sources, targets
}

// linkUsers finds the pairs whose path passes the link of a switch's port.
type linkUsers struct {
	g      *fabric.Graph
	plan   *route.Plan
	sw     int32
	port   uint8
	passes []uint8 // by switch, for one LID: unknown, or whether the path from it passes the link
	path   []int32
}

// The states of a switch.
const (
	unknown = iota
	underway
	passing
	avoiding
)

// mark marks the sources with packets to a target on the link, and reports whether there are any.
func (u *linkUsers) mark(target int32, sources []int32, sends []bool) (some bool) {
	for k := range u.plan.Ends.Count(target) {
		lid := u.plan.Ends.Base[target] + fabric.LID(k)
		clear(u.passes)
		for _, s := range sources {
			if s != target && u.plan.Uses(s, target, lid) && u.from(u.g.EndSwitch[s], lid) {
				sends[s], some = true, true
			}
		}
	}
	return some
}

// from reports whether the path from a switch to a LID passes the link.
func (u *linkUsers) from(s int32, lid fabric.LID) bool {
	u.path = u.path[:0]
	for u.passes[s] == unknown {
		u.path, u.passes[s] = append(u.path, s), underway
		port := u.plan.Tables.Port(s, lid)
		if s == u.sw && port == u.port {
			u.passes[s] = passing
			break
		}
		c := int32(-1)
		if port != route.NoPort {
			c, _ = u.g.At(s, port)
		}
		if c < 0 {
			break // the target, or no way
		}
		s = u.g.To[c]
	}
	passes := uint8(avoiding)
	if u.passes[s] == passing {
		passes = passing
	}
	for _, x := range u.path {
		u.passes[x] = passes
	}
	return passes == passing
}

// text names the link, its use, and the hosts with packets on it.
func (l *Limit) text() string {
	text := fmt.Sprintf("%s -> %s, %.0f %% used", l.Ports[0].Short(), l.Ports[1].Short(), 100*l.Used)
	if l.Targets > 0 {
		text += fmt.Sprintf(": packets from %s to %s", study.Plural(l.Sources, "host"), study.Plural(l.Targets, "host"))
	}
	return text
}
