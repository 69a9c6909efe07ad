// Package support implements weft sm support: it collects everything that helps to find a fault of
// a manager in one archive, without secrets, and on request without names.
package support

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"weft/cmd/weft/cli"
	"weft/cmd/weft/manage/ask"
	"weft/fabric/netfile/discovery"
	"weft/internal/configfile"
	"weft/sm/service"
	"weft/sm/service/client"
	"weft/sm/state"
	"weft/sm/terms"
)

const help = `Collect what helps to find a fault of the manager in one archive, FILE.tar.gz.

The archive has the status, log, routing, partitions, subnet, counters and metrics of the running
manager, the contents of its state file and its configuration, and versions. Without a running manager
it has what the files tell. README.txt in the archive lists what is there, and what could not be had.

The archive has no secrets: values of m-key, sm-key and cc-key are left out, and files that the
configuration names are not read. --hide-names replaces the names of nodes, partitions, jobs, tokens,
files and this machine by others (host-1, switch-2) in all files, the same one everywhere; users and
the nodes of jobs are left out. GUIDs, LIDs, P_Keys and the shape of the network stay. Read README.txt
there: names in free text of nodes that left long ago may remain.

Exit status: 0 written; 3 it cannot be written.`

// flags are the options of the command.
type flags struct {
	socket, config, state, output string
	hide                          bool
	secrets                       []string
	value                         func(option string) (name string, known bool) // what an option of the manager takes, as in help: FILE
}

// Command returns weft sm support. secrets are the options whose values are secrets.
func Command(secrets []string) *cobra.Command {
	f := flags{secrets: secrets}
	cmd := &cobra.Command{
		Use:     "support",
		Short:   "collect state, log, counters and configuration in an archive, to ask for help",
		Long:    help,
		Example: "  weft sm support\n  weft sm support --hide-names -o /tmp/case-17.tar.gz",
		Args:    cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.value = func(option string) (string, bool) {
				flag := cmd.Parent().Flags().Lookup(option)
				if flag == nil {
					return "", false
				}
				name, _ := pflag.UnquoteUsage(flag)
				return name, true
			}
			return f.run(cmd)
		},
	}
	ask.SocketFlag(cmd, &f.socket)
	set := cmd.Flags()
	set.StringVar(&f.config, "config", usualConfig, "configuration `FILE` of the manager (its --config)")
	set.StringVar(&f.state, "state", "", "state `FILE` of the manager (default: the one that the manager or its configuration names)")
	set.StringVarP(&f.output, "output", "o", "", "archive `FILE` (default: weft-support-TIME.tar.gz)")
	set.BoolVar(&f.hide, "hide-names", false, "replace the names of nodes, partitions, jobs, tokens, files and this machine")
	return cmd
}

// usualConfig is the configuration file of the shipped systemd unit.
const usualConfig = "/etc/weft/sm.yaml"

// run writes the archive.
func (f *flags) run(cmd *cobra.Command) error {
	now := time.Now().UTC()
	if f.output == "" {
		f.output = now.Format("weft-support-20060102-150405.tar.gz")
	}
	to, err := cli.OpenOutput(cmd, f.output)
	if err != nil {
		return cli.Cannot(err)
	}
	to.Mode = 0o600
	b := &bundle{at: now, names: newNames(), flags: f}
	b.collect(cmd.Context())
	if err := to.Write(b.write); err != nil {
		return cli.Cannot(err)
	}
	for _, m := range b.missing {
		fmt.Fprintln(cmd.ErrOrStderr(), "weft: not in it:", m)
	}
	return nil
}

// file is a file of the archive.
type file struct {
	name, about string
	data        []byte
	hide        func(*names, []byte) ([]byte, error)
}

// bundle is an archive in the making.
type bundle struct {
	*flags
	at      time.Time
	names   *names
	files   []file
	missing []string // names of files with the reason
}

// add adds a file, or the reason why it is missing.
func (b *bundle) add(name, about string, hide func(*names, []byte) ([]byte, error), data []byte, err error) {
	if err != nil {
		b.missing = append(b.missing, fmt.Sprintf("%s (%s): %v", name, about, err))
		return
	}
	b.files = append(b.files, file{name, about, data, hide})
}

// document returns a JSON document.
func document(v any, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = encode(&out, v)
	return out.Bytes(), err
}

// encode writes a JSON document for people.
func encode(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// collect collects all files, and the names in them.
func (b *bundle) collect(ctx context.Context) {
	b.addVersion()
	statePath := b.state
	c := client.Unix(b.socket)
	defer c.Close()
	s, err := c.Status(ctx)
	if no, ok := errors.AsType[*client.NoAnswer](err); ok {
		b.missing = append(b.missing, fmt.Sprintf("everything that the running manager tells: %v", no))
	} else {
		data, err := document(s, err)
		b.add("status.json", "weft sm status", (*names).json, data, err)
		if s != nil {
			b.names.addParts(s.Drains)
		}
		b.addRunning(ctx, c)
		if s != nil && s.State != nil && statePath == "" {
			statePath = s.State.File
		}
	}
	named := b.addConfig()
	if statePath == "" {
		statePath = named
	}
	b.names.add("path", b.config)
	if statePath != "" {
		b.names.add("path", statePath)
		b.addState(statePath)
	}
	if host, err := os.Hostname(); err == nil {
		short, _, _ := strings.Cut(host, ".")
		b.names.add("machine", host)
		b.names.add("machine", short)
	}
}

// addVersion adds the version of the program and its machine.
func (b *bundle) addVersion() {
	kernel, _ := os.ReadFile("/proc/sys/kernel/osrelease") // "" elsewhere
	data, err := document(map[string]string{
		"version": cli.Version, "commit": cli.Commit(), "go": runtime.Version(), "system": runtime.GOOS + "/" + runtime.GOARCH, "kernel": strings.TrimSpace(string(kernel)),
		"time": b.at.Format(time.RFC3339),
	}, nil)
	b.add("version.json", "this program and its machine", (*names).json, data, err)
}

// addRunning adds the answers of the running manager: its log, Plan, status and so on.
func (b *bundle) addRunning(ctx context.Context, c *client.Client) {
	var events bytes.Buffer
	enc := json.NewEncoder(&events)
	enc.SetEscapeHTML(false)
	err := c.Events(ctx, client.Position{}, false, func(_ client.Position, line *terms.LogLine) error { return enc.Encode(line) })
	b.add("events.jsonl", "the log, weft sm events", (*names).json, events.Bytes(), err)

	plan, err := c.Plan(ctx)
	data, err := document(plan, err)
	b.add("plan.json", "the routing in force and its proof", (*names).json, data, err)
	parts, err := c.Partitions(ctx)
	if err == nil {
		for i := range parts.Partitions {
			b.names.add("partition", parts.Partitions[i].Name)
			b.names.addPatterns(parts.Partitions[i].Members)
		}
	}
	data, err = document(parts, err)
	b.add("partitions.json", "the partitions in force", (*names).json, data, err)
	data, err = c.Fabric(ctx)
	if err == nil {
		if f, _, bad := discovery.ReadIBNetDiscover("fabric.txt", data); bad == nil {
			b.names.addFabric(f)
		}
	}
	b.add("fabric.txt", "the subnet, as ibnetdiscover prints it", (*names).fabric, data, err)
	links, err := c.Links(ctx)
	data, err = document(links, err)
	b.add("links.json", "busy and faulty links, weft sm links", (*names).json, data, err)
	var ports bytes.Buffer
	enc = json.NewEncoder(&ports)
	err = c.Ports(ctx, false, func(p *service.PortCounts) error {
		b.names.add("node", p.Port.Name)
		if p.Peer != nil {
			b.names.add("node", p.Peer.Name)
		}
		return enc.Encode(p)
	})
	b.add("ports.jsonl", "the counters of all ports, weft sm ports", (*names).json, ports.Bytes(), err)
	data, err = c.Metrics(ctx)
	b.add("metrics.txt", "the metrics for Prometheus", (*names).metrics, data, err)
	b.names.addLines(events.Bytes())
}

// addConfig adds the configuration without secrets and comments, and returns the state file that it
// names.
func (b *bundle) addConfig() (statePath string) {
	data, err := os.ReadFile(b.config)
	if errors.Is(err, fs.ErrNotExist) && b.config == usualConfig {
		err = errors.New("it is not there; --config names another one")
	}
	var read *configfile.File
	if err == nil {
		if read, err = configfile.Parse(b.config, data); err != nil {
			err = errors.New("it cannot be read, so a secret in it could not be recognised: weft sm --config FILE --print-config")
		}
	}
	if err != nil {
		b.add("config.yaml", b.config, nil, nil, err)
		return ""
	}
	var settings yaml.MapSlice
	for i := range read.Settings {
		s := &read.Settings[i]
		if s.Option == "state" && len(s.Values) == 1 {
			statePath = s.Values[0]
		}
		settings = append(settings, yaml.MapItem{Key: s.Option, Value: b.shown(s)})
	}
	text, err := yaml.Marshal(settings)
	b.add("config.yaml", "the configuration, without secrets and comments", (*names).config, text, err)
	return statePath
}

// naming lists the kinds of option values that hold names or places. They are the words of the help
// texts.
var naming = []string{"NODE", "PART", "NAME", "HOSTS", "KIND=HOSTS", "NAME=VALUE", "HOST:PORT", "FILE", "DIR", "PROGRAM", "PATH"}

// shown returns the value of an option as the archive has it.
func (b *bundle) shown(s *configfile.Setting) any {
	value, known := b.value(s.Option)
	for _, v := range s.Values {
		if path.IsAbs(v) {
			b.names.add("path", v)
		}
	}
	switch {
	case slices.Contains(b.secrets, s.Option):
		return "SECRET"
	case !known: // such as a misspelt m-key
		return "UNKNOWN OPTION"
	case b.hide && slices.Contains(naming, value):
		return "HIDDEN"
	case !s.List && len(s.Values) == 1:
		return s.Values[0]
	}
	return s.Values
}

// mostEvents is the maximum number of lines of the stored log.
const mostEvents = 100_000

// addState adds the contents of the state file, without the Plans themselves.
func (b *bundle) addState(path string) {
	const about = "the state file, weft sm state: LIDs, Plans, drains, stored log"
	store, err := state.Read(path)
	if err != nil {
		b.add("state.json", about, nil, nil, err)
		return
	}
	defer func() { _ = store.Close() }()
	c, err := store.Contents(mostEvents)
	data, err := document(c, err)
	b.add("state.json", about, (*names).json, data, err)
	if f, _, err := store.LastSubnet(); err == nil && f != nil {
		b.names.addFabric(f)
	}
	if c != nil {
		b.names.addParts(c.Drains)
		var lines bytes.Buffer
		for i := range c.Events {
			_ = json.NewEncoder(&lines).Encode(&c.Events[i]) // texts and numbers
		}
		b.names.addLines(lines.Bytes())
	}
}

// write writes the archive.
func (b *bundle) write(w io.Writer) error {
	zip := gzip.NewWriter(w)
	out := tar.NewWriter(zip)
	folder := "weft-support-" + b.at.Format("20060102-150405")
	var list strings.Builder
	put := func(name string, data []byte) error {
		if err := out.WriteHeader(&tar.Header{Name: path.Join(folder, name), Mode: 0o600, Size: int64(len(data)), ModTime: b.at, Format: tar.FormatPAX}); err != nil {
			return err
		}
		_, err := out.Write(data)
		return err
	}
	for i := range b.files {
		f := &b.files[i]
		data, err := f.data, error(nil)
		if b.hide {
			data, err = f.hide(b.names, f.data)
		}
		if err != nil {
			b.missing = append(b.missing, fmt.Sprintf("%s (%s): its names cannot be hidden: %v", f.name, f.about, err))
			continue
		}
		fmt.Fprintf(&list, "%-16s %s\n", f.name, f.about)
		if err := put(f.name, data); err != nil {
			return err
		}
	}
	if err := put("README.txt", []byte(b.readme(list.String()))); err != nil {
		return err
	}
	return errors.Join(out.Close(), zip.Close())
}

// readme describes the archive.
func (b *bundle) readme(list string) string {
	text := "weft sm support, " + b.at.Format(time.RFC3339) + "\n\n" + list
	if len(b.missing) > 0 {
		text += "\nNot here:\n" + strings.Join(b.missing, "\n") + "\n"
	}
	text += "\nValues of " + strings.Join(b.secrets, ", ") + " are left out. Files that config.yaml names are not here.\n"
	if b.hide {
		text = b.names.text(text) + "\nNames of nodes, partitions, jobs, tokens, files and the machine are replaced by others, the same one\n" +
			"everywhere. Users and the nodes of jobs are left out. GUIDs, LIDs and P_Keys are as they were. A name\n" +
			"that only free text of the log has, unquoted, of a node that is neither in the subnet nor in the stored\n" +
			"one, is not known as a name, and stays.\n"
	}
	return text
}
