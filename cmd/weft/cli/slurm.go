package cli

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"weft/fabric"
	"weft/fabric/netfile/batch"
	"weft/fabric/netfile/site"
)

// SlurmFlags are the options of Slurm's topology files.
type SlurmFlags struct {
	Spines, Root, Hosts, Plane string
	Sizes                      []string
}

// Add adds the flags, with a prefix before their names. what names the format in help texts.
func (s *SlurmFlags) Add(cmd *cobra.Command, prefix, what string) {
	f := cmd.Flags()
	f.StringVar(&s.Spines, prefix+"spines", "", what+"`FILE` with the GUIDs of switches that are never leaves, one a line")
	f.StringVar(&s.Root, prefix+"root", "", what+"`NAME` of a switch to add above all others, so that a job can span them")
	f.StringVar(&s.Hosts, prefix+"hosts", "", what+"list only these `HOSTS`, those that Slurm knows, for example n[1-64],gpu[01-08]")
	f.StringVar(&s.Plane, prefix+"plane", "", what+"list only plane `N`, by its number in weft show --servers")
	f.StringSliceVar(&s.Sizes, prefix+"block-sizes", nil, what+"`SIZES` of blocks of hosts, for example 18,36,72; auto: of the smallest block, doubled up to all; slurm-yaml has blocks too then")
}

// Given reports whether a flag was given.
func (s *SlurmFlags) Given() bool {
	return s.Spines != "" || s.Root != "" || s.Hosts != "" || s.Plane != "" || len(s.Sizes) > 0
}

// Read reads the files. names comes from the node name map.
func (s *SlurmFlags) Read(names map[fabric.GUID]string) (opt batch.SlurmOptions, err error) {
	opt.Root, opt.Names, opt.Blocks = s.Root, names, len(s.Sizes) > 0
	if s.Spines != "" {
		data, err := os.ReadFile(s.Spines)
		if err != nil {
			return opt, err
		}
		if opt.Spines, err = site.ReadGUIDs(s.Spines, data); err != nil {
			return opt, err
		}
	}
	if s.Hosts != "" {
		if opt.Only, err = batch.ParseHostlist(s.Hosts); err != nil {
			return opt, fmt.Errorf("hosts %w: want names as in slurm.conf, for example n[1-64],gpu[01-08]", err)
		}
	}
	if s.Plane != "" {
		plane, err := strconv.Atoi(s.Plane)
		if err != nil || plane < 0 {
			return opt, fmt.Errorf("plane %q: want a number, 0 or more", s.Plane)
		}
		opt.Plane = &plane
	}
	if opt.Plane != nil && opt.Root != "" {
		return opt, errors.New("a root joins all planes: leave out the plane, or the root")
	}
	if strings.Join(s.Sizes, ",") != "auto" {
		opt.Sizes, err = batch.ParseSizes(s.Sizes)
	}
	return opt, err
}
