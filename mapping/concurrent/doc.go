// Package concurrent lets all hosts of a network map it at once, in simulated time.
//
//   - Elect: each host maps alone until one is left: the second mode of section 4.2 of
//     paper 001.
//   - Merge: each host maps its surroundings, and hosts that meet exchange their model
//     graphs, as section 6 proposes.
//
// Mappers are coroutines (mapper.go): each runs unchanged, pauses before each probe, and is resumed
// when the answer has arrived or the timeout has passed.
package concurrent
