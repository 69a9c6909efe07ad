package fattree

import "weft/lab"

// hardware states the parameters that papers I and IV leave open.
const hardware = "Links are %s. Input buffers hold 16 KB, seven packets of 2 kB with their headers; there is one VL, but for the engines that need more. " +
	"A packet takes 200 ns to pass a switch and 25 ns to pass a cable. Inputs have their turns at an output round robin; in an input buffer there is a queue for each output. " +
	"The share of a link is the payload that a node takes by the data rate: 98.7 %% at most. "

// Reproductions returns papers I, III, IV and VI of the thesis.
func Reproductions() []*lab.Reproduction {
	return []*lab.Reproduction{reproductionI(), reproductionIII(), reproductionIV(), reproductionVI()}
}
