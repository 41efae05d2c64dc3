"""One photo by way of each store of results and sources: files, a Redis, and S3.

    stores.py BIN FOLDER ROUNDS SECONDS PHOTO MOTO

Each store has a deployment of its own: a Redis for the queue, a coordinator that keeps nothing in memory, and a worker. The Redis of the results is another
one. The S3 is that of moto, a test server in Python: its pictures a second say how fast moto is, so what counts is the CPU time of the coordinator and the
worker. Each round does the same with one store after the other:

- new: COUNT sources that nobody has asked for yet become a WebP of 160 pixels, and both are stored;
- source: another size is made from the stored source;
- result: `image.load` answers with the bytes of the stored result, PASSES times each;
- by key: `GET /images/{key}` sends it, for SECONDS over 16 kept connections of wrk;
- door: the picture door sends it in the same way.

Then the store is emptied. COUNT, PASSES, IN_FLIGHT and STORES (files redis s3) in the environment change what is measured.
"""

import json
import os
import statistics
import sys
import time
import urllib.request

from deployment import Deployment, until
from moto import Moto
from photo import PhotoOrigin
from processes import children, cpu
from wrk import measure

BIN, FOLDER, ROUNDS, SECONDS, PHOTO, MOTO = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5], sys.argv[6]
COUNT = int(os.environ.get("COUNT", "100"))
PASSES = int(os.environ.get("PASSES", "5"))
IN_FLIGHT = int(os.environ.get("IN_FLIGHT", "4"))
STORES = os.environ.get("STORES", "files redis s3").split()
CONNECTIONS = 16
STEPS = {"new": "made and stored", "source": "made from a stored source", "result": "stored result, JSON-RPC",
         "key": "stored result, by its key", "door": "stored result, picture door"}
AROUND = "coordinator", "worker"


class Service(Deployment):
    """Tintype with one of the stores, and the CPU time of each of its processes."""

    def __init__(self, name):
        folder = f"{FOLDER}/{name}"
        os.makedirs(folder)
        super().__init__(BIN, folder)
        self.name, self.moto, self.store = name, None, []

    def begin(self):
        if self.name == "redis":
            path = f"{self.folder}/store.sock"
            words = ["--port", "0", "--unixsocket", path, "--save", "", "--dir", self.folder, "--logfile", "store.log", "--maxmemory-policy", "allkeys-lru"]
            self.store, self.results = [self.spawn("redis-server", *words).pid], f"unix://{path}"
            until(lambda: os.path.exists(path))
        if self.name == "s3":
            self.moto = Moto(MOTO, self.folder)
            self.store, self.results = [self.moto.process.pid], self.moto.url
        self.start_all(workers=0, options=["--memory-cache", "0", "--images", "127.0.0.1:0", "--images-unsigned"])
        # A pixel process that is replaced would take its CPU time with it.
        self.worker = self.serve("worker", "--pixel-reuse", "1000000")
        self.coordinator = self.coordinators[0]
        self.connection = self.client()

    def spent(self):
        """CPU seconds by process."""
        pixels = children(self.worker.pid)
        pids = {"coordinator": [self.coordinator.pid], "worker": [self.worker.pid], "pixel processes": pixels, "queue": [self.server.pid], "store": self.store}
        return {name: cpu(*each) for name, each in pids.items()}

    def load(self, urls, origin, width, **more):
        """Loads URLs, a few at a time: the answers. `origin` is where each has to come from."""
        webp = {"transform": [{"op": "resize", "width": width}], "output": {"format": "webp", "quality": 80}}
        waiting, answers = iter(urls), []

        def send():
            for url in waiting:
                self.connection.send("image.load", url=url, deadline=120, **webp, **more)
                return

        for _ in range(IN_FLIGHT):
            send()
        while len(answers) < len(urls):
            answer = self.connection.take(lambda message: "id" in message)
            if answer.get("result", {}).get("from") != origin:
                sys.exit(f"bench: with {self.name}, an answer is not from {origin}: {json.dumps(answer)[:500]}")
            answers.append(answer["result"])
            send()
        return answers

    def timed(self, count, work):
        """Pictures a second, CPU ms a picture by process, and what `work` returns. That is the number of pictures where `count` is None."""
        before, begun = self.spent(), time.monotonic()
        found = work()
        elapsed, after = time.monotonic() - begun, self.spent()
        count = count or found
        return count / elapsed, {name: (after[name] - before[name]) / count * 1e3 for name in after}, found

    def sent(self, address, paths):
        """Asks for paths in turn, over and over: the number of answers."""
        file = f"{self.folder}/paths.lua"
        with open(file, "w") as script:
            script.write("local next, paths = 0, {%s}\n" % ",".join(map(json.dumps, paths)))
            script.write("request = function() next = next % #paths + 1; return wrk.format('GET', paths[next]) end\n")
        rate, _ = measure((address, self.coordinator.pid), "/", CONNECTIONS, SECONDS, script=file)
        return rate * SECONDS

    def round(self, urls):
        """Step → pictures a second and CPU ms a picture by process."""
        figures = {}
        figures["new"] = self.timed(len(urls), lambda: self.load(urls, "remote", 160))
        figures["source"] = self.timed(len(urls), lambda: self.load(urls, "sources", 320))
        repeated = urls * PASSES
        figures["result"] = self.timed(len(repeated), lambda: self.load(repeated, "results", 160, deliver="inline"))
        http, door = self.coordinator.ready["http"], self.coordinator.ready["images"]
        keys = [answer["renditions"][0]["url"] for answer in figures["new"][2]]
        figures["key"] = self.timed(None, lambda: self.sent(http, keys))
        paths = [f"/unsafe/w:160/q:80/plain/{url.replace('?', '%3F')}@webp" for url in urls]
        for path in paths:
            # The door's result may have a key of its own, and is then made now.
            with urllib.request.urlopen(f"http://{door}{path}") as answer:
                answer.read()
        with urllib.request.urlopen(f"http://{door}{paths[0]}") as answer:
            if "results" not in answer.headers["Server-Timing"]:
                sys.exit(f"bench: the door answers {answer.headers['Server-Timing']}")
        figures["door"] = self.timed(None, lambda: self.sent(door, paths))
        self.client().call("cache.clear")
        return {step: figure[:2] for step, figure in figures.items()}

    def stop(self):
        super().stop()
        if self.moto:
            self.moto.stop()


def around(spent):
    return sum(spent[name] for name in AROUND)


def main():
    origin = PhotoOrigin(f"{FOLDER}/origin", PHOTO)
    services, number = [], 0
    try:
        for name in STORES:
            services.append(Service(name))
            services[-1].begin()
        rounds = []
        for turn in range(ROUNDS + 1):
            figures = {}
            for service in services[turn % len(services):] + services[:turn % len(services)]:
                figures[service.name] = service.round([f"{origin.url}?n={number + each}" for each in range(COUNT)])
                number += COUNT
            if turn:  # the first round warms up
                rounds.append(figures)
        print(f"A JPEG of {os.path.getsize(origin.file) // 1000} kB → WebP of 160 pixels, {ROUNDS} rounds of {COUNT} pictures in turn, medians.")
        print("The S3 is moto, a test server in Python: compare the CPU of coordinator and worker.\n")
        print(f"| step, store | pictures/s | ÷ {STORES[0]} | least | most | CPU ms a picture, coordinator and worker | CPU, ÷ {STORES[0]} | least | most "
              "| coordinator | worker | pixel processes | the queue's Redis | the store |")
        print("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
        for step, title in STEPS.items():
            for name in STORES:
                median = {part: statistics.median(one[name][step][1][part] for one in rounds) for part in rounds[0][name][step][1]}
                cells = [f"{statistics.median(one[name][step][0] for one in rounds):.0f}"]
                cost = f"{statistics.median(around(one[name][step][1]) for one in rounds):.2f}"
                # All stores of one round have met the same neighbors on the machine.
                by_rate = [one[name][step][0] / one[STORES[0]][step][0] for one in rounds]
                by_cost = [around(one[name][step][1]) / max(around(one[STORES[0]][step][1]), 0.001) for one in rounds]
                for ratios, more in ((by_rate, [cost]), (by_cost, [f"{spent:.2f}" for spent in median.values()])):
                    values = statistics.median(ratios), min(ratios), max(ratios)
                    cells += [*("" if name == STORES[0] else f"{value:.2f}" for value in values), *more]
                print(f"| {title}, {name} | {' | '.join(cells)} |", flush=True)
    finally:
        for service in services:
            service.stop()
        origin.stop()


main()
