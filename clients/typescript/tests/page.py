"""Opens the demonstration of <tintype-image> in Chromium, with strict policies, and looks at what a reader sees.

usage: page.py DENO [SCREENSHOT]
  SCREENSHOT  a file for a picture of the page in WebP or PNG
"""
import pathlib, subprocess, sys, time, urllib.parse
from playwright.sync_api import expect, sync_playwright

DENO = sys.argv[1]
SHOT = sys.argv[2] if len(sys.argv) > 2 else None
HERE = pathlib.Path(__file__).parent
mistakes = []


def check(what, truth, seen=""):
    print(("ok: " if truth else "WRONG: ") + what, seen if not truth else "")
    if not truth:
        mistakes.append(what)


def until(page, what, condition):
    """Waits for a condition; the time only bounds how long a mistake takes. The page itself may evaluate no text."""
    end = time.monotonic() + 60
    while not page.evaluate(condition):
        if time.monotonic() > end:
            return check(what, False)
        page.wait_for_timeout(50)
    check(what, True)


STATE = "document.getElementById('%s')?.state === '%s'"


def opacity(page, name):
    return float(page.evaluate(f"getComputedStyle(document.getElementById('{name}').shadowRoot.querySelector('img')).opacity"))


def covered(page, name):
    """Whether the placeholder is drawn: the canvas has pixels that are not transparent."""
    return page.evaluate(
        f"""(() => {{ const canvas = document.getElementById('{name}').shadowRoot.querySelector('canvas');
        if (canvas.hidden || getComputedStyle(canvas).display === 'none') return false;
        return canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some((one, at) => at % 4 === 3 && one > 0); }})()"""
    )


def look(browser, url):
    page = browser.new_context(viewport={"width": 720, "height": 900}, device_scale_factor=1).new_page()
    # Breaches of the policies are errors of the console; that a picture is missing is told there too.
    page.on("console", lambda message: message.type == "error" and "status of 404" not in message.text and mistakes.append(message.text[:300]))
    page.on("pageerror", lambda error: mistakes.append(str(error)[:300]))
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(url)
    page.wait_for_selector("#slow")
    until(page, "a picture is loaded", STATE % ("loaded", "loaded"))
    check("the placeholder of a slow picture is there before the picture", covered(page, "slow") and opacity(page, "slow") == 0)
    check("a slow picture is not loaded yet", page.evaluate(STATE % ("slow", "loading")))
    sizes = page.evaluate("[...document.querySelectorAll('tintype-image')].map((one) => { const { width, height } = one.getBoundingClientRect(); return Math.round(100 * width / height); })")
    check("every element has its shape before its picture has come", set(sizes) == {133}, sizes)
    chosen = page.evaluate("document.getElementById('loaded').currentSrc")
    check("the browser chooses by srcset and sizes", chosen.split("/")[4] == "w:320", chosen)
    until(page, "a picture that is missing gives way to its fallback", STATE % ("fallback", "fallback"))
    until(page, "a picture that is missing without a fallback is a failure", STATE % ("failed", "failed"))
    until(page, "a failure of another server gives way to its fallback", STATE % ("failed-elsewhere", "fallback"))
    check("a failure keeps its placeholder", covered(page, "failed") and opacity(page, "failed") == 0)
    until(page, "a picture needs no placeholder", STATE % ("without-a-placeholder", "loaded"))
    until(page, "a wrong placeholder costs no picture", STATE % ("wrong-placeholder", "loaded"))
    if SHOT:
        page.wait_for_timeout(1000)
        page.screenshot(path=SHOT, clip={"x": 0, "y": 0, "width": 720, "height": 720})
    # The animation is told by its events: nothing here depends on how fast it is.
    page.evaluate("""document.getElementById('slow').shadowRoot.querySelector('img')
        .addEventListener('transitionend', (event) => window.faded = event.propertyName)""")
    page.evaluate("void fetch('/open')")
    until(page, "a slow picture comes", STATE % ("slow", "loaded"))
    until(page, "a slow picture fades in", "window.faded === 'opacity'")
    check("a slow picture is seen", opacity(page, "slow") == 1)
    until(page, "the placeholder is gone behind the picture", "document.getElementById('slow').shadowRoot.querySelector('canvas').hidden")
    far = page.evaluate("document.getElementById('far-away').getAttribute('srcset')").split(" ")[0].split("/")[-1]
    check("a picture far away is not asked for", not any(far in one for one in asked))
    page.evaluate("document.getElementById('far-away').scrollIntoView()")
    until(page, "a picture that comes near is loaded", STATE % ("far-away", "loaded"))
    # A new source takes the place of the one before.
    page.evaluate("""(() => { const image = document.getElementById('loaded'); window.loads = 0; image.addEventListener('load', () => window.loads++);
        image.removeAttribute('srcset'); image.src = 'missing.png'; image.src = 'present.png'; })()""")
    until(page, "a new source takes the place of the one before, and ends once", "document.getElementById('loaded').currentSrc.endsWith('present.png') && window.loads === 1")
    page.evaluate("document.getElementById('loaded').removeAttribute('src')")
    until(page, "without a source the element is empty", STATE % ("loaded", "empty"))
    page.context.close()
    dense = browser.new_context(viewport={"width": 720, "height": 900}, device_scale_factor=3, reduced_motion="reduce").new_page()
    dense.goto(url)
    until(dense, "a dense screen gets a larger picture", "document.getElementById('loaded')?.currentSrc.includes('/w:640/')")
    until(dense, "a failure is known on a dense screen too", STATE % ("failed", "failed"))
    dense.context.close()


def readme(browser, url):
    """The element of the README: its widths belong to a wide and to a narrow window."""
    state = "document.querySelector('tintype-image')?.state === '%s'"
    for width, chosen in (900, "/w:320/"), (600, "/w:640/"):
        page = browser.new_page(viewport={"width": width, "height": 500})
        page.on("console", lambda message: message.type == "error" and mistakes.append(message.text[:300]))
        page.on("pageerror", lambda error: mistakes.append(str(error)[:300]))
        page.goto(urllib.parse.urljoin(url, "/readme.html"))
        until(page, f"the element of the README is loaded in a window of {width} pixels", state % "loaded")
        seen = page.evaluate("document.querySelector('tintype-image').currentSrc")
        check(f"the element of the README chooses {chosen}", chosen in seen, seen)
        page.close()


CLIENT = """async (source) => {
    const { resize, Tintype } = await import("/tintype.js");
    const tintype = new Tintype("/");
    const image = await tintype.load(source, [resize(30)], { format: "webp" });
    const task = tintype.submit(source, [resize(20)], { progress: true, cache: { policy: "reload" } });
    const types = [];
    for await (const event of task) types.push(event.type);
    const stop = new AbortController();
    // The abort may come before the line that awaits the load.
    const aborted = tintype.load(source.replace("picture.png", "hang"), [], { signal: stop.signal }).catch((error) => error.name);
    setTimeout(() => stop.abort(), 100);
    return [
        image.width, image.url.startsWith(location.origin), (await image.bytes()).length === image.rendition().size,
        (await createImageBitmap(await (await task).blob())).width, types.at(-1), await aborted,
        await tintype.load("nothing").catch((error) => error.name),
    ];
}"""


def client(browser, url, source):
    """The client in a page: HTTP and streams of events, behind the server of the page."""
    page = browser.new_page()
    page.on("pageerror", lambda error: mistakes.append(str(error)[:300]))
    page.goto(url)
    seen = page.evaluate(CLIENT, source)
    check("the client loads, watches, aborts and fails in a page", seen == [30, True, True, 20, "succeeded", "AbortError", "invalidURL"], seen)
    page.context.close()


server = subprocess.Popen([DENO, "run", "--quiet", "--no-lock", "--unstable-no-legacy-abort", "--allow-all", str(HERE / "page.ts")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
try:
    _, url, source = server.stdout.readline().split()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium-headless-shell", args=["--no-sandbox", "--no-proxy-server"])
        look(browser, url)
        readme(browser, url)
        client(browser, url, source)
        browser.close()
finally:
    server.stdin.close()
    server.wait(60)
print(f"{len(mistakes)} mistakes", *mistakes, sep="\n")
sys.exit(1 if mistakes else 0)
