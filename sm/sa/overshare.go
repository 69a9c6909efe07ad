package sa

import (
	"fmt"

	"weft/fabric"
)

// Place is a kind of place that ports hold at subnet administration.
type Place uint8

// The kinds of places.
const (
	GroupPlace Place = iota
	MemberPlace
	ServicePlace
	SubscriptionPlace
)

// String names the places as in metrics.
func (p Place) String() string {
	return [...]string{"groups", "members", "services", "subscriptions"}[p]
}

// OverShare is the refusal of a place to a port that holds its share of them.
type OverShare struct {
	Place
	Port             fabric.GUID // 0: a requester whose LID weft has not assigned
	Held, Used, Most int         // places of the port, of all ports, and in all
}

// RefusedCounts counts such refusals.
type RefusedCounts struct {
	Groups        int `json:"groups"`
	Members       int `json:"members"`
	Services      int `json:"services"`
	Subscriptions int `json:"subscriptions"`
}

// Add counts a refusal.
func (c *RefusedCounts) Add(p Place) {
	*[...]*int{&c.Groups, &c.Members, &c.Services, &c.Subscriptions}[p]++
}

// PortName names a port for people: its node, its number, its GUID and its LID.
func (s *Subnet) PortName(guid fabric.GUID) string {
	e := s.endOfGUID(guid)
	if e < 0 || s.endPort[e] < 0 {
		return fmt.Sprintf("port %s", guid)
	}
	p := &s.Ports[s.endPort[e]]
	return fmt.Sprintf("port %d of %q (%s, LID %d)", p.Num, s.Nodes[p.Node].Desc, guid, s.lidOf(p))
}
