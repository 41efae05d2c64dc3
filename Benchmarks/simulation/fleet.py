"""The service at work: an agenda of events over coordinators, shards of a queue on Redis servers, and workers."""

import heapq

from simulation import helping, placement, shares
from simulation.cores import Cores, Thread
from simulation.costs import wake
from simulation.outcome import Outcome
from simulation.shard import Shard
from simulation.traffic import Traffic

TURN = 1.0  # seconds between two rounds of the upkeep


class Worker:
    """A worker process: permits for fetches, and the cores of its pixel processes."""

    __slots__ = ("number", "permits", "cores", "homes", "guest", "runs", "is_dead")

    def __init__(self, number, permits, cores, homes):
        self.number, self.permits, self.cores, self.homes = number, permits, cores, homes
        self.guest, self.runs, self.is_dead = None, {}, False


class Plan:
    """How large a deployment is. If it `is_shared`, the cores of one machine have all threads and pixels."""

    def __init__(self, shards=1, servers=1, workers=1, cores=2, coordinators=1, permits=32, homes=3, most=None, spreads=True, helps=True, is_shared=False):
        self.shards, self.servers, self.workers, self.cores, self.coordinators = shards, servers, workers, cores, coordinators
        self.permits, self.homes, self.most = permits, min(homes, shards), most or workers * permits
        self.spreads, self.helps, self.is_shared = spreads, helps, is_shared


class Fleet:
    """One run. `Traffic` or `InFlight` brings the requests."""

    def __init__(self, plan, costs, traffic, begin=0.0, end=1e9):
        self.plan, self.costs, self.traffic = plan, costs, traffic
        self.agenda, self.number, self.now, self.until, self.is_over = [], 0, 0.0, end, False
        self.outcome, self.is_open = Outcome(begin, end), isinstance(traffic, Traffic)
        cost = wake(costs.wake)
        self.machine = machine = Cores(plan.cores) if plan.is_shared else None
        self.servers = [Thread(cost, machine) for _ in range(plan.servers)]
        self.coordinators = [Thread(cost, machine) for _ in range(plan.coordinators)]
        self.live, self.turn = list(self.coordinators), 0
        parts = shares.begin(plan.most, plan.shards)
        # Shard i lies on the server of its part of the slots.
        self.shards = [Shard(index, self.servers[index * plan.servers // plan.shards], parts[index]) for index in range(plan.shards)]
        self.places, self.limits, self.same = {}, {}, {}
        self.workers = []
        for number in range(plan.workers):
            homes = [self.shards[index] for index in placement.rendezvous(f"worker {number}", plan.shards, plan.homes)]
            worker = Worker(number, plan.permits, machine or Cores(plan.cores), homes)
            self.workers.append(worker)
            for shard in homes:
                shard.sleepers[worker] = None
        # Calls of each coordinator for each shard, and of the workers that are at home there.
        self.pause = 1 / (plan.coordinators * costs.coordinator_calls + plan.workers * plan.homes / plan.shards * costs.worker_calls)
        for shard in self.shards:
            self.at(self.pause * (shard.index + 1) / plan.shards, self.call, shard.server)
        if plan.shards > 1:
            self.at(TURN, self.upkeep)

    def at(self, time, action, *words):
        self.number += 1
        heapq.heappush(self.agenda, (time, self.number, action, words))

    def run(self):
        if self.is_open:
            self.arrive(self.traffic.next(0))
        else:
            for _ in range(self.traffic.count):
                self.again(0.0)
        agenda = self.agenda
        while agenda:
            self.now, _, action, words = heapq.heappop(agenda)
            if self.now > self.until:
                break
            action(*words)
            if self.is_over:
                break
        self.outcome.close(self)
        return self.outcome

    # A request on its way in.

    def arrive(self, fetch):
        self.at(fetch.asked, self.accept, fetch)

    def again(self, now):
        fetch = self.traffic.fetch(now)
        if fetch:
            self.arrive(fetch)
        self.is_over = len(self.outcome.latencies) == self.traffic.total

    def accept(self, fetch):
        if self.is_open:
            self.arrive(self.traffic.next(self.now))
        self.outcome.asked(fetch)
        if self.machine:
            self.machine.intrude(self.now, self.costs.client_fetch)
        self.turn += 1
        fetch.coordinator = self.live[self.turn % len(self.live)]
        fetch.shard = self.place(fetch)
        done = fetch.coordinator.run(self.now, self.costs.coordinator_request)
        self.at(done + self.costs.hop, self.submit, fetch)

    def place(self, fetch):
        """The shard. A host below 0 is never spread."""
        limit = self.traffic.limit(fetch.host)
        shards = self.plan.shards
        if self.plan.spreads and fetch.host >= 0 and placement.is_spread(limit, shards):
            if fetch.host not in self.limits:
                self.limits[fetch.host] = placement.limits(limit, shards)
            return self.shards[placement.place(fetch.host, limit, fetch.source, shards)]
        index = self.places.get(fetch.host)
        if index is None:
            index = self.places[fetch.host] = placement.rendezvous(fetch.host, shards)[0]
            self.limits[fetch.host] = self.same.setdefault(limit, [limit] * shards)
        return self.shards[index]

    def wait(self, fetch):
        shard = fetch.shard
        shard.add(fetch, self.limits[fetch.host][shard.index])
        self.wake(shard)

    def submit(self, fetch):
        done = fetch.shard.server.run(self.now, self.costs.submit)
        if not self.is_open and self.traffic.is_eager:
            self.again(done + self.costs.hop)
        self.wait(fetch)

    # Claims.

    def wake(self, shard):
        """The marker: one sleeping worker claims, in the round of Redis in which there is work."""
        if shard.is_claimed or not shard.has_room() or not shard.sleepers:
            return
        shard.is_claimed = True
        worker, _ = shard.sleepers.popitem(last=False)
        self.at(shard.server.run(self.now, self.costs.claim), self.claim, shard, worker)

    def claim(self, shard, worker):
        shard.is_claimed = False
        if not worker.is_dead:
            for fetch in shard.claim(worker.permits):
                worker.permits -= 1
                fetch.runs += 1
                fetch.worker = worker
                worker.runs[fetch] = None
                if fetch.claimed is None:
                    fetch.claimed = self.now
                    self.outcome.claimed(fetch)
                self.at(self.now + self.costs.hop + fetch.wait, self.loaded, fetch, fetch.runs)
            if worker.permits:
                if shard in worker.homes or shard is worker.guest:
                    shard.sleepers[worker] = None
            else:
                self.sleep(worker, False)
        self.wake(shard)

    def sleep(self, worker, is_free):
        for shard in (*worker.homes, *([worker.guest] if worker.guest else ())):
            if is_free:
                shard.sleepers.setdefault(worker)
                self.wake(shard)
            else:
                shard.sleepers.pop(worker, None)

    # A run.

    def loaded(self, fetch, run):
        if fetch.runs == run and not fetch.worker.is_dead:
            self.at(fetch.worker.cores.run(self.now, fetch.kind.work), self.made, fetch, run)

    def made(self, fetch, run):
        if fetch.runs == run and not fetch.worker.is_dead:
            self.at(fetch.shard.server.run(self.now + self.costs.hop, self.costs.finish), self.finish, fetch, run)

    def finish(self, fetch, run):
        worker, shard = fetch.worker, fetch.shard
        if fetch.runs != run or fetch not in worker.runs:
            return
        del worker.runs[fetch]
        shard.end(fetch)
        worker.permits += 1
        if not worker.is_dead:
            self.sleep(worker, True)
        self.wake(shard)
        coordinator, late = fetch.coordinator, 0.0
        if coordinator not in self.live:  # another one answers the receipts of a dead coordinator
            coordinator, late = self.live[self.turn % len(self.live)], self.costs.hand_over
        done = coordinator.run(self.now + self.costs.hop, self.costs.coordinator_event)
        self.outcome.done(fetch, done + late)
        if not self.is_open:
            self.again(done)

    # Heartbeats and the like; and each second loans of shares, and help.

    def call(self, server):
        server.run(self.now, self.costs.upkeep_call)
        self.at(self.now + self.pause, self.call, server)

    def upkeep(self):
        plan = self.plan
        wanted = [shard.running + shard.waiting for shard in self.shards]
        running = [shard.running for shard in self.shards]
        for shard, share in zip(self.shards, shares.lend(plan.most, wanted, running, [shard.share for shard in self.shards])):
            shard.share = share
        self.outcome.watch(sum(running))
        if plan.helps:
            hot = helping.hot([shard.hotness(self.now) for shard in self.shards])
            for worker in self.workers:
                self.visit(worker, helping.guest(f"worker {worker.number}", [home.index for home in worker.homes], worker.permits, hot))
        for shard in self.shards:
            self.wake(shard)
        self.at(self.now + TURN, self.upkeep)

    def visit(self, worker, index):
        if worker.guest and worker.guest not in worker.homes:
            worker.guest.sleepers.pop(worker, None)
        worker.guest = None if index is None else self.shards[index]
        if worker.guest and worker.permits and not worker.is_dead:
            worker.guest.sleepers.setdefault(worker)

    # Faults.

    def kill_server(self, index, seconds):
        """A Redis that answers nothing for some seconds. Nothing acknowledged is lost."""
        self.servers[index].stop_until(self.now + seconds)

    def kill_workers(self, count):
        """The leases of dead workers end later, and their fetches wait again."""
        for worker in self.workers[:count]:
            worker.is_dead = True
            self.sleep(worker, False)
            self.at(self.now + self.costs.lost_worker, self.requeue, list(worker.runs))

    def requeue(self, fetches):
        for fetch in fetches:
            if fetch not in fetch.worker.runs:  # its finish was on the way to Redis
                continue
            fetch.shard.end(fetch)
            del fetch.worker.runs[fetch]
            self.wait(fetch)

    def kill_coordinator(self, index):
        """Its clients go to the others at once."""
        self.live.remove(self.coordinators[index])
