package manage

import (
	"weft/cmd/weft/cli"
	"weft/route/engine"
)

// smHelp is the text of weft sm --help.
const smHelp = `Run the subnet manager: bring an InfiniBand subnet up, and keep it running through faults.

Input is a port of this machine at the subnet (--transport). The manager discovers the subnet by
directed routes, assigns LIDs, computes a routing, proves it, writes whatever differs on the
devices, and takes all links to Active. It never writes an unproven routing, unless you add
--unproven. Output is one log line for each event: time, code, text (weft sm --codes explains the
codes). The manager stays until SIGTERM or Ctrl-C. With --once it brings the subnet up, prints a
report and exits.

WHILE IT RUNS

Every --interval the manager asks each switch for changed ports, and devices report changes by
traps. After a change it discovers the subnet again and repairs the routing: only table entries whose
path crossed a lost part change, and LIDs stay. Then entries move to less loaded links, such as
those that came back: those that gain most, at most --moves-per-minute, and none in the hours of
--no-moves. If nothing changes for --rebalance-after, it routes from scratch. That delays no repair:
the routes in force stay until better ones are ready. Failed steps are tried again, first soon, then
less often.

A switch that does not accept its tables is kept closed: its links that are not Active stay
so, and the report says what it did not accept.

FAULTY, DRAINED AND UNEXPECTED PARTS

A link that comes back more than --flaps times goes into quarantine. It is unused, and its changes
cause no repair, until it has been up for --quarantine, doubled each time. A link that is the only
way to a switch is never quarantined.

A port that sends more than --babbling-rate traps and other SMPs within a minute, or whose link changes
20 times in quarantine, is reported. --babbling-port disable disables it, but never this manager's own
link or the last link of a switch. weft sm undrain enables it.

What does not fit the limits of a device (forwarding table, multicast table, lanes, P_Keys, MTU) is
left out by name, or gets less. All else is routed and repaired.

--drain NAME keeps traffic off a part: a drained switch serves only its own hosts, a drained cable
stays up and carries nothing. A part stays in use if other switches are reached only through it.

--expect FABRIC logs deviations from that topology. --quarantine-strangers leaves out nodes that it
does not contain.

CONFIGURATION FILE

--config FILE reads options from a YAML file, OPTION: VALUE, with the names of the flags. Flags on
the command line win. An unknown option or wrong value is an error with its line. --print-config
prints all options as such a file.

SIGHUP makes the manager read the file again, and the files of host kinds. Options that may change
while it runs apply at once, and it routes again if they affect routes. The log lists options
that need a restart. A wrong file changes nothing.

ASKING THE MANAGER

--socket PATH serves operators and programs: weft sm status, events, drain, undrain, resweep,
rebalance and links, or HTTP (curl --unix-socket PATH http://weft/v1/status). --api serves the same
over TCP. Metrics for Prometheus are at /metrics on the socket, and over TCP with --metrics HOST:PORT.
Under systemd (Type=notify) the manager reports readiness and its status (docs/service.md).

OTHER SUBNET MANAGERS

If another subnet manager is master, or may be (a port announces one that does not answer SMInfo),
weft writes nothing, unless you add --take-over. Before you use --take-over, stop the other manager,
or both write. Without it weft waits as a standby, and takes over when the master is silent or hands over.

Among managers that start together, the one with the highest --priority becomes master; with equal
priorities, the one with the lowest port GUID. A running master hands the subnet over to a manager
that ranks before it.

--other-port TRANSPORT names another port of this machine at the same subnet. The manager
continues there, with the same LIDs and Plan, when its port loses its link.

M_KEYS

--mkey-secret FILE gives every port its own M_Key, derived from the secret in FILE and the port's
GUID, so that nobody else can write to it. --m-key KEY gives all ports the same one. Another manager
with the same secret can take over without further data.

--mkey-protect sets the protection, and --mkey-lease how long it holds after an access with a wrong
key if the manager is gone. Ports with other keys get ours if weft knows theirs:
--mkey-old-secret FILE moves from one secret to the next, also while the manager runs (SIGHUP), and
--mkey-file FILE lists single keys. Other ports are left out, with a log line "locked". Attempts
with wrong keys are logged as "wrong-key".

CHANGING TABLES UNDER TRAFFIC

A running manager changes tables in steps, so that packets never loop or deadlock in between. If no
order of steps guarantees this, switches drop packets to the changing LIDs, and on service levels
that change lanes, for --pause.

Hosts learn of new service levels last, and keep the old ones until they ask again. If these could
deadlock with the new tables, the log names them (old-levels). With --once, in the first round and
after a handover, weft reads the old tables from the switches; it does not know for which service
levels they were made. An interrupted run leaves old and new tables side by side: run it again.

STATE ON DISK

--state FILE stores what must survive a restart: LIDs of all ports, including absent ones, the
latest Plans, the last subnet found, and the end of the log (weft sm state FILE prints it). LIDs and
Plan are on disk before a port gets its LID. After a restart, a crash or a power cut no LID
changes, and correct table blocks are not written again.

The first round repairs the stored Plan and logs parts that are gone or new. It routes from scratch
with --rebalance, or if --engine, --option, --lmc or --vls ask for something else than that Plan. If
FILE cannot be written (not-stored), weft manages the subnet all the same, but a port whose LID
is not stored gets none. weft tries again every second. Ports in service with LIDs from another
manager, or from after a backup, keep these. weft does not start on a FILE without its log, as cp
makes it: use weft sm state FILE --backup.

--lids FILE counts only while the state holds no LIDs. --keep OLD-PLAN repairs a Plan from a file;
it cannot be used if the state has one. With --engine or --rebalance weft routes from scratch, with the
LIDs of OLD-PLAN; if the engines refuse, the repaired Plan stays in force and the report says so.

--record FILE records every answer, trap and command that the manager receives. weft sm replay FILE
shows afterwards, without a subnet, what the manager did, SMP by SMP.

` + cli.TransportHelp + `

CHOOSING AN ENGINE

` + engine.ChainHelp + ` An engine whose options name a missing switch is passed
over too: a dead root must not keep a subnet down.

EXIT STATUS

With --once: 0 SUBNET UP; 1 UP IN PART, or the Plan is not proven (see the report); 3 there is no
subnet, another subnet manager is master, every engine refused, or the run was interrupted (the
report then lists what was sent and not acknowledged). Without --once: 0 when told to stop; 2 if a
person must change an option or file; 3 when its port is gone, or another manager has its FILE.`
