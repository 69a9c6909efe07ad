// Package smtest holds helpers for tests of several rooms of the subnet manager: fabrics and
// routings from text, and a simulated subnet that answers SMPs at once (Fake).
package smtest
