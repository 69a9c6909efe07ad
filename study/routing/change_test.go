package routing

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"weft/planner"
	"weft/route"
	"weft/route/repair"
	"weft/study/studytest"
)

// TestChange: ports that move are named by GUID, node and port, as fields.
func TestChange(t *testing.T) {
	g, _ := studytest.Routed(t, "rlft(4,2)", "updn")
	c := NewChange("old.plan", g, &route.Change{
		Moved:    []route.MovedPort{{End: 1, From: 3, To: 9}},
		Switches: []route.SwitchChange{{Switch: 2, Blocks: 1}},
	}, &planner.Result{Repaired: &repair.Figures{Crossed: 7}, NotRepaired: errors.New("no")}, nil, nil)
	if c.Repair.Crossed != 7 || c.NotRepaired != "no" {
		t.Errorf("%+v", c)
	}
	if m := c.Moved[0]; m.GUID != g.EndNodeGUID[1] || m.Name != g.EndDesc[1] || m.Port != 1 || m.From != 3 || m.To != 9 {
		t.Errorf("%+v", m)
	}
	text, err := json.Marshal(c)
	if err != nil || !strings.Contains(string(text), fmt.Sprintf(`"guid":"%s"`, g.SwitchGUID[2])) {
		t.Errorf("%s, %v", text, err)
	}
}
