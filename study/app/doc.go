// Package app runs applications on a fabric: schedules of messages and collective operations, on an
// ideal network, or on the paths of a routing by flows or by packets.
package app
