package fabric

import "fmt"

// Part is a switch or a cable, which can be drained. The other field is -1.
type Part struct {
	Switch NodeID
	Link   LinkID
}

// FindPart finds a switch or a cable by name: see FindPlace and FindLink.
func (f *Fabric) FindPart(name string) (Part, error) {
	at, err := f.FindPlace(name)
	switch {
	case err == nil && at.Whole && f.Nodes[at.Node].Type == Switch:
		return Part{at.Node, NoLink}, nil
	case err == nil && at.Whole:
		return Part{-1, NoLink}, fmt.Errorf("%s is a %s: want a switch or a cable", f.NodeName(at.Node), f.Nodes[at.Node].Type)
	}
	link, err := f.FindLink(name)
	return Part{-1, link}, err
}

// PartName names a switch or a cable for people.
func (f *Fabric) PartName(p Part) string {
	if p.Link == NoLink {
		return "switch " + f.NodeName(p.Switch)
	}
	return "cable " + f.LinkName(p.Link)
}

// SetDrained drains a switch or a cable (true) or ends its drain (false).
func (f *Fabric) SetDrained(p Part, drained bool) {
	if p.Link == NoLink {
		f.SetSwitchDrained(p.Switch, drained)
	} else {
		f.SetLinkDrained(p.Link, drained)
	}
}

// IsDrained reports whether a switch or a cable is drained.
func (f *Fabric) IsDrained(p Part) bool {
	if p.Link == NoLink {
		return f.Nodes[p.Switch].Drained
	}
	return f.Links[p.Link].Drained
}

// CutOffByDrain finds two switches that are up and that draining has separated. If all switches are
// connected without draining, it shows whether they still are.
func (f *Fabric) CutOffByDrain() (a, b NodeID, cut bool) {
	group := make([]NodeID, len(f.Nodes)) // undrained switches: the first switch of the connected part; others: -1
	first, all := NodeID(-1), []NodeID(nil)
	for i := range f.Nodes {
		group[i] = -1
		if n := &f.Nodes[i]; n.Type == Switch && !n.Down {
			all = append(all, NodeID(i))
		}
	}
	for _, id := range all {
		if f.Nodes[id].Drained || group[id] >= 0 {
			continue
		}
		if first >= 0 {
			return first, id, true
		}
		first, group[id] = id, id
		for todo := []NodeID{id}; len(todo) > 0; todo = todo[1:] {
			for p := range f.Cabled(todo[0], f.usable) {
				t := f.Peer(End{todo[0], p}).Node
				if f.Nodes[t].Type == Switch && !f.Nodes[t].Drained && group[t] < 0 {
					group[t] = id
					todo = append(todo, t)
				}
			}
		}
	}
	for _, id := range all {
		if !f.Nodes[id].Drained {
			continue
		}
		next := map[NodeID]bool{id: true}
		joined := false
		for p := range f.Cabled(id, f.usable) {
			t := f.Peer(End{id, p}).Node
			next[t] = true
			joined = joined || group[t] >= 0
		}
		if first >= 0 && !joined {
			return first, id, true
		}
		for _, t := range all {
			if first < 0 && !next[t] { // all are drained: every switch must be cabled to every other
				return id, t, true
			}
		}
	}
	return -1, -1, false
}
