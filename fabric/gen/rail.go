package gen

import (
	"fmt"

	"weft/fabric"
)

// rails is a rail-optimised tree: pods of servers with k ports and k rail switches, port i of every
// server of a pod on its rail switch i. Without cores, all rail switches are joined to all spines.
// With cores, every rail has its own spines in each group of pods, and cores join those.
type rails struct {
	k, servers, pods int
	spines, width    int // spines of a rail switch, and cables to each
	groups           int // of pods
	cores, up        int // cores of a spine, and cables to each
	hosts            int // servers in all pods, evenly; -1 for as many as fit
	most             Limits
}

func rail(a *args) (*fabric.Fabric, error) {
	r := rails{
		k: a.int("k"), servers: a.int("servers"), pods: a.int("pods"), spines: a.int("spines"), width: a.int("width"),
		groups: a.int("groups"), cores: a.int("cores"), up: a.int("up"), hosts: a.int("hosts"), most: a.most,
	}
	if r.spines < 0 {
		r.spines = ceil(r.servers, r.width)
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	b := newBuilder()
	b.rails(&r)
	return b.done()
}

// all returns the number of servers in all pods.
func (r *rails) all() int {
	if r.hosts < 0 {
		return mul(r.pods, r.servers)
	}
	return r.hosts
}

// sets returns the number of sets of spines: each serves the rail switches of one rail in one
// group. Without cores a single set serves all.
func (r *rails) sets() int {
	if r.cores == 0 {
		return 1
	}
	return r.k * r.groups
}

// below returns the number of rail switches that a spine is joined to.
func (r *rails) below() int { return r.pods * r.k / r.sets() }

// check returns an error if the tree cannot be built.
func (r *rails) check() error {
	switch {
	case r.pods > 1 && r.spines == 0:
		return fmt.Errorf("pods=%d: without spines they are not connected", r.pods)
	case r.groups > 1 && r.cores == 0:
		return fmt.Errorf("groups=%d: without cores= they are not connected", r.groups)
	case r.pods%r.groups != 0:
		return fmt.Errorf("groups=%d: pods=%d is no multiple of it", r.groups, r.pods)
	case r.cores > 0 && r.spines == 0:
		return fmt.Errorf("cores=%d: there are no spines to join", r.cores)
	case r.hosts > r.pods*r.servers:
		return fmt.Errorf("hosts=%d: pods=%d with servers=%d have room for %d", r.hosts, r.pods, r.servers, r.pods*r.servers)
	}
	for _, s := range []struct {
		name, why string
		ports     int
	}{
		{"rail switch", fmt.Sprintf("servers=%d, spines=%d, width=%d", r.servers, r.spines, r.width), r.servers + r.spines*r.width},
		{"spine", fmt.Sprintf("pods=%d, width=%d, cores=%d, up=%d", r.pods, r.width, r.cores, r.up), r.below()*r.width + r.cores*r.up},
		{"core", fmt.Sprintf("k=%d, groups=%d, up=%d", r.k, r.groups, r.up), min(r.cores, 1) * r.sets() * r.up},
	} {
		if s.ports > fabric.MaxPorts {
			return fmt.Errorf("%s: a %s would have %d ports (at most %d)", s.why, s.name, s.ports, fabric.MaxPorts)
		}
	}
	switches, spines := r.pods*r.k, mul(r.sets(), r.spines)
	return size{
		switches: switches + spines + mul(r.spines, r.cores),
		ports:    max(r.servers+r.spines*r.width, r.below()*r.width+r.cores*r.up, min(r.cores, 1)*r.sets()*r.up),
		hosts:    r.all(),
		links:    mul(switches, r.spines, r.width) + mul(spines, r.cores, r.up) + mul(r.all(), r.k),
	}.fits(r.most)
}

// rails builds a rail-optimised tree. Ports of a rail switch: servers, then the cables to each
// spine; of a spine: the rail switches, pod by pod, then the cores; of a core: the spines, rail by
// rail and group by group.
func (b *builder) rails(r *rails) {
	var leaves, upper []fabric.NodeID
	for i := range r.pods * r.k {
		leaves = append(leaves, b.add(r.servers+r.spines*r.width, fmt.Sprintf("pod %d rail %d", i/r.k, i%r.k)))
	}
	for i := range r.sets() * r.spines {
		upper = append(upper, b.add(max(r.below()*r.width+r.cores*r.up, 1), r.spineName(i)))
	}
	for i, leaf := range leaves {
		set, place := 0, i
		if r.cores > 0 {
			perGroup := r.pods / r.groups
			set, place = i%r.k*r.groups+i/r.k/perGroup, i/r.k%perGroup
		}
		for s := range r.spines {
			for c := range r.width {
				b.link(leaf, r.servers+1+s*r.width+c, upper[set*r.spines+s], place*r.width+c+1)
			}
		}
	}
	for i, core := range b.addAll(r.spines*r.cores, r.sets()*r.up, "core") {
		for set := range r.sets() {
			for c := range r.up {
				b.link(upper[set*r.spines+i/r.cores], r.below()*r.width+i%r.cores*r.up+c+1, core, set*r.up+c+1)
			}
		}
	}
	for pod := range r.pods {
		for i := range portion(r.all(), r.pods, pod) {
			h := b.newHost(r.k)
			for port := range r.k {
				b.link(h, port+1, leaves[pod*r.k+port], i+1)
			}
		}
	}
}

// spineName names spine i of all sets.
func (r *rails) spineName(i int) string {
	set := i / r.spines
	switch {
	case r.cores == 0:
		return fmt.Sprintf("spine %d", i)
	case r.groups == 1:
		return fmt.Sprintf("rail %d spine %d", set, i%r.spines)
	}
	return fmt.Sprintf("rail %d group %d spine %d", set/r.groups, set%r.groups, i%r.spines)
}
