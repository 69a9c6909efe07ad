package rails

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"weft/fabric"
)

// place is the place of a port in its server.
type place struct {
	sign   Sign
	device string // as in the description
	family string // of the device, "" if its number alone tells it apart
	number int32  // of the adapter, from 0
	port   uint8
}

// spot is a place as a key.
type spot struct {
	sign   Sign
	family string
	number int32
	port   uint8
}

// view says which part of a place decides.
type view int

// The views. Both ports of an adapter can be on one rail, or both on the planes of their numbers.
const (
	whole view = iota
	adapterOnly
	portOnly
)

func (v view) of(p place) spot {
	s := spot{p.sign, p.family, p.number, p.port}
	switch v {
	case whole:
	case adapterOnly:
		s.port = 0
	case portOnly:
		s.family, s.number = "", 0
	}
	return s
}

func compareSpots(a, b spot) int {
	return cmp.Or(strings.Compare(string(a.sign), string(b.sign)), strings.Compare(a.family, b.family), cmp.Compare(a.number, b.number), cmp.Compare(a.port, b.port))
}

// The devices whose number alone tells them apart. OFED's scripts count from one ("HCA-1"), drivers
// from zero ("mlx5_0").
var (
	fromOne  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^(?:hca|hfi)-?(\d+)$`) })
	fromZero = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:mlx\d+|mthca|hfi1|qib|ipath)_(?:ib|bond_)?(\d+)$`)
	})
)

// deviceNumber returns the number of a device from 0, or its name as the family.
func deviceNumber(device string) (family string, number int32) {
	if m := fromOne().FindStringSubmatch(device); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil && n > 0 && n < 1<<16 {
			return "", int32(n - 1)
		}
	}
	if m := fromZero().FindStringSubmatch(device); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil && n < 1<<16 {
			return "", int32(n)
		}
	}
	return strings.ToLower(device), 0
}

// places sets the places of the host ports of a server.
func (f *find) places(ends []int32) {
	g := f.g
	nodes := 1
	for i, e := range ends[1:] {
		if g.EndNode[e] != g.EndNode[ends[i]] {
			nodes++
		}
	}
	sign := ByPort
	if nodes > 1 {
		sign = ByAdapter
	}
	met := map[spot]bool{}
	for pass := range 3 {
		clear(met)
		for _, e := range ends {
			p := place{sign: sign, port: g.EndNum[e]}
			switch _, device := fabric.HostAndDevice(g.EndDesc[e]); {
			case sign != ByAdapter:
			case device == "":
				sign = ByGUID
			default:
				p.device = device
				if p.family, p.number = deviceNumber(device); pass > 0 { // numbers of two families are the same
					p.family = strings.ToLower(device)
				}
			}
			f.place[e] = p
			met[whole.of(p)] = true
		}
		if sign == ByGUID || len(met) == len(ends) {
			break
		}
		if pass == 1 {
			sign = ByGUID
		}
	}
	if sign == ByGUID {
		number := int32(-1)
		for i, e := range ends { // by node GUID, as Ends lists them
			if i == 0 || g.EndNode[e] != g.EndNode[ends[i-1]] {
				number++
			}
			f.place[e] = place{sign: ByGUID, number: number, port: g.EndNum[e]}
		}
	}
}
