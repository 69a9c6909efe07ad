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
