"""How the costs of Tintype grow: five curves, each as a table, and with a file as the last argument also drawn as one picture (SVG).

    curves.py BIN FOLDER ROUNDS [FILE.svg]

Each point is the median of the rounds, in which the points take turns. The curves: fetches that do nothing by the number of workers, commands of an
idle worker, cached answers by the number of clients, downloads by the size of the source, and images by the number of renditions of one source.
"""

import json
import os
import re
import statistics
import subprocess
import sys
import time

from deployment import Deployment
from nginx import Nginx
from plot import Curve, draw

BIN, FOLDER, ROUNDS = sys.argv[1], sys.argv[2], int(sys.argv[3])
PICTURE = sys.argv[4] if len(sys.argv) > 4 else None
WORKERS = [1, 2, 4]
CLIENTS = [1, 4, 16, 64, 256, 1000]
SIZES = [1, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000]
RENDITIONS = [1, 2, 4, 8, 16, 32]


def load(service, mode, **options):
    """The figures that `loadgen` prints."""
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    command = [f"{BIN}/loadgen", mode, "--coordinator", service.coordinators[0].ready["rpc"], *words]
    line = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300).stdout
    return {name: float(value) for name, value in re.findall(r"(\w+)=([\d.]+)", line)}


def medians(points, measure):
    """Point → the median of its rounds."""
    rounds = [{point: measure(point) for point in points} for _ in range(ROUNDS)]
    return {point: statistics.median(one[point] for one in rounds) for point in points}


def service(workers=1):
    folder = f"{FOLDER}/service-{workers}-{time.monotonic_ns()}"
    os.makedirs(folder)
    made = Deployment(BIN, folder)
    made.start_all(workers=workers)
    return made


def by_workers():
    """Fetches a second, and commands a second of one idle worker."""
    services = {count: service(count) for count in WORKERS}
    try:
        rates = medians(WORKERS, lambda count: load(services[count], "flat", count=3000)["done_per_s"])

        def commands(count):
            """Commands of clients in ten seconds; those that scripts call have another mark."""
            watch = subprocess.run(["timeout", "10", "redis-cli", "-s", services[count].socket, "MONITOR"], capture_output=True, text=True)
            return sum(" lua] " not in line for line in watch.stdout.splitlines()[1:]) / 10

        # A service without workers shows the part of the coordinator.
        services[0] = service(0)
        calm = {count: commands(count) for count in [0, *WORKERS]}
    finally:
        for each in services.values():
            each.stop()
    return rates, {count: (calm[count] - calm[0]) / count for count in WORKERS}


def by_clients(one):
    url = f"http://{one.origin}/picture.png"
    return medians(CLIENTS, lambda count: load(one, "rpc", url=url, connections=count, pipeline=1, seconds=2)["answers_per_s"])


def by_size(one, nginx):
    for size in SIZES:
        with open(f"{nginx.folder}/{size}", "wb") as file:
            file.truncate(size)
    request = json.dumps({"as": "bytes", "deliver": "none", "cache": {"write": []}, "fetch": {"maxBytes": 1 << 28}})

    def rate(size):
        # About a second of each.
        count = max(4, min(1000, 300_000_000 // size))
        return load(one, "images", url=f"http://{nginx.address}/{size}", request=request, count=count, pipeline=4)["images_per_s"]

    return medians(SIZES, rate)


def by_renditions(one):
    def rate(count):
        renditions = [{"name": f"r{index}", "transform": [{"op": "resize", "width": 64 + 8 * index}], "output": {"format": "jpeg"}} for index in range(count)]
        request = json.dumps({"renditions": renditions, "deliver": "none"})
        return count * load(one, "images", url=f"http://{one.origin}/picture.png?size=1200x900", request=request, count=max(6, 60 // count), pipeline=2)["images_per_s"]

    return medians(RENDITIONS, rate)


def table(title, unit, points):
    print(f"\n| {title} | {unit} |\n|---|---|")
    for point, value in points.items():
        print(f"| {point:,} | {value:,.4g} |" if value < 100 else f"| {point:,} | {value:,.0f} |", flush=True)


def main():
    rates, commands = by_workers()
    one, nginx = service(), Nginx(f"{FOLDER}/nginx")
    try:
        curves = [
            Curve("workers", "fetches/s that do nothing", rates),
            Curve("workers", "commands/s of an idle worker", commands),
            Curve("clients, one request in flight each", "cached answers/s", by_clients(one)),
            Curve("bytes of the source", "downloads/s, 4 in flight", by_size(one, nginx)),
            Curve("renditions of one source", "images/s", by_renditions(one)),
        ]
    finally:
        one.stop()
        nginx.stop()
    for curve in curves:
        table(curve.across, curve.up, curve.points)
    if PICTURE:
        with open(PICTURE, "w") as file:
            file.write(draw(curves))


main()
