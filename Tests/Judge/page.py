"""The page of the judge: a section for each verdict, with the pictures of all who drew the file, and where they differ."""
import html, itertools
from PIL import Image, ImageChops

TEXTS = {
    "differs": "Differs from all judges that read it", "follows Chromium": "As Chromium draws it, and not as Pillow does", "follows Pillow": "As Pillow draws it, and not as Chromium does",
    "refused": "Refused, though a judge draws it", "explained": "Different, with a reason", "unjudged": "Drawn by Tintype alone", "agrees": "Agrees with all judges that read it",
    "not read": "Not read by Tintype: hostile, over a limit, or of another format", "no picture": "Refused by all",
}
# Pixels of the longer side on the page, half as many where nothing is wrong. A smaller picture is shown as it is.
SIDE = 256


def write(out, rows, tolerances):
    out.mkdir(parents=True)
    parts = []
    for verdict, group in itertools.groupby(enumerate(rows), lambda pair: pair[1].verdict):
        items = [item(out, number, row) for number, row in group]
        parts.append(f"<h2>{TEXTS[verdict]} <small>{len(items)}</small></h2><ul>{''.join(items)}</ul>")
    limits = "".join(f"<tr><th>{kind}<td>{largest}<td>{mean}<td>{why}" for kind, (largest, mean, why) in tolerances.items())
    (out / "index.html").write_text(
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'><title>Tintype: the judge</title>"
        f"<style>{STYLE}</style><h1>Tintype beside Chromium and Pillow</h1><table><tr><th><th>largest<th>mean<th>why two right pictures may differ by so many steps of 255{limits}</table>"
        f"{''.join(parts)}</html>")


def item(out, number, row):
    figures = []
    for at, (who, picture) in enumerate(row.pictures.items()):
        picture.save(out / f"{number}-{at}.png")
        figures.append(f"<figure><img src={number}-{at}.png alt='' loading=lazy><figcaption>{who}</figcaption></figure>")
    words = "".join(f"<p>{html.escape(word[:300])}" for word in row.words)
    return f"<li class='{row.verdict.replace(' ', '-')}'><div>{''.join(figures)}</div><b>{html.escape(row.name)}</b>{words}"


def small(pictures, verdict):
    """The pictures in the size of the page, and one of the places where the service and a judge differ."""
    ours, judge, pictures = pictures.get("Tintype"), pictures.get("Chromium", pictures.get("Pillow")), dict(pictures)
    if ours and judge and judge.size == ours.size:
        gaps = ImageChops.difference(*(Image.alpha_composite(Image.new("RGBA", one.size, "white"), one).convert("RGB") for one in (ours, judge)))
        highest = max(high for _, high in gaps.getextrema())
        if highest:
            pictures[f"difference × {255 / highest:.0f}"] = gaps.point(lambda value: value * 255 // highest)
    side = SIDE // 2 if verdict == "agrees" else SIDE
    for picture in pictures.values():
        picture.thumbnail((side, side), Image.Resampling.BOX)
    return pictures


STYLE = """
body{font:14px/1.4 system-ui,sans-serif;margin:24px;color:#1e211f;background:#f5f4f0}
h2{margin:32px 0 8px;font-size:17px}small,figcaption{color:#5f645c}th,td{text-align:left;padding:2px 12px 2px 0;vertical-align:top}
ul{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:12px}
li{background:#fffefb;border:1px solid #dfddd4;padding:8px;max-width:100%}li b,p{overflow-wrap:anywhere;max-width:1080px}p{margin:2px 0}
li.agrees{max-width:424px}li.no-picture,li.not-read{width:300px}div{display:flex;flex-wrap:wrap;gap:8px}figure{margin:0 0 4px}
img{background:repeating-conic-gradient(#ccc 0 25%,#fff 0 50%) 0 0/16px 16px;min-width:32px;min-height:32px;max-width:256px;max-height:256px;outline:1px solid #dfddd4;image-rendering:pixelated}
"""
