"""What the service, Chromium and Pillow draw of a file: the same kind of answer from each.

All answers are RGBA of 8 bits in sRGB, upright. Each has a time-out, and none is asked for more pixels than the service makes.
"""
import base64, io, multiprocessing, pathlib, resource, typing, urllib.parse
from chromium import Chromium
from load import ask, rpc
from PIL import Image, ImageCms, ImageOps, UnidentifiedImageError

# Seconds for a picture, and the pixels of all its frames: the service's own --max-pixels.
SECONDS, PIXELS = 25, 50_000_000
MOVING = ("GIF", "PNG", "WEBP", "AVIF")
# The service's names of formats that Pillow calls otherwise.
NAMES = {"MPO": "jpeg", "JPEG2000": "jp2"}
# Chromium takes the type of a picture by its first bytes, but ImageDecoder and SVG need a name.
TYPES = {b"\xff\xd8": "image/jpeg", b"\x89PNG": "image/png", b"GIF8": "image/gif", b"RIFF": "image/webp", b"BM": "image/bmp", b"\0\0\1\0": "image/x-icon"}
Image.MAX_IMAGE_PIXELS = None  # Sizes are compared here.


class Drawn(typing.NamedTuple):
    """The frames of a picture, with milliseconds for each, and how often they play; 0 is for ever. `kind` is the format, where it is known.

    `colors` is a tolerance for the meaning of its numbers: "managed" by a profile, "inks" without one, or none."""
    frames: list
    delays: list = [0]
    plays: int = 0
    kind: str = ""
    colors: str = ""


class Refused(typing.NamedTuple):
    """Why there is no picture: a sentence, and the name of the service's error."""
    reason: str
    name: str = ""
    colors: str = ""


class Service:
    def __init__(self, base, root):
        self.base, self.root = base, root
        (answer,) = rpc(base, ("formats.list", {}))
        self.formats = answer["result"]["decode"]

    def draw(self, path):
        url = "file:///" + urllib.parse.quote(str(path.relative_to(self.root)))
        answers = rpc(self.base, ("image.load", {"url": url, "deadline": SECONDS, "blacklist": "off", "output": {"format": "png", "animated": True, "effort": 1}}))
        if not answers:
            return Refused(f"no answer within {SECONDS} s", "hung")
        if "error" in answers[0]:
            error = answers[0]["error"]
            return Refused(error["message"], error.get("data", {}).get("name", "?"))
        try:
            drawn = pillow(ask(self.base + answers[0]["result"]["renditions"][0]["url"], timeout=SECONDS).read())
        except OSError as error:
            return Refused(str(error), "hung")
        return drawn._replace(kind=answers[0]["result"]["source"]["format"]) if isinstance(drawn, Drawn) else Refused("its PNG: " + drawn.reason, "?")


class Browser:
    """Chromium: a still as an <img> shows it, and the frames of an animation by ImageDecoder."""

    SCRIPT = (pathlib.Path(__file__).parent / "draw.js").read_text()

    def __init__(self, profile):
        self.profile, self.chromium = profile, None

    def draw(self, path):
        data = path.read_bytes()
        kind = next((kind for head, kind in TYPES.items() if data.startswith(head)), "image/avif" if data[4:8] == b"ftyp" else "image/svg+xml")
        if self.chromium is None:
            self.chromium = Chromium(self.profile, lambda _: None, "--force-color-profile=srgb")
            # ImageDecoder is there for pages of secure origins only, such as those of files.
            self.chromium.send("Page.navigate", url="file:///dev/null")
        try:
            drawn = self.chromium.evaluate(f"({self.SCRIPT})({PIXELS}, '{kind}', 'data:{kind};base64,{base64.b64encode(data).decode()}')")
        except RuntimeError as error:
            if "draw:" not in str(error):
                self.close()  # It hangs or has ended. The next picture gets another one.
            return Refused(str(error).rpartition("draw: ")[2].splitlines()[0])
        frames = [Image.open(io.BytesIO(base64.b64decode(frame.partition(",")[2]))).convert("RGBA") for frame in drawn["frames"]]
        return Drawn(frames, drawn["delays"], drawn["plays"])

    def close(self):
        if self.chromium:
            self.chromium.close()
        self.chromium = None


class Pillow:
    """Pillow in a process of its own, which ends with the time-out and has bounded memory."""

    pool = None

    def draw(self, path):
        self.pool = self.pool or multiprocessing.get_context("spawn").Pool(1, resource.setrlimit, (resource.RLIMIT_AS, (4 << 30, 4 << 30)))
        try:
            return self.pool.apply_async(pillow, (path.read_bytes(),)).get(SECONDS)
        except multiprocessing.TimeoutError:
            self.close()
            return Refused(f"no answer within {SECONDS} s")

    def close(self):
        if self.pool:
            self.pool.terminate()
        self.pool = None


def pillow(data):
    """The picture of a file by Pillow, or why there is none."""
    try:
        with Image.open(io.BytesIO(data)) as image:
            count = image.n_frames if image.format in MOVING and getattr(image, "is_animated", False) else 1
            if image.width * image.height * count > PIXELS:
                return Refused(f"has {count} × {image.width} × {image.height} pixels, which is more than are judged")
            kind, is_managed = NAMES.get(image.format, image.format.lower()), {"icc_profile", "gamma", "chromaticity"} & image.info.keys()
            colors = "managed" if is_managed else "inks" if image.mode == "CMYK" else ""
            reason = unfit(image, data.partition(b"IDAT")[0])
            if reason:
                return Refused(reason, colors=colors)
            if count == 1:
                return Drawn([rgba(ImageOps.exif_transpose(image))], kind=kind, colors=colors)
            plays = image.info.get("loop", 1)
            # A GIF says how often it is repeated, the others say how often it plays.
            plays += image.format == "GIF" and "loop" in image.info and plays > 0
            frames, delays = [], []
            for number in range(count):
                image.seek(number)
                frames.append(rgba(image))
                # As browsers do it: frames of at most 10 ms last 100 ms.
                delays.append(image.info.get("duration", 0) if image.info.get("duration", 0) > 10 else 100)
            return Drawn(frames, delays, plays, kind, colors)
    except UnidentifiedImageError:
        return Refused("knows no such format")
    except Exception as error:  # A decoder may raise anything for a broken file.
        return Refused(f"{type(error).__name__}: {error}")


def unfit(image, head):
    """Why Pillow cannot judge the colors of a picture that it reads; nothing if it can."""
    info = image.info
    colors = not {"icc_profile", "srgb"} & info.keys() and (abs(info.get("gamma", 0.45455) - 0.45455) > 0.005 or "chromaticity" in info)
    if image.format == "PNG" and (colors or b"cICP" in head):
        return "leaves cICP, gAMA and cHRM of a PNG alone"
    if image.mode.startswith("I;16") and "transparency" in info:
        return "drops the transparent color of 16-bit gray"
    return "gives numbers without a range" if image.mode == "F" or image.mode == "I" else ""


def rgba(image):
    """The pixels in sRGB, by the profile of the picture if it fits."""
    profile = image.info.get("icc_profile")
    if image.mode.startswith("I;16"):
        image = image.convert("I").point(lambda value: value * (1 / 257) + 0.5).convert("L")
    if not profile:
        return image.convert("RGBA")
    alpha = image.convert("RGBA").getchannel("A") if image.has_transparency_data else None
    if image.mode not in ("L", "CMYK", "RGB"):
        image = image.convert("L" if image.mode in ("LA", "1") else "RGB")
    try:
        image = ImageCms.profileToProfile(image, io.BytesIO(profile), ImageCms.createProfile("sRGB"), outputMode="RGB")
    except ImageCms.PyCMSError:
        pass  # A profile for another color space, or a broken one, does not count.
    image = image.convert("RGBA")
    if alpha:
        image.putalpha(alpha)
    return image
