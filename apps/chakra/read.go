package chakra

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

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
var operations = map[int64]string{0: "allreduce", 1: "reduce", 2: "allgather", 5: "broadcast", 6: "alltoall", 7: "reducescatter", 8: "reducescatter", 9: "barrier"}

// trace is a trace of all ranks.
type trace struct {
	ranks  [][]node
	groups []string           // names of process groups, in order of appearance
	of     map[string][]int   // by group: its ranks
	calls  map[string][]*node // by group: the operations of its first rank, in order
}

// Read reads the files of a trace, one for each rank, from rank 0 on.
func Read(files []io.Reader) (*program.Schedule, error) {
	t := &trace{of: map[string][]int{}, calls: map[string][]*node{}}
	for rank, f := range files {
		nodes, err := readFile(f)
		if err != nil {
			return nil, fmt.Errorf("rank %d: %w", rank, err)
		}
		t.ranks = append(t.ranks, nodes)
	}
	if err := t.findGroups(); err != nil {
		return nil, err
	}
	b := program.NewBuilder(0, 0)
	for rank := range t.ranks {
		b.Rank()
		if err := t.addRank(b, rank); err != nil {
			return nil, fmt.Errorf("rank %d, %w", rank, err)
		}
	}
	return b.Schedule()
}

// findGroups finds the ranks of each process group. All must have the same operations.
func (t *trace) findGroups() error {
	for rank, nodes := range t.ranks {
		own := map[string]int{}
		for i := range nodes {
			n := &nodes[i]
			if n.kind != collective {
				continue
			}
			group := n.texts["pg_name"]
			if !slices.Contains(t.groups, group) {
				t.groups = append(t.groups, group)
			}
			if !slices.Contains(t.of[group], rank) {
				t.of[group] = append(t.of[group], rank)
			}
			k := own[group]
			own[group]++
			if t.of[group][0] == rank {
				t.calls[group] = append(t.calls[group], n)
				continue
			}
			if k >= len(t.calls[group]) || !same(t.calls[group][k], n) {
				return fmt.Errorf("rank %d, node %d %q: operation %d of process group %q is another one on rank %d", rank, n.id, n.name, k, group, t.of[group][0])
			}
		}
		for _, group := range t.groups {
			if n, calls := own[group], len(t.calls[group]); n > 0 && n != calls {
				return fmt.Errorf("rank %d has %d operations of process group %q, rank %d has %d", rank, n, group, t.of[group][0], calls)
			}
		}
	}
	if all := t.of[""]; len(all) > 0 && len(all) < len(t.ranks) {
		return fmt.Errorf("collective operations without pg_name are for all ranks, but only %d of %d have them", len(all), len(t.ranks))
	}
	return nil
}

// same reports whether two nodes are the same collective operation.
func same(a, b *node) bool {
	return a.numbers["comm_type"] == b.numbers["comm_type"] && a.numbers["comm_size"] == b.numbers["comm_size"]
}

// addRank adds the operations of a rank.
func (t *trace) addRank(b *program.Builder, rank int) error {
	ends := map[uint64]int32{}
	begins := make([]int32, len(t.ranks[rank]))
	calls := map[string]int{}
	for i := range t.ranks[rank] {
		n := &t.ranks[rank][i]
		if _, twice := ends[n.id]; twice {
			return fmt.Errorf("node %d: this number comes twice", n.id)
		}
		begin, end, err := t.addNode(b, rank, n, calls)
		if err != nil {
			return fmt.Errorf("node %d %q: %w", n.id, n.name, err)
		}
		begins[i], ends[n.id] = begin, end
	}
	for i := range t.ranks[rank] {
		n := &t.ranks[rank][i]
		for _, id := range n.deps {
			other, ok := ends[id]
			if !ok {
				return fmt.Errorf("node %d %q: it waits for node %d, which the file does not have", n.id, n.name, id)
			}
			b.Wait(begins[i], other, false)
		}
	}
	return nil
}

// addNode adds the operations of a node, and returns the first and the last.
func (t *trace) addNode(b *program.Builder, rank int, n *node, calls map[string]int) (begin, end int32, err error) {
	size := n.numbers["comm_size"]
	if size < 0 || n.duration > math.MaxInt64/1000 {
		return 0, 0, fmt.Errorf("comm_size %d, duration %d us: no such thing", size, n.duration)
	}
	label := fmt.Sprintf("node%d", n.id)
	switch n.kind {
	case collective:
		group := n.texts["pg_name"]
		calls[group]++
		return t.addCollective(b, rank, n, label, calls[group]-1)
	case send, receive:
		message, err := n.message()
		if err == nil {
			begin, err = b.Add(message, label)
		}
		return begin, begin, err
	}
	o := program.Op{Kind: program.Calc, Size: int64(n.duration) * 1000, CPU: device}
	switch {
	case n.kind == metadata:
		o.Size, o.CPU = 0, network
	case n.kind == load || n.kind == store || n.numbers["is_cpu_op"] != 0:
		o.CPU = host
	case n.kind != compute:
		return 0, 0, fmt.Errorf("type %d is not known: computations, loads, stores, messages and collective operations are", n.kind)
	}
	begin, err = b.Add(o, label)
	return begin, begin, err
}

// message returns the operation of a send or a receive.
func (n *node) message() (o program.Op, err error) {
	kind, peer := program.Send, "comm_dst"
	if n.kind == receive {
		kind, peer = program.Recv, "comm_src"
	}
	if err := n.needs(peer, "comm_size"); err != nil {
		return o, err
	}
	rank := n.numbers[peer]
	if rank != int64(int32(rank)) {
		return o, fmt.Errorf("%s: rank %d does not exist", peer, rank)
	}
	return program.Op{Kind: kind, Peer: int32(rank), Size: n.numbers["comm_size"], Tag: int32(n.numbers["comm_tag"] & 0x7fffff)}, nil
}

// needs returns an error if a node lacks one of some attributes: 0 is a rank, and a kind of
// operation.
func (n *node) needs(names ...string) error {
	for _, name := range names {
		if _, ok := n.numbers[name]; !ok {
			return fmt.Errorf("it has no attribute %s", name)
		}
	}
	return nil
}

// addCollective adds the messages of a rank in a collective operation.
func (t *trace) addCollective(b *program.Builder, rank int, n *node, label string, call int) (begin, end int32, err error) {
	group := n.texts["pg_name"]
	ranks := t.of[group]
	own := slices.Index(ranks, rank)
	if err := n.needs("comm_type"); err != nil {
		return 0, 0, err
	}
	name, ok := operations[n.numbers["comm_type"]]
	switch {
	case !ok:
		return 0, 0, fmt.Errorf("comm_type %d is not known, or cannot be run", n.numbers["comm_type"])
	case n.partial:
		return 0, 0, errors.New("involved_dim leaves out a dimension: name its ranks by pg_name instead")
	}
	begin, err = b.Add(program.Op{Kind: program.Calc, CPU: network}, label)
	if err != nil || len(ranks) < 2 {
		return begin, begin, err
	}
	if name != "barrier" {
		if err := n.needs("comm_size"); err != nil {
			return 0, 0, err
		}
	}
	size := n.numbers["comm_size"]
	if name == "allgather" || name == "alltoall" {
		size /= int64(len(ranks))
	}
	part, err := coll.NewPart(coll.Best(name, len(ranks), size))
	if err != nil {
		return 0, 0, err
	}
	tag := 1<<24 + int32(slices.Index(t.groups, group)%128)<<16 + int32(call%(1<<16))
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
