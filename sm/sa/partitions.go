package sa

import (
	"weft/fabric"
	"weft/sm/partition"
	"weft/wire/mad"
)

// everyone is the P_Key table of every port if there are no partitions.
var everyone = []uint16{mad.DefaultPKey}

// keysOf returns the P_Keys of an end port.
func (s *Subnet) keysOf(end int32) []uint16 {
	if s.Keys == nil {
		return everyone
	}
	return s.Keys[end]
}

// keysOfLID returns the P_Keys of the requester; nil if it sees all, without partitions or a LID.
func (s *Subnet) keysOfLID(lid fabric.LID) []uint16 {
	if s.Keys == nil || lid == 0 {
		return nil
	}
	if e := s.endOfLID(lid); e >= 0 && s.Keys[e] != nil {
		return s.Keys[e]
	}
	return []uint16{}
}

// sharedKey returns the P_Key of a source for a path to a target, in the partition asked for (0 for
// any). A port can talk to itself in all its partitions.
func (s *Subnet) sharedKey(src, dst int32, asked uint16) (key uint16, ok bool) {
	if src == dst {
		for _, key := range s.keysOf(src) {
			if asked == 0 || (key^asked)&^mad.PKeyFull == 0 {
				return key, true
			}
		}
		return 0, false
	}
	return partition.Share(s.keysOf(src), s.keysOf(dst), asked)
}

// sees reports whether the requester may see an end port: its own, one that shares a partition, or
// any if trusted.
func (c *search) sees(end int32) bool {
	if c.trusted || c.asks == nil || end == c.asker {
		return true
	}
	_, ok := partition.Share(c.asks, c.s.keysOf(end), 0)
	return ok
}

// seesNode reports whether the requester may see one of a node's end ports.
func (c *search) seesNode(n *Node) bool {
	if c.trusted || c.asks == nil {
		return true
	}
	for i := range c.s.portsOf(n) {
		if e := c.s.portsOf(n)[i].End; e >= 0 && c.sees(e) {
			return true
		}
	}
	return false
}
