package batch

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"weft/fabric/netfile/lines"
)

// ReadYAML reads a topology.yaml and checks it by the rules of Slurm's manual: a list of
// topologies, each a tree, blocks, or flat. It takes no more than that: unknown keys, keys that are
// given twice, anchors and several documents are errors. Errors are of type *lines.Error.
func ReadYAML(name string, data []byte) ([]Topology, error) {
	body, err := parseYAML(name, data)
	if err != nil {
		return nil, err
	}
	r := yamlReader{file: name}
	list, ok := body.(*ast.SequenceNode)
	if !ok {
		return nil, lines.Errorf(name, 0, "want a list of topologies: - topology: NAME")
	}
	for _, node := range list.Values {
		if err := r.topology(node); err != nil {
			return nil, err
		}
	}
	return r.all, nil
}

// parseYAML parses a file of one document.
func parseYAML(name string, data []byte) (ast.Node, error) {
	tree, err := parser.ParseBytes(data, 0)
	if err != nil {
		at, text := 1, err.Error()
		if bad, ok := errors.AsType[yaml.Error](err); ok {
			if text = bad.GetMessage(); bad.GetToken() != nil && bad.GetToken().Position != nil {
				at = bad.GetToken().Position.Line
			}
		}
		return nil, lines.Errorf(name, at, "%s", text)
	}
	if len(tree.Docs) != 1 {
		return nil, lines.Errorf(name, 0, "want one document, not %d", len(tree.Docs))
	}
	return tree.Docs[0].Body, nil
}

type yamlReader struct {
	file  string
	all   []Topology
	at    []int // line of each part of the topology being read
	names nameCount
}

func (r *yamlReader) errorf(n ast.Node, format string, args ...any) error {
	return lines.Errorf(r.file, lineOf(n), format, args...)
}

func lineOf(n ast.Node) int {
	if n == nil || n.GetToken() == nil || n.GetToken().Position == nil {
		return 0
	}
	return n.GetToken().Position.Line
}

// keys returns the values of a mapping, which has no other keys than these.
func (r *yamlReader) keys(n ast.Node, allowed ...string) (values map[string]ast.Node, first string, err error) {
	list, ok := entriesOf(n)
	if !ok {
		return nil, "", r.errorf(n, "want %s", strings.Join(allowed, ", "))
	}
	values = map[string]ast.Node{}
	for _, v := range list {
		key := v.Key.String()
		switch {
		case !slices.Contains(allowed, key):
			return nil, "", r.errorf(v.Key, "unknown key %s: want %s", lines.Printable(key), strings.Join(allowed, ", "))
		case values[key] != nil:
			return nil, "", r.errorf(v.Key, "%s is given twice", key)
		case v.Value == nil:
			return nil, "", r.errorf(v.Key, "%s has no value", key)
		}
		if values[key] = v.Value; first == "" {
			first = key
		}
	}
	return values, first, nil
}

// entriesOf returns the entries of a mapping; ok is false for other values.
func entriesOf(n ast.Node) (list []*ast.MappingValueNode, ok bool) {
	switch m := n.(type) {
	case *ast.MappingNode:
		return m.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{m}, true
	}
	return nil, false
}

// text returns a plain value.
func (r *yamlReader) text(n ast.Node, key string) (string, error) {
	switch v := n.(type) {
	case *ast.StringNode:
		if v.Value != "" {
			return v.Value, nil
		}
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return "", r.errorf(n, "%s: %s is no name (write it in quotes)", key, n.GetToken().Value)
	}
	return "", r.errorf(n, "%s: want a text", key)
}

func (r *yamlReader) topology(n ast.Node) error {
	values, first, err := r.keys(n, "topology", "cluster_default", "tree", "block", "flat")
	if err != nil {
		return err
	}
	if first != "topology" {
		return r.errorf(n, "the first key of a topology is its name: topology")
	}
	var t Topology
	if t.Name, err = r.text(values["topology"], "topology"); err != nil {
		return err
	}
	if slices.ContainsFunc(r.all, func(o Topology) bool { return o.Name == t.Name }) {
		return r.errorf(values["topology"], "topology %s is listed twice", lines.Printable(t.Name))
	}
	if d := values["cluster_default"]; d != nil {
		if t.Default, err = r.truth(d, "cluster_default"); err != nil {
			return err
		}
	}
	kinds := 0
	for _, kind := range []string{"tree", "block", "flat"} {
		if values[kind] != nil {
			kinds++
		}
	}
	if kinds != 1 {
		return r.errorf(n, "topology %s: want one of tree, block, flat", lines.Printable(t.Name))
	}
	r.at = nil
	switch {
	case values["tree"] != nil:
		err = r.tree(&t, values["tree"])
	case values["block"] != nil:
		err = r.block(&t, values["block"])
	default:
		var flat bool
		if flat, err = r.truth(values["flat"], "flat"); err == nil && !flat {
			err = r.errorf(values["flat"], "flat: false is no topology")
		}
		r.all = append(r.all, t)
		return err
	}
	if err != nil {
		return err
	}
	if bad := t.flaw(); bad != nil {
		at := lineOf(n)
		if bad.part >= 0 && bad.part < len(r.at) {
			at = r.at[bad.part]
		}
		return lines.Errorf(r.file, at, "topology %s: %s", lines.Printable(t.Name), bad.text)
	}
	r.all = append(r.all, t)
	return nil
}

func (r *yamlReader) truth(n ast.Node, key string) (bool, error) {
	if v, ok := n.(*ast.BoolNode); ok {
		return v.Value, nil
	}
	return false, r.errorf(n, "%s: want true or false", key)
}

// each calls do for every element of a list.
func (r *yamlReader) each(n ast.Node, key string, do func(ast.Node) error) error {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		return r.errorf(n, "%s: want a list", key)
	}
	for _, v := range list.Values {
		if err := do(v); err != nil {
			return err
		}
	}
	return nil
}

// hosts reads a list of names; a missing one is empty.
func (r *yamlReader) hosts(n ast.Node, key string) ([]string, error) {
	if n == nil {
		return nil, nil
	}
	text, err := r.text(n, key)
	if err != nil {
		return nil, err
	}
	names, err := r.names.parse(text)
	if err != nil {
		return nil, r.errorf(n, "%v", err)
	}
	return names, nil
}

func (r *yamlReader) tree(t *Topology, n ast.Node) error {
	values, _, err := r.keys(n, "switches")
	if err != nil {
		return err
	}
	return r.each(values["switches"], "switches", func(n ast.Node) error {
		values, _, err := r.keys(n, "switch", "children", "nodes")
		if err != nil {
			return err
		}
		var s Switch
		if s.Name, err = r.text(values["switch"], "switch"); err != nil {
			return err
		}
		if s.Nodes, err = r.hosts(values["nodes"], "nodes"); err != nil {
			return err
		}
		if s.Below, err = r.hosts(values["children"], "children"); err != nil {
			return err
		}
		t.Switches, r.at = append(t.Switches, s), append(r.at, lineOf(values["switch"]))
		return nil
	})
}

func (r *yamlReader) block(t *Topology, n ast.Node) error {
	values, _, err := r.keys(n, "block_sizes", "blocks")
	if err != nil {
		return err
	}
	if values["block_sizes"] == nil {
		return r.errorf(n, "a topology of blocks needs block_sizes")
	}
	err = r.each(values["block_sizes"], "block_sizes", func(n ast.Node) error {
		if _, ok := n.(*ast.IntegerNode); !ok {
			return r.errorf(n, "block_sizes: want a list of numbers")
		}
		size, err := strconv.Atoi(n.GetToken().Value)
		if err != nil {
			return r.errorf(n, "block size %q is not a number", n.GetToken().Value)
		}
		t.Sizes = append(t.Sizes, size)
		return nil
	})
	if err != nil {
		return err
	}
	return r.each(values["blocks"], "blocks", func(n ast.Node) error {
		values, _, err := r.keys(n, "block", "nodes")
		if err != nil {
			return err
		}
		var b Block
		if b.Name, err = r.text(values["block"], "block"); err != nil {
			return err
		}
		if b.Nodes, err = r.hosts(values["nodes"], "nodes"); err != nil {
			return err
		}
		t.Blocks, r.at = append(t.Blocks, b), append(r.at, lineOf(values["block"]))
		return nil
	})
}
