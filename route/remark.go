package route

import (
	"fmt"
	"strings"

	"weft/fabric"
)

// Remark is a text about ports or a LID that it does not name itself.
type Remark struct {
	LID   fabric.LID        `json:"lid,omitzero"`    // destination of the packets
	Owner *fabric.PortName  `json:"owner,omitempty"` // end port that has the LID
	Ports []fabric.PortName `json:"ports,omitempty"` // ports and switches, in the order of the packets' path if there is one
	Text  string            `json:"text"`
}

// String returns the remark on one line.
func (r *Remark) String() string {
	var b strings.Builder
	if r.LID != 0 {
		fmt.Fprintf(&b, "LID %d", r.LID)
		if r.Owner != nil {
			fmt.Fprintf(&b, " of %s", r.Owner)
		}
		b.WriteString(": ")
	}
	for i, p := range r.Ports {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(p.String())
	}
	if len(r.Ports) > 0 {
		b.WriteString(": ")
	}
	return b.String() + r.Text
}
