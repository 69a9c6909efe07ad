package main

import (
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"

	"github.com/spf13/cobra"

	"weft/fabric"
	"weft/fabric/source"
	"weft/route/engine/ftree"
)

// fabricSummary is what `weft show --json` prints.
type fabricSummary struct {
	Name        string         `json:"name"`
	Format      string         `json:"format"`
	Switches    int            `json:"switches"`
	CAs         int            `json:"cas"`
	Routers     int            `json:"routers"`
	Links       int            `json:"links"`        // cables that are up, between any two nodes
	SwitchLinks int            `json:"switch_links"` // of these, between two switches
	EndPorts    int            `json:"end_ports"`    // CA and router ports attached to a switch
	Components  int            `json:"components"`   // connected parts of the switch network
	Diameter    int            `json:"diameter"`     // links between the two switches farthest apart
	Down        int            `json:"links_down"`
	Drained     int            `json:"links_drained"`
	Rates       map[string]int `json:"rates"` // cables by width and speed
	Ports       map[int]int    `json:"switch_ports"`
	LIDs        int            `json:"lids_seen"`
	Warnings    []string       `json:"warnings"`
	Tree        *ftree.Shape   `json:"tree,omitempty"` // with --tree
}

func showCmd() *cobra.Command {
	var (
		flags    fabricFlags
		asJSON   bool
		warnings bool
		other    string
		tree     bool
	)
	cmd := &cobra.Command{
		Use:   "show FABRIC",
		Short: "count what is in a fabric, see it as a fat-tree, or compare two fabrics",
		Long: `Count what is in a fabric, or list what changed since another one.

With --tree also say what it is as a fat-tree, as routing by ftree sees it: levels,
roots, leaves, parallel and horizontal links, separate cores, the formula (rlft, pgft)
that fits it to the last link, and if none does, what is missing from the regular shape.
Switches have the role that --roles gives them, or else the one that the fabric says, or
else the one that they look like.`,
		Example: `  weft show examples/psmn-x5.ibnetdiscover
  weft show 'torus(8x8x8,hosts=1)|fail(links=10,seed=3)'
  weft show today.txt --diff yesterday.txt
  weft show 'rlft(36,2)|fail(links=10,seed=3)' --tree`,
		Args: one("FABRIC"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if other != "" && (tree || warnings) {
				return errors.New("--diff goes with neither --tree nor --warnings")
			}
			if other == "-" && args[0] == "-" {
				return errors.New("standard input holds one FABRIC, not two")
			}
			flags.quiet = flags.quiet || warnings || asJSON
			src, err := flags.open(cmd, args[0])
			if err != nil {
				return err
			}
			if other != "" {
				return showDiff(cmd, &flags, other, src.Fabric, asJSON)
			}
			s := summarise(src)
			if tree {
				s.Tree = ftree.Recognise(src.Fabric.Compile())
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), s)
			}
			if err := s.write(cmd.OutOrStdout()); err != nil {
				return err
			}
			if tree {
				fmt.Fprintln(cmd.OutOrStdout())
				if err := writeTree(cmd.OutOrStdout(), s.Tree); err != nil {
					return err
				}
			}
			if warnings {
				for _, w := range s.Warnings {
					fmt.Fprintln(cmd.OutOrStdout(), "warning:", w)
				}
			}
			return nil
		},
	}
	flags.add(cmd)
	flags.addRoles(cmd)
	cmd.Flags().BoolVar(&tree, "tree", false, "say what the fabric is as a fat-tree, and what is missing from it")
	jsonFlag(cmd, &asJSON)
	cmd.Flags().BoolVar(&warnings, "warnings", false, "list everything odd that the file holds")
	cmd.Flags().StringVar(&other, "diff", "", "list what changed since this other FABRIC; exit 1 if anything did")
	return cmd
}

// summarise counts what is up.
func summarise(src *source.Source) *fabricSummary {
	f := src.Fabric
	g := f.Compile()
	s := &fabricSummary{
		Name: f.Name, Format: src.Format, EndPorts: g.NumHosts, Diameter: g.Diameter(),
		Rates: map[string]int{}, Ports: map[int]int{}, Warnings: []string{},
	}
	_, s.Components = g.Components()
	for i := range f.Nodes {
		n := &f.Nodes[i]
		if n.Down {
			continue
		}
		switch n.Type {
		case fabric.Switch:
			s.Switches++
			s.Ports[n.NumPorts()]++
		case fabric.CA:
			s.CAs++
		case fabric.Router:
			s.Routers++
		}
	}
	for i := range f.Links {
		l := &f.Links[i]
		if !f.LinkUp(fabric.LinkID(i)) {
			s.Down++
			continue
		}
		if l.Drained {
			s.Drained++
		}
		s.Links++
		if f.IsSwitchLink(fabric.LinkID(i)) {
			s.SwitchLinks++
		}
		s.Rates[fmt.Sprintf("%dx%s", l.Width, l.Speed)]++
	}
	for _, l := range g.EndLID {
		if l != 0 {
			s.LIDs++
		}
	}
	for _, w := range src.Warnings {
		s.Warnings = append(s.Warnings, w.String())
	}
	return s
}

func (s *fabricSummary) write(w io.Writer) error {
	rows := [][]string{
		{"fabric", s.Name},
		{"format", s.Format},
		{"switches", count(s.Switches) + ports(s.Ports)},
		{"CAs", count(s.CAs)},
		{"routers", count(s.Routers)},
		{"links", fmt.Sprintf("%d (%d between switches)", s.Links, s.SwitchLinks)},
		{"end ports", count(s.EndPorts)},
		{"components", count(s.Components)},
		{"diameter", fmt.Sprintf("%d links between the switches farthest apart", s.Diameter)},
		{"rates", counted(s.Rates)},
		{"LIDs seen", count(s.LIDs)},
	}
	if s.Down > 0 {
		rows = append(rows, []string{"links down", count(s.Down)})
	}
	if s.Drained > 0 {
		rows = append(rows, []string{"links drained", count(s.Drained)})
	}
	if len(s.Warnings) > 0 {
		rows = append(rows, []string{"warnings", count(len(s.Warnings))})
	}
	return table(w, rows)
}

func count(n int) string { return fmt.Sprint(n) }

// ports says how many switches have how many ports.
func ports(by map[int]int) string {
	text := map[string]int{}
	for n, k := range by {
		text[fmt.Sprintf("%d ports", n)] = k
	}
	if len(text) == 0 {
		return ""
	}
	return " (" + counted(text) + ")"
}

// counted prints a map of counts, most frequent first.
func counted(m map[string]int) string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	sort.Slice(names, func(i, j int) bool {
		if m[names[i]] != m[names[j]] {
			return m[names[i]] > m[names[j]]
		}
		return names[i] < names[j]
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%d of %s", m[name], name)
	}
	return strings.Join(names, ", ")
}

// showDiff lists what must change in the fabric called from to get to.
func showDiff(cmd *cobra.Command, flags *fabricFlags, from string, to *fabric.Fabric, asJSON bool) error {
	old, err := flags.open(cmd, from)
	if err != nil {
		return err
	}
	changes := fabric.Diff(old.Fabric, to)
	if asJSON {
		if changes == nil {
			changes = []fabric.Change{}
		}
		err = printJSON(cmd.OutOrStdout(), map[string]any{"equal": len(changes) == 0, "changes": changes})
	} else {
		for _, c := range changes {
			fmt.Fprintln(cmd.OutOrStdout(), c)
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d changes\n", len(changes))
	}
	if err == nil && len(changes) > 0 {
		return answerNo
	}
	return err
}
