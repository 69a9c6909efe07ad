package fabric

import "fmt"

// Part is a switch or a cable: what can be drained. The other of the two is -1.
type Part struct {
	Switch NodeID
	Link   LinkID
}

// FindPart finds the switch or the cable that a name names: see FindPlace and FindLink.
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

// SetDrained drains a switch or a cable (true) or no longer (false).
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

// CutOffByDrain finds two switches that are up and between which no way leads, since what is drained lets nothing through. In a
// fabric whose switches are joined when nothing is drained that shows whether all still reach each other.
func (f *Fabric) CutOffByDrain() (a, b NodeID, cut bool) {
	group := make([]NodeID, len(f.Nodes)) // of undrained switches: the first of those that are joined, else -1
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
			if first < 0 && !next[t] { // all are drained: each must be cabled to each
				return id, t, true
			}
		}
	}
	return -1, -1, false
}
