import type { OutputOptions, Place, ResizeOperation } from "./generated.ts";
import type { Source } from "./client.ts";

/** The settings of a signer. */
export interface SignerOptions {
  /** The address of the picture door, such as `https://pictures.example.org`. Default: none, for a path. */
  readonly base?: string;
  /** The key in hexadecimal digits: the first word of the file of `--images-keys`. Without it the URL has the signature `unsafe`. */
  readonly key?: string;
  /** The salt in hexadecimal digits: the second word. */
  readonly salt?: string;
}

/** What a picture URL asks for. The words are those of `load`, and `options` has any others of imgproxy. */
export interface PictureOptions {
  readonly width?: number;
  readonly height?: number;
  /** How the picture gets the size. Default: `inside`. */
  readonly fit?: Extract<ResizeOperation["fit"], "inside" | "cover" | "coverDown" | "auto" | "fill">;
  /** The part to keep. */
  readonly gravity?: Place | "attention";
  readonly enlarge?: boolean;
  /** Device pixels for each pixel of width and height. */
  readonly dpr?: number;
  readonly quality?: number;
  /** Default: that of the source, or what the browser accepts. */
  readonly format?: Extract<OutputOptions["format"], "jpeg" | "png" | "webp" | "avif" | "gif" | "tiff" | "heif" | "jxl">;
  /** The name of a preset, or several. */
  readonly preset?: string | readonly string[];
  /** When the URL is refused from. */
  readonly expires?: Date;
  /** A picture in place of one that cannot be loaded. */
  readonly fallback?: string | URL;
  /** Another text makes another URL of the same picture. */
  readonly cacheBuster?: string;
  /** Further options of imgproxy, such as `bl:3/sh:1`. */
  readonly options?: string;
}

const fits = { inside: "fit", cover: "fill", coverDown: "fill-down", auto: "auto", fill: "force" } as const;
const places: Readonly<Record<Place | "attention", string>> = {
  center: "ce",
  top: "no",
  topRight: "noea",
  right: "ea",
  bottomRight: "soea",
  bottom: "so",
  bottomLeft: "sowe",
  left: "we",
  topLeft: "nowe",
  attention: "sm",
};

/**
 * Makes URLs for the picture door, in the form of imgproxy, without asking the service.
 *
 * The key belongs on a server: in a page everybody could read it, and sign any URL.
 */
export class Signer {
  #base: string;
  #salt: Uint8Array<ArrayBuffer>;
  #key?: Promise<CryptoKey>;

  /** @throws TypeError when key or salt are not hexadecimal, or one is missing. */
  constructor(options: SignerOptions) {
    this.#base = options.base?.replace(/\/+$/, "") ?? "";
    this.#salt = bytes(options.salt ?? "");
    if ((options.key === undefined) !== (options.salt === undefined)) throw new TypeError("give both the key and the salt, or none of them for unsigned URLs");
    if (options.key !== undefined) this.#key = crypto.subtle.importKey("raw", bytes(options.key), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  }

  /** Returns the URL of a picture. */
  async url(source: Exclude<Source, readonly unknown[]>, options: PictureOptions = {}): Promise<string> {
    const path = picturePath(String(source), options);
    return `${this.#base}/${await this.signature(path)}${path}`;
  }

  /** Returns the value of an attribute `srcset`: the same picture in several widths. */
  async srcset(source: Exclude<Source, readonly unknown[]>, widths: readonly number[], options: PictureOptions = {}): Promise<string> {
    const { width, height } = options;
    // The shape of the picture stays that of width and height.
    const heights = (one: number) => width && height ? { height: Math.round(one * height / width) } : {};
    const urls = await Promise.all(widths.map((one) => this.url(source, { ...options, width: one, ...heights(one) })));
    return urls.map((url, index) => `${url} ${widths[index]}w`).join(", ");
  }

  /** Returns the signature of a path: the part of a URL behind the signature, with its first slash. */
  async signature(path: string): Promise<string> {
    if (!this.#key) return "unsafe";
    const text = new TextEncoder().encode(path);
    const message = new Uint8Array(this.#salt.length + text.length);
    message.set(this.#salt);
    message.set(text, this.#salt.length);
    return base64url(new Uint8Array(await crypto.subtle.sign("HMAC", await this.#key, message)));
  }
}

/** Returns the part of a URL that is signed. Pure. */
export function picturePath(source: string, options: PictureOptions): string {
  const { width, height, fit, gravity, enlarge, dpr, quality, format, preset, expires, fallback, cacheBuster } = options;
  const parts: string[] = [];
  const add = (name: string, ...values: (string | number | undefined)[]) => parts.push([name, ...values].join(":"));
  if (preset !== undefined) add("pr", ...[preset].flat());
  if (fit !== undefined || (width !== undefined && height !== undefined)) add("rs", fits[fit ?? "inside"], width ?? 0, height ?? 0);
  else if (width !== undefined) add("w", width);
  else if (height !== undefined) add("h", height);
  if (enlarge) add("el", 1);
  if (gravity !== undefined) add("g", places[gravity]);
  if (dpr !== undefined) add("dpr", dpr);
  if (quality !== undefined) add("q", quality);
  if (fallback !== undefined) add("fiu", base64url(new TextEncoder().encode(String(fallback))));
  if (expires !== undefined) add("exp", Math.floor(expires.getTime() / 1000));
  if (cacheBuster !== undefined) add("cb", cacheBuster);
  if (options.options) parts.push(options.options.replace(/^\/+|\/+$/g, ""));
  const encoded = base64url(new TextEncoder().encode(source));
  return `/${[...parts, encoded].join("/")}${format === undefined ? "" : `.${format === "heif" ? "heic" : format}`}`;
}

function base64url(data: Uint8Array): string {
  return btoa(Array.from(data, (byte) => String.fromCharCode(byte)).join("")).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function bytes(hex: string): Uint8Array<ArrayBuffer> {
  if (!/^([0-9a-fA-F]{2})*$/.test(hex)) throw new TypeError("key and salt are pairs of hexadecimal digits");
  return Uint8Array.from({ length: hex.length / 2 }, (_, index) => parseInt(hex.slice(2 * index, 2 * index + 2), 16));
}
