"""Writes foreign.tsv: URLs made by other people's builders. They were made with

    python3 -m venv venv && venv/bin/pip install imgproxy==1.0.0 pyimgproxy==0.4 && venv/bin/python Tests/DoorTests/Fixtures/make.py

Each line: the builder, the path, and the source. Key and salt are those of imgproxy's documentation: secret and hello.
"""
from pathlib import Path

import imgproxy
import pyimgproxy

KEY, SALT = "736563726574", "68656C6C6F"
PLAIN = "http://example.com/images/curiosity.jpg"
QUERY = "https://images.example.org:8443/a b/pic@2x.png?w=100%25&x=ü"
lines = []

for source in PLAIN, QUERY:
    for kind in "fit", "fill", "auto":
        for width, height in (300, 400), (300, 0):
            for gravity in "ce", "sm", "noea", "fp:0.25:0.75":
                for extra, extension in ((), "webp"), (("q:80", "bl:2"), ""):
                    made = imgproxy.ImgProxy(
                        source, key=KEY, salt=SALT, resizing_type=kind, width=width, height=height, gravity=gravity, enlarge=height == 0,
                        extension=extension)(*extra)
                    lines.append(("imgproxy 1.0.0", made, source))

builder = pyimgproxy.ImgProxy("http://x", key=KEY, salt=SALT)
for source in PLAIN, QUERY:
    image = builder.image(source)
    chains = [
        image, image.resize("fill", 300, 400, False), image.resize("fit", 300, None, True), image.size(100, 50), image.width(10).height(20).dpr(2),
        image.resize("fill", 30, 40, True, True, "no"), image.zoom(2).width(5), image.crop(100, 50, "nowe"), image.crop(0.5, 0.25).gravity("sm"),
        image.trim(10, "ffffff"), image.padding(1, 2), image.auto_rotate(False).rotate(90), image.background(hex_color="ff8800"),
        image.background(red=1, green=2, blue=3), image.blur(1.5).sharpen(0.7).pixelate(4), image.quality(70), image.page(2),
        image.strip_metadata(False), image.keep_copyright(True), image.strip_color_profile(True), image.cachebuster("v2"),
        image.return_attachment(True), image.raw(True), image.disable_animation(True), image.format("avif"), image.add_option("preset", "sharp", "soft"),
        image.min_width(5), image.add_option("exp", 4000000000), image.add_option("fn", "cat.jpg"), image.enforce_thumbnail(True), image.extend_aspect_ratio(True).size(100, 50), image.gravity("fp", 0.5, 0.25).size(5, 5),
    ]
    for one in chains:
        lines.append(("pyimgproxy 0.4", one.url.removeprefix("http://x"), source))

Path(__file__).with_name("foreign.tsv").write_text("".join("\t".join(line) + "\n" for line in lines))
