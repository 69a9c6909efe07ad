// Package conformance is what every routing engine must pass, and the table of
// fabrics it is run on. An engine's own test calls Run with what it claims.
//
// The suite walks the tables itself, hop by hop and without a thought for speed,
// and also asks the judge (judge/check); neither shares code with the engines.
package conformance
