package sm

import "weft/fabric"

// Graph returns the fabric that was found, as the Plan has it.
func (c *Core) Graph() *fabric.Graph { return c.graph }
