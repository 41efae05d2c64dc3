"""Every format that Tintype reads and every one that it writes: one photo made smaller by the engine and by libvips with its best plan, in one process each.

    formats.py BIN FOLDER ROUNDS PHOTO

Prints images/s of both, the ratio, the SSIM to a careful resize of all pixels, and the size of the files. The two take turns; each figure is the
median of the rounds. SOURCES, RESULTS, SIDE and COUNT in the environment change what is measured: formats, the width of the result, and the images
of a measurement.
"""

import io
import json
import os
import re
import statistics
import subprocess
import sys

from PIL import Image

from likeness import similarity

BIN, FOLDER, ROUNDS, PHOTO = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
SOURCES = os.environ.get("SOURCES", "jpeg progressive png webp avif tiff gif").split()
RESULTS = os.environ.get("RESULTS", "jpeg webp png avif").split()
SIDE = int(os.environ.get("SIDE", "512"))
COUNT = int(os.environ.get("COUNT", "16"))
CORES = len(os.sched_getaffinity(0))
# The format of Pillow and the options that make each kind of source.
KINDS = {
    "jpeg": ("jpeg", {"quality": 90}), "progressive": ("jpeg", {"quality": 90, "progressive": True}), "png": ("png", {}), "webp": ("webp", {"quality": 90}),
    "avif": ("avif", {"quality": 80}), "tiff": ("tiff", {"compression": "tiff_deflate"}), "gif": ("gif", {}),
}


def made(source, request, *words):
    """Images/s, and the picture."""
    out = f"{FOLDER}/out"
    command = [f"{BIN}/tintype-worker", "--role", "bare-pixels", source, str(COUNT), str(CORES), json.dumps(request), *words, f"out={out}"]
    line = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rate = re.search(r"images/s=([\d.]+)", line)
    if not rate:
        raise SystemExit(f"bench: {' '.join(command)}: {line}")
    return float(rate[1]), open(out, "rb").read()


def likeness(picture, careful):
    """The SSIM, or nothing if this Pillow cannot open the picture."""
    try:
        with Image.open(io.BytesIO(picture)) as drawn:
            return f"{similarity(drawn.convert('RGB'), careful):.4f}"
    except OSError:
        return ""


def main():
    photo = Image.open(PHOTO).convert("RGB")
    careful = photo.resize((SIDE, round(SIDE * photo.height / photo.width)), Image.Resampling.LANCZOS)
    print(f"{photo.width}×{photo.height} → {careful.width}×{careful.height}, quality 80, {ROUNDS} rounds in turn, medians.\n")
    print("| source → result | images/s | libvips | ÷ libvips | SSIM | libvips | KiB | libvips |\n|---|---|---|---|---|---|---|---|")
    # Rows of another size than the kept ones have another name.
    size = "" if SIDE == 512 else f", {SIDE} px"
    for kind in SOURCES:
        format_, options = KINDS[kind]
        source = f"{FOLDER}/{kind}"
        photo.save(source, format_, **options)
        for result in RESULTS:
            request = {"transform": [{"op": "resize", "width": careful.width, "height": careful.height, "fit": "fill"}],
                       "output": {"format": result, **({} if result == "png" else {"quality": 80})}}
            rounds = [(made(source, request), made(source, request, "libvips")) for _ in range(ROUNDS)]
            ours, theirs = (statistics.median(one[side][0] for one in rounds) for side in (0, 1))
            ratio = statistics.median(one[0][0] / one[1][0] for one in rounds)
            (_, picture), (_, other) = rounds[-1]
            print(
                f"| {kind} → {result}{size} | {ours:.1f} | {theirs:.1f} | {ratio:.2f} | {likeness(picture, careful)} | {likeness(other, careful)} "
                f"| {len(picture) / 1024:.1f} | {len(other) / 1024:.1f} |", flush=True)


main()
