package manage

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/internal/fold"
	"weft/sm/partition"
	"weft/sm/terms"
)

// partitionFlags holds the options for partitions.
type partitionFlags struct {
	file    string
	enforce string
}

func (p *partitionFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&p.file, "partitions", "", "`FILE` with partitions, in the syntax of OpenSM's partitions.conf (weft sm partitions --help); without it all ports are full members of the default partition")
	f.StringVar(&p.enforce, "partition-enforce", "both", "`WHERE` switches drop packets of partitions that the CA or router at the port is not in: in (coming from it), out (going to it), both or off")
}

// enforcement returns where switches enforce partitions.
func (p *partitionFlags) enforcement() terms.Enforcement {
	return terms.Enforcement{In: p.enforce == "in" || p.enforce == "both", Out: p.enforce == "out" || p.enforce == "both"}
}

// read reads the file; nil if none is given.
func (p *partitionFlags) read() (*terms.Partitioning, error) {
	if !slices.Contains([]string{"in", "out", "both", "off"}, p.enforce) {
		return nil, fmt.Errorf("--partition-enforce %s: want in, out, both or off", p.enforce)
	}
	out := &terms.Partitioning{In: p.enforcement().In, Out: p.enforcement().Out}
	if p.file == "" {
		return nil, nil
	}
	data, err := os.ReadFile(p.file)
	if err != nil {
		return nil, fmt.Errorf("--partitions: %w", err)
	}
	if out.Partitions, err = partition.Read(p.file, data); err != nil {
		return nil, fmt.Errorf("--partitions %w", err)
	}
	return out, nil
}

const partitionsHelp = `Check a file of partitions and list them, without a subnet.

Input is a file for weft sm --partitions, in the syntax of OpenSM's partitions.conf. Output is a table
of P_Keys, names, flags and members, or an error with its line.

SYNTAX

A partition has a name, a P_Key and flags, then a colon, its members, and a semicolon:

  Default=0x7fff, ipoib, mtu=4096, rate=100G : ALL=full ;
  storage=0x0010, defmember=limited :
      ALL_CAS, 0x0002c90300001234=full, "oss-*"=full ;   # a comment

A number in place of the name is the P_Key.

Members are port GUIDs, ALL, ALL_CAS, ALL_SWITCHES, ALL_ROUTERS, SELF (the port of the subnet
manager), and patterns of node descriptions in quotes. Each is full, limited or both; the last
entry wins. Two limited members of a partition cannot talk to each other.

Flags are indx0 (P_Key at index 0), defmember= (membership of members without one), and ipoib, which
adds a broadcast group. Its properties are mtu= (bytes or a code), rate= (such as 100G, or a code),
sl=, scope=, Q_Key=, TClass= and FlowLabel=. Paths of a partition with sl= use the level of
service with that SL (weft sm --levels).

If the file lacks the default partition 0x7fff, all ports are its limited members and the
subnet manager is a full member.`

func smPartitionsCmd() *cobra.Command {
	return &cobra.Command{
		Use:     "partitions FILE",
		Short:   "check a partition file and list its partitions",
		Long:    partitionsHelp,
		Example: "  weft sm partitions /etc/opensm/partitions.conf",
		Args:    cli.OneArgument("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			data, err := os.ReadFile(args[0])
			if err != nil {
				return err
			}
			ps, err := partition.Read(args[0], data)
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(cmd.OutOrStdout(), partitionRows(ps))
			return err
		},
	}
}

// partitionRows returns a table of partitions.
func partitionRows(ps partition.Partitions) string {
	rows := [][]string{{"P_KEY", "NAME", "FLAGS", "MEMBERS"}}
	for i := range ps {
		p := &ps[i]
		var members, flags []string
		for j := range p.Members {
			members = append(members, p.Members[j].String())
		}
		if p.IndexZero {
			flags = append(flags, "indx0")
		}
		if p.SL > 0 {
			flags = append(flags, fmt.Sprintf("sl=%d", p.SL))
		}
		for j := range p.Groups {
			flags = append(flags, p.Groups[j].String())
		}
		rows = append(rows, []string{fmt.Sprintf("0x%04x", p.Key), p.Name, cmp.Or(strings.Join(flags, " "), "-"), strings.Join(members, ", ")})
	}
	return fold.Rows(rows)
}

// checkLevels returns an error for levels with unknown partitions.
func (s *smFlags) checkLevels() error {
	ps := partition.Everyone()
	if s.config.Partitions != nil {
		ps = s.config.Partitions.Partitions
	}
	if _, unknown, _ := ps.Levels(s.routing.Levels); len(unknown) > 0 {
		return fmt.Errorf("--levels %s: %s", s.routing.LevelFlags.File, unknown[0])
	}
	if len(s.routing.Levels) > 1 && (s.gids.prefix != "" || s.gids.routers != "") {
		return errors.New("--levels works in a single subnet only: leave out --gid-prefix and --routers")
	}
	return nil
}
