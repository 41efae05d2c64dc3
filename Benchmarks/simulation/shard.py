"""One part of a queue: the waiting and running fetches of its hosts."""

import collections
import heapq


class Host:
    """A host in one shard."""

    __slots__ = ("limit", "running", "waiting", "listed")

    def __init__(self, limit):
        self.limit, self.running, self.waiting, self.listed = limit, 0, collections.deque(), False


class Shard:
    """Fetches by host, oldest first, within the limits of hosts and the share of the queue's limit: what `claim.lua` does for one client."""

    def __init__(self, index, server, share):
        self.index, self.server, self.share = index, server, share
        self.running = self.waiting = 0
        self.hosts, self.ready, self.sequence = {}, [], 0
        # Workers that sleep here, the longest first, and whether one of them is about to claim.
        self.sleepers, self.is_claimed = collections.OrderedDict(), False

    def _list(self, host):
        if host.waiting and host.running < host.limit and not host.listed:
            host.listed = True
            heapq.heappush(self.ready, (host.waiting[0][0], host))

    def add(self, fetch, limit):
        host = self.hosts.get(fetch.host)
        if host is None:
            host = self.hosts[fetch.host] = Host(limit)
        self.sequence += 1
        fetch.sequence = fetch.sequence or self.sequence
        if fetch.runs:  # a retried fetch returns to the front
            host.waiting.appendleft((fetch.sequence, fetch))
        else:
            host.waiting.append((fetch.sequence, fetch))
        self.waiting += 1
        self._list(host)

    def has_room(self):
        return bool(self.ready) and self.running < self.share

    def claim(self, most):
        """The best fetches, at most so many."""
        taken = []
        while self.ready and len(taken) < most and self.running < self.share:
            host = heapq.heappop(self.ready)[1]
            host.listed = False
            if host.waiting and host.running < host.limit:
                taken.append(host.waiting.popleft()[1])
                host.running += 1
                self.running += 1
                self.waiting -= 1
            self._list(host)
        return taken

    def end(self, fetch):
        host = self.hosts[fetch.host]
        host.running -= 1
        self.running -= 1
        self._list(host)

    def hotness(self, now):
        """Fetches that could run, and the seconds that the oldest of them has waited."""
        if not self.ready:
            return 0, 0
        able = sum(min(len(host.waiting), host.limit - host.running) for _, host in self.ready)
        oldest = min(host.waiting[0][1].asked for _, host in self.ready)
        return able, now - oldest
