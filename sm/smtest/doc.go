// Package smtest has what tests of several rooms of the subnet manager share: fabrics and routings
// by text, and a simulated subnet that answers SMPs at once (Fake).
package smtest
