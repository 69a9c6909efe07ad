// Package fattree finds the levels of a network seen as a fat-tree, and groups its links by
// neighbour (Recognise). It also finds the tree's form without damage (InferWhole), and describes
// it for people (Describe).
//
// Leaves are the switches with hosts, and the level of a switch is its distance from them. Missing
// links and switches, hosts on higher switches, horizontal links (between switches of one level)
// and several cores under one level of rack switches are all accepted; Irregular lists them.
//
// Roles of roots or leaves, from the caller or the fabric, take precedence. They help with a leaf
// that has lost its hosts, and so seems to be two levels too high (the flipping switch of paper IV
// of Bogdanski's thesis). Usually its neighbours show that it is a leaf; without such neighbours
// only its role does. If any root is given, all must be, since levels are counted down from them.
package fattree
