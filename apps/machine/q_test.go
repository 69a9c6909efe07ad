package machine
import ("testing";"context";"fmt")
func TestQ(t *testing.T){ s:=load(t, oracle+"resnet152-16.goal"); m:=New(s.Start(), Usual); m.Run(context.Background()); for _,w:=range m.Waiting()[:6] { fmt.Println(w.Rank,w.Kept,s.Describe(s.Starts[w.Rank]+w.Op.ID)) } }
