"""Two builds of Tintype in turn: the medians of each, and of the ratios round by round.

    turns.py OLD NEW FOLDER WHAT ROUNDS [PHOTO]

OLD and NEW are folders of programs. WHAT is rpc, queue or pixels; the load generator, the origin and the settings are those of NEW for both.
With PAGE, the Python that has Playwright, a dashboard is open in a browser: in one round that of the first build, in the next that of the second. OLD
and NEW are one folder then. A ratio is that of open to shut, over two rounds: what differs between two equal sets of services is in none. The browser
has the lowest priority, because it would run on another machine.
Both builds run all the time, each with a Redis of its own. Each round measures one build, then the other, and the next round begins with the
other one. CPU times are those of all processes of a build together.
"""

import os
import re
import statistics
import subprocess
import sys

from deployment import Deployment

OLD, NEW, FOLDER, WHAT = sys.argv[1:5]
ROUNDS = int(sys.argv[5])
PHOTO = sys.argv[6] if len(sys.argv) > 6 else None
PAGE = os.environ.get("PAGE")
TICKS = os.sysconf("SC_CLK_TCK")


def processes():
    """Process id to (parent, CPU seconds of the process and of its children that have ended)."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = open(f"/proc/{name}/stat").read().rsplit(")", 1)[1].split()
        except OSError:  # ended meanwhile
            continue
        found[int(name)] = int(fields[1]), sum(map(int, fields[11:15])) / TICKS
    return found


class Build(Deployment):
    """One of the two builds at work."""

    def __init__(self, programs, name):
        folder = f"{FOLDER}/{name}"
        os.makedirs(folder)
        super().__init__(programs, folder)
        self.start_all()
        self.coordinator = self.coordinators[0].ready["rpc"]

    def start(self, name, *arguments):
        programs, self.programs = self.programs, NEW if name == "origin" else self.programs
        try:
            return super().start(name, *(("--root", FOLDER) if name == "origin" else ()), *arguments)
        finally:
            self.programs = programs

    def cpu(self):
        known, roots = processes(), {child.pid for child in self.children} - {child.pid for child in self.children[1:2]}
        mine, grown = set(roots), True
        while grown:
            more = {pid for pid, (parent, _) in known.items() if parent in mine} - mine
            mine, grown = mine | more, bool(more)
        return sum(known[pid][1] for pid in mine if pid in known)

    def redis_cpu(self):
        return sum(map(float, re.findall(r"used_cpu_(?:sys|user):([\d.]+)", self.redis("INFO", "cpu"))))

    def load(self, mode, **options):
        words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
        line = subprocess.run(
            [f"{NEW}/loadgen", mode, "--coordinator", self.coordinator, *words], check=True, capture_output=True, text=True, timeout=300).stdout
        return {name: float(value) for name, value in re.findall(r"(\w+)=([\d.]+)", line)}


def rpc(build):
    url = f"http://{build.origin}/picture.png"
    for connections, pipeline in ((1, 1), (1, 64), (4, 64)):
        before = build.cpu()
        line = build.load("rpc", url=url, connections=connections, pipeline=pipeline, seconds=3)
        yield f"{connections} × {pipeline} in flight, answers/s", line["answers_per_s"]
        yield f"{connections} × {pipeline} in flight, CPU µs an answer", (build.cpu() - before) / (line["answers_per_s"] * 3) * 1e6


def queue(build):
    before, redis = build.cpu(), build.redis_cpu()
    line = build.load("paced", rate=100, seconds=6)
    yield "paced 100/s, p50 ms", line["p50_ms"]
    yield "paced 100/s, CPU µs a fetch", (build.cpu() - before) / 600 * 1e6
    yield "paced 100/s, Redis CPU µs a fetch", (build.redis_cpu() - redis) / 600 * 1e6
    before, redis = build.cpu(), build.redis_cpu()
    line = build.load("flat", count=5000)
    yield "flat out, submits/s", line["submits_per_s"]
    yield "flat out, done/s", line["done_per_s"]
    yield "flat out, CPU µs a fetch", (build.cpu() - before) / 5000 * 1e6
    yield "flat out, Redis CPU µs a fetch", (build.redis_cpu() - redis) / 5000 * 1e6


def pixels(build):
    for format_ in ("jpeg", "webp"):
        request = '{"transform":[{"op":"resize","width":720}],"output":{"format":"%s","quality":80},"deliver":"none"}' % format_
        before, count = build.cpu(), 80
        line = build.load("images", url=f"http://{build.origin}/photo", request=request, count=count, pipeline=2)
        yield f"photo → {format_} 720, images/s", line["images_per_s"]
        yield f"photo → {format_} 720, CPU ms an image", (build.cpu() - before) / count * 1e3


class Browser:
    """A browser that shows one dashboard at a time."""

    def __init__(self):
        words = ["nice", "-n", "19", PAGE, "-B", f"{os.path.dirname(__file__)}/page.py"]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def show(self, build):
        self.process.stdin.write(f"http://{build.coordinators[0].ready['http']}\n")
        self.process.stdin.flush()
        if self.process.stdout.readline() != "ready\n":
            sys.exit("bench: the page did not open")

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


def measure(build):
    return {"rpc": rpc, "queue": queue, "pixels": pixels}[WHAT](build)


def rows_of_builds(builds):
    """Old and new in turn. Returns the names of the rows, with the values of both and the ratios."""
    rows = {}
    for turn in range(ROUNDS + 1):
        for build in builds if turn % 2 else builds[::-1]:
            for name, value in measure(build):
                if turn:  # the first round warms up
                    rows.setdefault(name, ([], []))[builds.index(build)].append(value)
    return {name: (old, new, [b / a for a, b in zip(old, new) if a]) for name, (old, new) in rows.items()}


def rows_of_page(builds, browser):
    """Each build with the page open and shut, in turn. Returns the names of the rows, with the values of shut and open, and the ratios."""
    for build in builds:  # warms up
        list(measure(build))
    rows = {}
    for turn in range(ROUNDS):
        ratios = {}
        for shown in builds if turn % 2 else builds[::-1]:
            browser.show(shown)
            for build in builds if turn % 2 else builds[::-1]:
                for name, value in measure(build):
                    rows.setdefault(name, ([], [], []))[build is shown].append(value)
                    ratios[name] = ratios.get(name, 1) * (value if build is shown else 1 / value)
        for name, ratio in ratios.items():
            rows[name][2].append(ratio ** 0.5)
    return rows


def main():
    if PHOTO:
        os.symlink(os.path.abspath(PHOTO), f"{FOLDER}/photo")
    builds = [Build(OLD, "old"), Build(NEW, "new")]
    browser = Browser() if PAGE else None
    try:
        rows = rows_of_page(builds, browser) if browser else rows_of_builds(builds)
    finally:
        if browser:
            browser.stop()
        for build in builds:
            build.stop()
    old, new = ("shut", "open") if PAGE else ("old", "new")
    print(f"| {WHAT}, {ROUNDS} rounds in turn | {old}, median | {new}, median | {new} ÷ {old}, median | least | most |\n|---|---|---|---|---|---|")
    for name, (olds, news, ratios) in rows.items():
        if ratios:
            print(f"| {name} | {statistics.median(olds):.4g} | {statistics.median(news):.4g} | "
                  f"{statistics.median(ratios):.3f} | {min(ratios):.3f} | {max(ratios):.3f} |")


main()
