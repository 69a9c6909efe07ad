package gen

import (
	"fmt"

	"weft/fabric"
)

// rail builds pods of hosts with k ports and k rail switches, all joined to all spines. With cores,
// the switches of each rail have their own spines, which are joined to the cores. Ports of a rail
// switch: hosts, then the cables to each spine; of a spine: the rail switches, pod by pod, then the
// cores; of a core: the spines, rail by rail.
func rail(a *args) (*fabric.Fabric, error) {
	k, servers, pods, spines, width := a.int("k"), a.int("servers"), a.int("pods"), a.int("spines"), a.int("width")
	if spines < 0 {
		spines = ceil(servers, width)
	}
	if pods > 1 && spines == 0 {
		return nil, fmt.Errorf("%d pods without spines are not connected", pods)
	}
	switches, hosts := pods*k, mul(pods, servers)
	cores, up := a.int("cores"), a.int("up")
	planes, joined := 1, switches // planes of spines, rail switches joined to a spine
	if cores > 0 {
		planes, joined = k, pods
	}
	s := size{
		switches + mul(planes, spines) + mul(spines, cores), max(servers+spines*width, joined*width+cores*up, k*up), hosts,
		mul(switches, spines, width) + mul(k, spines, cores, up) + mul(hosts, k),
	}
	if err := s.fits(); err != nil {
		return nil, err
	}
	b := newBuilder()
	rails := make([]fabric.NodeID, 0, switches)
	for i := range switches {
		rails = append(rails, b.add(servers+spines*width, fmt.Sprintf("pod %d rail %d", i/k, i%k)))
	}
	upper := make([]fabric.NodeID, 0, planes*spines)
	for i := range planes * spines {
		name := fmt.Sprintf("spine %d", i)
		if cores > 0 {
			name = fmt.Sprintf("rail %d spine %d", i/spines, i%spines)
		}
		upper = append(upper, b.add(joined*width+cores*up, name))
	}
	for i, r := range rails {
		plane, place := 0, i
		if cores > 0 {
			plane, place = i%k, i/k
		}
		for s := range spines {
			for c := range width {
				b.link(r, servers+1+s*width+c, upper[plane*spines+s], place*width+c+1)
			}
		}
	}
	for i, core := range b.addAll(spines*cores, k*up, "core") {
		for plane := range k {
			for c := range up {
				b.link(upper[plane*spines+i/cores], pods*width+i%cores*up+c+1, core, plane*up+c+1)
			}
		}
	}
	for i := range hosts {
		h := b.newHost(k)
		for port := range k {
			b.link(h, port+1, rails[i/servers*k+port], i%servers+1)
		}
	}
	return b.done()
}
