package clients

import (
	"encoding/binary"
	"slices"

	"weft/fabric"
	"weft/sm/replica"
	"weft/sm/sa"
	"weft/sm/terms"
)

// lidEntry returns the entry of a port's LIDs.
func lidEntry(guid fabric.GUID, p terms.PortLIDs) sa.Entry {
	return sa.Entry{EntryName: lidName(guid), Value: append(binary.BigEndian.AppendUint16(nil, uint16(p.Base)), p.LMC)}
}

func lidName(guid fabric.GUID) sa.EntryName {
	return sa.EntryName{Kind: sa.PortLID, Key: string(binary.BigEndian.AppendUint64(nil, uint64(guid)))}
}

// lidsOf returns the LIDs in a table. It skips invalid entries.
func lidsOf(t replica.Table) terms.LIDMap {
	lids := terms.LIDMap{}
	for name, value := range t {
		if name.Kind != sa.PortLID || len(name.Key) != 8 || len(value) != 3 {
			continue
		}
		if p := (terms.PortLIDs{Base: fabric.LID(binary.BigEndian.Uint16(value)), LMC: value[2]}); p.Valid() {
			lids[fabric.GUID(binary.BigEndian.Uint64([]byte(name.Key)))] = p
		}
	}
	return lids
}

// newsOf returns LIDs, trees and aliases of a copy: a takeover changes none of them.
func newsOf(t replica.Table) terms.News {
	var aliases []sa.Entry
	for name, value := range t {
		if name.Kind == sa.AliasGUIDs {
			aliases = append(aliases, sa.Entry{EntryName: name, Value: value})
		}
	}
	slices.SortFunc(aliases, func(a, b sa.Entry) int { return sa.CompareNames(a.EntryName, b.EntryName) })
	return terms.News{LIDs: lidsOf(t), Trees: TreesOf(t), Aliases: sa.AliasesIn(aliases)}
}

// lidChanges returns the changes that make the LIDs of a table equal to a map.
func lidChanges(t replica.Table, lids terms.LIDMap) (list []sa.Entry) {
	for guid, p := range lidsOf(t) {
		if _, ok := lids[guid]; !ok {
			list = append(list, sa.Entry{EntryName: lidName(guid)})
		} else if lids[guid] != p {
			list = append(list, lidEntry(guid, lids[guid]))
		}
	}
	for guid, p := range lids {
		if t[lidName(guid)] == nil {
			list = append(list, lidEntry(guid, p))
		}
	}
	return list
}
