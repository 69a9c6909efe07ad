// Package program describes the work of parallel applications: operations of ranks, and the order
// between them. A Program hands out operations as they become ready, so the messages of a
// collective operation need not be written down before they are sent. A Schedule is a Program whose
// operations are all given.
//
// An operation is a send, a receive or a computation. It may wait for the begin or the end of
// others of its rank. The rules follow GOAL (T. Hoefler, C. Siebert, A. Lumsdaine, "Group Operation
// Assembly Language", ICPP 2009).
//
// Deviation: an operation on one processor that waits for one on another processor begins when that
// one has ended. The published simulator of GOAL starts it when its own processor is free.
package program
