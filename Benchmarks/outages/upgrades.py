"""Half of the machines die, and all services are replaced one after the other."""

import signal

from deployment import PATIENCE, now

from outages.sites import SentinelSite
from outages.table import begin, measures
from outages.work import Work


@measures(("`kill -9` of the primary, one of three sentinels, one of two coordinators and two of four workers → the longest time without an answer", "18 s",
           {"coordinators": 2, "workers": 4, "site": SentinelSite}))
def half(d):
    site, work = d.site, Work(d)
    begun = begin()
    for process in [site.primary.process, site.sentinels[0].process, d.coordinators[0], d.workers[0], d.workers[1]]:
        process.kill()
        process.wait(PATIENCE)
    site.until_replaced()
    work.until_further()
    return work.longest_gap(begun), [work.stop()]


@measures(
    ("SIGTERM to each of two coordinators and three workers in turn, a new one in its place, requests go on → the longest time without an answer", "500 ms",
     {"coordinators": 2, "workers": 3}),
    ("the same with sentinels", "500 ms", {"coordinators": 2, "workers": 3, "site": SentinelSite}),
)
def rolling(d):
    work = Work(d)
    begun, slowest = begin(), 0
    for services, serve in (d.coordinators, d.serve_clients), (d.workers, d.serve_fetches):
        for index in range(len(services)):
            told = now()
            services[index].send_signal(signal.SIGTERM)
            status = services[index].wait(PATIENCE)
            slowest = max(slowest, now() - told)
            assert status == 0, f"a service ended with {status}"
            services[index] = serve()
            work.until_further()
    took = now() - begun
    return work.longest_gap(begun), [("all replaced within", took), ("the slowest ended after", slowest), work.stop()]
