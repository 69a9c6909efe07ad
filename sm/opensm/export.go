package opensm

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"weft/fabric"
	"weft/internal/configfile"
	"weft/route/levels"
	"weft/sm/partition"
	"weft/sm/terms"
)

// Export is the state that an OpenSM needs to take a subnet over from a weft sm.
type Export struct {
	LIDs   terms.LIDMap
	Subnet *fabric.Fabric   // as last discovered; nil if unknown
	Keys   *terms.Keys      // nil if ports have none
	Config *configfile.File // of weft sm; nil if there is none

	Partitions partition.Partitions // nil without a partitions file
	Levels     levels.Levels        // of service; nil if all traffic is alike
}

// Files returns the files to write, and notes on settings without a counterpart in OpenSM. dir is
// their future directory. guid2lid, guid2mkey and neighbors belong into OpenSM's cache,
// /var/cache/opensm. opensm.conf contains only the options that differ from OpenSM's defaults.
func (e *Export) Files(dir string) (files []File, notes []Note) {
	conf := newConfWriter(dir)
	conf.set("honor_guid2lid_file", "TRUE")
	if lmc := e.lmc(); lmc > 0 {
		conf.set("lmc", strconv.Itoa(int(lmc)))
	}
	if e.Config != nil {
		for i := range e.Config.Settings {
			conf.give(e.Config.Name, &e.Config.Settings[i])
		}
	}
	files = append(files, File{"guid2lid", e.lids()})
	if e.Subnet != nil {
		files = append(files, File{"neighbors", e.neighbors()})
	}
	if e.Keys != nil && e.Keys.Given() {
		files = append(files, File{"guid2mkey", e.keys()})
		if e.Keys.One == 0 {
			conf.note("mkey-secret", 0, "OpenSM has a single m_key for all ports: it reads the present keys from guid2mkey, and removes them")
		}
	}
	ps := e.Partitions
	if e.Levels != nil {
		ps = conf.giveLevels(e)
	}
	if ps != nil {
		text, both, notes := Partitions(ps, e.Subnet)
		conf.files, conf.notes = append(conf.files, File{"partitions.conf", text}), append(conf.notes, notes...)
		conf.set("partition_config_file", conf.dir+"/partitions.conf")
		if both {
			conf.set("allow_both_pkeys", "TRUE")
		}
	}
	files = append(files, conf.files...)
	return append(files, File{"opensm.conf", conf.text.Bytes()}), conf.notes
}

// lmc returns the maximum LMC of all ports.
func (e *Export) lmc() (lmc uint8) {
	for _, p := range e.LIDs {
		lmc = max(lmc, p.LMC)
	}
	return lmc
}

// lids writes guid2lid.
func (e *Export) lids() []byte {
	var b bytes.Buffer
	for _, guid := range byLID(e.LIDs) {
		p := e.LIDs[guid]
		fmt.Fprintf(&b, "0x%016x 0x%04x 0x%04x\n\n", uint64(guid), p.Base, p.Last())
	}
	return b.Bytes()
}

// keys writes guid2mkey.
func (e *Export) keys() []byte {
	var b bytes.Buffer
	for _, guid := range byLID(e.LIDs) {
		fmt.Fprintf(&b, "0x%016x 0x%016x\n\n", uint64(guid), e.Keys.Of(guid))
	}
	return b.Bytes()
}

// neighbors writes both ends of every cable, in both orders.
func (e *Export) neighbors() []byte {
	var b bytes.Buffer
	name := func(end fabric.End) string {
		n := &e.Subnet.Nodes[end.Node]
		guid := n.GUID
		if n.Type != fabric.Switch {
			guid = n.Ports[end.Port].GUID
		}
		return fmt.Sprintf("0x%016x:%d", uint64(guid), end.Port)
	}
	for i := range e.Subnet.Links {
		l := &e.Subnet.Links[i]
		if !l.Down {
			fmt.Fprintf(&b, "%s %s\n\n%[2]s %[1]s\n\n", name(l.A), name(l.B))
		}
	}
	return b.Bytes()
}

// confWriter writes opensm.conf.
type confWriter struct {
	dir   string
	text  bytes.Buffer
	files []File
	notes []Note

	engines []string // chosen engines, by OpenSM's names
}

func newConfWriter(dir string) *confWriter {
	w := &confWriter{dir: strings.TrimSuffix(dir, "/")}
	w.text.WriteString("# Options of OpenSM, exported by weft sm; all others have their defaults.\n")
	return w
}

// set writes an option.
func (w *confWriter) set(name, value string) { fmt.Fprintf(&w.text, "%s %s\n", name, value) }

// note reports a setting that OpenSM cannot follow.
func (w *confWriter) note(option string, line int, format string, args ...any) {
	w.notes = append(w.notes, Note{Option: option, Line: line, Fate: Left, Text: fmt.Sprintf(format, args...)})
}

// sameValue maps options of weft sm to options of OpenSM with the same syntax.
var sameValue = map[string]string{
	"sm-key": "sm_key", "priority": "sm_priority", "window": "max_wire_smps", "retries": "transaction_retries",
	"m-key": "m_key", "cc-key": "cc_key", "mkey-protect": "m_key_protection_level", "cn-guids": "cn_guid_file", "io-guids": "io_guid_file", "partition-enforce": "part_enforce",
	"node-map": "node_name_map_name", "prefix-routes": "prefix_routes_file",
	"subnet-timeout": "subnet_timeout", "packet-life": "packet_life_time", "head-of-queue-life": "head_of_queue_lifetime", "host-head-of-queue-life": "leaf_head_of_queue_lifetime",
	"stall-count": "vl_stall_count", "host-stall-count": "leaf_vl_stall_count",
}

// times maps options of weft sm to options of OpenSM that are a number of time units.
var times = map[string]struct {
	name string
	unit time.Duration
}{
	"timeout": {"transaction_timeout", time.Millisecond}, "interval": {"sweep_interval", time.Second}, "mkey-lease": {"m_key_lease_period", time.Second},
	"counters": {"perfmgr_sweep_time_s", time.Second},
}

// ours lists options without a note: they concern only weft sm itself, or Files exports them.
var ours = []string{"transport", "state", "state-plans", "state-events", "socket", "metrics", "record", "json", "quiet", "jobs", "lids", "plan", "output", "umad-dev", "umad-sys", "mkey-file", "mkey-secret", "lmc", "counters-rate", "partitions", "levels"}

// give exports a setting of weft sm, or notes that OpenSM has no counterpart.
func (w *confWriter) give(file string, s *configfile.Setting) {
	from := len(w.notes)
	defer func() {
		for i := range w.notes[from:] {
			w.notes[from+i].File = file
		}
	}()
	value := strings.Join(s.Values, ",")
	switch name, same := sameValue[s.Option]; {
	case same && strings.HasSuffix(name, "_key"):
		n, _ := number(value) // weft sm has accepted it
		w.set(name, fmt.Sprintf("0x%016x", n))
	case same:
		w.set(name, value)
	case times[s.Option].name != "":
		w.giveTime(s)
	case slices.Contains(ours, s.Option):
	case s.Option == "engine":
		w.giveEngines(s)
	case s.Option == "option":
		for _, v := range s.Values {
			w.giveEngineOption(s, v)
		}
	case s.Option == "vls":
		if code := slices.Index([]string{"1", "2", "4", "8", "15"}, value); code >= 0 {
			w.set("max_op_vls", strconv.Itoa(code+1))
		} else {
			w.note(s.Option, s.Line, "%s lanes: OpenSM supports 1, 2, 4, 8 or 15", clip(value))
		}
	case s.Option == "congestion-control":
		w.giveCongestion(s, value)
	case s.Option == "take-over" && value == "true":
		w.set("ignore_other_sm", "TRUE")
	case s.Option == "babbling-port" && value == "disable":
		w.set("babbling_port_policy", "TRUE")
	case s.Option == "link-speed" || s.Option == "link-width":
		w.giveRates(s, value)
	case s.Option == "gid-prefix":
		w.set("subnet_prefix", "0x"+strings.TrimPrefix(value, "0x"))
	default:
		w.note(s.Option, s.Line, "OpenSM has no counterpart")
	}
}

// giveTime exports a time in OpenSM's unit.
func (w *confWriter) giveTime(s *configfile.Setting) {
	to := times[s.Option]
	d, err := time.ParseDuration(strings.Join(s.Values, ","))
	if err != nil || d < 0 {
		w.note(s.Option, s.Line, "not a time: left out")
		return
	}
	if s.Option == "counters" {
		if d == 0 {
			return
		}
		w.set("perfmgr", "TRUE")
	}
	n := int64((d + to.unit - 1) / to.unit)
	w.set(to.name, strconv.FormatInt(n, 10))
	if d%to.unit != 0 {
		w.note(s.Option, s.Line, "%v is rounded to %s %d for OpenSM", d, to.name, n)
	}
}

// giveEngines exports the list of engines.
func (w *confWriter) giveEngines(s *configfile.Setting) {
	theirs := map[string]string{}
	for name, own := range engineNames {
		theirs[own] = name
	}
	theirs["torus"] = "torus-2QoS"
	var list []string
	for word := range strings.SplitSeq(strings.Join(s.Values, ","), ",") {
		name, _, _ := strings.Cut(strings.TrimSpace(word), "+")
		if to := theirs[name]; to != "" && name != "" {
			list = append(list, to)
		} else {
			w.note(s.Option, s.Line, "OpenSM has no engine %q", clip(word))
		}
	}
	if w.engines = list; list != nil {
		w.set("routing_engine", strings.Join(list, ","))
	}
}

// giveEngineOption exports an option of an engine.
func (w *confWriter) giveEngineOption(s *configfile.Setting, text string) {
	name, value, _ := strings.Cut(text, "=")
	switch name {
	case "ftree.roots", "updn.roots", "roots":
		const file = "root_guid.conf"
		if slices.ContainsFunc(w.files, func(f File) bool { return f.Name == file }) {
			return
		}
		var b bytes.Buffer
		for word := range strings.SplitSeq(value, ";") {
			guid, err := fabric.ParseGUID(word)
			if err != nil {
				w.note(s.Option, s.Line, "%s: OpenSM needs the GUIDs of roots: root_guid_file is left out", clip(word))
				return
			}
			fmt.Fprintf(&b, "0x%016x\n", uint64(guid))
		}
		w.files = append(w.files, File{file, b.Bytes()})
		w.set("root_guid_file", w.dir+"/"+file)
	case "nue.vls", "vls":
		w.set("nue_max_num_vls", value)
	default:
		w.note(s.Option, s.Line, "%s: OpenSM has no counterpart", clip(text))
	}
}
