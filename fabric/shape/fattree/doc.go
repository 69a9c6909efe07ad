// Package fattree finds the levels of a network seen as a fat-tree, and its links by neighbour
// (Recognise), its form without damage (InferWhole), and a description for people (Describe).
//
// Leaves are the switches with hosts, and the level of a switch is its distance from them. Missing
// links and switches, hosts on higher switches, horizontal links (between switches of one level)
// and several cores under one level of rack switches are all accepted; Irregular lists them. Roles
// of roots or leaves, from the caller or the fabric, take precedence. That helps if a leaf without
// hosts seems to be two levels too high and its neighbours do not show it either (the flipping
// switch of paper IV of Bogdanski's thesis). If any root is given, all must be, since levels are
// counted down from them.
package fattree
