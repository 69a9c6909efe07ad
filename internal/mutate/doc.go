// Package mutate breaks the code on purpose, one edit at a time, and reports which edits the tests
// of the package notice. It has only tests. Edits stand in lists, a line each:
//
//	FILE | TEXT IN IT | TEXT IN ITS PLACE | PACKAGE WHOSE TESTS MUST FAIL
//
// The text occurs in the file once. No file is changed: the go command overlays them.
//
//	make mutate                                       all lists, and the score into docs/mutants.md
//	go test ./internal/mutate -v -mutate=sm -timeout 0    edits of one folder
package mutate
