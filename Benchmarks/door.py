"""The picture door: kept pictures beside nginx, and thumbnails of new sources beside thumbor.

    door.py BIN FOLDER ROUNDS SECONDS PHOTO

First, pictures that are in memory, over 16 kept connections of wrk. nginx has the same files on disk, which are in the page cache.
Then a photo that becomes a WebP of 160 pixels. Each request names a source of its own, so that nothing is kept.
One client, `curl --parallel`, asks both services, and its own CPU time is shown.
The contenders take turns. SIZES (KB), CONNECTIONS, IN_FLIGHT, COUNT and PEER in the environment change what is measured: COUNT is the images of a
measurement, and PEER the Python of thumbor.
"""

import base64
import hashlib
import hmac
import io
import os
import statistics
import subprocess
import sys
import time
import urllib.request

from PIL import Image

from deployment import Deployment
from nginx import Nginx
from photo import PhotoOrigin
from processes import children, cpu
from thumbor import Thumbor
from wrk import NGINX, measure

BIN, FOLDER, ROUNDS, SECONDS, PHOTO = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5]
SIZES = [int(size) for size in os.environ.get("SIZES", "8 118").split()]
CONNECTIONS = [int(count) for count in os.environ.get("CONNECTIONS", "16").split()]
IN_FLIGHT = [int(count) for count in os.environ.get("IN_FLIGHT", "2 4 16").split()]
COUNT = int(os.environ.get("COUNT", "400"))
PEER = os.environ.get("PEER", ".build/peers/bin/python")
SIDE = 160
KEY, SALT = os.urandom(32), os.urandom(32)


def text(data):
    """URL-safe Base64 without padding, as imgproxy's URLs have it."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def signed(source, options, extension):
    """The path of a picture of a source."""
    path = f"{options}/{text(source.encode())}.{extension}"
    return f"/{text(hmac.digest(KEY, SALT + path.encode(), hashlib.sha256))}{path}"


class Door(Deployment):
    """Tintype with a picture door: Redis, a coordinator, a worker with a pixel process a core."""

    name = "tintype"

    def __init__(self):
        folder = f"{FOLDER}/service"
        os.makedirs(folder)
        super().__init__(BIN, folder)
        keys = f"{folder}/keys"
        with open(keys, "w") as file:
            file.write(f"{KEY.hex()} {SALT.hex()}\n")
        self.start_all(options=["--images", "127.0.0.1:0", "--images-keys", keys])
        self.address = self.coordinators[0].ready["images"]

    def pids(self):
        worker = self.workers[0].pid
        return [worker, *children(worker), self.coordinators[0].pid, self.server.pid]

    @staticmethod
    def path(source):
        return signed(source, f"/w:{SIDE}/q:80", "webp")


class ThumborPeer(Thumbor):
    name = "thumbor"

    def __init__(self):
        super().__init__(PEER, FOLDER)
        self.address = f"127.0.0.1:{self.port}"

    def path(self, source):
        return super().path(source, (SIDE, 0), "webp")


def get(address, path):
    with urllib.request.urlopen(f"http://{address}{path}") as answer:
        return answer.headers, answer.read()


def spread(values, digits):
    """The median, the least and the most, as cells."""
    return " | ".join(f"{value:.{digits}f}" for value in (statistics.median(values), min(values), max(values)))


def hits(door, origin):
    """Pictures of noise, whose PNG has three bytes a pixel and no fewer."""
    nginx = Nginx(f"{FOLDER}/nginx", f"{NGINX} default_type image/png;")
    servers = [(door.address, door.coordinators[0].pid), (nginx.address, children(nginx.process.pid)[0])]
    try:
        print("| a hit | connections | tintype, requests/s | nginx, requests/s | ours ÷ nginx | least | most | tintype, µs CPU a request | nginx, µs | CPU, ours ÷ nginx |")
        print("|---|---|---|---|---|---|---|---|---|---|")
        for size in SIZES:
            height = round((size * 1000 / 3) ** 0.5)
            width = round((size * 1000 - height) / (3 * height))
            Image.frombytes("RGB", (width, height), os.urandom(3 * width * height)).save(f"{origin.folder}/noise{size}.png")
            path = signed(f"http://{origin.address}/noise{size}.png", "/q:80", "png")
            headers, body = get(door.address, path)
            while "memory" not in headers["Server-Timing"]:
                headers, body = get(door.address, path)
            file = f"{nginx.folder}{path}"
            os.makedirs(os.path.dirname(file), exist_ok=True)
            with open(file, "wb") as target:
                target.write(body)
            assert get(nginx.address, path)[1] == body
            for connections in CONNECTIONS:
                rounds = [[measure(server, path, connections, SECONDS) for server in servers] for _ in range(ROUNDS)]
                (ours, our_cpu), (theirs, their_cpu) = [[statistics.median(one[each][part] for one in rounds) for part in (0, 1)] for each in (0, 1)]
                # Both servers of one round have met the same neighbors on the machine.
                by_nginx = spread([one[0][0] / one[1][0] for one in rounds], 2)
                cost = statistics.median(one[0][1] / one[1][1] for one in rounds)
                print(f"| {len(body) / 1000:.0f} KB | {connections} | {ours:.0f} | {theirs:.0f} | {by_nginx} | {our_cpu:.1f} | {their_cpu:.1f} | {cost:.2f} |", flush=True)
    finally:
        nginx.stop()


class Sources:
    """URLs of the photo that nobody has asked for yet."""

    def __init__(self, url):
        self.url, self.number = url, 0

    def take(self, count):
        first, self.number = self.number, self.number + count
        return [f"{self.url}?n={number}" for number in range(first, self.number)]


def load(service, sources, in_flight):
    """Images/s, the median latency in ms, and ms of CPU an image: of the service and of the client."""
    urls = [f"http://{service.address}{service.path(source)}" for source in sources]
    with open(f"{FOLDER}/urls", "w") as file:
        file.writelines(f'url = "{url}"\noutput = "/dev/null"\n' for url in urls)
    command = ["curl", "-s", "--noproxy", "*", "--parallel", "--parallel-immediate", "--parallel-max", str(in_flight)]
    command += ["-w", "%{http_code} %{content_type} %{size_download} %{time_total}\n", "--config", f"{FOLDER}/urls"]
    before, client, begun = cpu(*service.pids()), os.times(), time.monotonic()
    lines = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
    elapsed, spent, after = time.monotonic() - begun, cpu(*service.pids()) - before, os.times()
    answers = [line.split() for line in lines]
    bad = [answer for answer in answers if answer[:2] != ["200", "image/webp"] or int(answer[2]) < 500]
    if bad or len(answers) != len(urls):
        sys.exit(f"bench: {service.name} gave {len(answers)} answers to {len(urls)} requests; the first bad one: {bad[:1]}")
    client = after.children_user + after.children_system - client.children_user - client.children_system
    latency = statistics.median(float(answer[3]) for answer in answers) * 1e3
    return len(urls) / elapsed, latency, spent / len(urls) * 1e3, client / len(urls) * 1e3


def cold(door, origin):
    """Thumbnails of sources that nobody has asked for yet."""
    thumbor = ThumborPeer()
    services, sources = [door, thumbor], Sources(origin.url)
    try:
        sizes = []
        for service in services:
            load(service, sources.take(8), 2)  # warms up
            body = get(service.address, service.path(sources.take(1)[0]))[1]
            with Image.open(io.BytesIO(body)) as picture:
                if picture.format != "WEBP" or picture.width != SIDE:
                    sys.exit(f"bench: {service.name} made a {picture.format} of {picture.width} pixels")
            sizes.append(len(body))
        print(f"\nA JPEG of {os.path.getsize(origin.file) // 1000} kB → WebP of {SIDE} pixels, quality 80: {sizes[0]} bytes, {sizes[1]} by thumbor.\n")
        print("| a new source | in flight | images/s | thumbor | ÷ thumbor | least | most | p50 ms | thumbor | CPU ms an image | thumbor | client |")
        print("|---|---|---|---|---|---|---|---|---|---|---|---|")
        for in_flight in IN_FLIGHT:
            rounds = [[load(service, sources.take(COUNT), in_flight) for service in services] for _ in range(ROUNDS)]

            def median(service, part):
                return statistics.median(one[service][part] for one in rounds)

            by_thumbor = spread([one[0][0] / one[1][0] for one in rounds], 2)
            client = statistics.median(one[each][3] for one in rounds for each in (0, 1))
            print(
                f"| {SIDE} px | {in_flight} | {median(0, 0):.0f} | {median(1, 0):.0f} | {by_thumbor} | {median(0, 1):.1f} | {median(1, 1):.1f} "
                f"| {median(0, 2):.2f} | {median(1, 2):.2f} | {client:.2f} |", flush=True)
    finally:
        thumbor.stop()


def main():
    origin = PhotoOrigin(f"{FOLDER}/origin", PHOTO)
    door = Door()
    try:
        print(f"{ROUNDS} rounds in turn, medians.\n")
        hits(door, origin)
        cold(door, origin)
    finally:
        door.stop()
        origin.stop()


main()
