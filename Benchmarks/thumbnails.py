"""Thumbnails of one photo by the whole service, beside its engine alone and thumbor: images/s, latency, and the CPU time of each process an image.

    thumbnails.py BIN FOLDER ROUNDS PHOTO

nginx serves the photo, as a JPEG, under distinct names. The contenders take turns; each figure is the median of the rounds. SIDES, IN_FLIGHT, COUNT and PEER in the
environment change what is measured: the longer sides, the images that are asked for at once, the images of a measurement, and the Python of thumbor.
"""

import concurrent.futures
import http.client
import json
import os
import re
import statistics
import subprocess
import sys
import time

from deployment import Deployment
from photo import PhotoOrigin
from processes import children, cpu, memory
from thumbor import CORES, Thumbor

BIN, FOLDER, ROUNDS, PHOTO = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
SIDES = [int(side) for side in os.environ.get("SIDES", "160 512").split()]
IN_FLIGHT = [int(count) for count in os.environ.get("IN_FLIGHT", "2 4 16").split()]
COUNT = int(os.environ.get("COUNT", "400"))
PEER = os.environ.get("PEER", ".build/peers/bin/python")


class Service(Deployment):
    """Tintype: Redis, a coordinator, a worker with a pixel process a core."""

    def __init__(self):
        folder = f"{FOLDER}/service"
        os.makedirs(folder)
        super().__init__(BIN, folder)
        self.start_all()

    def groups(self):
        worker = self.workers[0].pid
        return {"worker": [worker], "pixel processes": children(worker), "coordinator": [self.coordinators[0].pid], "Redis": [self.server.pid]}

    def pids(self):
        """The processes that make pictures."""
        return self.groups()["worker"] + self.groups()["pixel processes"]

    def measure(self, url, side, in_flight):
        before = {name: cpu(*pids) for name, pids in self.groups().items()}
        request = {"transform": [{"op": "resize", "width": side}], "output": {"format": "jpeg", "quality": 80}}
        command = [f"{BIN}/loadgen", "images", "--coordinator", self.coordinators[0].ready["rpc"], "--url", url]
        command += ["--request", json.dumps(request), "--count", str(COUNT), "--pipeline", str(in_flight)]
        line = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        spent = {name: (cpu(*pids) - before[name]) / COUNT * 1e3 for name, pids in self.groups().items()}
        return float(re.search(r"images_per_s=([\d.]+)", line)[1]), float(re.search(r"p50_ms=([\d.]+)", line)[1]), spent


class Engine:
    """The pixels alone: one process with a thread for each core, and a source that is in memory."""

    def __init__(self, photo):
        self.photo = photo

    def measure(self, _, side, __):
        request = {"transform": [{"op": "resize", "width": side}], "output": {"format": "jpeg", "quality": 80}}
        before = os.times()
        command = [f"{BIN}/tintype-worker", "--role", "bare-pixels", self.photo, str(COUNT), str(CORES), json.dumps(request)]
        line = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        after = os.times()
        rate = float(re.search(r"images/s=([\d.]+)", line)[1])
        spent = (after.children_user + after.children_system - before.children_user - before.children_system) / COUNT * 1e3
        return rate, CORES / rate * 1e3, {"engine": spent}

    def stop(self):
        pass


class ThumborService(Thumbor):
    """thumbor, asked over kept connections."""

    def __init__(self):
        super().__init__(PEER, FOLDER)
        self.number = 0

    def measure(self, url, side, in_flight):
        each = COUNT // in_flight
        starts = [self.number + lane * each for lane in range(in_flight)]
        self.number += each * in_flight

        def client(first):
            """One kept connection."""
            connection, times = http.client.HTTPConnection("127.0.0.1", self.port), []
            for number in range(first, first + each):
                begun = time.monotonic()
                connection.request("GET", self.path(f"{url}?n={number}", (side, 0), "jpeg"))
                answer = connection.getresponse()
                if not answer.read() or answer.status != 200:
                    raise SystemExit(f"bench: thumbor answered {answer.status}")
                times.append(time.monotonic() - begun)
            return times

        before, begun = cpu(*self.pids()), time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(in_flight) as crew:
            times = [one for lane in crew.map(client, starts) for one in lane]
        elapsed, spent = time.monotonic() - begun, cpu(*self.pids()) - before
        return len(times) / elapsed, statistics.median(times) * 1e3, {"thumbor": spent / len(times) * 1e3}


def main():
    origin = PhotoOrigin(f"{FOLDER}/origin", PHOTO)
    service, thumbor = Service(), ThumborService()
    contenders = {"tintype": service, "engine": Engine(origin.file), "thumbor": thumbor}
    idle = memory(*service.pids()), memory(*thumbor.pids())
    most = [0, 0]
    try:
        for contender in contenders.values():
            contender.measure(origin.url, SIDES[0], 2)
        print(f"A JPEG of {os.path.getsize(origin.file) // 1000} kB, {ROUNDS} rounds in turn, medians.\n")
        print("| side, in flight | images/s | engine | thumbor | ÷ engine | ÷ thumbor | p50 ms | CPU ms an image | around the pixels | thumbor, CPU ms | CPU by process |")
        print("|---|---|---|---|---|---|---|---|---|---|---|")
        for side in SIDES:
            for in_flight in IN_FLIGHT:
                rounds = []
                for _ in range(ROUNDS):
                    rounds.append({name: each.measure(origin.url, side, in_flight) for name, each in contenders.items()})
                    most = [max(most[0], memory(*service.pids())), max(most[1], memory(*thumbor.pids()))]

                def median(name, part):
                    return statistics.median(one[name][part] for one in rounds)

                parts = {part: statistics.median(one["tintype"][2][part] for one in rounds) for part in rounds[0]["tintype"][2]}
                engine = statistics.median(one["engine"][2]["engine"] for one in rounds)
                theirs = statistics.median(one["thumbor"][2]["thumbor"] for one in rounds)
                by_engine, by_thumbor = (statistics.median(one["tintype"][0] / one[name][0] for one in rounds) for name in ("engine", "thumbor"))
                whole = sum(parts.values())
                print(
                    f"| {side}, {in_flight} | {median('tintype', 0):.0f} | {median('engine', 0):.0f} | {median('thumbor', 0):.0f} | {by_engine:.2f} | {by_thumbor:.2f} "
                    f"| {median('tintype', 1):.1f} | {whole:.2f} | {whole - engine:.2f} | {theirs:.2f} | {', '.join(f'{name} {spent:.2f}' for name, spent in parts.items())} |",
                    flush=True)
        print("\n| MiB, shared pages once | worker and pixel processes | thumbor | ratio |\n|---|---|---|---|")
        for name, (ours, theirs) in (("before the first picture", idle), ("after work, the most", most)):
            print(f"| {name} | {ours:.0f} | {theirs:.0f} | {ours / theirs:.2f} |")
    finally:
        for contender in contenders.values():
            contender.stop()
        origin.stop()


main()
