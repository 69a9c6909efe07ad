package opensm

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"weft/route/levels"
	"weft/sm/partition"
)

// qosPolicy imports a QoS policy file, if there is one: its rules for an SL go to that SL's level.
func (r *importer) qosPolicy(on line, q *qos) {
	l := r.setOr(on, "qos_policy_file")
	f := r.named(l)
	if f == nil {
		return
	}
	p := policyReader{file: f, taken: map[string][]levels.Range{}, sls: map[string]uint64{}, words: map[uint8][]string{}, partitions: q.all}
	if err := p.read(); err != nil {
		r.note(l, Left, "%v: the whole file is left out", err)
		return
	}
	q.rules = p.words
	if len(q.partitions) > 0 {
		p.note(0, Left, "For a partition without a rule OpenSM uses the SL of DEFAULT, whatever partitions.conf says; weft uses the level of its sl=")
	}
	r.noteFile(f, Taken, "levels: %d rules; see qos, %s", p.rules, on.place(f.Name))
	r.out.Notes = append(r.out.Notes, p.notes...)
}

// policyReader parses a QoS policy file (QoS_management_in_OpenSM.txt): levels by name, rules that
// assign a level to queries, and simple rules for upper-layer protocols.
type policyReader struct {
	file   *File
	at     int // current line
	sls    map[string]uint64
	simple *uint64      // the SL of default in qos-ulps, used without a level DEFAULT
	match  []policyRule // in order
	ulps   []policyRule // simple rules, applied after match

	partitions partition.Partitions

	taken map[string][]levels.Range // by kind: values of earlier rules
	words map[uint8][]string        // by SL, in the syntax of a levels file
	rules int
	notes []Note
}

// policyRule is a rule with its conditions.
type policyRule struct {
	line    int
	level   string // name; "" if sl is given
	sl      uint64
	asks    map[string][]levels.Range // conditions by service, class and partition
	without []string                  // conditions without counterpart in weft
}

func (p *policyReader) note(line int, fate Fate, format string, args ...any) {
	p.notes = append(p.notes, Note{File: p.file.Name, Line: line, Fate: fate, Text: fmt.Sprintf(format, args...)})
}

func (p *policyReader) wrong(format string, args ...any) error {
	return wrong(p.file.Name, p.at, format, args...)
}

// policySections lists the opening words of sections; policyParts the opening words of parts in
// them.
var (
	policySections = []string{"qos-ulps", "port-groups", "qos-setup", "qos-levels", "qos-match-rules"}
	policyParts    = map[string]string{"qos-levels": "qos-level", "qos-match-rules": "qos-match-rule"}
)

// read parses the file, and assigns its rules to levels.
func (p *policyReader) read() error {
	section, part := "", ""
	var level, sl string // of a part
	var rule policyRule
	for i, text := range strings.Split(string(p.file.Data), "\n") {
		p.at = i + 1
		text, _, _ = strings.Cut(text, "#")
		text = strings.TrimSpace(text)
		name, value, _ := strings.Cut(text, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		var err error
		switch {
		case text == "":
		case section == "":
			if !slices.Contains(policySections, text) {
				return p.wrong("%q: want one of %s", clip(text), strings.Join(policySections, ", "))
			}
			if section = text; section == "qos-setup" {
				p.note(p.at, Idle, "OpenSM ignores it too")
			}
		case part == "" && text == "end-"+section:
			section = ""
		case section == "qos-ulps":
			err = p.ulp(name, value)
		case policyParts[section] == "":
		case part == "" && text == policyParts[section]:
			part, level, sl = text, "", ""
			rule = policyRule{line: p.at, asks: map[string][]levels.Range{}}
		case part == "":
			return p.wrong("%q: want %s or end-%s", clip(text), policyParts[section], section)
		case text == "end-"+part && part == "qos-level":
			err = p.level(level, sl)
			part = ""
		case text == "end-"+part:
			p.match = append(p.match, rule)
			part = ""
		case name == "use":
		case part == "qos-level":
			switch name {
			case "name":
				level = strings.Trim(value, `"`)
			case "sl":
				sl = value
			case "mtu-limit", "rate-limit", "packet-life", "pkey", "path-bits":
				p.note(p.at, Left, "%s: levels of weft do not have this", clip(text))
			default:
				err = fmt.Errorf("%q is not part of a qos-level", clip(name))
			}
		default:
			err = rule.ask(name, value)
		}
		if err != nil {
			return p.wrong("%v", err)
		}
	}
	if section != "" {
		return p.wrong("%s has no end", cmp.Or(part, section))
	}
	return p.give()
}

// level adds a parsed level.
func (p *policyReader) level(name, sl string) error {
	n, err := within(sl, 0, 15)
	if err != nil {
		return fmt.Errorf("level %q: sl: %w", clip(name), err)
	}
	if _, twice := p.sls[strings.ToLower(name)]; twice || name == "" {
		return fmt.Errorf("level %q: want a unique name", clip(name))
	}
	p.sls[strings.ToLower(name)] = n
	return nil
}

// policyKinds maps conditions to words of a levels file, with their maximum value.
var policyKinds = map[string]struct {
	word string
	most uint64
}{"service-id": {"service", 1<<64 - 1}, "qos-class": {"class", 0xFFF}, "pkey": {"partition", 0xFFFF}}

// ask parses a line of a match rule.
func (r *policyRule) ask(name, value string) error {
	kind, known := policyKinds[name]
	switch {
	case name == "qos-level-name":
		r.level = strings.Trim(value, `"`)
	case name == "source" || name == "destination":
		r.without = append(r.without, name)
	case !known:
		return fmt.Errorf("%q is not part of a qos-match-rule", clip(name))
	default:
		list, err := policyRanges(value, kind.most)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if kind.word == "partition" {
			for i := range list {
				list[i].First, list[i].Last = list[i].First&0x7FFF, list[i].Last&0x7FFF
			}
		}
		r.asks[kind.word] = append(r.asks[kind.word], list...)
	}
	return nil
}

// policyRanges parses numbers and ranges, separated by commas.
func policyRanges(text string, most uint64) (list []levels.Range, err error) {
	for word := range strings.SplitSeq(text, ",") {
		a, b, several := strings.Cut(strings.TrimSpace(word), "-")
		if !several {
			b = a
		}
		first, err1 := number(strings.TrimSpace(a))
		last, err2 := number(strings.TrimSpace(b))
		if err1 != nil || err2 != nil || max(first, last) > most {
			return nil, fmt.Errorf("%s: want NUMBER or FIRST-LAST, up to 0x%x", clip(word), most)
		}
		list = append(list, levels.Range{First: min(first, last), Last: max(first, last)})
	}
	return list, nil
}

// tcpPorts lists the service IDs of upper-layer protocols over TCP: port 0, and the default port
// range.
var tcpPorts = map[string]struct{ base, first, last uint64 }{
	"sdp": {0x10000, 0, 0xFFFF}, "rds": {0x1060000, 0x48CA, 0x48CA}, "iser": {0x1060000, 0x0CBC, 0x0CBC},
}

// ulp parses a simple rule: a protocol with conditions, a colon, and the SL.
func (p *policyReader) ulp(text, value string) error {
	sl, err := within(value, 0, 15)
	if err != nil {
		return fmt.Errorf("%s: SL: %w", clip(text), err)
	}
	protocol, what, _ := strings.Cut(strings.ToLower(text), ",")
	protocol = strings.TrimSpace(protocol)
	words := strings.SplitN(strings.TrimSpace(what), " ", 2)
	kind, ranges := words[0], ""
	if len(words) > 1 {
		ranges = words[1]
	}
	r := policyRule{line: p.at, sl: sl, asks: map[string][]levels.Range{}}
	tcp, overTCP := tcpPorts[protocol]
	switch {
	case protocol == "default" && what == "":
		p.simple = &sl
		return nil
	case overTCP && what == "":
		r.asks["service"] = []levels.Range{{First: tcp.base + tcp.first, Last: tcp.base + tcp.last}}
	case overTCP && kind == "port-num":
		list, err := policyRanges(ranges, 0xFFFF)
		if err != nil {
			return err
		}
		for i := range list {
			list[i].First, list[i].Last = list[i].First+tcp.base, list[i].Last+tcp.base
		}
		r.asks["service"] = list
	case protocol == "ipoib" && what == "":
		r.asks["partition"] = []levels.Range{{First: partition.DefaultKey, Last: partition.DefaultKey}}
	case protocol == "ipoib" && kind == "pkey", protocol == "any" && (kind == "pkey" || kind == "service-id"):
		if err := r.ask(kind, ranges); err != nil {
			return err
		}
	case (protocol == "any" || protocol == "srp") && strings.HasSuffix(kind, "port-guid"):
		r.without = []string{kind}
	default:
		return fmt.Errorf("%q is not a rule of qos-ulps", clip(text))
	}
	p.ulps = append(p.ulps, r)
	return nil
}

// give assigns the rules' conditions to their SLs. Of rules with the same condition the first
// counts.
func (p *policyReader) give() error {
	sl, ok := p.sls["default"]
	if !ok && p.simple != nil {
		sl, ok = *p.simple, true
	}
	if !ok {
		p.at = 1
		return p.wrong("there is no level DEFAULT: OpenSM rejects the file")
	} else if sl != 0 {
		p.note(0, Left, "DEFAULT has SL %d: weft's default level is always that of SL 0", sl)
	}
	last := ""
	for _, r := range append(p.match, p.ulps...) {
		p.at = r.line
		if r.level != "" {
			sl, ok := p.sls[strings.ToLower(r.level)]
			if !ok {
				return p.wrong("there is no level %q", clip(r.level))
			}
			r.sl = sl
		}
		kinds := slices.Sorted(maps.Keys(r.asks))
		switch {
		case len(r.without) > 0:
			p.note(r.line, Left, "weft has no rules by %s: the rule is left out", strings.Join(r.without, " and "))
			continue
		case len(kinds) == 0:
			p.note(r.line, Left, "the rule has no condition, and is left out")
			continue
		case len(kinds) > 1:
			p.note(r.line, Left, "weft has no rules by %s together: the rule is left out", strings.Join(kinds, " and "))
			continue
		}
		kind := kinds[0]
		if order := []string{"service", "class", "partition"}; slices.Index(order, kind) < slices.Index(order, last) {
			p.note(r.line, Left, "it follows a rule by %s: weft applies service IDs first, then QoS classes, then partitions", last)
		}
		last = kind
		if err := p.giveRule(kind, &r); err != nil {
			return p.wrong("%v", err)
		}
	}
	return nil
}

// hasPartition reports whether a partition has a P_Key, given without its membership bit.
func (p *policyReader) hasPartition(key uint16) bool {
	return slices.ContainsFunc(p.partitions, func(q partition.Partition) bool { return q.Key == key })
}

// mostPolicyWords is the maximum number of words for a rule.
const mostPolicyWords = 1024

// giveRule assigns a rule's values, unless an earlier rule has.
func (p *policyReader) giveRule(kind string, r *policyRule) error {
	var words, missing []string
	for _, whole := range r.asks[kind] {
		for _, left := range without(whole, p.taken[kind]) {
			p.taken[kind] = append(p.taken[kind], left)
			if kind == "service" {
				words = append(words, fmt.Sprintf("service=0x%x-0x%x", left.First, left.Last))
				continue
			}
			format := map[string]string{"class": "class=%d", "partition": "partition=0x%04x"}[kind]
			for n := left.First; n <= left.Last && len(words) <= mostPolicyWords; n++ {
				if kind == "partition" && !p.hasPartition(uint16(n)) {
					missing = append(missing, fmt.Sprintf("0x%04x", n))
					continue
				}
				words = append(words, fmt.Sprintf(format, n))
			}
		}
		if len(words) > mostPolicyWords {
			return errors.New("the rule names more than 1024 numbers: weft's levels have no ranges of QoS classes or P_Keys")
		}
	}
	if len(missing) > 0 {
		p.note(r.line, Wrong, "no partition has P_Key %s: OpenSM leaves it out of the rule, too", clip(strings.Join(missing, ", ")))
	}
	if len(words) == 0 {
		return nil
	}
	p.rules++
	p.words[uint8(r.sl)] = append(p.words[uint8(r.sl)], words...)
	return nil
}

// without returns the rest of a range after removing others.
func without(whole levels.Range, others []levels.Range) []levels.Range {
	list := []levels.Range{whole}
	for _, o := range others {
		var next []levels.Range
		for _, r := range list {
			if o.Last < r.First || o.First > r.Last {
				next = append(next, r)
				continue
			}
			if r.First < o.First {
				next = append(next, levels.Range{First: r.First, Last: o.First - 1})
			}
			if r.Last > o.Last {
				next = append(next, levels.Range{First: o.Last + 1, Last: r.Last})
			}
		}
		list = next
	}
	return list
}
