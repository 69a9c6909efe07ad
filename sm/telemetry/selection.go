package telemetry

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"weft/fabric"
	"weft/sm/perf"
)

// Words lists the words that select ports.
const Words = "all, hosts, switches, between-switches"

// Selection selects ports. The zero value selects none.
type Selection struct{ rules []func(*perf.Port) bool }

// portSuffix ends a rule for one port of a node.
var portSuffix = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(.+)\[([0-9]+)\]$`) })

// ParseSelection reads rules: words, or the name or GUID of a node, with the number of a port if it
// stands for one. A name may be a pattern as in path.Match.
func ParseSelection(list []string) (*Selection, error) {
	s := &Selection{}
	for _, text := range list {
		rule, err := parseRule(text)
		if err != nil {
			return nil, err
		}
		s.rules = append(s.rules, rule)
	}
	return s, nil
}

func parseRule(text string) (func(*perf.Port) bool, error) {
	isSwitch := func(p fabric.PortName) bool { return p.Type == fabric.Switch.String() }
	switch text {
	case "":
		return nil, fmt.Errorf("an empty name: want the name of a node, NAME[PORT], or one of %s", Words)
	case "all":
		return func(*perf.Port) bool { return true }, nil
	case "hosts":
		return func(p *perf.Port) bool { return p.Name.Type == fabric.CA.String() }, nil
	case "switches":
		return func(p *perf.Port) bool { return isSwitch(p.Name) }, nil
	case "between-switches":
		return func(p *perf.Port) bool { return isSwitch(p.Name) && isSwitch(p.Peer) }, nil
	}
	name, port := text, -1
	if parts := portSuffix().FindStringSubmatch(text); parts != nil {
		number, err := strconv.Atoi(parts[2])
		if err != nil || number < 1 || number > fabric.MaxPorts {
			return nil, fmt.Errorf("%s: want a port from 1 to %d", text, fabric.MaxPorts)
		}
		name, port = parts[1], number
	}
	fits := func(p *perf.Port) bool { return port < 0 || int(p.Name.Port) == port }
	if strings.HasPrefix(name, "0x") {
		guid, err := fabric.ParseGUID(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", text, err)
		}
		return func(p *perf.Port) bool { return p.Name.GUID == guid && fits(p) }, nil
	}
	if _, err := path.Match(name, ""); err != nil {
		return nil, fmt.Errorf("%s is not a pattern: want a text with * for any characters, ? for one and [...] for one of a set", name)
	}
	return func(p *perf.Port) bool {
		if !fits(p) {
			return false
		}
		is, err := path.Match(name, p.Name.Name)
		return p.Name.Name == name || is && err == nil
	}, nil
}

// Select returns the indexes of at most most selected ports, and the number of selected ports
// beyond.
func (s *Selection) Select(ports []perf.Port, most int) (chosen []int, beyond int) {
	for i := range ports {
		for _, rule := range s.rules {
			if !rule(&ports[i]) {
				continue
			}
			if len(chosen) < most {
				chosen = append(chosen, i)
			} else {
				beyond++
			}
			break
		}
	}
	return chosen, beyond
}
