#!/usr/bin/env python3
"""The ratios of weft lab bench, computed apart from weft: from the lines of its file.

usage: check.py RUNS.csv LAB-STATS-CHECK.py

It shares no code with weft. Intervals come from check.py of lab/stats, the second argument.
"""
import csv
import math
import statistics
import sys
from collections import defaultdict
from fractions import Fraction

runs, other = sys.argv[1:]
sys.argv = [other]
source = open(other).read().replace("\nmain()\n", "\n")
stats = {}
exec(compile(source, other, "exec"), stats)

figures = ["route_cpu_seconds", "cpu_seconds", "wall_seconds", "peak_rss_mb"]
rounds = defaultdict(dict)
for row in csv.DictReader(open(runs, newline="")):
    if row["round"] != "0" and row["status"] == "done":
        rounds[row["fabric"], row["hosts"], row["engine"]].setdefault(int(row["round"]), {})[row["program"]] = row


def interval(logs):
    n, mean, half = stats["interval"]([Fraction(x) for x in logs])
    if half is None:
        return "%.3g" % math.exp(mean)
    return "%.3g (%.3g to %.3g)" % (math.exp(mean), math.exp(mean - half), math.exp(mean + half))


means = defaultdict(lambda: defaultdict(list))
for (fabric, hosts, engine), of in rounds.items():
    cells = [fabric, hosts, engine]
    for figure in figures:
        pairs = [(float(p["OpenSM"][figure]), float(p["weft"][figure])) for p in of.values()
                 if len(p) == 2 and p["OpenSM"][figure] and p["weft"][figure]]
        if figure == "cpu_seconds":
            cells.insert(3, str(len(pairs)))
        if not pairs:
            cells += ["-", "-"]
            continue
        logs = [math.log(theirs / ours) for theirs, ours in pairs]
        means[figure][fabric].append(float(sum(map(Fraction, logs)) / len(logs)))
        cells += ["%.3g, %.3g" % (statistics.median(p[0] for p in pairs), statistics.median(p[1] for p in pairs)), interval(logs)]
    print("\t".join(cells))
if len(rounds) > 1:
    print("\t".join(["all, geometric mean"] + [interval([float(sum(map(Fraction, v)) / len(v)) for v in means[f].values()]) for f in figures if means[f]]))
