#!/usr/bin/env python3
"""The tables of weft lab stats, computed apart from weft: from the CSV of weft lab export.

usage: check.py ROWS.csv FIGURE LOWER|HIGHER

It uses nothing but Python. Sums are exact fractions, the tests count all signs, and quantiles of
Student's t come from integrating its density.
"""
import csv
import functools
import math
import sys
from collections import defaultdict
from fractions import Fraction


def density(x, nu):
    log = math.lgamma((nu + 1) / 2) - math.lgamma(nu / 2) - math.log(nu * math.pi) / 2
    return math.exp(log - (nu + 1) / 2 * math.log1p(x * x / nu))


def below(t, nu):
    """The share of Student's t from 0 to t, by Gauss-Legendre with x = sqrt(nu) tan(u)."""
    end, pieces = math.atan(t / math.sqrt(nu)), 64
    nodes = [(0.0, 128 / 225),
             (math.sqrt(5 - 2 * math.sqrt(10 / 7)) / 3, (322 + 13 * math.sqrt(70)) / 900),
             (math.sqrt(5 + 2 * math.sqrt(10 / 7)) / 3, (322 - 13 * math.sqrt(70)) / 900)]
    nodes += [(-x, w) for x, w in nodes[1:]]
    total = 0.0
    for i in range(pieces):
        for x, w in nodes:
            u = end * (i + (x + 1) / 2) / pieces
            total += w / 2 * end / pieces * density(math.sqrt(nu) * math.tan(u), nu) * math.sqrt(nu) / math.cos(u) ** 2
    return total


@functools.lru_cache
def quantile(nu):
    low, high = 0.0, 1000.0
    while high - low > 1e-13 * high:
        mid = (low + high) / 2
        low, high = (mid, high) if below(mid, nu) < 0.475 else (low, mid)
    return high


def interval(values):
    n = len(values)
    mean = sum(values, Fraction(0)) / n
    if n < 2:
        return n, float(mean), None
    variance = sum(((v - mean) ** 2 for v in values), Fraction(0)) / (n - 1)
    return n, float(mean), quantile(n - 1) * math.sqrt(variance / n)


def sign(wins, losses):
    n = wins + losses
    return min(Fraction(1), 2 * Fraction(sum(math.comb(n, k) for k in range(min(wins, losses) + 1)), 2 ** n))


def signed_rank(differences):
    d = sorted((x for x in differences if x != 0), key=abs)
    if not d:
        return Fraction(1)
    twice = [sum(abs(y) < abs(x) for y in d) * 2 + sum(abs(y) == abs(x) for y in d) + 1 for x in d]
    plus = sum(r for r, x in zip(twice, d) if x > 0)
    least = min(plus, sum(twice) - plus)
    ways = {0: 1}
    for r in twice:
        more = defaultdict(int)
        for s, n in ways.items():
            more[s] += n
            more[s + r] += n
        ways = more
    return min(Fraction(1), 2 * Fraction(sum(n for s, n in ways.items() if s <= least), 2 ** len(d)))


def mean(values):
    return sum(values, Fraction(0)) / len(values)


def main():
    path, figure, better = sys.argv[1:]
    cells, figures, engines = defaultdict(lambda: defaultdict(list)), defaultdict(dict), []
    for row in csv.DictReader(open(path, newline="")):
        if row["engine"] not in engines:
            engines.append(row["engine"])
        if row["status"] != "proven" or not row[figure]:
            continue
        value = Fraction(float(row[figure]))
        cells[row["network"], row["damage"], row["engine"]][row["graph"]].append(value)
        figures[row["engine"]][row["network"], row["graph"], row["engine_seed"], row["traffic_seed"]] = value
    for key in sorted(cells, key=lambda k: (k[0] + "|" + k[1], engines.index(k[2]))):
        n, m, half = interval([mean(v) for v in cells[key].values()])
        print(key[2], n, "%.6g" % m, "-" if half is None else "%.3g" % half, key[1], key[0], sep="\t")
    first = engines[0]
    for engine in engines[1:]:
        networks = defaultdict(lambda: defaultdict(list))
        for at, value in figures[engine].items():
            if at in figures[first]:
                networks[at[0]][at[1]].append(value - figures[first][at])
        if not networks:
            continue
        values = [mean([mean(v) for v in graphs.values()]) for graphs in networks.values()]
        of = "networks"
        if len(values) == 1:
            of, values = "fabrics", [mean(v) for v in list(networks.values())[0].values()]
        n, m, half = interval(values)
        up, down = sum(v > 0 for v in values), sum(v < 0 for v in values)
        wins, losses = (up, down) if better == "higher" else (down, up)
        print(engine, "%d %s" % (n, of), "%.6g" % m, "-" if half is None else "%.3g" % half, wins, losses, n - up - down,
              "%.4f" % sign(wins, losses), "%.4f" % signed_rank(values), sep="\t")


main()
