package chakra

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	coll "weft/apps/collective"
	"weft/apps/program"
)

// The processors of a rank.
const (
	device = iota
	host
	network // begins and ends collective operations
)

// operations are the collective operations of the format, by number, with the names of package
// collective. It has neither gather (3) nor scatter (4).
var operations = map[int32]string{0: "allreduce", 1: "reduce", 2: "allgather", 5: "broadcast", 6: "alltoall", 7: "reducescatter", 8: "reducescatter", 9: "barrier"}

// trace is a trace of all ranks.
type trace struct {
	ranks  []rankNodes
	groups []group
	known  map[string]int32 // numbers of groups, by pg_name
	// Dependencies on nodes that a file does not have, and the first of them.
	absent      int
	firstAbsent string
}

// group is a process group.
type group struct {
	name  string
	ranks []int
	calls []call // the operations of its first rank, in order
}

// call is a collective operation.
type call struct {
	comm int32
	size int64
}

// groupOf returns the number of a process group.
func (t *trace) groupOf(name []byte) int32 {
	g, ok := t.known[string(name)]
	if !ok {
		g = int32(len(t.groups))
		t.known[string(name)] = g
		t.groups = append(t.groups, group{name: string(name)})
	}
	return g
}

// Read reads the files of a trace, one for each rank, from rank 0 on. Of a node it keeps some 50
// bytes, whatever else the file says of it. Converters leave nodes out and keep the dependencies on
// them; such a dependency counts as met. leftOut describes these; it is empty if there are none.
func Read(files []io.Reader) (s *program.Schedule, leftOut string, err error) {
	t := &trace{known: map[string]int32{}}
	for rank, f := range files {
		nodes, err := t.readFile(f)
		if err != nil {
			return nil, "", fmt.Errorf("rank %d: %w", rank, err)
		}
		t.ranks = append(t.ranks, nodes)
		if err := t.join(rank); err != nil {
			return nil, "", err
		}
	}
	for i := range t.groups {
		if g := &t.groups[i]; g.name == "" && len(g.ranks) < len(t.ranks) {
			return nil, "", fmt.Errorf("collective operations without pg_name are for all ranks, but only %d of %d have them", len(g.ranks), len(t.ranks))
		}
	}
	b := program.NewBuilder(0, 0)
	b.Number("node")
	for rank := range t.ranks {
		b.Rank()
		if err := t.addRank(b, rank); err != nil {
			return nil, "", fmt.Errorf("rank %d, %w", rank, err)
		}
		t.ranks[rank] = rankNodes{}
	}
	if t.absent > 0 {
		leftOut = fmt.Sprintf("%d of the dependencies are on nodes that the trace does not have, and count as met; the first: %s", t.absent, t.firstAbsent)
	}
	s, err = b.Schedule()
	return s, leftOut, err
}

// join makes a rank a member of the process groups that it names. All members of a group must have
// the same operations.
func (t *trace) join(rank int) error {
	own := make([]int, len(t.groups))
	for i := range t.ranks[rank].list {
		n := &t.ranks[rank].list[i]
		if n.kind != collective {
			continue
		}
		g := &t.groups[n.group]
		k := own[n.group]
		if own[n.group]++; k == 0 {
			g.ranks = append(g.ranks, rank)
		}
		if g.ranks[0] == rank {
			g.calls = append(g.calls, call{n.comm, n.size})
			continue
		}
		if k >= len(g.calls) || g.calls[k] != (call{n.comm, n.size}) {
			return fmt.Errorf("rank %d, node %d: operation %d of process group %q is another one on rank %d", rank, n.id, k, g.name, g.ranks[0])
		}
	}
	for i, n := range own {
		if g := &t.groups[i]; n > 0 && n != len(g.calls) {
			return fmt.Errorf("rank %d has %d operations of process group %q, rank %d has %d", rank, n, g.name, g.ranks[0], len(g.calls))
		}
	}
	return nil
}

// addRank adds the operations of a rank.
func (t *trace) addRank(b *program.Builder, rank int) error {
	nodes := &t.ranks[rank]
	ends := make(map[uint64]int32, len(nodes.list))
	begins := make([]int32, len(nodes.list))
	calls := make([]int, len(t.groups))
	for i := range nodes.list {
		n := &nodes.list[i]
		if _, twice := ends[n.id]; twice {
			return fmt.Errorf("node %d: this number comes twice", n.id)
		}
		begin, end, err := t.addNode(b, rank, n, calls)
		if err != nil {
			return fmt.Errorf("node %d: %w", n.id, err)
		}
		begins[i], ends[n.id] = begin, end
	}
	first := int32(0)
	for i := range nodes.list {
		n := &nodes.list[i]
		for _, id := range nodes.deps[first:n.deps] {
			other, ok := ends[id]
			if !ok {
				if t.absent++; t.absent == 1 {
					t.firstAbsent = fmt.Sprintf("rank %d, node %d on node %d", rank, n.id, id)
				}
				continue
			}
			b.Wait(begins[i], other, false)
		}
		first = n.deps
	}
	return nil
}

// addNode adds the operations of a node, and returns the first and the last.
func (t *trace) addNode(b *program.Builder, rank int, n *node, calls []int) (begin, end int32, err error) {
	label := "node" + strconv.FormatUint(n.id, 10)
	o := program.Op{Kind: program.Calc, Size: int64(n.duration) * 1000, CPU: device}
	switch n.kind {
	case collective:
		calls[n.group]++
		return t.addCollective(b, rank, n, label, calls[n.group]-1)
	case send, receive:
		o = program.Op{Kind: program.Send, Peer: int32(n.peer), Size: n.size, Tag: n.tag}
		if n.kind == receive {
			o.Kind = program.Recv
		}
	case metadata:
		o.Size, o.CPU = 0, network
	default:
		if n.onHost {
			o.CPU = host
		}
	}
	begin, err = b.Add(o, label)
	return begin, begin, err
}

// addCollective adds the messages of a rank in a collective operation.
func (t *trace) addCollective(b *program.Builder, rank int, n *node, label string, call int) (begin, end int32, err error) {
	ranks, name := t.groups[n.group].ranks, operations[n.comm]
	own, _ := slices.BinarySearch(ranks, rank)
	begin, err = b.Add(program.Op{Kind: program.Calc, CPU: network}, label)
	if err != nil || len(ranks) < 2 {
		return begin, begin, err
	}
	size := n.size
	switch {
	case size == missing && name == "barrier":
		size = 0
	case size == missing:
		return 0, 0, errNoSize
	}
	if name == "allgather" || name == "alltoall" {
		size /= int64(len(ranks))
	}
	part, err := coll.NewPart(coll.Best(name, len(ranks), size))
	if err != nil {
		return 0, 0, err
	}
	tag := 1<<24 + (n.group%128)<<16 + int32(call%(1<<16))
	before := []int32{begin}
	var ops []program.Op
	for round := range part.Rounds() {
		var now []int32
		ops = part.Ops(own, round, ops[:0])
		for _, o := range ops {
			o.Peer, o.Tag, o.CPU = int32(ranks[o.Peer]), tag, network
			op, err := b.Add(o, "")
			if err != nil {
				return 0, 0, err
			}
			for _, earlier := range before {
				b.Wait(op, earlier, false)
			}
			now = append(now, op)
		}
		if len(now) > 0 {
			before = now
		}
	}
	if end, err = b.Add(program.Op{Kind: program.Calc, CPU: network}, ""); err != nil {
		return 0, 0, err
	}
	for _, earlier := range before {
		b.Wait(end, earlier, false)
	}
	return begin, end, nil
}
