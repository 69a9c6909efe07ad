// Package several answers the questions of the other packages of study for a network of several
// subnets. A file answers each: network.go (show), routing.go, flows.go, compare.go, whatif.go,
// campaign.go.
package several
