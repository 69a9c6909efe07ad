// Package conformance is the test suite for every routing engine, with its table of fabrics. An
// engine's own test calls Run with the engine's claims.
//
// The suite walks the tables itself, hop by hop and simple rather than fast, and also asks the
// judge (judge/check). Neither shares code with the engines.
package conformance
