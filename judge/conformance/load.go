package conformance

import (
	"weft/fabric"
	"weft/route"
)

// Load is the number of paths from hosts to the LIDs of hosts by channel: the largest, and the mean
// over used channels.
type Load struct {
	Max  int
	Mean float64
}

// MeasureLoad counts the paths of a Plan.
func MeasureLoad(g *fabric.Graph, p *route.Plan) Load {
	return inspect(g, p).total()
}

func (f *findings) total() Load {
	var l Load
	sum, n := 0, 0
	for _, v := range f.load {
		l.Max = max(l.Max, v)
		if v > 0 {
			sum += v
			n++
		}
	}
	if n > 0 {
		l.Mean = float64(sum) / float64(n)
	}
	return l
}
