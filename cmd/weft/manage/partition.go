package manage

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/internal/fold"
	"weft/sm/partition"
	"weft/sm/service"
	"weft/sm/service/client"
	"weft/wire/mad"
)

const partitionHelp = `Show and change the partitions of the running manager.

Programs own partitions beside those of the file (--partitions): they add and remove members, create and
delete partitions, or reconcile the whole set. The running manager stores such partitions with --state,
copies them to its standbys, and gives ports their P_Keys at once. A partition of the file can only be
changed there.

A MEMBER is a port GUID, or ALL, ALL_CAS, ALL_SWITCHES, ALL_ROUTERS, SELF, or a pattern of node
descriptions in quotes, as in the file; =limited or =both may follow (full is the default).

--version takes the version that list has printed: the write is refused if another one came first. A
write that takes away much (the default partition, the manager's own membership; of set and reconcile also
all members of a partition, or more than a tenth of all) is refused without --force.`

// partitionWriter holds the flags of a command that writes partitions.
type partitionWriter struct {
	socket string
	asJSON bool
	how    client.Writing
}

func smPartitionCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use: "partition", Short: "show and change the partitions of the running manager", Long: partitionHelp,
		Example: `  weft sm partition list
  weft sm partition set 0x0010 --name storage --flag ipoib 0x0002c90300001234 0x0002c90300001238=limited
  weft sm partition add 0x0010 0x0002c9030000123c
  weft sm partition reconcile /etc/weft/tenants.conf --version 7-0badcafe`,
		Args: cli.SubcommandOnly, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(partitionListCmd(), partitionSetCmd(), partitionMembersCmd("add", "add members to a partition of programs", (*client.Client).AddMembers),
		partitionMembersCmd("remove", "remove members from a partition of programs", (*client.Client).RemoveMembers), partitionDeleteCmd(), partitionReconcileCmd())
	return cmd
}

// newWriter adds the flags of a write to a command.
func newWriter(cmd *cobra.Command) *partitionWriter {
	w := &partitionWriter{}
	socketFlag(cmd, &w.socket)
	cli.JSONFlag(cmd, &w.asJSON)
	cmd.Flags().StringVar(&w.how.Version, "version", "", "refuse unless the partitions have this `VERSION`, as list has printed it")
	cmd.Flags().BoolVar(&w.how.Force, "force", false, "write even if that takes away much")
	return w
}

// run sends a write and prints the outcome.
func (w *partitionWriter) run(cmd *cobra.Command, write func(c *client.Client) (*service.Written, error)) error {
	return withManager(w.socket, func(c *client.Client) error {
		done, err := write(c)
		if err != nil {
			return err
		}
		if done.Warning != "" {
			fmt.Fprintln(cmd.ErrOrStderr(), "weft:", done.Warning)
		}
		if w.asJSON {
			return cli.PrintJSON(cmd.OutOrStdout(), done)
		}
		text := "nothing to change"
		if done.Changed {
			text = fmt.Sprintf("%d joined, %d left, %d changed membership", done.Joined, done.Left, done.Others)
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s; version %s\n", text, done.Version)
		return err
	})
}

// keyArgument parses a P_Key.
func keyArgument(text string) (uint16, error) {
	key, err := strconv.ParseUint(text, 0, 16)
	if err != nil || key&^mad.PKeyFull == 0 {
		return 0, fmt.Errorf("%s is not a P_Key: want a number from 0x0001 to 0x7fff", text)
	}
	return uint16(key) &^ mad.PKeyFull, nil
}

// memberArguments adds the usual membership to members without one.
func memberArguments(args []string) []string {
	list := make([]string, len(args))
	for i, text := range args {
		if list[i] = text; !strings.Contains(text, "=") {
			list[i] += "=full"
		}
	}
	return list
}

func partitionListCmd() *cobra.Command {
	var socket string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "list the partitions of the file and of programs", Args: cli.NoArguments, Example: "  weft sm partition list\n  weft sm partition list --json",
		Long: `List the partitions of the file and of programs, with the version that --version of other commands takes.

Exit status: 0 listed; 3 no manager answers at --socket, or it has not brought its subnet up.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withManager(socket, func(c *client.Client) error {
				list, err := c.Partitions(cmd.Context())
				if err != nil {
					return err
				}
				if asJSON {
					return cli.PrintJSON(cmd.OutOrStdout(), list)
				}
				return printPartitions(cmd.OutOrStdout(), list)
			})
		},
	}
	socketFlag(cmd, &socket)
	cli.JSONFlag(cmd, &asJSON)
	return cmd
}

// printPartitions prints partitions as a table.
func printPartitions(out io.Writer, list *service.Partitions) error {
	rows := [][]string{{"P_KEY", "OWNER", "NAME", "FLAGS", "MEMBERS"}}
	for i := range list.Partitions {
		p := &list.Partitions[i]
		owner := p.Owner
		if p.Hidden {
			owner += ", hidden by the file"
		}
		rows = append(rows, []string{fmt.Sprintf("0x%04x", p.PKey), owner, p.Name, strings.Join(p.Flags, " "), strings.Join(p.Members, ", ")})
	}
	text := "all ports are full members of the default partition\n"
	if len(rows) > 1 {
		text = fold.Rows(rows)
	}
	pending := ""
	if list.Pending {
		pending = "; a round gives ports their P_Keys now"
	}
	_, err := fmt.Fprintf(out, "%sversion %s%s\n", text, list.Version, pending)
	return err
}

func partitionSetCmd() *cobra.Command {
	var to service.PartitionBody
	cmd := &cobra.Command{
		Use: "set P_KEY [MEMBER...]", Short: "create a partition of programs, or replace it", Args: cobra.MinimumNArgs(1),
		Long: `Create a partition of programs, or replace its name, flags and members.

Exit status: 0 done, or all was so already; 3 refused, or no manager answers at --socket.`,
		Example: "  weft sm partition set 0x0010 --name storage --flag ipoib,mtu=4096 --flag sl=1 0x0002c90300001234 'ALL_CAS=limited'",
	}
	w := newWriter(cmd)
	cmd.Flags().StringVar(&to.Name, "name", "", "`NAME` of the partition")
	cmd.Flags().StringArrayVar(&to.Flags, "flag", nil, "`FLAG` as in a file: indx0, sl=N, ipoib or mgid=ADDRESS with flags of the group after commas; can be repeated")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		key, err := keyArgument(args[0])
		if err != nil {
			return err
		}
		to.Members = memberArguments(args[1:])
		return w.run(cmd, func(c *client.Client) (*service.Written, error) {
			return c.PutPartition(cmd.Context(), key, &to, w.how)
		})
	}
	return cmd
}

func partitionMembersCmd(name, short string, write func(*client.Client, context.Context, uint16, []string, client.Writing) (*service.Written, error)) *cobra.Command {
	cmd := &cobra.Command{
		Use: name + " P_KEY MEMBER...", Short: short, Args: cobra.MinimumNArgs(2),
		Long:    strings.ToUpper(short[:1]) + short[1:] + ".\n\nExit status: 0 done, or all was so already; 3 refused, or no manager answers at --socket.",
		Example: "  weft sm partition " + name + " 0x0010 0x0002c90300001234 0x0002c90300001238",
	}
	w := newWriter(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		key, err := keyArgument(args[0])
		if err != nil {
			return err
		}
		return w.run(cmd, func(c *client.Client) (*service.Written, error) {
			return write(c, cmd.Context(), key, memberArguments(args[1:]), w.how)
		})
	}
	return cmd
}

func partitionDeleteCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use: "delete P_KEY", Short: "delete a partition of programs", Args: cli.OneArgument("P_KEY"),
		Long:    "Delete a partition of programs.\n\nExit status: 0 done, or it was not there; 3 refused, or no manager answers at --socket.",
		Example: "  weft sm partition delete 0x0010",
	}
	w := newWriter(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		key, err := keyArgument(args[0])
		if err != nil {
			return err
		}
		return w.run(cmd, func(c *client.Client) (*service.Written, error) { return c.DeletePartition(cmd.Context(), key, w.how) })
	}
	return cmd
}

func partitionReconcileCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use: "reconcile FILE", Short: "make a file's partitions all that programs own", Args: cli.OneArgument("FILE"),
		Long: `Make the partitions of a file all that programs own: others of programs are deleted.

FILE has the syntax of weft sm partitions --help. It may leave out the default partition.

Exit status: 0 done, or all was so already; 3 refused, or no manager answers at --socket.`,
		Example: "  weft sm partition reconcile /etc/weft/tenants.conf\n  weft sm partition reconcile tenants.conf --version 7-0badcafe --force",
	}
	w := newWriter(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		data, err := os.ReadFile(args[0])
		if err != nil {
			return err
		}
		list, err := partition.ReadSet(args[0], data)
		if err != nil {
			return err
		}
		set := &service.PartitionSet{Partitions: []service.NumberedPartition{}}
		for i := range list {
			p := &list[i]
			body := service.PartitionBody{Name: p.Name, Flags: p.Flags(), Members: []string{}}
			for j := range p.Members {
				body.Members = append(body.Members, p.Members[j].String())
			}
			set.Partitions = append(set.Partitions, service.NumberedPartition{PKey: int(p.Key), PartitionBody: body})
		}
		return w.run(cmd, func(c *client.Client) (*service.Written, error) { return c.SetPartitions(cmd.Context(), set, w.how) })
	}
	return cmd
}
