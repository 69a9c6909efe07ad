// Package rooms tests the rules for the whole project. It has only tests. A room is a top-level
// folder, or a package of the subnet manager.
//
//	rooms_test.go         imports, against the table in ARCHITECTURE.md
//	architecture_test.go  names in ARCHITECTURE.md exist
//	promised_test.go      exported names that other programs may rely on (testdata/promised.txt)
//	walls_test.go         counts of dependencies between packages, which may only fall
//	comments_test.go      comments wrap at 100 columns
package rooms
