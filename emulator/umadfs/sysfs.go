package umadfs

import (
	"fmt"
	"strconv"

	"weft/emulator/umadfs/internal/fuse"
	"weft/wire/mad"
)

// The directories of the mount.
const (
	DevDir   = "dev/infiniband" // replaces /dev/infiniband
	ClassDir = "sys/class"      // replaces /sys/class
)

// pkeyFiles is the number of files for P_Keys: the length of an adapter's table.
const pkeyFiles = 32

// addCA adds the files shared by all ports of an adapter.
func addCA(t *fuse.Tree, ca string, a Adapter) {
	put := func(file string, value func(i Info) string) {
		t.Text(ClassDir+"/infiniband/"+ca+"/"+file, func() string { return value(a.Info()) })
	}
	put("node_type", func(i Info) string { return stateText(nodeTypes, int(mad.NodeInfoNodeType.Get(i.NodeInfo[:]))) })
	put("node_guid", func(i Info) string { return guid(mad.NodeInfoNodeGUID.Get(i.NodeInfo[:])) })
	put("sys_image_guid", func(i Info) string { return guid(mad.NodeInfoSystemImageGUID.Get(i.NodeInfo[:])) })
	put("fw_ver", func(Info) string { return "0.0.0" })
	put("hw_rev", func(i Info) string { return strconv.FormatUint(mad.NodeInfoRevision.Get(i.NodeInfo[:]), 16) })
	put("hca_type", func(i Info) string { return fmt.Sprintf("weft%d", mad.NodeInfoDeviceID.Get(i.NodeInfo[:])) })
}

// addPort adds the files of a port, and names its devices.
func addPort(t *fuse.Tree, index int, ca string, number uint8, a Adapter) {
	for _, kind := range []string{"umad", "issm"} {
		dir := fmt.Sprintf("%s/infiniband_mad/%s%d/", ClassDir, kind, index)
		t.Text(dir+"ibdev", func() string { return ca })
		t.Text(dir+"port", func() string { return strconv.Itoa(int(number)) })
	}
	dir := fmt.Sprintf("%s/infiniband/%s/ports/%d/", ClassDir, ca, number)
	put := func(file, format string, value func(i Info) any) {
		t.Text(dir+file, func() string { return fmt.Sprintf(format, value(a.Info())) })
	}
	field := func(file, format string, f mad.Field) {
		put(file, format, func(i Info) any { return f.Get(i.PortInfo[:]) })
	}
	field("lid", "0x%x", mad.PortInfoLID)
	field("sm_lid", "0x%x", mad.PortInfoMasterSMLID)
	field("lid_mask_count", "%d", mad.PortInfoLMC)
	field("sm_sl", "%d", mad.PortInfoMasterSMSL)
	field("cap_mask", "0x%08x", mad.PortInfoCapabilityMask)
	put("state", "%s", func(i Info) any {
		return stateText(portStates, int(mad.PortInfoPortState.Get(i.PortInfo[:])))
	})
	put("phys_state", "%s", func(i Info) any {
		return stateText(physStates, int(mad.PortInfoPhysicalState.Get(i.PortInfo[:])))
	})
	put("rate", "%s", func(i Info) any { return rateText(i.PortInfo[:]) })
	put("link_layer", "%s", func(Info) any { return "InfiniBand" })
	put("gids/0", "%s", func(i Info) any {
		return guid(mad.PortInfoGidPrefix.Get(i.PortInfo[:])) + ":" + guid(mad.NodeInfoPortGUID.Get(i.NodeInfo[:]))
	})
	for k := range pkeyFiles {
		put("pkeys/"+strconv.Itoa(k), "0x%04x", func(i Info) any {
			if k < len(i.PKeys) {
				return i.PKeys[k]
			}
			return 0
		})
	}
}

var (
	nodeTypes  = []string{1: "CA", 2: "switch", 3: "router"}
	portStates = []string{"NOP", "DOWN", "INIT", "ARMED", "ACTIVE", "ACTIVE_DEFER"}
	physStates = []string{
		"<unknown>", "Sleep", "Polling", "Disabled", "PortConfigurationTraining", "LinkUp", "LinkErrorRecovery", "Phy Test",
	}
)

func stateText(names []string, v int) string {
	if v >= len(names) || names[v] == "" {
		return fmt.Sprintf("%d: <unknown>", v)
	}
	return fmt.Sprintf("%d: %s", v, names[v])
}

// guid prints a GUID in sysfs form.
func guid(g uint64) string {
	return fmt.Sprintf("%04x:%04x:%04x:%04x", g>>48, g>>32&0xFFFF, g>>16&0xFFFF, g&0xFFFF)
}

// laneRates holds the signalling rates of a lane by mad.LinkSpeed, in units of 100 Mbit/s.
var laneRates = [...]struct {
	rate int
	name string
}{
	mad.SpeedSDR: {25, "SDR"}, mad.SpeedDDR: {50, "DDR"}, mad.SpeedQDR: {100, "QDR"}, mad.SpeedFDR: {140, "FDR"},
	mad.SpeedEDR: {250, "EDR"}, mad.SpeedHDR: {500, "HDR"}, mad.SpeedNDR: {1000, "NDR"}, mad.SpeedXDR: {2000, "XDR"},
}

// rateText returns the rate of a port in the kernel's words, such as "100 Gb/sec (4X EDR)".
func rateText(portInfo []byte) string {
	width, speed := mad.LinkWidth(portInfo), mad.LinkSpeed(portInfo)
	if width == 0 || speed == 0 {
		width, speed = 1, mad.SpeedSDR
	}
	lane := laneRates[speed]
	return fmt.Sprintf("%g Gb/sec (%dX %s)", float64(width*lane.rate)/10, width, lane.name)
}
