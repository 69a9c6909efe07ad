package places

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/fabric/hostlist"
)

// nodes finds places by the names of nodes.
type nodes struct {
	names Names
	list  []unit
	of    map[string][]int // by name: places, in order
}

// byName lists the places by the names of their nodes.
func (r *Request) byName(list []unit) *nodes {
	n := &nodes{r.Names, list, map[string][]int{}}
	for i, u := range list {
		known := map[string]bool{"": true}
		for _, h := range u.ports {
			for _, name := range r.Names.Node(h) {
				if !known[name] {
					known[name] = true
					n.of[name] = append(n.of[name], i)
				}
			}
		}
	}
	return n
}

// find returns the places of a node.
func (n *nodes) find(name string) ([]int, error) {
	if at := n.of[name]; len(at) > 0 {
		return at, nil
	}
	return nil, fmt.Errorf("no host of the fabric is called %q; the first is called %q", name, n.names.Node(n.list[0].ports[0])[0])
}

// fromFile places ranks as lines say: RANK NODE, or RANK NODE PORT for one port of the node. Names
// with blanks stand in quotation marks.
func (r *Request) fromFile(list []unit) ([]unit, error) {
	names, placed := r.byName(list), make([]unit, r.Ranks)
	for number, line := range strings.Split(r.File, "\n") {
		line, _, _ = strings.Cut(line, "#")
		words, err := fields(line)
		if err == nil && len(words) > 0 {
			err = r.placeLine(names, placed, words)
		}
		if err != nil {
			return nil, fmt.Errorf("placement file, line %d: %w", number+1, err)
		}
	}
	if i := slices.IndexFunc(placed, func(u unit) bool { return u.ports == nil }); i >= 0 {
		return nil, fmt.Errorf("placement file: rank %d has no line; the ranks are 0 to %d", i, r.Ranks-1)
	}
	return placed, nil
}

// fields cuts a line at blanks that are not in quotation marks.
func fields(line string) (words []string, err error) {
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		if line[0] != '"' {
			word, rest, _ := strings.Cut(strings.ReplaceAll(line, "\t", " "), " ")
			words, line = append(words, word), rest
			continue
		}
		word, rest, closed := strings.Cut(line[1:], `"`)
		if !closed {
			return nil, fmt.Errorf("%s: the closing quotation mark is missing", line)
		}
		words, line = append(words, word), rest
	}
	return words, nil
}

// placeLine places the rank of a line.
func (r *Request) placeLine(names *nodes, placed []unit, words []string) error {
	if len(words) < 2 || len(words) > 3 {
		return fmt.Errorf("%d words: RANK NODE or RANK NODE PORT is expected", len(words))
	}
	rank, err := strconv.Atoi(words[0])
	if err != nil || rank < 0 || rank >= len(placed) {
		return fmt.Errorf("rank %q: a number from 0 to %d is expected", words[0], len(placed)-1)
	}
	if placed[rank].ports != nil {
		return fmt.Errorf("rank %d has a line already", rank)
	}
	at, err := names.find(words[1])
	if err != nil {
		return err
	}
	if len(words) == 2 {
		// Ranks of one node take its places in turn, and share them if there are more.
		taken := 0
		for _, u := range placed {
			if u.ports != nil && slices.ContainsFunc(at, func(i int) bool { return &names.list[i].ports[0] == &u.ports[0] }) {
				taken++
			}
		}
		placed[rank] = names.list[at[taken%len(at)]]
		return nil
	}
	for _, i := range at {
		for k, h := range names.list[i].ports {
			if strconv.Itoa(names.names.Port(h)) == words[2] {
				placed[rank] = unit{ports: names.list[i].ports[k : k+1], server: names.list[i].server}
				return nil
			}
		}
	}
	return fmt.Errorf("node %q has no connected port %q", words[1], words[2])
}

// fromSlurm places ranks on the nodes of a list, as Slurm distributes tasks: block fills a node
// before the next, cyclic goes round, plane=N goes round with N tasks at a time.
func (r *Request) fromSlurm(list []unit, kind, text string) ([]unit, error) {
	hosts, err := hostlist.Expand(text)
	if err != nil {
		return nil, err
	}
	names, left := r.byName(list), make([][]unit, len(hosts))
	met := map[string]bool{}
	for i, host := range hosts {
		at, err := names.find(host)
		if err != nil {
			return nil, err
		}
		if met[host] {
			return nil, fmt.Errorf("%s: node %s comes twice", text, host)
		}
		met[host] = true
		for _, k := range at {
			left[i] = append(left[i], list[k])
		}
	}
	each := 0
	switch number, plane := strings.CutPrefix(kind, "slurm-plane="); {
	case kind == "slurm" || kind == "slurm-block":
		each = len(list)
	case kind == "slurm-cyclic":
		each = 1
	case plane:
		each, err = strconv.Atoi(number)
	}
	if err != nil || each < 1 {
		return nil, fmt.Errorf("placement %q: slurm:NODES, slurm-cyclic:NODES or slurm-plane=N:NODES is expected", r.By)
	}
	var placed []unit
	for more := true; more; {
		more = false
		for i := range left {
			n := min(each, len(left[i]))
			placed, left[i] = append(placed, left[i][:n]...), left[i][n:]
			more = more || len(left[i]) > 0
		}
	}
	return placed, nil
}
