// Package lab reproduces published tables and figures: experiments as data. A
// Reproduction is a paper with its Artefacts; an Artefact is a function from a Setup
// (mode, seed, cores) to a Result: tables, claims with a verdict each, charts. The
// papers are packages below this one; lab/papers lists them.
//
// Experiments are straight programs: Check and Must end an artefact at an error, which
// RunArtefact returns.
//
// Experiments read no clock and open no file. What is measured in seconds or bytes
// is measured by the Setup's Meter, which the command supplies; all else is the same
// on any machine and any number of cores. A row draws its randomness from the seed
// and its own name, so that one row run alone gives the same figures.
//
// A Record is the Result of one artefact with what it was run with. Records are the
// result store: a JSON file each, beside the table as TSV and the charts as SVG; a
// run that was interrupted goes on with those that are there. WriteReport makes one
// Markdown page of the records of a paper.
//
// A verdict is about a claim of the paper, never about a figure alone: under its literal
// text first, over seed blocks, then under the one set of readings that the paper has.
package lab
