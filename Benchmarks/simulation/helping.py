"""Which shards need help, and which worker helps where."""

from simulation.placement import weighted

PATIENCE = 0.25  # seconds that the oldest fetch may wait before its shard is hot


def hot(waits, patience=PATIENCE):
    """Shard → fetches that could run, where the oldest has waited too long. `waits` has (fetches that could run, seconds of the oldest) of each shard."""
    return {shard: count for shard, (count, oldest) in enumerate(waits) if count and oldest > patience}


def guest(worker, homes, free, shards):
    """The hot shard that a worker helps until the next turn, or nothing. `shards` comes from `hot`, `free` is the number of its free permits.

    A worker with a hot shard among its own has enough to do there. The others divide in proportion to what waits.
    """
    if not shards or free <= 0 or any(home in shards for home in homes):
        return None
    return weighted(worker, shards)
