"""The network is cut: between workers and their Redis, between a primary and the rest, between sentinels."""

import functools

from deployment import now

from outages.sites import SentinelSite
from outages.table import Downloads, begin, hurried, measures, served, wait
from outages.work import Work

SITE = {"coordinators": 2, "workers": 2, "site": functools.partial(SentinelSite, network=True)}


@measures(("one of two workers is cut off from the primary in the middle of a download → the other one runs it", "12 s", SITE))
def one_worker(d):
    client = d.client()
    client.call("image.submit", receipt="r", **d.request("/hang?times=1"))
    name = client.event("r", "started")["worker"]
    victim = next(worker for worker in d.workers if worker.ready["worker"] == name)
    d.after_beat()
    begun = begin()
    d.site.network.split([victim], [d.site.primary.process])
    while client.event("r", "started")["worker"] == name:
        pass
    took = now() - begun
    end = client.event("r", "succeeded")
    # The worker serves again, alone.
    other = next(worker for worker in d.workers if worker is not victim)
    other.kill()
    other.wait()
    d.site.network.heal()
    healed = now()
    served(client, d, "/picture.png?size=64x64")
    assert not client.told_twice()
    return took, [f"attempts {end['result']['attempts']}", ("from the end of the cut, the first one serves alone after", now() - healed)]


@measures(
    ("all workers are cut off from the primary for 5 s, 20 downloads run and half of them end → from the end of the cut, all are told of", "3 s", SITE, 5),
    ("the same for 15 s, when the leases have run out", "5 s", SITE, 15),
)
def all_workers(d, seconds):
    running = Downloads(d)
    d.after_beat()
    begin(seconds)
    d.site.network.split(d.workers, [d.site.primary.process])
    running.open(0)
    wait(seconds)
    d.site.network.heal()
    healed = now()
    running.open(1)
    end, words = running.told()
    running.told_once()
    return end - healed, [words]


@measures(
    ("the primary, a sentinel, a coordinator and a worker are cut off from all others for 15 s → the longest time without an answer on the larger side",
     "18 s", SITE, 0),
    ("the same → from the end of the cut, each client of the smaller side has an answer", "12 s", SITE, 1),
)
def cut_in_two(d, side):
    site, work = d.site, Work(d)
    smaller = [site.primary, site.sentinels[0]]
    larger = [server for server in site.servers + site.sentinels if server not in smaller]
    streams = [[stream for stream in work.streams if stream.place == place] for place in (1, 0)]
    begun = begin(15)
    site.network.split(
        [server.process for server in smaller] + [d.coordinators[0], d.workers[0]], [server.process for server in larger] + [d.coordinators[1], d.workers[1]])
    site.until_replaced(site.sentinels[1:])
    work.until_further(streams=streams[0])
    gap = work.longest_gap(begun, streams[0])
    wait(max(0, begun + 15 - now()))
    site.network.heal()
    healed = now()
    back = work.until_further(1, streams[1]) - healed
    site.until_whole()
    work.until_further()
    return (gap, back)[side], [work.stop()]


@measures(("no sentinel hears another for 15 s, and the primary is killed meanwhile → from the end of the cut, each client has an answer", "30 s", SITE))
def sentinels(d):
    work = Work(d)
    begin(15)
    d.site.network.split(*[[sentinel.process] for sentinel in d.site.sentinels])
    wait(5)
    d.site.primary.process.kill()
    asked, note = now(), hurried(d)
    wait(10 - (now() - asked))
    d.site.network.heal()
    healed = now()
    d.site.until_replaced()
    replaced = now() - healed
    gap = work.until_further(1) - healed
    work.until_further()
    return gap, [("the switch after", replaced), note, work.stop()]


@measures(("a sentinel hears no other for 10 s → the longest time without an answer", "500 ms", SITE))
def one_sentinel(d):
    work = Work(d)
    one, *others = [sentinel.process for sentinel in d.site.sentinels]
    begun = begin(10)
    d.site.network.split([one], others)
    wait(10)
    primary = d.site.primary
    d.site.network.heal()
    work.until_further()
    gap = work.longest_gap(begun)
    assert primary.role() == "master", "there was a switch"
    return gap, [work.stop()]
