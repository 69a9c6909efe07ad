// Package studies lists what a manager that runs can be asked about its subnet besides what it does: the questions of
// commands of weft, answered on the subnet in force. Package sm/service is handed them, and its document has them.
package studies

import (
	"weft/planner"
	"weft/sm/service"
)

// All lists the studies. Routing is how the manager routes afresh.
func All(routing func() planner.Request) []service.Study {
	return []service.Study{
		service.NewStudy("/v1/whatif", "What changes would do to the subnet in force. Nothing is changed. One question is answered at a time.", "weft whatif",
			(&whatIf{routing: routing}).hold),
	}
}
