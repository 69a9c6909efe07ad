package fabric

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

// KindRule assigns a kind, such as compute or input-output, to some hosts. Engines balance the
// paths to each kind on their own, then all paths together. Kinds have no weights: each engine has
// its own rule for balance (columns.PartsByKind, forest's kinds.go, ftree's lidorder.go).
type KindRule struct {
	Kind  string
	Hosts string // GUID of a node or port (0x...), or a pattern of descriptions in the syntax of path.Match
}

// MaxKinds is the largest number of kinds of hosts, including the kind of all other hosts.
const MaxKinds = 64

// ParseKindRule parses KIND=HOSTS.
func ParseKindRule(text string) (KindRule, error) {
	kind, hosts, found := strings.Cut(text, "=")
	if !found || kind == "" || hosts == "" {
		return KindRule{}, fmt.Errorf("fabric: %q names no kind of hosts (want NAME=PATTERN)", text)
	}
	if _, err := path.Match(hosts, ""); err != nil {
		return KindRule{}, fmt.Errorf("fabric: %q is no pattern (as for file names)", hosts)
	}
	return KindRule{kind, hosts}, nil
}

// String returns the text that ParseKindRule accepts.
func (r KindRule) String() string { return r.Kind + "=" + r.Hosts }

// DescPattern returns the pattern that matches exactly one description.
func DescPattern(desc string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(desc)
}

// Kinds holds the kinds of the hosts of a Graph.
type Kinds struct {
	Names []string // kinds that have hosts; "" for hosts without a rule
	Of    []uint8  // by host: 1 + index of its kind in Names
	None  []string // names of kinds without hosts
}

// KindsOf gives each host the kind of the first rule that matches it. Kinds are in order of their
// number of hosts, the fewest first, and then of the rules; hosts without a rule come last.
func KindsOf(g *Graph, rules []KindRule) (*Kinds, error) {
	k := &kindRules{number: map[string]int{}, guids: map[GUID]int{}, exact: map[string]int{}}
	for i, r := range rules {
		k.add(i, r)
	}
	if len(k.names) >= MaxKinds {
		return nil, fmt.Errorf("fabric: %d kinds of hosts, at most %d can be named", len(k.names), MaxKinds-1)
	}
	first := make([]int, g.NumHosts)     // by host: number of its kind in order of the rules, len(k.names) for none
	hosts := make([]int, len(k.names)+1) // by kind; the last is for hosts without a rule
	for h := range first {
		first[h] = len(k.names)
		if i := k.first(g, int32(h)); i < len(rules) {
			first[h] = k.number[rules[i].Kind]
		}
		if g.IsHost(int32(h)) {
			hosts[first[h]]++
		}
	}
	out := &Kinds{Of: make([]uint8, g.NumHosts)}
	names, number := append(k.names, ""), make([]uint8, len(k.names)+1)
	order := Numbers(len(names))
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(hosts[a], hosts[b]) })
	for _, i := range order {
		switch {
		case hosts[i] > 0:
			out.Names = append(out.Names, names[i])
			number[i] = uint8(len(out.Names))
		case names[i] != "":
			out.None = append(out.None, names[i])
		}
	}
	for h, i := range first {
		out.Of[h] = max(number[i], 1)
	}
	return out, nil
}

// kindRules finds the first rule that matches a host.
type kindRules struct {
	names    []string // kinds, in order of the rules
	number   map[string]int
	guids    map[GUID]int   // by GUID of node or port: the first rule
	exact    map[string]int // by description without wildcards: the first rule
	patterns []numbered
}

type numbered struct {
	rule    int
	pattern string
}

func (k *kindRules) add(i int, r KindRule) {
	if _, known := k.number[r.Kind]; !known {
		k.number[r.Kind] = len(k.names)
		k.names = append(k.names, r.Kind)
	}
	if guid, err := ParseGUID(r.Hosts); err == nil && strings.HasPrefix(r.Hosts, "0x") {
		if _, known := k.guids[guid]; !known {
			k.guids[guid] = i
		}
		return
	}
	if strings.ContainsAny(r.Hosts, `*?[\`) {
		k.patterns = append(k.patterns, numbered{i, r.Hosts})
	} else if _, known := k.exact[r.Hosts]; !known {
		k.exact[r.Hosts] = i
	}
}

// first returns the number of the first rule that matches a host, or a number beyond all rules.
func (k *kindRules) first(g *Graph, host int32) int {
	best := int(^uint(0) >> 1)
	for _, guid := range []GUID{g.EndGUID[host], g.EndNodeGUID[host]} {
		if i, ok := k.guids[guid]; ok {
			best = min(best, i)
		}
	}
	if i, ok := k.exact[g.EndDesc[host]]; ok {
		best = min(best, i)
	}
	for _, p := range k.patterns {
		if p.rule >= best {
			break
		}
		if ok, err := path.Match(p.pattern, g.EndDesc[host]); ok && err == nil {
			return p.rule
		}
	}
	return best
}
