import type { Description, ErrorBody, Json } from "./answers.ts";
import type { ImageResult, RenditionInfo, SourceInfo } from "./generated.ts";
import { TintypeError } from "./errors.ts";
import { decode } from "./tcp.ts";
import { type Bytes, unknownType } from "./transport.ts";

/** Reads the bytes of a rendition where it is kept. */
export type Reader = (rendition: RenditionInfo, signal?: AbortSignal) => Promise<Bytes>;

/** One output of a request: what is known of it, and its bytes. */
export class Rendition {
  #read: Reader;

  constructor(
    /** Everything that the service says of it. */
    readonly info: RenditionInfo,
    /** The absolute URL of the bytes, if the client knows an HTTP port. */
    readonly url: string | undefined,
    read: Reader,
  ) {
    this.#read = read;
  }

  get name(): string {
    return this.info.name ?? "default";
  }
  /** Its name in the caches. */
  get key(): string {
    return this.info.key;
  }
  get format(): string {
    return this.info.format ?? "";
  }
  get contentType(): string {
    return this.info.contentType ?? unknownType;
  }
  get width(): number {
    return this.info.width ?? 0;
  }
  get height(): number {
    return this.info.height ?? 0;
  }
  /** The number of bytes. */
  get size(): number {
    return this.info.bytes ?? 0;
  }

  /**
   * Reads the bytes. They are not kept: each call reads them again, except with `deliver: "inline"`.
   *
   * @throws TintypeError `cacheMiss` when they are kept no more.
   */
  async bytes(signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
    if (typeof this.info.data === "string") return decode(this.info.data);
    return (await this.#read(this.info, signal)).data;
  }

  /** Reads the bytes as a `Blob` of their media type, for `URL.createObjectURL` or `createImageBitmap`. */
  async blob(signal?: AbortSignal): Promise<Blob> {
    return new Blob([await this.bytes(signal)], { type: this.contentType });
  }
}

/** A loaded image: its renditions, and what is known of its source. The members of the first rendition are its own as well. */
export class LoadedImage {
  #renditions?: readonly Rendition[];

  constructor(
    /** The result as the service has sent it. */
    readonly result: ImageResult,
    private readonly base: string | undefined,
    private readonly read: Reader,
  ) {}

  /** All outputs, in the order of the request. */
  get renditions(): readonly Rendition[] {
    return this.#renditions ??= this.result.renditions.map((one) =>
      new Rendition(one, one.url !== undefined && this.base !== undefined ? this.base + one.url : undefined, this.read)
    );
  }

  /**
   * Returns the rendition of a name; without a name the first one.
   *
   * @throws RangeError when there is none.
   */
  rendition(name?: string): Rendition {
    const found = name === undefined ? this.renditions[0] : this.renditions.find((one) => one.name === name);
    if (!found) throw new RangeError(`there is no rendition ${name ?? ""}: ${this.renditions.map((one) => one.name).join(", ") || "the result has none"}`);
    return found;
  }

  get width(): number {
    return this.rendition().width;
  }
  get height(): number {
    return this.rendition().height;
  }
  get format(): string {
    return this.rendition().format;
  }
  get key(): string {
    return this.rendition().key;
  }
  get url(): string | undefined {
    return this.rendition().url;
  }
  get source(): SourceInfo {
    return this.result.source;
  }
  /** Where the result came from. */
  get from(): "remote" | "sources" | "results" | "memory" | "fallback" {
    return this.result.from as LoadedImage["from"];
  }
  /** What `describe` and `samples` found out. */
  get description(): Description {
    return this.result.description ?? {};
  }
  /** The placeholder in base64, with `describe: ["thumbhash"]`. */
  get thumbhash(): string | undefined {
    return this.description.thumbhash;
  }
  /** The document of a request with `as: "json"`. */
  get json(): Json | undefined {
    return this.result.json;
  }
  /** The document of a request with `as: "text"` or `as: "xml"`. */
  get text(): string | undefined {
    return this.result.text ?? undefined;
  }
  /** Why a fallback is there. */
  get failure(): TintypeError | undefined {
    return this.result.error ? new TintypeError(this.result.error as unknown as ErrorBody) : undefined;
  }

  /** Reads the bytes of the first rendition. */
  bytes(signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
    return this.rendition().bytes(signal);
  }

  /** Reads the bytes of the first rendition as a `Blob`. */
  blob(signal?: AbortSignal): Promise<Blob> {
    return this.rendition().blob(signal);
  }
}
