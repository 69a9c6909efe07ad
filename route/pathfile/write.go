package pathfile

import (
	"bufio"
	"fmt"
	"io"

	"weft/route/paths"
)

// Write writes a P table.
func Write(w io.Writer, set *paths.Set) error {
	g, b := set.Graph(), bufio.NewWriter(w)
	n := newNamer(g)
	fmt.Fprint(b, "# source\ttarget\tegress ports of the switches between them, but the last\n")
	var way []int32
	for dst := range int32(g.NumHosts) {
		first, last := set.To(dst)
		for p := first; p < last; p++ {
			fmt.Fprintf(b, "%s\t%s", n.end(set.Source(p)), n.end(dst))
			way = set.AppendChannels(way[:0], p)
			for _, c := range way {
				fmt.Fprintf(b, "\t%s", n.egress(c))
			}
			fmt.Fprintln(b)
		}
	}
	return b.Flush()
}
