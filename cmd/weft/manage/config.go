package manage

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"weft/cmd/weft/manage/hook"
	"weft/cmd/weft/manage/topology"
	"weft/internal/configfile"
	"weft/sm/perf"
)

// shaping lists the options that affect routes or the settings of devices. Standby managers report
// where these differ from the master's. Contents of files that the master sends are not listed
// here.
var shaping = []string{
	"engine", "option", "lmc", "vls", "seed", "ask-roles", "unproven", "gid-prefix", "routers", "exchange", "flaps", "flaps-within", "quarantine", "keep-absent", "rebalance-after",
	"moves-per-minute", "job-interval", "job-moves", "job-lanes", "job-partitions", "no-moves",
}

// shape returns the values of these options, and the kinds of hosts.
func (s *smFlags) shape(flags *pflag.FlagSet) map[string]string {
	values := map[string]string{}
	for _, name := range slices.Concat(shaping, tuningOptions) {
		list, _ := configfile.Values(flags.Lookup(name))
		values[name] = strings.Join(list, ", ")
	}
	var kinds []string
	for _, rule := range s.routing.Kinds {
		kinds = append(kinds, rule.String())
	}
	values["the list of kinds of hosts"] = strings.Join(kinds, ", ")
	return values
}

// serviceFlags holds the options of a manager that stays.
type serviceFlags struct {
	config          string
	print           bool
	socket, metrics string
	counters        perf.Config
	telemetry       telemetryFlags
	hook            hook.Options
	congestion      congestionFlags
	api             apiFlags
}

// mayChange marks a flag whose value may change while the manager runs.
const mayChange = "may-change"

// changeable lists the flags of weft sm that SIGHUP may change. Others need a restart.
var changeable = []string{
	"interval", "rebalance-after", "moves-per-minute", "job-interval", "job-moves", "job-lanes", "job-partitions", "no-moves", "pause", "priority", "sm-key", "unproven", "take-over", "ask-roles", "lids", "plan", "output", "json", "node-map",
	"partitions", "partition-enforce", "drain", "expect", "quarantine-strangers", "flaps", "flaps-within", "quarantine", "babbling-port", "babbling-rate", "keep-absent",
	"m-key", "mkey-secret", "mkey-old-secret", "mkey-file", "mkey-protect", "mkey-lease",
	"engine", "option", "vls", "seed", "jobs", "kind", "kinds", "cn-guids", "io-guids", "levels",
	"api-token", "api-tokens", "api-cert", "api-key", "counters", "counters-rate", "port-metrics", "hook", "hook-events", "hook-limit", "congestion-control", "cc-key",
}

// rerouting lists the changeable flags that affect routes.
var rerouting = []string{"engine", "option", "vls", "seed", "job-lanes", "kind", "kinds", "cn-guids", "io-guids"}

func (s *serviceFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.config, "config", "", "`FILE` with options, OPTION: VALUE; options on the command line win; SIGHUP reads it again")
	f.BoolVar(&s.print, "print-config", false, "check all options, print them as a file for --config, and exit")
	f.StringVar(&s.socket, "socket", "", "serve weft sm status, events, drain and others, and HTTP, at Unix socket `PATH`, created with mode 0600")
	f.StringVar(&s.metrics, "metrics", "", "serve metrics for Prometheus at `HOST:PORT` over TCP (http://HOST:PORT/metrics); :PORT for this machine only")
	f.DurationVar(&s.counters.Interval, "counters", 0, "as master, read the counters of all ports this often, for weft sm links, metrics and error events; 0: never")
	f.IntVar(&s.counters.Rate, "counters-rate", perf.UsualRate, "read counters with at most `N` datagrams a second; normally they are spread over the interval")
	s.telemetry.add(f)
	addHook(f, &s.hook)
	s.congestion.add(f)
	s.api.add(f)
	configfile.Exclude(f, "config", "print-config", "codes")
	for _, name := range slices.Concat(changeable, topology.Names, tuningOptions) {
		if err := f.SetAnnotation(name, mayChange, nil); err != nil {
			panic(err) // the flag is there
		}
	}
}

// isChangeable reports whether a flag may change while the manager runs.
func isChangeable(f *pflag.Flag) bool {
	_, ok := f.Annotations[mayChange]
	return ok
}

// settings holds the values of flags, by name.
type settings map[string][]string

// givenFlags returns the flags given on the command line.
func givenFlags(flags *pflag.FlagSet) settings {
	given := settings{}
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Changed {
			given[f.Name], _ = configfile.Values(f)
		}
	})
	return given
}

// read sets the options of the configuration file, then the command line, which wins.
func (s *serviceFlags) read(cmd *cobra.Command, given settings) (*configfile.File, error) {
	if s.config == "" {
		return nil, nil
	}
	f, err := os.Open(s.config)
	if err != nil {
		return nil, fmt.Errorf("--config: %w", err)
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, configfile.MostBytes+1))
	if err != nil {
		return nil, fmt.Errorf("--config: %w", err)
	}
	file, err := configfile.Parse(s.config, data)
	if err != nil {
		return nil, err
	}
	if err := file.Apply(cmd.Flags()); err != nil {
		return nil, withoutSecrets(file, err)
	}
	if holdsSecret(file, cmd.Flags()) {
		if err := isPrivate(f, groupAndAll); err != nil {
			return nil, fmt.Errorf("--config: %w", err)
		}
	}
	file.Settings = slices.DeleteFunc(file.Settings, func(s configfile.Setting) bool { return given[s.Option] != nil })
	return file, setFlags(cmd.Flags(), given)
}

// setFlags sets flags to the given values.
func setFlags(flags *pflag.FlagSet, values settings) error {
	for name, list := range values {
		f := flags.Lookup(name)
		_, isList := configfile.Values(f)
		if err := configfile.Set(flags, f, list, isList); err != nil {
			return fmt.Errorf("--%s: %w", name, err)
		}
	}
	return nil
}

const configHead = `# Options of weft sm, for weft sm --config FILE: those that are set, and in comments the others with their defaults.
# Options on the command line win. SIGHUP has a manager that runs read the file again.

`

// printConfig checks all options and prints them as a configuration file.
func (s *smFlags) printConfig(cmd *cobra.Command) error {
	if _, err := s.stayer(cmd); err != nil {
		return err
	}
	if _, err := readLIDs(s.lids); err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	if _, err := io.WriteString(out, configHead); err != nil {
		return err
	}
	return configfile.Write(out, cmd.Flags(), func(f *pflag.Flag) string {
		if isChangeable(f) {
			return ""
		}
		return "Holds from the start on."
	})
}
