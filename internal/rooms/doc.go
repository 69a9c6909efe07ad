// Package rooms has the tests of the import rule of ARCHITECTURE.md, and of the crossings between
// its rooms.
package rooms
