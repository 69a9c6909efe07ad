package batch

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"weft/fabric"
	"weft/fabric/netfile/lines"
)

// ReadConf reads a topology.conf of topology/tree or topology/block, and checks it by the rules of
// Slurm's manual. It takes no more than that: parameters of other plug-ins, parts that are listed
// twice and lines that continue are errors. Errors are of type *lines.Error.
func ReadConf(name string, data []byte) (*Topology, error) {
	r := confReader{file: name}
	if err := lines.Each(name, data, r.line); err != nil {
		return nil, err
	}
	if bad := r.flaw(); bad != nil {
		return nil, lines.Errorf(name, r.lineOf(bad.part), "%s", bad.text)
	}
	return &r.Topology, nil
}

type confReader struct {
	Topology
	file  string
	at    []int // line of each switch or block
	sizes int   // line of BlockSizes
	names nameCount
}

// nameCount bounds the names of a file: a short list stands for many.
type nameCount int

func (n *nameCount) parse(list string) ([]string, error) {
	names, err := ParseHostlist(list)
	if *n += nameCount(len(names)); err == nil && *n > 2*mostHosts {
		err = fmt.Errorf("the lists up to here have over %d names", 2*mostHosts)
	}
	return names, err
}

func (r *confReader) lineOf(part int) int {
	if part < 0 || part >= len(r.at) {
		return r.sizes
	}
	return r.at[part]
}

// line parses NAME=VALUE pairs, separated by blanks. The case of names does not count.
func (r *confReader) line(line []byte, at int) error {
	if i := bytes.IndexByte(line, '#'); i >= 0 {
		line = line[:i]
	}
	words := strings.Fields(string(line))
	if len(words) == 0 {
		return nil
	}
	values := map[string]string{}
	for _, word := range words {
		name, value, ok := strings.Cut(word, "=")
		name = strings.ToLower(name)
		_, twice := values[name]
		switch {
		case !ok || value == "":
			return lines.Errorf(r.file, at, "%q: want NAME=VALUE", word)
		case twice:
			return lines.Errorf(r.file, at, "%s is given twice", name)
		}
		values[name] = value
	}
	first, _, _ := strings.Cut(strings.ToLower(words[0]), "=")
	var err error
	switch first {
	case "switchname":
		err = r.readSwitch(values, at)
	case "blockname":
		err = r.readBlock(values, at)
	case "blocksizes":
		err = r.readSizes(values["blocksizes"], at)
	default:
		return lines.Errorf(r.file, at, "%q: want SwitchName, BlockName or BlockSizes first", words[0])
	}
	delete(values, first)
	if err != nil {
		return err
	}
	for name := range values {
		return lines.Errorf(r.file, at, "unknown parameter %s", name)
	}
	return nil
}

// take returns a value and drops it.
func take(values map[string]string, name string) string {
	value := values[name]
	delete(values, name)
	return value
}

func (r *confReader) readSwitch(values map[string]string, at int) (err error) {
	s := Switch{Name: values["switchname"]}
	if speed := take(values, "linkspeed"); speed != "" {
		if _, err := strconv.ParseUint(speed, 10, 32); err != nil {
			return lines.Errorf(r.file, at, "LinkSpeed %q is not a number", speed)
		}
	}
	if s.Nodes, err = r.hosts(take(values, "nodes"), at); err != nil {
		return err
	}
	if s.Below, err = r.hosts(take(values, "switches"), at); err != nil {
		return err
	}
	r.Switches, r.at = append(r.Switches, s), append(r.at, at)
	return r.oneKind(at)
}

func (r *confReader) readBlock(values map[string]string, at int) (err error) {
	b := Block{Name: values["blockname"]}
	if b.Nodes, err = r.hosts(take(values, "nodes"), at); err != nil {
		return err
	}
	r.Blocks, r.at = append(r.Blocks, b), append(r.at, at)
	return r.oneKind(at)
}

func (r *confReader) readSizes(value string, at int) (err error) {
	if r.sizes != 0 {
		return lines.Errorf(r.file, at, "BlockSizes is given twice (first on line %d)", r.sizes)
	}
	r.sizes = at
	if r.Sizes, err = ParseSizes(strings.Split(value, ",")); err != nil {
		return lines.Errorf(r.file, at, "%v", err)
	}
	return nil
}

// oneKind refuses switches and blocks in one file.
func (r *confReader) oneKind(at int) error {
	if len(r.Switches) > 0 && len(r.Blocks) > 0 {
		return lines.Errorf(r.file, at, "switches and blocks in one file: Slurm has one plug-in for each")
	}
	return nil
}

func (r *confReader) hosts(list string, at int) ([]string, error) {
	names, err := r.names.parse(list)
	if err != nil {
		return nil, lines.Errorf(r.file, at, "%v", err)
	}
	return names, nil
}

// mostHosts bounds the names that a list of hosts stands for.
const mostHosts = fabric.MaxNodes
