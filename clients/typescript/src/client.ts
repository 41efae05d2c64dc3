import { address, addresses } from "./address.ts";
import { Caches, type Caller } from "./cache.ts";
import { Connector, type Token } from "./connector.ts";
import { TintypeError } from "./errors.ts";
import type { EventMaker } from "./events.ts";
import type { BatchStartParams, ImageRequest, ImageResult, Methods, Operation, OutputOptions, PrefetchStartParams, RenditionInfo } from "./generated.ts";
import { type GroupEvent, type GroupHost, GroupTask } from "./group.ts";
import { HTTPTransport } from "./http.ts";
import { LoadedImage, Rendition } from "./image.ts";
import { Queue, type QueueHost } from "./queue.ts";
import type { GroupState, ProbeResult } from "./answers.ts";
import { receiptID } from "./receipt-id.ts";
import type { TLSOptions } from "./socket.ts";
import { ImageTask } from "./task.ts";
import { TCPTransport } from "./tcp.ts";
import type { Transport, WireEvent } from "./transport.ts";

/** The settings of a client. All times are in seconds, as everywhere in the protocol. */
export interface TintypeOptions {
  /** The token, where the service requires one; or a function that returns the current one. */
  readonly token?: Token;
  /** Members for every request that does not have them itself, such as `queue`, `deadline` or `cache`. */
  readonly defaults?: Partial<ImageRequest>;
  /** For a client over TCP: an HTTP port, for URLs of pictures, uploads, and results of more than 8 MiB. */
  readonly http?: string | URL;
  /** For `tls://`: authorities, a certificate of the client. Those of `https://` belong to `fetch`. */
  readonly tls?: TLSOptions;
  /** Another `fetch`, such as one with a proxy or authorities of its own. */
  readonly fetch?: typeof fetch;
  /** Seconds for a call that has no deadline of its own, all its tries included. Default: 30. */
  readonly timeout?: number;
  /** Seconds for opening a connection. Default: 5. */
  readonly connectTimeout?: number;
  /** Seconds without an answer after which the client asks whether the coordinator is alive, and the seconds for that answer. Default: 5. */
  readonly heartbeat?: number;
  /** Returns the caller's place in a trace (W3C Trace Context), for each request: `traceparent`, and perhaps `tracestate`. */
  readonly trace?: () => Readonly<Record<string, string>>;
}

/** The members of a request beside its URL and its operations, and what the client adds. */
export interface LoadOptions extends Omit<ImageRequest, "url" | "urls" | "transform"> {
  /** The format of the result: short for `output: { format }`. */
  readonly format?: OutputOptions["format"];
  /** The quality of the result: short for `output: { quality }`. */
  readonly quality?: OutputOptions["quality"];
  /** Gives the request up. Work that only this client wants ends. */
  readonly signal?: AbortSignal;
}

/** A URL, or mirrors of one picture. */
export type Source = string | URL | readonly (string | URL)[];

/** Seconds for the way to the service and back, beside the deadline of a request. */
const grace = 5;
/** Seconds for which a receipt goes on without its client (docs/protocol.md, Disconnecting). After them a cancel comes too late. */
const receiptGrace = 30;
/** Withdrawals without an answer. Further ones are left out, and the grace ends their receipts. */
const mostWithdrawals = 1000;

/**
 * A client of Tintype.
 *
 * It connects when it is first used, finds another coordinator when one is lost, and repeats what may be repeated.
 * One client is enough for a program: it may have any number of requests under way.
 */
export class Tintype implements Caller, QueueHost, GroupHost, EventMaker {
  /** The caches of the service. */
  readonly cache: Caches;
  #transport: Transport;
  #options: TintypeOptions;
  /** Where the bytes are. */
  #web?: HTTPTransport;
  #withdrawals = 0;

  /**
   * @param url One address or several: `tcp://HOST:7411`, `tls://HOST:7411`, `http://HOST:7412` or `https://HOST`. In a page `/` means its own server.
   * @throws TypeError when an address cannot be read.
   */
  constructor(url: string | URL | readonly (string | URL)[], options: TintypeOptions = {}) {
    const all = addresses(url);
    const { token, tls, connectTimeout = 5, heartbeat = 5, http } = options;
    const web = { ...token === undefined ? {} : { token }, ...options.fetch ? { fetch: options.fetch } : {}, heartbeat };
    this.#options = options;
    this.cache = new Caches(this);
    if (all[0]!.kind === "http") {
      this.#transport = this.#web = new HTTPTransport(all, web);
    } else {
      this.#transport = new TCPTransport(new Connector(all, { connectTimeout, heartbeat, ...token === undefined ? {} : { token }, ...tls ? { tls } : {} }));
      if (http !== undefined) this.#web = new HTTPTransport([address(http)], web);
    }
  }

  /** The address of the coordinator in use. */
  get address(): string {
    return this.#transport.address;
  }

  /**
   * Loads an image.
   *
   * When the connection is lost, the request is repeated: the service shares a download that still runs, and answers from its caches.
   * A request whose repetition could have a second effect gets a receipt, under which the service knows it again.
   *
   * @throws TintypeError as the service answers; `connect` or `connectionLost` when no coordinator answers in time; the reason of the signal.
   */
  async load(source: Source, transform?: readonly Operation[], options: LoadOptions = {}): Promise<LoadedImage> {
    const request = this.#request(source, transform, options);
    const named = request.receipt === undefined && hasEffects(request) ? { ...request, receipt: receiptID() } : request;
    try {
      return this.image(await this.#transport.call("image.load", this.#traced(named), this.#until(request), options.signal) as ImageResult);
    } catch (error) {
      // A receipt goes on for a while without its client: over HTTP, and where its connection was lost before.
      if (options.signal?.aborted && named.receipt !== undefined) this.#withdraw(named.receipt);
      throw error;
    }
  }

  /**
   * Submits an image and returns at once. Await the task for the image, or loop over its events.
   *
   * The request has a receipt, which is taken up again after a lost connection: nothing is asked twice.
   */
  submit(source: Source, transform?: readonly Operation[], options: LoadOptions = {}): ImageTask {
    const request = this.#request(source, transform, options);
    const receipt = request.receipt ?? receiptID();
    const params = this.#traced({ ...request, receipt });
    return new ImageTask(receipt, {
      ...this.#tasks,
      follow: (sink, signal) => this.#transport.follow({ receipt, request: params }, sink, this.#until(request), signal),
    }, { hasProgress: Boolean(request.progress), ...options.signal ? { signal: options.signal } : {} });
  }

  /**
   * Takes up a receipt that this or another client has submitted.
   *
   * @param options A signal ends the watch, and the receipt goes on; `timeout` is the seconds after which the task gives up, 600 by default.
   */
  task(receipt: string, options: { readonly signal?: AbortSignal; readonly timeout?: number } = {}): ImageTask {
    const { signal, timeout = 600 } = options;
    return new ImageTask(receipt, {
      ...this.#tasks,
      follow: (sink, stop) => this.#transport.follow({ receipt }, sink, performance.now() + timeout * 1000, stop),
    }, { isTakenUp: true, ...signal ? { signal } : {} });
  }

  /** What all tasks need. */
  get #tasks() {
    return {
      call: (method: string, params: object) => this.#transport.call(method, params, this.#until()),
      image: (result: ImageResult) => this.image(result),
      rendition: (info: RenditionInfo) => this.rendition(info),
    };
  }

  /** Describes a source: its size, format and what `describe` asks for. Reads no more of it than that needs. */
  async probe(source: Source, options: Omit<LoadOptions, "format" | "quality" | "output" | "renditions"> = {}): Promise<ProbeResult> {
    const request = this.#request(source, undefined, options);
    return await this.#transport.call("image.probe", this.#traced(request), this.#until(request), options.signal) as ProbeResult;
  }

  /** Loads images into the caches, a few at a time. Failed ones are skipped. */
  prefetch(
    sources: readonly Source[],
    transform?: readonly Operation[],
    options: LoadOptions & Pick<PrefetchStartParams, "concurrency"> = {},
  ): GroupTask<{ readonly finished: number; readonly skipped: number; readonly errors: readonly { readonly index: number; readonly error: TintypeError }[] }> {
    const { concurrency, signal, ...rest } = options;
    const items = sources.map((source) => this.#item(this.#request(source, transform, rest)));
    return this.#group("prefetch.start", { items, ...concurrency === undefined ? {} : { concurrency } }, items.length, signal, (state, events) => {
      const errors = events.flatMap((event) => event?.type === "failed" ? [{ index: event.index, error: event.error }] : []);
      return { finished: state.finished, skipped: state.skipped ?? errors.length, errors };
    });
  }

  /**
   * Loads many images as one group. As with `Promise.all` the first failure ends it; with `mode: "settleAll"` each has its own end, as with
   * `Promise.allSettled`.
   *
   * A group is not begun again once it may have arrived: after a lost answer the error is `connectionLost`.
   */
  batch(requests: readonly ImageRequest[], options: BatchOptions & { readonly mode: "settleAll" }): GroupTask<readonly PromiseSettledResult<LoadedImage>[]>;
  batch(requests: readonly ImageRequest[], options?: BatchOptions & { readonly mode?: "failFast" }): GroupTask<readonly LoadedImage[]>;
  batch(requests: readonly ImageRequest[], options: BatchOptions = {}): GroupTask<readonly (LoadedImage | PromiseSettledResult<LoadedImage>)[]> {
    const { signal, ...rest } = options;
    const items = requests.map((request) => this.#item(request));
    return this.#group("batch.start", { items, ...rest }, items.length, signal, (_, events) => {
      return events.map((event) => options.mode === "settleAll" ? settled(event) : (event as GroupEvent & { type: "image" }).image);
    });
  }

  /** Loads images one after the other. A text such as `${steps[0].source.finalURL}` in a step stands for that member of an earlier result. */
  chain(steps: readonly ImageRequest[], options: Omit<BatchOptions, "mode" | "concurrency"> = {}): GroupTask<readonly LoadedImage[]> {
    const { signal, ...rest } = options;
    return this.#group("chain.start", { steps: steps.map((step) => this.#item(step)), ...rest }, steps.length, signal, (_, events) => {
      return events.map((event) => (event as GroupEvent & { type: "image" }).image);
    });
  }

  /** Returns the handle of a queue. */
  queue(name = "default"): Queue {
    return new Queue(name, this);
  }

  /**
   * Keeps bytes as a source for a while, over HTTP.
   *
   * @returns `url`, which stands wherever a request names a URL.
   */
  async upload(bytes: BodyInit, options: { readonly signal?: AbortSignal } = {}): Promise<Upload> {
    if (!this.#web) throw new TypeError("an upload needs HTTP: give the address of an HTTP port as the option http");
    return await this.#web.upload(bytes, performance.now() + 300_000, options.signal) as Upload;
  }

  /** Calls any method of the protocol. */
  async call<Name extends keyof Methods>(
    method: Name,
    params: Methods[Name]["params"],
    options?: { readonly signal?: AbortSignal; readonly timeout?: number },
  ): Promise<Methods[Name]["result"]>;
  async call(method: string, params: object, seconds?: number, signal?: AbortSignal): Promise<unknown>;
  async call(
    method: string,
    params: object,
    options: number | { readonly signal?: AbortSignal; readonly timeout?: number } = {},
    signal?: AbortSignal,
  ): Promise<unknown> {
    const given = typeof options === "number" ? { timeout: options, signal } : options;
    return await this.#transport.call(method, this.#traced(params), this.#until(params as ImageRequest & { wait?: number }, given.timeout), given.signal);
  }

  /** Ends the connection. Calls that have no answer yet fail; receipts and groups go on in the service. */
  close(): void {
    this.#transport.close();
    this.#web?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.close();
    return Promise.resolve();
  }

  /** @internal */
  image(result: ImageResult): LoadedImage {
    return new LoadedImage(result, this.#web?.address, (rendition, signal) => this.#bytes(rendition, signal));
  }

  /** @internal */
  rendition(info: RenditionInfo): Rendition {
    return new Rendition(
      info,
      info.url !== undefined && this.#web ? this.#web.address + info.url : undefined,
      (rendition, signal) => this.#bytes(rendition, signal),
    );
  }

  /** @internal */
  watch(queue: string, signal: AbortSignal): AsyncIterable<WireEvent> {
    return this.#transport.watch(queue, signal);
  }

  /** Cancels a receipt that nobody waits for any more, on the next connection if there is none. */
  #withdraw(receipt: string): void {
    if (this.#withdrawals >= mostWithdrawals) return;
    this.#withdrawals++;
    const until = performance.now() + receiptGrace * 1000;
    this.#transport.call("receipt.cancel", { receipt }, until).catch(() => {}).finally(() => this.#withdrawals--);
  }

  #bytes(rendition: RenditionInfo, signal?: AbortSignal) {
    return (this.#web ?? this.#transport).bytes(rendition, signal);
  }

  #request(source: Source, transform: readonly Operation[] | undefined, options: LoadOptions): ImageRequest {
    const { format, quality, signal: _, ...rest } = options;
    const request: Record<string, unknown> = this.#withDefaults(rest);
    if (Array.isArray(source)) request.urls = source.map(String);
    else request.url = String(source);
    if (transform?.length) request.transform = transform;
    if (format !== undefined || quality !== undefined) {
      request.output = {
        ...request.output as OutputOptions | undefined,
        ...format === undefined ? {} : { format },
        ...quality === undefined ? {} : { quality },
      };
    }
    return request;
  }

  /** An item of a group has a receipt of the client, by which the service knows it as long as other requests. */
  #item(request: ImageRequest): ImageRequest {
    return { receipt: receiptID(), ...this.#withDefaults(request) } as ImageRequest;
  }

  /** Fills in the defaults. Renditions have operations and formats of their own. */
  #withDefaults(request: Partial<ImageRequest>): Partial<ImageRequest> {
    const { transform, output, ...defaults } = this.#options.defaults ?? {};
    const outputs = { ...transform ? { transform } : {}, ...output ? { output } : {} };
    return { ...defaults, ...request.renditions ? {} : outputs, ...request };
  }

  #group<End>(
    method: "batch.start" | "chain.start" | "prefetch.start",
    params: object,
    total: number,
    signal: AbortSignal | undefined,
    end: (state: GroupState, items: readonly (GroupEvent | undefined)[]) => End,
  ): GroupTask<End> {
    const start = async () => {
      signal?.throwIfAborted();
      // The signal cancels the group by its id, which has to come.
      return (await this.#transport.call(method, this.#traced(params), this.#until()) as { group: string }).group;
    };
    return new GroupTask(this, start, total, end, signal);
  }

  /** The parameters, and the caller's place in a trace. */
  #traced<Params extends object>(params: Params): Params {
    const place = this.#options.trace?.();
    return place && Object.keys(place).length > 0 ? { ...params, _meta: place } : params;
  }

  /** When a call is given up, by `performance.now()`. */
  #until(request: { readonly deadline?: number; readonly wait?: number; readonly url?: string; readonly urls?: unknown } = {}, timeout?: number): number {
    const own = request.url !== undefined || request.urls !== undefined ? (request.deadline ?? 30) + grace : undefined;
    return performance.now() + ((timeout ?? own ?? this.#options.timeout ?? 30) + (request.wait ?? 0)) * 1000;
  }
}

/** The answer to an upload. */
export interface Upload {
  /** Stands wherever a request names a URL, until `expiresAt`. */
  readonly url: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly contentType?: string;
  /** In seconds since 1970. */
  readonly expiresAt: number;
}

/** The settings of a batch. */
export type BatchOptions = Omit<BatchStartParams, "items" | "hooks"> & { readonly signal?: AbortSignal };

/** Whether a request that is made twice could do something twice. No memory answers such a request, so that a receipt costs nothing more. */
function hasEffects(request: ImageRequest): boolean {
  const { cache, fetch } = request;
  const asksTwice = cache?.policy !== undefined && cache.policy !== "default" && cache.policy !== "only";
  return asksTwice || (cache?.ttl ?? 0) < 0 || cache?.pin === true || request.slot !== undefined || request.saveTo !== undefined ||
    request.callback !== undefined ||
    (fetch?.method ?? "GET") !== "GET";
}

function settled(event: GroupEvent | undefined): PromiseSettledResult<LoadedImage> {
  if (event?.type === "image") return { status: "fulfilled", value: event.image };
  return { status: "rejected", reason: event?.error ?? TintypeError.make("cancelled", "the item was cancelled with its group") };
}
