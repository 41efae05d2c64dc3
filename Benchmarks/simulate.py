"""A queue over many shards, simulated: N shards on primaries, 1,000 workers, 20 coordinators, hosts by Zipf's law, bursts, dead processes.

    simulate.py

Every cost comes from `costs.json`, which says where it was measured. The load is assumed, and printed before the tables. Times are those of hosts within their limits. A queue over several shards
is not built: the simulation is of its plan. SEED, and the simulated SECONDS of a row, come from the environment; the same seed prints the same tables.
"""

import os

from simulation import costs as measured
from simulation.fleet import Fleet, Plan
from simulation.outcome import percentile
from simulation.traffic import InFlight, Kind, Traffic

SEED, SECONDS = int(os.environ.get("SEED", "1")), float(os.environ.get("SECONDS", "2"))
COSTS = measured.read()
THUMBNAIL = Kind("JPEG → JPEG 160", 0.60, COSTS.pixels_160 + COSTS.around_160, COSTS.source, COSTS.result_160)
JPEG = Kind("JPEG → JPEG 512", 0.25, COSTS.pixels_512 + COSTS.around_512, COSTS.source, COSTS.result_512)
WEBP = Kind("JPEG → WebP 512", 0.12, COSTS.pixels_webp + COSTS.around_512, COSTS.source, COSTS.result_webp)
PNG = Kind("PNG → WebP 512", 0.03, COSTS.pixels_png + COSTS.around_512, COSTS.source, COSTS.result_png)
MIX = [THUMBNAIL, JPEG, WEBP, PNG]
NOTHING = Kind("nothing", 1, COSTS.worker_fetch, 0, 0)
# Pictures/s, and the parts that serve them.
STEPS = [
    (50, Plan(is_shared=True)),
    (500, Plan(workers=10)),
    (1_500, Plan(workers=30)),
    (5_000, Plan(shards=16, servers=4, workers=100, coordinators=2)),
    (15_000, Plan(shards=64, servers=10, workers=300, coordinators=6)),
    (50_000, Plan(shards=64, servers=32, workers=1_000, coordinators=20)),
]


def whole(**changes):
    """The plan of the last step, with changes."""
    return Plan(**{**dict(shards=64, servers=32, workers=1_000, coordinators=20), **changes})


def run(plan, rate, seconds=SECONDS, faults=(), begin=1.0, **options):
    """One row: the first second does not count. Faults are (time, name, words)."""
    # A row of few requests takes longer, so that its percentiles mean something.
    end = begin + max(seconds, min(60, 5_000 / rate))
    fleet = Fleet(plan, COSTS, Traffic(SEED, rate, MIX, **options), begin, end)
    for time, name, *words in faults:
        fleet.at(time, getattr(fleet, name), *words)
    return fleet.run()


def table(*titles):
    print(f"\n| {' | '.join(titles)} |\n|{'---|' * len(titles)}", flush=True)


def row(*cells):
    print(f"| {' | '.join(map(str, cells))} |", flush=True)


def ms(seconds):
    """A time with three digits, or with less where that would claim too much."""
    return "" if seconds is None else f"{seconds * 1e3:.0f}" if seconds > 0.01 else f"{seconds * 1e3:.1f}"


def percent(part):
    return f"{min(1, part) * 100:.0f}"


def measure():
    """The simulation beside the real service on one machine."""
    table("one machine of 2 cores", "simulated", "measured", "where")
    flat = Fleet(Plan(cores=1), COSTS, InFlight(NOTHING, 64, 5_000, is_eager=True)).run()
    row("fetches that do nothing, flat out, /s", f"{flat.rate:,.0f}", "3,276", "Summary")
    row("the same, Redis CPU a fetch, µs", f"{flat.redis_each * 1e6:.0f}", "253 (188 to 511)", "Summary, Queue")
    paced = Fleet(Plan(cores=1), COSTS, Traffic(SEED, 100, [NOTHING], own=1, own_share=1, origin=0), 1, 31).run()
    row("the same, paced 100/s, p50 ms", ms(percentile(paced.prompt, 0.5)), "1.79 (1.13 to 2.9)", "Summary, Queue")
    row("the same, paced 100/s, Redis CPU a fetch, µs", f"{paced.redis_each * 1e6:.0f}", "818", "Summary")
    for kind, rates, p50s in ((THUMBNAIL, ("100", "126", "126"), ("19.5", "31.4", "115.7")), (JPEG, ("89", "109", "93"), ("21.5", "35.5", "161.7"))):
        for count, rate, p50 in zip((2, 4, 16), rates, p50s):
            outcome = Fleet(Plan(is_shared=True), COSTS, InFlight(kind, count, 600)).run()
            row(f"{kind.name}, {count} in flight, pictures/s", f"{outcome.rate:.0f}", rate, "Thumbnails")
            row(f"{kind.name}, {count} in flight, p50 ms", f"{percentile(outcome.prompt, 0.5) * 1e3:.1f}", p50, "Thumbnails")


def parts(plan):
    return plan.servers, plan.shards, f"{plan.workers:,}", plan.coordinators


def uses(outcome):
    return {"primaries": outcome.redis, "workers": outcome.worker, "coordinators": outcome.coordinator}


def steps():
    table("pictures/s", "primaries", "shards", "workers", "coordinators", "done/s", "p50 ms", "p99 ms", "p99 wait ms", "primaries, busiest, %", "workers, %", "coordinators, %")
    outcomes = []
    for rate, plan in STEPS:
        outcome = run(plan, rate)
        outcomes.append(outcome)
        use = uses(outcome)
        row(f"{rate:,}", *parts(plan), f"{outcome.rate:,.0f}", ms(percentile(outcome.prompt, 0.5)), ms(percentile(outcome.prompt, 0.99)),
            ms(percentile(outcome.within, 0.99)), *(percent(part) for part in use.values()))
    return outcomes


def slot():
    """One queue in one slot, as it is built, with more workers than it needs."""
    table("one queue, one primary: pictures/s", "at once, at most", "workers", "done/s", "p50 ms", "p99 wait ms", "primary, %", "Redis, µs CPU a picture", "coordinators, %")
    for rate, most in ((100, 64), (500, 64), (500, 256), (1_000, 0), (2_000, 0), (2_500, 0), (3_000, 0), (3_500, 0)):
        plan = Plan(workers=max(2, rate // 40), coordinators=2, most=most)
        outcome = run(plan, rate, max(SECONDS, 5))
        row(f"{rate:,}", f"{plan.most:,}", plan.workers, f"{outcome.rate:,.0f}", ms(percentile(outcome.prompt, 0.5)), ms(percentile(outcome.within, 0.99)),
            percent(outcome.redis), f"{outcome.redis_each * 1e6:.0f}", percent(outcome.coordinator))


def limits(outcomes):
    """What is used up first when the load grows, and what happens a tenth beyond that."""
    table("sized for, pictures/s", "used up first", "at about, pictures/s", "a tenth beyond: done/s", "p99 wait ms")
    for (rate, plan), before in zip(STEPS, outcomes):
        use = uses(before)
        if plan.is_shared:
            use = {"the cores of the machine": before.worker}
        ceiling = rate
        for _ in range(3):  # at a higher load, a claim brings more and a thread sleeps less
            name = max(use, key=use.get)
            if use[name] > 0.97:
                break
            ceiling /= use[name]
            before = run(plan, ceiling)
            use = {"the cores of the machine": before.worker} if plan.is_shared else uses(before)
        outcome = run(plan, ceiling * 1.1)
        row(f"{rate:,}", name, f"{ceiling:,.0f}", f"{outcome.rate:,.0f}", ms(percentile(outcome.within, 0.99)))


def changes():
    """The largest step with one thing changed."""
    table("50,000 pictures/s, changed", "done/s", "p99 wait ms", "primaries, busiest, %", "workers, %", "coordinators, %", "hosts over their limit", "Jain's index of these")
    for name, plan, options in (
        ("nothing", whole(), {}),
        ("half of the primaries", whole(servers=16), {}),
        ("half of the workers", whole(workers=500), {}),
        ("a quarter of the coordinators", whole(coordinators=5), {}),
        ("hosts of high limits not spread", whole(spreads=False), {}),
        ("only foreign hosts", whole(), {"own_share": 0.0}),
        ("origins take 1 s", whole(), {"origin": 1.0}),
    ):
        outcome = run(plan, 50_000, **options)
        row(name, f"{outcome.rate:,.0f}", ms(percentile(outcome.within, 0.99)), *(percent(part) for part in uses(outcome).values()),
            len(outcome.over), "" if outcome.fairness is None else f"{outcome.fairness:.2f}")


def faults():
    """The largest step, struck after two seconds of it. The PNGs are the work of one shard for long."""
    rate = 50_000
    table("50,000 pictures/s, and at 3 s", "seconds", "done/s", "p99 ms", "p99.9 ms", "longest ms", "later than 2 s, %", "waiting at the end")
    pngs = {"bursts": ((3.0, 5.0, 4_000, -1, PNG),)}
    for name, plan, seconds, strikes, options in (
        ("nothing happens", whole(), 4, (), {}),
        ("a primary is away for 4.3 s", whole(), 9, ((3.0, "kill_server", 0, COSTS.switch),), {}),
        ("50 workers of 1,000 die", whole(), 15, ((3.0, "kill_workers", 50),), {}),
        ("a coordinator of 20 dies", whole(), 4, ((3.0, "kill_coordinator", 0),), {}),
        ("20,000/s more of one spread host for 2 s", whole(), 8, (), {"bursts": ((3.0, 5.0, 20_000, 0, THUMBNAIL),)}),
        ("8,000 PNGs of one shard in 2 s", whole(), 12, (), pngs),
        ("the same, and no worker helps", whole(helps=False), 12, (), pngs),
    ):
        outcome = run(plan, rate, seconds, strikes, **options)
        late = sum(latency > 2 for latency in outcome.prompt) / len(outcome.prompt)
        row(name, seconds, f"{outcome.rate:,.0f}", ms(percentile(outcome.prompt, 0.99)), ms(percentile(outcome.prompt, 0.999)),
            ms(outcome.prompt[-1]), f"{late * 100:.2f}", f"{outcome.waiting:,}")


def bill(outcome):
    """What a million pictures of the last step cost."""
    total, millions = sum(outcome.kinds.values()), 1e6
    mean = {name: sum(getattr(kind, name) * outcome.kinds[kind.name] for kind in MIX) / total for name in ("work", "source", "result")}
    table("a million pictures of the mix", "core hours", "share, %")
    hours = {
        "pixels, downloads, files (workers)": mean["work"] * millions / 3600,
        "the queue (Redis, with its upkeep)": outcome.redis_each * millions / 3600,
        "requests and events (coordinators)": outcome.coordinator_each * millions / 3600,
    }
    for name, part in hours.items():
        row(name, f"{part:.2f}", f"{part / sum(hours.values()) * 100:.1f}")
    row("together", f"{sum(hours.values()):.2f}", "100")
    table("a million pictures of the mix", "GB")
    row("sources that workers download", f"{mean['source'] * millions / 1e9:,.0f}")
    row("results that a store keeps", f"{mean['result'] * millions / 1e9:,.1f}")
    row("Redis, while they all wait", f"{COSTS.queued_bytes * millions / 1e9:.2f}")


def main():
    print("Assumed: 80 % of the requests go to 20 hosts of the operator (limit 4,096, Zipf's exponent 1), the others to 100,000 foreign hosts (limit 6,")
    print("exponent 0.8). An origin takes 0.1 s at the median and 0.5 s for one download in a hundred. A worker has 2 cores and 32 permits. The mix:")
    print(f"{', '.join(f'{kind.share:.0%} {kind.name} ({kind.work * 1e3:.1f} ms)' for kind in MIX)}.")
    print(f"Each row has {SECONDS:.0f} simulated seconds at least. Seed {SEED}.")
    measure()
    slot()
    outcomes = steps()
    limits(outcomes)
    changes()
    faults()
    bill(outcomes[-1])


main()
