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
		"lmc":                      numberOf("lmc", 0, fabric.MaxLMC),
		"sm_priority":              numberOf("priority", 0, 15),
		"max_wire_smps":            numberOf("window", 1, 1024),
		"transaction_retries":      numberOf("retries", 0, 1000),
		"transaction_timeout":      timeOf("timeout", "ms"),
		"m_key":                    (*importer).mKey,
		"m_key_lease_period":       (*importer).mKeyDetail,
		"m_key_protection_level":   (*importer).mKeyDetail,
		"max_op_vls":               (*importer).vls,
		"partition_config_file":    (*importer).partitions,
		"part_enforce":             (*importer).enforce,
		"no_partition_enforcement": (*importer).enforceNone,
		"sweep_interval":           (*importer).interval,
		"routing_engine":           (*importer).engines,
		"root_guid_file":           (*importer).roots,
		"cn_guid_file":             hostsOf("cn-guids"),
		"io_guid_file":             hostsOf("io-guids"),
		"nue_max_num_vls":          (*importer).nueVLs,
		"ignore_other_sm":          (*importer).ignoreOthers,
		"perfmgr":                  (*importer).counters,
		"perfmgr_sweep_time_s":     (*importer).countersDetail,
		"congestion_control":       (*importer).congestion,
		"qos":                      (*importer).qos,
		"qos_policy_file":          (*importer).qosPolicyDetail,
	}
	for name, o := range options {
		if strings.HasPrefix(name, "cc_") && o.fate == Taken {
			takers[name] = (*importer).congestionDetail
		}
		if strings.HasPrefix(name, "qos_") && o.fate == Taken && takers[name] == nil {
			takers[name] = (*importer).qosDetail
		}
	}
}

// numberOf returns a taker for a number.
func numberOf(name string, least, most uint64) func(*importer, line) error {
	return func(r *importer, l line) error {
		n, err := within(l.value, least, most)
		if err == nil {
			r.give(l, name, strconv.FormatUint(n, 10))
		}
		return err
	}
}

// timeOf returns a taker for a number of time units.
func timeOf(name, unit string) func(*importer, line) error {
	return func(r *importer, l line) error {
		n, err := within(l.value, 1, 1<<31)
		if err == nil {
			r.give(l, name, fmt.Sprintf("%d%s", n, unit))
		}
		return err
	}
}

// enforce imports where switches drop packets of other partitions.
func (r *importer) enforce(l line) error {
	word := strings.ToLower(l.value)
	if !slices.Contains([]string{"both", "in", "out", "off"}, word) {
		return errors.New("want both, in, out or off")
	}
	r.give(l, "partition-enforce", word)
	return nil
}

// enforceNone imports no_partition_enforcement, the predecessor of part_enforce.
func (r *importer) enforceNone(l line) error {
	is, err := truth(l.value)
	if err != nil || !is {
		return err
	}
	if other, ok := r.set["part_enforce"]; ok {
		r.note(l, Idle, "see line %d", other.number)
		return nil
	}
	r.give(l, "partition-enforce", "off")
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

// mKey imports the M_Key of all ports with lease and protection level, whose defaults differ in
// weft.
func (r *importer) mKey(l line) error {
	n, err := within(l.value, 0, 1<<64-1)
	if err != nil {
		return err
	}
	r.give(l, "m-key", fmt.Sprintf("0x%x", n))
	for _, d := range []struct {
		name, to, unit string
		most           uint64
	}{{"m_key_lease_period", "mkey-lease", "s", 1<<16 - 1}, {"m_key_protection_level", "mkey-protect", "", 3}} {
		own, ok := r.set[d.name]
		if !ok {
			own = line{l.number, d.name, plain(options[d.name].usual)}
		}
		n, err := within(own.value, 0, d.most)
		if err != nil {
			return fmt.Errorf("%s %s: %w", d.name, clip(own.value), err)
		}
		r.give(own, d.to, strconv.FormatUint(n, 10)+d.unit)
	}
	return nil
}

// mKeyDetail notes an option that has no effect without m_key. With it, mKey imports it.
func (r *importer) mKeyDetail(l line) error {
	if key, ok := r.set["m_key"]; !ok || isZero(key.value) {
		r.note(l, Left, "without m_key no port gets a key")
	}
	return nil
}

// isZero reports whether a value is the number 0.
func isZero(value string) bool {
	n, err := number(value)
	return err == nil && n == 0
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
	"minhop": "minhop", "updn": "updn", "ftree": "ftree", "lash": "lash", "dor": "dor", "torus-2qos": "torus", "nue": "nue",
	"dfsssp": "dfsssp", "sssp": "sssp", "dnup": "", "file": "",
}

// chain returns the requested engines by weft's names, the ones that weft lacks, and whether OpenSM
// falls back to minhop.
func (r *importer) chain() (names, none []string, goesOn bool, err error) {
	goesOn = true
	for word := range strings.FieldsFuncSeq(r.set["routing_engine"].value, func(c rune) bool { return strings.ContainsRune(", \t;", c) }) {
		if strings.EqualFold(word, "no_fallback") {
			goesOn = false
			continue
		}
		name, known := engineNames[strings.ToLower(word)]
		switch {
		case !known:
			return nil, nil, false, fmt.Errorf("OpenSM has no engine %q", clip(word))
		case name == "":
			none = append(none, word)
		case !slices.Contains(names, name):
			names = append(names, name)
		}
	}
	return names, none, goesOn && !slices.Contains(names, "minhop"), nil
}

// engines imports the list of engines.
func (r *importer) engines(l line) error {
	names, none, goesOn, err := r.chain()
	if err != nil {
		return err
	}
	if len(none) > 0 {
		r.note(l, Left, "weft has no engine %s", strings.Join(none, ", "))
	}
	if len(names) == 0 {
		return nil // default: auto
	}
	r.give(l, "engine", strings.Join(names, ","))
	switch {
	case slices.Contains(names, "minhop") || slices.Contains(names, "sssp"):
		r.note(l, Left, "weft sm does not distribute routes of minhop and sssp that can deadlock (see unproven)")
	case goesOn:
		r.note(l, Left, "if all of these refuse, OpenSM uses minhop, and weft sm has no routes: add nue at the end of the list")
	}
	return nil
}

// roots passes the root switches to the engines that use them.
func (r *importer) roots(l line) error {
	f, err := r.named(l)
	if f == nil {
		return err
	}
	guids, err := site.ReadGUIDs(f.Name, f.Data)
	if err != nil {
		return err
	}
	names, _, _, _ := r.chain() // engines reports its errors
	var list []string
	for _, g := range guids {
		if text := g.String(); !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	var given []string
	for _, engine := range []string{"ftree", "updn"} {
		if slices.Contains(names, engine) && len(list) > 0 {
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
	n, err := within(l.value, 0, 15)
	if err != nil {
		return err
	}
	if names, _, _, _ := r.chain(); !slices.Contains(names, "nue") {
		r.note(l, Idle, "nue is not requested")
		return nil
	}
	lanes := uint64(8)
	for lanes > n {
		lanes /= 2
	}
	r.addOptions(l, "nue.vls="+strconv.FormatUint(lanes, 10))
	return nil
}

// hostsOf returns a taker for a file of hosts, which must be valid.
func hostsOf(name string) func(*importer, line) error {
	return func(r *importer, l line) error {
		f, err := r.named(l)
		if f == nil {
			return err
		}
		if _, err := site.ReadGUIDs(f.Name, f.Data); err != nil {
			return err
		}
		r.give(l, name, f.Name)
		return nil
	}
}

// ignoreOthers imports that other managers are ignored.
func (r *importer) ignoreOthers(l line) error {
	is, err := truth(l.value)
	if err == nil && is {
		r.give(l, "take-over", "true")
	}
	return err
}

// counters imports the polling of port counters and its interval.
func (r *importer) counters(l line) error {
	is, err := truth(l.value)
	if err != nil || !is {
		return err
	}
	every, ok := r.set["perfmgr_sweep_time_s"]
	if !ok {
		every = line{l.number, l.name, plain(options["perfmgr_sweep_time_s"].usual)}
	}
	return timeOf("counters", "s")(r, every)
}

// countersDetail notes an option that has no effect without perfmgr. With it, counters imports it.
func (r *importer) countersDetail(l line) error {
	if on, ok := r.set["perfmgr"]; !ok || !strings.EqualFold(on.value, "TRUE") {
		r.note(l, Idle, "perfmgr is FALSE")
	}
	return nil
}
