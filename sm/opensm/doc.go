// Package opensm imports the configuration and the stored state of an OpenSM, for a weft sm that
// takes over its subnet: opensm.conf, the files named there, and guid2lid, guid2mkey and neighbors.
// For each line it reports the equivalent option of weft sm, that none is needed, that none exists,
// or that the line is unknown. In the other direction it writes such files, for an OpenSM that
// takes the subnet back.
//
// options.tsv lists the options of OpenSM 3.3.23 (opensm -c), arguments.tsv the options of its
// command line, and vendor.tsv options that only vendors' releases have. If a line repeats an
// option, the last one counts, and the command line wins, as in OpenSM. Values are read as OpenSM
// reads them: only TRUE is true, and a number may be octal.
//
// An import reports everything at once. Only a bad file of LIDs or keys is an error: with it a LID
// or a key would move. A partitions file that OpenSM reads differently than weft sm is written anew
// with what OpenSM makes of it. docs/design/2026-11-29-import.md lists the differences.
package opensm
