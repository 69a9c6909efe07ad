package counters

import (
	"maps"
	"os"
	"testing"

	"weft/fabric"
	"weft/fabric/netfile/netfiletest"
)

// countersText is what perfquery and ibqueryerrors of infiniband-diags 44.0 print.
func countersText(t testing.TB) []byte {
	data, err := os.ReadFile("../testdata/counters.txt")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestReadCounters(t *testing.T) {
	ports, warnings, err := Read("c", countersText(t))
	if err != nil || len(warnings) != 1 {
		t.Fatal(err, warnings)
	}
	want := []Port{
		{LID: 10, Port: 3, Line: 2, Values: map[string]uint64{"SymbolErrorCounter": 17, "LinkDownedCounter": 4, "PortXmitData": 21600, "PortRcvData": 20448, "PortXmitWait": 0}},
		{LID: 10, Port: 3, Line: 13, Values: map[string]uint64{"PortXmitData": 21744, "PortRcvData": 20592, "PortMulticastXmitPkts": 0, "SymbolErrorCounter": 18446744073709551615}},
		{LID: 18, Port: 10, Line: 24, Values: map[string]uint64{"SymbolErrorCounter": 5, "PortXmitDiscards": 7, "PortXmitData": 100, "PortXmitWait": 8}},
		{GUID: 0x200004800000801, Port: 1, Line: 32, Values: map[string]uint64{"PortXmitWait": 12, "PortXmitData": 3024}},
		{GUID: 0x200005300000002, Port: 1, Line: 36, Values: map[string]uint64{"LinkErrorRecoveryCounter": 300}},
		{GUID: 0x200005300000002, Port: 2, Line: 40, Values: map[string]uint64{"PortXmitData": 3456, "PortMulticastXmitPkts": 0}},
	}
	if len(ports) != len(want) {
		t.Fatalf("%d ports, want %d: %+v", len(ports), len(want), ports)
	}
	for i, p := range ports {
		w := want[i]
		if p.LID != w.LID || p.GUID != w.GUID || p.Port != w.Port || p.Line != w.Line || p.File != "c" || !maps.Equal(p.Values, w.Values) {
			t.Errorf("port %d is %+v\nwant %+v", i, p, w)
		}
	}
}

// TestReadDBCSV: section PM_INFO of ibdiagnet2.db_csv gives the counters by their names in the
// specification, the extended ones where there are both, and none that a device lacks.
func TestReadDBCSV(t *testing.T) {
	ports, _, err := Read("c", []byte("START_NODES\nNodeGUID\n0x1\nEND_NODES\nSTART_PM_INFO\n"+
		"NodeGUID,PortGUID,PortNumber,SymbolErrorCounter,PortXmitDiscardsExt,PortXmitPkts,PortXmitPktsExtended,PortXmitWait,retransmission_per_sec\n"+
		"0x1,0x1,3,7,2,4294967295,5000000000,0xfffffffffffffffe,N/A\nEND_PM_INFO\n"))
	want := map[string]uint64{"SymbolErrorCounter": 7, "PortXmitDiscards": 2, "PortXmitPkts": 5000000000}
	if err != nil || len(ports) != 1 || ports[0].GUID != 1 || ports[0].Port != 3 || ports[0].Line != 7 || !maps.Equal(ports[0].Values, want) {
		t.Errorf("%+v, %v", ports, err)
	}
	for text, want := range map[string]string{
		"START_PM_INFO\nNodeGUID,PortNumber\n0x1\nEND_PM_INFO\n":     "c:3: 1 values in section PM_INFO (want 2)",
		"START_PM_INFO\nNodeGUID,PortNumber\n0x1,999\nEND_PM_INFO\n": `c:3: PortNumber "999": want a number up to 254`,
		"START_PM_INFO\nNodeGUID,PortNumber\n":                       "c:1: no END_PM_INFO: the file ends early",
	} {
		if _, _, err := Read("c", []byte(text)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestBadCounters(t *testing.T) {
	for text, want := range map[string]string{
		"":                                                     "c: no counters in the output format of perfquery or ibqueryerrors",
		"# Topology file\nSwitch 4 \"a\"\n":                    "c: no counters in the output format of perfquery or ibqueryerrors",
		"# Port counters: Lid 0 port 1\n":                      `c:1: "0" is not a unicast LID`,
		"# Port counters: Lid 3 port 256\n":                    `c:1: "256" is not a port number`,
		"   GUID 0xg port 1: [A == 1]\n":                       `c:1: "0xg" is not a GUID`,
		"   GUID 0x1 port x: [A == 1]\n":                       `c:1: "x" is not a port number`,
		"   GUID 0x1 port 1: [A == many]\n":                    `c:1: A: "many" is not a number`,
		"   GUID 0x1 port\n":                                   `c:1: not GUID, port and counters: "GUID 0x1 port"`,
		"# Port counters: Lid 3 port 1\nA:.":                   "",
		"# Port counters: Lid 3 port 1\nPortXmitData:....9z\n": `c:2: PortXmitData: "9z" is not a number`,
	} {
		_, _, err := Read("c", []byte(text))
		if want == "" && err == nil {
			continue
		}
		netfiletest.CheckError(t, err, want)
	}
}

func FuzzReadCounters(f *testing.F) {
	f.Add(countersText(f))
	f.Add([]byte("\u00a0"))
	f.Fuzz(func(t *testing.T, data []byte) {
		ports, _, err := Read("fuzz", data)
		netfiletest.CheckRead(t, fabric.New(""), err)
		for _, p := range ports {
			if p.Values == nil || p.LID == 0 && p.GUID == 0 {
				t.Fatalf("%+v", p)
			}
		}
	})
}
