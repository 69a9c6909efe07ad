package starting

import (
	"path"
	"slices"
	"time"

	"weft/fabric"
	"weft/sm/partition"
	"weft/sm/terms"
	"weft/wire/mad"
)

// FollowPartitions makes jobs of the partitions in force that JobRule.Partitions names: one of at
// least two nodes is a job that runs. keys returns the P_Keys of end ports. Actions are appended if
// such a job starts, changes or ends.
func (m *Machine) FollowPartitions(now time.Duration, list partition.Partitions, keys func() [][]uint16, rule terms.JobRule, out []terms.Action) []terms.Action {
	isDerived := func(j terms.Job) bool { return j.OfPartition }
	if len(rule.Partitions) == 0 && !slices.ContainsFunc(m.list, isDerived) {
		return out
	}
	var held [][]uint16
	if len(list) > 0 {
		held = keys()
	}
	w := &terms.JobWrite{Whole: true, OfPartitions: true, By: "partitions"}
	for i := range list {
		if name := list.NameOf(i); list[i].Key&^mad.PKeyFull != partition.DefaultKey && isNamed(rule.Partitions, name) {
			if j := m.jobOf("partition "+name, hostsWith(held, list[i].Key, m.lanes.graph)); j.Count > 1 {
				w.All = append(w.All, j)
			}
		}
	}
	done, out, err := m.Write(now, w, rule, out)
	if err == nil && done.Changed > 0 {
		out = m.Answer(terms.Action{Kind: terms.Decided, Name: "the jobs of partitions", Jobs: done}, w, out)
	}
	return out
}

// isNamed reports whether a name matches one of several patterns such as "team*".
func isNamed(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { ok, _ := path.Match(p, name); return ok })
}

// hostsWith returns the hosts that have a P_Key, with either kind of membership.
func hostsWith(keys [][]uint16, key uint16, g *fabric.Graph) (hosts []int32) {
	for h := range min(len(keys), g.NumHosts) {
		if slices.ContainsFunc(keys[h], func(k uint16) bool { return k&^mad.PKeyFull == key&^mad.PKeyFull }) {
			hosts = append(hosts, int32(h))
		}
	}
	return hosts
}

// jobOf returns the job of some hosts.
func (m *Machine) jobOf(id string, hosts []int32) terms.Job {
	find, servers := m.lanes.finder(), map[int32]bool{}
	for _, h := range hosts {
		servers[find.Server(h)] = true
	}
	return terms.Job{ID: id, OfPartition: true, Nodes: find.List(hosts), Count: len(servers)}
}
