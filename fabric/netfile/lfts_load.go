package netfile

// ReadLFTs reads forwarding tables: text of the forms that tables.ReadLFTs recognises, or the comments in an input
// file of ORCS, alone in its file. Errors are of type *Error. The cost is linear in the file.
func ReadLFTs(name string, data []byte) (*LFTs, []Warning, error) {
	if isDigraph(data) {
		return readORCSTables(name, data)
	}
	return readLFTs(name, data)
}
