"""One photo as JPEG, progressive JPEG, PNG, WebP and AVIF, each made 720 pixels wide by Tintype and by others: images/s, and how near to a careful resize.

    pictures.py BIN COORDINATOR HTTP ORIGIN FOLDER COUNT

ORIGIN serves FOLDER, which holds `photo` in any format that Pillow opens. Every contender has the same cores, makes COUNT pictures at a
time, twice, in turn; the better of the two counts, so that a neighbor on the machine does not decide.
"""

import base64
import concurrent.futures
import io
import json
import os
import re
import subprocess
import sys
import threading
import time
import urllib.request

from PIL import Image

from likeness import similarity
from thumbor import CORES, Thumbor

BIN, COORDINATOR, HTTP, ORIGIN, FOLDER = sys.argv[1:6]
COUNT = int(sys.argv[6])
# Name of the source file and of the format it becomes; the quality is 80 everywhere.
WAYS = [("photo.jpg", "jpeg"), ("progressive.jpg", "jpeg"), ("photo.png", "png"), ("photo.webp", "webp"), ("photo.avif", "jpeg"), ("photo.jpg", "webp")]
ENDINGS = {"jpeg": "jpg", "png": "png", "webp": "webp"}


def sources() -> tuple[int, int]:
    """Writes the photo in each format, and answers the size that the pictures are to have."""
    photo = Image.open(f"{FOLDER}/photo").convert("RGB")
    photo.save(f"{FOLDER}/photo.jpg", quality=90)
    photo.save(f"{FOLDER}/progressive.jpg", quality=90, progressive=True)
    photo.save(f"{FOLDER}/photo.png")
    photo.save(f"{FOLDER}/photo.webp", quality=90)
    photo.save(f"{FOLDER}/photo.avif", quality=80)
    return 720, round(720 * photo.height / photo.width)


def timed(body) -> float:
    start = time.monotonic()
    body()
    return COUNT / (time.monotonic() - start)


def request(format_: str, size) -> dict:
    return {"transform": [{"op": "resize", "width": size[0], "height": size[1], "fit": "fill"}], "output": {"format": format_, "quality": 80}}


def bare(source: str, format_: str, size, *words: str):
    """The engine, or libvips alone by the same plans, in one process with a thread a core."""
    out = f"{FOLDER}/out"
    canonical = json.dumps(request(format_, size))
    command = [f"{BIN}/tintype-worker", "--role", "bare-pixels", f"{FOLDER}/{source}", str(COUNT), str(CORES), canonical, *words, f"out={out}"]
    line = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return float(re.search(r"images/s=([\d.]+)", line)[1]), open(out, "rb").read()


def service(in_flight: int, source: str, format_: str, size):
    """Distinct URLs, each downloaded, made and stored."""
    url, asked = f"{ORIGIN}/{source}", request(format_, size)
    command = [f"{BIN}/loadgen", "images", "--coordinator", COORDINATOR, "--url", url, "--request", json.dumps(asked)]
    line = subprocess.run([*command, "--count", str(COUNT), "--pipeline", str(in_flight)], check=True, capture_output=True, text=True).stdout
    call = {"jsonrpc": "2.0", "id": 1, "method": "image.load", "params": {"url": url, "deliver": "inline", **asked}}
    answer = urllib.request.urlopen(urllib.request.Request(f"{HTTP}/rpc", json.dumps(call).encode(), {"Content-Type": "application/json"}))
    picture = json.load(answer)["result"]["renditions"][0]["data"]
    return float(re.search(r"images_per_s=([\d.]+)", line)[1]), base64.b64decode(picture)


def vipsthumbnail(source: str, format_: str, size):
    """A process a picture, one a core at a time."""
    out = f"{FOLDER}/vipsthumbnail.{ENDINGS[format_]}"
    options = "" if format_ == "png" else "[Q=80]"

    def one(number: int):
        target = out if number == 0 else f"{FOLDER}/vipsthumbnail-{number % CORES}.{ENDINGS[format_]}"
        subprocess.run(["vipsthumbnail", f"{FOLDER}/{source}", "-s", f"{size[0]}x{size[1]}!", "-o", target + options], check=True)

    with concurrent.futures.ThreadPoolExecutor(CORES) as crew:
        rate = timed(lambda: list(crew.map(one, range(COUNT))))
    return rate, open(out, "rb").read()


def converted(source: str, format_: str, size):
    """`tintype convert` of as many files: sealed processes that live for all of them."""
    stem, ending = source.split(".")
    names = [f"{FOLDER}/{stem}-{number}.{ending}" for number in range(COUNT)]
    for name in names:
        if not os.path.exists(name):
            os.symlink(f"{FOLDER}/{source}", name)
    words = ["--resize", f"{size[0]}x{size[1]}", "--fit", "fill", "--format", format_, "--quality", "80", "-o", f"{FOLDER}/converted/"]
    rate = timed(lambda: subprocess.run([f"{BIN}/tintype", "convert", *names, *words], check=True, stdout=subprocess.DEVNULL))
    return rate, open(f"{FOLDER}/converted/{stem}-0.{ENDINGS[format_]}", "rb").read()


def drawn_by_pillow(source: str, format_: str, size) -> bytes:
    picture = Image.open(f"{FOLDER}/{source}")
    picture.draft("RGB", size)
    out = io.BytesIO()
    picture.resize(size, Image.Resampling.LANCZOS, reducing_gap=2).save(out, format_, **({} if format_ == "png" else {"quality": 80}))
    return out.getvalue()


def pillow(source: str, format_: str, size):
    """A process a core that lives for all of them, as a web server's would."""
    with concurrent.futures.ProcessPoolExecutor(CORES) as crew:
        crew.submit(drawn_by_pillow, source, format_, size).result()
        rate = timed(lambda: list(crew.map(drawn_by_pillow, *zip(*[(source, format_, size)] * COUNT))))
    return rate, drawn_by_pillow(source, format_, size)


class TwoInFlight(Thumbor):
    """thumbor, asked for two pictures at a time."""

    def __init__(self):
        super().__init__(sys.executable, FOLDER)
        self.number = 0
        self.lock = threading.Lock()

    def load(self, source: str, format_: str, size) -> bytes:
        with self.lock:
            self.number += 1
        path = self.path(f"{ORIGIN}/{source}?n=t{self.number}", size, format_)
        return urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}").read()

    def __call__(self, source: str, format_: str, size):
        self.load(source, format_, size)
        with concurrent.futures.ThreadPoolExecutor(2) as crew:
            rate = timed(lambda: list(crew.map(lambda _: self.load(source, format_, size), range(COUNT))))
        return rate, self.load(source, format_, size)


def main():
    size = sources()
    thumbor = TwoInFlight()
    contenders = [
        ("libvips in one process, its best plan", lambda *way: bare(*way, "libvips")),
        ("the engine in one process", bare),
        ("the whole service, 2 in flight", lambda *way: service(2, *way)),
        (f"the whole service, {CORES + 1} in flight", lambda *way: service(CORES + 1, *way)),
        ("tintype convert", converted),
        ("vipsthumbnail, a process each", vipsthumbnail),
        (f"Pillow {Image.__version__}", pillow),
        ("thumbor, 2 in flight", thumbor),
    ]
    try:
        for source, format_ in WAYS:
            with Image.open(f"{FOLDER}/{source}") as whole:
                careful = whole.convert("RGB").resize(size, Image.Resampling.LANCZOS)
                print(f"\n| {source}, {whole.width}×{whole.height}, {os.path.getsize(f'{FOLDER}/{source}') // 1024} KiB → {size[0]}×{size[1]} {format_}", end="")
            print(" | images/s | ÷ libvips | ÷ engine | ÷ thumbor | SSIM | KiB |\n|---|---|---|---|---|---|---|")
            best = {}
            for _ in range(2):
                for name, contender in contenders:
                    try:
                        rate, picture = contender(source, format_, size)
                    except Exception as failure:
                        rate, picture = 0.0, str(failure)
                    if name not in best or rate > best[name][0]:
                        best[name] = rate, picture
            rates = [best[name][0] for name, _ in contenders]
            for name, _ in contenders:
                rate, picture = best[name]
                if isinstance(picture, str):
                    print(f"| {name} | {picture[:80]} | | | | | |")
                    continue
                by = [f"{rate / each:.2f}" if each else "" for each in (rates[0], rates[1], rates[-1])]
                with Image.open(io.BytesIO(picture)) as drawn:
                    near = similarity(drawn.convert("RGB"), careful) if drawn.size == size else float("nan")
                print(f"| {name} | {rate:.1f} | {' | '.join(by)} | {near:.4f} | {len(picture) // 1024} |", flush=True)
    finally:
        thumbor.stop()


main()
