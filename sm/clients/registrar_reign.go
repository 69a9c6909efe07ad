package clients

import (
	"encoding/binary"
	"maps"
	"slices"

	"weft/fabric"
	"weft/sm/replica"
	"weft/sm/sa"
	"weft/sm/terms"
)

// takeOver adopts the previous master's registrations from the copy, or our own from disk. If
// neither is good, it has clients asked to register again.
func (r *Registrar) takeOver(f *ManagerState) {
	from := replica.Table{}
	known := true
	c := r.Follower.Copy()
	switch {
	case r.Follower.Close(r.now, !toldBy(&c, f)):
		from = c.Table
	case r.disk != nil && !f.Others:
		from = r.disk
	default:
		known = false
	}
	if f.WasActive && !known {
		r.out = append(r.out, RegistrarAction{Kind: TellManager, News: terms.News{Reregister: true}})
	}
	r.disk = nil
	var list []sa.Entry
	for _, name := range slices.SortedFunc(maps.Keys(r.table), sa.CompareNames) {
		if !ofPlan(name) {
			list = append(list, sa.Entry{EntryName: name})
		}
	}
	gone := len(list)
	for _, name := range slices.SortedFunc(maps.Keys(from), sa.CompareNames) {
		if !ofPlan(name) {
			list = append(list, sa.Entry{EntryName: name, Value: from[name]})
		}
	}
	r.Registry = r.Registry.Renew()
	r.Registry.Restore(r.now, list[gone:])
	r.aliases = r.Registry.Aliases.Version() - 1 // the Manager may know others: it is told in any case
	r.members.restore(f.term, list[gone:], r.groupTold, r.overShare)
	r.storage.restart()
	for name := range r.table {
		if name.Kind == sa.PoolTree {
			r.storage.changed[name] = true
		}
	}
	// An empty state is stored too.
	r.put(append(list, sa.Entry{EntryName: sa.EntryName{Kind: sa.Nothing}, Value: []byte{}}))
}

// toldBy reports whether our port's MasterSMLID is unset, our own, or that of a manager that sent
// or confirmed this copy. Otherwise another master may have acknowledged changes that the copy
// lacks.
func toldBy(c *replica.Copy, f *ManagerState) bool {
	if f.Told == 0 || f.Told == f.subnet.ManagerLID() {
		return true
	}
	for _, guid := range [...]fabric.GUID{c.Of, c.Since} {
		if value := c.Table[lidName(guid)]; len(value) == 3 && fabric.LID(binary.BigEndian.Uint16(value)) == f.Told {
			return true
		}
	}
	return false
}

// ofPlan reports whether an entry follows from the Plan: a round sends such entries before a
// manager is the master.
func ofPlan(name sa.EntryName) bool { return name.Kind == sa.PoolTree || ofRecord(name.Kind) }

// ofRecord reports whether entries of a kind are part of a Record, which is stored separately.
func ofRecord(k sa.EntryKind) bool { return k == sa.PortLID || k == sa.Part || k == sa.Whole }

// leave ends the duties of a master.
func (r *Registrar) leave() {
	r.leader.Stop()
	r.Follower.Keep(r.now, r.table)
	r.subnet, r.Held, r.settled = nil, nil, nil
	for _, w := range r.waiting {
		r.out = append(r.out, RegistrarAction{Kind: Committed, Done: w.done, Err: ErrNotMaster})
	}
	r.waiting = nil
}
