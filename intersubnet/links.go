package intersubnet

// Hosts lists the hosts of all subnets, by switch and port.
func (p *Plan) Hosts() (hosts []Address) {
	for s := range int32(len(p.Net.Subnets)) {
		for _, e := range targets(p.Net, s) {
			if p.Net.Graph(s).IsHost(e) {
				hosts = append(hosts, Address{s, e})
			}
		}
	}
	return hosts
}

// FirstLinks returns the number of the first link of each subnet. Links are the ports of switches,
// then the end ports.
func (p *Plan) FirstLinks() []int32 {
	first := []int32{0}
	for s := range int32(len(p.Net.Subnets)) {
		g := p.Net.Graph(s)
		first = append(first, first[s]+int32(len(g.Attached)+g.NumEnds))
	}
	return first
}

// Link returns the number of a link; first is the result of FirstLinks.
func (p *Plan) Link(first []int32, h Hop) int32 {
	g := p.Net.Graph(h.Subnet)
	if h.Switch < 0 {
		return first[h.Subnet] + int32(len(g.Attached)) + h.End
	}
	return first[h.Subnet] + g.PortStart[h.Switch] + int32(h.Port)
}
