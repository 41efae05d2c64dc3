"""A Redis Cluster: primaries go, a slot is on its way for long, half of all servers die."""

from deployment import now, until

from outages.sites import ClusterSite
from outages.switches import gap
from outages.table import Downloads, begin, hurried, measures, wait
from outages.work import Detached, Nameless, Waiting, Work

SITE = {"coordinators": 2, "workers": 2, "site": ClusterSite, "queues": "default,bulk"}


@measures(
    ("a cluster: a planned switch of the queue's primary while submits are under way → the longest time without an answer", "2 s", SITE, "replace"),
    ("a cluster: `kill -9` of the queue's primary, the same", "10 s", SITE, "kill"),
    ("a cluster: SIGSTOP of the queue's primary, the same", "10 s", SITE, "freeze"),
)
def submits(d, way):
    return gap(d, way, Work(d))


@measures(
    ("a cluster: the slot of a queue is on its way for 30 s, 20 downloads run and half of them end → from the end of the move, all are told of", "5 s",
     SITE, "bulk", "default", (Waiting, Detached)),
    ("the same with the slot of `default`, where the ids are that clients have chosen for requests to any queue", "5 s",
     SITE, "default", "bulk", (Nameless,)),
)
def slow_move(d, queue, other_queue, kinds):
    site = d.site
    d.client().call("queue.configure", queue="bulk")
    site.choose(queue)
    target = next(server for server in site.primaries() if server is not site.primary)
    running, work, other = Downloads(d, queue), Work(d, queue), Work(d, other_queue, kinds)
    begun = begin(30)
    site.begin_move(target)
    keys = site.keys(100000)
    site.move(target, keys[:len(keys) // 2])
    running.open(0)
    note = hurried(d, queue=queue)
    wait(30 - (now() - begun))
    other.until_further(1)
    beside = other.longest_gap(begun)
    site.end_move(target)
    moved = now()
    running.open(1)
    end, ran = running.told()
    back = work.until_further(1) - moved
    work.until_further()
    running.told_once()
    times = [("other requests of the queue again after", back), ("the longest time without an answer in another queue", beside)]
    return end - moved, [ran, note, *times, work.stop(), other.stop()]


@measures(("a cluster: `kill -9` of three of six servers, one of two coordinators and one of two workers → the longest time without an answer", "18 s", SITE))
def half(d):
    site, work = d.site, Work(d)
    others = [server for server in site.primaries() if server is not site.primary]
    victims = [site.primary] + [site.replica(server) for server in others]
    begun = begin()
    for process in [server.process for server in victims] + [d.coordinators[0], d.workers[0]]:
        process.kill()
    until(lambda: d.coordinators[0].poll() is not None)
    site.until_replaced()
    work.until_further()
    return work.longest_gap(begun), [work.stop()]
