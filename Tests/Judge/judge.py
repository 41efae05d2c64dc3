"""Shows every picture of a folder to the service, to Chromium and to Pillow, and writes a page with a verdict for each.

usage: judge.py BASE FOLDER OUT
  BASE    the HTTP address of a coordinator whose --file-root is FOLDER
  FOLDER  pictures, in folders of any depth
  OUT     gets index.html and the pictures of the page

The exit status is 1 if a difference is left that Tests/Judge/exceptions does not explain.
"""
import collections, fnmatch, pathlib, sys, tempfile, typing
from PIL import Image, ImageChops, ImageStat
from judges import Browser, Drawn, Pillow, Refused, Service
from page import small, write

# How far two right pictures may differ in steps of 255: the largest difference of a number, the mean of the worst channel, and why.
TOLERANCES = {
    "exact": (1, 1, "Lossless files have one right picture. A step is left, for Chromium's canvas multiplies colors by alpha, and 16 bits are rounded or cut."),
    "lossy": (4, 0.5, "IEEE 1180 lets an inverse DCT be one step off. A step of luma and one of chroma are 2.8 steps of blue, and both are rounded."),
    "chroma": (64, 1, "AV1 and HEVC leave the way from halved to full colors to the player. Browsers smooth colors, and libheif repeats them. Areas do not differ."),
    "managed": (8, 1.5, "Engines of color profiles round their tables and interpolate by different rules. Eight steps are about the least that eyes see."),
    "inks": (128, 128, "Inks without a profile are those of a press in libvips, and complements of RGB in browsers and Pillow: docs/decisions/source-colors.md."),
    "drawing": (255, 3, "Renderers share out the pixels of an edge by different rules. Areas have one right color."),
}
KINDS = {"jpeg": "lossy", "webp": "lossy", "jp2": "lossy", "jxl": "lossy", "avif": "chroma", "heif": "chroma", "svg": "drawing", "pdf": "drawing"}
# The verdicts that need a line in Tests/Judge/exceptions, then the others, as the page shows them.
OPEN = ("differs", "follows Chromium", "follows Pillow", "refused")
VERDICTS = (*OPEN, "explained", "unjudged", "agrees", "not read", "no picture")


class Row(typing.NamedTuple):
    """What the page says of a file. `pictures` has the frame with the largest difference, small, by the name of who drew it."""
    name: str
    verdict: str
    words: list
    pictures: dict


def difference(one, other):
    """The largest and the mean difference over white and over black, for hidden colors do not count, with the number of the frame.

    A text instead, where frames, sizes or times differ."""
    if len(one.frames) != len(other.frames):
        return f"{len(one.frames)} frames against {len(other.frames)}"
    pairs = list(zip(one.frames, other.frames))
    for at, (a, b) in enumerate(pairs):
        if a.size != b.size:
            return f"{a.width} × {a.height} pixels against {b.width} × {b.height}"
        if abs(one.delays[at] - other.delays[at]) > 1:
            return f"frame {at} lasts {one.delays[at]:.0f} ms against {other.delays[at]:.0f} ms"
    if one.plays != other.plays:
        return f"plays {one.plays} times against {other.plays} times (0: for ever)"
    return max((*apart(a, b), at) for at, (a, b) in enumerate(pairs))


def joined(drawn):
    """Equal frames that follow each other look like one."""
    frames, delays = [], []
    for frame, delay in zip(drawn.frames, drawn.delays):
        if frames and frames[-1].size == frame.size and apart(frames[-1], frame)[0] == 0:
            delays[-1] += delay
        else:
            frames.append(frame)
            delays.append(delay)
    return drawn._replace(frames=frames, delays=delays)


def apart(one, other):
    found = [ImageStat.Stat(ImageChops.difference(over(one, ground), over(other, ground))) for ground in ("white", "black")]
    return max(high for stat in found for _, high in stat.extrema), max(mean for stat in found for mean in stat.mean)


def over(picture, ground):
    return Image.alpha_composite(Image.new("RGBA", picture.size, ground), picture).convert("RGB")


def judged(name, ours, judges, formats, exceptions):
    """The row of a file."""
    drawn = {who: answer for who, answer in judges.items() if isinstance(answer, Drawn)}
    if isinstance(ours, Drawn) and any(len(answer.frames) != len(ours.frames) for answer in drawn.values()):
        ours, drawn = joined(ours), {who: joined(answer) for who, answer in drawn.items()}
    words = [f"{who}: {answer.reason}" for who, answer in {"Tintype": ours, **judges}.items() if isinstance(answer, Refused)]
    pictures, largest, is_hostile = {who: answer.frames[0] for who, answer in drawn.items()}, 256, "hostile" in name.split("/")[:-1]
    if isinstance(ours, Refused):
        read = any(who == "Chromium" or answer.kind in formats for who, answer in drawn.items())
        if ours.name in ("hung", "?"):
            verdict = "differs"
        elif not drawn:
            verdict = "no picture"
        else:
            verdict = "not read" if is_hostile or not read or ours.name in ("limitExceeded", "unsupportedFormat") else "refused"
    else:
        kinds = [KINDS.get(ours.kind, "exact")] + sorted({answer.colors for answer in judges.values()} - {""})
        most, mean = (max(TOLERANCES[kind][at] for kind in kinds) for at in (0, 1))
        found = {who: difference(ours, answer) for who, answer in drawn.items()}
        numbers = [value for value in found.values() if not isinstance(value, str)]
        near = [who for who, value in found.items() if not isinstance(value, str) and value[0] <= most and value[1] <= mean]
        words += [f"{who}: " + (value if isinstance(value, str) else f"largest {value[0]}, mean {value[1]:.2f}, frame {value[2]}, as {' and '.join(kinds)}") for who, value in found.items()]
        at = max(numbers)[2] if numbers else 0
        largest = min((value[0] for value in numbers), default=256)
        pictures = {who: answer.frames[min(at, len(answer.frames) - 1)] for who, answer in {"Tintype": ours, **drawn}.items()}
        verdict = "unjudged" if not drawn else "agrees" if len(near) == len(drawn) or near and is_hostile else "follows " + near[0] if near else "differs"
    reason = next((why for pattern, word, why in exceptions if ends(name, pattern) and allows(word, verdict, largest)), None)
    pictures = small(pictures, verdict)
    return Row(name, "explained", [reason, *words], pictures) if reason else Row(name, verdict, words, pictures)


def ends(name, pattern):
    return fnmatch.fnmatch("/" + name, "*/" + pattern)


def allows(word, verdict, largest):
    """Whether an exception is about this verdict: `within-N` lets a picture differ from all judges by N steps."""
    return verdict in OPEN and (word == verdict.split()[-1].lower() or word.startswith("within-") and verdict == "differs" and largest <= int(word[7:]))


def main():
    base, root, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    lines = (pathlib.Path(__file__).parent / "exceptions").read_text().splitlines()
    exceptions = [line.split(maxsplit=2) for line in lines if line and not line.startswith("#")]
    rows = []
    with tempfile.TemporaryDirectory() as profile:
        service, judges = Service(base, root), {"Chromium": Browser(profile), "Pillow": Pillow()}
        try:
            for path in sorted(path for path in root.rglob("*") if path.is_file()):
                name = str(path.relative_to(root))
                rows.append(judged(f"{root.name}/{name}", service.draw(path), {who: judge.draw(path) for who, judge in judges.items()}, service.formats, exceptions))
                if rows[-1].verdict in OPEN:
                    print(f"{rows[-1].verdict}: {name}: {'; '.join(word[:200] for word in rows[-1].words)}", flush=True)
        finally:
            for judge in judges.values():
                judge.close()
    for pattern, _, _ in exceptions:
        if {row.verdict for row in rows if ends(row.name, pattern)} - {"explained"}:
            print(f"no longer needed in Tests/Judge/exceptions, or of another kind: {pattern}")
    write(out, sorted(rows, key=lambda row: VERDICTS.index(row.verdict)), TOLERANCES)
    counts = collections.Counter(row.verdict for row in rows)
    print(", ".join(f"{verdict} {counts[verdict]}" for verdict in VERDICTS if counts[verdict]) + f": {out / 'index.html'}")
    return 1 if any(counts[verdict] for verdict in OPEN) else 0


if __name__ == "__main__":
    sys.exit(main())
