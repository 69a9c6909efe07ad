// Package terms holds the vocabulary that all rooms of the subnet manager share: settings (Config,
// Watch, Settings), events and actions of its machines, incidents, reports with their text and
// JSON, LIDs of ports by GUID, M_Keys, roles.
//
// An Event goes into a machine, Actions come out. One type of each serves the round and the watch,
// so that one test bed drives both. This package decides nothing.
package terms
