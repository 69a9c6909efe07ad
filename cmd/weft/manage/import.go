package manage

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"weft/cmd/weft/cli"
	"weft/internal/configfile"
	"weft/sm/opensm"
	"weft/sm/state"
)

const importHelp = `Convert an OpenSM configuration and its stored LIDs, so that weft sm can take the subnet over.

Input is opensm.conf, the files that it names, and OpenSM's cache (guid2lid, guid2mkey, neighbors).
Each argument is a directory with such files, a FILE recognised by its name, or NAME=FILE. The default
is /etc/opensm and /var/cache/opensm. Files named in opensm.conf are opened there, else looked for
in DIR, so copies from another machine work. OpenSM may be running. Options of OpenSM's command line
are read from the file that starts it: startup=FILE, by default sysconfig/opensm, default/opensm,
opensm.service or opensmd in DIR, or in their usual places if no argument is given.

Output is a configuration for weft sm --config (--output), and a state file with the LIDs of all ports
(--state). Without these two nothing is written, and the report shows what would be. The report
lists every setting with its line: taken over, taken as something near it, without a counterpart,
wrong in OpenSM too, or unknown. Only a bad file of LIDs or keys is an error, so that no LID or key
moves; then nothing is written, and the status is 2. Where OpenSM starts with a mistake in another file,
so does weft sm, with the same effect. A partitions file that weft sm would read differently is written
anew beside that of --output, with the ending .partitions.

--set adds options that OpenSM does not have. OpenSM's QoS settings and QoS policy become a file of
levels beside that of --output, with the ending .levels (docs/levels.md).`

// importFlags are the flags of weft sm import.
type importFlags struct {
	output, state string
	set           []string
	asJSON, all   bool
}

func smImportCmd() *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:   "import [DIR|FILE ...]",
		Short: "convert an OpenSM configuration and its LIDs for weft sm",
		Long:  importHelp,
		Example: `  weft sm import
  weft sm import -o /etc/weft/sm.yaml --state /var/lib/weft/state \
    --set socket=/run/weft/sm.sock --set priority=14
  weft sm import copy/etc copy/cache root_guid_file=roots.txt --json`,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "write the configuration of weft sm to `FILE` (mode 0600: it may hold keys)")
	flags.StringVar(&f.state, "state", "", "write the LIDs to this state `FILE` of weft sm, and name it in the configuration")
	flags.StringArrayVar(&f.set, "set", nil, "option `OPTION=VALUE` of weft sm for the configuration; wins over OpenSM's; can be repeated")
	flags.BoolVarP(&f.all, "verbose", "v", false, "list every unknown option; otherwise they are counted by their first word")
	cli.JSONFlag(cmd, &f.asJSON)
	return cmd
}

func (f *importFlags) run(cmd *cobra.Command, args []string) error {
	files, err := newOpenSMFiles(args)
	if err != nil {
		return err
	}
	var r *opensm.Result
	var wrong error // in the files
	if err := cli.Leavable(func() error {
		in, err := files.input()
		if err == nil {
			r, wrong = opensm.Import(in)
		}
		return err
	})(cmd.Context()); err != nil {
		return err
	}
	if wrong != nil {
		return f.refuse(cmd, r, wrong)
	}
	if err := files.unused(); err != nil {
		return err
	}
	named, forget, err := f.storeBeside(cmd, r)
	if err != nil {
		return err
	}
	config, err := f.configuration(r)
	if err = cmp.Or(err, cmd.Context().Err()); err != nil { // later it is too late: the rest is written
		forget()
		return err
	}
	report := &opensm.Report{LIDs: len(r.LIDs), Settings: r.Settings, Notes: r.Notes, Written: named, All: f.all}
	if f.state != "" {
		if err := f.store(r); err != nil {
			return err
		}
		report.Written = append(report.Written, f.state)
	}
	if f.output != "" {
		if err := writePrivate(cmd, f.output, config); err != nil {
			return err
		}
		report.Written = append(report.Written, f.output)
	}
	return cli.Answer(cmd.OutOrStdout(), report, f.asJSON)
}

// refuse prints the report of an import with errors, which writes nothing, and returns them.
func (f *importFlags) refuse(cmd *cobra.Command, r *opensm.Result, err error) error {
	report := &opensm.Report{LIDs: len(r.LIDs), Settings: r.Settings, Notes: r.Notes, Written: []string{}, Errors: strings.Split(err.Error(), "\n"), All: f.all}
	return cmp.Or(cli.Answer(cmd.OutOrStdout(), report, f.asJSON), err)
}

// storeBeside writes the files of levels and partitions next to the configuration, which names them
// and is checked with them. If the configuration is wrong, forget removes newly created files.
func (f *importFlags) storeBeside(cmd *cobra.Command, r *opensm.Result) (written []string, forget func(), err error) {
	written = []string{}
	var created []string
	forget = func() {
		for _, path := range created {
			os.Remove(path)
		}
	}
	for _, file := range []struct {
		option string
		data   []byte
	}{{"levels", r.Levels}, {"partitions", r.Rewritten}} {
		given := slices.ContainsFunc(f.set, func(text string) bool { return strings.HasPrefix(text, file.option+"=") })
		if file.data == nil || f.output == "" || f.output == "-" || given {
			continue
		}
		path, err := filepath.Abs(strings.TrimSuffix(f.output, filepath.Ext(f.output)) + "." + file.option)
		if err != nil {
			return nil, nil, err
		}
		if _, missing := os.Stat(path); missing != nil {
			created = append(created, path)
		}
		if err := cli.Output(cmd, path, func(w io.Writer) error { _, err := w.Write(file.data); return err }); err != nil {
			forget()
			return nil, nil, err
		}
		r.Settings = append(r.Settings, opensm.Setting{Option: file.option, Values: []string{path}})
		written = append(written, path)
	}
	return written, forget, nil
}

// store writes the LIDs to the state file.
func (f *importFlags) store(r *opensm.Result) error {
	if r.LIDs == nil {
		return errors.New("--state: no guid2lid found to take LIDs from: name its directory, usually /var/cache/opensm")
	}
	s, err := state.Open(f.state, state.UsualLimits)
	if err != nil {
		return fmt.Errorf("--state %w", err)
	}
	return errors.Join(s.TakeLIDs(time.Now(), r.LIDs), s.Close())
}

// configuration returns a configuration of weft sm, checked as by --print-config. A setting without
// an option in this weft sm becomes a note.
func (f *importFlags) configuration(r *opensm.Result) ([]byte, error) {
	sm, flags := newSM()
	flags.keys.others = 0 // OpenSM's files are for everybody; the notes say what to do before the start
	if r.Partitions != "" {
		r.Settings = append(r.Settings, opensm.Setting{Option: "partitions", Values: []string{r.Partitions}})
	}
	if f.state != "" {
		path, err := filepath.Abs(f.state)
		if err != nil {
			return nil, err
		}
		r.Settings = append(r.Settings, opensm.Setting{Option: "state", Values: []string{path}})
	}
	if err := f.given(sm.Flags(), r); err != nil {
		return nil, err
	}
	r.Settings = slices.DeleteFunc(r.Settings, func(s opensm.Setting) bool {
		known := sm.Flags().Lookup(s.Option) != nil
		if !known {
			r.Notes = append(r.Notes, opensm.Note{File: s.Values[0], Fate: opensm.Left, Text: "weft sm has no option " + s.Option})
		}
		return !known
	})
	for _, s := range r.Settings {
		flag := sm.Flags().Lookup(s.Option)
		_, isList := configfile.Values(flag)
		if err := configfile.Set(sm.Flags(), flag, s.Values, isList); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Option, err)
		}
	}
	if path := flags.keys.known; path != "" {
		if _, err := readPrivate(path, groupAndAll, 0); err != nil {
			r.Notes = append(r.Notes, opensm.Note{File: path, Fate: opensm.Left, Text: "before weft sm starts: " + err.Error()})
		}
	}
	var b bytes.Buffer
	sm.SetOut(&b)
	if err := flags.printConfig(sm); err != nil {
		return nil, err
	}
	if b.Len() > configfile.MostBytes {
		return nil, fmt.Errorf("the configuration would have %d bytes, the limit is %d: it names too many roots; leave out root_guid_file", b.Len(), configfile.MostBytes)
	}
	return b.Bytes(), nil
}

// given adds the options of --set.
func (f *importFlags) given(flags *pflag.FlagSet, r *opensm.Result) error {
	for _, text := range f.set {
		name, value, ok := strings.Cut(text, "=")
		if !ok || flags.Lookup(name) == nil {
			return fmt.Errorf("--set %s: want OPTION=VALUE, an option of weft sm (weft sm --print-config lists them)", text)
		}
		r.Settings = slices.DeleteFunc(r.Settings, func(s opensm.Setting) bool { return s.Option == name })
		r.Settings = append(r.Settings, opensm.Setting{Option: name, Values: []string{value}})
	}
	return nil
}

// writePrivate writes a file that only its owner can read.
func writePrivate(cmd *cobra.Command, path string, data []byte) error {
	o, err := cli.OpenOutput(cmd, path)
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		o.Mode = 0o600
	}
	return o.Write(func(w io.Writer) error { _, err := w.Write(data); return err })
}

// openSMDirs are the directories of OpenSM's configuration and of its cache.
var openSMDirs = []string{"/etc/opensm", "/var/cache/opensm"}

// startups are the usual places of files that start OpenSM, and their names in a directory.
var (
	startups     = []string{"/etc/sysconfig/opensm", "/etc/default/opensm", "/etc/systemd/system/opensm.service", "/lib/systemd/system/opensm.service", "/etc/init.d/opensmd", "/etc/init.d/opensm"}
	startupNames = []string{"sysconfig/opensm", "default/opensm", "systemd/system/opensm.service", "opensm.service", "init.d/opensmd", "init.d/opensm", "opensmd"}
)

// openSMNames are the names of OpenSM's files.
var openSMNames = []string{"opensm.conf", "guid2lid", "guid2mkey", "neighbors"}

// openSMFiles finds OpenSM's files by the arguments of weft sm import.
type openSMFiles struct {
	args  []string
	usual bool              // args are the usual directories
	named map[string]string // by its name: a file
	used  map[string]bool   // by its name: a file that was named and read
	dirs  []string
}

// newOpenSMFiles sorts the arguments into directories and named files.
func newOpenSMFiles(args []string) (*openSMFiles, error) {
	usual := len(args) == 0
	if usual {
		args = slices.DeleteFunc(slices.Clone(openSMDirs), func(dir string) bool { _, err := os.Stat(dir); return err != nil })
		if len(args) == 0 {
			return nil, fmt.Errorf("found neither %s: name the directories with OpenSM's files", strings.Join(openSMDirs, " nor "))
		}
	}
	o := &openSMFiles{args: args, usual: usual, named: map[string]string{}, used: map[string]bool{}}
	for _, arg := range args {
		if name, path, ok := strings.Cut(arg, "="); ok && !strings.Contains(name, "/") {
			o.named[name] = path
			continue
		}
		info, err := os.Stat(arg)
		switch {
		case err != nil:
			return nil, err
		case info.IsDir():
			o.dirs = append(o.dirs, arg)
		default:
			o.named[filepath.Base(arg)] = arg
		}
	}
	return o, nil
}

// input opens the files that no other file names.
func (o *openSMFiles) input() (*opensm.Input, error) {
	in := &opensm.Input{Open: o.ofOption}
	found := 0
	for i, to := range []**opensm.File{&in.Config, &in.LIDs, &in.Keys, &in.Neighbors} {
		var err error
		if *to, err = o.find(openSMNames[i]); err != nil {
			return nil, err
		}
		if *to != nil {
			found++
		}
	}
	if err := o.startup(in); err != nil {
		return nil, err
	}
	if in.Config == nil {
		// OpenSM starts without opensm.conf too, and reads the partitions.
		partitions, err := o.find("partitions.conf")
		if err != nil {
			return nil, err
		}
		if partitions != nil || o.named["partition_config_file"] != "" {
			in.Config, found = &opensm.File{Name: filepath.Join(openSMDirs[0], openSMNames[0])}, found+1
		}
	}
	if found == 0 && in.Startup == nil {
		return nil, fmt.Errorf("%s: found none of %s and partitions.conf: OpenSM keeps guid2lid in /var/cache/opensm (OSM_CACHE_DIR), and opensm -c FILE writes its options", strings.Join(o.args, ", "), strings.Join(openSMNames, ", "))
	}
	return in, nil
}

// startup opens the files that start OpenSM, and the configuration that they name if none was
// given.
func (o *openSMFiles) startup(in *opensm.Input) error {
	paths := []string{}
	if o.usual {
		paths = startups
	}
	for _, dir := range o.dirs {
		for _, name := range startupNames {
			paths = append(paths, filepath.Join(dir, name))
		}
	}
	if given := o.named["startup"]; given != "" {
		o.used["startup"] = true
		paths = []string{given}
	}
	for _, path := range paths {
		f, err := readOpenSMFile(path)
		if err != nil && !errors.Is(err, errIrregular) { // such as /dev/null, of a masked unit
			return err
		}
		if f == nil {
			continue
		}
		in.Startup = append(in.Startup, f)
		if config := f.ConfigOf(); config != "" && in.Config == nil {
			if in.Config, err = o.ofOption("config", config); err != nil {
				return err
			}
		}
	}
	return nil
}

// ofOption opens the file of an option: the one given on the command line for it, else the one at
// the option's path, else one of the same name in the directories. A directory at the path counts
// as no file: OpenSM reads nothing of it.
func (o *openSMFiles) ofOption(option, path string) (*opensm.File, error) {
	if o.named[option] != "" {
		return o.find(option)
	}
	if !o.usual && filepath.Dir(path) == openSMDirs[0] { // a copy counts before this machine's own
		if f, err := o.find(filepath.Base(path)); f != nil || err != nil {
			return f, err
		}
	}
	if f, err := readOpenSMFile(path); f != nil || err != nil && !errors.Is(err, errIrregular) {
		return f, err
	}
	return o.find(filepath.Base(path))
}

// find opens a file that was given, or is in one of the directories; nil if there is none.
func (o *openSMFiles) find(name string) (*opensm.File, error) {
	if path := o.named[name]; path != "" {
		o.used[name] = true
		f, err := readOpenSMFile(path)
		if f == nil && err == nil {
			err = fmt.Errorf("%s: %w", path, fs.ErrNotExist)
		}
		return f, err
	}
	for _, dir := range o.dirs {
		if f, err := readOpenSMFile(filepath.Join(dir, name)); f != nil || err != nil {
			return f, err
		}
	}
	return nil, nil
}

// unused returns an error for files that were given and that nothing refers to.
func (o *openSMFiles) unused() error {
	for _, name := range slices.Sorted(maps.Keys(o.named)) {
		if !o.used[name] {
			return fmt.Errorf("%s: unknown file, and opensm.conf does not name it: want NAME=FILE, with NAME one of %s, or an option of opensm.conf", o.named[name], strings.Join(openSMNames, ", "))
		}
	}
	return nil
}

// errIrregular refuses directories and devices.
var errIrregular = errors.New("is no regular file")

// readOpenSMFile reads a file by its full path; nil if it does not exist.
func readOpenSMFile(path string) (*opensm.File, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: %w", path, errIrregular)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	whole, err := filepath.Abs(path)
	return &opensm.File{Name: whole, Data: data}, err
}
