"""Shares of `maxConcurrent` that shards lend each other."""


def begin(whole, shards):
    """Equal shares, whose sum is the whole."""
    return [whole // shards + (shard < whole % shards) for shard in range(shards)]


def level(whole, demands):
    """Parts of the whole: everybody gets what they want, or as much as everybody else who wants more."""
    parts, left = [0] * len(demands), whole
    for place, index in enumerate(sorted(range(len(demands)), key=demands.__getitem__)):
        parts[index] = min(demands[index], left // (len(demands) - place))
        left -= parts[index]
    return parts


def lend(whole, wanted, running, shares):
    """The next shares. `wanted` is what each shard would run now, `running` what it does run.

    What runs in a shard above its next share still counts, until it has ended. So the sum of what each shard may run, or does run, never exceeds
    the whole, at any moment between two calls. A shard keeps at least half of its equal part, so that its first fetches wait for no loan.
    """
    count = len(shares)
    floors = [share // 2 for share in begin(whole, count)]
    left, demand = whole - sum(floors), [max(0, want - floor) for want, floor in zip(wanted, floors)]
    granted = level(left, demand)
    spare = begin(left - sum(granted), count) if sum(demand) <= left else [0] * count
    aims = [floor + grant + more for floor, grant, more in zip(floors, granted, spare)]
    # First the decreases; the increases share what these have freed already.
    held = [max(min(aim, share), run) for aim, share, run in zip(aims, shares, running)]
    free = max(0, whole - sum(held))
    growth = [max(0, aim - max(share, run)) for aim, share, run in zip(aims, shares, running)]
    needed = sum(growth)
    part = growth if needed <= free else level(free, growth)
    return [min(share, aim) + more for share, aim, more in zip(shares, aims, part)]
