// Package recording writes down all events that a manager is given, with their times, and plays
// them to another machine: the same events lead to the same actions.
//
// The first line is a JSON object with the version of the format and the settings of the manager. A
// block follows for each event: length, kind, nanoseconds since the previous event, values, and a
// checksum of the resulting actions. Numbers are varints; texts and bytes are preceded by their
// length. Plans are not recorded: they are computed again from the routing request. Cost: about 40
// bytes an SMP.
//
// A Condenser makes the lines of the log from incidents: one line for all of one cause.
//
// Explain says for each log code, for operators, what happened, what the manager does, and what to
// do (explain.go).
package recording
