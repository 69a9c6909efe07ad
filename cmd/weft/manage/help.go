package manage

import (
	"weft/cmd/weft/cli"
	"weft/route/engine"
)

// smHelp tells what weft sm --help says.
const smHelp = `Manage a subnet. It is found by directed routes; every port gets its LID; it is routed,
and the judge proves the routing; what differs from what the devices hold is written,
and every link is taken to Active. Nothing unproven is distributed, unless
--unproven says so. A switch that does not take its tables is kept closed: those of
its links that are not Active stay so, and the report says what it did not take.

Then the manager stays, until it gets SIGTERM or Ctrl-C. Every --interval it asks each
switch whether a port has changed, and devices tell it by traps. After a change it finds
the subnet again and repairs the routing: only entries whose path met what is lost move,
and LIDs stay. When nothing more has changed for --rebalance-after, all is routed afresh, so
that what came back is used too. What could not be brought up is tried again, first soon, then less
often. A link that goes down and comes back more than --flaps times is put in quarantine: it is
not used, and no repair follows when it changes, until it has been up for --quarantine, the next
time for twice as long; unless it alone leads to a switch. What --drain names is kept free of
traffic: a switch serves its own hosts only, a cable stays up and carries nothing, as long as all
switches reach each other without it. What deviates from the topology that --expect names is told;
with --quarantine-strangers nodes that it does not have are left out. It writes a line for everything that happens: the time, a code, a text
(weft sm --codes explains the codes). With --once it leaves when the subnet is up, and
prints a report.

--config FILE takes options from a file in YAML, OPTION: VALUE by the names of the flags; flags
on the command line win. What is not known or wrong there is an error with its line. SIGHUP reads the
file, and those of hosts' kinds, again: what may change while the manager runs holds from then on, and
what routes otherwise routes afresh; for the rest the log says that it waits for a new start. A
file that is wrong changes nothing. --print-config prints all options as such a file.

--socket PATH lets operators and programs ask the manager: weft sm status, events, drain, undrain,
resweep and rebalance, or HTTP (curl --unix-socket PATH http://weft/v1/status). Metrics for Prometheus are there
too, at /metrics, and with --metrics HOST:PORT over TCP. Started by systemd (Type=notify) the manager tells it
when it is ready and what it is (docs/service.md).

Where another subnet manager is the master, or may be (a port says that one runs
there, and it does not answer SMInfo), nothing is written to the subnet, unless
--take-over says so; the other one should then be ended first, or it goes on writing.
A manager that stays stands by for the master, and takes the subnet when that is silent or
hands it over. Of managers that start together the one of the highest --priority becomes
the master, of equal ones that of the lowest port GUID; one that goes before the master gets the
subnet from it.

--other-port TRANSPORT names another port of this machine at the same subnet: the manager goes on
there when the port that it is at has no link any more, with the same LIDs and Plan.

--mkey-secret FILE has every port get an M_Key of its own, which follows from the secret in FILE and the
port's GUID, so that nobody else can write to it; --m-key KEY gives all ports one. A manager with the same
secret needs nothing else to go on. The protection is --mkey-protect; --mkey-lease is how long a
port keeps it when somebody tries to write and its manager is gone. Ports that have other keys are
given ours if theirs is known: by --mkey-old-secret FILE, which moves from one secret to the next, also
while the manager runs (SIGHUP), or by --mkey-file FILE. One that has none of these is left out, and the log says so (locked); who
tries keys is named there too (wrong-key).

A manager that stays changes the tables of a subnet that carries data in steps, so that at no moment
packets go in circles or wait for each other in a ring. Where no order does that, switches
drop packets to the LIDs that change, and on service levels whose lane changes, for --pause. Hosts
learn of other service levels last, and keep the old ones until they ask again: where these could
wait in a ring by the new tables a line of the log names them (old-levels).
With --once, in the first round and after a handover the old tables are read from the switches; which service
levels they were made for is not known. An interrupted run leaves old and new tables side by side: run it again.

` + cli.TransportHelp + `

` + engine.ChainHelp + `
An engine whose options name a switch that was not found is passed over too: a root
that died must not keep a subnet down.

--state FILE keeps on disk what must outlive the manager: the LIDs of all ports, also of those
that are gone, the last Plans, what was found and the last lines of the log (weft sm state
FILE prints them). LIDs and Plan are on disk before a port gets its LID, so that after a
restart, a crash or a power cut no LID moves, and a block of a table that is right is not written
again: the first round repairs the last Plan, and says what is gone and new. It routes afresh
where --engine, --option, --lmc or --vls ask for something else than that Plan is, or with --rebalance. While
FILE takes no writes (not-stored), the subnet is managed all the same, but a port whose LID
is not stored gets none. Ports that are in service with other LIDs, since another manager gave
them, keep these. LIDs of --lids FILE count only where the state has none yet; --keep only
where it has no Plan.

--keep OLD-PLAN repairs the Plan that the subnet runs: only entries whose path met what is
lost move, and the repaired Plan is proven before it is written. With --engine or --rebalance the
engines route afresh; where they refuse, the repaired old Plan stays in force, and the report
says so. LIDs are those of the Plan.

--record FILE writes every answer, trap and order that the manager is given, with its time.
weft sm replay FILE shows afterwards, without a subnet, what the manager did with them, SMP by SMP.

Exit status with --once: 0 SUBNET UP; 1 UP IN PART, or a Plan that is not proven (the report says
what); 3 there is no subnet, another subnet manager is its master,
every engine refused, or interrupted: the report then says what was sent and not
acknowledged. A manager that stays ends with 0 when it is told to, and with 3 where its port
is gone.`
