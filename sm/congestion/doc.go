// Package congestion configures the congestion control of switches and adapters (IBA volume 1,
// annex A10). It is a pure machine: times and answers in, requests out.
//
// The manager sends a switch its SwitchCongestionSetting: the queue threshold for marking packets,
// the marking rate, and the ports that mark even while they wait for credits. An adapter port
// gets the blocks of the CongestionControlTable (the delays of a flow) for which it has room, and
// CACongestionSetting (how notifications raise, and time lowers, the index into the table). The
// settings are the same as in sim/congestion, so sim/packet can try them first.
//
// The manager first reads each attribute, and writes it only if it differs. A configured device is
// not asked again until it restarts or joins anew. A device that refuses a request counts as
// without congestion control. A silent device is retried, with doubling intervals.
//
// Deviations: SwitchPortCongestionSetting and credit starvation stay as they are. Every request
// carries the CC_Key; the manager does not set the key of devices.
//
// Cost: constant per device: 3 requests for a fully configured switch or adapter, 2 more for each
// attribute that differs.
package congestion
