// Package opensm reads what an OpenSM is configured by and has stored, for a weft sm that takes its
// subnet over: opensm.conf, the files that it names, and guid2lid, guid2mkey and neighbors. Of each
// line it says by which option weft sm does the same, that none is needed, that there is no
// counterpart, or that the line is not understood. The other way round it writes such files, for an
// OpenSM that takes the subnet back.
//
// The options are those of OpenSM 3.3.23 (opensm -c), in options.tsv. Of an option that is set
// twice the last line counts, as there. No LID is dropped or moved: a guid2lid of which a line is
// not understood, or that names a LID twice, is an error.
package opensm
