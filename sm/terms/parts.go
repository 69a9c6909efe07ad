package terms

import (
	"slices"
	"strings"

	"weft/fabric"
)

// ByGUID returns parts with GUIDs for the names of our node map, which may mean nothing to other
// managers: NAME and NAME[PORT] become GUID and GUID[PORT].
func (cfg *Config) ByGUID(parts []string) []string {
	list := slices.Clone(parts)
	for i, part := range list {
		node, port := part, ""
		if at := strings.LastIndexByte(part, '['); at > 0 && cfg.guidOf(part) == 0 {
			node, port = part[:at], part[at:]
		}
		if guid := cfg.guidOf(node); guid != 0 {
			list[i] = guid.String() + port
		}
	}
	return list
}

// guidOf returns the node that our map gives a name; 0 for none or several.
func (cfg *Config) guidOf(name string) (guid fabric.GUID) {
	for g, is := range cfg.Names {
		switch {
		case is == name && guid != 0:
			return 0
		case is == name:
			guid = g
		}
	}
	return guid
}

// ByOwnNames returns parts that another manager drains. Parts of our own list have their names
// there.
func (cfg *Config) ByOwnNames(parts []string) []string {
	list, own := slices.Clone(parts), cfg.ByGUID(cfg.Drain)
	for i, part := range list {
		if at := slices.Index(own, part); at >= 0 {
			list[i] = cfg.Drain[at]
		}
	}
	return list
}
