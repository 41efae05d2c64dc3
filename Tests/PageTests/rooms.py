"""Opens every room of the dashboard in Chromium against a running service, clicks what an operator clicks, and looks for mistakes.

usage: rooms.py BASE ORIGIN [SCREENSHOTS]
  BASE         the HTTP address of a coordinator, with one worker at least and the queue `thumbs`
  ORIGIN       the address of an origin with /picture.png and /status/N
  SCREENSHOTS  a folder for a picture of each room, light and dark, wide and on a phone
"""
import json, pathlib, sys, time, urllib.parse, urllib.request
from playwright.sync_api import expect, sync_playwright

BASE, ORIGIN = sys.argv[1:3]
SHOTS = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
CHECK = (pathlib.Path(__file__).parent / "accessibility.js").read_text().split("\n", 1)[1]
PICTURE = urllib.parse.quote(ORIGIN + "/picture.png", safe="")
HOSTILE = urllib.parse.quote("<img src=x onerror=alert(1)>\u202egnp", safe="")
ROOMS = ["overview", "queues", "running", "hosts", "workers", "pictures", "failures", "search", f"search/{PICTURE}", f"search/{HOSTILE}", "search/%ff%ZZ",
         f"playground/{PICTURE}", "receipt/nothing-has-this-name", "no-such-room"]
mistakes = []


def call(method, **params):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    answer = json.load(urllib.request.urlopen(urllib.request.Request(BASE + "/rpc", body, {"Content-Type": "application/json"})))
    return answer["result"]


def until(what, condition):
    """Waits for a condition; the time only bounds how long a mistake takes."""
    end = time.monotonic() + 20
    while not condition():
        if time.monotonic() > end:
            return mistakes.append(f"never came: {what}")
        time.sleep(0.1)
    print("ok:", what)


def opened(browser, width=1440, height=900, scheme="light"):
    page = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme).new_page()
    # Breaches of the content security policy and of Trusted Types are errors of the console.
    page.on("console", lambda message: message.type == "error" and mistakes.append(f"{page.url}: {message.text[:300]}"))
    page.on("pageerror", lambda error: mistakes.append(f"{page.url}: {str(error)[:300]}"))
    page.on("dialog", lambda dialog: (mistakes.append("a text of others ran as a script"), dialog.dismiss()))
    return page


def looks(browser):
    for scheme in ("light", "dark"):
        for kind, width, height in (("wide", 1440, 900), ("phone", 360, 740)):
            page = opened(browser, width, height, scheme)
            for room in ROOMS:
                page.goto(f"{BASE}/#/{room}")
                expect(page.locator("#state")).to_have_class("open", timeout=20000)
                page.wait_for_timeout(1500)  # for pictures that fade in; no check depends on it
                mistakes.extend(f"{room} {scheme} {kind}: {found}" for found in page.evaluate(CHECK))
                if SHOTS and "/" not in room:
                    page.screenshot(path=SHOTS / f"{room}-{scheme}-{kind}.png")
            page.context.close()


def clicks(browser):
    page = opened(browser)
    row = lambda text: page.get_by_role("row").filter(has_text=text).first
    press = lambda place, name: place.get_by_role("button", name=name, exact=True).first.click()
    queue = lambda: call("queue.get", queue="thumbs")
    worker = lambda: call("workers.list")[0]

    call("queue.resume", queue="thumbs")
    page.goto(BASE + "/#/queues")
    press(row("thumbs"), "Pause")
    until("a queue is paused", lambda: queue()["paused"])
    press(row("thumbs"), "Limits")
    page.get_by_label("Running fetches of one host at most").fill("3")
    page.get_by_label("Limits of single hosts").fill("example.org 4")
    press(page, "Save")
    until("limits are changed", lambda: queue()["limits"]["maxConcurrentPerHost"] == 3 and queue()["limits"]["hostLimits"] == {"example.org": 4})

    receipt = f"page-{time.time_ns()}"
    call("image.submit", url=f"{ORIGIN}/picture.png?{receipt}", queue="thumbs", receipt=receipt, detached=True, deadline=300)
    page.goto(f"{BASE}/#/receipt/{receipt}")
    press(page, "Priority high")
    expect(page.locator("#said")).to_contain_text("Priority high")
    press(page, "Cancel")
    until("a receipt is cancelled", lambda: call("receipt.get", receipt=receipt)["state"] == "cancelled")

    call("image.submit", url=f"{ORIGIN}/picture.png?{receipt}b", queue="thumbs", receipt=receipt + "b", detached=True, deadline=300)
    page.keyboard.press("2")
    press(row("thumbs"), "Cancel all")
    press(page.get_by_role("dialog"), "Cancel all")
    until("all receipts of a queue are cancelled", lambda: call("receipt.get", receipt=receipt + "b")["state"] == "cancelled")
    press(row("thumbs"), "Resume")
    until("a queue goes on", lambda: not queue()["paused"])

    page.keyboard.press("5")
    press(row(worker()["id"]), "Quiet")
    until("a worker is quiet", lambda: worker()["state"] == "quiet")
    press(row(worker()["id"]), "Resume")
    until("a worker claims again", lambda: worker()["state"] == "running")

    call("image.submit", url=f"{ORIGIN}/status/500", receipt=receipt + "c", detached=True, fetch={"retry": {"attempts": 1}}, blacklist="off")
    call("receipt.get", receipt=receipt + "c", wait=20)
    dead = lambda: [item["id"] for item in call("dead.list", queue="default")["items"]]
    letter = dead()[0]
    page.keyboard.press("7")
    press(page.get_by_role("region", name="Dead letters"), "Retry")
    until("a dead letter is asked again", lambda: letter not in dead())

    page.keyboard.press("/")
    page.keyboard.type(receipt)
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name=receipt)).to_be_visible()
    page.goto(f"{BASE}/#/playground/{PICTURE}")
    page.get_by_label("Add an operation").select_option("grayscale")
    expect(page.get_by_alt_text("The result")).to_be_visible(timeout=60000)
    expect(page.locator("pre").first).to_contain_text("grayscale")
    page.context.close()


def main():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium-headless-shell", args=["--no-sandbox", "--no-proxy-server"])
        clicks(browser)
        looks(browser)
        browser.close()
    print(*mistakes, sep="\n")
    return 1 if mistakes else 0


sys.exit(main())
