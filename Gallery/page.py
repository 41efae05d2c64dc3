"""Asks a running Tintype for every example on every picture and writes one page of the results.

usage: page.py HOST:PORT FOLDER EXAMPLES OUT [SHEET]
  FOLDER  the service's --file-root; drawings in it (.svg) become photos, a PNG with transparency and an animation first
  SHEET   also write one picture with an example in each cell
"""
import base64, html, json, pathlib, socket, struct, sys, time, urllib.parse

PHOTO, ANIMATED, TRANSPARENT = (".jpg", ".jpeg", ".webp", ".avif"), (".gif",), (".png",)


class Client:
    """JSON-RPC 2.0 over TCP, a message a line."""

    def __init__(self, address):
        host, port = address.rsplit(":", 1)
        self.stream = socket.create_connection((host, int(port))).makefile("rwb")
        self.last = 0

    def call(self, method, params):
        self.last += 1
        self.stream.write(json.dumps({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}).encode() + b"\n")
        self.stream.flush()
        while True:
            line = self.stream.readline()
            if not line:
                raise SystemExit("gallery: the service closed the connection")
            message = json.loads(line)
            if message.get("id") == self.last:
                return message

    def load(self, url, transform, **output):
        return self.call("image.load", {"url": url, "deliver": "inline", "transform": transform, "output": output, "deadline": 60})

    def bytes(self, url, transform, **output):
        answer = self.load(url, transform, **output)
        if "error" in answer:
            raise SystemExit(f"gallery: {url}: {answer['error']['message']}")
        return base64.b64decode(answer["result"]["renditions"][0]["data"])


def url(picture):
    """The URL by which the service knows a picture: its folder of files is the root."""
    return "file:///" + urllib.parse.quote(picture.name)


def draw(client, folder):
    """Makes pictures of the kinds that the examples need from the drawings in the folder."""
    def make(name, drawing, transform, **output):
        (folder / name).write_bytes(client.bytes(url(folder / drawing), transform, **output))

    make("balloon.jpg", "balloon.svg", [], format="jpeg", quality=92)
    make("lighthouse.jpg", "lighthouse.svg", [], format="jpeg", quality=92)
    make("teapot.png", "teapot.svg", [], format="png")
    make("pinwheel.png", "pinwheel.svg", [], format="png")
    sheet = [{"op": "animate", "columns": 8, "rows": 1, "delay": 80}]
    make("pinwheel.gif", "pinwheel.png", sheet, format="gif")
    (folder / "pinwheel.png").unlink()
    # Files of formats that Tintype reads and never writes.
    icon = client.bytes(url(folder / "teapot.svg"), [{"op": "resize", "width": 200, "height": 160}], format="png")
    (folder / "icon.ico").write_bytes(struct.pack("<3H4B2H2I", 0, 1, 1, 200, 160, 0, 0, 1, 32, len(icon), 22) + icon)
    (folder / "rainbow.bmp").write_bytes(bitmap(180, 120))
    photo = client.bytes(url(folder / "lighthouse.svg"), [{"op": "resize", "width": 400}], format="jpeg")
    (folder / "page.pdf").write_bytes(document(photo, 400, 300))


def bitmap(width, height):
    """A BMP with 24 bits: red grows to the right, green downwards."""
    rows = b"".join(bytes(v for x in range(width) for v in (160 - 120 * x // width, 255 * y // height, 255 * x // width)) for y in range(height))
    return b"BM" + struct.pack("<IHHI", 54 + len(rows), 0, 0, 54) + struct.pack("<IiiHHIIiiII", 40, width, -height, 1, 24, 0, len(rows), 0, 0, 0, 0) + rows


def document(jpeg, width, height):
    """A PDF with one page, which is a JPEG."""
    drawing = f"{width} 0 0 {height} 0 0 cm /P Do".encode()
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 {width} {height}]/Contents 4 0 R/Resources<</XObject<</P 5 0 R>>>>>>".encode(),
        b"<</Length %d>>stream\n%s\nendstream" % (len(drawing), drawing),
        b"<</Type/XObject/Subtype/Image/Width %d/Height %d/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/DCTDecode/Length %d>>stream\n%s\nendstream"
        % (width, height, len(jpeg), jpeg),
    ]
    text = b"%PDF-1.4\n" + b"".join(b"%d 0 obj%s endobj\n" % (number + 1, item) for number, item in enumerate(objects))
    return text + b"trailer<</Size 6/Root 1 0 R>>\n%%EOF\n"


def chosen(pictures, kind):
    """The pictures of a kind: animated, with transparency, or photos."""
    endings = {"animated": ANIMATED, "transparent": TRANSPARENT}.get(kind, PHOTO)
    found = [picture for picture in pictures if picture.suffix.lower() in endings]
    return found if kind == "photo" else found[:1]


class Page:
    """Figures by group, each group with its sources, and their files."""

    def __init__(self, client, out):
        self.client, self.out = client, out
        self.groups, self.sources, self.count, self.failures = {}, {}, 0, 0

    def source(self, group, picture):
        """Puts a picture into a group, before its results."""
        if picture not in self.sources:
            kind = picture.suffix.lower()
            form = "png" if kind in TRANSPARENT else "webp"
            made = self.client.load(url(picture), [{"op": "resize", "width": 360}], format=form)["result"]["renditions"][0]
            self.sources[picture] = (self.save(f"source-{len(self.sources)}.{form}", made), made)
        name, made = self.sources[picture]
        self.figures(group, picture) or self.figures(group, picture).append(framed(name, made, f"<b>Source</b> {html.escape(picture.name)}", "source"))

    def figures(self, group, picture):
        """The figures of a group that come from one picture."""
        return self.groups.setdefault(group, {}).setdefault(picture, [])

    def save(self, name, made):
        (self.out / name).write_bytes(base64.b64decode(made["data"]))
        return name

    def figure(self, group, title, picture, transform, output, words, beside=None):
        """Adds a figure, beside the source if it is named.
        - Returns: the name of its file; None if the service has refused.
        """
        began = time.monotonic()
        answer = self.client.load(url(picture), transform, **output)
        took = (time.monotonic() - began) * 1000
        title, words = html.escape(title), html.escape(words)
        self.count += 1
        figures = self.figures(group, beside)
        if "error" in answer:
            self.failures += 1
            print(f"gallery: {title}: {answer['error']['message']}", file=sys.stderr)
            figures.append(f"<li class=failed><b>{title}</b> {html.escape(answer['error']['message'])}<code>{words}</code>")
            return None
        made = answer["result"]["renditions"][0]
        name = self.save(f"{self.count:03}.{made['format']}", made)
        numbers = f"{made['format']} {made['width']} × {made['height']}, {made['bytes'] / 1000:.1f} kB, {took:.0f} ms"
        figures.append(framed(name, made, f"<b>{title}</b> <small>{numbers}</small><code title='{words}'>{words}</code>"))
        return name

    def write(self):
        names = [(group, group.lower().replace(" ", "-")) for group in self.groups]
        links = "".join(f"<a href='#{anchor}'>{group}</a>" for group, anchor in names)
        parts = "".join(f"<section id='{anchor}'><h2>{group}</h2>{flows(self.groups[group].values())}</section>" for group, anchor in names)
        (self.out / "index.html").write_text(
            "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'><title>Tintype: every operation</title>"
            f"<style>{STYLE}</style><h1>Every operation</h1><nav>{links}</nav>{parts}<script>{ROWS}</script></html>")


def flows(lists):
    """The figures of each picture, in rows of their own. A few figures share the rows of those before."""
    found = [[]]
    for figures in lists:
        if found[-1] and min(len(figures), len(found[-1])) > 4:
            found.append([])
        found[-1] += figures
    return "".join(f"<div><ul>{''.join(figures)}</ul></div>" for figures in found)


def framed(name, made, words, kind=""):
    """A picture with its words. Its proportions are known before it is loaded."""
    ratio = min(3, max(0.4, made["width"] / made["height"]))
    return (
        f"<li class='{kind}' style='--ratio:{ratio:.3f}'><figure><img src={name} alt='' width={made['width']} height={made['height']} loading=lazy>"
        f"<figcaption>{words}</figcaption></figure>")


# The colors of the dashboard: Sources/Features/Dashboard/Files/page.css.
STYLE = """
:root{color-scheme:light dark;--back:#f5f4f0;--ink:#1e211f;--soft:#5f645c;--line:#dfddd4;--card:#fffefb;--accent:#0b665c;--bad:#ac2f1c}
@media(prefers-color-scheme:dark){:root{--back:#121413;--ink:#e6e8e3;--soft:#99a099;--line:#2c302d;--card:#1a1d1b;--accent:#63c4b3;--bad:#f1836d}}
*{box-sizing:border-box;margin:0;padding:0}
body{font:14px/1.45 system-ui,sans-serif;font-variant-numeric:tabular-nums;padding:26px 28px 60px;background:var(--back);color:var(--ink)}
h1{font-size:24px}h2{font-size:15px;margin:34px 0 10px}
nav{position:sticky;top:0;display:flex;flex-wrap:wrap;gap:2px 16px;padding:10px 0;background:var(--back);border-bottom:1px solid var(--line)}
a{color:var(--accent)}section{scroll-margin-top:44px}
ul{list-style:none;display:flex;flex-wrap:wrap;gap:18px 10px}
li{flex:var(--ratio) 1 calc(var(--ratio)*190px);min-width:0}
img{display:block;width:100%;height:auto;aspect-ratio:var(--ratio);object-fit:contain;border-radius:3px;
background:repeating-conic-gradient(var(--line) 0 25%,var(--card) 0 50%) 0 0/16px 16px}
figcaption{padding-top:5px;font-size:12px}figcaption small{color:var(--soft);font-size:11px}
code{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden;overflow-wrap:anywhere;font:11px/1.4 monospace;color:var(--soft)}
.source img{outline:2px solid var(--accent);outline-offset:2px}.source b{color:var(--accent)}
.failed{flex:1 1 200px;padding:10px;border:1px solid var(--bad)}
.rows{flex-wrap:nowrap;margin-bottom:18px}.rows li{flex-basis:0}
"""

# Gives each group rows that are nearly equally high and full. Without the script, rows break where they must, and the last one grows.
ROWS = """
const lay = () => document.querySelectorAll("section > div").forEach((list) => {
  const items = [...list.querySelectorAll("li")], ratio = (item) => Number(item.style.getPropertyValue("--ratio")) || 1;
  const whole = items.reduce((sum, item) => sum + ratio(item), 0), count = Math.max(1, Math.round(whole * 190 / list.clientWidth));
  const rows = Array.from({ length: count }, () => Object.assign(document.createElement("ul"), { className: "rows" }));
  let sum = 0;
  for (const item of items) {
    rows[Math.min(count - 1, Math.floor((sum + ratio(item) / 2) / whole * count))].append(item);
    sum += ratio(item);
  }
  list.replaceChildren(...rows);
});
lay();
addEventListener("resize", lay);
"""


def write_sheet(client, folder, cells, target):
    """One picture of all cells, made by the service itself: a label below each, then all on one color."""
    width, height, columns, color = 300, 236, 6, "e9e9e6"
    rows = []
    for start in range(0, len(cells), columns):
        steps = []
        for column, (name, title) in enumerate(cells[start:start + columns]):
            cell = folder / f"cell-{start + column}.png"
            cell.write_bytes(client.bytes(url(folder / name), [
                {"op": "resize", "width": width - 24, "height": height - 52, "fit": "contain", "background": "#fff"},
                {"op": "extend", "top": 6, "left": 6, "right": 6, "bottom": 34, "color": "#fff"},
                {"op": "text", "text": title, "size": 17, "color": "#333", "gravity": "bottom", "y": 8},
            ], format="png"))
            steps.append({"op": "composite", "url": url(cell), "x": 12 + column * width, "y": 6})
        row = folder / f"row-{start}.png"
        row.write_bytes(client.bytes(f"color:{color},{columns * width + 12}x{height}", steps, format="png"))
        rows.append({"op": "composite", "url": url(row), "x": 0, "y": 6 + len(rows) * height})
    # A picture may need at most eight others: hence the rows.
    canvas = f"color:{color},{columns * width + 12}x{len(rows) * height + 12}"
    pathlib.Path(target).write_bytes(client.bytes(canvas, rows, format="webp", quality=80))


def main():
    address, folder, examples, out = sys.argv[1], pathlib.Path(sys.argv[2]), json.loads(pathlib.Path(sys.argv[3]).read_text()), pathlib.Path(sys.argv[4])
    client = Client(address)
    formats = client.call("formats.list", {})["result"]
    missing = {operation["name"] for operation in formats["operations"]} - {step["op"] for example in examples for step in example["transform"]}
    if missing:
        raise SystemExit(f"gallery: no example shows {', '.join(sorted(missing))}")
    if (folder / "lighthouse.svg").exists():
        draw(client, folder)
    pictures = sorted(folder.iterdir())
    photos, transparent = chosen(pictures, "photo")[:2], chosen(pictures, "transparent")
    if not photos:
        raise SystemExit(f"gallery: {folder} has no JPEG, WebP or AVIF")
    layer = url((transparent or photos)[0])
    out.mkdir(parents=True, exist_ok=True)
    page, cells = Page(client, out), []
    for example in examples:
        for picture in (chosen(pictures, example["picture"]) or photos[:1]) if "picture" in example else photos:
            page.source(example["group"], picture)
            steps = json.loads(json.dumps(example["transform"]).replace("TRANSPARENT", layer))
            words = json.dumps(example["transform"])[1:-1].replace("TRANSPARENT", "…")
            if output := example.get("output"):
                words += (words and ", ") + json.dumps({"output": output})
            if not example.get("whole"):
                steps.insert(0, {"op": "resize", "width": 360})
            name = page.figure(example["group"], example["title"], picture, steps, {"format": example.get("format", "jpeg"), **example.get("output", {})}, words, picture)
            if name and picture == {"first": photos[0], "last": photos[-1]}.get(example.get("sheet")) or name and example.get("sheet") and "picture" in example:
                cells.append((name, example["title"]))
    for picture in pictures:
        if picture.suffix.lower() in (".svg", ".pdf", ".bmp", ".ico", ".jp2", ".jxl", ".dng", ".nef", ".cr2", ".arw", ".heif", ".heic", ".tif", ".tiff"):
            page.figure("Formats read", picture.suffix[1:].upper(), picture, [{"op": "resize", "width": 360}], {"format": "png"}, picture.name)
    page.write()
    if len(sys.argv) > 5:
        for name, _ in cells:
            (folder / name).write_bytes((out / name).read_bytes())
        write_sheet(client, folder, cells, sys.argv[5])
    print(f"{page.count} pictures, {page.failures} failed: {out / 'index.html'}")
    return 1 if page.failures else 0


sys.exit(main())
