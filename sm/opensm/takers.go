package opensm

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/fabric"
	"weft/fabric/netfile/site"
)

// takers import the lines of opensm.conf that differ from the default, by option. Their options
// have fate Taken in options.tsv.
var takers map[string]func(*importer, line) error

func init() { // not a literal: some takers refer to the options of others
	takers = map[string]func(*importer, line) error{
		"sm_key":                   numberOf("sm-key", 0, 1<<64-1),
		"lmc":                      below("lmc", fabric.MaxLMC),
		"sm_priority":              below("priority", 15),
		"max_wire_smps":            (*importer).wire,
		"transaction_retries":      numberOf("retries", 0, 1000),
		"transaction_timeout":      timeOf("timeout", "ms"),
		"m_key":                    (*importer).mKey,
		"m_key_lease_period":       (*importer).mKeyDetail,
		"m_key_protection_level":   (*importer).mKeyDetail,
		"max_op_vls":               (*importer).vls,
		"partition_config_file":    (*importer).partitions,
		"part_enforce":             (*importer).enforce,
		"no_partition_enforcement": setsTo("partition-enforce", "off"), // of older releases; wins over part_enforce
		"sweep_interval":           (*importer).interval,
		"routing_engine":           (*importer).engines,
		"root_guid_file":           (*importer).roots,
		"cn_guid_file":             hostsOf("cn-guids"),
		"io_guid_file":             hostsOf("io-guids"),
		"nue_max_num_vls":          (*importer).nueVLs,
		"ignore_other_sm":          setsTo("take-over", "true"),
		"perfmgr":                  (*importer).counters,
		"perfmgr_sweep_time_s":     (*importer).countersDetail,
		"subnet_prefix":            (*importer).prefix,
		"node_name_map_name":       (*importer).nodeNames,
		"babbling_port_policy":     setsTo("babbling-port", "disable"),
		"congestion_control":       (*importer).congestion,
		"qos":                      (*importer).qos,
		"qos_policy_file":          (*importer).qosPolicyDetail,
		"force_link_speed":         (*importer).linkSpeed,
		"force_link_speed_ext":     (*importer).linkSpeed,
		"force_link_width":         (*importer).linkWidth,
		"prefix_routes_file":       (*importer).prefixRoutes,
	}
	for name := range timeNames {
		takers[name] = (*importer).portTime
	}
	for name, o := range options() {
		if strings.HasPrefix(name, "cc_") && o.fate == Taken {
			takers[name] = (*importer).congestionDetail
		}
		if strings.HasPrefix(name, "qos_") && o.fate == Taken && takers[name] == nil {
			takers[name] = (*importer).qosDetail
		}
	}
}

// setsTo returns a taker for an option that is TRUE: it sets an option of weft sm to a value.
func setsTo(name, value string) func(*importer, line) error {
	return func(r *importer, l line) error {
		r.give(l, name, value)
		return nil
	}
}

// numberOf returns a taker for a number. The range is weft's; beyond it the nearest number is
// taken.
func numberOf(name string, least, most uint64) func(*importer, line) error {
	return func(r *importer, l line) error {
		n, err := number(l.value)
		if err == nil {
			r.giveNumber(l, name, n, least, most, "")
		}
		return err
	}
}

// below returns a taker for a number that OpenSM checks: beyond most it uses its default.
func below(name string, most uint64) func(*importer, line) error {
	return func(r *importer, l line) error {
		n, err := within(l.value, 0, most)
		if err == nil {
			r.give(l, name, strconv.FormatUint(n, 10))
		}
		return err
	}
}

// giveNumber sets an option to a number, or to the nearest one in the range of weft sm.
func (r *importer) giveNumber(l line, name string, n, least, most uint64, unit string) {
	near, fate := min(max(n, least), most), Taken
	if near != n {
		fate = TakenAs
	}
	r.giveAs(l, fate, name, strconv.FormatUint(near, 10)+unit)
}

// wire imports the number of SMPs in flight; 0 is no limit.
func (r *importer) wire(l line) error {
	n, err := number(l.value)
	switch {
	case err != nil:
		return err
	case n == 0:
		n = 1 << 32
	case n > 1<<31-1 && !l.started:
		return errors.New("more than 2147483647")
	}
	r.giveNumber(l, "window", n, 1, 1024, "")
	return nil
}

// timeOf returns a taker for a number of time units.
func timeOf(name, unit string) func(*importer, line) error {
	return func(r *importer, l line) error {
		n, err := within(l.value, 0, 1<<32-1)
		if err == nil {
			r.giveNumber(l, name, n, 1, 1<<31, unit)
		}
		return err
	}
}

// prefix imports the subnet prefix, a part of all GIDs.
func (r *importer) prefix(l line) error {
	n, err := number(l.value)
	if err == nil {
		r.give(l, "gid-prefix", fmt.Sprintf("%016x", n))
	}
	return err
}

// nodeNames imports a node name map that weft sm can read.
func (r *importer) nodeNames(l line) error {
	f := r.named(l)
	if f == nil {
		return nil
	}
	if _, err := site.ReadNames(f.Name, f.Data); err != nil {
		fate := Left
		for n, words := range f.lines() {
			if _, bad := number(words[0]); bad != nil {
				fate, err = Wrong, wrong(f.Name, n, "%q is not a GUID, and OpenSM drops the whole file", clip(words[0]))
				break
			}
		}
		r.note(l, fate, "%v: mend the line, and set node-map", err)
		return nil
	}
	if err := readAlike(f); err != nil {
		r.note(l, Left, "%v: write 0x before the GUIDs, and set node-map", err)
		return nil
	}
	r.give(l, "node-map", f.Name)
	return nil
}

// enforce imports where switches drop packets of other partitions. OpenSM knows its words in lower
// case only.
func (r *importer) enforce(l line) error {
	switch {
	case !slices.Contains([]string{"both", "in", "out", "off"}, l.value):
		return errors.New("want both, in, out or off")
	case r.isOn("no_partition_enforcement"):
		r.note(l, Idle, "see no_partition_enforcement, %s", r.set["no_partition_enforcement"].place(l.file))
	default:
		r.give(l, "partition-enforce", l.value)
	}
	return nil
}

// interval imports the time between sweeps.
func (r *importer) interval(l line) error {
	if n, err := number(l.value); err == nil && n == 0 {
		r.note(l, Left, "weft sm always polls its switches: set interval")
		return nil
	}
	return timeOf("interval", "s")(r, l)
}

// mKey imports the M_Key of all ports with lease and protection level, which have other defaults in
// weft. All three are numbers: readable drops other lines, and the command line has none of them.
func (r *importer) mKey(l line) error {
	key, _ := number(l.value)
	r.give(l, "m-key", fmt.Sprintf("0x%x", key))
	leased, leveled := r.setOr(l, "m_key_lease_period"), r.setOr(l, "m_key_protection_level")
	lease, _ := number(leased.value)
	bits, _ := number(leveled.value)
	if bits > 3 {
		r.note(leveled, Wrong, "OpenSM uses level 2 above 3")
		bits = 2
	}
	if sweep, _ := number(r.setOr(l, "sweep_interval").value); bits > 0 && lease > 0 && sweep >= lease {
		lease = min(sweep+1, 1<<16-1)
		r.note(leased, Wrong, "OpenSM's lease is %d: longer than sweep_interval", lease)
	}
	r.give(leased, "mkey-lease", strconv.FormatUint(lease, 10)+"s")
	r.give(leveled, "mkey-protect", strconv.FormatUint(bits, 10))
	return nil
}

// setOr returns the line of an option, or one with its default at the place of another option.
func (r *importer) setOr(at line, name string) line {
	if own, ok := r.set[name]; ok {
		return own
	}
	at.name, at.value, at.old = name, plain(options()[name].usual), ""
	return at
}

// mKeyDetail notes an option that has no effect without m_key. With it, mKey imports it.
func (r *importer) mKeyDetail(l line) error {
	if key, ok := r.set["m_key"]; !ok || isZero(key.value) {
		r.note(l, Left, "without m_key no port gets a key")
	}
	return nil
}

// vls imports the number of VLs, which OpenSM gives as the code of PortInfo.
func (r *importer) vls(l line) error {
	code, err := within(l.value, 1, 5)
	if err == nil {
		r.give(l, "vls", strconv.Itoa([...]int{1, 2, 4, 8, 15}[code-1]))
	}
	return err
}

// engineNames maps OpenSM's engines to weft's; "" if weft has none.
var engineNames = map[string]string{
	"minhop": "minhop", "updn": "updn", "ftree": "ftree", "lash": "lash", "dor": "dor", "torus-2QoS": "torus", "nue": "nue",
	"dfsssp": "dfsssp", "sssp": "sssp", "dnup": "", "file": "", "none": "",
}

// vendorEngines maps engines of vendors' OpenSM to the nearest ones of weft; "" if weft's auto
// chooses. weft routes none of them adaptively.
var vendorEngines = map[string]string{
	"ar_updn": "updn", "ar_ftree": "ftree", "ar_torus": "torus", "ar_dor": "dor", "ar_minhop": "minhop", "pqft": "ftree", "kdor-hc": "hyperx", "kdor-ghc": "hyperx",
	"asym_tree": "updn", "asymtree": "updn", "dfp": "", "dfp2": "", "chain": "", "auto": "",
}

// chain is a list of routing engines.
type chain struct {
	names  []string // of weft
	near   []string // OpenSM's names of engines that were taken as others
	none   []string // OpenSM's names of engines without counterpart
	wrong  []string // words that name no engine there either
	goesOn bool     // OpenSM falls back to minhop
}

// chain reads the requested engines.
func (r *importer) chain() (c chain) {
	c.goesOn = true
	for word := range strings.FieldsFuncSeq(r.set["routing_engine"].value, func(c rune) bool { return strings.ContainsRune(", \t", c) }) {
		name, known := engineNames[word]
		vendors, ofVendor := vendorEngines[word]
		switch {
		case word == "no_fallback":
			c.goesOn = false
			continue
		case known && name != "":
		case ofVendor && vendors != "":
			name, c.near = vendors, append(c.near, fmt.Sprintf("%s as %s", word, vendors))
		case known || ofVendor:
			c.none = append(c.none, word)
			continue
		default:
			c.wrong = append(c.wrong, word)
			continue
		}
		if !slices.Contains(c.names, name) {
			c.names = append(c.names, name)
		}
	}
	c.goesOn = c.goesOn && !slices.Contains(c.names, "minhop")
	return c
}

// engines imports the list of engines.
func (r *importer) engines(l line) error {
	c := r.chain()
	if len(c.wrong) > 0 {
		r.note(l, Wrong, "OpenSM has no engine %s, and takes the next in the list, at last minhop. Its names are in lower case but for torus-2QoS", clip(strings.Join(c.wrong, ", ")))
	}
	if len(c.none) > 0 {
		instead := ""
		if len(c.names) == 0 {
			instead = ": auto chooses one"
		}
		r.note(l, Left, "weft has no engine %s%s", clip(strings.Join(c.none, ", ")), instead)
	}
	if len(c.names) == 0 {
		return nil // default: auto
	}
	if len(c.near) > 0 {
		r.out.Settings = append(r.out.Settings, Setting{"engine", []string{strings.Join(c.names, ",")}})
		r.note(l, TakenAs, "engine: %s (%s), without adaptive routing", strings.Join(c.names, ","), strings.Join(c.near, ", "))
	} else {
		r.give(l, "engine", strings.Join(c.names, ","))
	}
	switch {
	case slices.Contains(c.names, "minhop") || slices.Contains(c.names, "sssp"):
		r.note(l, Left, "weft sm does not distribute routes of minhop and sssp that can deadlock (see unproven)")
	case c.goesOn:
		r.note(l, Left, "if all of these refuse, OpenSM uses minhop, and weft sm has no routes: add nue at the end of the list")
	}
	return nil
}

// roots passes the root switches to the engines that use them.
func (r *importer) roots(l line) error {
	list := r.guids(l)
	if len(list) == 0 {
		return nil
	}
	names := r.chain().names
	var given []string
	for _, engine := range []string{"ftree", "updn"} {
		if slices.Contains(names, engine) {
			given = append(given, engine+".roots="+strings.Join(list, ";"))
		}
	}
	if given == nil {
		r.note(l, Left, "%d roots: only ftree and updn use them, and neither is requested", len(list))
		return nil
	}
	r.addOptions(l, given...)
	return nil
}

// guids reads the GUIDs of the file that a line names, and reports the lines that OpenSM does not
// take. A word after a GUID, such as a name, means nothing.
func (r *importer) guids(l line) (list []string) {
	f := r.named(l)
	if f == nil {
		return nil
	}
	for n, words := range f.lines() {
		guid, err := number(words[0])
		if err != nil {
			r.note(line{file: f.Name, number: n, name: l.name, value: strings.Join(words, " ")}, Left, "not a GUID: weft has no groups of ports, and OpenSM 3.3.23 reads no further")
			continue
		}
		if text := fabric.GUID(guid).String(); !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	if len(list) == 0 {
		r.note(l, Left, "the file has no GUIDs")
	}
	return list
}

// addOptions adds engine options.
func (r *importer) addOptions(l line, options ...string) {
	for i := range r.out.Settings {
		if s := &r.out.Settings[i]; s.Option == "option" {
			s.Values = append(s.Values, options...)
			r.note(l, Taken, "option: %s", clip(strings.Join(options, ", ")))
			return
		}
	}
	r.give(l, "option", options...)
}

// nueVLs imports the lanes of nue, rounded down to 8, 4, 2 or 1.
func (r *importer) nueVLs(l line) error {
	n, err := within(l.value, 0, 255)
	if err != nil {
		return err
	}
	if !slices.Contains(r.chain().names, "nue") {
		r.note(l, Idle, "nue is not requested")
		return nil
	}
	lanes := uint64(8)
	for lanes > n { // 0: all of them
		lanes /= 2
	}
	r.addOptions(l, "nue.vls="+strconv.FormatUint(lanes, 10))
	return nil
}

// hostsOf returns a taker for a file of hosts. weft sm reads the same file, if all of its lines are
// GUIDs.
func hostsOf(name string) func(*importer, line) error {
	return func(r *importer, l line) error {
		f := r.named(l)
		if f == nil {
			return nil
		}
		if _, err := site.ReadGUIDs(f.Name, f.Data); err != nil {
			r.note(l, Left, "%v: copy the file with GUIDs only, and set %s", err, name)
			return nil
		}
		if err := readAlike(f); err != nil {
			r.note(l, Left, "%v: write 0x before the GUIDs, and set %s", err, name)
			return nil
		}
		r.give(l, name, f.Name)
		return nil
	}
}

// readAlike returns an error for the first GUID that weft and OpenSM read differently. Without 0x
// weft reads hexadecimal digits; OpenSM reads a decimal or octal number, or none.
func readAlike(f *File) error {
	for n, words := range f.lines() {
		theirs, err := number(words[0])
		if ours, known := fabric.ParseGUID(words[0]); err != nil || known != nil || uint64(ours) != theirs {
			return wrong(f.Name, n, "%q is not the same GUID for OpenSM, which reads it as a decimal or octal number", clip(words[0]))
		}
	}
	return nil
}

// counters imports the polling of port counters and its interval.
func (r *importer) counters(l line) error {
	seconds := r.setOr(l, "perfmgr_sweep_time_s").value
	if isZero(seconds) {
		seconds = options()["perfmgr_sweep_time_s"].usual
	}
	n, err := number(seconds)
	if err == nil {
		r.giveNumber(l, "counters", n, 1, 1<<31, "s")
	}
	return err
}

// countersDetail notes an option that has no effect without perfmgr. With it, counters imports it.
func (r *importer) countersDetail(l line) error {
	switch {
	case !r.isOn("perfmgr"):
		r.note(l, Idle, "perfmgr is FALSE")
	case isZero(l.value):
		return errors.New("want a number from 1")
	default:
		r.note(l, Taken, "see perfmgr, %s", r.set["perfmgr"].place(l.file))
	}
	return nil
}
