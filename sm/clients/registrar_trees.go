package clients

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"

	"weft/fabric"
	"weft/route/multicast"
	"weft/sm/replica"
	"weft/sm/sa"
)

// A tree is stored in parts. Each switch but the root takes three bytes: its LID and the port to
// its parent. A key is the number of the tree, the number of the part, and the SL, which older
// versions of weft omit. A value begins with the LID of the root.
const (
	bytesOfUplink  = 3
	mostUplinks    = (sa.LongestValue - 2) / bytesOfUplink
	bytesOfTreeKey = 3
)

// treeEntries returns the entries of trees.
func treeEntries(trees []multicast.TreeByLID) replica.Table {
	table := replica.Table{}
	for i := range min(len(trees), 256) {
		t := &trees[i]
		for part := 0; part == 0 || part*mostUplinks < len(t.Up); part++ {
			value := binary.BigEndian.AppendUint16(nil, uint16(t.Root))
			for _, u := range t.Up[part*mostUplinks : min(len(t.Up), (part+1)*mostUplinks)] {
				value = append(binary.BigEndian.AppendUint16(value, uint16(u.LID)), u.Port)
			}
			table[sa.EntryName{Kind: sa.PoolTree, Key: string([]byte{byte(i), byte(part), t.SL})}] = value
		}
	}
	return table
}

// TreesOf returns the trees in a table. It skips invalid entries.
func TreesOf(t replica.Table) (trees []multicast.TreeByLID) {
	for _, name := range slices.SortedFunc(maps.Keys(t), sa.CompareNames) {
		value := t[name]
		if name.Kind != sa.PoolTree || len(name.Key) < bytesOfTreeKey-1 || len(name.Key) > bytesOfTreeKey || len(value) < 2 || (len(value)-2)%bytesOfUplink != 0 {
			continue
		}
		if name.Key[1] == 0 {
			t := multicast.TreeByLID{Root: fabric.LID(binary.BigEndian.Uint16(value)), SL: multicast.UnknownSL}
			if len(name.Key) == bytesOfTreeKey {
				t.SL = name.Key[2]
			}
			trees = append(trees, t)
		} else if len(trees) == 0 {
			continue
		}
		last := &trees[len(trees)-1]
		for b := value[2:]; len(b) > 0; b = b[bytesOfUplink:] {
			last.Up = append(last.Up, multicast.Uplink{LID: fabric.LID(binary.BigEndian.Uint16(b)), Port: b[2]})
		}
	}
	return trees
}

// StoredTrees returns the trees in stored entries.
func StoredTrees(list []sa.Entry) []multicast.TreeByLID {
	t := replica.Table{}
	t.Put(list...)
	return TreesOf(t)
}

// TreeChanges returns the changes that make the trees of a table equal to trees.
func TreeChanges(t replica.Table, trees []multicast.TreeByLID) (list []sa.Entry) {
	now := treeEntries(trees)
	for name := range t {
		if name.Kind == sa.PoolTree && now[name] == nil {
			list = append(list, sa.Entry{EntryName: name})
		}
	}
	for name, value := range now {
		if !bytes.Equal(t[name], value) {
			list = append(list, sa.Entry{EntryName: name, Value: value})
		}
	}
	slices.SortFunc(list, func(a, b sa.Entry) int { return sa.CompareNames(a.EntryName, b.EntryName) })
	return list
}
