// Package wiretest is the conformance suite of the media (Run), its small subnet, as an emulation
// for media without one of their own (Subnet), and a check for leaked goroutines (NoLeaks).
//
// The subnet has a switch S and two one-port CAs, A on its port 1 and B on its port 2. Ibsim is the
// same as a net file of the ibsim program.
package wiretest
