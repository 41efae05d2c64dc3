"""Draws a caption on a loaded image with Pillow: python pillow.py URL OUT [COORDINATOR]"""

import io
import sys

from PIL import Image, ImageDraw

from tintype import Output, Resize, blocking


def main(url: str, out: str, coordinator: str = "tcp://127.0.0.1:7411") -> None:
    with blocking.Tintype(coordinator) as tintype:
        # The service downloads and shrinks the picture; only the small one comes here.
        loaded = tintype.load(url, Resize(480), output=Output("png"))
        picture = Image.open(io.BytesIO(loaded.read()))
    draw = ImageDraw.Draw(picture)
    draw.rectangle((0, picture.height - 24, picture.width, picture.height), fill="black")
    draw.text((8, picture.height - 18), f"{loaded.source.width} x {loaded.source.height}", fill="white")
    picture.save(out)
    print(picture.size)


if __name__ == "__main__":
    main(*sys.argv[1:])
