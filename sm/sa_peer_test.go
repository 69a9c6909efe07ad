package sm

import (
	"bytes"
	"context"
	"os"
	"testing"
	"time"

	"weft/wire"
	"weft/wire/ibsim"
	"weft/wire/rmpp"
)

// administer has a manager bring a subnet up behind a node of a simulator and stay, until the test ends.
func (s *simulator) administer(node, chain string, lmc uint8) {
	s.tb.Helper()
	t, err := ibsim.Dial(context.Background(), ibsim.Options{Base: s.Socket, Node: node})
	if err != nil {
		s.tb.Fatal(err)
	}
	clock := testClock()
	up, ended := make(chan State, 16), make(chan error, 1)
	r := Runner{
		Config: Config{SMKey: 1}, Watch: UsualWatch, Routing: jobOf(chain, lmc), Clock: clock, Wire: wire.Config{Window: 32},
		Round: func(c *Core) { up <- c.Report().State },
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, err := r.Run(ctx, rmpp.Over(t, rmpp.Config{Retries: wire.NoRetries, Silent: true}, clock))
		ended <- err
	}()
	s.tb.Cleanup(func() {
		cancel()
		<-ended
	})
	select {
	case state := <-up:
		if state != Up {
			s.tb.Fatalf("the subnet is %s", state)
		}
	case err := <-ended:
		s.tb.Fatalf("the manager has ended: %v", err)
	case <-time.After(time.Minute):
		s.tb.Fatal("no subnet after a minute")
	}
}

func TestExplore(t *testing.T) {
	f := formula(t, "rlft(4,2)")
	s := emulate(t, f)
	s.administer("", "updn", 0)
	s.Env = append(s.Env, "SIM_HOST=host 3")
	for _, q := range [][]string{
		{"CPI"}, {"NR"}, {"PIR"}, {"SL2VL"}, {"PKTR"}, {"VLAR"}, {"LR"}, {"PR"}, {"LFTR"}, {"GIR"}, {"SWI"}, {"SMIR"}, {"MCMR"}, {"IIR"}, {"SR"}, {"MFTR"},
		{"-p", "--src-to-dst", "1:3"}, {"-p", "--slid", "1", "--dlid", "4"}, {"NR", "2"}, {"PIR", "2/1"}, {"LR", "2/1"}, {"LFTR", "2/0"}, {"--smkey", "1", "PKTR"},
		{"-N"}, {"-D"}, {"-I"}, {"-L", "2"}, {"-l", "2"}, {"-G", "2"}, {"-O", "2"}, {"-U", "2"}, {"-s"}, {"-g"}, {"-m"}, {"-x"}, {"-c"},
	} {
		out, err := s.TryRun("saquery", q...)
		t.Logf("saquery %v: %v\n%s", q, err, out)
	}
}

func TestExploreOpenSM(t *testing.T) {
	f := formula(t, "rlft(4,2)")
	s := emulate(t, f)
	log := s.Path("osm.log")
	s.Start("opensm", "-e", "-d2", "-f", log, "-R", "minhop")
	s.Wait("opensm", log, func() bool { b, _ := os.ReadFile(log); return bytes.Contains(b, []byte("SUBNET UP")) })
	s.Env = append(s.Env, "SIM_HOST=host 3")
	for _, q := range [][]string{{"PR"}, {"LR"}, {"SWI"}, {"SMIR"}, {"GIR"}, {"CPI"}, {"PIR", "9/1"}, {"--smkey", "1", "PKTR"}} {
		out, err := s.TryRun("saquery", q...)
		t.Logf("saquery %v: %v\n%s", q, err, out)
	}
}
