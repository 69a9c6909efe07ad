package lanes

import "context"

// LayerOnce is Layer without refilling.
func (l *Acyclic) LayerOnce(ctx context.Context, p *Paths, most int) (*Lanes, error) {
	return l.layer(ctx, p, most, 0)
}

// Pairs visits all pairs of classes on different switches.
func (p *Paths) Pairs(visit func(a, b int32)) { p.pairs(visit) }

// Class returns the class of an end port.
func (p *Paths) Class(end int32) int32 { return p.class[end] }
