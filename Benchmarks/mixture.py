"""Many small pictures of all kinds through one worker: what its memory does from the first to the last.

    mixture.py BIN COORDINATOR ORIGIN FOLDER COUNT WORKER-PID

ORIGIN serves FOLDER. Each kind below has a client of its own, all run at once; the memory of the worker and of its pixel processes is read
every second (the proportional share, so that pages they share count once).
"""

import glob
import json
import os
import subprocess
import sys
import time

from PIL import Image, ImageDraw

BIN, COORDINATOR, ORIGIN, FOLDER = sys.argv[1:5]
COUNT, WORKER = int(sys.argv[5]), int(sys.argv[6])
SIZE = (640, 480)


def sources():
    """Made here: a picture with lines, colors and a gradient, in every format, one with alpha and one that moves."""
    picture = Image.radial_gradient("L").resize(SIZE).convert("RGB")
    pen = ImageDraw.Draw(picture)
    for step in range(0, SIZE[0], 8):
        pen.line((step, 0, SIZE[0] - step, SIZE[1]), fill=(step % 256, 255 - step % 256, (step * 7) % 256))
    picture.save(f"{FOLDER}/a.jpg")
    picture.save(f"{FOLDER}/b.jpg", progressive=True)
    picture.save(f"{FOLDER}/c.webp")
    picture.save(f"{FOLDER}/d.avif")
    alpha = picture.copy()
    alpha.putalpha(Image.linear_gradient("L").resize(SIZE))
    alpha.save(f"{FOLDER}/e.png")
    frames = [picture.resize((160, 120)).rotate(angle) for angle in range(0, 360, 45)]
    frames[0].save(f"{FOLDER}/f.gif", save_all=True, append_images=frames[1:], duration=80, loop=0)
    picture.save(f"{FOLDER}/g.tiff")


KINDS = [
    ("a.jpg", [{"op": "resize", "width": 320}], "jpeg"),
    ("a.jpg", [{"op": "resize", "width": 300, "height": 300, "fit": "cover", "gravity": "attention"}, {"op": "sharpen"}], "webp"),
    ("b.jpg", [{"op": "rotate", "angle": 30}, {"op": "blur", "sigma": 4}], "png"),
    ("c.webp", [{"op": "crop", "x": 10, "y": 10, "width": 333, "height": 222}, {"op": "modulate", "saturation": 0.5}], "jpeg"),
    ("d.avif", [{"op": "resize", "width": 200}], "avif"),
    ("e.png", [{"op": "composite", "url": f"{ORIGIN}/c.webp", "blend": "multiply"}, {"op": "roundCorners", "radius": 20}], "png"),
    ("f.gif", [{"op": "resize", "width": 80}, {"op": "flip"}], "gif"),
    ("g.tiff", [{"op": "trim"}, {"op": "resize", "width": 160}, {"op": "sepia"}], "webp"),
]


def memory() -> float:
    """MiB of the worker and everything it has started."""
    total = 0
    for pid in [WORKER, *children(WORKER)]:
        try:
            with open(f"/proc/{pid}/smaps_rollup") as file:
                total += next(int(line.split()[1]) for line in file if line.startswith("Pss:"))
        except (OSError, StopIteration):  # it has just ended
            pass
    return total / 1024


def children(pid: int) -> list[int]:
    below = []
    for thread in glob.glob(f"/proc/{pid}/task/*/children"):
        try:
            with open(thread) as file:
                below += [int(each) for each in file.read().split()]
        except OSError:
            pass
    return below + [each for child in below for each in children(child)]


def main():
    sources()
    each = COUNT // len(KINDS)
    clients = []
    start = time.monotonic()
    for source, transform, format_ in KINDS:
        request = json.dumps({"transform": transform, "output": {"format": format_}, "deliver": "none"})
        command = [f"{BIN}/loadgen", "images", "--coordinator", COORDINATOR, "--url", f"{ORIGIN}/{source}", "--request", request]
        clients.append(subprocess.Popen([*command, "--count", str(each), "--pipeline", "1"], stdout=subprocess.DEVNULL))
    seen = []
    while any(client.poll() is None for client in clients):
        seen.append(memory())
        time.sleep(1)
    taken = time.monotonic() - start
    if any(client.returncode for client in clients):
        raise SystemExit("a client failed")
    print(f"{each * len(KINDS)} pictures of {len(KINDS)} kinds in {taken:.0f} s, none failed\n")
    print("| part of the run | mean MiB | most MiB |\n|---|---|---|")
    tenth = max(1, len(seen) // 10)
    for name, part in [("second tenth", seen[tenth : 2 * tenth]), ("middle", seen[5 * tenth : 6 * tenth]), ("last tenth", seen[-tenth:])]:
        if part:
            print(f"| {name} | {sum(part) / len(part):.0f} | {max(part):.0f} |")


main()
