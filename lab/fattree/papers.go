package fattree

import "weft/lab"

// hardware states the parameters that papers I and IV leave open.
const hardware = "Links are %s. Input buffers hold 16 KB, seven packets of 2 kB with their headers. There is one VL, except for engines that need more.\n" +
	"A packet takes 200 ns to pass a switch and 25 ns to pass a cable. Inputs take turns at an output round robin; an input buffer has a queue for each output.\n" +
	"The share of a link is the payload that a node receives, divided by the data rate: 98.7 %% at most.\n" +
	""

// Reproductions returns papers I, III, IV and VI of the thesis.
func Reproductions() []*lab.Reproduction {
	return []*lab.Reproduction{reproductionI(), reproductionIII(), reproductionIV(), reproductionVI()}
}
