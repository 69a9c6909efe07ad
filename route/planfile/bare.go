package planfile

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"

	"weft/fabric"
	"weft/route"
)

// SaveBare writes a Plan without its forwarding tables and its network, for a reader who gets the
// tables from the switches. The format is that of a plan file, but bare stands in the header,
// Blocks is 1, and the body is not compressed. So a small change of the Plan changes few bytes.
func SaveBare(w io.Writer, g *fabric.Graph, p *route.Plan) error {
	if err := p.Fits(g); err != nil {
		return err
	}
	h := headerOf(g, p)
	h.Bare, h.Links, h.Blocks = true, false, 1
	head, err := h.encode()
	if err != nil {
		return err
	}
	c := coder{w: bufio.NewWriterSize(w, 1<<16)}
	c.bytes(head)
	c.writeEnds(g, &p.Ends)
	c.parts(h, p, g)
	if err := cmp.Or(c.err, c.w.Flush()); err != nil {
		return fmt.Errorf("route: plan without tables: %w", err)
	}
	return nil
}

// LoadBare reads the output of SaveBare, with a Graph of only the Plan's switches and end ports, by
// their GUIDs. No switch has an entry.
func LoadBare(data []byte) (*route.Plan, *fabric.Graph, error) {
	r := bufio.NewReader(bytes.NewReader(data))
	h, err := readHeader(r)
	if err == nil && (!h.Bare || h.Links) {
		err = fmt.Errorf("it is not a plan without tables")
	}
	if err != nil {
		return nil, nil, fmt.Errorf("route: plan without tables: header: %w", noEOF(err))
	}
	c := coder{r: r}
	p, g, err := c.plan(h, nil)
	if err != nil {
		return nil, nil, err
	}
	if _, err := r.ReadByte(); err == nil {
		return nil, nil, fmt.Errorf("route: plan without tables: unknown data after its end")
	}
	return p, g, p.Fits(g)
}
