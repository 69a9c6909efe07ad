package manage

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/fabric/netfile/discovery"
	"weft/sm/state"
)

// stateFlags are the options of weft sm state.
type stateFlags struct {
	events          int
	plan, found     string
	backup, restore string
	empty, force    bool
	asJSON          bool
}

func smStateCmd() *cobra.Command {
	var s stateFlags
	cmd := &cobra.Command{
		Use:   "state FILE",
		Short: "show, back up or restore a state file of weft sm",
		Long: `Show the contents of a state file (weft sm --state FILE); the manager may be running.

Output: the LIDs of all ports and since when a port is absent, the stored Plans, the number of nodes
in the last discovery, and the last lines of the log. --plan writes the last Plan to a file, and
--output the last fabric found; other commands read both.

BACKUP

--backup COPY copies everything in FILE to COPY, whole at any moment, while the manager runs. Do not
use cp for that: most of the state is in FILE-wal. A COPY that is there already is replaced with
--force only.

--restore COPY puts a backup back as FILE. First stop the manager. COPY is checked; a copy without
its write-ahead log is taken with --force only. --start-empty moves FILE away, so that the manager
starts without it. Both keep the old FILE, and print its new name.

An old state moves no LID in service: ports keep the LIDs that they have. But what it drains is
drained again: the manager logs that at its start (brought-back), and weft sm status shows it. Links
in quarantine are in no state file.`,
		Example: `  weft sm state /var/lib/weft/state
  weft sm state /var/lib/weft/state --plan last.plan -o found.txt
  weft sm state /var/lib/weft/state --backup /var/backups/weft.state
  weft sm state /var/lib/weft/state --restore /var/backups/weft.state`,
		Args: cli.OneArgument("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return s.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.IntVar(&s.events, "events", 20, "print the last `N` lines of the log")
	f.StringVar(&s.plan, "plan", "", "write the last Plan to `FILE`")
	f.StringVarP(&s.found, "output", "o", "", "write the last fabric found to `FILE`")
	f.StringVar(&s.backup, "backup", "", "copy the state to `COPY`; the manager may be running")
	f.StringVar(&s.restore, "restore", "", "put the backup `COPY` in place of the state, and keep the old file; the manager must not be running")
	f.BoolVar(&s.empty, "start-empty", false, "move the state away, so that the manager starts without it; it must not be running")
	f.BoolVar(&s.force, "force", false, "with --backup: replace a file that is there; with --restore: take a copy without its write-ahead log")
	cmd.MarkFlagsMutuallyExclusive("backup", "restore", "start-empty")
	cli.JSONFlag(cmd, &s.asJSON)
	return cmd
}

// run shows, copies or replaces a state file.
func (s *stateFlags) run(cmd *cobra.Command, path string) error {
	changes := s.backup != "" || s.restore != "" || s.empty
	switch {
	case s.force && s.backup == "" && s.restore == "":
		return errors.New("--force needs --backup or --restore")
	case changes && (s.plan != "" || s.found != "" || s.asJSON):
		return errors.New("--plan, --output and --json show the state: leave them out with --backup, --restore and --start-empty")
	case s.backup != "":
		return s.copyTo(cmd, path)
	case changes:
		return s.replace(cmd, path)
	}
	to, err := cli.AnswerTo(cmd, s.plan, s.found)
	if err != nil {
		return err
	}
	file, err := state.Read(path)
	if err != nil {
		return err
	}
	return errors.Join(s.print(cmd, to, file), file.Close())
}

// copyTo makes a backup.
func (s *stateFlags) copyTo(cmd *cobra.Command, path string) error {
	if err := state.Backup(time.Now(), path, s.backup, s.force); err != nil {
		return fmt.Errorf("--backup %w", err)
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s is a whole copy of %s\n", s.backup, path)
	return err
}

// replace puts a backup, or nothing, in place of a state file.
func (s *stateFlags) replace(cmd *cobra.Command, path string) error {
	var aside string
	var err error
	text := fmt.Sprintf("%s is gone: the manager starts empty, and ports in service keep their LIDs", path)
	if s.empty {
		aside, err = state.StartEmpty(path)
	} else {
		aside, err = state.Restore(path, s.restore, s.force)
		text = fmt.Sprintf("%s has what was in %s", path, s.restore)
	}
	switch {
	case errors.Is(err, state.ErrLocked):
		return cli.Cannot(err)
	case err != nil:
		return err
	case aside != "":
		text += "; the file before is now " + aside
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), text)
	return err
}

// print prints the contents of a state file, and writes the last Plan and fabric to files.
func (s *stateFlags) print(cmd *cobra.Command, to io.Writer, file *state.Store) error {
	if s.events < 0 {
		return errors.New("--events must be 0 or more")
	}
	c, err := file.Contents(s.events)
	if err != nil {
		return err
	}
	_, data, err := file.LastPlan()
	if err != nil {
		return err
	}
	fab, _, err := file.LastSubnet()
	switch {
	case err != nil:
		return err
	case s.plan != "" && data == nil:
		return errors.New("--plan: no Plan is stored yet")
	case s.found != "" && fab == nil:
		return errors.New("--output: no fabric is stored yet")
	}
	files, err := cli.OpenOutputs(cmd, s.plan, s.found)
	if err != nil {
		return err
	}
	err = files.WriteAll([]func(io.Writer) error{
		func(w io.Writer) error { _, err := w.Write(data); return err },
		func(w io.Writer) error { return discovery.WriteIBNetDiscover(w, fab) },
	})
	if s.asJSON {
		return errors.Join(err, cli.PrintJSON(to, c))
	}
	return errors.Join(err, c.Write(to))
}
