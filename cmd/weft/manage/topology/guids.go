package topology

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"weft/fabric"
	"weft/fabric/netfile/batch"
	"weft/fabric/netfile/lines"
)

// A file ends with comments that say which node GUIDs the names stand for, a line for each host and
// switch. So a manager that starts, and a standby that takes over, tell a host that was renamed
// from one that is gone.
const guidsHead = "# Names and node GUIDs, for weft sm:\n"

// writeGUIDs writes the comments.
func writeGUIDs(b *bytes.Buffer, guids map[string][]fabric.GUID) {
	b.WriteString(guidsHead)
	for _, name := range slices.Sorted(maps.Keys(guids)) {
		fmt.Fprintf(b, "# %s", name)
		for _, g := range guids[name] {
			fmt.Fprintf(b, " %s", g)
		}
		b.WriteString("\n")
	}
}

// readGUIDs reads the comments of a file. Others are no error: whatever a person adds, the worst is
// a name without a GUID.
func readGUIDs(data []byte) map[string][]fabric.GUID {
	guids := map[string][]fabric.GUID{}
	_, text, _ := bytes.Cut(data, []byte(guidsHead))
	for line := range bytes.Lines(text) {
		words := strings.Fields(string(line))
		if len(words) < 3 || words[0] != "#" {
			continue
		}
		var list []fabric.GUID
		for _, word := range words[2:] {
			if v, ok := lines.Hex([]byte(word)); ok {
				list = append(list, fabric.GUID(v))
			}
		}
		guids[words[1]] = list
	}
	return guids
}

// guidsOf returns the GUIDs of all hosts and switches of a file, by name. Names that have gone keep
// the GUIDs of an earlier file.
func guidsOf(all []batch.Topology, before map[string][]fabric.GUID, names ...map[fabric.GUID]string) map[string][]fabric.GUID {
	now := map[string][]fabric.GUID{}
	for _, m := range names {
		for g, name := range m {
			now[name] = append(now[name], g)
		}
	}
	guids := map[string][]fabric.GUID{}
	add := func(name string) {
		list := now[name]
		if list == nil {
			list = before[name]
		}
		if slices.Sort(list); list != nil {
			guids[name] = list
		}
	}
	for i := range all {
		for _, name := range all[i].Hosts() {
			add(name)
		}
		for _, s := range all[i].Switches {
			add(s.Name)
		}
		for _, b := range all[i].Blocks {
			add(b.Name)
		}
	}
	return guids
}
