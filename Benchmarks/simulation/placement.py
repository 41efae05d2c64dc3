"""Where work lies: the shard of a host, the shards that a worker is at home in, and ids that carry their shard."""

import hashlib
import math

SPREAD_FROM = 64  # a host with this limit or more lies in all shards


def digest(*words):
    """A number below 2^64 that depends on these words alone."""
    return int.from_bytes(hashlib.blake2b("\0".join(map(str, words)).encode(), digest_size=8).digest(), "big")


def rendezvous(name, shards, count=1):
    """The best `count` of the shards for a name. A further shard takes names from the others, and moves no name between them."""
    return sorted(range(shards), key=lambda shard: digest(name, shard), reverse=True)[:count]


def weighted(name, weights):
    """One of the keys of `weights`, so that many names divide in proportion to the weights."""
    return min(weights, key=lambda key: -math.log((digest(name, key) + 1) / 2**64) / weights[key])


def is_spread(limit, shards):
    return shards > 1 and limit >= SPREAD_FROM


def limits(limit, shards):
    """The limit of a host in each of its shards. Their sum is the limit, so a host is never asked more than that."""
    if not is_spread(limit, shards):
        return [limit]
    return [limit // shards + (shard < limit % shards) for shard in range(shards)]


def place(host, limit, source, shards):
    """The shard of a fetch: that of its host, or for a spread host that of the digest of its source."""
    if is_spread(limit, shards):
        # A limit below the number of shards leaves some shards without a permit.
        return source % min(shards, limit)
    return rendezvous(host, shards)[0]
