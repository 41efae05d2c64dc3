"""Asks a running Tintype for every example on every picture and writes one page of the results.

usage: page.py HOST:PORT FOLDER EXAMPLES OUT    FOLDER: the service's --file-root
"""
import base64, html, json, pathlib, socket, sys, time, urllib.parse


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


def url(picture):
    """As the service sees it: its folder of files is the root."""
    return "file:///" + urllib.parse.quote(picture.name)


def chosen(pictures, kind):
    """Pictures of a kind: those that move, those with transparency, or photos."""
    endings = {"moving": (".gif",), "transparent": (".png",)}.get(kind, (".jpg", ".jpeg", ".webp", ".avif"))
    found = [picture for picture in pictures if picture.suffix.lower() in endings]
    return found if kind == "photo" else found[:1]


def main():
    address, folder, examples, out = sys.argv[1], pathlib.Path(sys.argv[2]), json.loads(pathlib.Path(sys.argv[3]).read_text()), pathlib.Path(sys.argv[4])
    client = Client(address)
    operations = {operation["name"] for operation in client.call("formats.list", {})["result"]["operations"]}
    missing = operations - {step["op"] for example in examples for step in example["transform"]}
    if missing:
        raise SystemExit(f"gallery: no example shows {', '.join(sorted(missing))}")
    pictures = sorted(folder.iterdir())
    photos, transparent = chosen(pictures, "photo")[:2], chosen(pictures, "transparent")
    layer = url((transparent or photos)[0])
    out.mkdir(parents=True, exist_ok=True)
    figures, failures = [], 0
    for example in examples:
        for picture in (chosen(pictures, example["picture"]) or photos[:1]) if "picture" in example else photos:
            steps = json.loads(json.dumps(example["transform"]).replace("TRANSPARENT", layer))
            if not example.get("whole"):
                steps.insert(0, {"op": "resize", "width": 360})
            request = {"url": url(picture), "deliver": "inline", "transform": steps, "deadline": 60}
            request["output"] = {"format": example.get("format", "jpeg"), **example.get("output", {})}
            began = time.monotonic()
            answer = client.call("image.load", request)
            took = (time.monotonic() - began) * 1000
            words = html.escape(json.dumps(example["transform"])[1:-1].replace("TRANSPARENT", "…"))
            title = html.escape(example["title"])
            if "error" in answer:
                failures += 1
                print(f"gallery: {example['title']}: {answer['error']['message']}", file=sys.stderr)
                figures.append(f"<figure class=failed><figcaption><b>{title}</b> {html.escape(answer['error']['message'])}<br><code>{words}</code></figcaption></figure>")
                continue
            made = answer["result"]["renditions"][0]
            name = f"{len(figures):03}.{made['format']}"
            (out / name).write_bytes(base64.b64decode(made["data"]))
            figures.append(
                f"<figure><img src={name} alt='{title}' width={made['width']} height={made['height']} loading=lazy><figcaption><b>{title}</b> {made['format']}, "
                f"{made['width']} × {made['height']}, {made['bytes']:,} bytes, {took:.0f} ms<br><code>{words}</code></figcaption></figure>")
    (out / "index.html").write_text(
        "<!doctype html><html lang=en><meta charset=utf-8><title>Tintype: every operation</title><style>"
        "body{font:14px/1.4 system-ui,sans-serif;margin:24px;background:#f4f4f4}main{display:flex;flex-wrap:wrap;gap:16px}"
        "figure{margin:0;padding:10px;background:#fff;width:360px}"
        "img{max-width:100%;height:auto;background:repeating-conic-gradient(#ccc 0 25%,#eee 0 50%) 0 0/16px 16px}"
        "code{font-size:11px;overflow-wrap:anywhere}.failed{outline:2px solid #c00}</style>"
        f"<h1>Every operation</h1><main>{''.join(figures)}</main></html>")
    print(f"{len(figures)} pictures, {failures} failed: {out / 'index.html'}")
    return 1 if failures else 0


sys.exit(main())
