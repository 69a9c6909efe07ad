// Package netfile reads and writes the files in which networks are kept.
package netfile
