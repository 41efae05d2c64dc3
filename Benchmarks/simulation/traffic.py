"""The load: how many pictures are asked for, of which hosts and kinds, and how long origins take. All of it follows from the seed."""

import bisect
import itertools
import random


class Kind:
    """A kind of picture: CPU seconds in a worker, and bytes of source and result."""

    __slots__ = ("name", "share", "work", "source", "result")

    def __init__(self, name, share, work, source, result):
        self.name, self.share, self.work, self.source, self.result = name, share, work, source, result


class Fetch:
    """One picture on its way. Times are seconds of the simulation."""

    __slots__ = ("host", "source", "kind", "wait", "asked", "claimed", "shard", "coordinator", "worker", "runs", "sequence")

    def __init__(self, host, source, kind, wait, asked):
        self.host, self.source, self.kind, self.wait, self.asked = host, source, kind, wait, asked
        self.claimed = self.worker = self.shard = self.coordinator = None
        self.runs = self.sequence = 0


def zipf(count, exponent):
    """Cumulative shares of `count` names, the most popular first."""
    weights = [1 / rank**exponent for rank in range(1, count + 1)]
    total = sum(weights)
    return [part / total for part in itertools.accumulate(weights)]


class Traffic:
    """Requests at an even rate on average, with bursts. The first `own` hosts are the operator's, with a high limit; the others are foreign."""

    def __init__(self, seed, rate, kinds, own=20, own_share=0.8, own_limit=4096, foreign=100_000, foreign_limit=6, origin=0.1, bursts=()):
        self.random, self.rate, self.kinds = random.Random(seed), rate, kinds
        self.own, self.own_share, self.own_limit, self.foreign_limit, self.origin = own, own_share, own_limit, foreign_limit, origin
        self.own_hosts, self.foreign_hosts = zipf(own, 1.0) if own else [], zipf(foreign, 0.8)
        self.shares = list(itertools.accumulate(kind.share for kind in kinds))
        self.bursts = bursts  # (from, until, requests/s, host, kind)
        self.count = 0

    def limit(self, host):
        return self.own_limit if host < self.own or host < 0 else self.foreign_limit

    def next(self, now):
        """The next request after this time."""
        rate = self.rate + sum(more for begin, end, more, _, _ in self.bursts if begin <= now < end)
        asked = now + self.random.expovariate(rate)
        for begin, end, more, host, kind in self.bursts:
            if begin <= asked < end and self.random.random() < more / rate:
                return self.fetch(asked, host, kind)
        if self.random.random() < self.own_share:
            host = bisect.bisect_left(self.own_hosts, self.random.random())
        else:
            host = self.own + bisect.bisect_left(self.foreign_hosts, self.random.random())
        return self.fetch(asked, host, self.kinds[bisect.bisect_left(self.shares, self.random.random() * self.shares[-1])])

    def fetch(self, asked, host, kind):
        self.count += 1
        # Origins vary: half of them take less than `origin`, one in a hundred five times as long.
        wait = self.random.lognormvariate(0, 0.7) * self.origin if self.origin else 0
        return Fetch(host, self.count * 2654435761 % 2**32, kind, wait, asked)  # the source by a digest that is quick to make


class InFlight:
    """A client that keeps so many requests in flight, of one host without a limit: until their ends, or only until they are accepted."""

    own = 0

    def __init__(self, kind, count, total, is_eager=False):
        self.kind, self.count, self.total, self.is_eager, self.number = kind, count, total, is_eager, 0

    def limit(self, host):
        return 1_000_000

    def fetch(self, asked):
        """The next request, or nothing after the last one."""
        if self.number == self.total:
            return None
        self.number += 1
        return Fetch(0, self.number, self.kind, 0, asked)
