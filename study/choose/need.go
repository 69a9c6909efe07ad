package choose

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/fabric"
	"weft/internal/spelling"
)

// Want is the need of a machine: servers by kind, ports of a switch, oversubscription, growth.
type Want struct {
	Hosts int `json:"hosts"` // compute servers, at the last step of growth
	Radix int `json:"radix"` // ports of a switch
	// Rails is the number of ports of a compute server, each to a network of its own unless the
	// formula is rail.
	Rails int `json:"rails"`
	// Ratio is the accepted oversubscription: the number of hosts that share the bandwidth of one.
	Ratio float64  `json:"oversubscription"`
	Kinds []string `json:"kinds"`          // kinds of networks to propose; none: all
	Rate  float64  `json:"gbps,omitempty"` // of a port of a compute server, in Gb/s
	// Pods is the accepted oversubscription between pods, groups and subnets, if it is more than
	// Ratio.
	Pods float64 `json:"pod_oversubscription,omitempty"`
	Now  int     `json:"now,omitempty"` // compute servers at the first step of growth

	Storage Group `json:"storage"` // storage servers
	Service Group `json:"service"` // login, management and other servers
	// OnPlane is the number of ports of each compute server on the plane of storage and service.
	OnPlane      int     `json:"storage_ports_of_a_server,omitempty"`
	StorageRatio float64 `json:"storage_oversubscription,omitempty"` // accepted on that plane

	subnet int // LIDs of a subnet, for tests; 0: 49,151
}

// subnetLIDs returns the number of unicast LIDs of a subnet.
func (w *Want) subnetLIDs() int { return cmp.Or(w.subnet, int(fabric.MaxUnicastLID)) }

// Group is a number of servers of one kind.
type Group struct {
	Servers int     `json:"servers"`
	Ports   int     `json:"ports"`          // of each
	Rate    float64 `json:"gbps,omitempty"` // of a port, in Gb/s
}

// Limits of a need.
const (
	mostHosts = 200_000
	mostRadix = 254
	mostRails = 32
	mostRate  = 10_000 // Gb/s
)

// ParseGroup parses N, NxPORTS, or one of them with @GBPS behind it, as in 64x2@400.
func ParseGroup(text string) (g Group, err error) {
	rest, rate, rated := strings.Cut(text, "@")
	if rated {
		if g.Rate, err = strconv.ParseFloat(rate, 64); err != nil || !(g.Rate > 0 && g.Rate <= mostRate) {
			return g, fmt.Errorf("%s: want the rate of a port behind the @, in Gb/s, up to %d", text, mostRate)
		}
	}
	servers, ports, many := strings.Cut(rest, "x")
	if g.Servers, err = strconv.Atoi(servers); err != nil || g.Servers < 1 || g.Servers > mostHosts {
		return g, fmt.Errorf("%s: want the number of servers, 1 to %d, as in 64, 64x2 or 64x2@400", text, mostHosts)
	}
	if g.Ports = 1; many {
		if g.Ports, err = strconv.Atoi(ports); err != nil || g.Ports < 1 || g.Ports > mostRails {
			return g, fmt.Errorf("%s: want the ports of a server behind the x, 1 to %d", text, mostRails)
		}
	}
	return g, nil
}

// SetServers sets the compute servers from NxPORTS+PORTS@GBPS, as in 1024x8+1@400: eight ports to
// the compute network, one to the plane of storage and service.
func (w *Want) SetServers(text string) error {
	main, rate, rated := strings.Cut(text, "@")
	main, extra, plus := strings.Cut(main, "+")
	if rated {
		main += "@" + rate
	}
	g, err := ParseGroup(main)
	if err != nil {
		return err
	}
	w.Hosts, w.Rails, w.Rate = g.Servers, g.Ports, g.Rate
	if plus {
		if w.OnPlane, err = strconv.Atoi(extra); err != nil || w.OnPlane < 1 || w.OnPlane > mostRails {
			return fmt.Errorf("%s: want the ports to the plane of storage and service behind the +, 1 to %d", text, mostRails)
		}
	}
	return nil
}

// complete derives the unset options of a need from the others.
func (w *Want) complete() {
	w.Pods = max(w.Pods, w.Ratio)
	if w.others() > 0 && w.OnPlane == 0 && !w.alike() {
		w.OnPlane = 1
	}
	if w.OnPlane > 0 && w.StorageRatio == 0 {
		w.StorageRatio = w.Ratio
	}
}

// others counts the servers that do not compute.
func (w *Want) others() int { return w.Storage.Servers + w.Service.Servers }

// alike reports whether all servers have as many ports, and so can share a network.
func (w *Want) alike() bool {
	for _, g := range []Group{w.Storage, w.Service} {
		if g.Servers > 0 && g.Ports != w.Rails {
			return false
		}
	}
	return true
}

// onNetwork counts the servers on the compute network. With a plane of storage, storage and service
// servers are not on it.
func (w *Want) onNetwork() int {
	if w.OnPlane > 0 {
		return w.Hosts
	}
	return w.Hosts + w.others()
}

// Validate returns an error for a value out of range, named like the option of the command.
func (w *Want) Validate() error {
	switch {
	case w.Hosts < 2 || w.Hosts > mostHosts:
		return fmt.Errorf("hosts %d: want 2 to %d", w.Hosts, mostHosts)
	case w.Radix < 3 || w.Radix > mostRadix:
		return fmt.Errorf("radix %d: want the ports of a switch, 3 to %d", w.Radix, mostRadix)
	case w.Rails < 1 || w.Rails > mostRails:
		return fmt.Errorf("rails %d: want the ports of a host, 1 to %d", w.Rails, mostRails)
	case !(w.Ratio >= 1 && w.Ratio <= mostRadix):
		return fmt.Errorf("oversubscription %g: want 1 to %d", w.Ratio, mostRadix)
	case w.Pods != 0 && !(w.Pods >= w.Ratio && w.Pods <= mostRadix):
		return fmt.Errorf("between-pods %g: want the oversubscription, %g, to %d", w.Pods, w.Ratio, mostRadix)
	case w.StorageRatio != 0 && !(w.StorageRatio >= 1 && w.StorageRatio <= mostRadix):
		return fmt.Errorf("storage-oversubscription %g: want 1 to %d", w.StorageRatio, mostRadix)
	case w.StorageRatio != 0 && w.OnPlane == 0 && (w.others() == 0 || w.alike()):
		return fmt.Errorf("storage-oversubscription %g: no plane of storage is asked for: give --servers NxPORTS+1", w.StorageRatio)
	case w.OnPlane > 0 && w.others() == 0:
		return fmt.Errorf("servers +%d: the ports to the plane of storage and service go with --storage or --service", w.OnPlane)
	case w.Now != 0 && (w.Now < 1 || w.Now >= w.Hosts):
		return fmt.Errorf("now %d: want fewer than the %d servers of later", w.Now, w.Hosts)
	case w.onNetwork() > mostHosts:
		return fmt.Errorf("hosts %d: want up to %d with storage and service", w.onNetwork(), mostHosts)
	}
	return w.validateKinds()
}

func (w *Want) validateKinds() error {
	names := Kinds()
	for _, kind := range w.Kinds {
		if !slices.Contains(names, kind) {
			return fmt.Errorf("kinds %s: no kind of network is called so%s (there are: %s)", kind, spelling.Hint(kind, names), strings.Join(names, ", "))
		}
		if kind == rail && w.Rails == 1 {
			return fmt.Errorf("kinds %s: goes with servers of several ports (--rails or --servers NxPORTS)", rail)
		}
	}
	return nil
}

// accepted lists the oversubscriptions to propose, below pods and between them: none, 2, and the
// accepted ones.
func (w *Want) accepted() (list []limit) {
	for _, ratio := range []float64{1, 2, w.Ratio} {
		list = append(list, limit{ratio, ratio})
	}
	list = append(list, limit{w.Ratio, max(w.Pods, w.Ratio)})
	slices.SortFunc(list, limit.compare)
	return slices.Compact(list)
}

// limit is an oversubscription within pods and between them.
type limit struct{ ratio, pods float64 }

func (l limit) compare(m limit) int {
	return cmp.Or(cmp.Compare(l.ratio, m.ratio), cmp.Compare(l.pods, m.pods))
}
