package mad

import "fmt"

// Request holds the fields of a request's header. Its methods build the datagram in dst, which must
// have at least Size bytes: they clear Size bytes, write the headers and return them as a Datagram
// with zero Data. They allocate nothing unless they fail.
type Request struct {
	Method   Method
	Attr     AttrID
	Modifier uint32
	TID      uint64
	Key      uint64 // M_Key of an SMP, SM_Key of an SA request, CC_Key of a congestion control request
}

// New starts a datagram of class c with the common header. ClassPerf needs no more.
func (r Request) New(dst []byte, c Class) (Datagram, error) {
	if len(dst) < Size {
		return nil, &ShortError{Layout: Header, Have: len(dst), Need: Size}
	}
	d := Datagram(dst[:Size:Size])
	clear(d)
	d[0] = 1
	d[1] = byte(c)
	d[2] = byte(c.version())
	d[3] = byte(r.Method)
	HeaderTransactionID.Put(d, r.TID)
	HeaderAttributeID.Put(d, uint64(r.Attr))
	HeaderModifier.Put(d, uint64(r.Modifier))
	return d, nil
}

// Directed builds a directed-route SMP that leaves by ports[0] of the sender, by ports[1] of the
// next node, and so on; without ports it stays at the sender's own node.
func (r Request) Directed(dst, ports []byte) (Datagram, error) {
	if len(ports) > MaxHops {
		return nil, fmt.Errorf("mad: a directed route of %d hops, %d allowed", len(ports), MaxHops)
	}
	d, err := r.New(dst, ClassDirectedSMP)
	if err != nil {
		return nil, err
	}
	DirectedSMPMKey.Put(d, r.Key)
	DirectedSMPDrSLID.Put(d, 0xFFFF)
	DirectedSMPDrDLID.Put(d, 0xFFFF)
	DirectedSMPHopCount.Put(d, uint64(len(ports)))
	copy(DirectedSMPInitialPath.Get(d)[1:], ports)
	return d, nil
}

// Routed builds a LID-routed SMP.
func (r Request) Routed(dst []byte) (Datagram, error) {
	d, err := r.New(dst, ClassSMP)
	if err == nil {
		SMPMKey.Put(d, r.Key)
	}
	return d, err
}

// SA builds a request to subnet administration. The mask selects the components of the record that
// count: see Layout.Mask.
func (r Request) SA(dst []byte, mask uint64) (Datagram, error) {
	d, err := r.New(dst, ClassSA)
	if err == nil {
		SAHeaderSMKey.Put(d, r.Key)
		SAHeaderComponentMask.Put(d, mask)
	}
	return d, err
}

// Congestion builds a request to the congestion control agent of a port.
func (r Request) Congestion(dst []byte) (Datagram, error) {
	d, err := r.New(dst, ClassCC)
	if err == nil {
		CongestionHeaderKey.Put(d, r.Key)
	}
	return d, err
}

// Hops returns the egress ports of a directed-route SMP, one a hop. It aliases d. A hop count
// beyond MaxHops counts as MaxHops.
func (d Datagram) Hops() []byte {
	n := min(int(DirectedSMPHopCount.Get(d)), MaxHops)
	return DirectedSMPInitialPath.Get(d)[1 : 1+n]
}
