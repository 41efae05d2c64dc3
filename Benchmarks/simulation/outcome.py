"""What a run has shown: throughput, waits, fairness among hosts, and how busy each part was."""

import collections


def percentile(values, part):
    """The value below which this part of sorted values lies; nothing if there is none."""
    return values[min(len(values) - 1, int(len(values) * part))] if values else None


def jain(values):
    """Jain's index: 1 if all values are equal, 1/n if one has everything."""
    total = sum(values)
    return total * total / (len(values) * sum(value * value for value in values)) if total else None


class Outcome:
    """Requests count from `begin` on, so that an empty service is not counted."""

    def __init__(self, begin, end):
        self.begin, self.end = begin, end
        self.demand, self.served = collections.Counter(), collections.Counter()
        self.kinds = collections.Counter()
        self.waits, self.latencies, self.last, self.most = [], [], 0.0, 0
        self.ended = self.all = 0

    def asked(self, fetch):
        if fetch.asked >= self.begin:
            self.demand[fetch.host] += 1

    def claimed(self, fetch):
        if fetch.asked >= self.begin:
            self.waits.append((fetch.claimed - fetch.asked, fetch.host))

    def done(self, fetch, at):
        self.last = max(self.last, at)
        self.all += 1
        if self.begin <= at < self.end:
            self.ended += 1
            self.served[fetch.host] += 1
            self.kinds[fetch.kind.name] += 1
        if fetch.asked >= self.begin:
            self.latencies.append((at - fetch.asked, fetch.host))

    def watch(self, running):
        self.most = max(self.most, running)

    def close(self, fleet):
        self.seconds = min(self.end, self.last) - self.begin
        whole = min(self.end, self.last)
        self.latencies.sort()
        # Hosts that have reached their limit while more waits. Some do so for a moment; the flooded ones are asked for much more than they may serve.
        full = {name for shard in fleet.shards for name, host in shard.hosts.items() if host.waiting and host.running >= host.limit}
        self.over = {host for host in full if host >= 0 and self.demand[host] > 1.25 * self.served[host]}
        self.within = sorted(wait for wait, host in self.waits if host not in self.over)
        self.prompt = [latency for latency, host in self.latencies if host not in self.over]
        self.fairness = jain([self.served[host] for host in self.over if host >= fleet.traffic.own])
        self.rate = self.ended / self.seconds
        self.redis = max(server.busy for server in fleet.servers) / whole
        self.coordinator = max(thread.busy for thread in fleet.coordinators) / whole
        machines = {id(worker.cores): worker.cores for worker in fleet.workers}.values()
        self.worker = sum(cores.busy for cores in machines) / sum(cores.count for cores in machines) / whole
        self.redis_each = sum(server.busy for server in fleet.servers) / max(1, self.all)
        self.coordinator_each = sum(thread.busy for thread in fleet.coordinators) / max(1, self.all)
        self.waiting = sum(shard.waiting for shard in fleet.shards)
        self.shares = sum(max(shard.share, shard.running) for shard in fleet.shards)
