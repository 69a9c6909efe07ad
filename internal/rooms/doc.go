// Package rooms has the tests of ARCHITECTURE.md: its import table, the names on the page, the
// promised library, and counts of what crosses the walls between rooms.
package rooms
