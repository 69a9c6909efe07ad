package main

// flagGroup lists the flags of one task on a help page.
type flagGroup struct{ title, names string }

// otherFlags is the title of flags that are in no group.
const otherFlags = "Other flags"

// sharedGroups list flags that several commands have, in the order of help pages.
var sharedGroups = []flagGroup{
	{"Routing", "engine engines effort option vls lmc fresh-lids roles seed"},
	{"Kinds of hosts and levels of service", "kind kinds cn-guids io-guids levels"},
	{"Several subnets", "between engine-of mapping port-down hosts-only sum-of-lids"},
	{"Connection to the subnet", "transport m-key window timeout retries umad-dev umad-sys"},
	{"Integer-programming solver", "solver solver-time solver-total write-lp"},
	{"Reading FABRIC", "ibnl partial node-map quiet"},
	{"Output and general", "output json verbose jobs help"},
}

// commandGroups list further groups of single commands. They come first, and take flags before the
// shared groups do.
var commandGroups = map[string][]flagGroup{
	"weft show": {
		{"What to show", "tree servers diff counters warnings verbose json"},
		{"Picture", "svg colour engine plan lfts sl sl2vl choice one-lane"},
	},
	"weft convert": {
		{"Output file", "to output"},
		{"Slurm's files", "hosts root plane block-sizes spines"},
	},
	"weft check": {
		{"Routing to judge", "plan lfts sl sl2vl one-lane choice"},
	},
	"weft lanes": {
		{"Routing to examine", "engines plan lfts sl sl2vl choice one-lane"},
		{"What to count", "replies hosts-only steps conflicts"},
	},
	"weft compare": {
		{"What to compare", "engines runs yardstick app sends prices sort"},
	},
	"weft route": {
		{"Explicit paths", "paths names choice"},
		{"Repair of an earlier Plan", "keep rebalance"},
		{"Jobs of a cluster", "job-lanes"},
		{"Files to write", "output lfts fdbs dump random sl sl2vl write-paths write-choice write-splits"},
		{"Report", "json verbose yardstick no-check"},
	},
	"weft simulate flow": {
		{"Traffic", "pattern patterns pattern-file ranks ranks-on order runs seed"},
		{"What to compute", "max-min equal-rates no-pairs"},
		{"Files to write", "loads orcs"},
		{"Existing tables instead of routing", "plan lfts"},
	},
	"weft simulate app": {
		{"Network", "ideal costs flows sends memory"},
		{"Ranks", "placement ranks-on"},
		{"Files to write", "svg csv write-goal"},
		{"Existing tables instead of routing", "plan lfts"},
	},
	"weft simulate outage": {
		{"Fault", "fail down takeover"},
		{"Traffic", "load message before after step"},
		{"Speed of the manager", "interval quiet-time planning hop"},
	},
	"weft simulate packet": {
		{"Traffic", "pattern pattern-file messages streams ranks ranks-on order load bursts once message hot-spots hot-share far-share"},
		{"Simulation time and repetitions", "duration warmup seeds seed"},
		{"Hardware", "mtu headers buffer switch-latency cable-delay inject drain-rate one-queue oldest-first head-of-queue cc"},
		{"Faults during the run", "changes block-time"},
		{"Files to write", "csv svg beside over-time links hosts flows steps"},
		{"Existing tables instead of routing", "plan lfts sl sl2vl choice one-lane"},
	},
	"weft job": {
		{"Jobs and nodes", "nodes job beside place free app"},
		{"Routing in use now", "plan lfts sl sl2vl choice one-lane"},
		{"Hot and sick cables", "counters from"},
	},
	"weft whatif": {
		{"Change", "fail drain add move each top"},
		{"Routing in use now", "plan lfts sl sl2vl choice one-lane"},
		{"Measurement", "runs window round-trip"},
	},
	"weft suggest": {
		{"Servers", "hosts rails servers storage service now later"},
		{"Network", "radix oversubscription storage-oversubscription between-pods kinds prices"},
		{"Measurement", "measure app sends runs seed"},
	},
	"weft emulate": {
		{"Clients and control", "name dir udp umad at control"},
		{"Behaviour", "fault seed keep-lids roles training plan"},
	},
	"weft lab sweep": {
		{"What to sweep, in the short form", "list engine option failed seeds runs vls lmc fresh-lids seed kind kinds cn-guids io-guids levels"},
		{"Running it", "in shard go-on for from older output jobs"},
		{"Slurm", "on tasks tasks-at-once task-time task-memory sbatch"},
		{"Comparison", "figure against behind predictions json"},
	},
	"weft lab stats": {
		{"Comparison", "figure against behind predictions in json"},
	},
	"weft lab report": {
		{"What to show", "figure against engine network"},
		{"Files to write", "output page"},
	},
	"weft lab plot": {
		{"What to draw", "figure against engine network"},
	},
	"weft lab bench": {
		{"What to compare", "engine full in"},
		{"Running it", "rounds limit host jobs kept route-only"},
		{"Files to write", "output page"},
	},
	"weft lab reproduce": {
		{"What to run", "only rows full seed redo"},
		{"Judging claims", "blocks seed-block compare note solver"},
	},
	"weft map": {
		{"Mapping", "algorithm mode mapper depth stop collision payload early-reply retries seed"},
		{"Disturbing traffic", "loss late corrupt busy error worst limit"},
		{"Events", "events every"},
		{"Files to write", "output format svg routes utility"},
	},
	"weft discover": {
		{"Files to write", "output write-roles"},
	},
	"weft ping": {
		{"Requests", "count every"},
	},
	"weft sm": {
		{"Running the manager", "config print-config once codes interval jobs"},
		{"What survives a restart", "state state-plans state-events lids keep keep-absent record"},
		{"Routing", "engine option vls lmc fresh-lids seed unproven rebalance rebalance-after moves-per-minute job-interval job-moves job-lanes job-partitions no-moves pause ask-roles"},
		{"When changes may be made", "change-window time-zone"},
		{"Links and times", "link-speed link-width link-rules subnet-timeout packet-life head-of-queue-life host-head-of-queue-life stall-count host-stall-count"},
		{"Faulty, drained and unexpected parts", "drain flaps flaps-within quarantine babbling-port babbling-rate expect quarantine-strangers"},
		{"Other subnet managers and ports", "priority sm-key take-over other-port"},
		{"M_Keys", "m-key mkey-secret mkey-old-secret mkey-file mkey-protect mkey-lease"},
		{"Partitions and congestion", "partitions partition-enforce congestion-control cc-key"},
		{"What hosts may hold", "port-share"},
		{"Asking the manager", "socket api api-token api-tokens api-cert api-key metrics counters counters-rate port-metrics history-size"},
		{"A program for events", "hook hook-events hook-limit"},
		{"Several subnets", "gid-prefix routers exchange prefix-routes"},
		{"Files to write", "plan output json"},
		{"Topology file of Slurm", "topology topology-format topology-hosts topology-root topology-spines topology-plane topology-block-sizes"},
	},
}
