package discovery

import (
	"testing"

	"weft/fabric/netfile/netfiletest"
)

func FuzzReadIBNetDiscover(f *testing.F) {
	netfiletest.Seed(f, "*.ibnetdiscover")
	netfiletest.Seed(f, netfiletest.ExampleFiles+"*.ibnetdiscover")
	netfiletest.Seed(f, "ibsim-*")
	netfiletest.SeedBad(f, "")
	f.Add([]byte(netfiletest.ChassisDump))
	f.Fuzz(func(t *testing.T, data []byte) {
		fab, _, err := ReadIBNetDiscover("fuzz", data)
		netfiletest.CheckRead(t, fab, err)
	})
}

func FuzzReadLST(f *testing.F) {
	netfiletest.Seed(f, netfiletest.ExampleFiles+"*.lst")
	f.Add([]byte(netfiletest.SwSide + " " + netfiletest.CaSide("01") + " PHY=4x LOG=ACT SPD=14\n"))
	netfiletest.SeedBad(f, "lst")
	f.Fuzz(func(t *testing.T, data []byte) {
		fab, _, err := ReadLST("fuzz", data)
		netfiletest.CheckRead(t, fab, err)
	})
}

func FuzzReadNetDump(f *testing.F) {
	f.Add([]byte(netfiletest.DumpHead + "1/1/1 : 1 : ACT : 4x : 100 : 0x2 : B1D0F0/0/1 : 3 : \"h\"\n1/1/2 : 2 : ACT : 4x : 100 : 0x1 : 1/1/3 : 1 : \"sw\"\n1/1/3 : 3 : ACT : 4x : 100 : 0x1 : 1/1/2 : 1 : \"sw\"\n"))
	netfiletest.SeedBad(f, "dump")
	f.Fuzz(func(t *testing.T, data []byte) {
		fab, _, err := ReadNetDump("fuzz", data)
		netfiletest.CheckRead(t, fab, err)
	})
}

func FuzzReadDBCSV(f *testing.F) {
	f.Add([]byte("START_NODES\nNodeDesc,NumPorts,NodeType,SystemImageGUID,NodeGUID\n\"sw, 1\",2,2,0x1,0x1\nh,1,1,0x2,0x2\nEND_NODES\nSTART_PORTS\nNodeGuid,PortGuid,PortNum,LID,LMC,LinkWidthActv,LinkSpeedActv,PortState,VLCap\n0x1,0x1,0,5,0,0,0,0,4\n0x2,0x3,1,8,2,2,512,4,5\nEND_PORTS\nSTART_LINKS\nNodeGuid1,PortNum1,NodeGuid2,PortNum2\n0x1,1,0x2,1\nEND_LINKS\n"))
	f.Add([]byte("START_A\nEND_A\nSTART_NODES\nx,,,NodeGUID\n1,2,3\nEND_NODES\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		fab, _, err := ReadDBCSV("fuzz", data)
		netfiletest.CheckRead(t, fab, err)
	})
}

func FuzzReadPortList(f *testing.F) {
	f.Add([]byte("SW     2  1 0x2 4x QDR - CA     1  1 0x5 ( 'a' - 'b' )\nCA 1 1 0x5 4x QDR - SW 2 1 0x2 ( 'b' - 'a' )\nSW 2 2 0x2 4x SDR      'a'\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		fab, _, err := ReadPortList("fuzz", data)
		netfiletest.CheckRead(t, fab, err)
	})
}

func FuzzReadNodeList(f *testing.F) {
	f.Add([]byte("Switch\t : 0x1 ports 36 devid 0x1 vendid 0x1 \"a\"\nCa\t : 0x2 ports 1 devid 0x1 vendid 0x1 \"b\"\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		fab, _, err := ReadNodeList("fuzz", data)
		netfiletest.CheckRead(t, fab, err)
	})
}
