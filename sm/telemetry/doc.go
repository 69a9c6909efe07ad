// Package telemetry keeps the counters of ports: a history of the last hour. It finds the hot ports
// of any moment of that hour. It also selects the ports that get metrics of their own.
//
// A Frame is one round of readings: all ports by name, and the growth of their counters. It needs
// no other Frame to be read, so a damaged one costs only itself. Encode writes it in columns of
// variable-length numbers, compressed by zstd: about 40 bytes for a busy port.
//
// A Ring keeps Frames in one file of limited size (ring.go). Each Frame begins at a block of 4 KiB
// and has checksums, so the Ring finds them again in whatever a crash, a full disk or a stranger
// has left. It writes over Frames that are an hour old, and over younger ones only if the file may
// not grow.
//
// The counters of a port are read at its own time within the round. At (hot.go) therefore takes
// each port from the Frame whose reading covers the moment.
package telemetry
