"""Another Redis becomes the primary: sentinels are told so, the primary is killed, or it stands still. Each while something else is at work."""

from outages.sites import SentinelSite
from outages.table import Downloads, begin, measures, served
from outages.work import Detached, Waiting, Work

SITE = {"coordinators": 2, "workers": 2, "site": SentinelSite}
# How a primary goes, in words, and until when its successor serves.
WAYS = {"replace": ("a planned switch", "5 s"), "kill": ("`kill -9` of the primary", "10 s"), "freeze": ("SIGSTOP of the primary", "10 s")}


def strike(d, way):
    """The time at which the primary began to go."""
    old, begun = d.site.primary, begin()
    {"replace": d.site.replace, "kill": old.process.kill, "freeze": old.freeze}[way]()
    return begun


def gap(d, way, work):
    """The longest time without an answer while the primary goes, and how the work ended."""
    begun = strike(d, way)
    d.site.until_replaced()
    work.until_further()
    longest = work.longest_gap(begun)
    d.site.until_whole()
    return longest, [work.stop()]


@measures(*((f"{words} while nothing runs → pictures asked for then, and after it, are there", within, SITE, way) for way, (words, within) in WAYS.items()))
def idle(d, way):
    clients = [d.client(0), d.client(1)]
    d.until_asleep()
    begun = strike(d, way)
    for number, client in enumerate(clients):
        served(client, d, f"/picture.png?size=64x64&n={number}")
    d.site.until_replaced()
    took = max(served(client, d, f"/picture.png?size=64x64&m={number}") for number, client in enumerate(clients)) - begun
    d.site.until_whole()
    assert not [twice for client in clients for twice in client.told_twice()]
    return took, []


@measures(*((f"{words} while 20 downloads run and half of them end → all are told of", within, SITE, way) for way, (words, within) in WAYS.items()))
def downloads(d, way):
    running = Downloads(d)
    begun = strike(d, way)
    running.open(0)
    d.site.until_replaced()
    running.open(1)
    end, words = running.told()
    d.site.until_whole()
    running.told_once()
    return end - begun, [words]


@measures(*((f"{words} while submits are under way → the longest time without an answer", within, SITE, way) for way, (words, within) in WAYS.items()))
def submits(d, way):
    # Three clients of each kind at each coordinator.
    return gap(d, way, Work(d, kinds=3 * (Waiting, Detached)))
