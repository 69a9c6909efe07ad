package partition

import (
	"slices"
	"strconv"
	"strings"

	"weft/wire/mad"
)

// flag parses a flag of a multicast group, in lower case; false if the name is unknown.
func (r *reader) flag(g *Group, name, value string) bool {
	switch name {
	case "mtu":
		g.MTU = r.mtu(value)
	case "rate":
		g.Rate = r.rate(value)
	case "sl":
		g.SL = uint8(r.value(name, value, 15))
	case "scope":
		g.Scope = uint8(r.value(name, value, 15))
	case "q_key":
		g.QKey = uint32(r.value(name, value, 1<<32-1))
	case "tclass":
		g.TClass = uint8(r.value(name, value, 255))
	case "flowlabel":
		g.FlowLabel = uint32(r.value(name, value, 1<<20-1))
	default:
		return false
	}
	return true
}

// value parses a number up to a maximum.
func (r *reader) value(name, value string, most uint64) uint64 {
	v, err := strconv.ParseUint(value, 0, 64)
	if err != nil || v > most {
		r.fail("%s=%s: want a number from 0 to %d", name, value, most)
	}
	return v
}

// mtu parses an MTU in bytes, or its code.
func (r *reader) mtu(value string) uint8 {
	v, err := strconv.ParseUint(value, 0, 16)
	for code := range uint64(6) {
		if err == nil && code > 0 && (v == code || v == 128<<code) {
			return uint8(code)
		}
	}
	r.fail("mtu=%s: want 256, 512, 1024, 2048 or 4096, or a code from 1 to 5", value)
	return 0
}

// rate parses a rate such as 100G or 2.5G, or its code.
func (r *reader) rate(value string) uint8 {
	if code, err := strconv.ParseUint(value, 0, 8); err == nil && mad.RateMbps(uint8(code)) > 0 {
		return uint8(code)
	}
	if number, human := strings.CutSuffix(strings.ToLower(value), "g"); human {
		gbps, err := strconv.ParseFloat(number, 64)
		for code := range uint8(64) {
			if mbps := mad.RateMbps(code); err == nil && mbps > 0 && mbps == int32(gbps*1000) {
				return code
			}
		}
	}
	r.fail("rate=%s: want one of %s, or its code", value, strings.Join(rates(), ", "))
	return 0
}

// rates lists all rates in Gbit/s, such as 2.5G.
func rates() []string {
	var all []float64
	for code := range uint8(64) {
		if mbps := mad.RateMbps(code); mbps > 0 {
			all = append(all, float64(mbps)/1000)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	text := make([]string, len(all))
	for i, r := range all {
		text[i] = strconv.FormatFloat(r, 'g', -1, 64) + "G"
	}
	return text
}
