package terms

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// SettingsForRound returns which changed settings need a round to be in force, "" if none do. The
// parts to be drained need none here: see watch.Manager.
func SettingsForRound(was, cfg *Config) string {
	for _, s := range []struct {
		changed bool
		what    string
	}{
		{!reflect.DeepEqual(cfg.Partitions, was.Partitions), "the partitions have"},
		{!cfg.Levels.Equal(was.Levels), "the levels of service have"},
		{cfg.Priority != was.Priority, "the priority has"}, // a standby may precede us now
		{!cfg.Keys.GivesSame(&was.Keys), "the M_Keys have"},
		{!slices.Equal(cfg.AdmittedNodes(), was.AdmittedNodes()) || (cfg.AdmittedNodes() == nil) != (was.AdmittedNodes() == nil), "the nodes that are left out have"},
		{!reflect.DeepEqual(cfg.Expected, was.Expected), "the expected fabric has"},
		{!maps.Equal(cfg.Names, was.Names), "the names of nodes have"},
		{!cfg.Tuning.Equal(was.Tuning) || !slices.Equal(cfg.Between.Prefixes, was.Between.Prefixes), "the settings of ports or prefix routes have"},
		{cfg.AskRoles != was.AskRoles, "the use of switch roles has"},
		{cfg.Unproven != was.Unproven, "the use of unproven Plans has"},
		{cfg.TakeOver != was.TakeOver, "the option take-over has"},
	} {
		if s.changed {
			return s.what
		}
	}
	return ""
}

// OptionDifferences describes the options of the master that differ from ours. They are not
// inherited.
func OptionDifferences(theirs, ours map[string]string) (list []string) {
	if theirs == nil { // an older weft
		return nil
	}
	all := maps.Clone(theirs)
	maps.Copy(all, ours)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if theirs[name] != ours[name] {
			list = append(list, fmt.Sprintf("%s is %s at the master and %s here: a takeover changes nothing by itself, but this manager then uses its own value", name, cmp.Or(theirs[name], "not given"), cmp.Or(ours[name], "not given")))
		}
	}
	return list
}
