#!/usr/bin/env python3
"""The steady-state detector once more, written from the rules alone and with nothing but the
standard library. It prints the numbers that src/metrics/steady/tests.rs expects; both make the
same series from the same formula. Run it by hand after a change of the rules."""

import math
import statistics

SIZE = 20


def series(levels, step_ns, permille):
    """Turns (issued, first, complete, tokens behind the first chunk), level by level."""
    state, turns = 7, []
    for sp, level in enumerate(levels):
        for _ in range(SIZE):
            state = (state * 1103515245 + 12345) % 2**31
            noise = (state >> 16) - 16384
            tpot = level + level * permille * noise // (16384 * 1000)
            issued = len(turns) * step_ns
            first = issued + 200_000_000 + (noise + 16384) * 1000
            turns.append((issued, first, first + 100 * tpot, 100))
    return turns


def pct(v, p):
    v = sorted(v)
    return v[int(p * (len(v) - 1))]


def cov(v):
    return statistics.pstdev(v) / abs(statistics.fmean(v)) if len(v) > 1 else 0.0


def trend(x):
    n = len(x)
    s = sum((x[j] > x[i]) - (x[j] < x[i]) for i in range(n) for j in range(i + 1, n))
    ties = [x.count(v) for v in set(x)]
    var0 = (n * (n - 1) * (2 * n + 5) - sum(t * (t - 1) * (2 * t + 5) for t in ties)) / 18
    order = sorted(range(n), key=lambda i: (x[i], i))
    r = [0] * n
    for rank, i in enumerate(order):
        r[i] = rank + 1
    m = statistics.fmean(r)
    c0 = sum((v - m) ** 2 for v in r)
    add = 0.0
    for k in range(1, n):
        rk = sum((r[i] - m) * (r[i + k] - m) for i in range(n - k)) / c0
        if abs(rk) > 1.96 / math.sqrt(n):
            add += (n - k) * (n - k - 1) * (n - k - 2) * rk
    f = 1 + 2 / (n * (n - 1) * (n - 2)) * add if n > 2 else 1
    var = var0 * (f if f > 0 else 1)
    if var <= 0:
        return (s > 0) - (s < 0)
    z = 0 if s == 0 else (s - math.copysign(1, s)) / math.sqrt(var)
    p = math.erfc(abs(z) / math.sqrt(2))
    return ((s > 0) - (s < 0)) if p < 0.05 else 0


def drift(x):
    n = len(x)
    slope = statistics.linear_regression(range(n), x).slope
    return slope * (n - 1) / statistics.median(x)


def pettitt(x):
    n = len(x)
    k = max(
        abs(sum((x[j] > x[i]) - (x[j] < x[i]) for i in range(t) for j in range(t, n)))
        for t in range(1, n)
    )
    return 2 * math.exp(-6 * k * k / (n**3 + n**2))


T = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
     2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
     2.052, 2.048, 2.045, 2.042]


def detect(turns):
    sps = [turns[i:i + SIZE] for i in range(0, len(turns), SIZE)]
    tpots = [[(c - f) / t for _, f, c, t in sp] for sp in sps]
    ttfts = [[f - i for i, f, _, _ in sp] for sp in sps]
    v, n = [pct(t, 0.5) for t in tpots], len(sps)
    warm = 1
    if n >= 4:
        level, warm = statistics.median(v[n // 2:]), 0
        while warm < max(1, n // 2) and abs(v[warm] - level) / level > 0.05:
            warm += 1
        warm = max(1, warm)
    sps, tpots, ttfts = sps[warm:], tpots[warm:], ttfts[warm:]
    gates = [[pct(t, p) for t in tpots] for p in (0.5, 0.9)]

    def ok(lo, hi):
        for g in gates:
            w = g[lo:hi]
            if cov(w) > 0.08 or (trend(w) and abs(drift(w)) >= 0.05):
                return False
        return True

    plateaus, lo = [], 0
    while lo + 4 <= len(sps):
        hi, best = lo + 4, None
        while hi <= len(sps) and ok(lo, hi):
            best, hi = hi, hi + 1
        if best:
            plateaus.append((lo, best))
            lo = best
        else:
            lo += 1

    def span(lo, hi):
        return max(t[0] for sp in sps[lo:hi] for t in sp) - min(t[0] for sp in sps[lo:hi] for t in sp)

    def need(lo, hi):
        k = max(math.ceil((1.96 * cov(gates[0][lo:hi]) / 0.05) ** 2), 4)
        tau = statistics.median(span(i, i + 1) for i in range(lo, hi))
        lat = [c - i for sp in sps[lo:hi] for i, _, c, _ in sp]
        return max(k * tau if k > 4 else 0, 5 * pct(lat, 0.9), 600e9)

    chosen = next((i for i, (lo, hi) in enumerate(plateaus) if span(lo, hi) >= need(lo, hi)), None)
    print("  warmup", warm, "plateaus", plateaus, "chosen", chosen)
    if chosen is None:
        best = max(plateaus, key=lambda p: p[1] - p[0], default=None)
        print("  longest", best, best and (span(*best), need(*best)))
        print("  trends", [trend([pct(t, p) for t in m]) for m in (tpots, ttfts) for p in (0.5, 0.9)])
        print("  drifts", [(trend(g), drift(g)) for g in gates])
        return
    lo, hi = plateaus[chosen]
    print("  span", span(lo, hi), "need", need(lo, hi))
    print("  cov", [cov(g[lo:hi]) for g in gates])
    print("  trends", [trend([pct(t, p) for t in m[lo:]]) for m in (tpots, ttfts) for p in (0.5, 0.9)])
    pool = [x for t in tpots[lo:hi] for x in t]
    base = statistics.fmean(pool)
    later = [p for p in plateaus[chosen + 1:]
             if abs(statistics.fmean([x for t in tpots[p[0]:p[1]] for x in t]) - base) > 0.05 * base]
    print("  later", later, "pettitt", pettitt([statistics.fmean(t) for t in tpots]))
    means = [statistics.fmean(t) for t in tpots[lo:hi]]
    half = T[len(means) - 2] * statistics.stdev(means) / math.sqrt(len(means))
    mid = statistics.fmean(means)
    print("  tpot", repr(base), pct(pool, 0.5), pct(pool, 0.9), "interval", repr(mid - half), repr(mid + half))
    tokens = 150 * sum(len(sp) for sp in sps[lo:hi])
    print("  tps", repr(1e9 / base), repr(tokens / (span(lo, hi) / 1e9)))


MS = 1_000_000
CASES = {
    "steady": ([30 * MS, 24 * MS] + [20 * MS] * 10, 10_000 * MS, 100),
    "ramp": ([20 * MS + i * MS for i in range(14)], 10_000 * MS, 20),
    "slow ramp": ([40 * MS + i * MS // 2 for i in range(20)], 10_000 * MS, 20),
    "staircase": ([20 * MS] * 18 + [28 * MS] * 5, 10_000 * MS, 50),
    "short": ([20 * MS] * 9, 1_000 * MS, 50),
    "skipped": ([20 * MS] * 5 + [30 * MS] + [20 * MS] * 12, 6_000 * MS, 20),
    "drift up": ([20 * MS] * 14 + [20 * MS + i * 40_000 for i in range(14)], 10_000 * MS, 10),
    "drift down": ([20 * MS] * 14 + [20 * MS - i * 200_000 for i in range(6)], 10_000 * MS, 10),
    "wave": ([20 * MS + 5 * MS * (i % 5) for i in range(16)], 10_000 * MS, 10),
}

if __name__ == "__main__":
    for name, case in CASES.items():
        print(name)
        detect(series(*case))
