package netfile

import (
	"weft/fabric/netfile/drawing"
	"weft/fabric/netfile/tables"
)

// ReadLFTs reads forwarding tables: a form of tables.ReadLFTs, or the comments in an ORCS input
// file, alone in its file. Errors are of type *Error. The cost is linear in the file.
func ReadLFTs(name string, data []byte) (*tables.LFTs, []Warning, error) {
	if drawing.IsDigraph(data) {
		return drawing.ReadORCSTables(name, data)
	}
	return tables.ReadLFTs(name, data)
}
