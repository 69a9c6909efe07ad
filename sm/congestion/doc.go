// Package congestion tells switches and adapters how to control congestion (IBA volume 1, annex
// A10), as a pure machine: times and answers in, requests out.
//
// A switch gets SwitchCongestionSetting: the threshold from which its ports mark packets, how many
// of them, and which ports mark though they wait themselves. The port of an adapter gets
// CongestionControlTable, the delays of a flow, as many blocks as it has, and CACongestionSetting,
// how notifications raise and time lowers the index into it. The numbers are those of
// sim/congestion, so that what is told can be tried in sim/packet first.
//
// Every device is asked what it has before it is told, and told only what differs. One that has
// been told is left alone until it comes back from a restart or is new; one that refuses has no
// congestion control; one that is silent is asked again, ever more rarely.
//
// Deviations: SwitchPortCongestionSetting and credit starvation stay as they are. The CC_Key goes
// with each request; it is not given to devices.
//
// Cost: constant for each device; 3 requests for a switch or adapter that has all, two more for
// each attribute that it does not.
package congestion
