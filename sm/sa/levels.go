package sa

import (
	"slices"

	"weft/route"
	"weft/route/levels"
	"weft/wire/mad"
)

// Levels selects the level of service of a path by its query. The zero value is for Plans without
// levels.
type Levels struct {
	Rules levels.Levels    // indexed like Plan.Levels
	ByKey map[uint16]uint8 // of partitions, by P_Key without the membership bit
}

// noRule is the level of a path without a matching rule.
const noRule = -1

// ruled returns the level of a query by its service ID, or else its QoS class, before partitions.
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

// levelOf returns the level of a path: by rule, else by partition, else by the requested SL.
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

// slsOf returns the SLs of a path and of the way back at the path's level.
func (s *Subnet) slsOf(p *pathQuery, pkey uint16, sl, back uint8) (uint8, uint8) {
	if len(s.Plan.Levels) == 0 {
		return sl, back
	}
	level := &s.Plan.Levels[min(s.levelOf(p, pkey, sl), len(s.Plan.Levels)-1)]
	return level.SL[sl], level.SL[back]
}

// onCopy returns the SLs of a path and of the way back on the copy of the lanes that a query asks
// for by its SL, or else that of the job of both ends. All copies are proven for all pairs.
func (s *Subnet) onCopy(p *pathQuery, src, dst int32, sl, back uint8) (uint8, uint8) {
	if len(s.Plan.JobLanes) == 0 {
		return sl, back
	}
	if path, number := s.Plan.UncopySL(p.sl); p.mask&pathSL != 0 && path == sl {
		if number > 0 {
			back = s.Plan.JobLanes[number-1][back]
		}
		return p.sl, back
	}
	return s.Jobs.SL(s.Plan, src, dst, sl), s.Jobs.SL(s.Plan, dst, src, back)
}

// For returns the rules of the levels that a Plan has, in the Plan's order.
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
