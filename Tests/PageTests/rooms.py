"""Opens every room of the dashboard in Chromium against a running service, clicks what an operator clicks, and looks for mistakes.

usage: rooms.py BASE ORIGIN GUARDED
  BASE     the HTTP address of a coordinator, with one worker at least and the queue `thumbs`; load.py gives them work meanwhile
  ORIGIN   the address of the program `origin`
  GUARDED  the HTTP address of a coordinator with the tokens `of-an-operator` and, with the role `load`, `of-a-client`
"""
import pathlib, re, sys, time, urllib.parse
from playwright.sync_api import expect, sync_playwright
from load import HOSTILE, ask, rpc, submit

BASE, ORIGIN, GUARDED = (address.rstrip("/") for address in sys.argv[1:4])
FILES = pathlib.Path(__file__).resolve().parents[2] / "Sources/Features/Dashboard/Files"
CHECK = (pathlib.Path(__file__).parent / "accessibility.js").read_text().split("\n", 1)[1]
SCENE = ORIGIN + "/scenes/7.png"
word = lambda text: urllib.parse.quote(text, safe="")
ROOMS = ["overview", "queues", "running", "hosts", "workers", "pictures", "failures", "search", f"search/{word(SCENE)}", f"search/{word(HOSTILE)}", "search/%ff%ZZ",
         f"playground/{word(HOSTILE)}", "receipt/nothing-has-this-name", f"receipt/{word(HOSTILE)}", "no-such-room"]
ONCE = {"retry": {"attempts": 1}}
mistakes = []


def call(method, **params):
    (answer,) = rpc(BASE, (method, params)) or [{"error": "no answer"}]
    if "error" in answer:
        raise RuntimeError(f"{method}: {answer['error']}")
    return answer["result"]


def until(what, condition):
    """Waits for a condition; the time only bounds how long a mistake takes."""
    end = time.monotonic() + 20
    while not condition():
        if time.monotonic() > end:
            return mistakes.append(f"never came: {what}")
        time.sleep(0.1)
    print("ok:", what, flush=True)


def opened(browser, width=1440, height=900, scheme="light"):
    page = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme).new_page()
    # Breaches of the content security policy and of Trusted Types are errors of the console.
    page.on("console", lambda message: message.type == "error" and mistakes.append(f"{page.url[:200]}: {message.text[:300]}"))
    page.on("pageerror", lambda error: mistakes.append(f"{page.url[:200]}: {str(error)[:300]}"))
    page.on("dialog", lambda dialog: (mistakes.append("a text of others ran as a script"), dialog.dismiss()))
    return page


def check(page, place):
    mistakes.extend(f"{place}: {found}" for found in page.evaluate(CHECK))
    if page.locator("img[src=x], script:not([src]), iframe").count():
        mistakes.append(f"{place}: a text of others is markup")


def looks(browser):
    for scheme in ("light", "dark"):
        for kind, width, height in (("wide", 1440, 900), ("phone", 360, 740)):
            page = opened(browser, width, height, scheme)
            for room in ROOMS:
                page.goto(f"{BASE}/#/{room}")
                expect(page.locator("#state")).to_have_class("open", timeout=20000)
                # The first answers have come when no table waits for one.
                expect(page.get_by_text("Loading…")).to_have_count(0, timeout=20000)
                check(page, f"{room[:60]} {scheme} {kind}")
            page.context.close()


class Operator:
    """A page, and what its reader does there."""

    def __init__(self, browser):
        self.page = opened(browser)
        self.receipt = f"page-{time.time_ns()}"

    def row(self, text):
        return self.page.get_by_role("row").filter(has_text=text).first

    def press(self, place, name):
        place.get_by_role("button", name=name, exact=True).first.click()

    def enter(self, room):
        self.page.goto(f"{BASE}/#/{room}")

    def alt(self, digit):
        """Alt with a digit, whose letter Playwright leaves out of a shortcut."""
        session = self.page.context.new_cdp_session(self.page)
        key = {"key": digit, "code": "Digit" + digit, "unmodifiedText": digit, "windowsVirtualKeyCode": ord(digit), "modifiers": 1}
        for kind in ("keyDown", "keyUp"):
            session.send("Input.dispatchKeyEvent", {"type": kind, **key})
        session.detach()

    def dialog(self):
        dialog = self.page.get_by_role("dialog")
        expect(dialog).to_be_visible()
        check(self.page, f"a dialog in {self.page.url[:80]}")
        return dialog

    def submit(self, ending, url=None, **more):
        # Before the work of load.py.
        method, params = submit(url or f"{SCENE}?{self.receipt}{ending}", receipt=self.receipt + ending, priority="high", **more)
        call(method, **params)
        return params["receipt"]

    def state(self, receipt):
        return call("receipt.get", receipt=receipt)["state"]

    def queues(self):
        queue = lambda: call("queue.get", queue="thumbs")
        call("queue.resume", queue="thumbs")
        self.enter("queues")
        self.press(self.row("thumbs"), "Pause")
        until("a queue is paused", lambda: queue()["paused"])
        self.press(self.row("thumbs"), "Limits")
        self.page.get_by_label("Limits of single hosts").fill("example.org 4")
        self.page.get_by_label("Running fetches of one host at most").fill("3")
        self.dialog()
        # As in any form, Enter in a field saves.
        self.page.keyboard.press("Enter")
        until("limits are changed", lambda: queue()["limits"]["maxConcurrentPerHost"] == 3 and queue()["limits"]["hostLimits"] == {"example.org": 4})
        self.press(self.row("thumbs"), "Limits")
        self.page.get_by_label("Limits of single hosts").fill("example.org 5\nno number")
        self.press(self.dialog(), "Save")
        expect(self.page.locator("#said")).to_contain_text("no number")
        until("a line without a number changes nothing", lambda: queue()["limits"]["hostLimits"] == {"example.org": 4})

        receipt = self.submit("", queue="thumbs")
        self.enter("receipt/" + receipt)
        self.press(self.page, "Priority high")
        expect(self.page.locator("#said")).to_contain_text("Priority high")
        self.press(self.page, "Cancel")
        until("a receipt is cancelled", lambda: self.state(receipt) == "cancelled")
        receipt = self.submit("b", queue="thumbs")
        self.alt("2")
        self.press(self.row("thumbs"), "Cancel all")
        self.press(self.dialog(), "Cancel all")
        until("all receipts of a queue are cancelled", lambda: self.state(receipt) == "cancelled")
        self.press(self.row("thumbs"), "Resume")
        until("a queue goes on", lambda: not queue()["paused"])
        call("queue.configure", queue="thumbs", maxConcurrentPerHost=6, hostLimits={})

    def workers(self):
        worker = lambda: call("workers.list")[0]
        self.enter("workers")
        self.press(self.row(worker()["id"]), "Quiet")
        until("a worker is quiet", lambda: worker()["state"] == "quiet")
        self.press(self.row(worker()["id"]), "Resume")
        until("a worker claims again", lambda: worker()["state"] == "running")

    def running(self):
        receipt = self.submit("slow", ORIGIN + f"/slow/scenes/1.png?rate=12000&{self.receipt}")
        self.enter("running")
        expect(self.row("/slow/scenes/1.png")).to_contain_text(" of ", timeout=30000)
        host = urllib.parse.urlsplit(ORIGIN).hostname
        self.enter("hosts")
        self.press(self.row(host), "Limit")
        self.page.get_by_label("Limits of single hosts").fill(f"{host} 9")
        self.press(self.dialog(), "Save")
        until("a host has a limit of its own", lambda: any(one["limits"]["hostLimits"] == {host: 9} for one in call("queue.list")))
        self.enter("receipt/" + receipt)
        expect(self.page.get_by_text(re.compile(r"^download \d"))).to_be_visible(timeout=30000)
        self.press(self.page, "Cancel")
        expect(self.row("events")).to_be_visible(timeout=30000)
        expect(self.page.get_by_text("cancelled", exact=True)).to_have_count(3)
        until("a running receipt is cancelled", lambda: self.state(receipt) == "cancelled")

    def failures(self):
        # Of a query, lists show the names alone.
        url = lambda ending, path="/status/500": f"{ORIGIN}{path}?{self.receipt}{ending}="
        listed = lambda method: call(method, queue="default", limit=1000)["items"]
        ids = lambda ending, method="dead.list": {one["id"] for one in listed(method) if f"?{self.receipt}{ending}=" in one["url"]}
        region = lambda name: self.page.get_by_role("region", name=name)
        row = lambda place, text: region(place).get_by_role("row").filter(has_text=text)
        # A coordinator notes failures while somebody looks.
        self.enter("failures")
        expect(self.page.get_by_text("Loading…")).to_have_count(0, timeout=20000)
        failed = [self.submit(ending, url(ending), fetch=ONCE, blacklist="off") for ending in "cdf"]
        failed.append(self.submit("e", url("e", "/text"), fetch=ONCE))
        for receipt in failed:
            call("receipt.get", receipt=receipt, wait=20)

        # A fetch that fails again is another dead letter.
        before = ids("c")
        self.press(row("Dead letters", self.receipt + "c"), "Retry")
        until("a dead letter is asked again", lambda: before and not before & ids("c"))
        self.press(row("Dead letters", self.receipt + "d"), "Remove")
        self.press(self.dialog(), "Remove")
        until("a dead letter is removed", lambda: not ids("d"))
        group = ids("f")
        self.press(row("Failures by cause", "httpStatus 500"), "Ask all again")
        expect(self.page.locator("#said")).to_contain_text("queued again")
        until("all failures of a group are asked again", lambda: group and not group & ids("f"))
        until("it fails again", lambda: ids("f"))
        group = ids("f")
        self.press(self.page, "Retry all")
        until("all dead letters are asked again", lambda: not group & ids("f"))
        until("a source is blacklisted", lambda: ids("e", "blacklist.list"))
        self.press(row("Blacklist", self.receipt + "e"), "Remove")
        until("a source leaves the blacklist", lambda: not ids("e", "blacklist.list"))
        self.press(row("Failures by cause", "badImageData"), "Look")
        dialog = self.dialog()
        expect(dialog).to_contain_text("First bytes")
        self.press(dialog, "Close")

    def search(self):
        page, found = self.page, self.page.locator("main")
        receipt = self.submit("found", SCENE, cache={"tags": ["tag-of-the-page"]}, describe=["thumbhash"], transform=[{"op": "resize", "width": 90}])
        until("a picture is made", lambda: self.state(receipt) == "succeeded")
        self.alt("0")
        expect(page.get_by_role("searchbox", name="Search")).to_be_focused()
        for text, shown in ((receipt, receipt), ("tag-of-the-page", "Results with this tag"), (urllib.parse.urlsplit(ORIGIN).hostname, "Newest results of the host"), (SCENE, "Its newest results")):
            page.get_by_role("searchbox", name="Search").fill(text)
            page.keyboard.press("Enter")
            expect(found).to_contain_text(shown)
            if text == SCENE:
                until("a ThumbHash is listed", lambda: any(one.get("thumbhash") for one in call("pictures.list")["items"]))
                expect(found.locator(".sheet canvas")).not_to_have_count(0)
        print("ok: a receipt, a tag, a host and a URL are found", flush=True)
        self.press(found, page.locator(".sheet button").first.get_attribute("aria-label"))
        dialog = self.dialog()
        expect(dialog.get_by_alt_text("The source")).to_be_visible()
        expect(dialog.get_by_role("table", name="Phases")).to_be_visible()
        expect(dialog).to_contain_text("resize: width ")
        self.press(dialog, "Close")
        # A mouse that has closed a dialog does not keep the sheet from new pictures, and each rendition is one.
        self.enter("pictures")
        expect(page.locator(".sheet button")).not_to_have_count(0)
        page.locator(".sheet button").first.click()
        self.press(self.dialog(), "Close")
        page.mouse.move(0, 0)
        made = [{"name": name, "transform": [{"op": "resize", "width": width}], "output": {"format": "webp"}} for name, width in (("small", 61), ("large", 183))]
        receipt = self.submit("many", f"{SCENE}?{self.receipt}many", renditions=made)
        expect(page.get_by_role("button", name=f"?***, webp")).not_to_have_count(0)
        expect(page.locator(f".sheet button[title$='{SCENE[7:]}?***']")).not_to_have_count(0)
        self.enter("receipt/" + receipt)
        for name in ("small", "large"):
            expect(found.get_by_alt_text(name)).to_be_visible()
        expect(found).to_contain_text("webp, 61 × ")
        expect(found).to_contain_text("webp, 183 × ")
        # No list has the whole URL of this picture.
        receipt = self.submit("hidden", f"{SCENE}?{self.receipt}=1", transform=[{"op": "resize", "width": 80}])
        until("a picture of a URL with a value is made", lambda: self.state(receipt) == "succeeded")
        self.enter("pictures")
        page.get_by_role("button", name=f"?{self.receipt}=***").first.click()
        expect(self.dialog().get_by_alt_text("The source")).to_be_visible()
        self.press(self.dialog(), "Close")
        page.get_by_role("searchbox", name="Search").fill(f"{SCENE}?{self.receipt}=1")
        page.keyboard.press("Enter")
        expect(found).to_contain_text("Newest results, with any values in the query")
        page.get_by_role("searchbox", name="Search").fill(HOSTILE * 900)
        page.keyboard.press("Enter")
        expect(found).to_contain_text("‹U+202E›")
        check(page, "a word of 64 KB")

    def playground(self):
        page = self.page
        self.enter("playground/" + word(SCENE))
        page.get_by_label("Add an operation").select_option("grayscale")
        expect(page.locator("pre").first).to_contain_text("grayscale")
        expect(page.get_by_alt_text("The result")).to_have_count(0)
        self.press(page, "Show")
        expect(page.get_by_alt_text("The result")).to_be_visible(timeout=60000)
        expect(page.locator("pre").nth(1)).to_contain_text("tintype rpc image.load")
        self.press(page, "Copy JSON")
        expect(page.locator("#said")).to_contain_text("JSON")
        signed = page.get_by_role("region", name="Signed URL")
        expect(signed).to_contain_text("transform[1] (grayscale) has no option")
        expect(signed.get_by_role("button")).to_have_count(0)
        self.press(page, "Remove grayscale")
        expect(signed.locator("pre")).to_have_text(re.compile("^/[A-Za-z0-9_-]{43}/rs:fit:640:0/kcr:0/[A-Za-z0-9_-]+$"))
        self.press(signed, "Copy Signed URL")
        expect(page.locator("#said")).to_contain_text("Signed URL is copied")
        page.get_by_label("Or a file").set_input_files({"name": "drawn.png", "mimeType": "image/png", "buffer": ask(ORIGIN + "/scenes/3.png").read()})
        expect(page.get_by_label("URL of the source")).to_have_value(re.compile("^upload:"))
        expect(page.get_by_alt_text("The result")).to_be_visible(timeout=60000)
        print("ok: the playground shows a URL and a file", flush=True)
        widths = {one["width"] for one in call("pictures.list", limit=400)["items"] if one["url"] == SCENE}
        if widths != {90}:
            mistakes.append(f"the pictures that the page has asked for are listed: {widths}")


def signing(browser):
    """Asks for a token, takes the right one alone, and ends the session. A token without the right to look has a way out too."""
    page = opened(browser)
    # A refusal is an error of the network, which the console shows.
    refused = lambda: [found for found in mistakes if GUARDED not in found or "401" not in found and "403" not in found]
    press = lambda name: page.get_by_role("button", name=name, exact=True).last.click()
    sign_in = lambda token: (page.get_by_label("Token").fill(token), press("Sign in"))
    page.goto(GUARDED)
    sign_in("of-a-stranger")
    expect(page.get_by_role("dialog")).to_contain_text("token")
    check(page, "the dialog that asks for a token")
    sign_in("of-an-operator")
    expect(page.locator("#state")).to_have_class("open", timeout=20000)
    press("Sign out")
    sign_in("of-a-client")
    expect(page.locator("#trouble")).to_contain_text("role")
    press("Sign out")
    expect(page.get_by_label("Token")).to_be_visible()
    print("ok: a token opens the page, and another one does not", flush=True)
    mistakes[:] = refused()
    page.context.close()


def sleeping(browser):
    """A tab that nobody sees asks nothing and hears nothing, for half an hour of its own clock in each room."""
    page = opened(browser)
    page.add_init_script("Object.defineProperty(document, 'hidden', { get: () => globalThis.isHidden === true })")
    page.clock.install()
    page.goto(BASE + "/#/workers")
    expect(page.locator("#state")).to_have_class("open", timeout=20000)
    turn = lambda hidden: page.evaluate("hidden => { isHidden = hidden; document.dispatchEvent(new Event('visibilitychange')); }", hidden)
    # A question of our own, whose answer comes behind those to the page.
    settle = lambda: page.evaluate("fetch('/healthz').then((answer) => answer.text())")
    asked = []
    page.on("request", lambda request: request.url.endswith("/healthz") or asked.append(request.url))
    for room in ("workers", "overview", "failures"):
        page.goto(f"{BASE}/#/{room}")
        turn(True)
        settle()
        asked.clear()
        for _ in range(10):
            page.clock.run_for(180_000)
            settle()
        if asked:
            mistakes.append(f"the hidden room {room} asks {len(asked)} times: {asked[:3]}")
        turn(False)
        expect(page.locator("#state")).to_have_class("open", timeout=20000)
        until(f"the room {room} asks again when it is seen", lambda: settle() and asked)
    page.context.close()


def main():
    size = sum(len(ask(f"{BASE}/" if file.name == "index.html" else f"{BASE}/page/{file.name}").read()) for file in FILES.iterdir())
    if size > 84 * 1024:
        mistakes.append(f"a browser loads {size} bytes for all rooms")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium-headless-shell", args=["--no-sandbox", "--no-proxy-server"])
        operator = Operator(browser)
        for part in (operator.queues, operator.workers, operator.running, operator.failures, operator.search, operator.playground):
            part()
        operator.page.context.close()
        signing(browser)
        sleeping(browser)
        looks(browser)
        browser.close()
    print(*mistakes, sep="\n")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
