// The types, methods and errors of Tintype, made from the descriptions that validate requests.
// `tintype docs clients --language typescript` writes this file: change the descriptions, not the file.

import type { Answers, Json } from "./answers.ts";

/** The errors by their names: the code of JSON-RPC, and whether the same request may succeed soon. */
export const errors = {
  /** The message is not JSON, or nested deeper than 64 levels. */
  parseError: { code: -32700, retryable: false },
  /** The message is JSON but no request, or longer than the limit. */
  invalidRequest: { code: -32600, retryable: false },
  /** No such method. */
  methodNotFound: { code: -32601, retryable: false },
  /** A parameter is wrong: `path`, `value` and `expected`. Texts are not repeated, but for misspelled words. */
  invalidParams: { code: -32602, retryable: false },
  /** A fault of the service; its log has the details. */
  internal: { code: -32603, retryable: true },
  /** The URL cannot be parsed, or is relative. */
  invalidURL: { code: 1001, retryable: false },
  /** The scheme, address or host is refused by the operator's policy. */
  denied: { code: 1002, retryable: false },
  /** The source failed before and is blacklisted: `cause`, `since`, `until`. */
  blacklisted: { code: 1003, retryable: false },
  /** The origin's status is not acceptable: `status`, `host` (which answered), `headers` (without cookies, challenges and secrets, at most 8 KiB), `body` (an excerpt). */
  httpStatus: { code: 1010, retryable: false },
  /** The origin's content type is not acceptable. */
  contentType: { code: 1011, retryable: false },
  /** The body is not JSON, or has another shape. */
  jsonInvalid: { code: 1012, retryable: false },
  /** The host's name cannot be resolved. */
  dns: { code: 1013, retryable: true },
  /** No connection to the origin. */
  connect: { code: 1014, retryable: true },
  /** The TLS handshake or the certificate failed. */
  tls: { code: 1015, retryable: false },
  /** Too slow: `which` is connect, idle, total, rate, decode…. */
  timeout: { code: 1016, retryable: true },
  /** The connection broke before the end of the body. */
  connectionLost: { code: 1017, retryable: true },
  /** The origin refused the credentials. */
  authFailed: { code: 1018, retryable: false },
  /** More redirects than allowed. */
  tooManyRedirects: { code: 1019, retryable: false },
  /** The bytes are no picture, are broken, or do not meet `require`: `required`, `found`. */
  badImageData: { code: 1020, retryable: false },
  /** A known format that this build does not support. */
  unsupportedFormat: { code: 1021, retryable: false },
  /** A limit was exceeded: `limit`, and if known `value` and `allowed`. */
  limitExceeded: { code: 1022, retryable: false },
  /** An operation failed on this picture. */
  transformFailed: { code: 1023, retryable: false },
  /** The result could not be encoded. */
  encodeFailed: { code: 1024, retryable: false },
  /** The body could not be decrypted. */
  decryptFailed: { code: 1025, retryable: false },
  /** The result could not be stored. */
  storeFailed: { code: 1026, retryable: true },
  /** The body is not the text or XML asked for, or in a charset that is not read here: `charset`, `cause`. */
  textInvalid: { code: 1027, retryable: false },
  /** Not in the cache, and the origin must not be asked: `reason`. */
  cacheMiss: { code: 1030, retryable: false },
  /** The request was cancelled: `reason`, `phase`. */
  cancelled: { code: 1040, retryable: false },
  /** A newer request has the same supersede key (`slot`). */
  superseded: { code: 1041, retryable: false },
  /** Not finished within the request's deadline. */
  deadlineExceeded: { code: 1042, retryable: true },
  /** The workers of the fetch died, as often as allowed. */
  workerLost: { code: 1043, retryable: true },
  /**
   * The queue, Redis or another room is full: `retryAfter` seconds.
   * With `limit`, a limit of the client is used up: `perSecond`, `running` or `queued` of its name (`client`), or `wrongTokens` of its address.
   * `allowed` is the value of that limit, and HTTP answers 429.
   */
  overloaded: { code: 1050, retryable: true },
  /** The token is missing or wrong. */
  unauthenticated: { code: 1051, retryable: false },
  /** The operator does not allow the request. */
  forbidden: { code: 1052, retryable: false },
  /** This coordinator is stopping: connect again. */
  shuttingDown: { code: 1053, retryable: true },
  /** Redis cannot be reached, cannot write, or has keys of another schema: `retryAfter` seconds. */
  unavailable: { code: 1054, retryable: true },
  /** No such receipt, or no longer kept. */
  unknownReceipt: { code: 1060, retryable: false },
  /** No such group, or no longer kept. */
  unknownGroup: { code: 1061, retryable: false },
  /** No such queue: `queue.configure` creates one. */
  unknownQueue: { code: 1062, retryable: false },
} as const;

/** The name of an error. */
export type ErrorName = keyof typeof errors;

/** Where a request was when something happened. */
export type Phase = "admission" | "cache" | "queue" | "download" | "decode" | "transform" | "encode" | "store" | "deliver";

/** One of these words. */
export type Place = "center" | "top" | "topRight" | "right" | "bottomRight" | "bottom" | "bottomLeft" | "left" | "topLeft";

/** One of these words. */
export type Blend = "normal" | "multiply" | "screen" | "overlay" | "darken" | "lighten" | "colorDodge" | "colorBurn" | "hardLight" | "softLight" |
    "difference" | "exclusion" | "plusLighter" | "plusDarker" | "hue" | "saturation" | "color" | "luminosity";

/** One of these words. */
export type Fit = "contain" | "cover" | "coverDown" | "auto" | "fill" | "inside" | "outside" | "none";

/** One of these words. */
export type Kernel = "nearest" | "linear" | "cubic" | "mitchell" | "lanczos2" | "lanczos3";

/** One of these words. */
export type Symmetric = "none" | "horizontal" | "vertical" | "both";

/** One of these words. */
export type Corner = "topLeft" | "topRight" | "bottomRight" | "bottomLeft";

/** One of these words. */
export type Preset = "soft" | "light" | "extraLight" | "dark";

/** One of these words. */
export type HTTPMethod = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";

/** One of these words. */
export type CachePolicy = "default" | "reload" | "only" | "revalidate" | "refresh";

/** One of these words. */
export type Tier = "memory" | "results" | "sources";

/** One of these words. */
export type FailOn = "none" | "truncated" | "error" | "warning";

/** One of these words. */
export type Format = "auto" | "original" | "jpeg" | "png" | "webp" | "avif" | "gif" | "tiff" | "heif" | "jxl";

/** One of these words. */
export type SourceFormat = "jpeg" | "png" | "webp" | "avif" | "gif" | "tiff" | "heif" | "jxl" | "bmp" | "ico" | "icns" | "xbm" | "jp2" | "raw";

/** One of these words. */
export type Trait = "blurhash" | "thumbhash" | "dominantColor" | "palette" | "averageColor" | "phash" | "exif" | "animation" | "gainMap" | "hdr";

/** One of these words. */
export type Kind = "image" | "bytes" | "json" | "text" | "xml";

/** Changes the size. With one side given, the other follows. Never enlarges without `enlarge`. A side or a scale is given. */
export interface ResizeOperation {
  readonly op: "resize";
  /** The width of the box in pixels. 1 to 16384. */
  readonly width?: number;
  /** The height of the box in pixels. 1 to 16384. */
  readonly height?: number;
  /** The least width of the scaled picture in pixels. A given width or height then cuts, except with outside. 1 to 16384. */
  readonly minWidth?: number;
  /** The least height of the scaled picture. 1 to 16384. */
  readonly minHeight?: number;
  /** Device pixels for each pixel of width, height, minWidth and minHeight. 0.1 to 8. Default: `1`. */
  readonly dpr?: number;
  /** The factor on the box, or without a box on the picture's own size. Default: `1`. */
  readonly scale?: number | Scale;
  /** As `dpr`, by imgproxy's arithmetic. 0.01 to 100. */
  readonly density?: number;
  /**
   * How the picture gets the size.
   * `inside`: as large as fits into the box.
   * `outside`: as small as covers the box.
   * `contain`: inside, on a canvas of the box's size.
   * `cover`: fills the box; the overlap is cut off.
   * `coverDown`: as cover, but a picture smaller than the box is cut to the box's shape.
   * `auto`: cover if the picture and the box both stand or both lie, else inside.
   * `fill`: stretched to the box.
   * `none`: not scaled, but cut and put on a canvas.
   * Default: `"inside"`.
   */
  readonly fit?: Fit;
  /** The part to keep, or the place on the canvas. `attention` and `entropy` find a part to keep. Default: `"center"`. */
  readonly gravity?: Place | "attention" | "entropy" | Point | Offsets;
  /** Whether a smaller picture is enlarged. Default: `false`. */
  readonly enlarge?: boolean;
  /** The color behind the picture; for resize, on the free canvas of contain and none. Formats without alpha show it on white. Default: `"transparent"`. */
  readonly background?: string;
  /** The weights of pixels when a picture becomes smaller. Enlarging is bicubic, except with nearest and linear. Default: `"lanczos3"`. */
  readonly kernel?: Kernel;
  /** Averages light instead of encoded values: slower, but right for fine bright detail. Default: `false`. */
  readonly linear?: boolean;
}

/** Cuts a rectangle out, by x and y or by a gravity. Parts of the rectangle outside the picture are left out. */
export interface CropOperation {
  readonly op: "crop";
  /** The left edge. 0 to 16384. */
  readonly x?: number;
  /** The upper edge. 0 to 16384. */
  readonly y?: number;
  /** How wide; the whole width without it. One of width and height is required. 0 to 16384. */
  readonly width?: number;
  /** How high; the whole height without it. 0 to 16384. */
  readonly height?: number;
  /** The unit of the rectangle: pixels, or fractions from 0 to 1. Default: `"px"`. */
  readonly unit?: "px" | "fraction";
  /** The place of the rectangle without x and y. Default: `"center"`. */
  readonly gravity?: Place | "attention" | "entropy" | Point | Offsets;
}

/**
 * Cuts off edges of one color: that of the top left corner, unless one is named.
 * A transparent corner cuts off transparent edges. A picture of one color stays as it is. An animation loses the edge that all its frames share.
 * In a source with lossy compression (JPEG, AVIF, HEIF, most WebP), details one pixel thin count as noise.
 */
export interface TrimOperation {
  readonly op: "trim";
  /** How far a color may differ from that of the edge, of 255. 0 to 255. Default: `10`. */
  readonly threshold?: number;
  /** The color of the operation; for trim the color to cut off, by default that of the top left corner. */
  readonly color?: string;
  /** The pixels to leave around the kept part, where the picture has some. 0 to 16384. Default: `0`. */
  readonly margin?: number;
  /** Where opposite edges both lose as much as the smaller one: left and right (horizontal), top and bottom (vertical), or both. Default: `"none"`. */
  readonly symmetric?: Symmetric;
}

/** Adds pixels of a color at each edge. Negative numbers take pixels away, as inset does. */
export interface ExtendOperation {
  readonly op: "extend";
  /** The pixels at this edge. -16384 to 16384. Default: `0`. */
  readonly top?: number;
  /** The pixels at this edge. -16384 to 16384. Default: `0`. */
  readonly right?: number;
  /** The pixels at this edge. -16384 to 16384. Default: `0`. */
  readonly bottom?: number;
  /** The pixels at this edge. -16384 to 16384. Default: `0`. */
  readonly left?: number;
  /** The color of added pixels. Default: `"transparent"`. */
  readonly color?: string;
}

/** Takes pixels away at each edge. Negative numbers add pixels of a color, as extend does. */
export interface InsetOperation {
  readonly op: "inset";
  /** The pixels at this edge. -16384 to 16384. Default: `0`. */
  readonly top?: number;
  /** The pixels at this edge. -16384 to 16384. Default: `0`. */
  readonly right?: number;
  /** The pixels at this edge. -16384 to 16384. Default: `0`. */
  readonly bottom?: number;
  /** The pixels at this edge. -16384 to 16384. Default: `0`. */
  readonly left?: number;
  /** The color of added pixels. Default: `"transparent"`. */
  readonly color?: string;
}

/** Puts the picture on a canvas of at least this size, or of this shape. The picture is neither cut nor scaled. */
export interface PadOperation {
  readonly op: "pad";
  /** The smallest width of the canvas. 1 to 16384. */
  readonly width?: number;
  /** The smallest height of the canvas. 1 to 16384. */
  readonly height?: number;
  /** The width of the canvas divided by its height: 1 is square. The canvas grows on one side. 0.01 to 100. */
  readonly aspect?: number;
  /** The place of the picture on the canvas, with or without offsets. The picture stays inside. Default: `"center"`. */
  readonly gravity?: Place | Offsets;
  /** The color of the canvas. Default: `"transparent"`. */
  readonly color?: string;
}

/** Turns the picture clockwise around its middle. */
export interface RotateOperation {
  readonly op: "rotate";
  /** Degrees clockwise; negative numbers turn the other way. -3600 to 3600. */
  readonly angle: number;
  /** true: the canvas grows to contain the whole picture. false: the canvas keeps its size; the corners are lost. Default: `true`. */
  readonly expand?: boolean;
  /** The color beside the turned picture. Default: `"transparent"`. */
  readonly background?: string;
}

/** Mirrors the picture. */
export interface FlipOperation {
  readonly op: "flip";
  /** Swaps left and right. Default: `false`. */
  readonly horizontal?: boolean;
  /** Swaps top and bottom. Default: `false`. */
  readonly vertical?: boolean;
}

/** Rounds corners; the outside becomes transparent. A border runs along the inside of the edge. */
export interface RoundCornersOperation {
  readonly op: "roundCorners";
  /** The radius in pixels; for corners, at most half of the shorter side counts. 0 to 8192. */
  readonly radius: number;
  /** Which ones. Default: `["topLeft","topRight","bottomRight","bottomLeft"]`. */
  readonly corners?: readonly Corner[];
  /** The line along the edge, inside the picture. */
  readonly border?: CornerBorder;
}

/** Draws a line along the edges, inside the picture. */
export interface BorderOperation {
  readonly op: "border";
  /** The width of the line in pixels; less than half of the shorter side. 0 to 8192. */
  readonly width: number;
  /** The color of the line. Default: `"black"`. */
  readonly color?: string;
}

/** Keeps a shape in the middle of the picture, or the shape that another picture gives. Everything else becomes transparent; the size stays. */
export interface MaskOperation {
  readonly op: "mask";
  /** The shape to keep. circle: as large as fits; ellipse: touches all four edges. */
  readonly shape?: "circle" | "ellipse";
  /** The URL of another picture; for a mask, stretched over this one. Its transparency, or else its brightness, gives the shape. */
  readonly url?: string;
}

/** Lays another picture over this one. The size stays; parts outside are cut off. */
export interface CompositeOperation {
  readonly op: "composite";
  /** The URL of the other picture, as for a source. */
  readonly url: string;
  /** The place of the overlay: one of nine places, or a point in fractions for its middle. Default: `"center"`. */
  readonly gravity?: Place | Point | Offsets;
  /** Pixels between the left edges, instead of gravity. -16384 to 16384. */
  readonly x?: number;
  /** Pixels between the upper edges, instead of gravity. -16384 to 16384. */
  readonly y?: number;
  /** How the colors mix with those of the picture. Default: `"normal"`. */
  readonly blend?: Blend;
  /** 0 is invisible, 1 opaque. 0 to 1. Default: `1`. */
  readonly opacity?: number;
  /** Whether to repeat over the whole picture. Default: `false`. */
  readonly tile?: boolean | Tiles;
  /** The part of the picture's width and height to fit into. Default: its own size. 0.01 to 1. */
  readonly scale?: number;
}

/** Draws text over the picture. The size stays; parts outside are cut off. The text is plain, never markup. */
export interface TextOperation {
  readonly op: "text";
  /** The text to draw. */
  readonly text: string;
  /** The font family: one that `formats.list` names, in any case. Missing letters come from the other fonts. Default: `"sans"`. */
  readonly font?: string;
  /** The size of an em, in pixels. 4 to 1000. Default: `32`. */
  readonly size?: number;
  /** Bold letters. Default: `false`. */
  readonly bold?: boolean;
  /** Italic letters. Default: `false`. */
  readonly italic?: boolean;
  /** The color of the letters. Emoji have colors of their own. Default: `"black"`. */
  readonly color?: string;
  /** The place: one of nine, or a point in fractions for the middle. Default: center; with x or y, topLeft. */
  readonly gravity?: Place | Point | Offsets;
  /** Pixels inwards from the edge; from a middle or a point, to the right. -16384 to 16384. Default: `0`. */
  readonly x?: number;
  /** The same, down. -16384 to 16384. Default: `0`. */
  readonly y?: number;
  /** The opacity of the text and its background. 0 to 1. Default: `1`. */
  readonly opacity?: number;
  /** The width at which lines break: up to 1 a part of the picture's width, above that pixels. Default: lines do not break. 0.01 to 16384. */
  readonly width?: number;
  /** The alignment of lines; mirrored for text from right to left. Default: `"left"`. */
  readonly align?: "left" | "center" | "right";
  /** The height that is placed: `line`, of the font's lines, as in CSS; `ink`, of the letters. Default: `"line"`. */
  readonly valign?: "line" | "ink";
  /** The pixels between lines, beside those of the font. 0 to 1000. Default: `0`. */
  readonly spacing?: number;
  /** The color of a box behind the text. Default: none. */
  readonly background?: string;
  /** The pixels by which the background is larger on each side. 0 to 1000. Default: `0`. */
  readonly padding?: number;
  /** Degrees by which text and background turn clockwise. -3600 to 3600. Default: `0`. */
  readonly angle?: number;
  /** Whether to repeat the text over the whole picture, `padding` apart. Default: `false`. */
  readonly tile?: boolean | Tiles;
}

/** Puts the picture on a color, which replaces transparency. The command line calls this operation `--flatten`. */
export interface BackgroundOperation {
  readonly op: "background";
  /** The color behind the picture. Default: `"white"`. */
  readonly color?: string;
}

/** Blurs by the sigma of a Gaussian or the radius of three box blurs (as YYWebImage). Then changes the saturation, then lays a color over it. */
export interface BlurOperation {
  readonly op: "blur";
  /** The sigma of the Gaussian, in pixels. 0.3 to 250. */
  readonly sigma?: number;
  /** The radius in pixels, instead of sigma. Box sides are floor((radius · 3√(2π)/4 + 0.5) / 2), made odd. 0 to 250. */
  readonly radius?: number;
  /** The saturation: 0 is gray, 1 unchanged, 2 twice as colorful. Default for blur: 1, or that of the preset. -1 to 10. */
  readonly saturation?: number;
  /** The color laid over the result, as strong as its alpha. Default: none, or that of the preset. */
  readonly tint?: string;
  /** How the tint mixes with the picture. Default: `"normal"`. */
  readonly blend?: Blend;
  /** The URL of another picture, stretched over this one. Its transparency, or else its brightness, limits the blur. */
  readonly mask?: string;
  /**
   * A ready-made look.
   * `soft`: radius 60 under white 0.84 at 0.36.
   * `light`: 60, 1 at 0.3.
   * `extraLight`: 40, 0.97 at 0.82.
   * `dark`: 40, 0.11 at 0.73.
   * Saturation 1.8.
   */
  readonly preset?: Preset;
}

/** Sharpens the lightness, edges twice as much as flat areas. */
export interface SharpenOperation {
  readonly op: "sharpen";
  /** The width of an edge, in pixels. 0.3 to 10. Default: `1`. */
  readonly sigma?: number;
  /** The strength; 0 does nothing. For sharpen, the lightness, of 100, gains at most 10 and loses at most 20. 0 to 10. Default: `1`. */
  readonly amount?: number;
}

/** Replaces the picture by squares, each with the average color of its part, from the top left corner. */
export interface PixelateOperation {
  readonly op: "pixelate";
  /** The side of a square in pixels. 1 to 16384. Default: `10`. */
  readonly size?: number;
}

/** Changes brightness, contrast, saturation, hue and gamma, in this order, as the CSS filters of these names. */
export interface ModulateOperation {
  readonly op: "modulate";
  /** The factor of all colors: 0 is black. 0 to 10. Default: `1`. */
  readonly brightness?: number;
  /** The factor of the distance from middle gray: 0 is gray. 0 to 10. Default: `1`. */
  readonly contrast?: number;
  /** The saturation: 0 is gray, 2 twice as colorful. -1 to 10. Default: `1`. */
  readonly saturation?: number;
  /** Degrees by which colors turn on the color circle. -3600 to 3600. Default: `0`. */
  readonly hue?: number;
  /** The gamma: above 1 dark parts become lighter, below 1 darker. 0.1 to 10. Default: `1`. */
  readonly gamma?: number;
}

/** Makes the picture gray: saturation 0, with the weights 0.2126, 0.7152 and 0.0722 of red, green and blue. */
export interface GrayscaleOperation {
  readonly op: "grayscale";
}

/** Gives the brown of old photographs, as the CSS filter of this name. */
export interface SepiaOperation {
  readonly op: "sepia";
  /** 0 does nothing, 1 is full. 0 to 1. Default: `1`. */
  readonly amount?: number;
}

/** Replaces every color by its opposite, as in a negative. Transparency stays. */
export interface InvertOperation {
  readonly op: "invert";
}

/** Colors the picture. sourceIn: one color in the picture's shape. Other blends: the color mixed with the picture. */
export interface TintOperation {
  readonly op: "tint";
  /** The color; its alpha is the strength. */
  readonly color: string;
  /** How the color mixes with the picture. Default: `"sourceIn"`. */
  readonly blend?: Blend | "sourceIn";
}

/** Maps dark to one opaque color and light to another. */
export interface DuotoneOperation {
  readonly op: "duotone";
  /** The color for black. Default: `"black"`. */
  readonly shadow?: string;
  /** The color for white. Default: `"white"`. */
  readonly highlight?: string;
  /** 0 does nothing, 1 is full. 0 to 1. Default: `1`. */
  readonly amount?: number;
}

/**
 * Chooses frames of an animated picture: the picked ones, or the first ones.
 * Then reverses them, then changes their pace. A format that cannot move gets the first remaining frame.
 * All frames up to the last wanted one may have 2,000 million pixels.
 */
export interface FramesOperation {
  readonly op: "frames";
  /** The numbers of the frames, from 0, in this order. A frame may come twice. */
  readonly pick?: readonly number[];
  /** The number of frames to keep, from the first one. 1 to 65535. */
  readonly first?: number;
  /** Whether to reverse the order. Default: `false`. */
  readonly reverse?: boolean;
  /** The speed: 2 is twice as fast. A frame lasts at least 0.02 s and at most what the format can say. 0.01 to 100. Default: `1`. */
  readonly speed?: number;
}

/**
 * Makes an animation of this picture and others, or of the frames in this picture (a sprite sheet).
 * Later operations change each frame, earlier ones only this picture.
 * A format that cannot move gets the first frame; without a named format, the result is WebP.
 */
export interface AnimateOperation {
  readonly op: "animate";
  /** The URLs of the frames after this picture, as for a source. Each picture gets this picture's size; an animation gives its first frame. */
  readonly urls?: readonly string[];
  /** The columns of frames in this picture, instead of urls. Default: 1 with rows. 1 to 256. */
  readonly columns?: number;
  /** The rows of frames in this picture, instead of urls. Default: 1 with columns. 1 to 256. */
  readonly rows?: number;
  /** The number of frames in the sheet, row by row from the upper left one. Default: all. 1 to 65536. */
  readonly count?: number;
  /** Milliseconds for a frame: one number, or one for each frame. GIF counts in hundredths of a second. Default: `100`. */
  readonly delay?: number | readonly number[];
  /** How often the animation plays; 0: for ever. 0 to 65535. Default: `0`. */
  readonly loop?: number;
  /** How another picture gets the size. contain: whole, on a background; cover: cut; fill: stretched. Default: `"contain"`. */
  readonly fit?: "contain" | "cover" | "fill";
  /** The color where contain leaves the frame free. Default: `"transparent"`. */
  readonly background?: string;
}

/** Turns the picture upright by its EXIF orientation, before any other operation. On by default; name the operation only to switch it off. */
export interface AutorotateOperation {
  readonly op: "autorotate";
  /**
   * false: the pixels stay as they are stored.
   * HEIF and AVIF have a turn of their own in place of EXIF; their decoder always applies it. Default: `true`.
   */
  readonly enabled?: boolean;
}

/** One step that changes pixels. */
export type Operation = ResizeOperation | CropOperation | TrimOperation | ExtendOperation | InsetOperation | PadOperation | RotateOperation |
    FlipOperation | RoundCornersOperation | BorderOperation | MaskOperation | CompositeOperation | TextOperation | BackgroundOperation | BlurOperation |
    SharpenOperation | PixelateOperation | ModulateOperation | GrayscaleOperation | SepiaOperation | InvertOperation | TintOperation | DuotoneOperation |
    FramesOperation | AnimateOperation | AutorotateOperation;

/** A value of `scale`. */
export interface Scale {
  /** The factor of the width. 0.01 to 100. */
  readonly width: number;
  /** The factor of the height. 0.01 to 100. */
  readonly height: number;
}

/** A value of `gravity`. */
export interface Point {
  /** The place from the left edge, as a fraction. 0 to 1. */
  readonly x: number;
  /** The place from the upper edge, as a fraction. 0 to 1. */
  readonly y: number;
}

/** A value of `gravity`. */
export interface Offsets {
  /** The place before the offsets count. */
  readonly place: Place;
  /**
   * The distance from the left or right edge of the place, or to the right from the middle.
   * Below 1 a part of the whole width, otherwise pixels. -16384 to 16384. Default: `0`.
   */
  readonly offsetX?: number;
  /**
   * The distance from the upper or lower edge of the place, or down from the middle.
   * Below 1 a part of the whole height, otherwise pixels. -16384 to 16384. Default: `0`.
   */
  readonly offsetY?: number;
}

/** A value of `border`. */
export interface CornerBorder {
  /** The width of the line in pixels; less than half of the shorter side. 0 to 8192. */
  readonly width: number;
  /** The color of the line. Default: `"black"`. */
  readonly color?: string;
  /** How the lines meet in a corner without rounding. Default: `"miter"`. */
  readonly join?: "miter" | "round" | "bevel";
}

/** A value of `tile`. */
export interface Tiles {
  /** The gap between two columns. 0 to 16384. Default: `0`. */
  readonly gapX?: number;
  /** The gap between two rows. 0 to 16384. Default: `0`. */
  readonly gapY?: number;
}

/** A value of `auth`. */
export interface BasicAuth {
  /** User and password. */
  readonly basic: readonly string[];
}

/** A value of `auth`. */
export interface DigestAuth {
  /** User and password. */
  readonly digest: readonly string[];
}

/** A value of `auth`. */
export interface BearerAuth {
  /** A token. */
  readonly bearer: string;
}

/** A value of `timeouts`. */
export interface Timeouts {
  /** Seconds until the connection is open. 0.001 to 86400. Default: `10`. */
  readonly connect?: number;
  /** Seconds without a byte. 0.001 to 86400. Default: `15`. */
  readonly idle?: number;
  /** Seconds for the whole download. The deadline of the request, 30 by default, may end the download before. 0.001 to 86400. Default: `60`. */
  readonly total?: number;
}

/** A value of `redirects`. */
export interface Redirects {
  /** The most redirects to follow. 0 to 50. Default: `5`. */
  readonly max?: number;
  /** true: a redirect to another host is denied. Default: `false`. */
  readonly sameHost?: boolean;
}

/** A value of `tls`. */
export interface TLS {
  /** Public keys of which the certificate chain must have one, as curl takes them (SHA-256 of the DER). Every URL must then be https. Default: `[]`. */
  readonly pinnedPublicKeys?: readonly string[];
  /** true: accepts any certificate. Forbidden unless --allow-invalid-tls. Default: `false`. */
  readonly allowInvalid?: boolean;
}

/** A value of `retry`. */
export interface Retry {
  /** The most runs, the first one included. 1 to 20. Default: `3`. */
  readonly attempts?: number;
  /** Seconds before the first repetition. Doubles each time, with jitter. 0 to 3600. Default: `0.5`. */
  readonly base?: number;
  /** The most seconds between two runs. 0 to 86400. Default: `30`. */
  readonly max?: number;
  /**
   * The failures to retry; a failure in the list is not blacklisted.
   * Default: dns, connect, timeout, connectionLost, httpStatus. Requests with different lists share no download.
   */
  readonly on?: readonly string[];
}

/** `fetch` of a request: how to download the source. */
export interface FetchOptions {
  /** The HTTP method. A transient failure repeats any method, see `retry`. Default: `"GET"`. */
  readonly method?: HTTPMethod;
  /**
   * Request headers, part of the source's key.
   * At most 64.
   * Refused are headers that frame the message or concern one connection (connection, content-length, expect, host, http2-settings, keep-alive, proxy-connection, range, te, trailer, transfer-encoding, upgrade), headers that servers inside a network trust (cf-connecting-ip, fastly-client-ip, forwarded, metadata, metadata-flavor, proxy-*, true-client-ip, via, x-aliyun-ecs-metadata-token, x-aws-ec2-metadata-*, x-client-ip, x-cluster-client-ip, x-forwarded-*, x-google-metadata-request, x-http-method, x-http-method-override, x-metadata-token, x-method-override, x-original-host, x-original-uri, x-original-url, x-real-ip, x-rewrite-url) and names with _.
   * A rule may set the latter two kinds.
   */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Parameters, percent-encoded.
   * An array gives one parameter for each value.
   * POST, PUT and PATCH without a body send them as application/x-www-form-urlencoded; otherwise the query of each URL gets them. At most 256 in all.
   */
  readonly params?: Readonly<Record<string, string | number | boolean | readonly (string | number | boolean)[]>>;
  /**
   * The request's body, for a method that takes one: a text, `{"base64": "…"}`, `{"form": {…}}`, `{"multipart": [{name, value or base64, filename, type}, …]}`, `{"json": …}`, or JSON itself.
   * In a form, an object gives `a[b]=1` and an array `a[]=1`. Content-Type follows the kind, unless a header says otherwise.
   */
  readonly body?: string | Readonly<Record<string, Json>> | readonly Json[];
  /** The name of one of the operator's base URLs. A relative url is resolved against it, see rules.md. */
  readonly base?: string;
  /** true: downloads from the CDN that the operator has set for the URL's host. Default: `false`. */
  readonly cdn?: boolean;
  /**
   * Credentials, sent only to the URL's own host: `{basic: [user, password]}`, `{digest: [user, password]}` or `{bearer: token}`.
   * If the origin refuses them, the request fails with authFailed.
   */
  readonly auth?: BasicAuth | DigestAuth | BearerAuth;
  /** The name of a cookie jar that all workers share. Its matching cookies are sent, and cookies from servers are kept there. Default: no cookies. */
  readonly cookies?: string;
  /**
   * The timeouts of the download, each at most the operator's --max-timeout, 120 by default.
   * A shared download uses the longest ones of the requests that came before it began.
   */
  readonly timeouts?: Timeouts;
  /** The most bytes of the body, declared or counted, after decompression. 1 to 1099511627776. Default: `67108864`. */
  readonly maxBytes?: number;
  /** How redirects are followed. Never from https to http. Credentials and your headers never go to another host, port or scheme. */
  readonly redirects?: Redirects;
  /** How to check the server's certificate. */
  readonly tls?: TLS;
  /** The statuses whose body is accepted. 204 and 205 have no body: 0 bytes with `as: bytes`, otherwise no picture. Default: `["200-299"]`. */
  readonly acceptableStatus?: readonly string[];
  /** The content types that are accepted. Default: any. A response without one is accepted. */
  readonly acceptableTypes?: readonly string[];
  /**
   * The required shape of the JSON body.
   * It is a type's name, an object of shapes (all keys required), or an array with one shape for its elements.
   * Types are string, number, integer, boolean, object, array, null and any; a null fits any type.
   */
  readonly jsonShape?: Json;
  /** How to decrypt the body; the operator gives keys to the workers (--decryption-keys). */
  readonly decrypt?: string;
  /**
   * How to repeat a download after transient failures.
   * A shared download uses the largest values of its requests, but a request that joins never waits longer than its own values allow.
   */
  readonly retry?: Retry;
  /** Whether a broken download is resumed, by any worker. Only if the server can tell that the source has not changed. Default: `true`. */
  readonly resume?: boolean;
}

/** `cache` of a request: which caches to read and write. */
export interface CacheOptions {
  /**
   * Which answers are accepted.
   * `default`: a fresh entry is served, a stale one revalidated.
   * `reload`: no cache is read.
   * `only`: the origin is never asked.
   * `revalidate`: the origin is always asked.
   * `refresh`: the cached result comes at once as a `cached` event, then the origin is asked.
   * Default: `"default"`.
   */
  readonly policy?: CachePolicy;
  /** The tiers to read. Default: `["memory","results","sources"]`. */
  readonly read?: readonly Tier[];
  /** The tiers to write. Default: `["memory","results","sources"]`. */
  readonly write?: readonly Tier[];
  /**
   * Seconds for which source and results are fresh, in place of what the origin says.
   * Negative: not kept. Default: as the origin says, or one hour. -1 to 31536000.
   */
  readonly ttl?: number;
  /**
   * Seconds for which a stale source may be served if its origin cannot be reached or answers 500, 502, 503 or 504. 0: never.
   * Default: the origin's stale-if-error. Only with policy default; must-revalidate, s-maxage and no-cache forbid it. 0 to 31536000.
   */
  readonly staleIfError?: number;
  /**
   * Seconds for which a stale source may be served while the origin is asked in the background.
   * Default: the origin's stale-while-revalidate. 0 to 31536000.
   */
  readonly staleWhileRevalidate?: number;
  /** true: the request ends after the result is stored. false: it may end before; the result's URL may then answer 404 for a moment. Default: `true`. */
  readonly await?: boolean;
  /** Whether to pin the results, so that a full store keeps them until they expire. Default: `false`. */
  readonly pin?: boolean;
  /** Your version of the content. Entries of other versions are not used: raise it after a change. 0 to 2147483647. Default: `0`. */
  readonly version?: number;
  /** The owner of the request, such as a user's id: part of all keys. A response marked `private` is kept only with a scope. */
  readonly scope?: string;
  /** Your own key for the result, with exactly one rendition. Every request with this key gets the same result. */
  readonly key?: string;
  /** Names for `cache.purge`. A result has the tags of all requests that got it. */
  readonly tags?: readonly string[];
}

/** `decode` of a request: how to decode the source. */
export interface DecodeOptions {
  /** Which frames of an animation to decode. Default: `"all"`. */
  readonly frames?: "all" | "first";
  /**
   * The page of a TIFF, HEIF or icon.
   * For an animation: the frame, with frames "first" or for an output that cannot move.
   * Page 0 is the page that viewers show first; the other pages of a HEIF or icon follow in order. 0 to 65535. Default: `0`.
   */
  readonly page?: number;
  /** The least damage that refuses a picture: an early end, wrong data (`error`), or whatever a decoder warns of. Default: `"truncated"`. */
  readonly failOn?: FailOn;
  /** How much the codec may shrink the picture while decoding. fast: as much as possible; best: not at all. Default: `"balanced"`. */
  readonly speed?: "fast" | "balanced" | "best";
  /**
   * The most decoded bytes: width × height × 4 of all frames.
   * A larger picture is first scaled down to fit, to at least one pixel a side.
   * A baseline JPEG may then exceed the worker's limits of pixels and sides: it is scaled down while it is read. At least 1.
   */
  readonly limitBytes?: number;
  /** The most pixels of the source: width × height of all wanted frames. A larger picture fails with limitExceeded. At least 1. */
  readonly maxPixels?: number;
  /** The most pixels of each frame of an animation, in place of maxPixels. At least 1. */
  readonly maxFramePixels?: number;
  /** Takes the thumbnail in a jpeg, heif or avif as the picture, if it has one, also for maxPixels and describe. Default: `false`. */
  readonly thumbnail?: boolean;
}

/** A value of `qualities`. */
export interface Qualities {
  /** The quality in this format. 1 to 100. */
  readonly jpeg?: number;
  /** The quality in this format. 1 to 100. */
  readonly webp?: number;
  /** The quality in this format. 1 to 100. */
  readonly avif?: number;
  /** The quality in this format. 1 to 100. */
  readonly heif?: number;
  /** The quality in this format. 1 to 100. */
  readonly jxl?: number;
}

/** `output` of a request or of a rendition: how to encode the result. */
export interface OutputOptions {
  /**
   * The format of the result.
   * `original`: the source's format if it can be encoded, else png with alpha or lossless, and jpeg otherwise.
   * `auto`: the best format of `accept`; the default with `accept`.
   * A format without an encoder (see `formats.list`) fails with unsupportedFormat. Default: `"original"`.
   */
  readonly format?: Format;
  /**
   * The formats for auto: an Accept header, or a list of media types or formats.
   * Animated: webp, else gif (png first for a png source).
   * Still: avif, else webp, else jxl (if neither is named), else png (with alpha or from a lossless source), else jpeg.
   * A star, or nothing known, means jpeg, png and gif.
   */
  readonly accept?: string | readonly string[];
  /** The formats of sources that are delivered as they came, without operations, unless `format` names another one. Default: `[]`. */
  readonly keep?: readonly SourceFormat[];
  /**
   * The quality of the encoder.
   * Default: jpeg 80, webp 80, avif 50, heif 50, jxl 75; png with palette 100.
   * `auto`: the lowest of five tried that keeps `likeness`, named in the result.
   * It is for still jpeg, webp, avif; others have the default.
   */
  readonly quality?: number | "auto";
  /** The quality by the format that the result gets, where `quality` is not given. */
  readonly qualities?: Qualities;
  /**
   * For quality auto: the least likeness (SSIM of brightness) of the file to the picture before it is encoded; 1 means equal.
   * If none is enough, the quality is 100. 0.8 to 0.999. Default: `0.98`.
   */
  readonly likeness?: number;
  /**
   * Encodes webp, avif, heif and jxl without loss; unsupportedFormat if the build cannot.
   * Without a named format, jpeg is not chosen, and gif only for a gif source. Default: `false`.
   */
  readonly lossless?: boolean;
  /** The effort of the encoder, from 0 (fastest) to 9 (smallest). Default: png 6, webp 4, avif 3, gif 4, heif 3, jxl 4. 0 to 9. */
  readonly effort?: number;
  /** Makes jpeg progressive and png interlaced. Default: `false`. */
  readonly progressive?: boolean;
  /** Limits png to 256 colors, dithered. `quality` says how close the colors must be. Default: `false`. */
  readonly palette?: boolean;
  /**
   * Keeps the animation in a png or avif; false: only the first frame.
   * Such a source stays animated. An animated png has 8 bits and ignores palette and progressive.
   * An animated avif ignores metadata and cannot be lossless. Default: `false`.
   */
  readonly animated?: boolean;
  /** The chroma subsampling of jpeg, avif and heif. 4:4:4 keeps the color of every pixel. Default: `"4:2:0"`. */
  readonly subsampling?: "4:2:0" | "4:4:4";
  /**
   * For avif: the bits of each number, 8, 10 or 12. 9 counts as 10, and 11 as 12.
   * A build before libvips 8.15 cannot write 10 bits without loss, or with metadata or a color profile (unsupportedFormat).
   * With more than 8 bits, a source of 16 bits keeps its finer steps. 8 to 12. Default: `8`.
   */
  readonly bitDepth?: number;
  /** For jpeg: the longer side of a thumbnail in the file's EXIF, in pixels. The thumbnail is never larger than the picture. 16 to 320. */
  readonly thumbnail?: number;
  /**
   * The most bytes of the file.
   * The highest quality up to `quality` that fits is used, and named in the result; limitExceeded if none fits.
   * Formats without a quality are only checked. At least 1.
   */
  readonly maxBytes?: number;
  /**
   * The metadata to keep.
   * `copyright`: Copyright and Artist of EXIF.
   * `all`: EXIF, XMP and IPTC, the place of the photo too.
   * For jpeg, png, webp, avif and heif. jpeg, png and tiff always keep the pixel density. Default: `"none"`.
   */
  readonly metadata?: "none" | "copyright" | "all";
  /**
   * The color space.
   * `srgb`: colors become sRGB, without a profile.
   * `keep`: RGB stays in the source's space, with its profile; gray with a profile of its own is converted.
   * Colors of operations then mean that space, and other pictures are converted to it. Not for gif and jxl. Default: `"srgb"`.
   */
  readonly icc?: "srgb" | "keep";
  /**
   * The gain map of an Ultra HDR jpeg.
   * `drop`: the result is the SDR picture.
   * `keep`, for jpeg: the map follows crops, sizes and turns by quarters, and other XMP gives way to its own.
   * `apply`, for png without palette: the HDR picture of 16 bits in BT.2020 and PQ, with SDR white at 203 cd/m².
   * Layers, text, round corners, free angles and canvases end in SDR, as does a broken map. Default: `"drop"`.
   */
  readonly gainMap?: "drop" | "keep" | "apply";
  /**
   * Still pictures in PQ or HLG.
   * `keep`: avif (10 bits) and png without palette keep curve and primaries.
   * It refuses operations with colors. Default: `"toneMap"`.
   */
  readonly hdr?: "toneMap" | "keep";
  /** The color behind the picture if the format has no alpha. Its own alpha shows white. Default: `"white"`. */
  readonly background?: string;
}

/** A member of `renditions`: one output of a request. */
export interface RenditionOptions {
  /** The name of the rendition in the result, unique in the request. Default: `"default"`. */
  readonly name?: string;
  /** The operations, in order. Default: `[]`. */
  readonly transform?: readonly Operation[];
  /** How to encode the result. */
  readonly output?: OutputOptions;
}

/** A value of `progress`. */
export interface ProgressPace {
  /** The most seconds between two events; values below 0.02 count as 0.02. 0 to 3600. Default: `0.25`. */
  readonly interval?: number;
  /** The largest step of the body between two events. A named step allows up to fifty events a second. 0 to 1. Default: `0.05`. */
  readonly fraction?: number;
}

/** A value of `callback`. */
export interface Callback {
  /** Where to post it. Only public addresses, unless the operator allows others; rules may deny more. */
  readonly url: string;
  /** Signs the callback, see Callbacks. */
  readonly secret?: string;
}

/** A value of `rects`. */
export interface SampleRect {
  /** Pixels from the left edge. 0 to 1000000. */
  readonly x: number;
  /** Pixels from the upper edge. 0 to 1000000. */
  readonly y: number;
  /** The width in pixels. 1 to 256. */
  readonly width: number;
  /** The height in pixels. 1 to 256. */
  readonly height: number;
}

/** A value of `samples`. */
export interface Samples {
  /** Single pixels: `[x, y]` from the upper left corner. */
  readonly points?: readonly (readonly number[])[];
  /** Rectangles of at most 256 pixels together. */
  readonly rects?: readonly SampleRect[];
}

/** A value of `fallback`. */
export interface FallbackURL {
  /** Another source, with the same renditions, within 10 seconds. */
  readonly url: string;
}

/** A value of `fallback`. */
export interface FallbackKey {
  /** The key of a finished image, returned unchanged. A token with a scope finds its own keys only in that scope. */
  readonly key: string;
}

/** A value of `fallback`. */
export interface FallbackColor {
  /** The color of a plain PNG. */
  readonly color: string;
  /** The width in pixels. 1 to 8192. */
  readonly width: number;
  /** The height in pixels. 1 to 8192. */
  readonly height: number;
}

/** A value of `require`. */
export interface Require {
  /** true: several frames that move; false: none. */
  readonly animated?: boolean;
  /** true: the format says that the picture may be transparent; false: it does not. */
  readonly alpha?: boolean;
  /** The smallest width of the upright source, in pixels. 1 to 1000000. */
  readonly minWidth?: number;
  /** The smallest height of the upright source, in pixels. 1 to 1000000. */
  readonly minHeight?: number;
}

/** A value of `saveTo`. */
export interface SaveTo {
  /** A folder or bucket that the operator has named (--places of workers). */
  readonly place: string;
  /**
   * The name there, with these tokens: `{rendition}` `{receipt}` `{stem}` `{host}` `{sha256}` `{extension}` `{width}` `{height}`.
   * `{stem}` is the name of the URL's file without its ending. `{receipt}` is the id that you gave. Several renditions need `{rendition}`.
   * Other letters become underscores. Default: `"{stem}.{extension}"`.
   */
  readonly name?: string;
  /**
   * The treatment of an existing file.
   * `true`: it is replaced.
   * `keep`: it stays, and the result says so.
   * `false`: `storeFailed`, unless the bytes are the same.
   * Default: `false`.
   */
  readonly replace?: boolean | "keep";
}

/** A value of `progressive`. */
export interface PreviewPace {
  /** plain: the picture as it is; blur: a blur that shrinks as more arrives, for progressive JPEG and interlaced PNG. Default: `"plain"`. */
  readonly mode?: "plain" | "blur";
  /** The fewest seconds between two previews. 0.05 to 3600. Default: `0.2`. */
  readonly interval?: number;
  /** The width in pixels; a narrower picture is not enlarged. 16 to 1280. Default: `320`. */
  readonly width?: number;
}

/** Describes an image and how to load it. */
export interface ImageRequest {
  /**
   * The URL of the source: http, https, data, `color:COLOR,WIDTHxHEIGHT`, file with the operator's --file-root, `s3://bucket/key` with the workers' --source-buckets, or `upload:ID` (PUT /uploads).
   * An http or https URL has at most 16384 bytes of ASCII, parameters included; escape others, as %C3%A9. Either url or urls is required.
   */
  readonly url?: string;
  /**
   * Mirrors of one source, instead of url: the next one is tried after a failed download.
   * If the first host is throttled, the first mirror on another host goes first. All options hold for all mirrors.
   */
  readonly urls?: readonly string[];
  /**
   * Your own id for the request.
   * A repeated request with the same id is idempotent. Another request with an id in use fails with invalidParams, whose `path` is receipt.
   */
  readonly receipt?: string;
  /** The queue of the request, which must exist. Default: `"default"`. */
  readonly queue?: string;
  /**
   * The order in the queue among the fetches of one client: higher goes first.
   * Permits are shared between clients before priorities count. Default: `0`.
   */
  readonly priority?: number | "low" | "normal" | "high";
  /** The order within a priority. Default: the order of the queue. */
  readonly order?: "fifo" | "lifo";
  /** Seconds from acceptance to the result, queueing included. At most the operator's --max-deadline, 600 by default. 0.001 to 86400. Default: `30`. */
  readonly deadline?: number;
  /**
   * Whether progress events come, and how often: after `interval` seconds (default 0.25, at least 0.02) or a step of `fraction` (default 0.05).
   * Default: `false`.
   */
  readonly progress?: boolean | ProgressPace;
  /** Whether this connection gets `image.hook`, see Hooks. Default: `false`. */
  readonly hooks?: boolean;
  /** true: the request goes on for 24 hours without its client. Default: `false`. */
  readonly detached?: boolean;
  /** See Durable. Default: as the operator says. */
  readonly durable?: boolean;
  /** false: the request does not count in `activity.get`. Default: `true`. */
  readonly activity?: boolean;
  /** Posts the terminal event to a URL of yours, see Callbacks. */
  readonly callback?: Callback;
  /** The supersede key: a newer request with the same key in the queue cancels the older one. */
  readonly slot?: string;
  /**
   * The treatment of a blacklisted source.
   * `on`: refused.
   * `off`: downloaded, and the blacklist does not change.
   * `retry`: downloaded, and a success removes the entry.
   * Default: `"on"`.
   */
  readonly blacklist?: "on" | "off" | "retry";
  /** A text that every event repeats. */
  readonly tag?: string;
  /** An object that every event repeats. At most 16384 bytes of JSON; an integer above 64 bits becomes a float. */
  readonly userInfo?: Readonly<Record<string, Json>>;
  /**
   * The properties of the source in the result's `description`, measured upright and on the first frame.
   * `blurhash` has 4 × 3 or 3 × 4 components, `thumbhash` is base64, `phash` is 64 bits in hexadecimal. `palette` has up to six `{color, share}`.
   * `exif` has camera, exposure and time, never the place. `animation` is null for a still picture, else `{loop, delays}`.
   * `loop` is the number of plays, 0 for endless; `delays` has the milliseconds of the first 512 frames, as viewers show them.
   * `gainMap` says whether `output.gainMap` finds a map.
   * `hdr`: `pq`, `hlg` or null.
   */
  readonly describe?: readonly Trait[];
  /**
   * The pixels of the upright picture, in its own size, whose colors are in the result's `description.colors`: `{points, rects}`.
   * A color is `#rrggbb`, `#rrggbbaa` if transparent, or null outside the picture. Rectangles come row by row.
   */
  readonly samples?: Samples;
  /** How to download the source. */
  readonly fetch?: FetchOptions;
  /** Which caches to read and write. */
  readonly cache?: CacheOptions;
  /** How to decode the source. */
  readonly decode?: DecodeOptions;
  /**
   * The replacement for an image that cannot be loaded.
   * The request then succeeds with `from` fallback and the cause as `error`. Not for invalid URLs and cancelled requests.
   * Callbacks and subscribers in Redis get the failure.
   */
  readonly fallback?: FallbackURL | FallbackKey | FallbackColor;
  /** The outputs of one download. Default: one named "default". */
  readonly renditions?: readonly RenditionOptions[];
  /** The operations of the only rendition. Instead of `renditions`. */
  readonly transform?: readonly Operation[];
  /** The encoding of the only rendition. Instead of `renditions`. */
  readonly output?: OutputOptions;
  /**
   * The properties that a source must have, for pictures only.
   * A cached source without them counts as missing. A download without them fails with badImageData, which has `required` and `found`.
   */
  readonly require?: Require;
  /**
   * Texts to keep with the results.
   * They come back as `metadata` and as HTTP headers `Tintype-Meta-…`. Names of a–z 0–9 -, at most 1024 bytes of JSON.
   * An existing result keeps its own.
   */
  readonly metadata?: Readonly<Record<string, string>>;
  /**
   * Saves each result as a file in a place of the operator, whole or not at all, before the request ends.
   * `saved` of each rendition names the file. No cache of results answers such a request. With tokens it needs the role `put`.
   */
  readonly saveTo?: SaveTo;
  /**
   * The kind of result.
   * `image`: a picture.
   * `bytes`: the undecoded source.
   * `json`: the source as the result's `json`; it must be JSON of at most 58 levels, and only line breaks change.
   * `text`: the body as the result's `text`, decoded by the charset of its Content-Type, else as UTF-8.
   * `xml`: the same; it must be well-formed XML of at most 256 levels.
   * XML with declarations of its own is refused. A byte order mark overrides the header, and the header overrides the declaration of XML.
   * Default: `"image"`.
   */
  readonly as?: Kind;
  /**
   * How the bytes come.
   * `reference`: a key and a URL.
   * `inline`: base64 in the result, up to 8 MiB.
   * `none`: no bytes.
   * Default: `"reference"`.
   */
  readonly deliver?: "reference" | "inline" | "none";
  /**
   * Whether `preview` events come, see Previews.
   * `mode`: plain (default), or blur, which shrinks as more arrives (not for baseline jpeg).
   * `interval`: at least 0.05 to 3600 seconds between two, default 0.2.
   * `width`: 16 to 1280 pixels, default 320.
   * A shared download uses the options of its first request. Default: `false`.
   */
  readonly progressive?: boolean | PreviewPace;
}

/** A source after its download. */
export interface SourceInfo {
  /** The requested URL, without user and password. */
  readonly url: string;
  /** The URL after redirects, without user and password. */
  readonly finalURL: string;
  /** The length of the body. */
  readonly bytes: number;
  /** The status of the origin's response. */
  readonly status?: number | null;
  /** The format of the stored picture. */
  readonly format?: string | null;
  /** The width of the stored picture in pixels. */
  readonly width?: number | null;
  /** The height of the stored picture in pixels. */
  readonly height?: number | null;
  /** The number of frames. */
  readonly frames?: number | null;
  /** Whether the picture may be transparent. */
  readonly hasAlpha?: boolean | null;
  /** 2 or 3 when the file's name in the URL ends in `@2x` or `@3x`. */
  readonly scale?: number | null;
  /** The orientation of EXIF, 1 to 8. */
  readonly orientation?: number | null;
  /** The ETag of the origin's response. */
  readonly etag?: string | null;
  /** The Last-Modified of the origin's response. */
  readonly lastModified?: string | null;
  /** Until when the source is fresh, in epoch seconds. */
  readonly expiresAt?: number | null;
  /** The hash of the body in hexadecimal. */
  readonly sha256?: string | null;
}

/** The file that a result was saved as. */
export interface SavedFile {
  /** The place of the operator. */
  readonly place: string;
  /** The name of the file there. */
  readonly name: string;
  /** The length of the file. */
  readonly bytes?: number | null;
  /** Whether the file existed and stayed. */
  readonly kept?: boolean | null;
}

/** One finished rendition. */
export interface RenditionInfo {
  /** The name of the rendition in the request. */
  readonly name?: string | null;
  /** The result's key. */
  readonly key: string;
  /** The path of the HTTP port that serves the result. */
  readonly url: string;
  /** The media type of the result. */
  readonly contentType: string;
  /** The length of the result. */
  readonly bytes: number;
  /** The format of the result. */
  readonly format?: string | null;
  /** The width in pixels. */
  readonly width?: number | null;
  /** The height in pixels. */
  readonly height?: number | null;
  /** The number of frames. */
  readonly frames?: number | null;
  /** The encoder's quality, for lossy formats. */
  readonly quality?: number | null;
  /** The hash of the result in hexadecimal. */
  readonly sha256?: string | null;
  /** The tiers that keep the result. */
  readonly stored?: readonly string[] | null;
  /** Until when the result is fresh, in epoch seconds. */
  readonly expiresAt?: number | null;
  /** When its sources were last downloaded or revalidated, in epoch seconds. */
  readonly storedAt?: number | null;
  /** The `cache.version` of the request, unless 0. */
  readonly version?: number | null;
  /** True when shared caches must not keep the result. */
  readonly private?: boolean | null;
  /** True when no cache in front may keep the result. */
  readonly noStore?: boolean | null;
  /** The most seconds for which caches in front may show the stale result while they ask for a new one. */
  readonly staleWhileRevalidate?: number | null;
  /** The most seconds for which caches in front may show the stale result while the service fails. */
  readonly staleIfError?: number | null;
  /** True when a worker checked the bytes as JSON; `text` or `xml` for these. */
  readonly validated?: Json | null;
  /** True for a picture that the service made or a client put. */
  readonly applied?: boolean | null;
  /** The file of `saveTo`. */
  readonly saved?: SavedFile | null;
  /** The metadata of its request. */
  readonly metadata?: Readonly<Record<string, string>> | null;
  /** The bytes, with `deliver: inline`. */
  readonly data?: string | null;
}

/** Seconds spent in the steps of a request. */
export interface Timings {
  /** In the queue. */
  readonly queued?: number | null;
  /** Resolving the name of the host. */
  readonly dns?: number | null;
  /** Connecting. */
  readonly connect?: number | null;
  /** In the TLS handshake. */
  readonly tls?: number | null;
  /** Until the first byte of the answer. */
  readonly firstByte?: number | null;
  /** Downloading. */
  readonly download?: number | null;
  /** Decoding. */
  readonly decode?: number | null;
  /** In operations. */
  readonly transform?: number | null;
  /** Encoding. */
  readonly encode?: number | null;
  /** Storing. */
  readonly store?: number | null;
  /** From the request to its end. */
  readonly total?: number | null;
}

/** Why a run failed. */
export interface Cause {
  /** The name of the error. */
  readonly name: string;
  /** The status of the origin's response. */
  readonly status?: number | null;
}

/** The result of a request. */
export interface ImageResult {
  /** The receipt's id; none from `cache.get`. */
  readonly receipt?: string | null;
  /** Where the result came from: `remote` (the origin), `sources`, `results`, `memory` or `fallback`. */
  readonly from: string;
  /** Always `succeeded`. */
  readonly state?: string | null;
  /** The source. */
  readonly source: SourceInfo;
  /** The renditions, in the order of the request. */
  readonly renditions: readonly RenditionInfo[];
  /** True when the origin was asked and the source had not changed. */
  readonly notModified?: boolean | null;
  /** Whether the source had changed, after `cache.policy` revalidate or refresh. */
  readonly updated?: boolean | null;
  /** The answers to `describe` and `samples`. */
  readonly description?: Readonly<Record<string, Json>> | null;
  /** The number of runs, without released ones. */
  readonly attempts?: number | null;
  /** Why runs failed. */
  readonly causes?: readonly Cause[] | null;
  /** The id of the worker. */
  readonly worker?: string | null;
  /** True when its source was purged meanwhile, so that nothing keeps it. */
  readonly purged?: boolean | null;
  /** The time of each step. */
  readonly metrics?: Timings | null;
  /** Why a fallback is there, as an error object of JSON-RPC. */
  readonly error?: Json | null;
  /** The document of a request with `as: json`. */
  readonly json?: Json | null;
  /** The text of a request with `as: text` or `as: xml`. */
  readonly text?: string | null;
  /** The `tag` of the request. */
  readonly tag?: string | null;
  /** The `userInfo` of the request. */
  readonly userInfo?: Readonly<Record<string, Json>> | null;
}

/** The limits of a queue. */
export interface QueueLimits {
  /** The most running fetches. */
  readonly maxConcurrent: number;
  /** The most running fetches of one host. */
  readonly maxConcurrentPerHost: number;
  /** `maxConcurrentPerHost` for single hosts. */
  readonly hostLimits: Readonly<Record<string, number>>;
  /** Limits of hosts that come from rules. */
  readonly ruleLimits: Readonly<Record<string, number>>;
  /** Milliseconds between two fetches of a host, from rules. */
  readonly rulePaces: Readonly<Record<string, number>>;
  /** The most waiting fetches. */
  readonly maxQueued?: number | null;
}

/** The state of a queue. */
export interface QueueInfo {
  /** The queue's name. */
  readonly name: string;
  /** The order of requests that name none: `fifo` or `lifo`. */
  readonly order: string;
  /** Whether nothing new is claimed. */
  readonly paused: boolean;
  /** The limits. */
  readonly limits: QueueLimits;
  /** The number of waiting fetches. */
  readonly queued: number;
  /** The number of fetches that wait for their next run. */
  readonly delayed: number;
  /** The number of running fetches. */
  readonly running: number;
  /** The number of dead letters. */
  readonly dead: number;
  /** The age of the oldest waiting fetch. */
  readonly oldestQueuedSeconds?: number | null;
  /** Throttled hosts, at most 100, and until when, in epoch seconds. */
  readonly heldHosts: Readonly<Record<string, number>>;
  /** The live workers. */
  readonly workers: number;
  /** The number of shards, if several. */
  readonly shards?: number | null;
}

/** The members of every event. */
export interface EventFacts {
  /** The receipt's id. */
  readonly receipt: string;
  /** The number among the events that this connection got for the receipt. */
  readonly seq: number;
  /** When, in epoch seconds. */
  readonly at: number;
  /** The queue's name. */
  readonly queue: string;
  /** The place of the request in the trace of its client, by W3C Trace Context. */
  readonly traceparent?: string | null;
  /** The `tag` of the request. */
  readonly tag?: string | null;
  /** The `userInfo` of the request. */
  readonly userInfo?: Readonly<Record<string, Json>> | null;
  /** The group of the receipt. */
  readonly group?: string | null;
  /** The JSON-RPC id of the `image.load`. */
  readonly requestId?: Json | null;
}

/** The other members of each event, by its type, as the service sends them. */
export interface EventMembers {
  /** The request waits in the queue. */
  queued: {
    /** The number of fetches ahead; none when the fetch waits for its next run. */
    readonly position?: number | null;
  };
  /** A worker has begun a run. */
  started: {
    /** The id of the worker. */
    readonly worker?: string | null;
    /** The number of the run, from 1. */
    readonly attempt: number;
  };
  /** The origin has answered. */
  response: {
    /** The status. */
    readonly status?: number | null;
    /** The headers. */
    readonly headers?: Readonly<Record<string, string>> | null;
    /** The length of the body; none when the origin gives no length. */
    readonly expectedBytes?: number | null;
  };
  /** How far the work is. */
  progress: {
    /** `upload`, `download`, `decode`, `transform`, `encode` or `store`. */
    readonly phase: string;
    /** From 0 to 1; none when unknown. */
    readonly fraction?: number | null;
    /** The bytes of the source that have come. */
    readonly receivedBytes?: number | null;
    /** The length of the source; none when the origin gives no length. */
    readonly expectedBytes?: number | null;
    /** The byte at which an earlier download broke off. */
    readonly resumedFrom?: number | null;
    /** The bytes of the request body that were sent. */
    readonly sentBytes?: number | null;
    /** The length of the request body. */
    readonly totalBytes?: number | null;
  };
  /** A picture of a source that is still arriving. */
  preview: {
    /** The name of the first rendition. */
    readonly rendition?: string | null;
    /** A JPEG, upright and scaled. */
    readonly data?: string | null;
    /** The key that keeps the JPEG for ten seconds, in place of data. */
    readonly key?: string | null;
    /** The width in pixels. */
    readonly width: number;
    /** The height in pixels. */
    readonly height: number;
    /** The part of the source that it shows; none when unknown. */
    readonly fraction?: number | null;
  };
  /** The cached result of `cache.policy` refresh; the origin is asked next. */
  cached: {
    /** The cached result. */
    readonly result: ImageResult;
  };
  /** One rendition is finished. */
  rendition: {
    /** The name of the rendition in the request. */
    readonly name?: string | null;
    /** The result's key. */
    readonly key: string;
    /** The path of the HTTP port that serves the result. */
    readonly url: string;
    /** The media type of the result. */
    readonly contentType: string;
    /** The length of the result. */
    readonly bytes: number;
    /** The format of the result. */
    readonly format?: string | null;
    /** The width in pixels. */
    readonly width?: number | null;
    /** The height in pixels. */
    readonly height?: number | null;
    /** The number of frames. */
    readonly frames?: number | null;
    /** The encoder's quality, for lossy formats. */
    readonly quality?: number | null;
    /** The hash of the result in hexadecimal. */
    readonly sha256?: string | null;
    /** The tiers that keep the result. */
    readonly stored?: readonly string[] | null;
    /** Until when the result is fresh, in epoch seconds. */
    readonly expiresAt?: number | null;
    /** When its sources were last downloaded or revalidated, in epoch seconds. */
    readonly storedAt?: number | null;
    /** The `cache.version` of the request, unless 0. */
    readonly version?: number | null;
    /** True when shared caches must not keep the result. */
    readonly private?: boolean | null;
    /** True when no cache in front may keep the result. */
    readonly noStore?: boolean | null;
    /** The most seconds for which caches in front may show the stale result while they ask for a new one. */
    readonly staleWhileRevalidate?: number | null;
    /** The most seconds for which caches in front may show the stale result while the service fails. */
    readonly staleIfError?: number | null;
    /** True when a worker checked the bytes as JSON; `text` or `xml` for these. */
    readonly validated?: Json | null;
    /** True for a picture that the service made or a client put. */
    readonly applied?: boolean | null;
    /** The file of `saveTo`. */
    readonly saved?: SavedFile | null;
    /** The metadata of its request. */
    readonly metadata?: Readonly<Record<string, string>> | null;
    /** The bytes, with `deliver: inline`. */
    readonly data?: string | null;
  };
  /** A run failed, and another one follows. */
  retrying: {
    /** The number of the run that failed. */
    readonly attempt?: number | null;
    /** Seconds until the next run. */
    readonly delay?: number | null;
    /** The error, as an error object of JSON-RPC. */
    readonly error?: Json | null;
  };
  /** The receipt was paused. */
  paused: object;
  /** The receipt goes on. */
  resumed: object;
  /** The end: there is a result. */
  succeeded: {
    /** The result. */
    readonly result: ImageResult;
  };
  /** The end: there is none. */
  failed: {
    /** The error, as an error object of JSON-RPC. */
    readonly error: Json;
  };
  /** The end: the receipt was cancelled. */
  cancelled: {
    /** Why. */
    readonly reason?: string | null;
    /** The phase in which the work stopped. */
    readonly phase?: string | null;
  };
}

/** The types of the last event of a receipt. */
export type LastEvent = "succeeded" | "failed" | "cancelled";

/** The parameters of `receipt.get`. */
export interface ReceiptGetParams {
  /** The receipt's id. */
  readonly receipt: string;
  /** Seconds to wait for the end. 0 to 3600. Default: `0`. */
  readonly wait?: number;
}

/** The parameters of `receipt.cancel`. */
export interface ReceiptCancelParams {
  /** One receipt's id. */
  readonly receipt?: string;
  /** Several ids, instead of `receipt`. */
  readonly receipts?: readonly string[];
}

/** The parameters of `receipt.pause`. */
export interface ReceiptPauseParams {
  /** The receipt's id. */
  readonly receipt: string;
}

/** The parameters of `receipt.resume`. */
export interface ReceiptResumeParams {
  /** The receipt's id. */
  readonly receipt: string;
}

/** The parameters of `receipt.setPriority`. */
export interface ReceiptSetPriorityParams {
  /** The receipt's id. */
  readonly receipt: string;
  /** The new priority. */
  readonly priority: number | "low" | "normal" | "high";
}

/** The parameters of `prefetch.start`. */
export interface PrefetchStartParams {
  /** The URLs to load. Either `urls` or `items`. */
  readonly urls?: readonly string[];
  /** ImageRequests to load. */
  readonly items?: readonly ImageRequest[];
  /** How many items run at once. 1 to 1000. Default: `3`. */
  readonly concurrency?: number;
  /** The priority of items that name none. Default: `"low"`. */
  readonly priority?: number | "low" | "normal" | "high";
  /** See Durable. */
  readonly durable?: boolean;
  /** Whether this connection gets `group.hook`. Default: `false`. */
  readonly hooks?: boolean;
}

/** The parameters of `batch.start`. */
export interface BatchStartParams {
  /** ImageRequests to load. */
  readonly items: readonly ImageRequest[];
  /** How the group treats a failed item. Default: `"failFast"`. */
  readonly mode?: "failFast" | "settleAll";
  /** How many items run at once. 1 to 1000. Default: `64`. */
  readonly concurrency?: number;
  /** See Durable. */
  readonly durable?: boolean;
  /** Whether this connection gets `group.hook`. Default: `false`. */
  readonly hooks?: boolean;
}

/** The parameters of `chain.start`. */
export interface ChainStartParams {
  /** ImageRequests, in order. */
  readonly steps: readonly ImageRequest[];
  /** See Durable. */
  readonly durable?: boolean;
  /** Whether this connection gets `group.hook`. Default: `false`. */
  readonly hooks?: boolean;
}

/** The parameters of `chain.append`. */
export interface ChainAppendParams {
  /** The group's id. */
  readonly group: string;
  /** ImageRequests with references. */
  readonly steps: readonly ImageRequest[];
  /** See Durable. */
  readonly durable?: boolean;
}

/** The parameters of `group.get`. */
export interface GroupGetParams {
  /** The group's id. */
  readonly group: string;
  /** Seconds to wait for the end. 0 to 3600. Default: `0`. */
  readonly wait?: number;
  /** The first item in the answer. 0 to 10000. Default: `0`. */
  readonly from?: number;
  /** The most items in the answer. 1 to 10000. */
  readonly limit?: number;
}

/** The parameters of `group.cancel`. */
export interface GroupCancelParams {
  /** The group's id. */
  readonly group: string;
}

/** The parameters of `queue.get`. */
export interface QueueGetParams {
  /** The queue's name. */
  readonly queue: string;
}

/** The parameters of `queue.configure`. */
export interface QueueConfigureParams {
  /** The queue's name. */
  readonly queue: string;
  /** The order of requests that name none, waiting ones too. */
  readonly order?: "fifo" | "lifo";
  /** The most running fetches. Default: 64. 1 to 100000. */
  readonly maxConcurrent?: number;
  /**
   * The most running fetches of one host.
   * Default: 6. A fetch counts for its first URL whose host is not throttled, not for later mirrors and redirects. 1 to 100000.
   */
  readonly maxConcurrentPerHost?: number;
  /** `maxConcurrentPerHost` for single hosts, without port. Replaces the whole map and wins over limits of rules. */
  readonly hostLimits?: Readonly<Record<string, number>>;
  /** The most waiting fetches; further ones are `overloaded`. Default: --max-queued. 1 to 10000000. */
  readonly maxQueued?: number;
  /** The number of its shards, given once. Default: 1. 1 to 64. */
  readonly shards?: number;
}

/** The parameters of `queue.pause`. */
export interface QueuePauseParams {
  /** The queue's name. */
  readonly queue: string;
}

/** The parameters of `queue.resume`. */
export interface QueueResumeParams {
  /** The queue's name. */
  readonly queue: string;
}

/** The parameters of `queue.cancelAll`. */
export interface QueueCancelAllParams {
  /** The queue's name. */
  readonly queue: string;
}

/** The parameters of `dead.list`. */
export interface DeadListParams {
  /** The queue's name. */
  readonly queue: string;
  /** The most entries in one answer. 1 to 1000. Default: `100`. */
  readonly limit?: number;
  /** Where the answer before has stopped. */
  readonly cursor?: string;
}

/** The parameters of `dead.retry`. */
export interface DeadRetryParams {
  /** The queue's name. */
  readonly queue: string;
  /** Ids of dead letters. */
  readonly ids: readonly string[];
}

/** The parameters of `dead.remove`. */
export interface DeadRemoveParams {
  /** The queue's name. */
  readonly queue: string;
  /** Ids of dead letters. */
  readonly ids: readonly string[];
}

/** The parameters of `workers.quiet`. */
export interface WorkersQuietParams {
  /** The id of the worker, from `workers.list`. */
  readonly worker: string;
  /** false: the worker claims again. Default: `true`. */
  readonly quiet?: boolean;
}

/** The parameters of `cache.contains`. */
export interface CacheContainsParams {
  /** The key of a result or source. */
  readonly key?: string;
  /** A request, instead of its members beside the others. */
  readonly request?: ImageRequest;
  /** One tier. Default: all tiers. */
  readonly tier?: Tier;
}

/** The parameters of `cache.get`. */
export interface CacheGetParams {
  /** The key of a result or source. */
  readonly key?: string;
  /** A request, instead of its members beside the others. */
  readonly request?: ImageRequest;
  /** One tier. Default: memory, then results. */
  readonly tier?: Tier;
}

/** The parameters of `cache.put`. */
export interface CachePutParams {
  /** The bytes in base64. */
  readonly data: string;
  /** The key of a result or source. */
  readonly key?: string;
  /** A request, instead of its members beside the others. */
  readonly request?: ImageRequest;
  /** One tier. Default: memory and results. */
  readonly tier?: Tier;
  /** Seconds to keep the bytes. Default: one hour; 0 or negative: not kept. -1 to 31536000. */
  readonly ttl?: number;
}

/** The parameters of `cache.setMetadata`. */
export interface CacheSetMetadataParams {
  /** The key of a result or source. */
  readonly key?: string;
  /** A request, instead of its members beside the others. */
  readonly request?: ImageRequest;
}

/** The parameters of `cache.remove`. */
export interface CacheRemoveParams {
  /** The key of a result or source. */
  readonly key?: string;
  /** A request, instead of its members beside the others. */
  readonly request?: ImageRequest;
  /** One tier. Default: all tiers. */
  readonly tier?: Tier;
}

/** The parameters of `cache.purge`. */
export interface CachePurgeParams {
  /** A source's URL, without signature. */
  readonly url?: string;
  /** The beginning of URLs, the slash behind the host included. No character is special. */
  readonly prefix?: string;
  /** A tag of `cache.tags`. */
  readonly tag?: string;
  /** The scope of `tag`. */
  readonly scope?: string;
}

/** The parameters of `cache.pin`. */
export interface CachePinParams {
  /** The key of a result or source. */
  readonly key?: string;
  /** A request, instead of its members beside the others. */
  readonly request?: ImageRequest;
}

/** The parameters of `cache.unpin`. */
export interface CacheUnpinParams {
  /** The key of a result or source. */
  readonly key?: string;
  /** A request, instead of its members beside the others. */
  readonly request?: ImageRequest;
}

/** The parameters of `cache.trim`. */
export interface CacheTrimParams {
  /** One tier. Default: all tiers. */
  readonly tier?: Tier;
}

/** The parameters of `cache.clear`. */
export interface CacheClearParams {
  /** One tier. Default: all tiers. */
  readonly tier?: Tier;
}

/** The parameters of `cache.stats`. */
export interface CacheStatsParams {
  /** One tier. Default: all tiers. */
  readonly tier?: Tier;
  /** Seconds for which an earlier count will do. 0 to 86400. Default: `0`. */
  readonly maxAge?: number;
}

/** The parameters of `blacklist.list`. */
export interface BlacklistListParams {
  /** One queue. Default: all queues. */
  readonly queue?: string;
  /** The most entries in one answer. 1 to 1000. Default: `100`. */
  readonly limit?: number;
  /** Where the answer before has stopped. */
  readonly cursor?: string;
}

/** The parameters of `blacklist.remove`. */
export interface BlacklistRemoveParams extends ImageRequest {
  /** The id of an entry. */
  readonly id?: string;
  /** Several ids, instead of `id`. */
  readonly ids?: readonly string[];
}

/** The parameters of `blacklist.clear`. */
export interface BlacklistClearParams {
  /** One queue. Default: all queues. */
  readonly queue?: string;
}

/** The parameters of `events.subscribe`. */
export interface EventsSubscribeParams {
  /** All events of these receipts. */
  readonly receipts?: readonly string[];
  /** All events of these groups. */
  readonly groups?: readonly string[];
  /** The terminal events of this queue's receipts. */
  readonly queue?: string;
  /** Whether to report workers whose state changes. Default: `false`. */
  readonly workers?: boolean;
  /** Whether to report changes of `active`, see `activity.get`. Default: `false`. */
  readonly activity?: boolean;
}

/** The parameters of `events.unsubscribe`. */
export interface EventsUnsubscribeParams {
  /** The id from `events.subscribe`. */
  readonly subscription: string;
}

/** The parameters of `activity.end`. */
export interface ActivityEndParams {
  /** The id from `activity.begin`. */
  readonly activity: string;
}

/** The parameters of `session.authenticate`. */
export interface SessionAuthenticateParams {
  /** The token. */
  readonly token: string;
}

/** The parameters of `stats.series`. */
export interface StatsSeriesParams {
  /** The seconds of a point: 1, 15 or 60. 1 to 60. Default: `1`. */
  readonly step?: number;
  /** Only points that end after this time. The `time` of a known point may leave out a second. 0 to 9999999999. Default: `0`. */
  readonly since?: number;
}

/** The parameters of `runs.list`. */
export interface RunsListParams {
  /** One queue. Default: all queues. */
  readonly queue?: string;
  /** The most fetches. 1 to 1000. Default: `100`. */
  readonly limit?: number;
}

/** The parameters of `hosts.list`. */
export interface HostsListParams {
  /** One queue. Default: all queues. */
  readonly queue?: string;
  /** The most hosts. 1 to 1000. Default: `100`. */
  readonly limit?: number;
}

/** The parameters of `pictures.list`. */
export interface PicturesListParams {
  /** The most results. Those of one receipt come together, even above it. 1 to 400. Default: `50`. */
  readonly limit?: number;
  /** Only results of sources at this host. */
  readonly host?: string;
  /** The receipt of a result: only older ones. Not with `tag`. */
  readonly after?: string;
  /** Only results with this tag. */
  readonly tag?: string;
  /** The scope of `tag`. */
  readonly scope?: string;
  /** Where the answer before has stopped. */
  readonly cursor?: string;
}

/** The parameters of `pictures.get`. */
export interface PicturesGetParams {
  /** The key of a result. */
  readonly key: string;
}

/** The parameters of `pictures.url`. */
export interface PicturesUrlParams {
  /** The URL of the source, as for `image.load`. */
  readonly url: string;
  /** The operations, in order. Default: `[]`. */
  readonly transform?: readonly Operation[];
  /** How to encode the result. */
  readonly output?: OutputOptions;
}

/** The parameters of `failures.list`. */
export interface FailuresListParams {
  /** The most groups. 1 to 200. Default: `50`. */
  readonly limit?: number;
}

/** The parameters of `failures.retry`. */
export interface FailuresRetryParams {
  /** The name of the error. */
  readonly error: string;
  /** The host. */
  readonly host: string;
  /** The HTTP status. Default: any, or none. 100 to 599. */
  readonly status?: number;
  /** One queue. Default: all queues. */
  readonly queue?: string;
  /** The most sources. 1 to 1000. Default: `100`. */
  readonly limit?: number;
}

/** Every method, with its parameters and its result. */
export interface Methods {
  /** Loads an image and answers when the image is there. With `progress`, events arrive before the answer. */
  "image.load": { params: ImageRequest; result: ImageResult };
  /** Queues an image and answers at once; the end comes as a terminal `image.event`. */
  "image.submit": { params: ImageRequest; result: Answers["image.submit"] };
  /** Describes a source. Reads no more of the body than the description needs. */
  "image.probe": { params: ImageRequest; result: Answers["image.probe"] };
  /**
   * Shows what `image.load` would do, and whether the client, a rule or a default decides.
   * Sends and queues nothing, and shows no secret. Needs the role `admin` where tokens are required.
   */
  "request.explain": { params: ImageRequest; result: Answers["request.explain"] };
  /** Lists the formats that all workers decode, encode, and encode without loss, the fonts, and the operations with their parameters. */
  "formats.list": { params: Record<string, never>; result: Answers["formats.list"] };
  /** Shows the state of a receipt. This connection gets the end from now on, and owns the receipt if its clients have gone. */
  "receipt.get": { params: ReceiptGetParams; result: Answers["receipt.get"] };
  /** Cancels a receipt. The fetch goes on while other receipts want it. A repeated call is harmless. */
  "receipt.cancel": { params: ReceiptCancelParams; result: Answers["receipt.cancel"] };
  /**
   * Pauses a receipt until it is resumed.
   * Its download stops if no other receipt wants it, and the bytes are kept as of a broken download.
   * A shared download continues, and the paused receipt gets no progress. A paused receipt holds no place in its queue, and its deadline goes on.
   * A source that is loaded already is made, and the receipt ends. A repeated call is harmless.
   */
  "receipt.pause": { params: ReceiptPauseParams; result: Answers["receipt.pause"] };
  /** Resumes a paused receipt at its old place. A repeated call is harmless. */
  "receipt.resume": { params: ReceiptResumeParams; result: Answers["receipt.resume"] };
  /** Changes the priority of a receipt. Its fetch gets the highest priority among its live receipts. */
  "receipt.setPriority": { params: ReceiptSetPriorityParams; result: Answers["receipt.setPriority"] };
  /**
   * Loads images into the caches.
   * A failed item does not stop the group. The group ends with `{finished, skipped, errors: [{index, error}]}`.
   * `skipped` counts failed and cancelled items. `errors` has at most 4 MiB; from the item `next` on, `group.get` has the others.
   */
  "prefetch.start": { params: PrefetchStartParams; result: Answers["prefetch.start"] };
  /**
   * Loads many images as one group, with results in the order of the items.
   * With failFast, the first failure cancels the other items and fails the group.
   * With settleAll, the group succeeds when all items have ended, failed ones too.
   */
  "batch.start": { params: BatchStartParams; result: Answers["batch.start"] };
  /**
   * Loads images one after the other: a step starts after the step before has succeeded.
   * In any text of a step, `${steps[n].source.finalURL}` stands for that member of the ImageResult of step n, counted from 0.
   * A text that is only a reference becomes the value itself, with its type. Members that `group.get` leaves out cannot be referenced.
   * A step fails if a reference does not resolve, or makes it larger than 4 MiB or deeper than 64 levels.
   */
  "chain.start": { params: ChainStartParams; result: Answers["chain.start"] };
  /** Adds steps to a chain that has not ended. */
  "chain.append": { params: ChainAppendParams; result: Answers["chain.append"] };
  /**
   * Shows the state of a group and the results so far, for 24 hours after its end.
   * `origins` counts results by their `from`. One answer has about 4 MiB of items and 8 MiB of inline data.
   * If that, or `limit`, leaves items out, `next` is the `from` of the next call. `receipt.get` of an item has the members left out here.
   * Errors come without `headers` and `body`.
   * Results come without a `json` or `text` of more than 64 KiB, and without any of these or `userInfo` beyond 8 MiB in all.
   */
  "group.get": { params: GroupGetParams; result: Answers["group.get"] };
  /** Ends a group as cancelled and cancels its receipts. Fetches that other receipts want go on. A repeated call answers the same. */
  "group.cancel": { params: GroupCancelParams; result: Answers["group.cancel"] };
  /** Shows all queues. Needs the role `admin` where tokens are required. */
  "queue.list": { params: Record<string, never>; result: readonly QueueInfo[] };
  /** Shows one queue. Needs the role `admin` where tokens are required. */
  "queue.get": { params: QueueGetParams; result: QueueInfo };
  /**
   * Changes a queue, or creates it.
   * Takes effect at the next claim, everywhere. There are at most 1,000 queues.
   * At the limit, old ones without content, settings and workers are removed: configured over an hour ago, and not used for 49 hours or never.
   * Needs the role `admin` where tokens are required.
   */
  "queue.configure": { params: QueueConfigureParams; result: QueueInfo };
  /** Pauses a queue: no new claims; running fetches go on. Needs the role `admin` where tokens are required. */
  "queue.pause": { params: QueuePauseParams; result: QueueInfo };
  /** Ends the pause of a queue. Needs the role `admin` where tokens are required. */
  "queue.resume": { params: QueueResumeParams; result: QueueInfo };
  /** Cancels every receipt of a queue and stops running fetches. Needs the role `admin` where tokens are required. */
  "queue.cancelAll": { params: QueueCancelAllParams; result: QueueInfo };
  /**
   * Lists the dead letters of a queue, newest first: fetches without attempts left, and fetches that killed two workers.
   * Kept for a week. Needs the role `admin` where tokens are required.
   */
  "dead.list": { params: DeadListParams; result: Answers["dead.list"] };
  /**
   * Queues dead letters again, each under the receipt `retry-ID`, and removes them from the list.
   * Those that are not `retryable` stay: only their URL is kept.
   * Their fetch had more than 64 KiB, credentials, a body, a signed URL, or a header other than Accept, Accept-Language and User-Agent.
   * Needs the role `admin` where tokens are required.
   */
  "dead.retry": { params: DeadRetryParams; result: Answers["dead.retry"] };
  /** Removes dead letters. Needs the role `admin` where tokens are required. */
  "dead.remove": { params: DeadRemoveParams; result: Answers["dead.remove"] };
  /**
   * Lists the workers with a recent heartbeat.
   * `missingQueues` names queues that a worker serves and that do not exist. Needs the role `admin` where tokens are required.
   */
  "workers.list": { params: Record<string, never>; result: Answers["workers.list"] };
  /** Makes a worker claim nothing new; its running fetches go on. Needs the role `admin` where tokens are required. */
  "workers.quiet": { params: WorkersQuietParams; result: Answers["workers.quiet"] };
  /** Lists the tiers that have an image, or all renditions of a request; the tier sources, if it has the source. */
  "cache.contains": { params: CacheContainsParams; result: Answers["cache.contains"] };
  /** Reads an image from the cache; never makes or fetches one. A miss gives its `reason`. */
  "cache.get": { params: CacheGetParams; result: ImageResult };
  /**
   * Stores your bytes as the one rendition of a request, as if the service had made them.
   * The picture's header gives format, size and frames. The tier sources refuses a request with `fetch.decrypt`.
   * For more than 8 MiB, use `PUT /images/{key}` with `tier`, `ttl` and `queue` in the query, and metadata in headers `Tintype-Meta-…`.
   * Needs the role `put` where tokens are required.
   */
  "cache.put": { params: CachePutParams; result: Answers["cache.put"] };
  /**
   * Replaces the metadata of stored results; without `metadata`, removes it.
   * Stops at the first missing rendition; those before are changed. Needs the role `put` where tokens are required.
   */
  "cache.setMetadata": { params: CacheSetMetadataParams; result: Answers["cache.setMetadata"] };
  /**
   * Removes an image, or all renditions of a request and its source, from the tiers and the memory of all coordinators.
   * Results of other requests for the same URL stay until they expire. Needs the role `put` where tokens are required.
   */
  "cache.remove": { params: CacheRemoveParams; result: Answers["cache.remove"] };
  /**
   * Removes everything from a URL, from URLs with a prefix, or with a tag, in all queues and stores.
   * Give exactly one. Nothing keeps the results of runs under way. A token with a scope purges only its own tags.
   * Needs the role `put` where tokens are required.
   */
  "cache.purge": { params: CachePurgeParams; result: Answers["cache.purge"] };
  /**
   * Pins results: until they expire, a folder store does not remove them for its limits.
   * It keeps at most maxPinned bytes of them (in its URL), the most recently read first. Other stores remove none early.
   * Needs the role `put` where tokens are required.
   */
  "cache.pin": { params: CachePinParams; result: Answers["cache.pin"] };
  /** Unpins results. Needs the role `put` where tokens are required. */
  "cache.unpin": { params: CacheUnpinParams; result: Answers["cache.unpin"] };
  /** Removes expired entries and entries above the limits, as each tier does by itself. Needs the role `admin` where tokens are required. */
  "cache.trim": { params: CacheTrimParams; result: Answers["cache.trim"] };
  /** Empties one tier or all, and the memory of all coordinators. Needs the role `admin` where tokens are required. */
  "cache.clear": { params: CacheClearParams; result: Answers["cache.clear"] };
  /**
   * Shows each tier's size.
   * Results kept only for their URL do not count; in a bucket they do until `cache.trim`. Needs the role `admin` where tokens are required.
   */
  "cache.stats": { params: CacheStatsParams; result: Answers["cache.stats"] };
  /** Lists the blacklisted sources, those with the latest `until` first. Needs the role `admin` where tokens are required. */
  "blacklist.list": { params: BlacklistListParams; result: Answers["blacklist.list"] };
  /**
   * Removes sources from the blacklist, by id or by ImageRequest.
   * Only `url`, `urls`, `fetch`, `cache.scope` and `queue` of the request count. Needs the role `admin` where tokens are required.
   */
  "blacklist.remove": { params: BlacklistRemoveParams; result: Answers["blacklist.remove"] };
  /** Empties the blacklist. Needs the role `admin` where tokens are required. */
  "blacklist.clear": { params: BlacklistClearParams; result: Answers["blacklist.clear"] };
  /**
   * Sends events of other clients to this connection: `image.event`, `group.event`, `workers.changed` and `activity.changed`.
   * Needs the role `admin` where tokens are required.
   */
  "events.subscribe": { params: EventsSubscribeParams; result: Answers["events.subscribe"] };
  /** Ends a subscription of this connection. */
  "events.unsubscribe": { params: EventsUnsubscribeParams; result: Answers["events.unsubscribe"] };
  /**
   * Shows whether this coordinator has work, for an activity indicator.
   * `running` counts accepted receipts that have not ended and still have a client, and work from `activity.begin`.
   * Answers from a cache, requests with `activity: false` and the contents of paused queues (noticed after at most 2 s) do not count.
   * `fleet` is this number for all coordinators, up to 4 s old for the others; a stopped one counts until its lease ends.
   * By default, `active` becomes true 1 s after the first work, if there is work then, and false 0.17 s after the last.
   * `activity.changed` reports each change once.
   */
  "activity.get": { params: Record<string, never>; result: Answers["activity.get"] };
  /** Counts the client's own work as work of this coordinator, until `activity.end` or the end of the connection: at most 100 at once. */
  "activity.begin": { params: Record<string, never>; result: Answers["activity.begin"] };
  /** Ends work that this connection began with `activity.begin`. */
  "activity.end": { params: ActivityEndParams; result: Answers["activity.end"] };
  /** Answers at once, without asking Redis. */
  "system.ping": { params: Record<string, never>; result: Answers["system.ping"] };
  /**
   * Shows uptime and limits of this coordinator, and the client that asks.
   * `coordinators` is the number of live ones. Only an admin sees `version`, `versions`, `rpc`, `redis` and the host of `http`.
   * `identity` has the `name`, `role`, `scope` and `queues` of the client's token or certificate.
   * For a name with limits it also has `limits`, and in `left` how much of them is left here: `burst`, `running`, `queued` and `uploads` in bytes.
   */
  "system.info": { params: Record<string, never>; result: Answers["system.info"] };
  /**
   * Checks every invariant of every queue in Redis, page by page, so that other work goes on.
   * One check runs at a time; clients that ask meanwhile get its answer. Needs the role `admin` where tokens are required.
   */
  "system.validate": { params: Record<string, never>; result: Answers["system.validate"] };
  /** Authenticates this connection with a token. Where the operator requires tokens, other methods fail before this call. */
  "session.authenticate": { params: SessionAuthenticateParams; result: Answers["session.authenticate"] };
  /** Describes this interface. */
  "rpc.discover": { params: Record<string, never>; result: Answers["rpc.discover"] };
  /**
   * Shows what all coordinators and workers did.
   * A point is a second of the last 15 minutes, or 15 seconds or a minute of the last day.
   * The `time` of a point is the whole second before its end, in seconds since 1970.
   * Its `seconds` is the covered time; it differs from `step` after a change of the clock or a pause of the coordinator.
   * Its `counts` and `errors` are by name; errors of 0 are left out.
   * Its `phases` have `count`, `sum`, `p50`, `p95` and `p99` in seconds, by the histograms of all processes together.
   * Their `buckets` are that histogram: the place of the first bucket that is not 0, then the counts from there on.
   * The `bounds` are the upper ends of all buckets; a time above the last one is in `count` alone.
   * Histograms of several points add up, and quantiles do not.
   * The `formats` have `bytes` of results, and the bytes `ofSources` from which these were made.
   * Numbers may have fractions: totals come every 3 s, and are spread. A coordinator knows nothing from before its start.
   * A process tells nothing of its first seconds, before its first heartbeat. Needs the role `admin` where tokens are required.
   */
  "stats.series": { params: StatsSeriesParams; result: Answers["stats.series"] };
  /**
   * Lists the fetches that run, with their last known phase.
   * Progress is there if a client wants progress. URLs have no parts that may be secret. Needs the role `admin` where tokens are required.
   */
  "runs.list": { params: RunsListParams; result: Answers["runs.list"] };
  /**
   * Lists the hosts with running fetches, those that are held until a time, and those with failures that `failures.list` knows.
   * The busiest come first. Needs the role `admin` where tokens are required.
   */
  "hosts.list": { params: HostsListParams; result: Answers["hosts.list"] };
  /**
   * Lists the latest 1,000 results, the newest first.
   * The coordinator begins to listen with the first call, and stops two minutes after the last one.
   * Some are left out where more than 20 results come in a second.
   * The page's own requests have the `tag` `dashboard`, and are left out here and in `failures.list`.
   * With `tag` it lists all results with this tag of `cache.tags` that the index of any queue still has, those that may stay longest first.
   * These have no `receipt`, `from` and `timings`.
   * No index is by host, so `host` only chooses among these results: a page may be empty and have a `cursor` all the same.
   * Needs the role `admin` where tokens are required.
   */
  "pictures.list": { params: PicturesListParams; result: Answers["pictures.list"] };
  /**
   * Shows the operations that made a result in a cache, in their canonical form.
   * URLs have no parts that may be secret. With more than 2048 bytes, only their names are there.
   * Null: the bytes came as they are, or an earlier version has made them. Needs the role `admin` where tokens are required.
   */
  "pictures.get": { params: PicturesGetParams; result: Answers["pictures.get"] };
  /**
   * Makes the URL of a picture for the picture door of this coordinator, signed with its first pair of keys.
   * The path is good there until the pair goes. Nothing is loaded. A picture that no such URL shows is refused with the operation or the member.
   * `signed` is false where the door has no keys. Needs the role `admin` where tokens are required.
   */
  "pictures.url": { params: PicturesUrlParams; result: Answers["pictures.url"] };
  /**
   * Lists the latest failures by error, status and host, the latest first.
   * The coordinator listens as for `pictures.list`. The `sample` is the last of them. If no decoder could read the source, `received` shows what came.
   * A download whose type is refused ends at its head, before any byte.
   * Its `start` has the first 64 bytes in hexadecimal digits, and its `format` is what they look like. No bytes of a source with credentials are there.
   * The `crashes` are the latest 10 pictures that killed a pixel process, with their digests. Clients find `received` in the data of the error too.
   * Needs the role `admin` where tokens are required.
   */
  "failures.list": { params: FailuresListParams; result: Answers["failures.list"] };
  /**
   * Asks again for the sources of one group of `failures.list`.
   * Its dead letters are queued as by `dead.retry`, the latest first.
   * Its other sources leave the blacklist, so that the next request for them asks their origin: Redis keeps no fetch of them.
   * At most 2,000 entries of the blacklist of each queue are looked at. Needs the role `admin` where tokens are required.
   */
  "failures.retry": { params: FailuresRetryParams; result: Answers["failures.retry"] };
}

/** The members that have a value. */
function given<T extends object>(members: T): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
}

/** Changes the size. With one side given, the other follows. Never enlarges without `enlarge`. A side or a scale is given. */
export function resize(options: Omit<ResizeOperation, "op">): ResizeOperation;
export function resize(width?: number, height?: number, options?: Omit<ResizeOperation, "op" | "width" | "height">): ResizeOperation;
export function resize(width?: number | Omit<ResizeOperation, "op">, height?: number, options?: Omit<ResizeOperation, "op" | "width" | "height">): ResizeOperation {
  if (typeof width === "object") return { op: "resize", ...width };
  return { op: "resize", ...given({ width, height }), ...options };
}

/** Cuts a rectangle out, by x and y or by a gravity. Parts of the rectangle outside the picture are left out. */
export function crop(options: Omit<CropOperation, "op"> = {}): CropOperation {
  return { op: "crop", ...options };
}

/**
 * Cuts off edges of one color: that of the top left corner, unless one is named.
 * A transparent corner cuts off transparent edges. A picture of one color stays as it is. An animation loses the edge that all its frames share.
 * In a source with lossy compression (JPEG, AVIF, HEIF, most WebP), details one pixel thin count as noise.
 */
export function trim(options: Omit<TrimOperation, "op"> = {}): TrimOperation {
  return { op: "trim", ...options };
}

/** Adds pixels of a color at each edge. Negative numbers take pixels away, as inset does. */
export function extend(options: Omit<ExtendOperation, "op"> = {}): ExtendOperation {
  return { op: "extend", ...options };
}

/** Takes pixels away at each edge. Negative numbers add pixels of a color, as extend does. */
export function inset(options: Omit<InsetOperation, "op"> = {}): InsetOperation {
  return { op: "inset", ...options };
}

/** Puts the picture on a canvas of at least this size, or of this shape. The picture is neither cut nor scaled. */
export function pad(options: Omit<PadOperation, "op">): PadOperation;
export function pad(width?: number, height?: number, options?: Omit<PadOperation, "op" | "width" | "height">): PadOperation;
export function pad(width?: number | Omit<PadOperation, "op">, height?: number, options?: Omit<PadOperation, "op" | "width" | "height">): PadOperation {
  if (typeof width === "object") return { op: "pad", ...width };
  return { op: "pad", ...given({ width, height }), ...options };
}

/** Turns the picture clockwise around its middle. */
export function rotate(angle: RotateOperation["angle"], options: Omit<RotateOperation, "op" | "angle"> = {}): RotateOperation {
  return { op: "rotate", angle, ...options };
}

/** Mirrors the picture. */
export function flip(options: Omit<FlipOperation, "op"> = {}): FlipOperation {
  return { op: "flip", ...options };
}

/** Rounds corners; the outside becomes transparent. A border runs along the inside of the edge. */
export function roundCorners(radius: RoundCornersOperation["radius"], options: Omit<RoundCornersOperation, "op" | "radius"> = {}): RoundCornersOperation {
  return { op: "roundCorners", radius, ...options };
}

/** Draws a line along the edges, inside the picture. */
export function border(width: BorderOperation["width"], options: Omit<BorderOperation, "op" | "width"> = {}): BorderOperation {
  return { op: "border", width, ...options };
}

/** Keeps a shape in the middle of the picture, or the shape that another picture gives. Everything else becomes transparent; the size stays. */
export function mask(options: Omit<MaskOperation, "op"> = {}): MaskOperation {
  return { op: "mask", ...options };
}

/** Lays another picture over this one. The size stays; parts outside are cut off. */
export function composite(url: CompositeOperation["url"], options: Omit<CompositeOperation, "op" | "url"> = {}): CompositeOperation {
  return { op: "composite", url, ...options };
}

/** Draws text over the picture. The size stays; parts outside are cut off. The text is plain, never markup. */
export function text(text: TextOperation["text"], options: Omit<TextOperation, "op" | "text"> = {}): TextOperation {
  return { op: "text", text, ...options };
}

/** Puts the picture on a color, which replaces transparency. The command line calls this operation `--flatten`. */
export function background(options: Omit<BackgroundOperation, "op"> = {}): BackgroundOperation {
  return { op: "background", ...options };
}

/** Blurs by the sigma of a Gaussian or the radius of three box blurs (as YYWebImage). Then changes the saturation, then lays a color over it. */
export function blur(options: Omit<BlurOperation, "op"> = {}): BlurOperation {
  return { op: "blur", ...options };
}

/** Sharpens the lightness, edges twice as much as flat areas. */
export function sharpen(options: Omit<SharpenOperation, "op"> = {}): SharpenOperation {
  return { op: "sharpen", ...options };
}

/** Replaces the picture by squares, each with the average color of its part, from the top left corner. */
export function pixelate(options: Omit<PixelateOperation, "op"> = {}): PixelateOperation {
  return { op: "pixelate", ...options };
}

/** Changes brightness, contrast, saturation, hue and gamma, in this order, as the CSS filters of these names. */
export function modulate(options: Omit<ModulateOperation, "op"> = {}): ModulateOperation {
  return { op: "modulate", ...options };
}

/** Makes the picture gray: saturation 0, with the weights 0.2126, 0.7152 and 0.0722 of red, green and blue. */
export function grayscale(): GrayscaleOperation {
  return { op: "grayscale" };
}

/** Gives the brown of old photographs, as the CSS filter of this name. */
export function sepia(options: Omit<SepiaOperation, "op"> = {}): SepiaOperation {
  return { op: "sepia", ...options };
}

/** Replaces every color by its opposite, as in a negative. Transparency stays. */
export function invert(): InvertOperation {
  return { op: "invert" };
}

/** Colors the picture. sourceIn: one color in the picture's shape. Other blends: the color mixed with the picture. */
export function tint(color: TintOperation["color"], options: Omit<TintOperation, "op" | "color"> = {}): TintOperation {
  return { op: "tint", color, ...options };
}

/** Maps dark to one opaque color and light to another. */
export function duotone(options: Omit<DuotoneOperation, "op"> = {}): DuotoneOperation {
  return { op: "duotone", ...options };
}

/**
 * Chooses frames of an animated picture: the picked ones, or the first ones.
 * Then reverses them, then changes their pace. A format that cannot move gets the first remaining frame.
 * All frames up to the last wanted one may have 2,000 million pixels.
 */
export function frames(options: Omit<FramesOperation, "op"> = {}): FramesOperation {
  return { op: "frames", ...options };
}

/**
 * Makes an animation of this picture and others, or of the frames in this picture (a sprite sheet).
 * Later operations change each frame, earlier ones only this picture.
 * A format that cannot move gets the first frame; without a named format, the result is WebP.
 */
export function animate(options: Omit<AnimateOperation, "op"> = {}): AnimateOperation {
  return { op: "animate", ...options };
}

/** Turns the picture upright by its EXIF orientation, before any other operation. On by default; name the operation only to switch it off. */
export function autorotate(options: Omit<AutorotateOperation, "op"> = {}): AutorotateOperation {
  return { op: "autorotate", ...options };
}
