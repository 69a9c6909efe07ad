package terms

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"weft/sm/partition"
)

// Partitioning is the set of partitions, and whether switches enforce them. It is never changed,
// only replaced.
type Partitioning struct {
	Partitions partition.Partitions // of a file or the default one, then of programs
	// In and Out make switches drop packets whose P_Key the CA or router at the port does not have:
	// packets from it (In), packets to it (Out).
	In, Out bool
	Version partition.Version    `json:",omitzero"`  // of the partitions of programs
	Hidden  partition.Partitions `json:",omitempty"` // of programs, whose P_Keys the file names too
}

// Enforcement holds In and Out of partitions that no file names.
type Enforcement struct{ In, Out bool }

// After returns the partitions that replace was, which ports may have. If there are none any more,
// all ports return to the default partition.
func (p *Partitioning) After(was *Partitioning) *Partitioning {
	if p == nil && was != nil {
		return &Partitioning{Partitions: partition.Everyone()}
	}
	return p
}

// Listed returns the partitions for people; none if all ports are together, as without a file.
func (p *Partitioning) Listed() *Partitioning {
	if p == nil || p.In || p.Out || len(p.Partitions) != 1 {
		return p
	}
	one := p.Partitions[0]
	if one.Owner = partition.Nobody; reflect.DeepEqual(partition.Partitions{one}, partition.Everyone()) {
		return nil
	}
	return p
}

// File returns the partitions of a file among these; nil if no file names any.
func (p *Partitioning) File() *Partitioning {
	if p == nil {
		return nil
	}
	if list := p.Partitions.Of(partition.TheFile); list != nil {
		return &Partitioning{Partitions: list, In: p.In, Out: p.Out}
	}
	return nil
}

// Base returns the partitions of the file for people, without partitions of programs; none if these
// leave all ports together.
func (p *Partitioning) Base() *Partitioning {
	if p == nil || p.Version == (partition.Version{}) {
		return p.Listed()
	}
	return p.File().Listed()
}

// HiddenText says which partitions of programs the file hides.
func (p *Partitioning) HiddenText() string {
	names := make([]string, len(p.Hidden))
	for i := range p.Hidden {
		names[i] = fmt.Sprintf("0x%04x", p.Hidden[i].Key)
	}
	return "the file of the option partitions names partitions that programs own: " + strings.Join(names, ", ") + "; the file counts, and theirs are kept aside until it does not name them any more"
}

// Owned returns the partitions of programs among these.
func (p *Partitioning) Owned() (o partition.Owned) {
	if p == nil {
		return o
	}
	return partition.Owned{Version: p.Version, List: partition.Sorted(p.Partitions.Of(partition.Programs), p.Hidden)}
}

// With returns the partitions of a file together with these of programs, which switches enforce as
// the file says, or else as enforce does. If no program ever wrote one, all stays as it is.
func (p *Partitioning) With(o partition.Owned, enforce Enforcement) *Partitioning {
	if o.Version == (partition.Version{}) {
		return p
	}
	var file partition.Partitions
	if own := p.File(); own != nil {
		file, enforce = own.Partitions, Enforcement{own.In, own.Out}
	} else if len(o.List) == 0 {
		enforce = Enforcement{}
	}
	next := &Partitioning{In: enforce.In, Out: enforce.Out, Version: o.Version}
	next.Partitions, next.Hidden = partition.Join(file, o.List)
	return next
}

// Reowned restores the owners of partitions that an older weft has kept without owners. o lists the
// partitions of programs; the others are a file's. An older weft cannot have changed partitions of
// programs.
func (p *Partitioning) Reowned(o partition.Owned) *Partitioning {
	if p == nil {
		return p.With(o, Enforcement{})
	}
	var file partition.Partitions
	for _, one := range p.Partitions {
		if !slices.ContainsFunc(o.List, func(own partition.Partition) bool { return own.Key == one.Key }) {
			one.Owner = partition.TheFile
			file = append(file, one)
		}
	}
	enforce := Enforcement{p.In, p.Out}
	if (&Partitioning{Partitions: file}).Listed() == nil { // the default one, which no file names
		file = nil
	}
	return (&Partitioning{Partitions: file, In: p.In, Out: p.Out}).With(o, enforce)
}

// Refiled returns the partitions in force after the files of a manager were read again: now holds
// its own, had says whether it had some before. was is in force: of programs, and of a previous
// master if the manager has none. on says that devices may have those.
func (p *Partitioning) Refiled(now *Partitioning, had, on bool, enforce Enforcement) *Partitioning {
	base := p
	switch {
	case now != nil || had && !on:
		base = now
	case had:
		base = now.After(p)
	}
	return base.With(p.Owned(), enforce)
}

// Write carries out the request of a program. manager is the port of the manager.
func (p *Partitioning) Write(w *partition.Write, manager *partition.Port) (*Partitioning, partition.Done, error) {
	var file partition.Partitions
	if own := p.File(); own != nil {
		file = own.Partitions
	}
	owned := p.Owned()
	next, done, err := owned.Apply(w, file, manager)
	if err != nil || done.Partitions == 0 {
		return p, done, err
	}
	return p.With(next, Enforcement{w.In, w.Out}), done, nil
}

// ByWhom adds to a text who has asked for something; "" if that is not known.
func ByWhom(name string) string {
	if name == "" {
		return ""
	}
	return " by " + name
}
