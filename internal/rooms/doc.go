// Package rooms holds the test of the import rule of ARCHITECTURE.md.
package rooms
