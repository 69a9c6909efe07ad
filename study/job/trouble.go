package job

import (
	"fmt"

	"weft/fabric"
)

// Trouble is a hot or sick cable on the paths of a job.
type Trouble struct {
	// Kind is "hot", or that of an odd cable: "slow", "errors", "waiting", "disputed" and others.
	Kind  string            `json:"kind"`
	Ports []fabric.PortName `json:"ports"`
	Text  string            `json:"text"`  // in words
	Share float64           `json:"share"` // of the job's exchange: the largest use of the cable, as a share of its rate
}

// Hot is a busy link, as a running manager measures it.
type Hot struct {
	From, To fabric.PortName
	Gbps     float64
	Share    float64 // of its rate
}

// hotShare is the use above which a link is hot.
const hotShare = 0.7

// trouble lists the hot and sick cables of a job's paths, sick ones first.
func (t *table) trouble(m *member, req *Request) (out []Trouble) {
	type port struct {
		guid fabric.GUID
		port uint8
	}
	use := map[port]float64{}
	for _, l := range m.load {
		name := t.net.LinkPort(l.link)
		at := port{name.GUID, name.Port}
		use[at] = max(use[at], l.share)
	}
	most := func(ports []fabric.PortName) (share float64, used bool) {
		for _, p := range ports {
			v, is := use[port{p.GUID, p.Port}]
			share, used = max(share, v), used || is
		}
		return share, used
	}
	for i := range req.Odd {
		o := &req.Odd[i]
		if share, used := most(o.Ports); used {
			out = append(out, Trouble{string(o.Kind), o.Ports, o.Text, share})
		}
	}
	for i := range req.Hot {
		h := &req.Hot[i]
		ports := []fabric.PortName{h.From, h.To}
		if share, used := most(ports); used && h.Share >= hotShare {
			out = append(out, Trouble{"hot", ports, fmt.Sprintf("%.0f %% of its rate in use, %.1f Gbit/s", 100*h.Share, h.Gbps), share})
		}
	}
	return out
}
