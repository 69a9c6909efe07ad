package terms

// Shared says what an incident may have in common with others, so that the log has one line for all
// incidents of one cause: a spine that restarts changes a port of every leaf. Recordings and JSON
// leave it out.
type Shared struct {
	// What happened, for several of a kind: {n} stands for their number, {at} for the device that
	// they share.
	What  string
	Sides []Side // devices that may be the cause
	// Comes says that more incidents of this cause may come until the round has ended.
	Comes bool
	Rest  []Incident // of an incident that stands for others: these
}

// NodesAdded is the common text of nodes that are new to the subnet.
const NodesAdded = "{n} nodes added at {at}"

// Side is one view of an incident: a device that may be its cause, and the part that it happened
// to.
type Side struct {
	Device string // for people; "" for none in particular
	At     Place  // of the device
	Part   string // as seen from the device
}
