package route

import (
	"weft/fabric"
)

// Step is an engine with the options that it was given.
type Step struct {
	Engine  *Spec
	Options map[string]string
}

// Chain lists engines in the order in which they are tried.
type Chain []Step

// CheckSwitches returns a *NoSwitch where options of any engine name switches that are not in a Graph.
func (c Chain) CheckSwitches(g *fabric.Graph) error {
	for _, step := range c {
		if err := step.Engine.CheckSwitches(g, step.Options); err != nil {
			return err
		}
	}
	return nil
}

// Candidate is an engine that another one may choose (Spec.Among). Its effort is what one entry of its tables takes, as a
// multiple of what it takes engine updn.
type Candidate struct {
	Step
	Name   string // of the engine, with its options as they are written
	Effort int
	From   string // the candidate whose Plan is made this one's by relief; "" where the engine routes
}
