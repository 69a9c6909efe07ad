// Package script makes Programs of ranks that do several things at once, each in a stream of its
// own: a computation goes on while a collective operation of an earlier result is under way. A
// stream is a sequence of items. An item begins when the one before it in its stream has ended, and
// one item of another stream if it says so. Items are made when they begin.
//
// A Program counts for each kind of item how long it took, and how long the first stream, which
// computes, stood still because of it.
package script
