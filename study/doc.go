// Package study runs what is asked of routings - one routing job with its report, a
// comparison of engines, a simulation of traffic - and writes the results as JSON, which
// docs/json.md lists and whose keys stay, or as text for people.
package study
