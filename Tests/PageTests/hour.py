"""Keeps the dashboard open in Chromium for as long as a soak lasts, and watches the memory of the browser and of the coordinator.

usage: hour.py BASE SECONDS PID [EVERY]
  BASE     the HTTP address of a coordinator
  SECONDS  how long the page stays open
  PID      the process of that coordinator
  EVERY    seconds between two samples (60); between them the page visits another room and returns

Memory of the coordinator is the least of each such time: free pages of its heap go back to the kernel every minute, and are no growth before.
Memory of the browser is measured twice: as it is, which is printed only, and after a notice of memory pressure.
At such a notice, Chromium drops what it only keeps for speed.
The page keeps points of a quarter of an hour, so its heap is level only after that: a run of less than an hour may show growth.
The exit status is 1, with a sentence for each reason, if memory grows from the second quarter to the last one,
if a script failed, or if the page is not live at the end. Redis and the coordinator may be away for a while: the page has to come back by itself.
"""
import os, pathlib, re, statistics, sys, tempfile, time, urllib.request
from chromium import Chromium

BASE, SECONDS, PID = sys.argv[1].rstrip("/"), float(sys.argv[2]), int(sys.argv[3])
EVERY = float(sys.argv[4]) if len(sys.argv) > 4 else 60
ROOMS = ["queues", "running", "hosts", "workers", "pictures", "failures", "search/example.org", "playground", "receipt/nothing-has-this-name"]
# The growth that each row may have.
MOST = {"heap": 1.25, "browser": 1.15, "coordinator": 1.15}
reasons = []


def resident(pid):
    """The resident memory of a process in MB; 0 for one that has gone."""
    try:
        pages = int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
    except OSError:
        return 0


def kept():
    """The pictures in the memory of the coordinator in MB. They have a limit of their own, and the page's room of pictures adds to them."""
    with urllib.request.urlopen(BASE + "/metrics", timeout=20) as answer:
        found = re.search(r'^tintype_cache_bytes{[^}]*"memory"[^}]*} (\S+)', answer.read().decode(), re.MULTILINE)
    return float(found[1]) / 1e6


def failed(text):
    reasons.append(text)
    print(text, flush=True)


def state(chromium):
    """What the page says of its stream, and of a trouble."""
    return chromium.evaluate("['#state', '#trouble'].map(one => document.querySelector(one).textContent.trim()).filter(Boolean).join(', ')")


def is_live(chromium):
    """Whether the stream is open and the chart ends now."""
    labels = {time.strftime("%H:%M", time.localtime(time.time() - ago)) for ago in (0, 20, 60)}
    return chromium.evaluate("document.querySelector('#state').className") == "open" \
        and chromium.evaluate("[...document.querySelectorAll('.axis span')].pop()?.textContent") in labels


def sample(chromium, started, least):
    before = sum(chromium.memory().values())
    chromium.send("Memory.simulatePressureNotification", level="critical")
    chromium.wait(2)
    chromium.send("HeapProfiler.collectGarbage")
    metrics = {one["name"]: one["value"] for one in chromium.send("Performance.getMetrics")["metrics"]}
    processes = chromium.memory()
    row = {"heap": metrics["JSHeapUsedSize"] / 1e6, "browser": sum(processes.values()), "coordinator": least, "kept": kept()}
    shown = " ".join(f"{name} {value:.1f} MB," for name, value in row.items())
    parts = " + ".join(f"{name} {value:.0f}" for name, value in sorted(processes.items()))
    print(f"{time.monotonic() - started:.0f} s: {shown} browser before {before:.1f} MB, after {parts} MB, "
          f"{metrics['Nodes']:.0f} nodes, {metrics['JSEventListeners']:.0f} listeners, {state(chromium)}", flush=True)
    return row


def pause(chromium, seconds):
    """Waits, and returns the least memory of the coordinator meanwhile."""
    end, least = time.monotonic() + seconds, resident(PID)
    while time.monotonic() < end:
        chromium.wait(0.5)
        least = min(least, resident(PID))
    return least


def watch(chromium):
    chromium.send("Page.navigate", url=BASE + "/#/overview")
    started, rows = time.monotonic(), []
    while time.monotonic() - started < SECONDS:
        least = pause(chromium, EVERY * 0.75)
        chromium.evaluate(f"location.hash = '#/{ROOMS[len(rows) % len(ROOMS)]}'")
        least = min(least, pause(chromium, EVERY * 0.25))
        chromium.evaluate("location.hash = '#/overview'")
        rows.append(sample(chromium, started, least))
    # A node of Redis may be away at this very moment.
    end = time.monotonic() + 60
    while not (live := is_live(chromium)) and time.monotonic() < end:
        chromium.wait(0.5)
    if not live:
        failed(f"The page is not live at the end: {state(chromium)}")
    return rows


def judge(rows):
    if len(rows) < 8:
        return failed(f"{len(rows)} samples are too few for quarters: there have to be 8.")
    quarter = len(rows) // 4
    for name, most in MOST.items():
        before, after = (statistics.median(row[name] for row in part) for part in (rows[quarter:2 * quarter], rows[-quarter:]))
        print(f"{name}: {before:.1f} MB in the second quarter, {after:.1f} MB in the last one", flush=True)
        if not 0 < after <= most * before:
            failed(f"The memory of the {name} grew from {before:.1f} MB to {after:.1f} MB, or its process has gone.")


def main():
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        chromium = Chromium(profile, failed)
        try:
            judge(watch(chromium))
        finally:
            chromium.close()
    return 1 if reasons else 0


if __name__ == "__main__":
    sys.exit(main())
