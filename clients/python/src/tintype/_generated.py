"""The types, methods and errors of Tintype, made from the descriptions that validate requests.

`tintype docs clients --language python` writes this file: change the descriptions, not the file.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Literal, TypeAlias, TypedDict

from ._record import Record


class ErrorName(StrEnum):
    """The name of an error."""

    PARSE_ERROR = "parseError"
    """The message is not JSON, or nested deeper than 64 levels."""
    INVALID_REQUEST = "invalidRequest"
    """The message is JSON but no request, or longer than the limit."""
    METHOD_NOT_FOUND = "methodNotFound"
    """No such method."""
    INVALID_PARAMS = "invalidParams"
    """A parameter is wrong: `path`, `value` and `expected`. Texts are not repeated, but for misspelled words."""
    INTERNAL = "internal"
    """A fault of the service; its log has the details."""
    INVALID_URL = "invalidURL"
    """The URL cannot be parsed, or is relative."""
    DENIED = "denied"
    """The scheme, address or host is refused by the operator's policy."""
    BLACKLISTED = "blacklisted"
    """The source failed before and is blacklisted: `cause`, `since`, `until`."""
    HTTP_STATUS = "httpStatus"
    """The origin's status is not acceptable: `status`, `host` (which answered), `headers` (without cookies, challenges and secrets, at most 8 KiB), `body` (an excerpt)."""
    CONTENT_TYPE = "contentType"
    """The origin's content type is not acceptable."""
    JSON_INVALID = "jsonInvalid"
    """The body is not JSON, or has another shape."""
    DNS = "dns"
    """The host's name cannot be resolved."""
    CONNECT = "connect"
    """No connection to the origin."""
    TLS = "tls"
    """The TLS handshake or the certificate failed."""
    TIMEOUT = "timeout"
    """Too slow: `which` is connect, idle, total, rate, decode…."""
    CONNECTION_LOST = "connectionLost"
    """The connection broke before the end of the body."""
    AUTH_FAILED = "authFailed"
    """The origin refused the credentials."""
    TOO_MANY_REDIRECTS = "tooManyRedirects"
    """More redirects than allowed."""
    BAD_IMAGE_DATA = "badImageData"
    """The bytes are no picture, are broken, or do not meet `require`: `required`, `found`."""
    UNSUPPORTED_FORMAT = "unsupportedFormat"
    """A known format that this build does not support."""
    LIMIT_EXCEEDED = "limitExceeded"
    """A limit was exceeded: `limit`, and if known `value` and `allowed`."""
    TRANSFORM_FAILED = "transformFailed"
    """An operation failed on this picture."""
    ENCODE_FAILED = "encodeFailed"
    """The result could not be encoded."""
    DECRYPT_FAILED = "decryptFailed"
    """The body could not be decrypted."""
    STORE_FAILED = "storeFailed"
    """The result could not be stored."""
    TEXT_INVALID = "textInvalid"
    """The body is not the text or XML asked for, or in a charset that is not read here: `charset`, `cause`."""
    CACHE_MISS = "cacheMiss"
    """Not in the cache, and the origin must not be asked: `reason`."""
    CANCELLED = "cancelled"
    """The request was cancelled: `reason`, `phase`."""
    SUPERSEDED = "superseded"
    """A newer request has the same supersede key (`slot`)."""
    DEADLINE_EXCEEDED = "deadlineExceeded"
    """Not finished within the request's deadline."""
    WORKER_LOST = "workerLost"
    """The workers of the fetch died, as often as allowed."""
    OVERLOADED = "overloaded"
    """The queue, Redis or another room is full: `retryAfter` seconds.
    With `limit`, a limit of the client is used up: `perSecond`, `running` or `queued` of its name (`client`), or `wrongTokens` of its address.
    `allowed` is the value of that limit, and HTTP answers 429.
    """
    UNAUTHENTICATED = "unauthenticated"
    """The token is missing or wrong."""
    FORBIDDEN = "forbidden"
    """The operator does not allow the request."""
    SHUTTING_DOWN = "shuttingDown"
    """This coordinator is stopping: connect again."""
    UNAVAILABLE = "unavailable"
    """Redis cannot be reached, cannot write, or has keys of another schema: `retryAfter` seconds."""
    UNKNOWN_RECEIPT = "unknownReceipt"
    """No such receipt, or no longer kept."""
    UNKNOWN_GROUP = "unknownGroup"
    """No such group, or no longer kept."""
    UNKNOWN_QUEUE = "unknownQueue"
    """No such queue: `queue.configure` creates one."""

    @property
    def code(self) -> int:
        """The code of JSON-RPC."""
        return _CODES[self]

    @property
    def is_retryable(self) -> bool:
        """Whether the same request may succeed later, unless the error itself says otherwise."""
        return self in _RETRYABLE

    @classmethod
    def of_code(cls, code: object) -> ErrorName:
        """Returns the name with a code; `internal` for an unknown one."""
        return next((name for name, own in _CODES.items() if own == code), cls.INTERNAL)


_CODES: dict[ErrorName, int] = {
    ErrorName.PARSE_ERROR: -32700, ErrorName.INVALID_REQUEST: -32600, ErrorName.METHOD_NOT_FOUND: -32601, ErrorName.INVALID_PARAMS: -32602,
    ErrorName.INTERNAL: -32603, ErrorName.INVALID_URL: 1001, ErrorName.DENIED: 1002, ErrorName.BLACKLISTED: 1003, ErrorName.HTTP_STATUS: 1010,
    ErrorName.CONTENT_TYPE: 1011, ErrorName.JSON_INVALID: 1012, ErrorName.DNS: 1013, ErrorName.CONNECT: 1014, ErrorName.TLS: 1015, ErrorName.TIMEOUT: 1016,
    ErrorName.CONNECTION_LOST: 1017, ErrorName.AUTH_FAILED: 1018, ErrorName.TOO_MANY_REDIRECTS: 1019, ErrorName.BAD_IMAGE_DATA: 1020,
    ErrorName.UNSUPPORTED_FORMAT: 1021, ErrorName.LIMIT_EXCEEDED: 1022, ErrorName.TRANSFORM_FAILED: 1023, ErrorName.ENCODE_FAILED: 1024,
    ErrorName.DECRYPT_FAILED: 1025, ErrorName.STORE_FAILED: 1026, ErrorName.TEXT_INVALID: 1027, ErrorName.CACHE_MISS: 1030, ErrorName.CANCELLED: 1040,
    ErrorName.SUPERSEDED: 1041, ErrorName.DEADLINE_EXCEEDED: 1042, ErrorName.WORKER_LOST: 1043, ErrorName.OVERLOADED: 1050, ErrorName.UNAUTHENTICATED: 1051,
    ErrorName.FORBIDDEN: 1052, ErrorName.SHUTTING_DOWN: 1053, ErrorName.UNAVAILABLE: 1054, ErrorName.UNKNOWN_RECEIPT: 1060, ErrorName.UNKNOWN_GROUP: 1061,
    ErrorName.UNKNOWN_QUEUE: 1062
}
_RETRYABLE: frozenset[ErrorName] = frozenset({
    ErrorName.INTERNAL, ErrorName.DNS, ErrorName.CONNECT, ErrorName.TIMEOUT, ErrorName.CONNECTION_LOST, ErrorName.STORE_FAILED, ErrorName.DEADLINE_EXCEEDED,
    ErrorName.WORKER_LOST, ErrorName.OVERLOADED, ErrorName.SHUTTING_DOWN, ErrorName.UNAVAILABLE
})


class Phase(StrEnum):
    """The phase of a request in which something happened."""

    ADMISSION = "admission"
    CACHE = "cache"
    QUEUE = "queue"
    DOWNLOAD = "download"
    DECODE = "decode"
    TRANSFORM = "transform"
    ENCODE = "encode"
    STORE = "store"
    DELIVER = "deliver"


Bytes: TypeAlias = bytes
"""The type, for classes with a member of that name."""

Place: TypeAlias = Literal["center", "top", "topRight", "right", "bottomRight", "bottom", "bottomLeft", "left", "topLeft"]
Blend: TypeAlias = Literal["normal", "multiply", "screen", "overlay", "darken", "lighten", "colorDodge", "colorBurn", "hardLight", "softLight", "difference", "exclusion", "plusLighter", "plusDarker", "hue", "saturation", "color", "luminosity"]
Fit: TypeAlias = Literal["contain", "cover", "coverDown", "auto", "fill", "inside", "outside", "none"]
Kernel: TypeAlias = Literal["nearest", "linear", "cubic", "mitchell", "lanczos2", "lanczos3"]
Symmetric: TypeAlias = Literal["none", "horizontal", "vertical", "both"]
Corner: TypeAlias = Literal["topLeft", "topRight", "bottomRight", "bottomLeft"]
Preset: TypeAlias = Literal["soft", "light", "extraLight", "dark"]
HTTPMethod: TypeAlias = Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
CachePolicy: TypeAlias = Literal["default", "reload", "only", "revalidate", "refresh"]
Tier: TypeAlias = Literal["memory", "results", "sources"]
FailOn: TypeAlias = Literal["none", "truncated", "error", "warning"]
Format: TypeAlias = Literal["auto", "original", "jpeg", "png", "webp", "avif", "gif", "tiff", "heif", "jxl"]
SourceFormat: TypeAlias = Literal["jpeg", "png", "webp", "avif", "gif", "tiff", "heif", "jxl", "bmp", "ico", "icns", "xbm", "jp2", "raw"]
Trait: TypeAlias = Literal["blurhash", "thumbhash", "dominantColor", "palette", "averageColor", "phash", "exif", "animation", "gainMap", "hdr"]
Kind: TypeAlias = Literal["image", "bytes", "json", "text", "xml"]


@dataclass(frozen=True, slots=True)
class Scale(Record):
    """A value of `scale`."""

    width: float
    """The factor of the width. 0.01 to 100."""
    height: float
    """The factor of the height. 0.01 to 100."""


@dataclass(frozen=True, slots=True)
class Point(Record):
    """A value of `gravity`."""

    x: float
    """The place from the left edge, as a fraction. 0 to 1."""
    y: float
    """The place from the upper edge, as a fraction. 0 to 1."""


@dataclass(frozen=True, slots=True)
class Offsets(Record):
    """A value of `gravity`."""

    place: Place
    """The place before the offsets count."""
    _: KW_ONLY
    offset_x: float | None = None
    """The distance from the left or right edge of the place, or to the right from the middle.
    Below 1 a part of the whole width, otherwise pixels. -16384 to 16384. Default: `0`.
    """
    offset_y: float | None = None
    """The distance from the upper or lower edge of the place, or down from the middle.
    Below 1 a part of the whole height, otherwise pixels. -16384 to 16384. Default: `0`.
    """


@dataclass(frozen=True, slots=True)
class Resize(Record):
    """Changes the size. With one side given, the other follows. Never enlarges without `enlarge`. A side or a scale is given."""

    _tag: ClassVar[tuple[str, str]] = ("op", "resize")

    width: int | None = None
    """The width of the box in pixels. 1 to 16384."""
    height: int | None = None
    """The height of the box in pixels. 1 to 16384."""
    _: KW_ONLY
    min_width: int | None = None
    """The least width of the scaled picture in pixels. A given width or height then cuts, except with outside. 1 to 16384."""
    min_height: int | None = None
    """The least height of the scaled picture. 1 to 16384."""
    dpr: float | None = None
    """Device pixels for each pixel of width, height, minWidth and minHeight. 0.1 to 8. Default: `1`."""
    scale: float | Scale | None = None
    """The factor on the box, or without a box on the picture's own size. Default: `1`."""
    density: float | None = None
    """As `dpr`, by imgproxy's arithmetic. 0.01 to 100."""
    fit: Fit | None = None
    """How the picture gets the size.
    `inside`: as large as fits into the box.
    `outside`: as small as covers the box.
    `contain`: inside, on a canvas of the box's size.
    `cover`: fills the box; the overlap is cut off.
    `coverDown`: as cover, but a picture smaller than the box is cut to the box's shape.
    `auto`: cover if the picture and the box both stand or both lie, else inside.
    `fill`: stretched to the box.
    `none`: not scaled, but cut and put on a canvas.
    Default: `"inside"`.
    """
    gravity: Place | Literal["attention", "entropy"] | Point | Offsets | None = None
    """The part to keep, or the place on the canvas. `attention` and `entropy` find a part to keep. Default: `"center"`."""
    enlarge: bool | None = None
    """Whether a smaller picture is enlarged. Default: `false`."""
    background: str | None = None
    """The color behind the picture; for resize, on the free canvas of contain and none.
    Formats without alpha show it on white. Default: `"transparent"`.
    """
    kernel: Kernel | None = None
    """The weights of pixels when a picture becomes smaller. Enlarging is bicubic, except with nearest and linear. Default: `"lanczos3"`."""
    linear: bool | None = None
    """Averages light instead of encoded values: slower, but right for fine bright detail. Default: `false`."""


@dataclass(frozen=True, slots=True)
class Crop(Record):
    """Cuts a rectangle out, by x and y or by a gravity. Parts of the rectangle outside the picture are left out."""

    _tag: ClassVar[tuple[str, str]] = ("op", "crop")

    x: float | None = None
    """The left edge. 0 to 16384."""
    y: float | None = None
    """The upper edge. 0 to 16384."""
    _: KW_ONLY
    width: float | None = None
    """How wide; the whole width without it. One of width and height is required. 0 to 16384."""
    height: float | None = None
    """How high; the whole height without it. 0 to 16384."""
    unit: Literal["px", "fraction"] | None = None
    """The unit of the rectangle: pixels, or fractions from 0 to 1. Default: `"px"`."""
    gravity: Place | Literal["attention", "entropy"] | Point | Offsets | None = None
    """The place of the rectangle without x and y. Default: `"center"`."""


@dataclass(frozen=True, slots=True)
class Trim(Record):
    """Cuts off edges of one color: that of the top left corner, unless one is named.
    A transparent corner cuts off transparent edges. A picture of one color stays as it is. An animation loses the edge that all its frames share.
    In a source with lossy compression (JPEG, AVIF, HEIF, most WebP), details one pixel thin count as noise.
    """

    _tag: ClassVar[tuple[str, str]] = ("op", "trim")

    threshold: float | None = None
    """How far a color may differ from that of the edge, of 255. 0 to 255. Default: `10`."""
    color: str | None = None
    """The color of the operation; for trim the color to cut off, by default that of the top left corner."""
    _: KW_ONLY
    margin: int | None = None
    """The pixels to leave around the kept part, where the picture has some. 0 to 16384. Default: `0`."""
    symmetric: Symmetric | None = None
    """Where opposite edges both lose as much as the smaller one: left and right (horizontal), top and bottom (vertical), or both. Default: `"none"`."""


@dataclass(frozen=True, slots=True)
class Extend(Record):
    """Adds pixels of a color at each edge. Negative numbers take pixels away, as inset does."""

    _tag: ClassVar[tuple[str, str]] = ("op", "extend")

    top: int | None = None
    """The pixels at this edge. -16384 to 16384. Default: `0`."""
    right: int | None = None
    """The pixels at this edge. -16384 to 16384. Default: `0`."""
    _: KW_ONLY
    bottom: int | None = None
    """The pixels at this edge. -16384 to 16384. Default: `0`."""
    left: int | None = None
    """The pixels at this edge. -16384 to 16384. Default: `0`."""
    color: str | None = None
    """The color of added pixels. Default: `"transparent"`."""


@dataclass(frozen=True, slots=True)
class Inset(Record):
    """Takes pixels away at each edge. Negative numbers add pixels of a color, as extend does."""

    _tag: ClassVar[tuple[str, str]] = ("op", "inset")

    top: int | None = None
    """The pixels at this edge. -16384 to 16384. Default: `0`."""
    right: int | None = None
    """The pixels at this edge. -16384 to 16384. Default: `0`."""
    _: KW_ONLY
    bottom: int | None = None
    """The pixels at this edge. -16384 to 16384. Default: `0`."""
    left: int | None = None
    """The pixels at this edge. -16384 to 16384. Default: `0`."""
    color: str | None = None
    """The color of added pixels. Default: `"transparent"`."""


@dataclass(frozen=True, slots=True)
class Pad(Record):
    """Puts the picture on a canvas of at least this size, or of this shape. The picture is neither cut nor scaled."""

    _tag: ClassVar[tuple[str, str]] = ("op", "pad")

    width: int | None = None
    """The smallest width of the canvas. 1 to 16384."""
    height: int | None = None
    """The smallest height of the canvas. 1 to 16384."""
    _: KW_ONLY
    aspect: float | None = None
    """The width of the canvas divided by its height: 1 is square. The canvas grows on one side. 0.01 to 100."""
    gravity: Place | Offsets | None = None
    """The place of the picture on the canvas, with or without offsets. The picture stays inside. Default: `"center"`."""
    color: str | None = None
    """The color of the canvas. Default: `"transparent"`."""


@dataclass(frozen=True, slots=True)
class Rotate(Record):
    """Turns the picture clockwise around its middle."""

    _tag: ClassVar[tuple[str, str]] = ("op", "rotate")

    angle: float
    """Degrees clockwise; negative numbers turn the other way. -3600 to 3600."""
    expand: bool | None = None
    """true: the canvas grows to contain the whole picture. false: the canvas keeps its size; the corners are lost. Default: `true`."""
    _: KW_ONLY
    background: str | None = None
    """The color beside the turned picture. Default: `"transparent"`."""


@dataclass(frozen=True, slots=True)
class Flip(Record):
    """Mirrors the picture."""

    _tag: ClassVar[tuple[str, str]] = ("op", "flip")

    horizontal: bool | None = None
    """Swaps left and right. Default: `false`."""
    vertical: bool | None = None
    """Swaps top and bottom. Default: `false`."""


@dataclass(frozen=True, slots=True)
class CornerBorder(Record):
    """A value of `border`."""

    width: float
    """The width of the line in pixels; less than half of the shorter side. 0 to 8192."""
    _: KW_ONLY
    color: str | None = None
    """The color of the line. Default: `"black"`."""
    join: Literal["miter", "round", "bevel"] | None = None
    """How the lines meet in a corner without rounding. Default: `"miter"`."""


@dataclass(frozen=True, slots=True)
class RoundCorners(Record):
    """Rounds corners; the outside becomes transparent. A border runs along the inside of the edge."""

    _tag: ClassVar[tuple[str, str]] = ("op", "roundCorners")

    radius: float
    """The radius in pixels; for corners, at most half of the shorter side counts. 0 to 8192."""
    corners: Sequence[Corner] | None = None
    """Which ones. Default: `["topLeft","topRight","bottomRight","bottomLeft"]`."""
    _: KW_ONLY
    border: CornerBorder | None = None
    """The line along the edge, inside the picture."""


@dataclass(frozen=True, slots=True)
class Border(Record):
    """Draws a line along the edges, inside the picture."""

    _tag: ClassVar[tuple[str, str]] = ("op", "border")

    width: float
    """The width of the line in pixels; less than half of the shorter side. 0 to 8192."""
    color: str | None = None
    """The color of the line. Default: `"black"`."""


@dataclass(frozen=True, slots=True)
class Mask(Record):
    """Keeps a shape in the middle of the picture, or the shape that another picture gives. Everything else becomes transparent; the size stays."""

    _tag: ClassVar[tuple[str, str]] = ("op", "mask")

    shape: Literal["circle", "ellipse"] | None = None
    """The shape to keep. circle: as large as fits; ellipse: touches all four edges."""
    url: str | None = None
    """The URL of another picture; for a mask, stretched over this one. Its transparency, or else its brightness, gives the shape."""


@dataclass(frozen=True, slots=True)
class Tiles(Record):
    """A value of `tile`."""

    _: KW_ONLY
    gap_x: float | None = None
    """The gap between two columns. 0 to 16384. Default: `0`."""
    gap_y: float | None = None
    """The gap between two rows. 0 to 16384. Default: `0`."""


@dataclass(frozen=True, slots=True)
class Composite(Record):
    """Lays another picture over this one. The size stays; parts outside are cut off."""

    _tag: ClassVar[tuple[str, str]] = ("op", "composite")

    url: str
    """The URL of the other picture, as for a source."""
    gravity: Place | Point | Offsets | None = None
    """The place of the overlay: one of nine places, or a point in fractions for its middle. Default: `"center"`."""
    _: KW_ONLY
    x: int | None = None
    """Pixels between the left edges, instead of gravity. -16384 to 16384."""
    y: int | None = None
    """Pixels between the upper edges, instead of gravity. -16384 to 16384."""
    blend: Blend | None = None
    """How the colors mix with those of the picture. Default: `"normal"`."""
    opacity: float | None = None
    """0 is invisible, 1 opaque. 0 to 1. Default: `1`."""
    tile: bool | Tiles | None = None
    """Whether to repeat over the whole picture. Default: `false`."""
    scale: float | None = None
    """The part of the picture's width and height to fit into. Default: its own size. 0.01 to 1."""


@dataclass(frozen=True, slots=True)
class Text(Record):
    """Draws text over the picture. The size stays; parts outside are cut off. The text is plain, never markup."""

    _tag: ClassVar[tuple[str, str]] = ("op", "text")

    text: str
    """The text to draw."""
    font: str | None = None
    """The font family: one that `formats.list` names, in any case. Missing letters come from the other fonts. Default: `"sans"`."""
    _: KW_ONLY
    size: float | None = None
    """The size of an em, in pixels. 4 to 1000. Default: `32`."""
    bold: bool | None = None
    """Bold letters. Default: `false`."""
    italic: bool | None = None
    """Italic letters. Default: `false`."""
    color: str | None = None
    """The color of the letters. Emoji have colors of their own. Default: `"black"`."""
    gravity: Place | Point | Offsets | None = None
    """The place: one of nine, or a point in fractions for the middle. Default: center; with x or y, topLeft."""
    x: int | None = None
    """Pixels inwards from the edge; from a middle or a point, to the right. -16384 to 16384. Default: `0`."""
    y: int | None = None
    """The same, down. -16384 to 16384. Default: `0`."""
    opacity: float | None = None
    """The opacity of the text and its background. 0 to 1. Default: `1`."""
    width: float | None = None
    """The width at which lines break: up to 1 a part of the picture's width, above that pixels. Default: lines do not break. 0.01 to 16384."""
    align: Literal["left", "center", "right"] | None = None
    """The alignment of lines; mirrored for text from right to left. Default: `"left"`."""
    valign: Literal["line", "ink"] | None = None
    """The height that is placed: `line`, of the font's lines, as in CSS; `ink`, of the letters. Default: `"line"`."""
    spacing: int | None = None
    """The pixels between lines, beside those of the font. 0 to 1000. Default: `0`."""
    background: str | None = None
    """The color of a box behind the text. Default: none."""
    padding: int | None = None
    """The pixels by which the background is larger on each side. 0 to 1000. Default: `0`."""
    angle: float | None = None
    """Degrees by which text and background turn clockwise. -3600 to 3600. Default: `0`."""
    tile: bool | Tiles | None = None
    """Whether to repeat the text over the whole picture, `padding` apart. Default: `false`."""


@dataclass(frozen=True, slots=True)
class Background(Record):
    """Puts the picture on a color, which replaces transparency. The command line calls this operation `--flatten`."""

    _tag: ClassVar[tuple[str, str]] = ("op", "background")

    color: str | None = None
    """The color behind the picture. Default: `"white"`."""


@dataclass(frozen=True, slots=True)
class Blur(Record):
    """Blurs by the sigma of a Gaussian or the radius of three box blurs (as YYWebImage). Then changes the saturation, then lays a color over it."""

    _tag: ClassVar[tuple[str, str]] = ("op", "blur")

    sigma: float | None = None
    """The sigma of the Gaussian, in pixels. 0.3 to 250."""
    radius: float | None = None
    """The radius in pixels, instead of sigma. Box sides are floor((radius · 3√(2π)/4 + 0.5) / 2), made odd. 0 to 250."""
    _: KW_ONLY
    saturation: float | None = None
    """The saturation: 0 is gray, 1 unchanged, 2 twice as colorful. Default for blur: 1, or that of the preset. -1 to 10."""
    tint: str | None = None
    """The color laid over the result, as strong as its alpha. Default: none, or that of the preset."""
    blend: Blend | None = None
    """How the tint mixes with the picture. Default: `"normal"`."""
    mask: str | None = None
    """The URL of another picture, stretched over this one. Its transparency, or else its brightness, limits the blur."""
    preset: Preset | None = None
    """A ready-made look.
    `soft`: radius 60 under white 0.84 at 0.36.
    `light`: 60, 1 at 0.3.
    `extraLight`: 40, 0.97 at 0.82.
    `dark`: 40, 0.11 at 0.73.
    Saturation 1.8.
    """


@dataclass(frozen=True, slots=True)
class Sharpen(Record):
    """Sharpens the lightness, edges twice as much as flat areas."""

    _tag: ClassVar[tuple[str, str]] = ("op", "sharpen")

    sigma: float | None = None
    """The width of an edge, in pixels. 0.3 to 10. Default: `1`."""
    amount: float | None = None
    """The strength; 0 does nothing. For sharpen, the lightness, of 100, gains at most 10 and loses at most 20. 0 to 10. Default: `1`."""


@dataclass(frozen=True, slots=True)
class Pixelate(Record):
    """Replaces the picture by squares, each with the average color of its part, from the top left corner."""

    _tag: ClassVar[tuple[str, str]] = ("op", "pixelate")

    size: int | None = None
    """The side of a square in pixels. 1 to 16384. Default: `10`."""


@dataclass(frozen=True, slots=True)
class Modulate(Record):
    """Changes brightness, contrast, saturation, hue and gamma, in this order, as the CSS filters of these names."""

    _tag: ClassVar[tuple[str, str]] = ("op", "modulate")

    brightness: float | None = None
    """The factor of all colors: 0 is black. 0 to 10. Default: `1`."""
    contrast: float | None = None
    """The factor of the distance from middle gray: 0 is gray. 0 to 10. Default: `1`."""
    _: KW_ONLY
    saturation: float | None = None
    """The saturation: 0 is gray, 2 twice as colorful. -1 to 10. Default: `1`."""
    hue: float | None = None
    """Degrees by which colors turn on the color circle. -3600 to 3600. Default: `0`."""
    gamma: float | None = None
    """The gamma: above 1 dark parts become lighter, below 1 darker. 0.1 to 10. Default: `1`."""


@dataclass(frozen=True, slots=True)
class Grayscale(Record):
    """Makes the picture gray: saturation 0, with the weights 0.2126, 0.7152 and 0.0722 of red, green and blue."""

    _tag: ClassVar[tuple[str, str]] = ("op", "grayscale")


@dataclass(frozen=True, slots=True)
class Sepia(Record):
    """Gives the brown of old photographs, as the CSS filter of this name."""

    _tag: ClassVar[tuple[str, str]] = ("op", "sepia")

    amount: float | None = None
    """0 does nothing, 1 is full. 0 to 1. Default: `1`."""


@dataclass(frozen=True, slots=True)
class Invert(Record):
    """Replaces every color by its opposite, as in a negative. Transparency stays."""

    _tag: ClassVar[tuple[str, str]] = ("op", "invert")


@dataclass(frozen=True, slots=True)
class Tint(Record):
    """Colors the picture. sourceIn: one color in the picture's shape. Other blends: the color mixed with the picture."""

    _tag: ClassVar[tuple[str, str]] = ("op", "tint")

    color: str
    """The color; its alpha is the strength."""
    blend: Blend | Literal["sourceIn"] | None = None
    """How the color mixes with the picture. Default: `"sourceIn"`."""


@dataclass(frozen=True, slots=True)
class Duotone(Record):
    """Maps dark to one opaque color and light to another."""

    _tag: ClassVar[tuple[str, str]] = ("op", "duotone")

    shadow: str | None = None
    """The color for black. Default: `"black"`."""
    highlight: str | None = None
    """The color for white. Default: `"white"`."""
    _: KW_ONLY
    amount: float | None = None
    """0 does nothing, 1 is full. 0 to 1. Default: `1`."""


@dataclass(frozen=True, slots=True)
class Frames(Record):
    """Chooses frames of an animated picture: the picked ones, or the first ones.
    Then reverses them, then changes their pace. A format that cannot move gets the first remaining frame.
    All frames up to the last wanted one may have 2,000 million pixels.
    """

    _tag: ClassVar[tuple[str, str]] = ("op", "frames")

    pick: Sequence[int] | None = None
    """The numbers of the frames, from 0, in this order. A frame may come twice."""
    first: int | None = None
    """The number of frames to keep, from the first one. 1 to 65535."""
    _: KW_ONLY
    reverse: bool | None = None
    """Whether to reverse the order. Default: `false`."""
    speed: float | None = None
    """The speed: 2 is twice as fast. A frame lasts at least 0.02 s and at most what the format can say. 0.01 to 100. Default: `1`."""


@dataclass(frozen=True, slots=True)
class Animate(Record):
    """Makes an animation of this picture and others, or of the frames in this picture (a sprite sheet).
    Later operations change each frame, earlier ones only this picture.
    A format that cannot move gets the first frame; without a named format, the result is WebP.
    """

    _tag: ClassVar[tuple[str, str]] = ("op", "animate")

    urls: Sequence[str] | None = None
    """The URLs of the frames after this picture, as for a source. Each picture gets this picture's size; an animation gives its first frame."""
    columns: int | None = None
    """The columns of frames in this picture, instead of urls. Default: 1 with rows. 1 to 256."""
    _: KW_ONLY
    rows: int | None = None
    """The rows of frames in this picture, instead of urls. Default: 1 with columns. 1 to 256."""
    count: int | None = None
    """The number of frames in the sheet, row by row from the upper left one. Default: all. 1 to 65536."""
    delay: int | Sequence[int] | None = None
    """Milliseconds for a frame: one number, or one for each frame. GIF counts in hundredths of a second. Default: `100`."""
    loop: int | None = None
    """How often the animation plays; 0: for ever. 0 to 65535. Default: `0`."""
    fit: Literal["contain", "cover", "fill"] | None = None
    """How another picture gets the size. contain: whole, on a background; cover: cut; fill: stretched. Default: `"contain"`."""
    background: str | None = None
    """The color where contain leaves the frame free. Default: `"transparent"`."""


@dataclass(frozen=True, slots=True)
class Autorotate(Record):
    """Turns the picture upright by its EXIF orientation, before any other operation. On by default; name the operation only to switch it off."""

    _tag: ClassVar[tuple[str, str]] = ("op", "autorotate")

    enabled: bool | None = None
    """false: the pixels stay as they are stored.
    HEIF and AVIF have a turn of their own in place of EXIF; their decoder always applies it. Default: `true`.
    """


@dataclass(frozen=True, slots=True)
class BasicAuth(Record):
    """A value of `auth`."""

    basic: Sequence[str] = field(repr=False)
    """User and password."""


@dataclass(frozen=True, slots=True)
class DigestAuth(Record):
    """A value of `auth`."""

    digest: Sequence[str] = field(repr=False)
    """User and password."""


@dataclass(frozen=True, slots=True)
class BearerAuth(Record):
    """A value of `auth`."""

    bearer: str = field(repr=False)
    """A token."""


@dataclass(frozen=True, slots=True)
class Timeouts(Record):
    """A value of `timeouts`."""

    _: KW_ONLY
    connect: float | None = None
    """Seconds until the connection is open. 0.001 to 86400. Default: `10`."""
    idle: float | None = None
    """Seconds without a byte. 0.001 to 86400. Default: `15`."""
    total: float | None = None
    """Seconds for the whole download. The deadline of the request, 30 by default, may end the download before. 0.001 to 86400. Default: `60`."""


@dataclass(frozen=True, slots=True)
class Redirects(Record):
    """A value of `redirects`."""

    _: KW_ONLY
    max: int | None = None
    """The most redirects to follow. 0 to 50. Default: `5`."""
    same_host: bool | None = None
    """true: a redirect to another host is denied. Default: `false`."""


@dataclass(frozen=True, slots=True)
class TLS(Record):
    """A value of `tls`."""

    _: KW_ONLY
    pinned_public_keys: Sequence[str] | None = None
    """Public keys of which the certificate chain must have one, as curl takes them (SHA-256 of the DER). Every URL must then be https. Default: `[]`."""
    allow_invalid: bool | None = None
    """true: accepts any certificate. Forbidden unless --allow-invalid-tls. Default: `false`."""


@dataclass(frozen=True, slots=True)
class Retry(Record):
    """A value of `retry`."""

    _: KW_ONLY
    attempts: int | None = None
    """The most runs, the first one included. 1 to 20. Default: `3`."""
    base: float | None = None
    """Seconds before the first repetition. Doubles each time, with jitter. 0 to 3600. Default: `0.5`."""
    max: float | None = None
    """The most seconds between two runs. 0 to 86400. Default: `30`."""
    on: Sequence[str] | None = None
    """The failures to retry; a failure in the list is not blacklisted.
    Default: dns, connect, timeout, connectionLost, httpStatus. Requests with different lists share no download.
    """


@dataclass(frozen=True, slots=True)
class Fetch(Record):
    """`fetch` of a request: how to download the source."""

    _: KW_ONLY
    method: HTTPMethod | None = None
    """The HTTP method. A transient failure repeats any method, see `retry`. Default: `"GET"`."""
    headers: Mapping[str, str] | None = field(default=None, repr=False)
    """Request headers, part of the source's key.
    At most 64.
    Refused are headers that frame the message or concern one connection (connection, content-length, expect, host, http2-settings, keep-alive, proxy-connection, range, te, trailer, transfer-encoding, upgrade), headers that servers inside a network trust (cf-connecting-ip, fastly-client-ip, forwarded, metadata, metadata-flavor, proxy-*, true-client-ip, via, x-aliyun-ecs-metadata-token, x-aws-ec2-metadata-*, x-client-ip, x-cluster-client-ip, x-forwarded-*, x-google-metadata-request, x-http-method, x-http-method-override, x-metadata-token, x-method-override, x-original-host, x-original-uri, x-original-url, x-real-ip, x-rewrite-url) and names with _.
    A rule may set the latter two kinds.
    """
    params: Mapping[str, str | float | bool | Sequence[str | float | bool]] | None = field(default=None, repr=False)
    """Parameters, percent-encoded.
    An array gives one parameter for each value.
    POST, PUT and PATCH without a body send them as application/x-www-form-urlencoded; otherwise the query of each URL gets them. At most 256 in all.
    """
    body: str | Mapping[str, Any] | Sequence[Any] | None = field(default=None, repr=False)
    """The request's body, for a method that takes one: a text, `{"base64": "…"}`, `{"form": {…}}`, `{"multipart": [{name, value or base64, filename, type}, …]}`, `{"json": …}`, or JSON itself.
    In a form, an object gives `a[b]=1` and an array `a[]=1`. Content-Type follows the kind, unless a header says otherwise.
    """
    base: str | None = None
    """The name of one of the operator's base URLs. A relative url is resolved against it, see rules.md."""
    cdn: bool | None = None
    """true: downloads from the CDN that the operator has set for the URL's host. Default: `false`."""
    auth: BasicAuth | DigestAuth | BearerAuth | None = field(default=None, repr=False)
    """Credentials, sent only to the URL's own host: `{basic: [user, password]}`, `{digest: [user, password]}` or `{bearer: token}`.
    If the origin refuses them, the request fails with authFailed.
    """
    cookies: str | None = None
    """The name of a cookie jar that all workers share. Its matching cookies are sent, and cookies from servers are kept there. Default: no cookies."""
    timeouts: Timeouts | None = None
    """The timeouts of the download, each at most the operator's --max-timeout, 120 by default.
    A shared download uses the longest ones of the requests that came before it began.
    """
    max_bytes: int | None = None
    """The most bytes of the body, declared or counted, after decompression. 1 to 1099511627776. Default: `67108864`."""
    redirects: Redirects | None = None
    """How redirects are followed. Never from https to http. Credentials and your headers never go to another host, port or scheme."""
    tls: TLS | None = None
    """How to check the server's certificate."""
    acceptable_status: Sequence[str] | None = None
    """The statuses whose body is accepted. 204 and 205 have no body: 0 bytes with `as: bytes`, otherwise no picture. Default: `["200-299"]`."""
    acceptable_types: Sequence[str] | None = None
    """The content types that are accepted. Default: any. A response without one is accepted."""
    json_shape: Any = None
    """The required shape of the JSON body.
    It is a type's name, an object of shapes (all keys required), or an array with one shape for its elements.
    Types are string, number, integer, boolean, object, array, null and any; a null fits any type.
    """
    decrypt: str | None = None
    """How to decrypt the body; the operator gives keys to the workers (--decryption-keys)."""
    retry: Retry | None = None
    """How to repeat a download after transient failures.
    A shared download uses the largest values of its requests, but a request that joins never waits longer than its own values allow.
    """
    resume: bool | None = None
    """Whether a broken download is resumed, by any worker. Only if the server can tell that the source has not changed. Default: `true`."""


@dataclass(frozen=True, slots=True)
class Cache(Record):
    """`cache` of a request: which caches to read and write."""

    _: KW_ONLY
    policy: CachePolicy | None = None
    """Which answers are accepted.
    `default`: a fresh entry is served, a stale one revalidated.
    `reload`: no cache is read.
    `only`: the origin is never asked.
    `revalidate`: the origin is always asked.
    `refresh`: the cached result comes at once as a `cached` event, then the origin is asked.
    Default: `"default"`.
    """
    read: Sequence[Tier] | None = None
    """The tiers to read. Default: `["memory","results","sources"]`."""
    write: Sequence[Tier] | None = None
    """The tiers to write. Default: `["memory","results","sources"]`."""
    ttl: float | None = None
    """Seconds for which source and results are fresh, in place of what the origin says.
    Negative: not kept. Default: as the origin says, or one hour. -1 to 31536000.
    """
    stale_if_error: float | None = None
    """Seconds for which a stale source may be served if its origin cannot be reached or answers 500, 502, 503 or 504. 0: never.
    Default: the origin's stale-if-error. Only with policy default; must-revalidate, s-maxage and no-cache forbid it. 0 to 31536000.
    """
    stale_while_revalidate: float | None = None
    """Seconds for which a stale source may be served while the origin is asked in the background.
    Default: the origin's stale-while-revalidate. 0 to 31536000.
    """
    await_: bool | None = None
    """true: the request ends after the result is stored. false: it may end before; the result's URL may then answer 404 for a moment. Default: `true`."""
    pin: bool | None = None
    """Whether to pin the results, so that a full store keeps them until they expire. Default: `false`."""
    version: int | None = None
    """Your version of the content. Entries of other versions are not used: raise it after a change. 0 to 2147483647. Default: `0`."""
    scope: str | None = None
    """The owner of the request, such as a user's id: part of all keys. A response marked `private` is kept only with a scope."""
    key: str | None = None
    """Your own key for the result, with exactly one rendition. Every request with this key gets the same result."""
    tags: Sequence[str] | None = None
    """Names for `cache.purge`. A result has the tags of all requests that got it."""


@dataclass(frozen=True, slots=True)
class Decode(Record):
    """`decode` of a request: how to decode the source."""

    _: KW_ONLY
    frames: Literal["all", "first"] | None = None
    """Which frames of an animation to decode. Default: `"all"`."""
    page: int | None = None
    """The page of a TIFF, HEIF or icon.
    For an animation: the frame, with frames "first" or for an output that cannot move.
    Page 0 is the page that viewers show first; the other pages of a HEIF or icon follow in order. 0 to 65535. Default: `0`.
    """
    fail_on: FailOn | None = None
    """The least damage that refuses a picture: an early end, wrong data (`error`), or whatever a decoder warns of. Default: `"truncated"`."""
    speed: Literal["fast", "balanced", "best"] | None = None
    """How much the codec may shrink the picture while decoding. fast: as much as possible; best: not at all. Default: `"balanced"`."""
    limit_bytes: int | None = None
    """The most decoded bytes: width × height × 4 of all frames.
    A larger picture is first scaled down to fit, to at least one pixel a side.
    A baseline JPEG may then exceed the worker's limits of pixels and sides: it is scaled down while it is read. At least 1.
    """
    max_pixels: int | None = None
    """The most pixels of the source: width × height of all wanted frames. A larger picture fails with limitExceeded. At least 1."""
    max_frame_pixels: int | None = None
    """The most pixels of each frame of an animation, in place of maxPixels. At least 1."""
    thumbnail: bool | None = None
    """Takes the thumbnail in a jpeg, heif or avif as the picture, if it has one, also for maxPixels and describe. Default: `false`."""


@dataclass(frozen=True, slots=True)
class Qualities(Record):
    """A value of `qualities`."""

    _: KW_ONLY
    jpeg: int | None = None
    """The quality in this format. 1 to 100."""
    webp: int | None = None
    """The quality in this format. 1 to 100."""
    avif: int | None = None
    """The quality in this format. 1 to 100."""
    heif: int | None = None
    """The quality in this format. 1 to 100."""
    jxl: int | None = None
    """The quality in this format. 1 to 100."""


@dataclass(frozen=True, slots=True)
class Output(Record):
    """`output` of a request or of a rendition: how to encode the result."""

    format: Format | None = None
    """The format of the result.
    `original`: the source's format if it can be encoded, else png with alpha or lossless, and jpeg otherwise.
    `auto`: the best format of `accept`; the default with `accept`.
    A format without an encoder (see `formats.list`) fails with unsupportedFormat. Default: `"original"`.
    """
    _: KW_ONLY
    accept: str | Sequence[str] | None = None
    """The formats for auto: an Accept header, or a list of media types or formats.
    Animated: webp, else gif (png first for a png source).
    Still: avif, else webp, else jxl (if neither is named), else png (with alpha or from a lossless source), else jpeg.
    A star, or nothing known, means jpeg, png and gif.
    """
    keep: Sequence[SourceFormat] | None = None
    """The formats of sources that are delivered as they came, without operations, unless `format` names another one. Default: `[]`."""
    quality: int | Literal["auto"] | None = None
    """The quality of the encoder.
    Default: jpeg 80, webp 80, avif 50, heif 50, jxl 75; png with palette 100.
    `auto`: the lowest of five tried that keeps `likeness`, named in the result.
    It is for still jpeg, webp, avif; others have the default.
    """
    qualities: Qualities | None = None
    """The quality by the format that the result gets, where `quality` is not given."""
    likeness: float | None = None
    """For quality auto: the least likeness (SSIM of brightness) of the file to the picture before it is encoded; 1 means equal.
    If none is enough, the quality is 100. 0.8 to 0.999. Default: `0.98`.
    """
    lossless: bool | None = None
    """Encodes webp, avif, heif and jxl without loss; unsupportedFormat if the build cannot.
    Without a named format, jpeg is not chosen, and gif only for a gif source. Default: `false`.
    """
    effort: int | None = None
    """The effort of the encoder, from 0 (fastest) to 9 (smallest). Default: png 6, webp 4, avif 3, gif 4, heif 3, jxl 4. 0 to 9."""
    progressive: bool | None = None
    """Makes jpeg progressive and png interlaced. Default: `false`."""
    palette: bool | None = None
    """Limits png to 256 colors, dithered. `quality` says how close the colors must be. Default: `false`."""
    animated: bool | None = None
    """Keeps the animation in a png or avif; false: only the first frame.
    Such a source stays animated. An animated png has 8 bits and ignores palette and progressive.
    An animated avif ignores metadata and cannot be lossless. Default: `false`.
    """
    subsampling: Literal["4:2:0", "4:4:4"] | None = None
    """The chroma subsampling of jpeg, avif and heif. 4:4:4 keeps the color of every pixel. Default: `"4:2:0"`."""
    bit_depth: int | None = None
    """For avif: the bits of each number, 8, 10 or 12. 9 counts as 10, and 11 as 12.
    A build before libvips 8.15 cannot write 10 bits without loss, or with metadata or a color profile (unsupportedFormat).
    With more than 8 bits, a source of 16 bits keeps its finer steps. 8 to 12. Default: `8`.
    """
    thumbnail: int | None = None
    """For jpeg: the longer side of a thumbnail in the file's EXIF, in pixels. The thumbnail is never larger than the picture. 16 to 320."""
    max_bytes: int | None = None
    """The most bytes of the file.
    The highest quality up to `quality` that fits is used, and named in the result; limitExceeded if none fits.
    Formats without a quality are only checked. At least 1.
    """
    metadata: Literal["none", "copyright", "all"] | None = None
    """The metadata to keep.
    `copyright`: Copyright and Artist of EXIF.
    `all`: EXIF, XMP and IPTC, the place of the photo too.
    For jpeg, png, webp, avif and heif. jpeg, png and tiff always keep the pixel density. Default: `"none"`.
    """
    icc: Literal["srgb", "keep"] | None = None
    """The color space.
    `srgb`: colors become sRGB, without a profile.
    `keep`: RGB stays in the source's space, with its profile; gray with a profile of its own is converted.
    Colors of operations then mean that space, and other pictures are converted to it. Not for gif and jxl. Default: `"srgb"`.
    """
    gain_map: Literal["drop", "keep", "apply"] | None = None
    """The gain map of an Ultra HDR jpeg.
    `drop`: the result is the SDR picture.
    `keep`, for jpeg: the map follows crops, sizes and turns by quarters, and other XMP gives way to its own.
    `apply`, for png without palette: the HDR picture of 16 bits in BT.2020 and PQ, with SDR white at 203 cd/m².
    Layers, text, round corners, free angles and canvases end in SDR, as does a broken map. Default: `"drop"`.
    """
    hdr: Literal["toneMap", "keep"] | None = None
    """Still pictures in PQ or HLG.
    `keep`: avif (10 bits) and png without palette keep curve and primaries.
    It refuses operations with colors. Default: `"toneMap"`.
    """
    background: str | None = None
    """The color behind the picture if the format has no alpha. Its own alpha shows white. Default: `"white"`."""


@dataclass(frozen=True, slots=True)
class ProgressPace(Record):
    """A value of `progress`."""

    _: KW_ONLY
    interval: float | None = None
    """The most seconds between two events; values below 0.02 count as 0.02. 0 to 3600. Default: `0.25`."""
    fraction: float | None = None
    """The largest step of the body between two events. A named step allows up to fifty events a second. 0 to 1. Default: `0.05`."""


@dataclass(frozen=True, slots=True)
class Callback(Record):
    """A value of `callback`."""

    url: str = field(repr=False)
    """Where to post it. Only public addresses, unless the operator allows others; rules may deny more."""
    _: KW_ONLY
    secret: str | None = field(default=None, repr=False)
    """Signs the callback, see Callbacks."""


@dataclass(frozen=True, slots=True)
class SampleRect(Record):
    """A value of `rects`."""

    x: int
    """Pixels from the left edge. 0 to 1000000."""
    y: int
    """Pixels from the upper edge. 0 to 1000000."""
    width: int
    """The width in pixels. 1 to 256."""
    height: int
    """The height in pixels. 1 to 256."""


@dataclass(frozen=True, slots=True)
class Samples(Record):
    """A value of `samples`."""

    _: KW_ONLY
    points: Sequence[Sequence[int]] | None = None
    """Single pixels: `[x, y]` from the upper left corner."""
    rects: Sequence[SampleRect] | None = None
    """Rectangles of at most 256 pixels together."""


@dataclass(frozen=True, slots=True)
class FallbackURL(Record):
    """A value of `fallback`."""

    url: str
    """Another source, with the same renditions, within 10 seconds."""


@dataclass(frozen=True, slots=True)
class FallbackKey(Record):
    """A value of `fallback`."""

    key: str
    """The key of a finished image, returned unchanged. A token with a scope finds its own keys only in that scope."""


@dataclass(frozen=True, slots=True)
class FallbackColor(Record):
    """A value of `fallback`."""

    color: str
    """The color of a plain PNG."""
    width: int
    """The width in pixels. 1 to 8192."""
    height: int
    """The height in pixels. 1 to 8192."""


@dataclass(frozen=True, slots=True)
class Require(Record):
    """A value of `require`."""

    _: KW_ONLY
    animated: bool | None = None
    """true: several frames that move; false: none."""
    alpha: bool | None = None
    """true: the format says that the picture may be transparent; false: it does not."""
    min_width: int | None = None
    """The smallest width of the upright source, in pixels. 1 to 1000000."""
    min_height: int | None = None
    """The smallest height of the upright source, in pixels. 1 to 1000000."""


@dataclass(frozen=True, slots=True)
class SaveTo(Record):
    """A value of `saveTo`."""

    place: str
    """A folder or bucket that the operator has named (--places of workers)."""
    _: KW_ONLY
    name: str | None = None
    """The name there, with these tokens: `{rendition}` `{receipt}` `{stem}` `{host}` `{sha256}` `{extension}` `{width}` `{height}`.
    `{stem}` is the name of the URL's file without its ending. `{receipt}` is the id that you gave. Several renditions need `{rendition}`.
    Other letters become underscores. Default: `"{stem}.{extension}"`.
    """
    replace: bool | Literal["keep"] | None = None
    """The treatment of an existing file.
    `true`: it is replaced.
    `keep`: it stays, and the result says so.
    `false`: `storeFailed`, unless the bytes are the same.
    Default: `false`.
    """


@dataclass(frozen=True, slots=True)
class PreviewPace(Record):
    """A value of `progressive`."""

    _: KW_ONLY
    mode: Literal["plain", "blur"] | None = None
    """plain: the picture as it is; blur: a blur that shrinks as more arrives, for progressive JPEG and interlaced PNG. Default: `"plain"`."""
    interval: float | None = None
    """The fewest seconds between two previews. 0.05 to 3600. Default: `0.2`."""
    width: int | None = None
    """The width in pixels; a narrower picture is not enlarged. 16 to 1280. Default: `320`."""


Operation: TypeAlias = Resize | Crop | Trim | Extend | Inset | Pad | Rotate | Flip | RoundCorners | Border | Mask | Composite | Text | Background | Blur | Sharpen | Pixelate | Modulate | Grayscale | Sepia | Invert | Tint | Duotone | Frames | Animate | Autorotate
"""An operation of `transform`."""


@dataclass(frozen=True, slots=True)
class Rendition(Record):
    """A member of `renditions`: one output of a request."""

    name: str | None = None
    """The name of the rendition in the result, unique in the request. Default: `"default"`."""
    transform: Sequence[Operation] | None = None
    """The operations, in order. Default: `[]`."""
    output: Output | None = None
    """How to encode the result."""


@dataclass(frozen=True, slots=True)
class Request(Record):
    """Describes an image and how to load it."""

    url: str | None = None
    """The URL of the source: http, https, data, `color:COLOR,WIDTHxHEIGHT`, file with the operator's --file-root, `s3://bucket/key` with the workers' --source-buckets, or `upload:ID` (PUT /uploads).
    An http or https URL has at most 16384 bytes of ASCII, parameters included; escape others, as %C3%A9. Either url or urls is required.
    """
    transform: Sequence[Operation] | None = None
    """The operations of the only rendition. Instead of `renditions`."""
    output: Output | None = None
    """The encoding of the only rendition. Instead of `renditions`."""
    _: KW_ONLY
    urls: Sequence[str] | None = None
    """Mirrors of one source, instead of url: the next one is tried after a failed download.
    If the first host is throttled, the first mirror on another host goes first. All options hold for all mirrors.
    """
    receipt: str | None = None
    """Your own id for the request.
    A repeated request with the same id is idempotent. Another request with an id in use fails with invalidParams, whose `path` is receipt.
    """
    queue: str | None = None
    """The queue of the request, which must exist. Default: `"default"`."""
    priority: int | Literal["low", "normal", "high"] | None = None
    """The order in the queue among the fetches of one client: higher goes first.
    Permits are shared between clients before priorities count. Default: `0`.
    """
    order: Literal["fifo", "lifo"] | None = None
    """The order within a priority. Default: the order of the queue."""
    deadline: float | None = None
    """Seconds from acceptance to the result, queueing included. At most the operator's --max-deadline, 600 by default. 0.001 to 86400. Default: `30`."""
    progress: bool | ProgressPace | None = None
    """Whether progress events come, and how often: after `interval` seconds (default 0.25, at least 0.02) or a step of `fraction` (default 0.05).
    Default: `false`.
    """
    hooks: bool | None = None
    """Whether this connection gets `image.hook`, see Hooks. Default: `false`."""
    detached: bool | None = None
    """true: the request goes on for 24 hours without its client. Default: `false`."""
    durable: bool | None = None
    """See Durable. Default: as the operator says."""
    activity: bool | None = None
    """false: the request does not count in `activity.get`. Default: `true`."""
    callback: Callback | None = field(default=None, repr=False)
    """Posts the terminal event to a URL of yours, see Callbacks."""
    slot: str | None = None
    """The supersede key: a newer request with the same key in the queue cancels the older one."""
    blacklist: Literal["on", "off", "retry"] | None = None
    """The treatment of a blacklisted source.
    `on`: refused.
    `off`: downloaded, and the blacklist does not change.
    `retry`: downloaded, and a success removes the entry.
    Default: `"on"`.
    """
    tag: str | None = None
    """A text that every event repeats."""
    user_info: Mapping[str, Any] | None = None
    """An object that every event repeats. At most 16384 bytes of JSON; an integer above 64 bits becomes a float."""
    describe: Sequence[Trait] | None = None
    """The properties of the source in the result's `description`, measured upright and on the first frame.
    `blurhash` has 4 × 3 or 3 × 4 components, `thumbhash` is base64, `phash` is 64 bits in hexadecimal. `palette` has up to six `{color, share}`.
    `exif` has camera, exposure and time, never the place. `animation` is null for a still picture, else `{loop, delays}`.
    `loop` is the number of plays, 0 for endless; `delays` has the milliseconds of the first 512 frames, as viewers show them.
    `gainMap` says whether `output.gainMap` finds a map.
    `hdr`: `pq`, `hlg` or null.
    """
    samples: Samples | None = None
    """The pixels of the upright picture, in its own size, whose colors are in the result's `description.colors`: `{points, rects}`.
    A color is `#rrggbb`, `#rrggbbaa` if transparent, or null outside the picture. Rectangles come row by row.
    """
    fetch: Fetch | None = None
    """How to download the source."""
    cache: Cache | None = None
    """Which caches to read and write."""
    decode: Decode | None = None
    """How to decode the source."""
    fallback: FallbackURL | FallbackKey | FallbackColor | None = None
    """The replacement for an image that cannot be loaded.
    The request then succeeds with `from` fallback and the cause as `error`. Not for invalid URLs and cancelled requests.
    Callbacks and subscribers in Redis get the failure.
    """
    renditions: Sequence[Rendition] | None = None
    """The outputs of one download. Default: one named "default"."""
    require: Require | None = None
    """The properties that a source must have, for pictures only.
    A cached source without them counts as missing. A download without them fails with badImageData, which has `required` and `found`.
    """
    metadata: Mapping[str, str] | None = None
    """Texts to keep with the results.
    They come back as `metadata` and as HTTP headers `Tintype-Meta-…`. Names of a–z 0–9 -, at most 1024 bytes of JSON.
    An existing result keeps its own.
    """
    save_to: SaveTo | None = None
    """Saves each result as a file in a place of the operator, whole or not at all, before the request ends.
    `saved` of each rendition names the file. No cache of results answers such a request. With tokens it needs the role `put`.
    """
    as_: Kind | None = None
    """The kind of result.
    `image`: a picture.
    `bytes`: the undecoded source.
    `json`: the source as the result's `json`; it must be JSON of at most 58 levels, and only line breaks change.
    `text`: the body as the result's `text`, decoded by the charset of its Content-Type, else as UTF-8.
    `xml`: the same; it must be well-formed XML of at most 256 levels.
    XML with declarations of its own is refused. A byte order mark overrides the header, and the header overrides the declaration of XML.
    Default: `"image"`.
    """
    deliver: Literal["reference", "inline", "none"] | None = None
    """How the bytes come.
    `reference`: a key and a URL.
    `inline`: base64 in the result, up to 8 MiB.
    `none`: no bytes.
    Default: `"reference"`.
    """
    progressive: bool | PreviewPace | None = None
    """Whether `preview` events come, see Previews.
    `mode`: plain (default), or blur, which shrinks as more arrives (not for baseline jpeg).
    `interval`: at least 0.05 to 3600 seconds between two, default 0.2.
    `width`: 16 to 1280 pixels, default 320.
    A shared download uses the options of its first request. Default: `false`.
    """


class RequestOptions(TypedDict, total=False):
    """The members of a `Request` that are seldom needed, as keywords."""

    urls: Sequence[str] | None
    receipt: str | None
    queue: str | None
    priority: int | Literal["low", "normal", "high"] | None
    order: Literal["fifo", "lifo"] | None
    deadline: float | None
    progress: bool | ProgressPace | None
    hooks: bool | None
    detached: bool | None
    durable: bool | None
    activity: bool | None
    callback: Callback | None
    slot: str | None
    blacklist: Literal["on", "off", "retry"] | None
    tag: str | None
    user_info: Mapping[str, Any] | None
    describe: Sequence[Trait] | None
    samples: Samples | None
    fetch: Fetch | None
    cache: Cache | None
    decode: Decode | None
    fallback: FallbackURL | FallbackKey | FallbackColor | None
    require: Require | None
    metadata: Mapping[str, str] | None
    save_to: SaveTo | None
    as_: Kind | None
    deliver: Literal["reference", "inline", "none"] | None
    progressive: bool | PreviewPace | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceInfo(Record):
    """A source after its download."""

    _names: ClassVar[Mapping[str, str]] = {"final_url": "finalURL"}

    url: str
    """The requested URL, without user and password."""
    final_url: str
    """The URL after redirects, without user and password."""
    bytes: int
    """The length of the body."""
    status: int | None = None
    """The status of the origin's response."""
    format: str | None = None
    """The format of the stored picture."""
    width: int | None = None
    """The width of the stored picture in pixels."""
    height: int | None = None
    """The height of the stored picture in pixels."""
    frames: int | None = None
    """The number of frames."""
    has_alpha: bool | None = None
    """Whether the picture may be transparent."""
    scale: int | None = None
    """2 or 3 when the file's name in the URL ends in `@2x` or `@3x`."""
    orientation: int | None = None
    """The orientation of EXIF, 1 to 8."""
    etag: str | None = None
    """The ETag of the origin's response."""
    last_modified: str | None = None
    """The Last-Modified of the origin's response."""
    expires_at: float | None = None
    """Until when the source is fresh, in epoch seconds."""
    sha256: str | None = None
    """The hash of the body in hexadecimal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedFile(Record):
    """The file that a result was saved as."""

    place: str
    """The place of the operator."""
    name: str
    """The name of the file there."""
    bytes: int | None = None
    """The length of the file."""
    kept: bool | None = None
    """Whether the file existed and stayed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RenditionInfo(Record):
    """One finished rendition."""

    name: str | None = None
    """The name of the rendition in the request."""
    key: str
    """The result's key."""
    url: str
    """The path of the HTTP port that serves the result."""
    content_type: str
    """The media type of the result."""
    bytes: int
    """The length of the result."""
    format: str | None = None
    """The format of the result."""
    width: int | None = None
    """The width in pixels."""
    height: int | None = None
    """The height in pixels."""
    frames: int | None = None
    """The number of frames."""
    quality: int | None = None
    """The encoder's quality, for lossy formats."""
    sha256: str | None = None
    """The hash of the result in hexadecimal."""
    stored: tuple[str, ...] | None = None
    """The tiers that keep the result."""
    expires_at: float | None = None
    """Until when the result is fresh, in epoch seconds."""
    stored_at: float | None = None
    """When its sources were last downloaded or revalidated, in epoch seconds."""
    version: int | None = None
    """The `cache.version` of the request, unless 0."""
    private: bool | None = None
    """True when shared caches must not keep the result."""
    no_store: bool | None = None
    """True when no cache in front may keep the result."""
    stale_while_revalidate: float | None = None
    """The most seconds for which caches in front may show the stale result while they ask for a new one."""
    stale_if_error: float | None = None
    """The most seconds for which caches in front may show the stale result while the service fails."""
    validated: Any = None
    """True when a worker checked the bytes as JSON; `text` or `xml` for these."""
    applied: bool | None = None
    """True for a picture that the service made or a client put."""
    saved: SavedFile | None = None
    """The file of `saveTo`."""
    metadata: Mapping[str, str] | None = None
    """The metadata of its request."""
    data: Bytes | None = None
    """The bytes, with `deliver: inline`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timings(Record):
    """Seconds spent in the steps of a request."""

    queued: float | None = None
    """In the queue."""
    dns: float | None = None
    """Resolving the name of the host."""
    connect: float | None = None
    """Connecting."""
    tls: float | None = None
    """In the TLS handshake."""
    first_byte: float | None = None
    """Until the first byte of the answer."""
    download: float | None = None
    """Downloading."""
    decode: float | None = None
    """Decoding."""
    transform: float | None = None
    """In operations."""
    encode: float | None = None
    """Encoding."""
    store: float | None = None
    """Storing."""
    total: float | None = None
    """From the request to its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause(Record):
    """Why a run failed."""

    name: str
    """The name of the error."""
    status: int | None = None
    """The status of the origin's response."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageResult(Record):
    """The result of a request."""

    receipt: str | None = None
    """The receipt's id; none from `cache.get`."""
    from_: str
    """Where the result came from: `remote` (the origin), `sources`, `results`, `memory` or `fallback`."""
    state: str | None = None
    """Always `succeeded`."""
    source: SourceInfo
    """The source."""
    renditions: tuple[RenditionInfo, ...]
    """The renditions, in the order of the request."""
    not_modified: bool | None = None
    """True when the origin was asked and the source had not changed."""
    updated: bool | None = None
    """Whether the source had changed, after `cache.policy` revalidate or refresh."""
    description: Mapping[str, Any] | None = None
    """The answers to `describe` and `samples`."""
    attempts: int | None = None
    """The number of runs, without released ones."""
    causes: tuple[Cause, ...] | None = None
    """Why runs failed."""
    worker: str | None = None
    """The id of the worker."""
    purged: bool | None = None
    """True when its source was purged meanwhile, so that nothing keeps it."""
    metrics: Timings | None = None
    """The time of each step."""
    error: Any = None
    """Why a fallback is there, as an error object of JSON-RPC."""
    json: Any = None
    """The document of a request with `as: json`."""
    text: str | None = None
    """The text of a request with `as: text` or `as: xml`."""
    tag: str | None = None
    """The `tag` of the request."""
    user_info: Mapping[str, Any] | None = None
    """The `userInfo` of the request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueLimits(Record):
    """The limits of a queue."""

    max_concurrent: int
    """The most running fetches."""
    max_concurrent_per_host: int
    """The most running fetches of one host."""
    host_limits: Mapping[str, int]
    """`maxConcurrentPerHost` for single hosts."""
    rule_limits: Mapping[str, int]
    """Limits of hosts that come from rules."""
    rule_paces: Mapping[str, float]
    """Milliseconds between two fetches of a host, from rules."""
    max_queued: int | None = None
    """The most waiting fetches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueInfo(Record):
    """The state of a queue."""

    name: str
    """The queue's name."""
    order: str
    """The order of requests that name none: `fifo` or `lifo`."""
    paused: bool
    """Whether nothing new is claimed."""
    limits: QueueLimits
    """The limits."""
    queued: int
    """The number of waiting fetches."""
    delayed: int
    """The number of fetches that wait for their next run."""
    running: int
    """The number of running fetches."""
    dead: int
    """The number of dead letters."""
    oldest_queued_seconds: float | None = None
    """The age of the oldest waiting fetch."""
    held_hosts: Mapping[str, float]
    """Throttled hosts, at most 100, and until when, in epoch seconds."""
    workers: int
    """The live workers."""
    shards: int | None = None
    """The number of shards, if several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event(Record):
    """Something that happened to a receipt."""

    receipt: str
    """The receipt's id."""
    seq: int
    """The number among the events that this connection got for the receipt."""
    at: float
    """When, in epoch seconds."""
    queue: str
    """The queue's name."""
    traceparent: str | None = None
    """The place of the request in the trace of its client, by W3C Trace Context."""
    tag: str | None = None
    """The `tag` of the request."""
    user_info: Mapping[str, Any] | None = None
    """The `userInfo` of the request."""
    group: str | None = None
    """The group of the receipt."""
    request_id: Any = None
    """The JSON-RPC id of the `image.load`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Queued(Event):
    """The request waits in the queue."""

    _tag: ClassVar[tuple[str, str]] = ("type", "queued")

    position: int | None = None
    """The number of fetches ahead; none when the fetch waits for its next run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Started(Event):
    """A worker has begun a run."""

    _tag: ClassVar[tuple[str, str]] = ("type", "started")

    worker: str | None = None
    """The id of the worker."""
    attempt: int
    """The number of the run, from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Response(Event):
    """The origin has answered."""

    _tag: ClassVar[tuple[str, str]] = ("type", "response")

    status: int | None = None
    """The status."""
    headers: Mapping[str, str] | None = None
    """The headers."""
    expected_bytes: int | None = None
    """The length of the body; none when the origin gives no length."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress(Event):
    """How far the work is."""

    _tag: ClassVar[tuple[str, str]] = ("type", "progress")

    phase: str
    """`upload`, `download`, `decode`, `transform`, `encode` or `store`."""
    fraction: float | None = None
    """From 0 to 1; none when unknown."""
    received_bytes: int | None = None
    """The bytes of the source that have come."""
    expected_bytes: int | None = None
    """The length of the source; none when the origin gives no length."""
    resumed_from: int | None = None
    """The byte at which an earlier download broke off."""
    sent_bytes: int | None = None
    """The bytes of the request body that were sent."""
    total_bytes: int | None = None
    """The length of the request body."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview(Event):
    """A picture of a source that is still arriving."""

    _tag: ClassVar[tuple[str, str]] = ("type", "preview")

    rendition: str | None = None
    """The name of the first rendition."""
    data: Bytes | None = None
    """A JPEG, upright and scaled."""
    key: str | None = None
    """The key that keeps the JPEG for ten seconds, in place of data."""
    width: int
    """The width in pixels."""
    height: int
    """The height in pixels."""
    fraction: float | None = None
    """The part of the source that it shows; none when unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cached(Event):
    """The cached result of `cache.policy` refresh; the origin is asked next."""

    _tag: ClassVar[tuple[str, str]] = ("type", "cached")

    result: ImageResult
    """The cached result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered(Event):
    """One rendition is finished."""

    _tag: ClassVar[tuple[str, str]] = ("type", "rendition")

    name: str | None = None
    """The name of the rendition in the request."""
    key: str
    """The result's key."""
    url: str
    """The path of the HTTP port that serves the result."""
    content_type: str
    """The media type of the result."""
    bytes: int
    """The length of the result."""
    format: str | None = None
    """The format of the result."""
    width: int | None = None
    """The width in pixels."""
    height: int | None = None
    """The height in pixels."""
    frames: int | None = None
    """The number of frames."""
    quality: int | None = None
    """The encoder's quality, for lossy formats."""
    sha256: str | None = None
    """The hash of the result in hexadecimal."""
    stored: tuple[str, ...] | None = None
    """The tiers that keep the result."""
    expires_at: float | None = None
    """Until when the result is fresh, in epoch seconds."""
    stored_at: float | None = None
    """When its sources were last downloaded or revalidated, in epoch seconds."""
    version: int | None = None
    """The `cache.version` of the request, unless 0."""
    private: bool | None = None
    """True when shared caches must not keep the result."""
    no_store: bool | None = None
    """True when no cache in front may keep the result."""
    stale_while_revalidate: float | None = None
    """The most seconds for which caches in front may show the stale result while they ask for a new one."""
    stale_if_error: float | None = None
    """The most seconds for which caches in front may show the stale result while the service fails."""
    validated: Any = None
    """True when a worker checked the bytes as JSON; `text` or `xml` for these."""
    applied: bool | None = None
    """True for a picture that the service made or a client put."""
    saved: SavedFile | None = None
    """The file of `saveTo`."""
    metadata: Mapping[str, str] | None = None
    """The metadata of its request."""
    data: Bytes | None = None
    """The bytes, with `deliver: inline`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrying(Event):
    """A run failed, and another one follows."""

    _tag: ClassVar[tuple[str, str]] = ("type", "retrying")

    attempt: int | None = None
    """The number of the run that failed."""
    delay: float | None = None
    """Seconds until the next run."""
    error: Any = None
    """The error, as an error object of JSON-RPC."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paused(Event):
    """The receipt was paused."""

    _tag: ClassVar[tuple[str, str]] = ("type", "paused")


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed(Event):
    """The receipt goes on."""

    _tag: ClassVar[tuple[str, str]] = ("type", "resumed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Succeeded(Event):
    """The end: there is a result."""

    _tag: ClassVar[tuple[str, str]] = ("type", "succeeded")

    result: ImageResult
    """The result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed(Event):
    """The end: there is none."""

    _tag: ClassVar[tuple[str, str]] = ("type", "failed")

    error: Any
    """The error, as an error object of JSON-RPC."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancelled(Event):
    """The end: the receipt was cancelled."""

    _tag: ClassVar[tuple[str, str]] = ("type", "cancelled")

    reason: str | None = None
    """Why."""
    phase: str | None = None
    """The phase in which the work stopped."""


EVENTS: Mapping[str, type[Event]] = {
    "queued": Queued,
    "started": Started,
    "response": Response,
    "progress": Progress,
    "preview": Preview,
    "cached": Cached,
    "rendition": Rendered,
    "retrying": Retrying,
    "paused": Paused,
    "resumed": Resumed,
    "succeeded": Succeeded,
    "failed": Failed,
    "cancelled": Cancelled,
}
"""The events by their type on the wire."""
TERMINAL: frozenset[str] = frozenset({"succeeded", "failed", "cancelled"})
"""The types of the last event of a receipt."""


class Methods:
    """Every method of the service, with the names and members of the wire in Python's spelling."""

    def __init__(self, call: Callable[[str, Mapping[str, Any]], Awaitable[Any]]) -> None:
        self._call = call

    async def image_load(self, request: Request) -> ImageResult:
        """Loads an image and answers when the image is there. With `progress`, events arrive before the answer.

        Answers ImageResult.
        """
        return ImageResult.from_json(await self._call("image.load", {**request.to_json()}))

    async def image_submit(self, request: Request) -> Any:
        """Queues an image and answers at once; the end comes as a terminal `image.event`.

        Answers `{receipt, state, position?, durable?, result?, error?}`.
        """
        return await self._call("image.submit", {**request.to_json()})

    async def image_probe(self, request: Request) -> Any:
        """Describes a source. Reads no more of the body than the description needs.

        Answers `{source, description}`; `source` is a SourceInfo.
        """
        return await self._call("image.probe", {**request.to_json()})

    async def request_explain(self, request: Request) -> Any:
        """Shows what `image.load` would do, and whether the client, a rule or a default decides. Sends and queues nothing, and shows no secret.

        Answers `{urls: [{url, rules?, inKeys?, access?: {value, by}}], headers: [{name, by}], omittedHeaders: [{name, by}], ttl?: {min?, max?, by}, response?: {by}, tlsProfile?: {value, by}, options: [{name, value?, by}], source, renditions: [{name, key}], queue, priority}`. `url` is the URL as requested, `rules` apply to it, and `inKeys` stands for it in keys. `by` is request, default, or the place of a rule in its file.
        Needs the role `admin` where tokens are required.
        """
        return await self._call("request.explain", {**request.to_json()})

    async def formats_list(self) -> Any:
        """Lists the formats that all workers decode, encode, and encode without loss, the fonts, and the operations with their parameters.

        Answers `{decode: [format], encode: [format], lossless: [format], fonts: [name], operations: [{name, summary, parameters}]}`.
        """
        return await self._call("formats.list", {})

    async def receipt_get(self, *, receipt: str, wait: float | None = None) -> Any:
        """Shows the state of a receipt. This connection gets the end from now on, and owns the receipt if its clients have gone.

        - `receipt`: The receipt's id.
        - `wait`: Seconds to wait for the end. 0 to 3600. Default: `0`.

        Answers `{receipt, state, position?, progress?, attempts, worker?}`, or `{receipt, state, result?, error?}` after the end.
        """
        return await self._call("receipt.get", {"receipt": receipt, "wait": wait})

    async def receipt_cancel(self, *, receipt: str | None = None, receipts: Sequence[str] | None = None) -> Any:
        """Cancels a receipt. The fetch goes on while other receipts want it. A repeated call is harmless.

        - `receipt`: One receipt's id.
        - `receipts`: Several ids, instead of `receipt`.

        Answers `{cancelled, reason?: "finished"|"unknown"}`, or `{results: [{receipt, cancelled, reason?}]}` for many.
        """
        return await self._call("receipt.cancel", {"receipt": receipt, "receipts": receipts})

    async def receipt_pause(self, *, receipt: str) -> Any:
        """Pauses a receipt until it is resumed.
        Its download stops if no other receipt wants it, and the bytes are kept as of a broken download.
        A shared download continues, and the paused receipt gets no progress. A paused receipt holds no place in its queue, and its deadline goes on.
        A source that is loaded already is made, and the receipt ends. A repeated call is harmless.

        - `receipt`: The receipt's id.

        Answers `{state}`: paused, or its end.
        """
        return await self._call("receipt.pause", {"receipt": receipt})

    async def receipt_resume(self, *, receipt: str) -> Any:
        """Resumes a paused receipt at its old place. A repeated call is harmless.

        - `receipt`: The receipt's id.

        Answers `{state}`.
        """
        return await self._call("receipt.resume", {"receipt": receipt})

    async def receipt_set_priority(self, *, receipt: str, priority: int | Literal["low", "normal", "high"]) -> Any:
        """Changes the priority of a receipt. Its fetch gets the highest priority among its live receipts.

        - `receipt`: The receipt's id.
        - `priority`: The new priority.

        Answers `{priority}` of the fetch.
        """
        return await self._call("receipt.setPriority", {"receipt": receipt, "priority": priority})

    async def prefetch_start(self, *, urls: Sequence[str] | None = None, items: Sequence[Request] | None = None, concurrency: int | None = None, priority: int | Literal["low", "normal", "high"] | None = None, durable: bool | None = None, hooks: bool | None = None) -> Any:
        """Loads images into the caches.
        A failed item does not stop the group. The group ends with `{finished, skipped, errors: [{index, error}]}`.
        `skipped` counts failed and cancelled items. `errors` has at most 4 MiB; from the item `next` on, `group.get` has the others.

        - `urls`: The URLs to load. Either `urls` or `items`.
        - `items`: ImageRequests to load.
        - `concurrency`: How many items run at once. 1 to 1000. Default: `3`.
        - `priority`: The priority of items that name none. Default: `"low"`.
        - `durable`: See Durable.
        - `hooks`: Whether this connection gets `group.hook`. Default: `false`.

        Answers `{group, durable?}`.
        """
        return await self._call("prefetch.start", {"urls": urls, "items": items, "concurrency": concurrency, "priority": priority, "durable": durable, "hooks": hooks})

    async def batch_start(self, *, items: Sequence[Request], mode: Literal["failFast", "settleAll"] | None = None, concurrency: int | None = None, durable: bool | None = None, hooks: bool | None = None) -> Any:
        """Loads many images as one group, with results in the order of the items.
        With failFast, the first failure cancels the other items and fails the group.
        With settleAll, the group succeeds when all items have ended, failed ones too.

        - `items`: ImageRequests to load.
        - `mode`: How the group treats a failed item. Default: `"failFast"`.
        - `concurrency`: How many items run at once. 1 to 1000. Default: `64`.
        - `durable`: See Durable.
        - `hooks`: Whether this connection gets `group.hook`. Default: `false`.

        Answers `{group, durable?}`.
        """
        return await self._call("batch.start", {"items": items, "mode": mode, "concurrency": concurrency, "durable": durable, "hooks": hooks})

    async def chain_start(self, *, steps: Sequence[Request], durable: bool | None = None, hooks: bool | None = None) -> Any:
        """Loads images one after the other: a step starts after the step before has succeeded.
        In any text of a step, `${steps[n].source.finalURL}` stands for that member of the ImageResult of step n, counted from 0.
        A text that is only a reference becomes the value itself, with its type. Members that `group.get` leaves out cannot be referenced.
        A step fails if a reference does not resolve, or makes it larger than 4 MiB or deeper than 64 levels.

        - `steps`: ImageRequests, in order.
        - `durable`: See Durable.
        - `hooks`: Whether this connection gets `group.hook`. Default: `false`.

        Answers `{group, durable?}`.
        """
        return await self._call("chain.start", {"steps": steps, "durable": durable, "hooks": hooks})

    async def chain_append(self, *, group: str, steps: Sequence[Request], durable: bool | None = None) -> Any:
        """Adds steps to a chain that has not ended.

        - `group`: The group's id.
        - `steps`: ImageRequests with references.
        - `durable`: See Durable.

        Answers `{group, durable?}`.
        """
        return await self._call("chain.append", {"group": group, "steps": steps, "durable": durable})

    async def group_get(self, *, group: str, wait: float | None = None, from_: int | None = None, limit: int | None = None) -> Any:
        """Shows the state of a group and the results so far, for 24 hours after its end.
        `origins` counts results by their `from`. One answer has about 4 MiB of items and 8 MiB of inline data.
        If that, or `limit`, leaves items out, `next` is the `from` of the next call. `receipt.get` of an item has the members left out here.
        Errors come without `headers` and `body`.
        Results come without a `json` or `text` of more than 64 KiB, and without any of these or `userInfo` beyond 8 MiB in all.

        - `group`: The group's id.
        - `wait`: Seconds to wait for the end. 0 to 3600. Default: `0`.
        - `from_`: The first item in the answer. 0 to 10000. Default: `0`.
        - `limit`: The most items in the answer. 1 to 10000.

        Answers `{group, kind, state, finished, total, origins: {[from]: count}, results: [{index, state, receipt?, result? | error?}], failed?: {index, error}, reason?, next?}`; a prefetch has `skipped`, and no `result`.
        """
        return await self._call("group.get", {"group": group, "wait": wait, "from": from_, "limit": limit})

    async def group_cancel(self, *, group: str) -> Any:
        """Ends a group as cancelled and cancels its receipts. Fetches that other receipts want go on. A repeated call answers the same.

        - `group`: The group's id.

        Answers `{cancelled, reason?: "finished"|"unknown"}`.
        """
        return await self._call("group.cancel", {"group": group})

    async def queue_list(self) -> list[QueueInfo]:
        """Shows all queues.

        Answers an array of QueueInfo.
        Needs the role `admin` where tokens are required.
        """
        return [QueueInfo.from_json(one) for one in await self._call("queue.list", {})]

    async def queue_get(self, *, queue: str) -> QueueInfo:
        """Shows one queue.

        - `queue`: The queue's name.

        Answers QueueInfo.
        Needs the role `admin` where tokens are required.
        """
        return QueueInfo.from_json(await self._call("queue.get", {"queue": queue}))

    async def queue_configure(self, *, queue: str, order: Literal["fifo", "lifo"] | None = None, max_concurrent: int | None = None, max_concurrent_per_host: int | None = None, host_limits: Mapping[str, int] | None = None, max_queued: int | None = None, shards: int | None = None) -> QueueInfo:
        """Changes a queue, or creates it.
        Takes effect at the next claim, everywhere. There are at most 1,000 queues.
        At the limit, old ones without content, settings and workers are removed: configured over an hour ago, and not used for 49 hours or never.

        - `queue`: The queue's name.
        - `order`: The order of requests that name none, waiting ones too.
        - `max_concurrent`: The most running fetches. Default: 64. 1 to 100000.
        - `max_concurrent_per_host`: The most running fetches of one host.
          Default: 6.
          A fetch counts for its first URL whose host is not throttled, not for later mirrors and redirects. 1 to 100000.
        - `host_limits`: `maxConcurrentPerHost` for single hosts, without port. Replaces the whole map and wins over limits of rules.
        - `max_queued`: The most waiting fetches; further ones are `overloaded`. Default: --max-queued. 1 to 10000000.
        - `shards`: The number of its shards, given once. Default: 1. 1 to 64.

        Answers QueueInfo.
        Needs the role `admin` where tokens are required.
        """
        return QueueInfo.from_json(await self._call("queue.configure", {"queue": queue, "order": order, "maxConcurrent": max_concurrent, "maxConcurrentPerHost": max_concurrent_per_host, "hostLimits": host_limits, "maxQueued": max_queued, "shards": shards}))

    async def queue_pause(self, *, queue: str) -> QueueInfo:
        """Pauses a queue: no new claims; running fetches go on.

        - `queue`: The queue's name.

        Answers QueueInfo.
        Needs the role `admin` where tokens are required.
        """
        return QueueInfo.from_json(await self._call("queue.pause", {"queue": queue}))

    async def queue_resume(self, *, queue: str) -> QueueInfo:
        """Ends the pause of a queue.

        - `queue`: The queue's name.

        Answers QueueInfo.
        Needs the role `admin` where tokens are required.
        """
        return QueueInfo.from_json(await self._call("queue.resume", {"queue": queue}))

    async def queue_cancel_all(self, *, queue: str) -> QueueInfo:
        """Cancels every receipt of a queue and stops running fetches.

        - `queue`: The queue's name.

        Answers QueueInfo.
        Needs the role `admin` where tokens are required.
        """
        return QueueInfo.from_json(await self._call("queue.cancelAll", {"queue": queue}))

    async def dead_list(self, *, queue: str, limit: int | None = None, cursor: str | None = None) -> Any:
        """Lists the dead letters of a queue, newest first: fetches without attempts left, and fetches that killed two workers. Kept for a week.

        - `queue`: The queue's name.
        - `limit`: The most entries in one answer. 1 to 1000. Default: `100`.
        - `cursor`: Where the answer before has stopped.

        Answers `{items: [{id, url, error, attempts, at, retryable}], cursor?}`.
        Needs the role `admin` where tokens are required.
        """
        return await self._call("dead.list", {"queue": queue, "limit": limit, "cursor": cursor})

    async def dead_retry(self, *, queue: str, ids: Sequence[str]) -> Any:
        """Queues dead letters again, each under the receipt `retry-ID`, and removes them from the list.
        Those that are not `retryable` stay: only their URL is kept.
        Their fetch had more than 64 KiB, credentials, a body, a signed URL, or a header other than Accept, Accept-Language and User-Agent.

        - `queue`: The queue's name.
        - `ids`: Ids of dead letters.

        Answers `{retried}`.
        Needs the role `admin` where tokens are required.
        """
        return await self._call("dead.retry", {"queue": queue, "ids": ids})

    async def dead_remove(self, *, queue: str, ids: Sequence[str]) -> Any:
        """Removes dead letters.

        - `queue`: The queue's name.
        - `ids`: Ids of dead letters.

        Answers `{removed}`.
        Needs the role `admin` where tokens are required.
        """
        return await self._call("dead.remove", {"queue": queue, "ids": ids})

    async def workers_list(self) -> Any:
        """Lists the workers with a recent heartbeat. `missingQueues` names queues that a worker serves and that do not exist.

        Answers `[{id, host, slots, running, rssBytes, pixels?: {processes, busy, waiting}, seenSeconds, state, missingQueues?}]`.
        Needs the role `admin` where tokens are required.
        """
        return await self._call("workers.list", {})

    async def workers_quiet(self, *, worker: str, quiet: bool | None = None) -> Any:
        """Makes a worker claim nothing new; its running fetches go on.

        - `worker`: The id of the worker, from `workers.list`.
        - `quiet`: false: the worker claims again. Default: `true`.

        Answers `{worker, quiet}`.
        Needs the role `admin` where tokens are required.
        """
        return await self._call("workers.quiet", {"worker": worker, "quiet": quiet})

    async def cache_contains(self, *, key: str | None = None, request: Request | None = None, tier: Tier | None = None) -> Any:
        """Lists the tiers that have an image, or all renditions of a request; the tier sources, if it has the source.

        - `key`: The key of a result or source.
        - `request`: A request, instead of its members beside the others.
        - `tier`: One tier. Default: all tiers.

        Answers `{tiers: [tier]}`.
        """
        return await self._call("cache.contains", {"key": key, "request": request, "tier": tier})

    async def cache_get(self, *, key: str | None = None, request: Request | None = None, tier: Tier | None = None) -> ImageResult:
        """Reads an image from the cache; never makes or fetches one. A miss gives its `reason`.

        - `key`: The key of a result or source.
        - `request`: A request, instead of its members beside the others.
        - `tier`: One tier. Default: memory, then results.

        Answers ImageResult with a null `receipt`; with `deliver: inline` the bytes too.
        """
        return ImageResult.from_json(await self._call("cache.get", {"key": key, "request": request, "tier": tier}))

    async def cache_put(self, *, data: str, key: str | None = None, request: Request | None = None, tier: Tier | None = None, ttl: float | None = None) -> Any:
        """Stores your bytes as the one rendition of a request, as if the service had made them.
        The picture's header gives format, size and frames. The tier sources refuses a request with `fetch.decrypt`.
        For more than 8 MiB, use `PUT /images/{key}` with `tier`, `ttl` and `queue` in the query, and metadata in headers `Tintype-Meta-…`.

        - `data`: The bytes in base64.
        - `key`: The key of a result or source.
        - `request`: A request, instead of its members beside the others.
        - `tier`: One tier. Default: memory and results.
        - `ttl`: Seconds to keep the bytes. Default: one hour; 0 or negative: not kept. -1 to 31536000.

        Answers `{key, bytes}`.
        Needs the role `put` where tokens are required.
        """
        return await self._call("cache.put", {"data": data, "key": key, "request": request, "tier": tier, "ttl": ttl})

    async def cache_set_metadata(self, *, key: str | None = None, request: Request | None = None) -> Any:
        """Replaces the metadata of stored results; without `metadata`, removes it. Stops at the first missing rendition; those before are changed.

        - `key`: The key of a result or source.
        - `request`: A request, instead of its members beside the others.

        Answers `{changed}`.
        Needs the role `put` where tokens are required.
        """
        return await self._call("cache.setMetadata", {"key": key, "request": request})

    async def cache_remove(self, *, key: str | None = None, request: Request | None = None, tier: Tier | None = None) -> Any:
        """Removes an image, or all renditions of a request and its source, from the tiers and the memory of all coordinators.
        Results of other requests for the same URL stay until they expire.

        - `key`: The key of a result or source.
        - `request`: A request, instead of its members beside the others.
        - `tier`: One tier. Default: all tiers.

        Answers `{removed, bytes}`.
        Needs the role `put` where tokens are required.
        """
        return await self._call("cache.remove", {"key": key, "request": request, "tier": tier})

    async def cache_purge(self, *, url: str | None = None, prefix: str | None = None, tag: str | None = None, scope: str | None = None) -> Any:
        """Removes everything from a URL, from URLs with a prefix, or with a tag, in all queues and stores.
        Give exactly one. Nothing keeps the results of runs under way. A token with a scope purges only its own tags.

        - `url`: A source's URL, without signature.
        - `prefix`: The beginning of URLs, the slash behind the host included. No character is special.
        - `tag`: A tag of `cache.tags`.
        - `scope`: The scope of `tag`.

        Answers `{results, sources, fetches}`: how many it hit; of sources, those that it removed at once.
        Needs the role `put` where tokens are required.
        """
        return await self._call("cache.purge", {"url": url, "prefix": prefix, "tag": tag, "scope": scope})

    async def cache_pin(self, *, key: str | None = None, request: Request | None = None) -> Any:
        """Pins results: until they expire, a folder store does not remove them for its limits.
        It keeps at most maxPinned bytes of them (in its URL), the most recently read first. Other stores remove none early.

        - `key`: The key of a result or source.
        - `request`: A request, instead of its members beside the others.

        Answers `{pinned}`: how many the store has.
        Needs the role `put` where tokens are required.
        """
        return await self._call("cache.pin", {"key": key, "request": request})

    async def cache_unpin(self, *, key: str | None = None, request: Request | None = None) -> Any:
        """Unpins results.

        - `key`: The key of a result or source.
        - `request`: A request, instead of its members beside the others.

        Answers `{unpinned}`: how many the store has.
        Needs the role `put` where tokens are required.
        """
        return await self._call("cache.unpin", {"key": key, "request": request})

    async def cache_trim(self, *, tier: Tier | None = None) -> Any:
        """Removes expired entries and entries above the limits, as each tier does by itself.

        - `tier`: One tier. Default: all tiers.

        Answers `{removed, bytes}`.
        Needs the role `admin` where tokens are required.
        """
        return await self._call("cache.trim", {"tier": tier})

    async def cache_clear(self, *, tier: Tier | None = None) -> Any:
        """Empties one tier or all, and the memory of all coordinators.

        - `tier`: One tier. Default: all tiers.

        Answers `{removed, bytes}`.
        Needs the role `admin` where tokens are required.
        """
        return await self._call("cache.clear", {"tier": tier})

    async def cache_stats(self, *, tier: Tier | None = None, max_age: float | None = None) -> Any:
        """Shows each tier's size. Results kept only for their URL do not count; in a bucket they do until `cache.trim`.

        - `tier`: One tier. Default: all tiers.
        - `max_age`: Seconds for which an earlier count will do. 0 to 86400. Default: `0`.

        Answers `{tier: {count, bytes, capacity}}`.
        Needs the role `admin` where tokens are required.
        """
        return await self._call("cache.stats", {"tier": tier, "maxAge": max_age})

    async def blacklist_list(self, *, queue: str | None = None, limit: int | None = None, cursor: str | None = None) -> Any:
        """Lists the blacklisted sources, those with the latest `until` first.

        - `queue`: One queue. Default: all queues.
        - `limit`: The most entries in one answer. 1 to 1000. Default: `100`.
        - `cursor`: Where the answer before has stopped.

        Answers `{items: [{id, queue, url, cause, status?, refuses, since, until}], cursor?}`. `refuses`: all requests of the queue, or only pictures.
        Needs the role `admin` where tokens are required.
        """
        return await self._call("blacklist.list", {"queue": queue, "limit": limit, "cursor": cursor})

    async def blacklist_remove(self, request: Request | None = None, *, id: str | None = None, ids: Sequence[str] | None = None) -> Any:
        """Removes sources from the blacklist, by id or by ImageRequest. Only `url`, `urls`, `fetch`, `cache.scope` and `queue` of the request count.

        - `id`: The id of an entry.
        - `ids`: Several ids, instead of `id`.

        Answers `{removed}`.
        Needs the role `admin` where tokens are required.
        """
        return await self._call("blacklist.remove", {**(request.to_json() if request else {}), "id": id, "ids": ids})

    async def blacklist_clear(self, *, queue: str | None = None) -> Any:
        """Empties the blacklist.

        - `queue`: One queue. Default: all queues.

        Answers `{removed}`.
        Needs the role `admin` where tokens are required.
        """
        return await self._call("blacklist.clear", {"queue": queue})

    async def events_subscribe(self, *, receipts: Sequence[str] | None = None, groups: Sequence[str] | None = None, queue: str | None = None, workers: bool | None = None, activity: bool | None = None) -> Any:
        """Sends events of other clients to this connection: `image.event`, `group.event`, `workers.changed` and `activity.changed`.

        - `receipts`: All events of these receipts.
        - `groups`: All events of these groups.
        - `queue`: The terminal events of this queue's receipts.
        - `workers`: Whether to report workers whose state changes. Default: `false`.
        - `activity`: Whether to report changes of `active`, see `activity.get`. Default: `false`.

        Answers `{subscription}`.
        Needs the role `admin` where tokens are required.
        """
        return await self._call("events.subscribe", {"receipts": receipts, "groups": groups, "queue": queue, "workers": workers, "activity": activity})

    async def events_unsubscribe(self, *, subscription: str) -> Any:
        """Ends a subscription of this connection.

        - `subscription`: The id from `events.subscribe`.

        Answers `{removed}`.
        """
        return await self._call("events.unsubscribe", {"subscription": subscription})

    async def activity_get(self) -> Any:
        """Shows whether this coordinator has work, for an activity indicator.
        `running` counts accepted receipts that have not ended and still have a client, and work from `activity.begin`.
        Answers from a cache, requests with `activity: false` and the contents of paused queues (noticed after at most 2 s) do not count.
        `fleet` is this number for all coordinators, up to 4 s old for the others; a stopped one counts until its lease ends.
        By default, `active` becomes true 1 s after the first work, if there is work then, and false 0.17 s after the last.
        `activity.changed` reports each change once.

        Answers `{active, running, fleet}`.
        """
        return await self._call("activity.get", {})

    async def activity_begin(self) -> Any:
        """Counts the client's own work as work of this coordinator, until `activity.end` or the end of the connection: at most 100 at once.

        Answers `{activity}`, the id for `activity.end`.
        """
        return await self._call("activity.begin", {})

    async def activity_end(self, *, activity: str) -> Any:
        """Ends work that this connection began with `activity.begin`.

        - `activity`: The id from `activity.begin`.

        Answers `{ended}`: false if there is no work with that id.
        """
        return await self._call("activity.end", {"activity": activity})

    async def system_ping(self) -> Any:
        """Answers at once, without asking Redis.

        Answers `"pong"`.
        """
        return await self._call("system.ping", {})

    async def system_info(self) -> Any:
        """Shows uptime and limits of this coordinator, and the client that asks.
        `coordinators` is the number of live ones. Only an admin sees `version`, `versions`, `rpc`, `redis` and the host of `http`.
        `identity` has the `name`, `role`, `scope` and `queues` of the client's token or certificate.
        For a name with limits it also has `limits`, and in `left` how much of them is left here: `burst`, `running`, `queued` and `uploads` in bytes.

        Answers `{version?, versions?, coordinator, coordinators, uptime, rpc?, http, limits, redis?, identity, state}`.
        """
        return await self._call("system.info", {})

    async def system_validate(self) -> Any:
        """Checks every invariant of every queue in Redis, page by page, so that other work goes on.
        One check runs at a time; clients that ask meanwhile get its answer.

        Answers `{ok, violations: []}`: a sentence for each broken invariant, at most 1,000.
        Needs the role `admin` where tokens are required.
        """
        return await self._call("system.validate", {})

    async def session_authenticate(self, *, token: str) -> Any:
        """Authenticates this connection with a token. Where the operator requires tokens, other methods fail before this call.

        - `token`: The token.

        Answers `{ok: true, role}`.
        """
        return await self._call("session.authenticate", {"token": token})

    async def rpc_discover(self) -> Any:
        """Describes this interface.

        Answers an OpenRPC 1.3 document.
        """
        return await self._call("rpc.discover", {})

    async def stats_series(self, *, step: int | None = None, since: int | None = None) -> Any:
        """Shows what all coordinators and workers did.
        A point is a second of the last 15 minutes, or 15 seconds or a minute of the last day.
        The `time` of a point is the whole second before its end, in seconds since 1970.
        Its `seconds` is the covered time; it differs from `step` after a change of the clock or a pause of the coordinator.
        Its `counts` and `errors` are by name; errors of 0 are left out.
        Its `phases` have `count`, `sum`, `p50`, `p95` and `p99` in seconds, by the histograms of all processes together.
        Their `buckets` are that histogram: the place of the first bucket that is not 0, then the counts from there on.
        The `bounds` are the upper ends of all buckets; a time above the last one is in `count` alone.
        Histograms of several points add up, and quantiles do not.
        The `formats` have `bytes` of results, and the bytes `ofSources` from which these were made.
        Numbers may have fractions: totals come every 3 s, and are spread. A coordinator knows nothing from before its start.
        A process tells nothing of its first seconds, before its first heartbeat.

        - `step`: The seconds of a point: 1, 15 or 60. 1 to 60. Default: `1`.
        - `since`: Only points that end after this time. The `time` of a known point may leave out a second. 0 to 9999999999. Default: `0`.

        Answers `{step, bounds, points: [{time, seconds, counts, phases, errors, formats}]}`.
        Needs the role `admin` where tokens are required.
        """
        return await self._call("stats.series", {"step": step, "since": since})

    async def runs_list(self, *, queue: str | None = None, limit: int | None = None) -> Any:
        """Lists the fetches that run, with their last known phase. Progress is there if a client wants progress. URLs have no parts that may be secret.

        - `queue`: One queue. Default: all queues.
        - `limit`: The most fetches. 1 to 1000. Default: `100`.

        Answers `{items: [{fetch, queue, url, host, worker, attempt, phase, startedSeconds, receivedBytes?, expectedBytes?, fraction?}]}`.
        Needs the role `admin` where tokens are required.
        """
        return await self._call("runs.list", {"queue": queue, "limit": limit})

    async def hosts_list(self, *, queue: str | None = None, limit: int | None = None) -> Any:
        """Lists the hosts with running fetches, those that are held until a time, and those with failures that `failures.list` knows.
        The busiest come first.

        - `queue`: One queue. Default: all queues.
        - `limit`: The most hosts. 1 to 1000. Default: `100`.

        Answers `{items: [{host, queue, running, limit, heldUntil?, failed}]}`.
        Needs the role `admin` where tokens are required.
        """
        return await self._call("hosts.list", {"queue": queue, "limit": limit})

    async def pictures_list(self, *, limit: int | None = None, host: str | None = None, after: str | None = None, tag: str | None = None, scope: str | None = None, cursor: str | None = None) -> Any:
        """Lists the latest 1,000 results, the newest first.
        The coordinator begins to listen with the first call, and stops two minutes after the last one.
        Some are left out where more than 20 results come in a second.
        The page's own requests have the `tag` `dashboard`, and are left out here and in `failures.list`.
        With `tag` it lists all results with this tag of `cache.tags` that the index of any queue still has, those that may stay longest first.
        These have no `receipt`, `from` and `timings`.
        No index is by host, so `host` only chooses among these results: a page may be empty and have a `cursor` all the same.

        - `limit`: The most results. Those of one receipt come together, even above it. 1 to 400. Default: `50`.
        - `host`: Only results of sources at this host.
        - `after`: The receipt of a result: only older ones. Not with `tag`.
        - `tag`: Only results with this tag.
        - `scope`: The scope of `tag`.
        - `cursor`: Where the answer before has stopped.

        Answers `{items: [{receipt?, queue, url, host, finishedAt, from?, sourceBytes, key, format, width, height, bytes, blurhash?, thumbhash?, color?, timings?}], cursor?}`.
        Needs the role `admin` where tokens are required.
        """
        return await self._call("pictures.list", {"limit": limit, "host": host, "after": after, "tag": tag, "scope": scope, "cursor": cursor})

    async def pictures_get(self, *, key: str) -> Any:
        """Shows the operations that made a result in a cache, in their canonical form.
        URLs have no parts that may be secret. With more than 2048 bytes, only their names are there.
        Null: the bytes came as they are, or an earlier version has made them.

        - `key`: The key of a result.

        Answers `{key, operations}`.
        Needs the role `admin` where tokens are required.
        """
        return await self._call("pictures.get", {"key": key})

    async def pictures_url(self, *, url: str, transform: Sequence[Operation] | None = None, output: Output | None = None) -> Any:
        """Makes the URL of a picture for the picture door of this coordinator, signed with its first pair of keys.
        The path is good there until the pair goes. Nothing is loaded. A picture that no such URL shows is refused with the operation or the member.
        `signed` is false where the door has no keys.

        - `url`: The URL of the source, as for `image.load`.
        - `transform`: The operations, in order. Default: `[]`.
        - `output`: How to encode the result.

        Answers `{path, signed}`.
        Needs the role `admin` where tokens are required.
        """
        return await self._call("pictures.url", {"url": url, "transform": transform, "output": output})

    async def failures_list(self, *, limit: int | None = None) -> Any:
        """Lists the latest failures by error, status and host, the latest first.
        The coordinator listens as for `pictures.list`. The `sample` is the last of them.
        If no decoder could read the source, `received` shows what came. A download whose type is refused ends at its head, before any byte.
        Its `start` has the first 64 bytes in hexadecimal digits, and its `format` is what they look like.
        No bytes of a source with credentials are there. The `crashes` are the latest 10 pictures that killed a pixel process, with their digests.
        Clients find `received` in the data of the error too.

        - `limit`: The most groups. 1 to 200. Default: `50`.

        Answers `{items: [{error, status?, host, queue, count, lastAt, sample: {receipt, url, message, status?, received?: {start?, format?, sha256?}}, crashes?: [{sha256, url, at}]}]}`.
        Needs the role `admin` where tokens are required.
        """
        return await self._call("failures.list", {"limit": limit})

    async def failures_retry(self, *, error: str, host: str, status: int | None = None, queue: str | None = None, limit: int | None = None) -> Any:
        """Asks again for the sources of one group of `failures.list`.
        Its dead letters are queued as by `dead.retry`, the latest first.
        Its other sources leave the blacklist, so that the next request for them asks their origin: Redis keeps no fetch of them.
        At most 2,000 entries of the blacklist of each queue are looked at.

        - `error`: The name of the error.
        - `host`: The host.
        - `status`: The HTTP status. Default: any, or none. 100 to 599.
        - `queue`: One queue. Default: all queues.
        - `limit`: The most sources. 1 to 1000. Default: `100`.

        Answers `{retried, pardoned}`.
        Needs the role `admin` where tokens are required.
        """
        return await self._call("failures.retry", {"error": error, "host": host, "status": status, "queue": queue, "limit": limit})


__all__ = [
    "Animate", "Autorotate", "Background", "BasicAuth", "BearerAuth", "Blend", "Blur", "Border", "Cache", "CachePolicy", "Cached", "Callback", "Cancelled",
    "Cause", "Composite", "Corner", "CornerBorder", "Crop", "Decode", "DigestAuth", "Duotone", "ErrorName", "Event", "Extend", "FailOn", "Failed",
    "FallbackColor", "FallbackKey", "FallbackURL", "Fetch", "Fit", "Flip", "Format", "Frames", "Grayscale", "HTTPMethod", "ImageResult", "Inset", "Invert",
    "Kernel", "Kind", "Mask", "Methods", "Modulate", "Offsets", "Operation", "Output", "Pad", "Paused", "Phase", "Pixelate", "Place", "Point", "Preset",
    "Preview", "PreviewPace", "Progress", "ProgressPace", "Qualities", "QueueInfo", "QueueLimits", "Queued", "Redirects", "Rendered", "Rendition",
    "RenditionInfo", "Request", "RequestOptions", "Require", "Resize", "Response", "Resumed", "Retry", "Retrying", "Rotate", "RoundCorners", "SampleRect",
    "Samples", "SaveTo", "SavedFile", "Scale", "Sepia", "Sharpen", "SourceFormat", "SourceInfo", "Started", "Succeeded", "Symmetric", "TLS", "Text", "Tier",
    "Tiles", "Timeouts", "Timings", "Tint", "Trait", "Trim"
]
