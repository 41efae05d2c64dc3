"""What a fetch that does nothing costs each process: while it is submitted, while it is run, and at an even pace.

    parts.py BIN FOLDER COUNT

The queue is paused while `loadgen flat` submits, so that submits are counted alone. Then the queue is resumed, and the worker claims and finishes all.
A second worker may run one fetch at a time, so that each claim brings one: the difference is what a call costs. The rows of an even pace count the
whole fetch. CPU times are those of the kernel, so the figures are steadier than times of waiting. ROUNDS, and the fetches a second in RATES, come from
the environment. `costs.json` has the figures of one run, and `simulate.py` computes with them.
"""

import os
import re
import statistics
import subprocess
import sys
import time

from deployment import Deployment, until
from processes import cpu

BIN, FOLDER, COUNT = sys.argv[1], sys.argv[2], int(sys.argv[3])
ROUNDS = int(os.environ.get("ROUNDS", "3"))
RATES = [int(rate) for rate in os.environ.get("RATES", "100 500").split()]


class Service(Deployment):
    """Tintype, with what its processes have spent. The worker runs so many fetches at once."""

    def __init__(self, fetches):
        folder = f"{FOLDER}/{fetches}"
        os.makedirs(folder)
        super().__init__(BIN, folder)
        self.start_all(workers=0)
        self.worker = self.serve("worker", "--fetches", str(fetches))

    def spent(self, client=0):
        """CPU seconds of Redis, the coordinator, the worker and the client, and the number of scripts that Redis has run."""
        calls = re.search(r"cmdstat_evalsha:calls=(\d+)", self.redis("INFO", "commandstats"))
        return [cpu(each.pid) for each in (self.server, self.coordinators[0], self.worker)] + [client, int(calls[1]) if calls else 0]

    def load(self, mode, **options):
        words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
        return subprocess.Popen(
            [f"{BIN}/loadgen", mode, "--coordinator", self.coordinators[0].ready["rpc"], *words], stdout=subprocess.PIPE, text=True)


def ended(loader):
    """CPU seconds of the load generator, after its end."""
    _, _, usage = os.wait4(loader.pid, 0)
    loader.returncode = 0
    return usage.ru_utime + usage.ru_stime


def each(before, after, count, begun):
    """CPU µs and calls of each fetch, and fetches/s."""
    parts = [(new - old) / count for old, new in zip(before, after)]
    return [part * 1e6 for part in parts[:4]] + [parts[4], count / (time.monotonic() - begun)]


def flat(service):
    """The figures of the submits, and those of the runs."""
    service.redis("HSET", "tintype:{default}:cfg", "paused", "1")
    before, begun = service.spent(), time.monotonic()
    loader = service.load("flat", count=COUNT)
    until(lambda: time.sleep(0.05) or service.live() >= COUNT)
    between = service.spent(cpu(loader.pid))
    submits = each(before, between, COUNT, begun)
    begun = time.monotonic()
    service.client().call("queue.resume", queue="default")
    spent = ended(loader)
    return submits, each(between, service.spent(spent), COUNT, begun)


def paced(service, rate, seconds=8):
    before, begun = service.spent(), time.monotonic()
    loader = service.load("paced", rate=rate, seconds=seconds)
    spent = ended(loader)
    figures = each(before, service.spent(spent), rate * seconds, begun)
    return re.search(r"p50_ms=([\d.]+)", loader.stdout.read())[1], figures


def rest(service, seconds=10):
    """Scripts a second of one coordinator and one worker that rest, and the CPU µs of Redis for each."""
    before = service.spent()
    time.sleep(seconds)
    after = service.spent()
    calls = after[4] - before[4]
    return calls / seconds, (after[0] - before[0]) / calls * 1e6


def row(name, figures):
    print(f"| {name} | {' | '.join(f'{figure:.0f}' for figure in figures[:4])} | {figures[4]:.2f} | {figures[5]:.0f} |", flush=True)


def main():
    many, single = Service(32), Service(1)
    try:
        for service in (many, single):
            service.load("flat", count=300).communicate()  # warms up
        print(f"{COUNT} fetches that do nothing, medians of {ROUNDS} rounds in turn. CPU µs a fetch.\n")
        print("| fetches | Redis | coordinator | worker | client | script calls a fetch | fetches/s |\n|---|---|---|---|---|---|---|")
        rounds = [(flat(many), flat(single)) for _ in range(ROUNDS)]

        def median(service, phase):
            return [statistics.median(figures) for figures in zip(*(one[service][phase] for one in rounds))]

        row("submits alone, flat out", median(0, 0))
        row("claims and finishes, 32 at once", median(0, 1))
        row("claims and finishes, one at once", median(1, 1))
        for rate in RATES:
            p50, figures = paced(many, rate)
            row(f"paced {rate}/s, p50 {p50} ms", figures)
        print("\nAt rest: %.1f scripts a second, %.0f µs of Redis' CPU for each." % rest(many))
    finally:
        for service in (many, single):
            service.stop()


main()
