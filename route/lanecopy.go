package route

// LaneCopy holds, by SL of the paths, the SL that stands for it on a copy of the lanes; an SL that
// the paths do not use stays. The copy has the dependencies of the paths, on VLs of its own between
// switches. So packets of any pairs may be on it.
type LaneCopy [NumSLs]uint8

// UncopySL returns the SL of the paths for which an SL stands, and the number of its copy: 0 for
// the lanes of the paths themselves, i+1 for JobLanes[i].
func (p *Plan) UncopySL(sl uint8) (path uint8, number int) {
	for i := range p.JobLanes {
		for from, to := range p.JobLanes[i] {
			if to == sl && from != int(sl) {
				return uint8(from), i + 1
			}
		}
	}
	return sl, 0
}
