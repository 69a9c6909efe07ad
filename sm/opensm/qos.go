package opensm

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/route/levels"
	"weft/sm/partition"
)

// OpenSM's defaults.
const (
	usualSL2VL = "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,7"
	usualHigh  = "0:4"
	usualLow   = "1:4,2:4,3:4,4:4,5:4,6:4,7:4,8:4,9:4,10:4,11:4,12:4,13:4,14:4"
	usualLimit = "0"
)

// mostQoSLevels is the maximum number of generated levels: few links have more lanes.
const mostQoSLevels = 8

// weftLimit is the amount that weft's high levels send before a packet of the others, in units of 4
// KB as in qos_high_limit.
const weftLimit = 16

// qos holds the QoS options for ports between switches, the busiest links: weft's levels are the
// same at all ports.
type qos struct {
	vl         [16]uint64           // by SL
	high, low  [16]uint64           // weights, by VL
	limit      uint64               // of the high table, in 4 KB; 0: one packet
	told       [16]bool             // VLs named in opensm.conf
	all        partition.Partitions // of the imported file
	partitions map[uint8][]uint16
	rules      map[uint8][]string // of a policy file, by SL, in the syntax of a levels file
}

// qos imports QoS: a level for each lane that SLs have of their own, with its weight as the share.
func (r *importer) qos(l line) error {
	q := r.readQoS()
	r.qosPolicy(l, q)
	list := r.qosLevels(l, q)
	if len(list) < 2 {
		r.note(l, Idle, "only SL 0 is used: no sl= in partitions.conf, no rule in a policy file, no qos_sl2vl, qos_vlarb_high or qos_vlarb_low")
		return nil
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "# From the qos options of %s.\n%s\n", l.file, strings.Join(list, "\n"))
	if _, err := levels.Read("levels", b.Bytes()); err != nil {
		r.note(l, Left, "no levels: %v", err)
		return nil
	}
	r.out.Levels = b.Bytes()
	r.note(l, Taken, "levels: %s", strings.Join(list, "; "))
	return nil
}

// readQoS parses the QoS options. qosDetail reports their errors.
func (r *importer) readQoS() *qos {
	q := &qos{partitions: map[uint8][]uint16{}, rules: map[uint8][]string{}}
	value := func(what, usual string) (text string, told bool) {
		for _, name := range []string{"qos_swe_" + what, "qos_" + what} {
			if l, ok := r.set[name]; ok && !isUnset(l.value) {
				return l.value, true
			}
		}
		return usual, false
	}
	text, told := value("sl2vl", usualSL2VL)
	var err error
	if q.vl, _, err = readSL2VL(text); err != nil {
		q.vl, _, _ = readSL2VL(usualSL2VL)
		told = false
	}
	for sl := range q.vl {
		q.told[q.vl[sl]] = q.told[q.vl[sl]] || told
	}
	for _, table := range []struct {
		what, usual string
		to          *[16]uint64
	}{{"vlarb_high", usualHigh, &q.high}, {"vlarb_low", usualLow, &q.low}} {
		text, told := value(table.what, table.usual)
		if *table.to, _, err = readWeights(text); err != nil {
			*table.to, _, _ = readWeights(table.usual)
			told = false
		}
		for vl, weight := range table.to {
			q.told[vl] = q.told[vl] || told && weight > 0
		}
	}
	text, _ = value("high_limit", usualLimit)
	q.limit, _ = within(text, 0, 255) // else 0, the default
	r.qosPartitions(q)
	return q
}

// partitionFile returns the partitions of the imported file; only the default one if OpenSM has no
// other. The method partitions reports errors of the file.
func (r *importer) partitionFile() partition.Partitions {
	file := r.setOr(line{}, "partition_config_file").value
	if r.in.Open == nil {
		return partition.Everyone()
	}
	f, err := r.in.Open("partition_config_file", file)
	if f == nil || err != nil {
		return partition.Everyone()
	}
	ps, _, err := r.readPartitions(f)
	if err != nil {
		return partition.Everyone()
	}
	return ps
}

// qosPartitions finds the SLs of partitions.
func (r *importer) qosPartitions(q *qos) {
	q.all = r.partitionFile()
	for i := range q.all {
		if sl := q.all[i].SL; sl > 0 {
			q.partitions[sl] = append(q.partitions[sl], q.all[i].Key)
		}
	}
}

// qosLevels returns the lines of a levels file, SL 0 first, and notes any differences.
func (r *importer) qosLevels(l line, q *qos) (list []string) {
	vls := q.lanes(false)
	if len(vls) > mostQoSLevels {
		r.note(l, Left, "%d lanes have SLs of their own: only the SLs of partitions.conf and the policy file become levels. If the links have enough lanes, add others to the levels file with sl=", len(vls))
		vls = q.lanes(true)
	}
	high, share := r.qosShares(l, q, vls)
	for i, vl := range vls {
		sls := q.slsOf(vl)
		own := sls[0] // identifies the level
		for _, sl := range slices.Backward(sls) {
			if q.wanted(sl) && own > 0 {
				own = sl
			}
		}
		text := fmt.Sprintf("sl%d share=%d sl=%[1]d", own, share[i])
		if own == 0 {
			text = fmt.Sprintf("default share=%d", share[i])
		}
		if high[i] {
			text += " priority=high"
		}
		var others []string
		for _, sl := range sls {
			if words := q.rules[sl]; len(words) > 0 {
				text += " " + strings.Join(words, " ")
			}
			if sl == own {
				continue
			}
			others = append(others, strconv.Itoa(int(sl)))
			for _, key := range q.partitions[sl] {
				text += fmt.Sprintf(" partition=0x%04x", key)
			}
		}
		if len(others) > 0 && (i > 0 || q.told[vl]) {
			r.note(l, Left, "SL %s shared VL %d with SL %d: hosts configured to use it must use SL %[3]d", strings.Join(others, ", "), vl, own)
		}
		list = append(list, text)
	}
	return list
}

// lanes lists the VLs that become levels, that of SL 0 first: those named in opensm.conf or used by
// an SL of partitions.conf or a policy file; with onlyRules only the latter.
func (q *qos) lanes(onlyRules bool) []uint64 {
	list := []uint64{q.vl[0]}
	for sl := range uint8(16) {
		vl := q.vl[sl]
		if wanted := q.wanted(sl) || q.told[vl] && !onlyRules; wanted && vl < 15 && !slices.Contains(list, vl) {
			list = append(list, vl)
		}
	}
	return list
}

// wanted reports whether partitions or a policy file use an SL.
func (q *qos) wanted(sl uint8) bool { return len(q.partitions[sl])+len(q.rules[sl]) > 0 }

// slsOf lists the SLs mapped to a VL.
func (q *qos) slsOf(vl uint64) (list []uint8) {
	for sl := range uint8(16) {
		if q.vl[sl] == vl {
			list = append(list, sl)
		}
	}
	return list
}

// qosShares returns for each lane whether it has high priority, and its share.
func (r *importer) qosShares(l line, q *qos, vls []uint64) (high []bool, share []uint64) {
	high, share = make([]bool, len(vls)), make([]uint64, len(vls))
	var ofHigh, ofLow uint64
	for _, vl := range vls {
		ofHigh += q.high[vl]
		ofLow += q.low[vl]
	}
	if ofHigh > 0 && ofLow > 0 && q.limit == 0 && len(vls) > 1 {
		r.note(l, Left, "with qos_high_limit 0 the high and the low table take turns by packets: each gets half of a busy link, and shares combine both")
	} else if ofHigh > 0 && ofLow > 0 && q.limit != weftLimit && len(vls) > 1 {
		r.note(l, Left, "qos_high_limit %d: weft's high levels send 64 KB before a packet of the others (16)", q.limit)
	}
	for i, vl := range vls {
		switch {
		case ofHigh == 0 || ofLow == 0: // a single table: its priority does not matter
			share[i] = q.high[vl] + q.low[vl]
		case q.limit == 0:
			share[i] = q.high[vl]*ofLow + q.low[vl]*ofHigh
		case q.high[vl] > 0:
			if high[i], share[i] = true, q.high[vl]; q.low[vl] > 0 {
				r.note(l, Left, "VL %d is in both tables: its level has high priority", vl)
			}
		default:
			share[i] = q.low[vl]
		}
		if share[i] == 0 {
			r.note(l, Left, "VL %d has no weight, so OpenSM's ports never send its packets: its level gets share=1", vl)
		}
	}
	for _, first := range []bool{true, false} {
		if scaleShares(high, share, first) {
			r.note(l, Left, "shares are rounded to 1 to 100")
		}
	}
	return high, share
}

// scaleShares scales the shares of high or of other levels to 1 to 100, and reports rounding.
func scaleShares(high []bool, share []uint64, first bool) (rounded bool) {
	common, most := uint64(0), uint64(0)
	for i := range share {
		if high[i] == first {
			common, most = gcd(common, share[i]), max(most, share[i])
		}
	}
	for i := range share {
		if high[i] != first {
			continue
		}
		if most > 100*common {
			rounded = rounded || share[i]*100%most != 0
			share[i] = (share[i]*100 + most/2) / most
		} else if common > 0 {
			share[i] /= common
		}
		share[i] = max(share[i], 1)
	}
	return rounded
}

func gcd(a, b uint64) uint64 {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}

// isUnset reports whether a value defers to another option.
func isUnset(value string) bool { return value == "" || value == "-1" }

// qosDetail notes an option of QoS: the levels include it, or it differs from that between
// switches.
func (r *importer) qosDetail(l line) error {
	kind, what := "", strings.TrimPrefix(l.name, "qos_")
	for _, k := range []string{"ca_", "sw0_", "swe_", "rtr_"} {
		if rest, ok := strings.CutPrefix(what, k); ok {
			kind, what = k, rest
		}
	}
	var warning string
	var err error
	switch what {
	case "sl2vl":
		_, warning, err = readSL2VL(l.value)
	case "high_limit":
		_, err = within(l.value, 0, 255)
	default:
		_, warning, err = readWeights(l.value)
	}
	if err != nil {
		return err
	}
	if warning != "" {
		r.note(l, Wrong, "OpenSM warns: %s", warning)
	}
	between := r.set["qos_swe_"+what]
	if isUnset(between.value) {
		between = r.set["qos_"+what]
	}
	switch {
	case !r.isOn("qos"):
		r.note(l, Idle, "qos is FALSE")
	case between.value == l.value || kind == "swe_":
		r.note(l, Taken, "levels: see qos, %s", r.set["qos"].place(l.file))
	default:
		r.note(l, Left, "weft uses the levels and shares of ports between switches at all ports")
	}
	return nil
}

// readSL2VL parses the VLs of all SLs. With a warning OpenSM maps an SL that a short list lacks to
// VL 0, and drops entries beyond 16.
func readSL2VL(text string) (vl [16]uint64, warning string, err error) {
	words := strings.Split(text, ",")
	for sl, word := range words[:min(len(words), len(vl))] {
		if vl[sl], err = within(strings.TrimSpace(word), 0, 15); err != nil {
			return vl, "", fmt.Errorf("SL %d: %w", sl, err)
		}
	}
	if len(words) != len(vl) {
		warning = fmt.Sprintf("%d VLs for 16 SLs; an SL without one has VL 0", len(words))
	}
	return vl, warning, nil
}

// readWeights parses a VL arbitration table, VL:WEIGHT,... It sums the weights of a repeated VL.
// With a warning OpenSM drops entries beyond 64.
func readWeights(text string) (weights [16]uint64, warning string, err error) {
	words := strings.Split(text, ",")
	for _, word := range words[:min(len(words), 64)] {
		a, b, ok := strings.Cut(strings.TrimSpace(word), ":")
		vl, err1 := within(a, 0, 14)
		weight, err2 := within(b, 0, 255)
		if !ok || err1 != nil || err2 != nil {
			return weights, "", fmt.Errorf("%s: want VL:WEIGHT, 0 to 14 and 0 to 255", clip(word))
		}
		weights[vl] += weight
	}
	if len(words) > 64 {
		warning = fmt.Sprintf("%d entries; it takes 64", len(words))
	}
	return weights, warning, nil
}

// qosPolicyDetail notes a QoS policy file without QoS. With it, qos imports the file.
func (r *importer) qosPolicyDetail(l line) error {
	if !r.isOn("qos") {
		r.note(l, Idle, "qos is FALSE")
	} else if l.value == "" {
		r.note(l, Idle, "OpenSM then reads no policy")
	}
	return nil
}
