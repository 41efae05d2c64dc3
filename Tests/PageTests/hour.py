"""Keeps the dashboard open in Chromium for as long as a soak lasts, and watches the memory of the browser and of the coordinator.

usage: hour.py BASE SECONDS PID [EVERY]
  BASE     the HTTP address of a coordinator
  SECONDS  how long the page stays open
  PID      the process of that coordinator
  EVERY    seconds between two samples (60); between them the page visits another room and returns

Memory of the coordinator is the least of each such time: free pages of its heap go back to the kernel every minute, and are no growth before.
Memory of the browser is measured after a notice of memory pressure, at which Chromium drops what it only keeps for speed.
The page keeps points of a quarter of an hour, so its heap is level only after that: a run of less than an hour may show growth.
The exit status is 1, with a sentence for each reason, if memory grows from the second quarter to the last one,
if a script failed, or if the page is not live at the end. Redis and the coordinator may be away for a while: the page has to come back by itself.
"""
import os, pathlib, re, statistics, sys, time, urllib.request
from playwright.sync_api import sync_playwright

BASE, SECONDS, PID = sys.argv[1].rstrip("/"), float(sys.argv[2]), int(sys.argv[3])
EVERY = float(sys.argv[4]) if len(sys.argv) > 4 else 60
ROOMS = ["queues", "running", "hosts", "workers", "pictures", "failures", "search/example.org", "playground", "receipt/nothing-has-this-name"]
CHROMIUM = "/usr/bin/chromium-headless-shell"
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


def proportional(pid):
    """The memory of a process in MB, with its part of the pages that it shares; 0 for one that has gone."""
    try:
        return int(re.search(r"^Pss: +(\d+)", pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE)[1]) / 1000
    except OSError:
        return 0


def kept():
    """The pictures in the memory of the coordinator in MB. They have a limit of their own, and the page's room of pictures adds to them."""
    with urllib.request.urlopen(BASE + "/metrics", timeout=20) as answer:
        found = re.search(r'^tintype_cache_bytes{[^}]*"memory"[^}]*} (\S+)', answer.read().decode(), re.MULTILINE)
    return float(found[1]) / 1e6


def browser_processes():
    """The descendants of this process, without Playwright's driver."""
    children = {}
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            pid, rest = status.read_text().split(" (", 1)
            name, rest = rest.rsplit(") ", 1)
            children.setdefault(int(rest.split()[1]), []).append((int(pid), name))
        except OSError:
            pass
    found, left = [], [os.getpid()]
    while left:
        for pid, name in children.get(left.pop(), []):
            left.append(pid)
            if name != "node":
                found.append(pid)
    return found


def failed(text):
    reasons.append(text)
    print(text, flush=True)


def console(message):
    # A network that is away shows as such messages; anything else is a mistake of the page.
    if message.type == "error" and not message.text.startswith("Failed to load resource"):
        failed(f"The console has an error: {message.text[:300]}")


def is_live(page):
    """Whether the stream is open and the chart ends now."""
    labels = {time.strftime("%H:%M", time.localtime(time.time() - ago)) for ago in (0, 20, 60)}
    axis = page.locator(".axis span").last
    return page.locator("#state").get_attribute("class") == "open" and axis.text_content() in labels


def sample(page, session, started, least):
    session.send("Memory.simulatePressureNotification", {"level": "critical"})
    page.wait_for_timeout(2000)
    session.send("HeapProfiler.collectGarbage")
    metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    row = {"heap": metrics["JSHeapUsedSize"] / 1e6, "browser": sum(map(proportional, browser_processes())), "coordinator": least, "kept": kept()}
    shown = " ".join(f"{name} {value:.1f} MB," for name, value in row.items())
    print(f"{time.monotonic() - started:.0f} s: {shown} {metrics['Nodes']:.0f} nodes, {metrics['JSEventListeners']:.0f} listeners, "
          f"{page.locator('#state').text_content()}", flush=True)
    return row


def pause(page, seconds):
    """Waits, and returns the least memory of the coordinator meanwhile."""
    end, least = time.monotonic() + seconds, resident(PID)
    while time.monotonic() < end:
        page.wait_for_timeout(500)
        least = min(least, resident(PID))
    return least


def watch(page):
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    page.goto(BASE + "/#/overview")
    started, rows = time.monotonic(), []
    while time.monotonic() - started < SECONDS:
        least = pause(page, EVERY * 0.75)
        page.evaluate("room => location.hash = '#/' + room", ROOMS[len(rows) % len(ROOMS)])
        least = min(least, pause(page, EVERY * 0.25))
        page.evaluate("location.hash = '#/overview'")
        rows.append(sample(page, session, started, least))
    # A node of Redis may be away at this very moment.
    end = time.monotonic() + 60
    while not (live := is_live(page)) and time.monotonic() < end:
        page.wait_for_timeout(500)
    if not live:
        failed(f"The page is not live at the end: {page.locator('#state').text_content()}, {page.locator('#trouble').text_content()}")
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
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--no-proxy-server"])
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.on("console", console)
        page.on("pageerror", lambda error: failed(f"A script failed: {str(error)[:300]}"))
        page.on("crash", lambda _: failed("The page crashed."))
        judge(watch(page))
        browser.close()
    return 1 if reasons else 0


if __name__ == "__main__":
    sys.exit(main())
