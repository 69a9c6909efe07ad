// Package fattree finds the levels of a network seen as a fat-tree, and its links by neighbour
// (Recognise); what it would have without damage (InferWhole); and what people want to know of it
// (Describe).
//
// Leaves are the switches with hosts, and the level of a switch is its distance from them.
// Missing links and switches, hosts on higher switches, horizontal links (between switches of
// one level) and several cores under one level of rack switches are all accepted; Irregular lists
// them. Where the roles of roots or leaves are given, by the caller or by the fabric, they decide:
// that helps where a leaf without hosts seems to be two levels too high, and its neighbours do not
// tell either (the flipping switch of paper IV of Bogdanski's thesis). With roots given, all must
// be, since levels are counted down from them.
package fattree
