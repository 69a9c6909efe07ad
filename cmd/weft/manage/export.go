package manage

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/sm/opensm"
	"weft/sm/partition"
	"weft/sm/state"
	"weft/sm/terms"
)

const exportHelp = `Write a configuration and cache files for OpenSM, to give the subnet back to it.

Input is the state file of weft sm (--state) and its configuration (--config). Output in DIR is an
opensm.conf for opensm -F DIR/opensm.conf, and the files guid2lid, neighbors and, if ports have M_Keys,
guid2mkey for OpenSM's cache (/var/cache/opensm, or OSM_CACHE_DIR). Partitions of programs, which the
state file has, stand in partitions.conf beside those of the configuration's file. Levels of service
become QoS options and a QoS policy file, if OpenSM's engine leaves lanes for them. Settings without
a counterpart are printed. weft sm may be running.`

// exportFlags are the flags of weft sm export.
type exportFlags struct {
	state, config string
	asJSON        bool
}

func smExportCmd() *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:     "export DIR --state FILE",
		Short:   "write a configuration and LIDs for OpenSM, to give the subnet back",
		Long:    exportHelp,
		Example: "  weft sm export opensm --state /var/lib/weft/state --config /etc/weft/sm.yaml",
		Args:    cli.OneArgument("DIR"),
		RunE:    func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.state, "state", "", "state `FILE` of weft sm (its --state)")
	flags.StringVar(&f.config, "config", "", "configuration `FILE` of weft sm (its --config)")
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
		return nil, errors.New("--state is missing: name the state file of weft sm, which has the LIDs")
	}
	s, err := state.Read(f.state)
	if err != nil {
		return nil, fmt.Errorf("--state %w", err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	e = &opensm.Export{LIDs: s.LIDs()}
	if e.Subnet, _, err = s.LastSubnet(); err != nil {
		return nil, err
	}
	owned, err := s.Owned()
	if err != nil {
		return nil, err
	}
	if f.config == "" {
		e.Partitions = allPartitions(nil, owned)
		return e, nil
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
	e.Partitions = allPartitions(flags.config.Partitions, owned)
	return e, nil
}

// allPartitions returns the partitions of a file and of programs; nil if all ports are together.
func allPartitions(file *terms.Partitioning, owned partition.Owned) partition.Partitions {
	if len(owned.List) > 0 {
		file = file.With(owned, terms.Enforcement{})
	}
	if file == nil {
		return nil
	}
	return file.Partitions
}
