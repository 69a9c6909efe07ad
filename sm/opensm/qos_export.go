package opensm

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/route"
	"weft/sm/partition"
)

// withLanes lists the engines of OpenSM that choose the SL of a path themselves, whatever its
// level.
var withLanes = []string{"lash", "dfsssp", "nue", "torus-2QoS"}

// policyName is the name of the QoS policy file: the SLs of service IDs, QoS classes and
// partitions.
const policyName = "qos-policy.conf"

// giveLevels exports levels of service as OpenSM's QoS options for lanes and shares, with a policy
// file if levels have service IDs or QoS classes. It returns the partitions, each with the SL of
// its level.
func (w *confWriter) giveLevels(e *Export) partition.Partitions {
	from, line := len(w.notes), 0
	if e.Config != nil {
		for i := range e.Config.Settings {
			if e.Config.Settings[i].Option == "levels" {
				line = e.Config.Settings[i].Line
			}
		}
		defer func() {
			for i := range w.notes[from:] {
				w.notes[from+i].File = e.Config.Name
			}
		}()
	}
	for _, name := range w.engines {
		if slices.Contains(withLanes, name) {
			w.note("levels", line, "OpenSM's %s uses SLs and lanes for its paths, and supports no levels: no QoS option is written, and all traffic is alike", name)
			return e.Partitions
		}
	}
	sls, vls, turns := e.Levels.OneLane()
	w.set("qos", "TRUE")
	w.set("qos_max_vls", strconv.Itoa(len(e.Levels)))
	w.set("qos_high_limit", strconv.Itoa(int(turns.Limit)))
	w.set("qos_vlarb_high", turnsText(turns.High))
	w.set("qos_vlarb_low", turnsText(turns.Low))
	w.set("qos_sl2vl", strings.Trim(strings.ReplaceAll(fmt.Sprint(vls), " ", ","), "[]"))
	ps := e.Partitions
	if ps == nil {
		ps = partition.Everyone()
	}
	byKey, unknown, without := ps.Levels(e.Levels)
	for _, text := range append(unknown, without...) {
		w.note("levels", line, "%s", text)
	}
	if policy := e.policy(sls, byKey); policy != nil {
		w.files = append(w.files, File{policyName, policy})
		w.set("qos_policy_file", w.dir+"/"+policyName)
		w.note("levels", line, "a host that asks for a path on a given SL gets none from OpenSM if %s assigns another SL; weft uses the level of that SL", policyName)
	}
	if len(byKey) == 0 && e.Partitions == nil {
		return nil
	}
	ps = slices.Clone(ps)
	for i := range ps {
		p, sl := &ps[i], sls[byKey[ps[i].Key]]
		p.Groups = slices.Clone(p.Groups)
		for g := range p.Groups {
			if p.Groups[g].SL == p.SL { // the flag is that of both
				p.Groups[g].SL = sl
			}
		}
		p.SL = sl
	}
	return ps
}

// turnsText formats a VL arbitration table; an empty one gets an entry without weight, since OpenSM
// would replace it with its own.
func turnsText(list []route.ArbEntry) string {
	if len(list) == 0 {
		return "0:0"
	}
	words := make([]string, len(list))
	for i, e := range list {
		words[i] = fmt.Sprintf("%d:%d", e.VL, e.Weight)
	}
	return strings.Join(words, ",")
}

// policy writes a QoS policy file in weft's order: service IDs, QoS classes, partitions. It returns
// nil if no level has service IDs or classes.
func (e *Export) policy(sls []uint8, byKey map[uint16]uint8) []byte {
	var names, services, classes, keys bytes.Buffer
	rule := func(b *bytes.Buffer, level int, what string, ranges []string) {
		if len(ranges) > 0 {
			fmt.Fprintf(b, "    qos-match-rule\n        %s: %s\n        qos-level-name: %s\n    end-qos-match-rule\n", what, strings.Join(ranges, ","), policyLevel(sls[level]))
		}
	}
	for i := range e.Levels {
		l := &e.Levels[i]
		fmt.Fprintf(&names, "    qos-level\n        name: %s\n        use: %s\n        sl: %d\n    end-qos-level\n", policyLevel(sls[i]), l.Name, sls[i])
		var ranges, numbers, held []string
		for _, r := range l.Services {
			ranges = append(ranges, fmt.Sprintf("0x%x-0x%x", r.First, r.Last))
		}
		for _, n := range l.Classes {
			numbers = append(numbers, strconv.Itoa(int(n)))
		}
		for key, level := range byKey {
			if int(level) == i {
				held = append(held, fmt.Sprintf("0x%04x", key))
			}
		}
		slices.Sort(held)
		rule(&services, i, "service-id", ranges)
		rule(&classes, i, "qos-class", numbers)
		rule(&keys, i, "pkey", held)
	}
	if services.Len()+classes.Len() == 0 {
		return nil
	}
	return fmt.Appendf(nil, "# From the levels of service of a weft sm.\nqos-levels\n%send-qos-levels\nqos-match-rules\n%s%s%send-qos-match-rules\n", &names, &services, &classes, &keys)
}

// policyLevel names the level of an SL; SL 0 is the default level.
func policyLevel(sl uint8) string {
	if sl == 0 {
		return "DEFAULT"
	}
	return fmt.Sprintf("sl%d", sl)
}
