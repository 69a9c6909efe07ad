package names

import (
	"fmt"
	"math/bits"

	"weft/fabric"
)

// LMC returns the LMC of a port with k LIDs in use: ceil(lg k), 0 without any.
func LMC(k int) uint8 {
	if k < 2 {
		return 0
	}
	return uint8(bits.Len(uint(k - 1)))
}

// MaxPerPort is the largest number of LIDs of a port.
const MaxPerPort = 1 << fabric.MaxLMC

// PortExhausted is the refusal of paths to one port that need more LIDs than a port can have.
type PortExhausted struct {
	Port string
	Need int
}

func (e *PortExhausted) Error() string {
	return fmt.Sprintf("names: the paths to %s need %d LIDs, but a port has at most %d: choose paths that split less",
		e.Port, e.Need, MaxPerPort)
}

// Unproven says that the search for the fewest LIDs of a port ended without a proof.
type Unproven struct {
	Port   string
	Bounds Bounds
}

func (e *Unproven) Error() string {
	return fmt.Sprintf("names: the paths to %s need %d to %d LIDs: the search ended without a proof", e.Port, e.Bounds.Lower, e.Bounds.Upper)
}
