import type { Address } from "./address.ts";
import { Backoff, pause } from "./backoff.ts";
import { closed, type Token } from "./connector.ts";
import { isCertificateFault, LostWay, TintypeError } from "./errors.ts";
import { Pulse } from "./pulse.ts";
import type { ErrorBody, ReceiptState, SubmitResult } from "./answers.ts";
import type { ImageResult, RenditionInfo } from "./generated.ts";
import { delay, repeat, unrepeatable } from "./retry.ts";
import { ServerEvents } from "./server-events.ts";
import { terminal } from "./tcp.ts";
import { type Bytes, type Followed, isTerminal, type Transport, unknownType, type WireEvent } from "./transport.ts";
import { Turns } from "./turns.ts";

export interface HTTPOptions {
  readonly token?: Token;
  readonly fetch?: typeof fetch;
  readonly heartbeat: number;
}

/** A stream has a comment every 15 seconds. */
const mostSilence = 40_000;
/** Pages and their workers have six connections to a server over HTTP/1.1, for everything. */
const isPage = "document" in globalThis || ("WorkerGlobalScope" in globalThis && !("Deno" in globalThis));
const mostStreams = isPage ? 4 : 100;
/** Requests that wait for their image at a time, each on a connection of its own; a coordinator accepts a limited number from one address. */
const mostLoads = 100;

/** JSON-RPC by `POST /rpc`, and events by `GET /events`. */
export class HTTPTransport implements Transport {
  #current = 0;
  /** The places in `all` whose certificates were refused since the last answer of any. */
  #untrusted = new Set<number>();
  #pulses: Pulse[];
  #streams = new Turns(mostStreams);
  #loads = new Turns(mostLoads);
  #fetch: typeof fetch;
  #closed = false;

  constructor(readonly all: readonly Address[], readonly options: HTTPOptions) {
    this.#fetch = options.fetch ?? ((...given) => fetch(...given));
    this.#pulses = all.map(({ href }) => {
      const ask = (signal: AbortSignal) => this.#send(href, "/healthz", { signal }).then((answer) => answer.arrayBuffer());
      // In a page the question could wait behind the requests.
      return new Pulse(href, options.heartbeat, isPage ? undefined : ask);
    });
  }

  get address(): string {
    return this.all[this.#current]!.href;
  }

  async call(method: string, params: object, until: number, signal?: AbortSignal): Promise<unknown> {
    // What cancels a load must not wait behind it.
    const leave = method.startsWith("image.") ? await this.#loads.take(signal, until) : undefined;
    try {
      // fetch does not tell whether it has reached anybody: where a second try is none, a coordinator that answers is found first.
      if (unrepeatable.has(method)) await repeat("system.ping", until, signal, () => this.#once("system.ping", {}, until, signal));
      return await repeat(method, until, signal, () => this.#once(method, params, until, signal));
    } finally {
      leave?.();
    }
  }

  async #once(method: string, params: object, until: number, signal?: AbortSignal): Promise<unknown> {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    return await this.#request(method, "/rpc", { method: "POST", body, headers: { "Content-Type": "application/json" } }, until, signal, async (response) => {
      const answer = await json(response) as { result?: unknown; error?: ErrorBody } | undefined;
      // A limit of the client has the status 429, and the answer of the method all the same.
      if (answer?.error && typeof answer.error.code === "number") throw new TintypeError(answer.error);
      if (!response.ok || !answer) throw refusal(response, answer);
      return answer.result;
    });
  }

  async follow(
    work: Followed,
    sink: (event: WireEvent) => void,
    until: number,
    signal: AbortSignal,
  ): Promise<WireEvent> {
    const leave = await this.#streams.take(signal, until);
    const { receipt, request } = work;
    let isSubmitted = request === undefined;
    let last = "";
    try {
      return await repeat("image.submit", until, signal, async () => {
        if (request && !isSubmitted) {
          const event = terminal(await this.#once("image.submit", request, until, signal) as SubmitResult);
          if (event) return event;
          isSubmitted = true;
        }
        try {
          for await (const { id, event } of this.#stream(`receipt=${encodeURIComponent(receipt)}`, last, until, signal)) {
            if (id) last = id;
            if (isTerminal(event)) return await this.#whole(event, work, until, signal);
            const shown = await this.#shown(event, signal);
            if (shown) sink(shown);
          }
          // The stream has ended without a last event: its coordinator stops, or the client has the last event.
          const event = terminal(await this.#once("receipt.get", { receipt }, until, signal) as ReceiptState);
          if (event) return event;
        } catch (error) {
          if (!(error instanceof TintypeError) || error.name !== "unknownReceipt" || !request) throw error;
          // Redis has lost it.
          isSubmitted = false;
        }
        throw new LostWay("the stream of events has ended early", true);
      });
    } finally {
      leave();
    }
  }

  /** A terminal event of a stream has no bytes and no documents. */
  async #whole(
    event: WireEvent,
    { receipt, request }: Followed,
    until: number,
    signal: AbortSignal,
  ): Promise<WireEvent> {
    if (event.type !== "succeeded" || (request && request.deliver !== "inline" && (request.as ?? "image") === "image")) return event;
    const state = await this.call("receipt.get", { receipt }, until, signal) as ReceiptState;
    return { ...event, result: state.result ?? event.result as ImageResult };
  }

  /** A preview of a stream has a key in place of its bytes, for ten seconds. */
  async #shown(event: WireEvent, signal: AbortSignal): Promise<WireEvent | undefined> {
    if (event.type !== "preview" || typeof event.key !== "string") return event;
    try {
      const response = await this.#send(this.address, `/images/${event.key}`, { signal });
      return response.ok ? { ...event, data: new Uint8Array(await response.arrayBuffer()) } : undefined;
    } catch {
      return undefined;
    }
  }

  async *watch(queue: string, signal: AbortSignal): AsyncGenerator<WireEvent> {
    const backoff = new Backoff();
    const leave = await this.#streams.take(signal);
    let last = "";
    try {
      for (;;) {
        try {
          for await (const { id, event } of this.#stream(`queue=${encodeURIComponent(queue)}`, last, Infinity, signal)) {
            if (id) last = id;
            backoff.reset();
            if (event.type !== "state") yield event;
          }
          await pause(backoff.next(), signal);
        } catch (error) {
          signal.throwIfAborted();
          const seconds = delay(error, "events.subscribe", backoff);
          if (seconds === undefined) throw error;
          await pause(seconds, signal);
        }
      }
    } finally {
      leave();
    }
  }

  /** One stream of events. Bytes are read as the events are taken, so that a slow reader slows the coordinator down. */
  async *#stream(query: string, last: string, until: number, signal: AbortSignal): AsyncGenerator<{ id: string; event: WireEvent }> {
    const place = this.#current;
    const watched = this.#pulses[place]!.enter("GET /events", until, signal);
    const silent = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const heard = () => {
      watched.heard();
      clearTimeout(timer);
      timer = setTimeout(() => silent.abort(new LostWay("the stream of events is silent", true)), mostSilence);
    };
    try {
      heard();
      const headers: Record<string, string> = { Accept: "text/event-stream", ...last ? { "Last-Event-ID": last } : {} };
      const response = await this.#send(this.address, `/events?${query}`, { headers, signal: AbortSignal.any([watched.signal, silent.signal]) });
      this.#untrusted.clear();
      if (response.status === 204) return;
      if (!response.ok || !response.body) throw refusal(response, await json(response));
      const events = new ServerEvents();
      const reader = response.body.getReader();
      try {
        for (;;) {
          const { done, value } = await reader.read();
          if (done) return;
          heard();
          for (const { id, type, data } of events.take(value)) yield { id, event: { ...JSON.parse(data), type } };
        }
      } finally {
        reader.cancel().catch(() => {});
      }
    } catch (error) {
      throw this.#failure(error, place, signal);
    } finally {
      clearTimeout(timer);
      watched.leave();
    }
  }

  async bytes(rendition: Pick<RenditionInfo, "key" | "url">, signal?: AbortSignal): Promise<Bytes> {
    const path = rendition.url ?? (rendition.key && `/images/${rendition.key}`);
    if (!path) throw TintypeError.make("cacheMiss", "the result has no key: its request keeps no bytes", { phase: "cache" });
    const until = performance.now() + 30_000;
    return await repeat("GET /images", until, signal, () =>
      this.#request(`GET ${path}`, path, {}, until, signal, async (response) => {
        if (!response.ok) throw refusal(response, await json(response));
        return { data: new Uint8Array(await response.arrayBuffer()), type: response.headers.get("Content-Type") ?? unknownType };
      }));
  }

  /** Keeps bytes as a source for a while. */
  async upload(body: BodyInit, until: number, signal?: AbortSignal): Promise<unknown> {
    return await repeat("PUT /uploads", until, signal, () => {
      // A stream that has been read cannot be sent again.
      if (body instanceof ReadableStream && body.locked) throw TintypeError.make("storeFailed", "the upload broke off: its stream cannot be sent again");
      const init = { method: "PUT", body, ...body instanceof ReadableStream ? { duplex: "half" } : {} };
      return this.#request("PUT /uploads", "/uploads", init, until, signal, async (response) => {
        const answer = await json(response);
        if (!response.ok) throw refusal(response, answer);
        return answer;
      });
    });
  }

  close(): void {
    this.#closed = true;
    for (const pulse of this.#pulses) pulse.end(closed());
  }

  async #request<Value>(
    what: string,
    path: string,
    init: RequestInit,
    until: number,
    signal: AbortSignal | undefined,
    read: (response: Response) => Promise<Value>,
  ): Promise<Value> {
    if (this.#closed) throw closed();
    const place = this.#current;
    const watched = this.#pulses[place]!.enter(what, until, signal);
    try {
      const response = await this.#send(this.all[place]!.href, path, { ...init, signal: watched.signal });
      watched.heard();
      this.#untrusted.clear();
      return await read(response);
    } catch (error) {
      throw this.#failure(error, place, signal);
    } finally {
      watched.leave();
    }
  }

  async #send(base: string, path: string, init: RequestInit): Promise<Response> {
    const { token } = this.options;
    const headers = new Headers(init.headers);
    if (token !== undefined) headers.set("Authorization", `Bearer ${typeof token === "string" ? token : await token()}`);
    return await this.#fetch(base + path, { ...init, headers });
  }

  /**
   * Reads a failure, and turns to the next coordinator after one of the connection.
   * A wrong certificate of one says nothing about the others, so only that of the last is final.
   */
  #failure(error: unknown, place: number, signal?: AbortSignal): unknown {
    if (signal?.aborted) return signal.reason;
    const isUntrusted = !(error instanceof TintypeError) && isCertificateFault(error);
    if (isUntrusted) this.#untrusted.add(place);
    const message = `${this.all[place]!.href}: ${error instanceof Error ? error.message : error}`;
    const failure = error instanceof TintypeError
      ? error
      : isUntrusted && this.#untrusted.size === this.all.length
      ? TintypeError.make("tls", message, { retryable: false })
      : new LostWay(message, !isUntrusted, { cause: error });
    if (failure instanceof LostWay || failure.name === "shuttingDown" || isUntrusted) {
      if (place === this.#current) this.#current = (place + 1) % this.all.length;
    }
    return failure;
  }
}

async function json(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const names: Readonly<Record<number, "invalidParams" | "unauthenticated" | "forbidden" | "cacheMiss" | "limitExceeded" | "overloaded" | "unavailable">> = {
  400: "invalidParams",
  401: "unauthenticated",
  403: "forbidden",
  404: "cacheMiss",
  408: "unavailable",
  413: "limitExceeded",
  429: "overloaded",
  502: "unavailable",
  503: "unavailable",
  504: "unavailable",
};

/** Returns the error of an answer that is none of a method: the server has not read the message. */
function refusal(response: Response, body: unknown): TintypeError {
  const given = (body as { error?: ErrorBody & { name?: string } } | undefined)?.error;
  if (given && typeof given.code === "number") return new TintypeError(given);
  const seconds = Number(response.headers.get("Retry-After") ?? NaN);
  // A query may have a secret.
  const message = `${response.url.replace(/[?#].*/, "")}: status ${response.status}${given?.message ? `: ${given.message}` : ""}`;
  const more = { status: response.status, ...seconds >= 0 ? { retryAfter: seconds } : {}, ...given?.name ? { reason: given.name } : {} };
  return TintypeError.make(names[response.status] ?? "internal", message, more);
}
