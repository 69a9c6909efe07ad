package sa

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/fabric"
	"weft/fabric/netfile/lines"
	"weft/wire/mad"
)

// PrefixRoute names the router for packets to GIDs of another subnet.
type PrefixRoute struct {
	Prefix uint64      // of the other subnet; 0: any
	Router fabric.GUID // of the router's port; 0: the first router
}

// ReadPrefixRoutes reads a file of routes, PREFIX GUID in each line, both hexadecimal or *, as
// OpenSM's prefix_routes_file. The first line that fits counts.
func ReadPrefixRoutes(file string, data []byte) (list []PrefixRoute, err error) {
	n := 0
	for text := range strings.Lines(string(data)) {
		n++
		words := strings.Fields(text)
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		if len(words) < 2 || len(words) > 2 && words[2][0] != '#' {
			return nil, lines.Errorf(file, n, "want PREFIX GUID, such as 0xfec0000000000001 0x0002c90300001234, or * for any prefix or the first router")
		}
		var v [2]uint64
		for i, word := range words[:2] {
			if word == "*" {
				continue
			}
			word = strings.TrimPrefix(strings.ToLower(word), "0x")
			if v[i], err = strconv.ParseUint(word, 16, 64); err != nil {
				return nil, lines.Errorf(file, n, "%q: want up to 16 hexadecimal digits, or *", words[i])
			}
		}
		list = append(list, PrefixRoute{v[0], fabric.GUID(v[1])})
	}
	return list, nil
}

// String returns a line that ReadPrefixRoutes accepts.
func (r PrefixRoute) String() string {
	prefix, router := "*", "*"
	if r.Prefix != 0 {
		prefix = fmt.Sprintf("0x%016x", r.Prefix)
	}
	if r.Router != 0 {
		router = r.Router.String()
	}
	return prefix + " " + router
}

// multicast is the first byte of the GIDs of groups.
const multicast = 0xff

// byPrefix returns the router port for a prefix, by the routes that a person has given. The first
// router has the lowest GUID of a port.
func (s *Subnet) byPrefix(prefix uint64, usable func(fabric.GUID) bool) (fabric.GUID, bool) {
	if prefix>>56 == multicast {
		return 0, false
	}
	at := slices.IndexFunc(s.Prefixes, func(r PrefixRoute) bool { return r.Prefix == 0 || r.Prefix == prefix })
	if at < 0 {
		return 0, false
	}
	router := s.Prefixes[at].Router
	if router == 0 {
		i := slices.IndexFunc(s.routers, usable)
		if i < 0 {
			return 0, false
		}
		return s.routers[i], true
	}
	_, ok := slices.BinarySearch(s.routers, router) // packets to another subnet end at any other node
	return router, ok && usable(router)
}

// findRouters lists the ports of routers by GUID.
func (s *Subnet) findRouters() (list []fabric.GUID) {
	for i := range s.Ports {
		p := &s.Ports[i]
		if p.End >= 0 && mad.NodeInfoNodeType.Get(s.Nodes[p.Node].Info[:]) == uint64(fabric.Router) {
			list = append(list, p.GUID)
		}
	}
	slices.Sort(list)
	return list
}
