// Package opensm imports the configuration and the stored state of an OpenSM, for a weft sm that
// takes over its subnet: opensm.conf, the files named there, and guid2lid, guid2mkey and neighbors.
// For each line it reports the equivalent option of weft sm, that none is needed, that none exists,
// or that the line is unknown. In the other direction it writes such files, for an OpenSM that
// takes the subnet back.
//
// options.tsv lists the options of OpenSM 3.3.23 (opensm -c). If a line repeats an option, the last
// one counts, as in OpenSM. The import never drops or moves a LID: a malformed line of guid2lid, or
// a LID that is listed twice, is an error.
package opensm
