// Package lab reproduces published tables and figures: experiments as data. A Reproduction is a
// paper with its Artefacts; an Artefact is a function from a Setup (mode, seed, cores) to a Result:
// tables, charts, and claims with a verdict each. The papers are packages below this one;
// lab/papers lists them.
//
// Experiments do not return errors: Check and Must end an artefact at an error, and RunArtefact
// returns it.
//
// Experiments read no clock and open no file. Only the Setup's Meter, which the command supplies,
// measures seconds and bytes; everything else is the same on any machine and any number of cores. A
// row draws its randomness from the seed and its own name, so that one row run alone gives the same
// figures.
//
// A Record is the Result of one artefact with its settings. Records form the result store: a JSON
// file each, next to the table as TSV and the charts as SVG. An interrupted run continues with the
// stored records. Pages makes one Markdown page of the records of a paper.
//
// A verdict judges a claim of the paper, not a single figure. A claim is judged first by the
// literal text of the paper, over several blocks of seeds. If it differs there, it is judged again
// by the paper's one set of readings (type Reading).
package lab
