package ask

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/fabric/jobs"
	"weft/internal/fold"
	"weft/sm/service"
	"weft/sm/service/client"
)

const jobHelp = `Tell the running manager which jobs start and end, and list them.

The manager moves entries of forwarding tables towards the nodes of jobs that start, so that they meet
other jobs on fewer links: --job-interval after the start, and at most --job-moves entries. No LID and
no SL changes. The manager stores the jobs that run (--state) and copies them to its standbys.

NODES is a list as Slurm writes it, such as node[001-064]. A node is known by its host name, with or
without the domain, or by a node GUID. Nodes that are not in the subnet are named and left out. A
repeated start or end changes nothing. For Slurm, contrib/slurm/weft-job calls this at each job.`

// JobCmd returns weft sm job.
func JobCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use: "job", Short: "tell the running manager which jobs start and end, and list them", Long: jobHelp,
		Example: `  weft sm job list
  weft sm job start 4711 'node[001-064]' --user alice
  weft sm job end 4711
  squeue -a -t CF,R,RS,S,ST -o '%i %u %N' | weft sm job reconcile - --age 10s`,
		Args: cli.SubcommandOnly, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(jobListCmd(), jobStartCmd(), jobEndCmd(), jobReconcileCmd())
	return cmd
}

// jobWriter holds the flags of a command that tells of jobs.
type jobWriter struct {
	socket string
	asJSON bool
}

func newJobWriter(cmd *cobra.Command) *jobWriter {
	w := &jobWriter{}
	SocketFlag(cmd, &w.socket)
	cli.JSONFlag(cmd, &w.asJSON)
	return w
}

// run sends a request and prints the outcome.
func (j *jobWriter) run(cmd *cobra.Command, write func(context.Context, *client.Client) (*service.JobsWritten, error)) error {
	return WithManager(j.socket, func(c *client.Client) error {
		done, err := write(cmd.Context(), c)
		if err != nil {
			return err
		}
		if len(done.Unknown) > 0 {
			fmt.Fprintln(cmd.ErrOrStderr(), "weft: not in the subnet:", strings.Join(done.Unknown, ","))
		}
		if done.Warning != "" {
			fmt.Fprintln(cmd.ErrOrStderr(), "weft:", done.Warning)
		}
		if j.asJSON {
			return cli.PrintJSON(cmd.OutOrStdout(), done)
		}
		text := "nothing to change"
		if done.Changed > 0 {
			text = fold.Count(done.Changed, "job", "jobs") + " changed"
		}
		if done.Newer > 0 {
			text += "; " + fold.Count(done.Newer, "job is", "jobs are") + " newer than the list and stay"
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s; %s\n", text, running(done.Running))
		return err
	})
}

// running counts the jobs that run.
func running(n int) string {
	if n == 1 {
		return "1 job runs"
	}
	return fmt.Sprintf("%d jobs run", n)
}

func jobStartCmd() *cobra.Command {
	var body service.JobBody
	cmd := &cobra.Command{
		Use: "start ID NODES", Short: "tell of a job that starts", Args: cobra.ExactArgs(2),
		Long:    "Tell the running manager of a job that starts on some nodes.\n\nExit status: 0 accepted, or it runs already; 3 refused, or no manager answers at --socket.",
		Example: "  weft sm job start 4711 'node[001-064]' --user alice",
	}
	w := newJobWriter(cmd)
	cmd.Flags().StringVar(&body.User, "user", "", "the `USER` of the job, shown in lists")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		body.Nodes = args[1]
		return w.run(cmd, func(ctx context.Context, c *client.Client) (*service.JobsWritten, error) {
			return c.StartJob(ctx, args[0], &body)
		})
	}
	return cmd
}

func jobEndCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use: "end ID", Short: "tell of a job that has ended", Args: cli.OneArgument("ID"),
		Long:    "Tell the running manager of a job that has ended.\n\nExit status: 0 accepted, or it does not run; 3 refused, or no manager answers at --socket.",
		Example: "  weft sm job end 4711",
	}
	w := newJobWriter(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return w.run(cmd, func(ctx context.Context, c *client.Client) (*service.JobsWritten, error) {
			return c.EndJob(ctx, args[0])
		})
	}
	return cmd
}

func jobReconcileCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use: "reconcile FILE", Short: "make a file's jobs all that run", Args: cli.OneArgument("FILE"),
		Long: "Make the jobs of a file all that run: others have ended, new ones start. FILE may be - for standard input. " +
			"Use it when starts or ends were missed, such as while no manager answered. An empty file is refused: " +
			"squeue that fails prints nothing. Let it print its header, which stands there without jobs too. Jobs start and end while " +
			"squeue runs: with --age 10s jobs that have started or ended within the last 10 s stay as they are.\n\n" +
			"Several clusters in one subnet have their own lists: with --cluster NAME the IDs of FILE get NAME and a colon in front, " +
			"and jobs with other IDs stay as they are.\n\n" + jobs.Forms +
			"\n\nExit status: 0 accepted; 3 refused, or no manager answers at --socket.",
		Example: "  squeue -a -t CF,R,RS,S,ST -o '%i %u %N' | weft sm job reconcile - --age 10s",
	}
	w := newJobWriter(cmd)
	age := cmd.Flags().Duration("age", 0, "`TIME` that FILE may be old, 1m at most: jobs that have started or ended within it stay as they are")
	cluster := cmd.Flags().String("cluster", "", "`NAME` of the cluster of these jobs: jobs of others stay as they are")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		name, from := "standard input", cmd.InOrStdin()
		if args[0] != "-" {
			f, err := os.Open(args[0])
			if err != nil {
				return err
			}
			defer func() { _ = f.Close() }()
			name, from = args[0], f
		}
		data, err := io.ReadAll(from)
		if err != nil {
			return err
		}
		if len(bytes.TrimSpace(data)) == 0 {
			return fmt.Errorf("%s is empty, as squeue leaves it when it fails: if no job runs, give it the header of squeue (JOBID USER NODELIST)", name)
		}
		list, err := jobs.ReadLists(name, data)
		if err != nil {
			return err
		}
		set := &service.JobSet{Jobs: make([]service.NumberedJob, len(list)), Age: int(math.Ceil(age.Seconds()))}
		if *cluster != "" {
			set.Among = *cluster + ":"
		}
		for i, j := range list {
			set.Jobs[i] = service.NumberedJob{ID: set.Among + j.Name, JobBody: service.JobBody{User: j.User, Nodes: j.Nodes}}
		}
		return w.run(cmd, func(ctx context.Context, c *client.Client) (*service.JobsWritten, error) { return c.SetJobs(ctx, set) })
	}
	return cmd
}

func jobListCmd() *cobra.Command {
	var socket string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "list the jobs that run, and what moved for each", Args: cli.NoArguments, Example: "  weft sm job list\n  weft sm job list --json",
		Long: `List the jobs that run, and how many entries of forwarding tables moved at the start of each.

Jobs that start within --job-interval have one turn, and its entries are for all of them.

Exit status: 0 listed; 3 no manager answers at --socket, or it has not brought its subnet up.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return WithManager(socket, func(c *client.Client) error {
				list, err := c.Jobs(cmd.Context())
				if err != nil {
					return err
				}
				if asJSON {
					return cli.PrintJSON(cmd.OutOrStdout(), list)
				}
				return printJobs(cmd.OutOrStdout(), list)
			})
		},
	}
	SocketFlag(cmd, &socket)
	cli.JSONFlag(cmd, &asJSON)
	return cmd
}

// lane names the copy of the lanes of a job, and its SLs.
func lane(j *service.Job) string {
	if j.Copy == 0 {
		return "-"
	}
	if len(j.SLs) == 0 {
		return fmt.Sprint(j.Copy)
	}
	sls := make([]string, len(j.SLs))
	for i, sl := range j.SLs {
		sls[i] = fmt.Sprint(sl)
	}
	return fmt.Sprintf("%d (SL %s)", j.Copy, strings.Join(sls, ","))
}

// printJobs prints jobs as a table.
func printJobs(w io.Writer, list *service.Jobs) error {
	table := [][]string{{"JOB", "USER", "BEGAN", "NODES", "LANE", "MOVED", "LIST"}}
	for i := range list.Jobs {
		j := &list.Jobs[i]
		moved, nodes := "waits", j.Nodes
		if t := j.Turn; t != nil {
			because := "; "
			if moved = fmt.Sprint(t.Moved); t.Moved == 0 && t.Why != "" {
				moved, because = "nothing", ": "
			}
			if t.Jobs > 1 {
				moved += fmt.Sprintf(" for %d jobs", t.Jobs)
			}
			if t.Why != "" {
				moved += because + t.Why
			}
		}
		if len(j.Unknown) > 0 {
			nodes += "; not found: " + strings.Join(j.Unknown, ",")
		}
		table = append(table, []string{j.ID, j.User, j.Began, fmt.Sprint(j.Count), lane(j), moved, nodes})
	}
	var b strings.Builder
	if len(list.Jobs) > 0 {
		b.WriteString(fold.Rows(table))
	}
	fmt.Fprintf(&b, "%s; %d started and %d ended since the manager started; %s moved %s\n", running(len(list.Jobs)), list.Started, list.Ended, fold.Count(list.Turns, "turn", "turns"), fold.Count(list.Moved, "entry", "entries"))
	if list.Copies > 1 {
		fmt.Fprintf(&b, "they are spread over %d copies of the lanes\n", list.Copies)
	}
	if list.NoLanes != "" {
		fmt.Fprintf(&b, "they share the lanes of the paths: %s\n", list.NoLanes)
	}
	if list.Turning {
		b.WriteString("a turn is under way\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
