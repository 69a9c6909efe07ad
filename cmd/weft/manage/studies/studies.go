// Package studies lists the questions about its own subnet that a running manager answers with the
// packages of study, such as whatif. Package sm/service does not import them: it gets them as
// values, and describes them in its OpenAPI document.
package studies

import (
	"time"

	"weft"
	"weft/cmd/weft/cli"
	"weft/internal/endpoints"
	"weft/planner"
	"weft/sm/service"
	"weft/sm/watch"
	"weft/study/page"
	"weft/study/show"
)

// All returns the studies. routing returns the current routing options of the manager.
func All(routing func() planner.Request) []service.Study {
	return []service.Study{
		service.NewStudy("/v1/whatif", "What changes would do to the subnet in force. Nothing is changed. One question is answered at a time.", "weft whatif",
			(&whatIf{routing: routing}).hold),
	}
}

// Page returns the questions of the page. They use one core, and leave the others to the manager;
// subnet returns the subnet in force, plan a stored Plan by its version; faults has the losses of
// cables.
func Page(questions *endpoints.Questions, routing func() planner.Request, memory func() float64, subnet func() *watch.Snapshot, plan func(int64) ([]byte, error), faults *Faults) *page.Page {
	return page.New(page.Options{
		Version: cli.Version, Clock: time.Now, Memory: memory, Workers: 1, Questions: questions, Request: routing, PlanFile: plan, Glossary: weft.Glossary,
		Values: func(colour string) (*show.Values, error) { return values(colour, subnet(), faults, time.Now()) },
		Subnet: func() *page.Subnet {
			s := subnet()
			if s == nil || s.InForce == nil || s.Routed == nil || s.Routed.Plan == nil {
				return nil
			}
			return &page.Subnet{Fabric: s.Routed.Fabric, Graph: s.Routed.Graph, Plan: s.Routed.Plan, Verdict: s.InForce.Report.Routing.Check}
		},
	})
}
