package compare

// SweepRow holds the figures of one engine on one fabric of a sweep. They depend on neither time
// nor machine.
type SweepRow struct {
	Fabric  string
	Engine  string  // as asked for
	Chosen  string  // the engine that routed, with its options: chosen by auto, or the first that did not refuse
	Verdict string  // Proven, notProven, notRun; any other is a refusal
	EBB     float64 // effective bisection bandwidth
	Shift   float64 // all-to-all by shifts: sum of the largest congestions
	Pairs   int64   // largest number of pairs of hosts on a channel
}

// Verdicts of a row.
const (
	Proven    = "proven"
	notProven = "not proven"
	notRun    = "not run"
)
