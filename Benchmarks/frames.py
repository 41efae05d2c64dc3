"""How many frames a second the rooms of the dashboard keep while 200 receipts end a second.

    frames.py PROGRAMS FOLDER

The browser shares the cores with the service and with the load.
"""

import statistics
import subprocess
import sys

from deployment import Deployment
from playwright.sync_api import expect, sync_playwright

PROGRAMS, FOLDER = sys.argv[1:]
ROOMS = ["overview", "queues", "running", "hosts", "workers", "pictures", "failures", "search/127.0.0.1", "playground"]
SECONDS, RATE = 6, 200
GAPS = """seconds => new Promise(done => {
  const times = [];
  const frame = time => { times.push(time); time - times[0] < seconds * 1000 ? requestAnimationFrame(frame) : done(times.slice(1).map((time, at) => time - times[at])); };
  requestAnimationFrame(frame);
})"""

deployment = Deployment(PROGRAMS, FOLDER)
deployment.start_all()
load = None
try:
    coordinator = deployment.coordinators[0].ready
    seconds = len(ROOMS) * (SECONDS + 5)
    words = [f"{PROGRAMS}/loadgen", "paced", "--coordinator", coordinator["rpc"], "--rate", str(RATE), "--seconds", str(seconds)]
    load = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium-headless-shell", args=["--no-sandbox", "--no-proxy-server"])
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(f"http://{coordinator['http']}/")
        expect(page.locator("#state")).to_have_class("open", timeout=20000)
        print(f"| room, {RATE} ends a second | frames/s | median gap, ms | 99 % of the gaps, ms | longest, ms |\n|---|---|---|---|---|")
        for room in ROOMS:
            page.evaluate("room => { location.hash = '#/' + room }", room)
            expect(page.locator("h1")).to_be_visible()
            page.wait_for_timeout(1000)
            gaps = page.evaluate(GAPS, SECONDS)
            whole = statistics.quantiles(gaps, n=100)
            print(f"| {room.partition('/')[0]} | {len(gaps) / sum(gaps) * 1000:.0f} | {statistics.median(gaps):.1f} | {whole[98]:.1f} | {max(gaps):.0f} |", flush=True)
        browser.close()
    if load.poll() is not None:
        sys.exit("bench: the load has ended before the rooms were seen")
finally:
    if load:
        load.terminate()
    deployment.stop()
