package tuning

import (
	"fmt"
	"slices"
	"strings"

	"weft/fabric"
	"weft/route"
)

// Times are limits of waiting. A code v of time is 4.096 us * 2^v.
type Times struct {
	Subnet     uint8 // code: how long answers of ports and the life of packets may take, told to hosts
	PacketLife uint8 // code: the life of a packet in a switch; 20 and more: without end
	Head       uint8 // code: how long the first packet of a queue to a switch may wait; 20 and more: without end
	HostHead   uint8 // code: the same to a host or router
	Stall      uint8 // packets dropped in a row before a lane to a switch counts as stalled
	HostStall  uint8 // the same to a host or router
}

// UsualTimes are weft's and OpenSM's defaults. A host that accepts no packets blocks no switch for
// long.
var UsualTimes = Times{Subnet: 18, PacketLife: 18, Head: 18, HostHead: 16, Stall: 7, HostStall: 7}

// Limits of the fields of SwitchInfo and PortInfo.
const (
	MostCode  = 31 // 5 bits of a code of time
	MostStall = 7  // 3 bits
)

// Named are the values by the options of weft sm that set them.
func (t *Times) Named() map[string]*uint8 {
	return map[string]*uint8{
		"subnet-timeout": &t.Subnet, "packet-life": &t.PacketLife, "head-of-queue-life": &t.Head, "host-head-of-queue-life": &t.HostHead,
		"stall-count": &t.Stall, "host-stall-count": &t.HostStall,
	}
}

// Check returns an error for a value out of range, by the name of its option.
func (t *Times) Check() error {
	named := t.Named()
	for _, name := range TimeOptions {
		least, most := uint8(0), uint8(MostCode)
		if strings.HasSuffix(name, "stall-count") {
			least, most = 1, MostStall // what 0 means is not defined
		}
		if v := *named[name]; v < least || v > most {
			return fmt.Errorf("--%s %d: want %d to %d", name, v, least, most)
		}
	}
	return nil
}

// TimeOptions lists the names of Times.Named in order.
var TimeOptions = []string{"subnet-timeout", "packet-life", "head-of-queue-life", "host-head-of-queue-life", "stall-count", "host-stall-count"}

// Ports returns the parameters of a Plan's ports with the site's times; the same if those are usual
// or unknown. It changes nothing in place.
func (s *Settings) Ports(g *fabric.Graph, ports *route.Ports) *route.Ports {
	t := s.times()
	if t == UsualTimes || ports == nil {
		return ports
	}
	out := *ports
	out.PacketLife, out.Switch = t.PacketLife, slices.Clone(ports.Switch)
	n := uint16(len(ports.Pool))
	out.Pool = append(slices.Clone(ports.Pool), ports.Pool...) // the second half is for ports to hosts
	for i := range out.Pool {
		if p := &out.Pool[i]; i < int(n) {
			p.HOQLife, p.StallCount = t.Head, t.Stall
		} else {
			p.HOQLife, p.StallCount = t.HostHead, t.HostStall
		}
	}
	for h := range int32(g.NumHosts) {
		out.Switch[g.PortStart[g.EndSwitch[h]]+int32(g.EndPort[h])] += n
	}
	return &out
}
