// Package examples holds small dumps of real clusters, for the demo and for tests.
// README.md names where each comes from.
package examples

import _ "embed"

// PSMNX5 is ibnetdiscover output of an irregular cluster of 11 switches.
//
//go:embed psmn-x5.ibnetdiscover
var PSMNX5 []byte

// SX6036 is ibnetdiscover output of 8 switches around two cores.
//
//go:embed sx6036.ibnetdiscover
var SX6036 []byte

// Trinityx is ibnetdiscover output of a regular tree of 6 switches.
//
//go:embed trinityx.ibnetdiscover
var Trinityx []byte

// TrinityxTables are the forwarding tables that OpenSM 3.3.23 computes for Trinityx by its default,
// minhop.
//
//go:embed trinityx.lfts
var TrinityxTables []byte

// Swlab is the subnet.lst of a laboratory with switches of many chips.
//
//go:embed swlab.lst
var Swlab []byte

// SwlabTables are OpenSM's forwarding tables of Swlab, with the hops of every entry. On one
// lane they have a cycle.
//
//go:embed swlab.fdbs
var SwlabTables []byte
