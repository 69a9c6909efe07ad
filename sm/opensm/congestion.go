package opensm

import (
	"fmt"
	"strings"
	"time"

	"weft/internal/configfile"
	"weft/sim/congestion"
)

// ccTick is the unit of cc_ca_cong_setting_ccti_timer, in nanoseconds.
const ccTick = 1024

// congestion imports congestion control: a single option of weft sm replaces several of OpenSM.
func (r *importer) congestion(l line) error {
	upTo := func(name string, most uint64) uint64 {
		n, err := within(r.setOr(l, name).value, 0, most)
		if err != nil {
			r.note(r.set[name], Wrong, "%v", err)
		}
		return n
	}
	c := &congestion.Control{}
	c.Threshold = uint8(upTo("cc_sw_cong_setting_threshold", 15))
	c.PacketSize = uint8(upTo("cc_sw_cong_setting_packet_size", 255))
	c.MarkingRate = uint16(upTo("cc_sw_cong_setting_marking_rate", 1<<16-1))
	c.MarkVictims = strings.Trim(r.set["cc_sw_cong_setting_victim_mask"].value, "0x") != ""
	timer := r.ofSLs("cc_ca_cong_setting_ccti_timer", 1<<16-1)
	increase, least := r.ofSLs("cc_ca_cong_setting_ccti_increase", 255), r.ofSLs("cc_ca_cong_setting_ccti_min", 255)
	c.Timer, c.Increase, c.Min = congestion.Picoseconds(timer)*ccTick*congestion.Nanosecond, uint16(increase), uint16(least)
	table := strings.ReplaceAll(strings.ReplaceAll(r.set["cc_cct"].value, " ", ""), ",", "/")
	fate, text := Left, ""
	if c.Threshold == 0 || timer == 0 || table == "" {
		r.note(l, Left, "without cc_sw_cong_setting_threshold, cc_ca_cong_setting_ccti_timer and cc_cct no flow waits: use congestion-control: on for default settings")
	} else {
		text = strings.TrimSuffix(c.String(), "table=") + "table=" + table
		if _, err := congestion.Parse(text); err != nil {
			r.note(l, Left, "%v", err)
		} else {
			fate = Taken
			r.give(l, "congestion-control", text)
			r.ccKey(l)
		}
	}
	r.congestionParts(l, fate)
	return nil
}

// ccKey imports the CC_Key.
func (r *importer) ccKey(l line) {
	key := r.setOr(l, "cc_key")
	if n, err := number(key.value); err == nil && n != 0 {
		r.give(key, "cc-key", fmt.Sprintf("0x%x", n))
	}
}

// congestionParts notes for each option that congestion replaces whether congestion-control has it.
func (r *importer) congestionParts(on line, fate Fate) {
	for _, l := range r.lines {
		o, known := options()[l.name]
		if !known || o.fate != Taken || !strings.HasPrefix(l.name, "cc_") || o.isUsual(l.value) || l.name == "cc_key" && fate == Taken {
			continue
		}
		if r.set[l.name] == l || strings.HasPrefix(l.name, "cc_ca_") {
			r.note(l, fate, "see congestion_control, %s", on.place(l.file))
		}
	}
}

// ofSLs reads an option with a line for each SL: SL and value. If the values differ, the first
// counts.
func (r *importer) ofSLs(name string, most uint64) (value uint64) {
	first := true
	for _, l := range r.lines {
		if l.name != name {
			continue
		}
		words := strings.Fields(l.value)
		if len(words) < 2 {
			r.note(l, Wrong, "want SL and NUMBER")
			continue
		}
		_, err1 := within(words[0], 0, 15)
		n, err2 := within(words[1], 0, most)
		switch {
		case err1 != nil:
			r.note(l, Wrong, "SL: %v", err1)
		case err2 != nil:
			r.note(l, Wrong, "%v", err2)
		case first:
			value, first = n, false
		case n != value:
			r.note(l, Left, "weft uses one value for all SLs: %d", value)
		}
	}
	return value
}

// congestionDetail notes an option that has no effect without congestion_control. With it,
// congestion imports it.
func (r *importer) congestionDetail(l line) error {
	if !r.isOn("congestion_control") {
		r.note(l, Idle, "congestion_control is FALSE")
	}
	return nil
}

// giveCongestion exports congestion control.
func (w *confWriter) giveCongestion(s *configfile.Setting, value string) {
	c, err := congestion.Parse(value)
	if err != nil || c == nil {
		w.note(s.Option, s.Line, "%s: OpenSM then sends devices no settings", clip(value))
		return
	}
	w.set("congestion_control", "TRUE")
	w.set("cc_sw_cong_setting_control_map", "0x15")
	w.set("cc_sw_cong_setting_threshold", fmt.Sprintf("0x%x", c.Threshold))
	w.set("cc_sw_cong_setting_packet_size", fmt.Sprint(c.PacketSize))
	w.set("cc_sw_cong_setting_marking_rate", fmt.Sprint(c.MarkingRate))
	if c.MarkVictims {
		w.set("cc_sw_cong_setting_victim_mask", "0x"+strings.Repeat("f", 63)+"e")
	}
	w.set("cc_ca_cong_setting_control_map", "0xffff")
	tick := ccTick * congestion.Nanosecond
	timer := max(1, (c.Timer+tick/2)/tick)
	if timer*tick != c.Timer {
		w.note(s.Option, s.Line, "rounded for OpenSM: the timer is %v", time.Duration(timer*ccTick))
	}
	for sl := range 16 {
		w.set("cc_ca_cong_setting_ccti_timer", fmt.Sprintf("%d %d", sl, timer))
		w.set("cc_ca_cong_setting_ccti_increase", fmt.Sprintf("%d %d", sl, c.Increase))
		w.set("cc_ca_cong_setting_ccti_min", fmt.Sprintf("%d %d", sl, c.Min))
	}
	var table []string
	for _, d := range c.Table[:min(len(c.Table), mostOfOpenSM)] {
		table = append(table, fmt.Sprintf("%d:%d", d.Shift, d.Multiplier))
	}
	if len(c.Table) > mostOfOpenSM {
		w.note(s.Option, s.Line, "OpenSM supports at most %d delays", mostOfOpenSM)
	}
	w.set("cc_cct", strings.Join(table, ","))
	if !c.MarkVictims {
		w.note(s.Option, s.Line, "OpenSM has a single victim mask for all switches, so none is written; weft sm lets the ports to hosts mark")
	}
}

// mostOfOpenSM is the maximum number of entries of cc_cct.
const mostOfOpenSM = 128
