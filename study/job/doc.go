// Package job answers what a job of a cluster gets from its network: between its own nodes, beside
// other jobs, and on other nodes.
//
// crowd.go predicts slow-downs, job.go asks about one job, place.go compares placements, trouble.go
// finds hot and sick cables of its paths, text.go prints.
package job
