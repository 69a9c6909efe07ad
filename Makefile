# Short names for the commands of the README and of scripts/.
.PHONY: deb-test page page-test page-pictures odd parquet map-dumps map-check build release demo test dumps lint fuzz mutate soak soak-engines soak-lasting soak-ftree soak-needs soak-mapping soak-packets soak-judge soak-draws soak-kill soak-sweep soak-sm soak-peers soak-hour bench results tools map prometheus

SLICES = $(shell seq 1 40)
PAPERS = mapping lid renaming dfsssp thesis-6 thesis-2 thesis-4 thesis-3 thesis-5 thesis-1

build: ## the weft command, in bin/, without debugging information; names each package that it compiles
	@echo "building bin/weft; the first time 500 packages, one to four minutes"
	go build -v -trimpath -ldflags '-s -w' -o bin/weft ./cmd/weft

release: ## the files to install, in dist/: .deb, .rpm, static programs, man pages, bill of materials, checksums
	./scripts/release

deb-test: ## the .deb of make release in a Debian root that systemd starts: the unit, an upgrade, a downgrade, a removal; make deb-test FROM=REV upgrades from the package of REV (root; apt install debootstrap)
	./scripts/deb-test $(FROM)

page-test: build ## all browser tests of the page, with axe on every state (some 3 minutes; after make page)
	cd ui/page && WEFT_BIN=$(CURDIR)/bin/weft npx playwright test

page-pictures: build ## each view at 10, 648 and 11,664 hosts, in docs/pictures/page-*.jpg (some 4 minutes; after make page)
	cd ui/page && WEFT_BIN=$(CURDIR)/bin/weft PICTURES=$(CURDIR)/docs/pictures npx playwright test pictures

page: ## the files of the page, in ui/dist, from ui/page (needs node 20 and npm)
	./scripts/page

demo: ## weft in two screens: a real cluster, a proven routing, a repair, a deadlock
	go run ./cmd/weft demo

test: ## everything CI runs
	./scripts/test

dumps: ## the tests that need dumps of real clusters, from the folder WEFT_DUMPS
	./scripts/dumps

quick: ## what differs from the last commit: vet, build, the import rule, short tests of the packages that depend on it
	./scripts/quick

lint:
	./scripts/lint

race: ## the race detector on every package with every case: hours; CI runs small cases where packages share memory
	./scripts/race --all

fuzz: ## every fuzz target for ten seconds
	./scripts/fuzz 10s

soak: ## every fuzz target for five minutes
	./scripts/fuzz 5m

soak-engines: ## every engine on the largest networks of the catalogue, and on 5,000 random ones
	go test ./route/engine -run TestCatalogue -large -count 1 -timeout 3h
	go test ./route/engine -run TestRandomNetworks -large -networks 5000 -drawseed 2 -count 1 -timeout 3h -v

soak-lasting: ## 200 histories of 100 changes on six fabrics: a repaired Plan keeps 97 % of a fresh routing's bandwidth
	go test ./planner -run TestHistories -histories 34 -count 1 -timeout 6h -v

soak-ftree: ## every combination of options of ftree on every fabric of the thesis, whole and degraded
	go test ./route/engine/ftree -run TestSoak -soak -count 1 -timeout 2h -v

soak-needs: ## networks proposed for 300 random needs of up to 400 hosts: built, routed, proven, none beaten by another
	go test ./study/choose -run TestNeeds -needs 300 -count 1 -timeout 1h -v

soak-packets: ## 20,000 random networks each: proven Plans and deadlocks, everything at once, faults
	go test ./sim/packet -run 'TestProven|TestCyclic|TestNoFalseAlarm|TestTogether|TestFaults|TestConservation' -rapid.checks=20000 -count 1 -timeout 4h -v

soak-judge: ## 20,000 corrupted Plans with trees, and as many corrupted groups, judged by the proof and by a judge that only follows packets
	go test ./judge/check -run TestCorrupted -plans 20000 -drawseed 2 -rapid.checks=20000 -count 1 -timeout 1h -v

soak-mapping: ## every mapping algorithm on 10,000 random networks
	go test ./mapping/algorithm -run TestRandomNetworks -networks 10000 -drawseed 7 -count 1 -timeout 1h -v

soak-draws: ## all tests with cases that no run has drawn before, and ten seconds of every fuzz target
	RAPID_SEED=0 go test -count 1 -timeout 2h ./...
	./scripts/fuzz 10s

soak-kill: ## a manager killed at 1,000 moments, the power cut six times at every write: no LID moves, nothing acknowledged is lost
	go test ./cmd/weft -run TestKilled -kills 1000 -kill-seed 3 -count 1 -timeout 1h -v
	go test ./sm/state -run TestPowerCut -cuts 6 -count 1 -timeout 1h -v

soak-sweep: ## a sweep of 500 cases whose workers, mergers and Slurm tasks are killed 50 times: the rows are those of an undisturbed run, with 1, 2 and 5 workers and on Slurm
	go test ./cmd/weft -run 'TestSweepKilled|TestSweepRealPeers' -sweep-kills 50 -slurm-kills 50 -sweep-cases 500 -count 1 -timeout 2h -v

soak-sm: ## a month of faults in virtual time; 20,000 random schedules each of faults, of elections, of writing in steps and of groups, 1,000 of clients
	go test ./sm/watch -run TestMonth -month-days 30 -count 1 -timeout 1h
	go test ./sm/watch -run 'TestStaysThroughFaults|TestElection|TestNoCircleAtAnyMoment|TestGroupsThroughFaults' -rapid.checks=20000 -count 1 -timeout 4h
	go test ./sm/watch -run TestClientsThroughFaults -schedules 1000 -count 1 -timeout 4h -v

soak-peers: ## 20,000 random schedules with frozen, lying, greedy and small peers, in 40 slices; make soak-peers SLICES='3 4' some
	set -e; for slice in $(SLICES); do echo "slice $$slice"; go test ./sm/watch -run '^TestBadPeers$$' -peer-slice $$slice -peer-failures 20 -count 1 -timeout 1h; done

soak-hour: ## an hour of faults in real time: a manager, and a subnet that loses datagrams, as processes of their own; the manager is killed again and again, and what it recorded played again
	go test ./cmd/weft -run TestSoak -soak-time 1h -soak-seed 2 -count 1 -timeout 2h -v

prometheus: ## Debian's Prometheus on a manager: every query of contrib's alert rules and dashboards (apt install prometheus)
	go test ./cmd/weft -run TestPrometheus -prometheus -count 1 -timeout 10m -v

tools: ## every command of infiniband-diags, with its options, against OpenSM and against weft: on ibsim, and on emulated umad devices
	go test ./sm ./emulator/umadfs -run TestTools -all-tools -count 1 -timeout 30m

mutate: ## faults put into the code, one at a time: do the tests notice? The score goes to docs/mutants.md
	go test ./internal/mutate -run TestMutate -mutate all -score docs/mutants.md -count 1 -timeout 0 -v

mutate-races: ## a data race put into every loop that runs on several cores: does the race detector notice?
	go test ./internal/mutate -run TestRaces -mutate-races all -count 1 -timeout 0 -v

bench: ## the speed benchmarks
	go test -run '^$$' -bench . -benchmem ./fabric/... ./route/...

results: build ## all tables and figures of docs/results again, in full; make results PAPERS='thesis-6 thesis-4' some
	set -e; for paper in $(PAPERS); do bin/weft lab reproduce $$paper --full --redo -o docs/results; done

parquet: ## DuckDB reads the Parquet files of a sweep and finds the cells of the CSV: an independent reader, from npm
	npm install --no-audit --no-fund --prefix bin/duckdb @duckdb/node-api@1.5.6-r.1
	NODE_PATH=$(CURDIR)/bin/duckdb/node_modules go test ./cmd/weft -run TestParquetPeer -count 1 -v

MAP = docs/results/map

OLDER = --older

map: build ## a slice of the map of engines and networks (make map FOR=30m; default 2h): goes on from its committed text, and writes that, and the table of docs/choosing.md. Rows of older sources stay; make map OLDER= computes them again
	bin/weft lab sweep $(MAP)/sweep.yaml -o map.db --from $(MAP)/frozen $(OLDER) --for $(or $(FOR),2h) > /dev/null
	bin/weft lab freeze map.db $(MAP)/frozen --brief --update
	bin/weft lab stats $(MAP)/frozen --behind auto --predictions > $(MAP)/standings.txt
	bin/weft lab report $(MAP)/frozen --page docs/choosing.md

DUMPS = $(or $(WEFT_DUMPS),$(error set WEFT_DUMPS to the folder of the dumps))

map-dumps: build ## the same on dumps of real clusters that are not part of weft; WEFT_DUMPS is their folder
	mkdir -p bin && ln -sfn $(DUMPS) bin/map-dumps # the committed text has no path of this machine
	bin/weft lab sweep $(MAP)/dumps.yaml --in bin/map-dumps -o map-dumps.db --from $(MAP)/dumps $(OLDER) --for $(or $(FOR),2h) > /dev/null
	bin/weft lab freeze map-dumps.db $(MAP)/dumps --brief --update
	bin/weft lab stats $(MAP)/dumps --behind auto --predictions --in bin/map-dumps > $(MAP)/dumps-standings.txt
	bin/weft lab report $(MAP)/dumps --page docs/choosing.md
	rm bin/map-dumps

PART = 1/100

map-check: build ## a hundredth of the map, computed again: are the rows of older sources still true? make map-check PART=2/100 takes another one
	bin/weft lab sweep $(MAP)/sweep.yaml --shard $(PART) -o map-check-$(subst /,-of-,$(PART))
	bin/weft lab merge map-check-$(subst /,-of-,$(PART)) -o map-check.db
	bin/weft lab diff $(MAP)/frozen map-check.db --common

DRAWN = -e auto -e ftree -e ftree,balance=zahavi -e ftree,balance=beft -e torus -e dor -e hyperx -e dfsssp -e dfsssp,paths=sssp,passes=3 -e lash -e nue -e updn
ODD = $(DRAWN) -e nue,vls=0 -e separate -e renaming -e valiant -e valiant,share=50

odd: build ## the same on odd small networks, and on three lists of unseen fabrics
	for list in unseen unseen-2 unseen-3; do bin/weft lab sweep --quiet --failed 0 --list docs/results/routes/$$list.txt -o docs/results/routes/$$list.csv $(DRAWN) --behind auto --predictions > docs/results/routes/$$list-standings.txt || exit; done
	bin/weft lab sweep --quiet --failed 0 --list docs/results/routes/odd.txt -o docs/results/routes/odd.csv $(ODD) --behind auto --predictions > docs/results/routes/odd-standings.txt

