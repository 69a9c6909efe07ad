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

// SaveBare writes a Plan without its forwarding tables and without the network that it was made for: what who reads the tables of all switches
// must be told beside them. It is a plan file but for that: bare stands in its header, Blocks is 1, and the body is not compressed, so that a small change of
// the Plan changes few of its bytes.
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

// LoadBare reads what SaveBare wrote, with a Graph that has the switches and end ports of the Plan, by their GUIDs, and nothing else. No switch has an entry.
func LoadBare(data []byte) (*route.Plan, *fabric.Graph, error) {
	r := bufio.NewReader(bytes.NewReader(data))
	h, err := readHeader(r)
	if err == nil && (!h.Bare || h.Links) {
		err = fmt.Errorf("it has more than a plan without tables")
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
		return nil, nil, fmt.Errorf("route: plan without tables: there is more behind it")
	}
	return p, g, p.Fits(g)
}
