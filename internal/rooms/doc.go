// Package rooms holds the tests of the import rule of ARCHITECTURE.md, and of what crosses the walls of
// its rooms.
package rooms
