package gen

import "fmt"

// superpod127 builds the compute fabric of a DGX SuperPOD of four scalable units. The two UFM
// appliances have two cables each, in the place of the last node: one on each of four leaves.
func superpod127(b *builder, _ int) {
	b.rails(&rails{k: 8, servers: 32, pods: 4, spines: 16, width: 2, groups: 1, hosts: 127})
	for i := range 2 {
		h := b.newHost(2)
		if b.err != nil {
			return
		}
		b.f.Nodes[h].Desc = fmt.Sprintf("UFM %d", i)
		for port := range 2 {
			leaf, err := b.f.FindSwitch(fmt.Sprintf("pod 3 rail %d", 2*i+port))
			if err != nil {
				b.fail(err)
				return
			}
			b.link(h, port+1, leaf, 32)
		}
	}
}

// superpod512 builds the compute fabric of a DGX SuperPOD of 16 scalable units.
func superpod512(b *builder, _ int) {
	b.rails(&rails{k: 8, servers: 32, pods: 16, spines: 16, width: 2, groups: 1, cores: 4, up: 8, hosts: -1})
}

// railgroups512 builds four groups of 128 servers, each with four spines a rail, and their storage
// on a plane of its own: 37 leaves with 20 ports each for servers and storage, and 20 spines.
func railgroups512(b *builder, _ int) {
	b.rails(&rails{k: 8, servers: 32, pods: 16, spines: 4, width: 8, groups: 4, cores: 16, up: 2, hosts: -1})
	b.storage(&tree{m: []int{20, 37}, w: []int{1, 20}, p: ones(2), down: 20, hosts: -1})
}

// rsc builds five groups of 400 servers. What is published, 2,000 switches and 48,000 cables, are
// exactly three whole levels of 40 ports over 16,000 ports of servers. The plane for storage is a
// guess: a port of every server and 200 others on switches of 40 ports, 30 down and 10 up on
// leaves.
func rsc(b *builder, _ int) {
	b.rails(&rails{k: 8, servers: 20, pods: 100, spines: 20, width: 1, groups: 5, cores: 20, up: 1, hosts: -1})
	b.storage(&tree{m: []int{30, 20, 4}, w: []int{1, 10, 2}, p: []int{1, 1, 10}, down: 30, hosts: 2200})
}

// storage adds a tree to the servers as a plane called storage.
func (b *builder) storage(t *tree) {
	t.most = usual
	other, err := t.build()
	if err == nil && b.err == nil {
		switchName, hostName := planeNames("storage")
		err = addPlane(b.f, other, switchName, hostName)
	}
	if err != nil {
		b.fail(err)
	}
}
