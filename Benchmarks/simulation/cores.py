"""Cores: a thread that takes one piece of work after another, and the cores of a machine that several threads share."""

import heapq


class Cores:
    """The cores of one machine. Work waits for the first free one, in the order in which it comes."""

    def __init__(self, count):
        self.free, self.count, self.busy = [0.0] * count, count, 0.0

    def run(self, now, work):
        """The time at which the work is done."""
        end = max(now, self.free[0]) + work
        heapq.heapreplace(self.free, end)
        self.busy += work
        return end

    def intrude(self, now, work):
        """A short piece of work, which the kernel puts before long ones: it waits for nothing, and the next long one waits for it."""
        heapq.heapreplace(self.free, max(now, self.free[0]) + work)
        self.busy += work
        return now + work


class Thread:
    """One thread: a Redis, a coordinator. It has a core of its own, or shares those of a machine."""

    def __init__(self, wake, machine=None):
        self.wake, self.machine, self.free, self.busy = wake, machine, 0.0, 0.0

    def run(self, now, work):
        """The time at which the work is done. A thread that has slept takes longer."""
        free = self.free
        if now > free:
            work += self.wake(now - free)
        else:
            now = free
        end = self.machine.intrude(now, work) if self.machine else now + work
        self.free = end
        self.busy += work
        return end

    def stop_until(self, end):
        """Work that comes meanwhile waits."""
        self.free = max(self.free, end)
