package manage

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/sm/opensm"
	"weft/sm/state"
)

const exportHelp = `Give a subnet back to OpenSM: write guid2lid, neighbors, guid2mkey where ports have keys, and an
opensm.conf, into DIR. The first three belong into OpenSM's cache, /var/cache/opensm (or OSM_CACHE_DIR);
opensm -F DIR/opensm.conf reads the last one. LIDs come from --state, the rest from --config.
Levels of service become options of QoS and a file of QoS policy where OpenSM's engine leaves it lanes for them. What OpenSM has no counterpart for is printed. weft sm may run meanwhile.`

// exportFlags are the flags of weft sm export.
type exportFlags struct {
	state, config string
	asJSON        bool
}

func smExportCmd() *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:     "export DIR --state FILE",
		Short:   "give a subnet back to OpenSM: the LIDs of all ports, and a configuration",
		Long:    exportHelp,
		Example: "  weft sm export opensm --state /var/lib/weft/state --config /etc/weft/sm.yaml",
		Args:    cli.OneArgument("DIR"),
		RunE:    func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.state, "state", "", "file of weft sm --state")
	flags.StringVar(&f.config, "config", "", "file of weft sm --config")
	cli.JSONFlag(cmd, &f.asJSON)
	return cmd
}

func (f *exportFlags) run(cmd *cobra.Command, dir string) error {
	e, err := f.export()
	if err != nil {
		return err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	files, notes := e.Files(dir)
	report := &opensm.Report{LIDs: len(e.LIDs), Settings: []opensm.Setting{}, Notes: append([]opensm.Note{}, notes...)}
	for _, file := range files {
		path := filepath.Join(dir, file.Name)
		if err := writePrivate(cmd, path, file.Data); err != nil {
			return err
		}
		report.Written = append(report.Written, path)
	}
	return cli.Answer(cmd.OutOrStdout(), report, f.asJSON)
}

// export reads the state and the configuration.
func (f *exportFlags) export() (e *opensm.Export, err error) {
	if f.state == "" {
		return nil, errors.New("--state: name the file of weft sm --state, which has the LIDs")
	}
	s, err := state.Read(f.state)
	if err != nil {
		return nil, fmt.Errorf("--state %w", err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	e = &opensm.Export{LIDs: s.LIDs()}
	if e.Subnet, _, err = s.LastSubnet(); err != nil || f.config == "" {
		return e, err
	}
	cmd, flags := newSM()
	flags.service.config = f.config
	if e.Config, err = flags.service.read(cmd, settings{}); err != nil {
		return nil, err
	}
	if _, err := flags.runner(cmd); err != nil {
		return nil, e.Config.Locate(err)
	}
	e.Keys = &flags.config.Keys
	e.Levels = flags.config.Levels
	if p := flags.config.Partitions; p != nil {
		e.Partitions = p.Partitions
	}
	return e, nil
}
