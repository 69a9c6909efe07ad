package subnets

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/fabric"
)

// FormulaHelp explains the syntax of a formula.
const FormulaHelp = `subnets(N,FABRIC,...)       N copies of FABRIC, joined by routers
  subnets(FABRIC,FABRIC,...)  these subnets, joined by routers
  routers=R    number of routers (default 2); with shape=chain and shape=star for each joined pair
  cables=C     cables from a router into each of its subnets (default 1)
  shape=all    every router joins all subnets; chain: each subnet with the next;
               star: the first subnet with each other one
  core=FABRIC  add a subnet core0 that routers join with each other subnet; the others are then
               not joined directly. cores=K adds K such subnets
  on=top       cable routers to the switches farthest from hosts, in turn; on=leaves: to switches
               with hosts. Routers use free ports; if none are left, switches of formulas get
               more. In a FABRIC without hosts all switches take routers`

// firstPrefix plus the number of a subnet, from 1, is the prefix of a formula's subnet: site-local.
const firstPrefix Prefix = 0xfec0000000000000

// routerGUID and a counter in steps of 256 are the GUIDs of a formula's routers; port GUIDs add the
// port number.
const routerGUID fabric.GUID = 0x0200005200000000

// IsFormula reports whether a text looks like a formula of several subnets.
func IsFormula(s string) bool { return strings.HasPrefix(strings.TrimSpace(s), "subnets(") }

// formula is a parsed formula.
type formula struct {
	fabrics         []string // cores come last
	routers, cables int
	shape, on       string
	core            string
	cores           int
}

// Expand builds the File of a formula. It opens each FABRIC to find the free ports of its switches.
func Expand(text string, open func(arg string) (Opened, error)) (*File, error) {
	q, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("subnets: %w (accepted: subnets(N,FABRIC or FABRIC,FABRIC,..., routers=2, cables=1, shape=all|chain|star, core=FABRIC, cores=1, on=top|leaves))", err)
	}
	f := &File{}
	free := make([]*freePorts, len(q.fabrics))
	opened := map[string]Opened{}
	for i, arg := range q.fabrics {
		f.Subnets = append(f.Subnets, SubnetLine{Name: q.name(i), Prefix: firstPrefix + Prefix(i+1), Fabric: arg})
		if opened[arg].Fabric == nil {
			o, err := open(arg)
			if err != nil {
				return nil, err
			}
			opened[arg] = o
		}
		free[i] = newFreePorts(opened[arg], q.on)
	}
	for _, joint := range q.joints() {
		for range q.routers {
			r := RouterLine{Name: fmt.Sprint("router ", len(f.Routers)), GUID: routerGUID + fabric.GUID(len(f.Routers)+1)<<8}
			for _, s := range joint {
				for range q.cables {
					guid, port, ok := free[s].take()
					if !ok {
						return nil, fmt.Errorf("subnets: subnet %q (%s) has no free port left for %s", q.name(s), q.fabrics[s], r.Name)
					}
					if len(r.Ports) == fabric.MaxPorts {
						return nil, fmt.Errorf("subnets: a router would have more than %d ports", fabric.MaxPorts)
					}
					r.Ports = append(r.Ports, PortLine{uint8(len(r.Ports) + 1), q.name(s), guid.String(), port, 0})
				}
			}
			f.Routers = append(f.Routers, r)
		}
	}
	return f, nil
}

// name returns the name of a subnet.
func (q *formula) name(i int) string {
	if others := len(q.fabrics) - q.cores; i >= others {
		return "core" + strconv.Itoa(i-others)
	}
	return "s" + strconv.Itoa(i)
}

// joints lists, for each joint, the subnets of its routers.
func (q *formula) joints() (list [][]int) {
	switch n := len(q.fabrics); q.shape {
	case "chain":
		for i := range n - 1 {
			list = append(list, []int{i, i + 1})
		}
	case "star":
		for i := range n - 1 {
			list = append(list, []int{0, i + 1})
		}
	case "core":
		for i := range n - q.cores {
			for core := range q.cores {
				list = append(list, []int{i, n - q.cores + core})
			}
		}
	default:
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		list = append(list, all)
	}
	return list
}

// parse parses the text of a formula.
func parse(text string) (*formula, error) {
	text = strings.TrimSpace(text)
	inside, closed := strings.CutSuffix(strings.TrimPrefix(text, "subnets("), ")")
	if !closed || !IsFormula(text) || len(text) > maxLine {
		return nil, fmt.Errorf("want subnets(...), one closing parenthesis at the end")
	}
	q := &formula{routers: 2, cables: 1, shape: "all", on: "top"}
	copies := 0
	parts, err := splitCommas(inside)
	if err != nil {
		return nil, err
	}
	for i, part := range parts {
		name, value, named := strings.Cut(part, "=")
		switch n, err := strconv.Atoi(part); {
		case i == 0 && err == nil:
			if copies = n; n < 1 || n > MaxSubnets {
				return nil, fmt.Errorf("%d subnets: want 1 to %d", n, MaxSubnets)
			}
		case named && !strings.ContainsAny(name, "(|\"/."):
			if err := q.set(name, value); err != nil {
				return nil, err
			}
		case part == "":
			return nil, fmt.Errorf("an argument is empty")
		case strings.ContainsAny(part, "\n\r") || IsFormula(part):
			return nil, fmt.Errorf("%q is no FABRIC of one subnet", part)
		default:
			q.fabrics = append(q.fabrics, part)
		}
	}
	switch {
	case len(q.fabrics) == 0:
		return nil, fmt.Errorf("no FABRIC is named")
	case copies > 0 && len(q.fabrics) > 1:
		return nil, fmt.Errorf("a number of subnets goes with one FABRIC, not %d", len(q.fabrics))
	case copies > 0:
		q.fabrics = slices.Repeat(q.fabrics, copies)
	}
	if err := q.addCores(); err != nil {
		return nil, err
	}
	if len(q.fabrics) > MaxSubnets {
		return nil, fmt.Errorf("%d subnets: at most %d", len(q.fabrics), MaxSubnets)
	}
	if len(q.joints())*q.routers*q.cables*2 > MaxPorts {
		return nil, fmt.Errorf("more than %d router ports", MaxPorts)
	}
	return q, nil
}

// addCores adds the subnets of the core, if there is one.
func (q *formula) addCores() error {
	switch {
	case q.core == "" && q.cores > 0:
		return fmt.Errorf("cores=%d without core=FABRIC", q.cores)
	case q.core == "":
		return nil
	case q.shape != "all":
		return fmt.Errorf("shape=%s with core=: its routers join the core with the other subnets", q.shape)
	}
	q.shape, q.cores = "core", max(1, q.cores)
	q.fabrics = append(slices.Clone(q.fabrics), slices.Repeat([]string{q.core}, q.cores)...)
	return nil
}

// set sets an argument given by name.
func (q *formula) set(name, value string) error {
	number := func(to *int, most int) error {
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > most {
			return fmt.Errorf("%s=%s: want a number from 1 to %d", name, value, most)
		}
		*to = n
		return nil
	}
	word := func(to *string, words ...string) error {
		if !slices.Contains(words, value) {
			return fmt.Errorf("%s=%s: want %s", name, value, strings.Join(words, " or "))
		}
		*to = value
		return nil
	}
	switch name {
	case "routers":
		return number(&q.routers, 1<<16)
	case "cables":
		return number(&q.cables, fabric.MaxPorts)
	case "cores":
		return number(&q.cores, MaxSubnets)
	case "core":
		if value == "" || IsFormula(value) || strings.ContainsAny(value, "\n\r") {
			return fmt.Errorf("core=%s: want a FABRIC of one subnet", value)
		}
		q.core = value
		return nil
	case "shape":
		return word(&q.shape, "all", "chain", "star")
	case "on":
		return word(&q.on, "top", "leaves")
	}
	return fmt.Errorf("there is no argument %s=", name)
}

// splitCommas splits a text at commas outside parentheses and quotes.
func splitCommas(s string) (parts []string, err error) {
	depth, quoted, from := 0, false, 0
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth < 0 {
				return nil, fmt.Errorf("a closing parenthesis without an opening one")
			}
		case c == ',' && depth == 0:
			parts = append(parts, strings.TrimSpace(s[from:i]))
			from = i + 1
		}
	}
	if depth != 0 || quoted {
		return nil, fmt.Errorf("a parenthesis or quote is not closed")
	}
	return append(parts, strings.TrimSpace(s[from:])), nil
}

// freePorts hands out the free ports of switches, one of each switch in turn. When none are left,
// switches of formulas get more.
type freePorts struct {
	guids []fabric.GUID
	ports [][]uint8 // free
	more  []int     // number of the port that a switch would get
	made  bool
	next  int
}

// newFreePorts lists the free ports of the switches farthest from hosts, or of the switches with
// hosts; without hosts, of all switches.
func newFreePorts(from Opened, on string) *freePorts {
	g := from.Fabric.Compile()
	var leaves []int32
	for s := range int32(g.NumSwitches) {
		if g.HostCount(s) > 0 {
			leaves = append(leaves, s)
		}
	}
	search := g.NewSearch(nil)
	search.From(leaves...)
	farthest := int32(0)
	if on == "top" && g.NumSwitches > 0 {
		farthest = max(0, slices.Max(search.Hops))
	}
	d := &freePorts{made: from.Made}
	for s, hops := range search.Hops {
		if hops != farthest && len(leaves) > 0 {
			continue
		}
		id, _ := from.Fabric.NodeByGUID(g.SwitchGUID[s])
		n := &from.Fabric.Nodes[id]
		var free []uint8
		for p := 1; p <= n.NumPorts(); p++ {
			if n.Ports[p].Link == fabric.NoLink {
				free = append(free, uint8(p))
			}
		}
		d.guids, d.ports, d.more = append(d.guids, n.GUID), append(d.ports, free), append(d.more, n.NumPorts()+1)
	}
	return d
}

// take returns the next free port.
func (d *freePorts) take() (fabric.GUID, uint8, bool) {
	for range d.guids {
		i := d.next % len(d.guids)
		d.next++
		if len(d.ports[i]) > 0 {
			p := d.ports[i][0]
			d.ports[i] = d.ports[i][1:]
			return d.guids[i], p, true
		}
	}
	for range d.guids {
		i := d.next % len(d.guids)
		d.next++
		if d.made && d.more[i] <= fabric.MaxPorts {
			d.more[i]++
			return d.guids[i], uint8(d.more[i] - 1), true
		}
	}
	return 0, 0, false
}
