// Package recording writes down all events that a manager is given, with their times, and plays
// them to another machine: the same events give the same actions.
//
// The first line is a JSON object with the version and how the manager was made. A block follows
// for each event: its length, its kind, the nanoseconds since the one before, its values, and a
// checksum of the actions that followed. Plans are computed again, from the routing request. Cost:
// about 40 bytes an SMP.
package recording
