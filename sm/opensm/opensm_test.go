package opensm

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/netfile"
	"weft/internal/configfile"
	"weft/route/levels"
	"weft/sm/partition"
	"weft/sm/terms"
)

// conf is a configuration file.
func conf(lines ...string) *File {
	return &File{"opensm.conf", []byte(strings.Join(lines, "\n") + "\n")}
}

// opener finds files by the paths that a configuration names.
func opener(files map[string]string) func(string, string) (*File, error) {
	return func(_, path string) (*File, error) {
		if data, ok := files[path]; ok {
			return &File{path, []byte(data)}, nil
		}
		return nil, nil
	}
}

// told writes a Result as text: the settings, then the notes.
func told(r *Result) string {
	var b strings.Builder
	for _, s := range r.Settings {
		fmt.Fprintf(&b, "%s = %s\n", s.Option, strings.Join(s.Values, " | "))
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "%s:%d: %s %s: %s\n", n.File, n.Line, n.Option, n.Value, n.Fate)
	}
	return b.String()
}

// TestImport: each option becomes what is written out here, and nothing else is said.
func TestImport(t *testing.T) {
	files := map[string]string{"/etc/roots": "0x10\n# a remark\n0x11 # another\n", "/etc/io": "0x20\n", "/etc/order": "0x10 1 2 3\n"}
	for _, c := range []struct{ name, lines, want string }{
		{"defaults", "lmc 0\nsm_priority 0\nrouting_engine (null)\nsm_key 0x0000000000000001\nlog_max_size 0\n", ""},
		{
			"numbers", "lmc 2\nsm_priority 7\nsm_key 0x5\nmax_op_vls 3\nsweep_interval 30\ntransaction_timeout 500\n",
			"lmc = 2\npriority = 7\nsm-key = 5\nvls = 4\ninterval = 30s\ntimeout = 500ms\n" +
				"opensm.conf:1: lmc 2: taken over\nopensm.conf:2: sm_priority 7: taken over\nopensm.conf:3: sm_key 0x5: taken over\n" +
				"opensm.conf:4: max_op_vls 3: taken over\nopensm.conf:5: sweep_interval 30: taken over\nopensm.conf:6: transaction_timeout 500: taken over\n",
		},
		{
			"unknown, twice, none", "lmcs 2\nlmc 1\nlmc 3\ntorus_config /x\nlog_file '/var/log/a b'\n",
			"lmc = 3\nopensm.conf:1: lmcs 2: unknown\nopensm.conf:2: lmc 1: not needed\nopensm.conf:3: lmc 3: taken over\n" +
				"opensm.conf:4: torus_config /x: not taken\nopensm.conf:5: log_file /var/log/a b: not needed\n",
		},
		{
			"keys", "m_key 0x99\nm_key_lease_period 30\n",
			"m-key = 0x99\nmkey-lease = 30s\nmkey-protect = 0\nopensm.conf:1: m_key 0x99: taken over\n" +
				"opensm.conf:2: m_key_lease_period 30: taken over\nopensm.conf:1: m_key_protection_level 0: taken over\n",
		},
		{
			"engines", "routing_engine ftree, dnup updn\nroot_guid_file /etc/roots # here\nio_guid_file /etc/io\nport_search_ordering_file /etc/order\ncn_guid_file /etc/none\n",
			"engine = ftree,updn\noption = ftree.roots=0x0000000000000010;0x0000000000000011 | updn.roots=0x0000000000000010;0x0000000000000011\nio-guids = /etc/io\n" +
				"opensm.conf:1: routing_engine ftree, dnup updn: not taken\nopensm.conf:1: routing_engine ftree, dnup updn: taken over\n" +
				"opensm.conf:1: routing_engine ftree, dnup updn: not taken\nopensm.conf:2: root_guid_file /etc/roots: taken over\n" +
				"opensm.conf:3: io_guid_file /etc/io: taken over\nopensm.conf:4: port_search_ordering_file /etc/order: not taken\n" +
				"opensm.conf:5: cn_guid_file /etc/none: not taken\n",
		},
		{
			"nue", "routing_engine nue,no_fallback\nnue_max_num_vls 6\nperfmgr TRUE\n",
			"engine = nue\noption = nue.vls=4\ncounters = 180s\nopensm.conf:1: routing_engine nue,no_fallback: taken over\n" +
				"opensm.conf:2: nue_max_num_vls 6: taken over\nopensm.conf:3: perfmgr TRUE: taken over\n",
		},
		{
			"congestion control", "congestion_control TRUE\ncc_key 0x7\ncc_sw_cong_setting_threshold 0xf\ncc_sw_cong_setting_marking_rate 3\ncc_ca_cong_setting_ccti_timer 0 30\n" +
				"cc_ca_cong_setting_ccti_timer 1 31\ncc_ca_cong_setting_ccti_increase 0 1\ncc_cct 0:0,1:5, 3:7\ncc_sw_cong_setting_credit_mask 0x2\n",
			"congestion-control = threshold=15,rate=3,size=0,victims=no,increase=1,least=0,timer=30.72us,table=0:0/1:5/3:7\ncc-key = 0x7\n" +
				"opensm.conf:6: cc_ca_cong_setting_ccti_timer 1 31: not taken\nopensm.conf:1: congestion_control TRUE: taken over\nopensm.conf:2: cc_key 0x7: taken over\n" +
				"opensm.conf:3: cc_sw_cong_setting_threshold 0xf: taken over\nopensm.conf:4: cc_sw_cong_setting_marking_rate 3: taken over\n" +
				"opensm.conf:5: cc_ca_cong_setting_ccti_timer 0 30: taken over\nopensm.conf:6: cc_ca_cong_setting_ccti_timer 1 31: taken over\n" +
				"opensm.conf:7: cc_ca_cong_setting_ccti_increase 0 1: taken over\nopensm.conf:8: cc_cct 0:0,1:5, 3:7: taken over\nopensm.conf:9: cc_sw_cong_setting_credit_mask 0x2: not taken\n",
		},
		{
			"congestion control that does nothing", "congestion_control TRUE\ncc_sw_cong_setting_threshold 0xf\n", "opensm.conf:1: congestion_control TRUE: not taken\nopensm.conf:2: cc_sw_cong_setting_threshold 0xf: not taken\n",
		},
		{
			"no congestion control", "cc_sw_cong_setting_threshold 0xf\n", "opensm.conf:1: cc_sw_cong_setting_threshold 0xf: not needed\n",
		},
	} {
		r, err := Import(&Input{Config: conf(strings.Split(strings.TrimSuffix(c.lines, "\n"), "\n")...), Open: opener(files)})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := told(r); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// TestQoS: lanes of their own become levels with their weights as shares, and what is otherwise
// than it was is said.
func TestQoS(t *testing.T) {
	policy := map[string]string{"/etc/opensm/qos-policy.conf": "qos-ulps\ndefault : 0\nend-qos-ulps\n"}
	sls := map[string]string{"/etc/opensm/partitions.conf": "a=0x1, sl=3 : ALL ;\nb=0x2, sl=11 : ALL ;\nc=0x3, sl=2 : ALL ;\n"}
	for _, c := range []struct {
		name, lines  string
		files        map[string]string
		levels, says string
	}{
		{"off", "qos FALSE\nqos_vlarb_low 0:1,1:2\nqos_policy_file /x", policy, "", "qos is FALSE"},
		{"nothing", "qos TRUE", policy, "", "only SL 0 is used"},
		{"partitions", "qos TRUE", sls, "default share=3\nsl2 share=1 sl=2\nsl3 share=1 sl=3\nsl11 share=1 sl=11\n", "the high and the low table take turns"},
		{"lanes", "qos TRUE\nqos_sl2vl 0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3\nqos_vlarb_high 0:0\nqos_vlarb_low 0:10,1:20,2:30,3:40", nil, "default share=1\nsl1 share=2 sl=1\nsl2 share=3 sl=2\nsl3 share=4 sl=3\n", "SL 5, 9, 13 shared VL 1 with SL 1"},
		{"lanes and partitions", "qos TRUE\nqos_sl2vl 0,0,0,1,0,0,0,0,0,0,0,1,0,0,0,0\nqos_vlarb_high 3:1\nqos_vlarb_low 0:1,1:1", sls, "default share=1 partition=0x0003\nsl3 share=1 sl=3 partition=0x0002\n", "SL 11 shared VL 1 with SL 3"},
		{"high", "qos TRUE\nqos_high_limit 4\nqos_vlarb_high 1:3,2:6\nqos_vlarb_low 0:5,2:9,3:200", nil, "default share=1\nsl1 share=1 sl=1 priority=high\nsl2 share=2 sl=2 priority=high\nsl3 share=40 sl=3\n", "VL 2 is in both tables"},
		{"limit 0", "qos TRUE\nqos_vlarb_high 0:1\nqos_vlarb_low 1:1,2:3", nil, "default share=4\nsl1 share=1 sl=1\nsl2 share=3 sl=2\n", "each gets half of a busy link"},
		{"never sent", "qos TRUE\nqos_sl2vl 0,1,15,15,15,15,15,15,15,15,15,15,15,15,15,15\nqos_vlarb_high 0:4\nqos_vlarb_low 0:4", nil, "default share=1\nsl1 share=1 sl=1\n", "VL 1 has no weight"},
		{"between switches", "qos TRUE\nqos_vlarb_low 0:1\nqos_swe_vlarb_low 0:1,1:2\nqos_swe_vlarb_high 0:0", nil, "default share=1\nsl1 share=2 sl=1\n", "weft uses the levels and shares of ports between switches"},
		{"too many", "qos TRUE\nqos_vlarb_low 0:1,1:1,2:1,3:1,4:1,5:1,6:1,7:1,8:1", sls, "default share=4\nsl2 share=1 sl=2\nsl3 share=1 sl=3\nsl11 share=1 sl=11\n", "10 lanes have SLs of their own"},
		{"twice", "qos TRUE\nqos_vlarb_high 0:0\nqos_vlarb_low 0:255,1:255,0:255", nil, "default share=2\nsl1 share=1 sl=1\n", ""},
	} {
		r, err := Import(&Input{Config: conf(strings.Split(c.lines, "\n")...), Open: opener(c.files)})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		_, list, _ := strings.Cut(string(r.Levels), "\n")
		var all []string
		for _, n := range r.Notes {
			all = append(all, fmt.Sprintf("%s: %s", n.Fate, n.Text))
		}
		if list != c.levels || !strings.Contains(strings.Join(all, "\n"), c.says) {
			t.Errorf("%s: got\n%s\nwant\n%s\n%s", c.name, list, c.levels, strings.Join(all, "\n"))
		}
	}
}

// TestQoSLevels: of any tables whatever levels can be read, of which the first is that of SL 0, no
// SL has two, and no share between VLs of one table is turned round.
func TestQoSLevels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := qos{limit: rapid.Uint64Range(0, 255).Draw(t, "limit"), partitions: map[uint8][]uint16{}, rules: map[uint8][]string{}}
		for i := range q.vl {
			q.vl[i] = rapid.Uint64Range(0, 15).Draw(t, "vl")
			q.told[i] = rapid.Bool().Draw(t, "told")
			if i < 15 {
				q.high[i], q.low[i] = rapid.Uint64Range(0, 300).Draw(t, "high"), rapid.Uint64Range(0, 300).Draw(t, "low")
			}
			if rapid.IntRange(0, 3).Draw(t, "partition") == 0 {
				q.partitions[uint8(i)] = append(q.partitions[uint8(i)], uint16(i+1))
			}
			if rapid.IntRange(0, 3).Draw(t, "rule") == 0 {
				q.rules[uint8(i)] = []string{fmt.Sprintf("class=%d", i)}
			}
		}
		delete(q.partitions, 0)
		r := &importer{}
		list, err := levels.Read("x", []byte(strings.Join(r.qosLevels(line{}, &q), "\n")))
		if err != nil || list[0].Name != "default" || len(list) > len(q.partitions)+len(q.rules)+1 && len(list) > mostQoSLevels {
			t.Fatalf("%v, %v", list, err)
		}
		for i := range list {
			for _, class := range list[i].Classes {
				if q.vl[class] != q.vl[list[i].SL] {
					t.Fatalf("class %d on VL %d is in %+v", class, q.vl[class], list[i])
				}
			}
			for j := range list {
				a, b := q.vl[list[i].SL], q.vl[list[j].SL]
				if list[i].High == list[j].High && q.high[a] <= q.high[b] && q.low[a] <= q.low[b] && list[i].Share > list[j].Share {
					t.Fatalf("VLs %d and %d: %+v, %+v", a, b, list[i], list[j])
				}
			}
		}
	})
}

// TestImportErrors: a bad file of LIDs, keys or partitions ends the import, with all of its lines.
func TestImportErrors(t *testing.T) {
	for _, c := range []struct {
		in   Input
		want string
	}{
		{Input{LIDs: &File{"guid2lid", []byte("0x1 0x1 0x1\n\n0x2 0x1 0x1\n")}}, "guid2lid:3: LID 1 is assigned to port 0x0000000000000001 and to port 0x0000000000000002: remove one of the lines"},
		{Input{LIDs: &File{"guid2lid", []byte("0x1 0x4 0x5\n0x2 0x5 0x5\n")}}, "guid2lid:2: LID 5 is assigned to port 0x0000000000000001 and to port 0x0000000000000002: remove one of the lines"},
		{Input{LIDs: &File{"guid2lid", []byte("0x1 0x3 0x4\n")}}, "guid2lid:1: LIDs 0x3 to 0x4: a port has 1, 2, 4 ... or 128 LIDs, and the first is a multiple of their number"},
		{Input{LIDs: &File{"guid2lid", []byte("0x1 0xc000\n")}}, `guid2lid:1: "0xc000" is not a unicast LID`},
		{
			Input{LIDs: &File{"guid2lid", []byte("0x1 0xc000\n0x2\n")}, Keys: &File{"guid2mkey", []byte("0x1\n")}, Config: conf("partition_config_file /etc/bad", "lmc 9")},
			`guid2lid:1: "0xc000" is not a unicast LID` + "\nguid2lid:2: port 0x0000000000000002 has no LID\nguid2mkey:1: want a port GUID, or * for any port, and its M_Key",
		},
	} {
		c.in.Open = opener(map[string]string{"/etc/bad": "what\n"})
		r, err := Import(&c.in)
		if err == nil || err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
		if c.in.Config != nil && (!strings.Contains(told(r), "lmc 9: wrong there too") || !strings.Contains(told(r), "/etc/bad:0:  : wrong there too")) {
			t.Errorf("the other lines are not told: %s", told(r))
		}
	}
}

// TestNotTaken: what weft or OpenSM does not take is a line of the report, and ends nothing.
func TestNotTaken(t *testing.T) {
	files := map[string]string{
		"/etc/roots": "0x10 spine-1\nspine 1\n16\n", "/etc/order": "0x10 1 999\n", "/etc/pgroups": "0x1\nleaves\n", "/etc/decimal": "0x5 a\n16 b\n",
		"/etc/policy": "qos-levels\nqos-level\nname: DEFAULT\nsl: 0\nend-qos-level\nend-qos-levels\nqos-ulps\nany, pkey 0x77: 1\nany, service-id 1: 1\nend-qos-ulps\n", "/etc/policy2": "what\n",
		"/etc/opensm/prefix-routes.conf": "# none\n", "/etc/opensm/torus-2QoS.conf": "torus 4 4 4\n",
	}
	for _, c := range []struct {
		lines, want, says string
	}{
		{"lmc 8", "", "lmc 8: wrong there too: want a number from 0 to 7; OpenSM's default is 0"},
		{"lmc", "", "lmc : wrong there too"},
		{"routing_engine ar_updn", "engine = updn\n", "engine: updn (ar_updn as updn), without adaptive routing"},
		{"routing_engine dfp2,no_fallback", "", "weft has no engine dfp2: auto chooses one"},
		{"routing_engine updown", "", "wrong there too: OpenSM has no engine updown"},
		{"routing_engine FTREE updn;lash torus-2QoS", "engine = torus\n", "OpenSM has no engine FTREE, updn;lash"},
		{"lmc 2\nlmc = 5\nlmc abc", "lmc = 2\n", "lmc abc: wrong there too: OpenSM ignores the line: want a number from 0 to 255"},
		{"sm_key -1", "sm-key = 18446744073709551615\n", "taken over"},
		{"max_wire_smps 0x80000000", "", "OpenSM's default is 4"},
		{"perfmgr TRUE\nperfmgr_sweep_time_s 0", "counters = 180s\n", "OpenSM's default is 180"},
		{"perfmgr TRUE\nperfmgr_sweep_time_s 5", "counters = 5s\n", "see perfmgr, line 1"},
		{"m_key 1\nm_key_lease_period 5\nm_key_protection_level 1", "m-key = 0x1\nmkey-lease = 11s\nmkey-protect = 1\n", "OpenSM's lease is 11: longer than sweep_interval"},
		{"qos_high_limit 12abc", "", "OpenSM reads it as 12"},
		{`root_guid_file "(null)"`, "", "torus_config"},
		{"# " + strings.Repeat("x", 1019) + " lmc 3", "lmc = 3\n", "taken over"},
		{"# " + strings.Repeat("x", 1018) + " lmc 3", "", "c 3: unknown"},
		{"node_name_map_name /etc/pgroups", "", `wrong there too: /etc/pgroups:2: "leaves" is not a GUID, and OpenSM drops the whole file`},
		{"node_name_map_name /etc/order", "node-map = /etc/order\n", "taken over"},
		{"routing_engine ar_ftree, pqft minhop", "engine = ftree,minhop\n", "ar_ftree as ftree, pqft as ftree"},
		{"m_key 1\nm_key_protection_level 4", "m-key = 0x1\nmkey-lease = 0s\nmkey-protect = 2\n", "OpenSM uses level 2 above 3"},
		{"m_key x", "", "OpenSM ignores the line"},
		{"transaction_retries 5000", "retries = 1000\n", "transaction_retries 5000: taken as another: retries: 1000"},
		{"max_wire_smps 0", "window = 1024\n", "taken as another"},
		{"sweep_interval 010", "interval = 8s\n", "taken over"},
		{"part_enforce OFF", "", "want both, in, out or off; OpenSM's default is both"},
		{"part_enforce in\nno_partition_enforcement TRUE", "partition-enforce = off\n", "see no_partition_enforcement, line 2"},
		{"ignore_other_sm yes", "", "OpenSM reads it as FALSE"},
		{"perfmgr true", "", "OpenSM reads it as FALSE"},
		{"subnet_prefix 0xfec0000000000001", "gid-prefix = fec0000000000001\n", "taken over"},
		{"babbling_port_policy TRUE", "babbling-port = disable\n", "taken over"},
		{"dimn_ports_file /etc/order", "", "dimn_ports_file /etc/order: not taken: stands for port_search_ordering_file"},
		{"no_qos FALSE", "", "no_qos TRUE: not needed: stands for qos"},
		{"port_search_ordering_file /etc/order", "", `"999" is not a port`},
		{"routing_engine updn\nroot_guid_file /etc/roots", "engine = updn\noption = updn.roots=0x0000000000000010\n", "spine 1: not taken: not a GUID"},
		{"cn_guid_file /etc/pgroups", "", "copy the file with GUIDs only, and set cn-guids"},
		{"io_guid_file /etc/names", "", "the file does not exist"},
		{"cn_guid_file /etc/decimal", "", "/etc/decimal:2: \"16\" is not the same GUID for OpenSM"},
		{"node_name_map_name /etc/decimal", "", "write 0x before the GUIDs, and set node-map"},
		{"congestion_control TRUE\ncc_sw_cong_setting_threshold 16", "", "want a number from 0 to 15"},
		{"congestion_control TRUE\ncc_ca_cong_setting_ccti_min 16 0", "", "SL: want a number from 0 to 15"},
		{"congestion_control TRUE\ncc_key 0x7", "", "cc_key 0x7: not taken: see congestion_control, line 1"},
		{"qos TRUE\nqos_vlarb_low 0:1,15:3", "", "want VL:WEIGHT, 0 to 14 and 0 to 255"},
		{"qos TRUE\nqos_sl2vl 0,1\nqos_vlarb_high 1:4\nqos_vlarb_low 0:1", "", "OpenSM warns: 2 VLs for 16 SLs"},
		{"qos TRUE\nqos_vlarb_low 0:1" + strings.Repeat(",1:1", 64), "", "OpenSM warns: 65 entries; it takes 64"},
		{"qos_sl2vl 0,x", "", "SL 1: want a number from 0 to 15"},
		{"qos TRUE\nqos_policy_file (null)", "", "OpenSM then reads no policy"},
		{"qos_rtr_high_limit 256", "", "want a number from 0 to 255"},
		{"qos TRUE\nqos_policy_file /etc/policy", "", "no partition has P_Key 0x0077"},
		{"qos TRUE\nqos_policy_file /etc/policy2", "", "the whole file is left out"},
		{"held_back_sw_file /etc/x", "", "drain keeps traffic off a switch"},
		{"max_op_vls 9", "", "want a number from 1 to 5"},
		{"console off", "", "/etc/opensm/prefix-routes.conf:0: prefix_routes_file /etc/opensm/prefix-routes.conf: not needed: the file"},
		{"console off", "", "/etc/opensm/torus-2QoS.conf:0: torus_config : not taken"},
	} {
		r, err := Import(&Input{Config: conf(strings.Split(c.lines, "\n")...), Open: opener(files)})
		if err != nil {
			t.Errorf("%s: %v", c.lines, err)
		}
		var settings strings.Builder
		for _, s := range r.Settings {
			fmt.Fprintf(&settings, "%s = %s\n", s.Option, strings.Join(s.Values, " | "))
		}
		var says strings.Builder
		for _, n := range r.Notes {
			fmt.Fprintf(&says, "%s:%d: %s %s: %s: %s\n", n.File, n.Line, n.Option, n.Value, n.Fate, n.Text)
		}
		if settings.String() != c.want || !strings.Contains(says.String(), c.says) {
			t.Errorf("%s: got\n%swant\n%s%s\nin\n%s", c.lines, settings.String(), c.want, c.says, says.String())
		}
	}
}

// TestNothingIsLost: every line that differs from OpenSM's default is in the report, whatever its
// value, and nothing but files of LIDs, keys and partitions ends the import.
func TestNothingIsLost(t *testing.T) {
	names := slices.Sorted(maps.Keys(options()))
	values := []string{"TRUE", "FALSE", "true", "", "0", "1", "7", "255", "256", "-1", "0x10", "1 2", "0:1,1:2", "ftree,ar_updn", "/etc/f", "/etc/none", "(null)", "off", "0,1,2,3,4,5,6,7,0,1,2,3,4,5,6,7"}
	files := map[string]string{"/etc/f": "0x10 name\nword\n", "0": ""}
	rapid.Check(t, func(t *rapid.T) {
		var lines []string
		for range rapid.IntRange(1, 12).Draw(t, "lines") {
			lines = append(lines, rapid.SampledFrom(names).Draw(t, "name")+" "+rapid.SampledFrom(values).Draw(t, "value"))
		}
		lines = slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, "partition_config_file") })
		r, err := Import(&Input{Config: conf(lines...), Open: opener(files)})
		if err != nil {
			t.Fatal(err)
		}
		told := map[int]bool{}
		for _, n := range r.Notes {
			told[n.Line] = true
		}
		for i, l := range lines {
			name, value, _ := strings.Cut(l, " ")
			o := options()[name]
			usual := o.usual == "(null)" && plain(value) == "" || o.usual != "(null)" && (o.isTruth() && value == o.usual || !o.isTruth() && o.isUsual(plain(value)))
			if !usual && !told[i+1] {
				t.Fatalf("nothing is said of line %d, %s", i+1, l)
			}
		}
	})
}

// TestEveryOption: no option is lost without a line, for each value and with all switches on that
// other options depend on.
func TestEveryOption(t *testing.T) {
	values := []string{"TRUE", "FALSE", "true", "", "0", "1", "7", "255", "256", "-1", "0x10", "1 2", "0:1,1:2", "minhop", "/etc/f", "/etc/none", "(null)", "off", "0,1"}
	for _, on := range []string{"", "qos TRUE\nperfmgr TRUE\ncongestion_control TRUE\nm_key 1\nrouting_engine nue"} {
		for name, o := range options() {
			for _, value := range values {
				lines := append(strings.Split(on, "\n"), name+" "+value)
				r, err := Import(&Input{Config: conf(lines...), Open: opener(map[string]string{"/etc/f": "0x10 name\nword\n"})})
				if err != nil {
					t.Fatal(err)
				}
				usual := o.usual == value || !o.isTruth() && o.isUsual(plain(value))
				if !usual && !slices.ContainsFunc(r.Notes, func(n Note) bool { return n.Line == len(lines) || name == "partition_config_file" && n.File == value }) {
					t.Errorf("nothing is said of %s %s after %q", name, value, on)
				}
			}
		}
	}
}

// TestStartup: options of OpenSM's command line win over opensm.conf.
func TestStartup(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"OPTIONS=\"-p 5 --routing_engine ftree -l2 -k 5\"\n", "priority = 5\nengine = ftree\nlmc = 2\nsm-key = 5\n"},
		{"[Service]\nExecStart=/usr/sbin/opensm -B --subnet_prefix fec0000000000001 $OPTIONS\n", "gid-prefix = fec0000000000001\n"},
		{"# PRIORITY=3\nPRIORITY=7\nGUIDS=\nif [ -n \"$GUIDS\" ]; then\n  opensm -p 1\nfi\nX=$(cat /etc/y)\n", "priority = 1\n"},
		{"PRIORITY=7\nGUIDS=\necho opensm -p 3\nservice opensm start\n", "priority = 7\n"},
		{"prog=/usr/sbin/opensm\n  (while true; do $prog -B -l 3 -g $guid; sleep 30; done) &\n", "lmc = 3\n/etc/sysconfig/opensm:2: -B : not needed\n/etc/sysconfig/opensm:2: guid $guid: not taken\n"},
		{"  SIM_HOST=\"$name\" OSM_CACHE_DIR=\"/x\" \\\n  opensm --daemon -l 3 \\\n  > /x/out 2>&1\n", "lmc = 3\n"},
		{"DFLT_OPTS=\"--daemon -l 3 > /dev/null 2>&1\"\n", "lmc = 3\n/etc/sysconfig/opensm:1: --daemon : not needed\nopensm.conf"},
		{"exec /usr/sbin/opensm -g $PORT\n", "/etc/sysconfig/opensm:1: guid $PORT: not taken"},
		{"# don't\nopensm \\\n  --prio 3 \\\n  -BQ -d 0 >/dev/null\n", "priority = 3\ntake-over = true\n"},
		{"Environment=\"ARGS=-l 2\"\nExecStart=/usr/libexec/opensm-launch\n", "lmc = 2\n"},
		{"ExecStart=/usr/libexec/opensm-launch\n", "/etc/sysconfig/opensm:1: ExecStart /usr/libexec/opensm-launch: not taken"},
		{"ExecStart=-/usr/sbin/opensm -J /run/pid\n", "/etc/sysconfig/opensm:1: -J : not needed"},
		{"ARGS='-R updn,minhop -Z off --priority=9'\n", "engine = updn,minhop\npartition-enforce = off\npriority = 9\n"},
		{"OPTIONS=--what\n", "what"},
		{"SM=${SM:-\"/opt/sbin/opensm\"}\nPRIO=7\nsudo $SM -B --lmc 3 --priority $PRIO\n", "lmc = 3\n/etc/sysconfig/opensm:3: -B : not needed\n/etc/sysconfig/opensm:3: sm_priority $PRIO: not taken\n"},
		{"$OPENSM -l 3\n", "lmc = 3\n"},
		{"PRIORITY=${PRIORITY:-7}\n", "priority = 7\n"},
		{"opensm -F /a/one.conf &\nopensm -F /a/two.conf &\n", "/etc/sysconfig/opensm:1: config /a/one.conf: not needed\n/etc/sysconfig/opensm:2: config /a/two.conf: not taken\n"},
	} {
		r, err := Import(&Input{Config: conf("sm_priority 1", "part_enforce in"), Startup: []*File{{"/etc/sysconfig/opensm", []byte(c.text)}}})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(told(r), c.want) {
			t.Errorf("%s: got\n%s\nwant\n%s", c.text, told(r), c.want)
		}
	}
	if got := (&File{Data: []byte("#!/bin/sh\n# it's ours\nopensm -F /etc/x.conf &\n")}).ConfigOf(); got != "/etc/x.conf" {
		t.Errorf("configuration %q", got)
	}
	r, err := Import(&Input{Startup: []*File{{"/x", []byte("opensm --config /etc/y.conf\n")}}})
	if want := "/x:1: config /etc/y.conf: not taken"; err != nil || !strings.Contains(told(r), want) {
		t.Errorf("%v, got %s, want %s", err, told(r), want)
	}
	if got := (&File{Data: []byte("tail -F /var/log/x &\nexec opensm -F /etc/x.conf \"$@\"\n")}).ConfigOf(); got != "/etc/x.conf" {
		t.Errorf("configuration %q", got)
	}
	if got := (&File{Data: []byte("ExecStart=/usr/sbin/opensm -F /etc/x.conf\n")}).ConfigOf(); got != "/etc/x.conf" {
		t.Errorf("configuration %q", got)
	}
	for name, a := range arguments() {
		if _, known := options()[a.option]; !known && a.option != "" {
			t.Errorf("-%s: %s is no option", name, a.option)
		}
	}
}

// TestOptionsOfOpenSM: every option that the table calls taken over has a function that does so,
// and no other has.
func TestOptionsOfOpenSM(t *testing.T) {
	if len(options()) != 160 {
		t.Errorf("%d options, want the 160 of OpenSM 3.3.23", len(options()))
	}
	for name, o := range options() {
		if (o.fate == Taken) != (takers[name] != nil) {
			t.Errorf("%s: %s", name, o.fate)
		}
		if o.fate == Left && o.text == "" {
			t.Errorf("%s: what weft sm does is not said", name)
		}
	}
	for name := range takers {
		if _, ok := options()[name]; !ok {
			t.Errorf("%s is no option of OpenSM", name)
		}
	}
}

// drawLIDs draws LIDs of ports that do not clash.
func drawLIDs(t *rapid.T) terms.LIDMap {
	m := terms.LIDMap{}
	next := 1
	for range rapid.IntRange(0, 30).Draw(t, "ports") {
		lmc := rapid.IntRange(0, 7).Draw(t, "lmc")
		base := (next + rapid.IntRange(0, 40).Draw(t, "gap") + 1<<lmc - 1) >> lmc << lmc
		guid := fabric.GUID(rapid.Uint64Range(1, 1<<64-1).Draw(t, "guid"))
		if _, twice := m[guid]; twice || base+1<<lmc > 0xbfff {
			continue
		}
		m[guid] = terms.PortLIDs{Base: fabric.LID(base), LMC: uint8(lmc)}
		next = base + 1<<lmc
	}
	return m
}

// TestThereAndBack: LIDs that are exported and imported are the same ones; and exported again they
// are the same bytes.
func TestThereAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawLIDs(t)
		files, _ := (&Export{LIDs: m}).Files("/d")
		r, err := Import(&Input{LIDs: &files[0]})
		if err != nil {
			t.Fatal(err)
		}
		if !maps.Equal(r.LIDs, m) {
			t.Fatalf("got %v\nwant %v", r.LIDs, m)
		}
		most := uint8(0)
		for _, p := range m {
			most = max(most, p.LMC)
		}
		if c := string(files[len(files)-1].Data); most > 0 != strings.Contains(c, fmt.Sprintf("\nlmc %d\n", most)) {
			t.Fatalf("LMC %d by\n%s", most, c)
		}
		again, _ := (&Export{LIDs: r.LIDs}).Files("/d")
		if string(again[0].Data) != string(files[0].Data) {
			t.Fatal("other bytes")
		}
	})
}

// TestConfigurationThereAndBack: what an OpenSM is configured by comes back as it was.
func TestConfigurationThereAndBack(t *testing.T) {
	lines := []string{
		"sm_priority 7", "sm_key 5", "m_key 0x99", "m_key_lease_period 30", "m_key_protection_level 1", "max_op_vls 3", "sweep_interval 30",
		"routing_engine torus-2QoS,nue,updn", "root_guid_file /d/root_guid.conf", "nue_max_num_vls 4", "perfmgr TRUE", "perfmgr_sweep_time_s 60",
		"congestion_control TRUE", "cc_key 0x5", "cc_sw_cong_setting_threshold 9", "cc_sw_cong_setting_packet_size 4", "cc_sw_cong_setting_marking_rate 2", "cc_sw_cong_setting_victim_mask 0xff",
		"cc_ca_cong_setting_ccti_timer 0 77", "cc_ca_cong_setting_ccti_increase 0 2", "cc_ca_cong_setting_ccti_min 0 1", "cc_cct 0:0,1:5,2:8",
		"cn_guid_file /d/cn", "ignore_other_sm TRUE", "part_enforce in", "subnet_prefix 0xfec0000000000007", "babbling_port_policy TRUE", "node_name_map_name /d/names", "transaction_timeout 300", "transaction_retries 5", "max_wire_smps 16",
	}
	read := func(config *File) *Result {
		r, err := Import(&Input{Config: config, Open: opener(map[string]string{"/d/root_guid.conf": "0x0000000000000010\n", "/d/cn": "0x5\n", "/d/names": "0x5 \"n5\"\n"})})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first := read(conf(lines...))
	back := &configfile.File{Name: "sm.yaml"}
	for i, s := range first.Settings {
		back.Settings = append(back.Settings, configfile.Setting{Option: s.Option, Values: s.Values, Line: i + 1})
	}
	files, notes := (&Export{Config: back}).Files("/d/")
	if len(notes) > 0 {
		t.Errorf("not given back: %v", notes)
	}
	second := read(&files[len(files)-1])
	byName := func(r *Result) string {
		text := strings.SplitAfter(told(&Result{Settings: r.Settings}), "\n")
		slices.Sort(text)
		return strings.Join(text, "")
	}
	if got, want := byName(second), byName(first); got != want {
		t.Errorf("got\n%s\nwant\n%s\nby\n%s", got, want, files[len(files)-1].Data)
	}
}

// FuzzImport: a file gives a Result or an error that names a line; what was taken of LIDs is what
// was there.
func FuzzImport(f *testing.F) {
	f.Add([]byte("lmc 1\nrouting_engine ftree\n"), []byte("0x1 0x2 0x3\n"), []byte("0x1:1 0x2:2\n"))
	f.Add([]byte("m_key 0x1\nroot_guid_file \"/x\"\nrouting_engine updn,ftree\nport_search_ordering_file y\n"), []byte("0x1 1\n\n0x2 2"), []byte("0x1 0x7\n"))
	f.Add([]byte("qos TRUE\nqos_vlarb_low 0:1,1:2\nqos_swe_sl2vl 0,1,2,3,4,5,6,7,0,1,2,3,4,5,6,7\nqos_high_limit 3\n"), []byte(""), []byte("a=0x1,sl=3:ALL;"))
	f.Add([]byte("qos_max_vls 0\ncc_ca_cong_setting_ccti_min 0 0\nlmc (null)\nlmc_esp0 TRUE\n"), []byte("# none\n"), []byte(""))
	f.Fuzz(func(t *testing.T, config, lids, other []byte) {
		in := &Input{
			Config: &File{"opensm.conf", config}, LIDs: &File{"guid2lid", lids}, Neighbors: &File{"neighbors", other}, Keys: &File{"guid2mkey", other},
			Open: func(_, path string) (*File, error) { return &File{path, other}, nil },
		}
		r, err := Import(in)
		if err != nil {
			if r == nil {
				t.Fatal("no report beside errors")
			}
			checkError(t, err)
			return
		}
		files, _ := (&Export{LIDs: r.LIDs}).Files("/d")
		again, err := Import(&Input{LIDs: &files[0]})
		if err != nil || !maps.Equal(again.LIDs, r.LIDs) {
			t.Fatalf("%v: got %v, want %v", err, again, r.LIDs)
		}
	})
}

// checkError demands that an error names a file and a line.
func checkError(t *testing.T, err error) {
	t.Helper()
	if e, ok := errors.AsType[*partition.Error](err); ok && e.Line > 0 {
		return
	}
	if e, ok := errors.AsType[*Error](err); ok && e.Line > 0 {
		return
	}
	if e, ok := errors.AsType[*netfile.Error](err); ok && e.Line > 0 {
		return
	}
	if !strings.HasPrefix(err.Error(), "guid2lid:") && !strings.HasPrefix(err.Error(), "guid2mkey:") { // those of sm
		t.Errorf("no file and line: %v", err)
	}
}
