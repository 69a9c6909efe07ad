package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"weft/fabric"
	"weft/fabric/netfile/site"
)

// KindFlags holds the options for kinds of hosts, whose paths are balanced separately.
type KindFlags struct {
	patterns      []string
	file, cn, ion string
}

func (k *KindFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&k.patterns, "kind", nil, "`KIND=HOSTS`: balance the paths to these hosts by themselves. HOSTS is a GUID or a pattern of descriptions (io='oss*'); the first match counts; can be repeated")
	f.StringVar(&k.file, "kinds", "", "`FILE` with the kinds of hosts, one line for each: GUID or description, then the kind")
	f.StringVar(&k.cn, "cn-guids", "", "`FILE` with the port GUIDs of compute nodes, like OpenSM's cn_guid_file")
	f.StringVar(&k.ion, "io-guids", "", "`FILE` with the port GUIDs of I/O nodes, like OpenSM's io_guid_file")
}

// read returns the rules of all flags, beginning with the patterns.
func (k *KindFlags) read() (rules []fabric.KindRule, err error) {
	for _, text := range k.patterns {
		rule, err := fabric.ParseKindRule(text)
		if err != nil {
			return nil, fmt.Errorf("--kind: %w", err)
		}
		rules = append(rules, rule)
	}
	for _, from := range []struct {
		path string
		read func(file string, data []byte) ([]fabric.KindRule, error)
	}{{k.file, site.ReadKinds}, {k.cn, guidsOf("compute")}, {k.ion, guidsOf("io")}} {
		if from.path == "" {
			continue
		}
		data, err := os.ReadFile(from.path)
		if err != nil {
			return nil, err
		}
		more, err := from.read(from.path, data)
		if err != nil {
			return nil, err
		}
		rules = append(rules, more...)
	}
	return rules, nil
}

// WarnKinds warns of kinds without hosts.
func WarnKinds(cmd *cobra.Command, g *fabric.Graph, rules []fabric.KindRule) error {
	kinds, err := fabric.KindsOf(g, rules)
	if err != nil {
		return err
	}
	for _, name := range kinds.None {
		Warn(cmd, []string{fmt.Sprintf("no host of %s is of kind %s", g.Name, name)})
	}
	return nil
}

// guidsOf reads a file of GUIDs as rules for one kind.
func guidsOf(kind string) func(file string, data []byte) ([]fabric.KindRule, error) {
	return func(file string, data []byte) (rules []fabric.KindRule, err error) {
		guids, err := site.ReadGUIDs(file, data)
		for _, g := range guids {
			rules = append(rules, fabric.KindRule{Kind: kind, Hosts: g.String()})
		}
		return rules, err
	}
}

// args returns the flags as arguments for another process.
func (k *KindFlags) args() (args []string) {
	for _, text := range k.patterns {
		args = append(args, "--kind", text)
	}
	return append(args, "--kinds", k.file, "--cn-guids", k.cn, "--io-guids", k.ion)
}
