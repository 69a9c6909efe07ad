// Package studies lists the questions about its own subnet that a running manager answers with the
// packages of study, such as whatif. Package sm/service does not import them: it gets them as
// values, and describes them in its OpenAPI document.
package studies

import (
	"weft/planner"
	"weft/sm/service"
)

// All returns the studies. routing returns the current routing options of the manager.
func All(routing func() planner.Request) []service.Study {
	return []service.Study{
		service.NewStudy("/v1/whatif", "What changes would do to the subnet in force. Nothing is changed. One question is answered at a time.", "weft whatif",
			(&whatIf{routing: routing}).hold),
	}
}
