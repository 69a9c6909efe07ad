package sa

import (
	"slices"

	"weft/route"
	"weft/route/levels"
	"weft/wire/mad"
)

// Levels says which level of service a path has, by what is asked for. The zero value is that of a Plan without levels.
type Levels struct {
	Rules levels.Levels    // by number in Plan.Levels
	ByKey map[uint16]uint8 // of partitions, by P_Key without the bit of full members
}

// noRule is the level of a path that no rule names.
const noRule = -1

// ruled returns the level that rules give to a query, without its partition: by service ID, then by QoS class.
func (l *Levels) ruled(p *pathQuery) int8 {
	if p.mask&pathServiceID != 0 {
		id := mad.PathRecordServiceID.Get(p.echo[:])
		for i := range l.Rules {
			for _, r := range l.Rules[i].Services {
				if id >= r.First && id <= r.Last {
					return int8(i)
				}
			}
		}
	}
	if p.mask&pathQoSClass != 0 {
		class := uint16(mad.PathRecordQoSClass.Get(p.echo[:]))
		for i := range l.Rules {
			if slices.Contains(l.Rules[i].Classes, class) {
				return int8(i)
			}
		}
	}
	return noRule
}

// levelOf returns the number of the level of a path in a partition on an SL of the Plan. Where no rule names it the SL that is asked for does.
func (s *Subnet) levelOf(p *pathQuery, pkey uint16, sl uint8) int {
	if p.level != noRule {
		return int(p.level)
	}
	if at, ok := s.Levels.ByKey[pkey&^mad.PKeyFull]; ok {
		return int(at)
	}
	if p.mask&pathSL != 0 {
		for i := range s.Plan.Levels {
			if s.Plan.Levels[i].SL[sl] == p.sl {
				return i
			}
		}
	}
	return 0
}

// slsOf returns the SL of a path at its level, and that of the way back.
func (s *Subnet) slsOf(p *pathQuery, pkey uint16, sl, back uint8) (uint8, uint8) {
	if len(s.Plan.Levels) == 0 {
		return sl, back
	}
	level := &s.Plan.Levels[min(s.levelOf(p, pkey, sl), len(s.Plan.Levels)-1)]
	return level.SL[sl], level.SL[back]
}

// For keeps of the rules those of levels that a Plan has, in its order.
func (l Levels) For(plan *route.Plan) (out Levels) {
	number := map[string]uint8{}
	for i := range plan.Levels {
		name := plan.Levels[i].Name
		number[name] = uint8(i)
		rule := levels.Level{Name: name}
		if at := l.Rules.Find(name); at >= 0 {
			rule = l.Rules[at]
		}
		out.Rules = append(out.Rules, rule)
	}
	out.ByKey = map[uint16]uint8{}
	for key, at := range l.ByKey {
		if now, ok := number[l.Rules[at].Name]; ok {
			out.ByKey[key] = now
		}
	}
	return out
}
