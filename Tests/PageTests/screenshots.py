"""Takes pictures of every room of the dashboard, light and dark, wide and on a phone, from a service that load.py gives work.

usage: screenshots.py BASE ORIGIN FOLDER
  BASE    the HTTP address of a coordinator
  ORIGIN  the address of the program `origin`, as workers reach it
  FOLDER  gets ROOM-light-wide.webp and so on; the service itself makes them
"""
import json, pathlib, sys, urllib.parse, urllib.request
from playwright.sync_api import expect, sync_playwright
from load import ask, rpc, submit

BASE, ORIGIN, FOLDER = sys.argv[1].rstrip("/"), sys.argv[2].rstrip("/"), pathlib.Path(sys.argv[3])
SCENE = ORIGIN + "/scenes/41.png"
word = lambda text: urllib.parse.quote(text, safe="")


def call(method, **params):
    (answer,) = rpc(BASE, (method, params))
    return answer["result"]


def show(page):
    page.get_by_label("Add an operation").select_option("sharpen")
    page.get_by_label("Format").select_option("webp")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.get_by_alt_text("The result")).to_be_visible(timeout=60000)


def look(page):
    page.locator(".sheet button").nth(2).click()
    expect(page.get_by_alt_text("The source")).to_be_visible(timeout=60000)


def failed(page):
    page.get_by_role("row").filter(has_text="badImageData").first.get_by_role("button", name="Look").click()
    expect(page.get_by_role("dialog")).to_contain_text("First bytes")


# The name of a picture, the room, and the clicks before it is taken.
ROOMS = {
    "overview": ("overview", None), "queues": ("queues", None), "running": ("running", None), "hosts": ("hosts", None), "workers": ("workers", None),
    "pictures": ("pictures", None), "picture": ("pictures", look), "failures": ("failures", None), "failure": ("failures", failed),
    "search": (f"search/{word(urllib.parse.urlsplit(ORIGIN).hostname)}", None), "playground": (f"playground/{word(SCENE)}", show), "receipt": ("receipt/trip-1", None),
}


def webp(png):
    """Makes a small picture of a screenshot by the service that it shows."""
    put = json.load(ask(urllib.request.Request(BASE + "/uploads", png, method="PUT")))
    made = call("image.load", url=put["url"], output={"format": "webp", "quality": 72}, deadline=60)
    return ask(BASE + made["renditions"][0]["url"]).read()


def main():
    method, params = submit(SCENE, receipt="trip-1", priority="high", transform=[{"op": "resize", "width": 480}], describe=["blurhash"])
    call(method, **params)
    call("receipt.get", receipt="trip-1", wait=60)
    pictures = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium-headless-shell", args=["--no-sandbox", "--no-proxy-server"])
        for kind, width, height in (("wide", 1280, 800), ("phone", 390, 780)):
            for scheme in ("light", "dark"):
                page = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme).new_page()
                for name, (room, clicks) in ROOMS.items():
                    page.goto(f"{BASE}/#/{room}")
                    expect(page.locator("#state")).to_have_class("open", timeout=20000)
                    expect(page.get_by_text("Loading…")).to_have_count(0, timeout=20000)
                    if clicks:
                        clicks(page)
                    page.wait_for_timeout(1200)  # for pictures that arrive
                    pictures[f"{name}-{scheme}-{kind}"] = page.screenshot()
                page.context.close()
        browser.close()
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, png in pictures.items():
        (FOLDER / f"{name}.webp").write_bytes(webp(png))
    print(f"{len(pictures)} pictures, {sum(file.stat().st_size for file in FOLDER.glob('*.webp')) / 1000:.0f} kB in {FOLDER}")


if __name__ == "__main__":
    main()
