// Package topology keeps the topology file of a batch system current while a manager runs.
//
// After each round that has brought the subnet up, the file is rendered and compared with the file
// on disk. Only a different text is written: under another name, to the disk, and then renamed. A
// file that the strict reader of its format refuses is never written, nor one without hosts, and a
// file that weft has not written is never replaced.
//
// A folder may be on a file server that hangs. So the work is done beside the manager, which waits
// for nothing here; of several rounds the last one counts. What failed is tried again.
package topology

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/fabric"
	"weft/fabric/netfile"
	"weft/fabric/netfile/batch"
	"weft/fabric/netfile/lines"
	"weft/internal/hostlist"
	"weft/sm/terms"
	"weft/sm/topofile"
)

// Flags are the options of the topology file.
type Flags struct {
	Path   string
	Format string
	Slurm  cli.SlurmFlags
}

// formats lists the formats of topology files.
var formats = []string{"slurm", "slurm-block", "slurm-yaml"}

// Add adds the flags.
func (f *Flags) Add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.Path, "topology", "", "keep Slurm's topology `FILE` current: written when the subnet is up and hosts or switches have changed; hosts that are gone stay in it")
	flags.StringVar(&f.Format, "topology-format", formats[0], "`FORMAT` of this file: "+strings.Join(formats, ", ")+" (see weft convert --help)")
	f.Slurm.Add(cmd, "topology-", "with --topology: ")
}

// Names are the flags that a running manager takes anew.
var Names = []string{"topology", "topology-format", "topology-spines", "topology-root", "topology-hosts", "topology-plane", "topology-block-sizes"}

// Settings are the parsed flags.
type Settings struct {
	Path    string // "": no file
	format  *netfile.Format
	options batch.SlurmOptions
	Keep    int // rounds until hosts that are gone are dropped; 0: never
}

// Read checks the flags and reads their files. names comes from the node name map.
func (f *Flags) Read(names map[fabric.GUID]string, keep int) (*Settings, error) {
	s := &Settings{Path: f.Path, Keep: keep}
	if f.Path == "" {
		if f.Slurm.Given() || f.Format != formats[0] {
			return nil, errors.New("options of the topology file need --topology FILE")
		}
		return s, nil
	}
	if !slices.Contains(formats, f.Format) {
		return nil, fmt.Errorf("--topology-format %s: want one of %s", f.Format, strings.Join(formats, ", "))
	}
	var err error
	if s.format, err = netfile.FindWritable(f.Format); err != nil {
		return nil, err
	}
	if s.options, err = f.Slurm.Read(names); err != nil {
		return nil, fmt.Errorf("--topology: %w", err)
	}
	if err := s.look(); err != nil {
		return nil, fmt.Errorf("--topology: %w", err)
	}
	return s, nil
}

// look returns an error if the file must not be replaced. A disk that fails or hangs is no error:
// that may change while the manager runs, which does not wait for it at its start.
func (s *Settings) look() error {
	looked := make(chan error, 1)
	go func() { _, err := s.onDisk(); looked <- err }()
	select {
	case err := <-looked:
		if foreign, is := errors.AsType[errForeign](err); is {
			return foreign
		}
		return nil
	case <-time.After(2 * time.Second):
		return nil
	}
}

// mark is the first line of every file of a manager.
const mark = "# Written by weft sm, which replaces this file when the fabric changes. To forget hosts that are gone, remove it and restart weft sm.\n"

// errForeign is the error for a file that weft has not written.
type errForeign struct{ path string }

func (e errForeign) Error() string {
	return e.path + " is no topology file of weft sm: move it away, or name another file"
}

// mostBytes bounds the file on disk that is read. The largest subnet's has less.
const mostBytes = 64 << 20

// onDisk reads the file; nil if there is none, or an empty one.
func (s *Settings) onDisk() ([]byte, error) {
	info, err := os.Stat(s.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errForeign{s.Path}
	}
	f, err := os.Open(s.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, mostBytes))
	if len(data) > 0 && !bytes.HasPrefix(data, []byte(mark)) {
		return nil, errForeign{s.Path}
	}
	return data, err
}

// strict reads a file back as Slurm's manual has it.
func (s *Settings) strict(data []byte) ([]batch.Topology, error) {
	if s.format.Name == "slurm-yaml" {
		return batch.ReadYAML(s.Path, data)
	}
	one, err := batch.ReadConf(s.Path, data)
	if err != nil {
		return nil, err
	}
	return []batch.Topology{*one}, nil
}

// keeper keeps a file. It is not safe for concurrent use.
type keeper struct {
	memory topofile.Memory
	path   string // of kept
	kept   []batch.KeptSwitch
	rounds int                      // since kept was read
	guids  map[string][]fabric.GUID // of the hosts and switches of the file

	read     bool           // path was there when it was read, or was written
	found    *fabric.Fabric // of the last round
	text     []byte         // what the file should hold
	warnings []netfile.Warning
}

// Remember takes the last subnet from before the start of the manager.
func (k *keeper) Remember(then *fabric.Fabric, s *Settings) {
	if then != nil {
		k.memory.See(then, 0)
		k.memory.Call(batch.HostNames(then, s.options))
	}
}

// Take takes the subnet that a round has found, and renders the file. It does not write.
func (k *keeper) Take(s *Settings, found *fabric.Fabric) (err error) {
	old, err := s.onDisk()
	if err != nil {
		old = nil // Write returns the error
	}
	k.found = found
	k.text, k.warnings, err = k.render(s, found, old)
	return err
}

// Write brings the file up to date. It returns a description of the change, "" if the file was up
// to date.
func (k *keeper) Write(cmd *cobra.Command, s *Settings) (done string, err error) {
	old, err := s.onDisk()
	if err == nil && !k.read && len(old) > 0 { // its folder was not there yet: it may list hosts that are gone
		k.path = ""
		k.text, k.warnings, err = k.render(s, k.found, old)
	}
	if err != nil || bytes.Equal(k.text, old) {
		return "", err
	}
	all, err := s.strict(k.text)
	if err != nil {
		return "", fmt.Errorf("not written, because Slurm would refuse it: %w", err)
	}
	o, err := cli.OpenOutput(cmd, s.Path)
	if err != nil {
		return "", err
	}
	o.Told, o.Durable = io.Discard, true
	if err := o.Write(func(w io.Writer) error { _, err := w.Write(k.text); return err }); err != nil {
		return "", err
	}
	k.read = true
	before, _ := s.strict(old)
	return s.Path + ": " + changes(places(before, readGUIDs(old)), places(all, k.guids)) + notes(k.warnings) + "; Slurm reads it at scontrol reconfigure", nil
}

// Once writes the file after a single round.
func Once(cmd *cobra.Command, s *Settings, then, found *fabric.Fabric) error {
	if s.Path == "" {
		return nil
	}
	var k keeper
	k.Remember(then, s)
	if err := k.Take(s, found); err != nil {
		return err
	}
	done, err := k.Write(cmd, s)
	if done != "" {
		fmt.Fprintln(cmd.ErrOrStderr(), "weft: wrote", done)
	}
	return err
}

// render returns the new contents of the file.
func (k *keeper) render(s *Settings, found *fabric.Fabric, old []byte) ([]byte, []netfile.Warning, error) {
	if k.path != s.Path {
		k.begin(s, old)
	}
	if k.rounds++; s.Keep > 0 && k.rounds > s.Keep {
		k.kept = nil
	}
	known := k.memory.See(found, s.Keep)
	opt := s.options
	opt.Was, opt.Absent = k.memory.Names(), known.Absent
	names, switches := batch.HostNames(known.Fabric, opt), batch.SwitchNames(known.Fabric, opt)
	k.memory.Call(names)
	opt.Kept = k.keptOf(known.Fabric, opt.Names, switches)
	known.Name = "the subnet"
	var b bytes.Buffer
	b.WriteString(mark)
	warnings, err := s.format.Write(&b, known.Fabric, netfile.Options{Slurm: opt})
	if err != nil {
		return nil, nil, err
	}
	all, err := s.strict(b.Bytes())
	if err != nil && bytes.Count(b.Bytes(), []byte("\n")) == 2 {
		return nil, nil, fmt.Errorf("%s stays as it is: no host to list", s.Path)
	}
	k.guids = guidsOf(all, k.guids, names, switches)
	writeGUIDs(&b, k.guids)
	return b.Bytes(), warnings, nil
}

// begin reads the present file: of another manager, or of this one before its start.
func (k *keeper) begin(s *Settings, old []byte) {
	all, err := s.strict(old)
	if err != nil { // of another format, or damaged
		all = nil
	}
	k.path, k.kept, k.rounds, k.guids, k.read = s.Path, batch.Kept(all), 0, readGUIDs(old), len(old) > 0
	was := map[fabric.GUID]string{}
	for name, list := range k.guids {
		for _, g := range list {
			was[g] = name
		}
	}
	k.memory.Recall(was)
}

// keptOf returns the hosts of the earlier file that are not there, at their switches. They have the
// names that the site gives them now.
func (k *keeper) keptOf(known *fabric.Fabric, given, switches map[fabric.GUID]string) (kept []batch.KeptSwitch) {
	made := map[string]bool{} // names that are made of a GUID
	for i := range known.Nodes {
		made[lines.NodeID(&known.Nodes[i])] = true
	}
	isThere := func(name string) bool {
		return made[name] || slices.ContainsFunc(k.guids[name], func(g fabric.GUID) bool { _, there := known.NodeByGUID(g); return there })
	}
	now := func(name string) string {
		for _, g := range k.guids[name] {
			if called := cmp.Or(given[g], switches[g]); called != "" {
				return called
			}
		}
		return name
	}
	rename := func(name string) string {
		called := now(name)
		if k.guids[called] == nil && k.guids[name] != nil {
			k.guids[called] = k.guids[name]
		}
		return called
	}
	for _, s := range k.kept {
		one := batch.KeptSwitch{Name: rename(s.Name)}
		for _, name := range s.Above {
			one.Above = append(one.Above, rename(name))
		}
		for _, name := range s.Nodes {
			if !isThere(name) {
				one.Nodes = append(one.Nodes, rename(name))
			}
		}
		kept = append(kept, one)
	}
	k.kept = kept
	return kept
}

// changes describes the differences between two files: new, moved and dropped hosts.
func changes(was, is map[string]string) string {
	var added, moved, gone []string
	for name, at := range is {
		switch old, known := was[name]; {
		case !known:
			added = append(added, name)
		case old != at:
			moved = append(moved, name)
		}
	}
	for name := range was {
		if _, still := is[name]; !still {
			gone = append(gone, name)
		}
	}
	text := count(len(is), "host", "hosts")
	if len(was) == 0 {
		return text
	}
	for _, c := range []struct {
		what  string
		names []string
	}{{"new", added}, {"moved", moved}, {"dropped", gone}} {
		if len(c.names) > 0 {
			text += ", " + c.what + ": " + short(c.names)
		}
	}
	if len(added)+len(moved)+len(gone) == 0 {
		text += ", other switches or names"
	}
	return text
}

// places returns the switch or block of each host, of the first topology that has it, by GUID where
// that is known.
func places(all []batch.Topology, guids map[string][]fabric.GUID) map[string]string {
	at := map[string]string{}
	put := func(name, place string) {
		if _, met := at[name]; met {
			return
		}
		if list := guids[place]; len(list) > 0 {
			place = list[0].String()
		}
		at[name] = place
	}
	for i := range all {
		for _, s := range all[i].Switches {
			for _, name := range s.Nodes {
				put(name, s.Name)
			}
		}
		for _, b := range all[i].Blocks {
			for _, name := range b.Nodes {
				put(name, b.Name)
			}
		}
	}
	return at
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// short lists names, as Slurm's tools do, up to a length.
func short(names []string) string {
	if list := hostlist.Compress(names); len(list) <= 200 {
		return list
	}
	return count(len(names), "host", "hosts")
}

// notes returns the warnings as one text, each after "; ".
func notes(warnings []netfile.Warning) string {
	var b strings.Builder
	for _, w := range warnings {
		b.WriteString("; " + w.Text)
	}
	return b.String()
}

// job is a subnet as a round has found it.
type job struct {
	settings *Settings
	found    *fabric.Fabric
}

// Runner keeps a file in a goroutine of its own.
type Runner struct {
	cmd    *cobra.Command
	tell   func(terms.Incident)
	keeper keeper
	retry  time.Duration
	jobs   chan job // the last one, if it is not done yet
	ended  chan struct{}
	stop   context.CancelFunc

	mu    sync.Mutex
	found *fabric.Fabric // the last one
}

// retryAfter is the time until a file that could not be written is tried again.
const retryAfter = 10 * time.Second

// Start starts a Runner. then is the subnet before the manager started, nil if unknown.
func Start(cmd *cobra.Command, s *Settings, then *fabric.Fabric, tell func(terms.Incident)) *Runner {
	r := newRunner(cmd, tell)
	r.keeper.Remember(then, s)
	r.start()
	return r
}

func newRunner(cmd *cobra.Command, tell func(terms.Incident)) *Runner {
	return &Runner{cmd: cmd, tell: tell, retry: retryAfter, jobs: make(chan job, 1), ended: make(chan struct{})}
}

func (r *Runner) start() {
	ctx, stop := context.WithCancel(context.Background())
	r.stop = stop
	go r.run(ctx)
}

// Round takes the subnet that a round has found; nil: the previous one, with other settings. It
// does not wait. A nil Runner keeps no file.
func (r *Runner) Round(s *Settings, found *fabric.Fabric) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if found != nil {
		r.found = found
	}
	if found = r.found; s.Path == "" || found == nil {
		return
	}
	for {
		select {
		case r.jobs <- job{s, found}:
			return
		case <-r.jobs: // an older one
		}
	}
}

// run does the jobs. What failed is told once, and tried again until it works or another job comes.
func (r *Runner) run(ctx context.Context) {
	defer close(r.ended)
	var (
		last  job
		again <-chan time.Time
		told  string
	)
	for {
		var failed error
		select {
		case last = <-r.jobs:
			failed = r.keeper.Take(last.settings, last.found)
		case <-again:
		case <-ctx.Done():
			select {
			case last = <-r.jobs: // before the end
				failed = r.keeper.Take(last.settings, last.found)
			default:
				return
			}
		}
		var done string
		if failed == nil {
			done, failed = r.keeper.Write(r.cmd, last.settings)
		}
		switch again = nil; {
		case failed != nil:
			again = time.After(r.retry)
			if text := "topology file: " + failed.Error(); text != told {
				told = text
				r.tell(terms.Incident{Kind: terms.FileFailed, Text: text})
			}
		case done != "":
			told = ""
			r.tell(terms.Incident{Kind: terms.TopologyWritten, Text: done})
		default:
			told = ""
		}
		if ctx.Err() != nil {
			return
		}
	}
}

// End ends the Runner after its job, unless a file server hangs.
func (r *Runner) End() {
	r.stop()
	select {
	case <-r.ended:
	case <-time.After(2 * time.Second):
	}
}
