package route

import (
	"weft/fabric"
)

// Step is an engine with its options.
type Step struct {
	Engine  *Spec
	Options map[string]string
}

// Chain lists engines in order of preference.
type Chain []Step

// CheckSwitches returns an error if options of any engine name a switch that is not in the
// Graph.
func (c Chain) CheckSwitches(g *fabric.Graph) error {
	for _, step := range c {
		if err := step.Engine.CheckSwitches(g, step.Options); err != nil {
			return err
		}
	}
	return nil
}

// Present returns the chain without the switches that CheckSwitches misses, and an error for each
// of these.
func (c Chain) Present(g *fabric.Graph) (up Chain, missing []error) {
	for _, step := range c {
		options, gone := step.Engine.present(g, step.Options)
		up, missing = append(up, Step{Engine: step.Engine, Options: options}), append(missing, gone...)
	}
	return up, missing
}

// Candidate is an engine that another one may choose (Spec.Among). Effort is its time for one table
// entry, as a multiple of engine updn's.
type Candidate struct {
	Step
	Name   string // engine with options as written
	Effort int
	From   string // the candidate whose Plan relief turns into this one's; "" if the engine routes itself
	Gain   Gain   // with From: what relief does for such Plans
	Small  bool   // tried on small networks only
}

// Gain is the usual effect of relief on the Plans of an engine.
type Gain uint8

// Relief seldom makes Plans better, usually does, or much.
const (
	GainsLittle Gain = iota
	GainsUsually
	GainsMuch // even Plans that are far behind may be best afterwards
)
