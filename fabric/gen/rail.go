package gen

import (
	"fmt"

	"weft/fabric"
)

// rail has pods of hosts of k ports and k rail switches, all joined to all spines. Ports of a rail
// switch: hosts, then the cables to each spine; of a spine: the rail switches, pod by pod.
func rail(a *args) (*fabric.Fabric, error) {
	k, servers, pods, spines, width := a.int("k"), a.int("servers"), a.int("pods"), a.int("spines"), a.int("width")
	if spines < 0 {
		spines = ceil(servers, width)
	}
	if pods > 1 && spines == 0 {
		return nil, fmt.Errorf("%d pods without spines are not connected", pods)
	}
	switches, hosts := pods*k, mul(pods, servers)
	s := size{switches + spines, max(servers+spines*width, switches*width), hosts, mul(switches, spines, width) + mul(hosts, k)}
	if err := s.fits(); err != nil {
		return nil, err
	}
	b := newBuilder()
	rails := make([]fabric.NodeID, 0, switches)
	for i := range switches {
		rails = append(rails, b.add(servers+spines*width, fmt.Sprintf("pod %d rail %d", i/k, i%k)))
	}
	for s, spine := range b.addAll(spines, switches*width, "spine") {
		for i, r := range rails {
			for c := range width {
				b.link(r, servers+1+s*width+c, spine, i*width+c+1)
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
