// Package mutate breaks the code on purpose, one edit at a time, and reports which edits the tests
// of the package notice. It has only tests. The edits are in the files *.edits here, one a line:
//
//	FILE | TEXT IN IT | TEXT IN ITS PLACE | PACKAGES WHOSE TESTS MUST FAIL
//
// The text occurs in the file exactly once. The tests of the packages run one after the other until
// one fails. No file is changed: the go command overlays them. To
// test another part of the code, add a line to a list. races_test.go puts data races into loops
// instead, for the race detector.
//
//	make mutate                                       all lists, and the score into docs/mutants.md
//	go test ./internal/mutate -v -mutate=sm -timeout 0    edits of one folder
package mutate
