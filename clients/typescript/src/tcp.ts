import { Backoff, longestTimer, pause } from "./backoff.ts";
import type { Connection } from "./connection.ts";
import type { Connector } from "./connector.ts";
import { TintypeError } from "./errors.ts";
import { delay, repeat } from "./retry.ts";
import type { SubmitResult } from "./answers.ts";
import type { ImageResult, RenditionInfo } from "./generated.ts";
import { type Bytes, type Followed, isTerminal, type Transport, unknownType, type WireEvent } from "./transport.ts";

/** Events of a queue that wait for a slow reader. Older ones give way, and a `gap` says so. */
const mostWaiting = 1000;

/** JSON-RPC over TCP: one connection for everything. */
export class TCPTransport implements Transport {
  constructor(readonly connector: Connector) {}

  get address(): string {
    return this.connector.address;
  }

  call(method: string, params: object, until: number, signal?: AbortSignal): Promise<unknown> {
    const connection = this.connector.live;
    // Nearly all calls end here: one promise for each.
    const again = (failure?: unknown) => repeat(method, until, signal, () => this.#once(method, params, until, signal), failure);
    if (!connection) return again();
    return connection.call(method, params, until, signal).catch((error) => {
      this.#mind(error, connection);
      return again(error);
    });
  }

  async #once(method: string, params: object, until: number, signal?: AbortSignal): Promise<unknown> {
    const connection = await this.connector.connection(until, signal);
    try {
      return await connection.call(method, params, until, signal);
    } catch (error) {
      this.#mind(error, connection);
      throw error;
    }
  }

  #mind(error: unknown, connection: Connection): void {
    if (error instanceof TintypeError && error.name === "shuttingDown") this.connector.leave(connection);
  }

  async follow(
    work: Followed,
    sink: (event: WireEvent) => void,
    until: number,
    signal: AbortSignal,
  ): Promise<WireEvent> {
    let isFirst = true;
    return await repeat("image.submit", until, signal, async () => {
      const connection = await this.connector.connection(until, signal);
      if (!isFirst) sink({ type: "gap", receipt: work.receipt });
      isFirst = false;
      try {
        return await this.#submit(connection, work, sink, until, signal);
      } catch (error) {
        this.#mind(error, connection);
        throw error;
      }
    });
  }

  /** Submits on one connection. The same receipt again is the same request, so that a repeated submit continues it. */
  #submit(
    connection: Connection,
    { receipt, request }: Followed,
    sink: (event: WireEvent) => void,
    until: number,
    signal: AbortSignal,
  ): Promise<WireEvent> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => done(() => reject(late(receipt))), Math.min(until - performance.now(), longestTimer));
      const abort = () => done(() => reject(signal.reason));
      const stop = connection.listen(receipt, {
        notice: (method, event) => {
          const read = method === "image.hook" ? { ...event, type: "hook" } : event as WireEvent;
          if (isTerminal(read)) done(() => resolve(read));
          else sink(read);
        },
        lost: (error) => done(() => reject(error)),
      });
      const done = (then: () => void) => {
        clearTimeout(timer);
        signal.removeEventListener("abort", abort);
        stop();
        then();
      };
      signal.addEventListener("abort", abort, { once: true });
      const answer = request ? connection.call("image.submit", request, until, signal) : connection.call("receipt.get", { receipt }, until, signal);
      answer.then((answer) => {
        const event = terminal(answer as SubmitResult);
        if (event) done(() => resolve(event));
      }, (error) => done(() => reject(error)));
    });
  }

  async *watch(queue: string, signal: AbortSignal): AsyncGenerator<WireEvent> {
    const backoff = new Backoff();
    for (let isFirst = true;; isFirst = false) {
      const waiting: WireEvent[] = [];
      let missed = !isFirst;
      let wake = () => {};
      let failure: unknown;
      let stop = () => {};
      try {
        const connection = await this.connector.connection(Infinity, signal);
        // Events may come in front of the answer that names the subscription.
        const answer = await connection.call("events.subscribe", { queue }, performance.now() + 30_000, signal) as { subscription: string };
        stop = connection.listen(answer.subscription, {
          notice: (_, event) => {
            if (waiting.length >= mostWaiting) {
              waiting.shift();
              missed = true;
            }
            waiting.push(event as WireEvent);
            wake();
          },
          lost: (error) => (failure = error, wake()),
        });
        const abort = () => (failure = signal.reason, wake());
        signal.addEventListener("abort", abort, { once: true });
        backoff.reset();
        try {
          while (failure === undefined || waiting.length) {
            if (missed) {
              missed = false;
              yield { type: "gap" };
            }
            const event = waiting.shift();
            if (event) yield event;
            else await new Promise<void>((resolve) => wake = resolve);
          }
        } finally {
          signal.removeEventListener("abort", abort);
          stop();
          if (failure === undefined) connection.call("events.unsubscribe", { subscription: answer.subscription }, performance.now() + 5000).catch(() => {});
        }
        throw failure;
      } catch (error) {
        stop();
        signal.throwIfAborted();
        const seconds = delay(error, "events.subscribe", backoff);
        if (seconds === undefined) throw error;
        await pause(seconds, signal);
      }
    }
  }

  async bytes(rendition: Pick<RenditionInfo, "key" | "url">, signal?: AbortSignal): Promise<Bytes> {
    if (!rendition.key) throw TintypeError.make("cacheMiss", "the result has no key: its request keeps no bytes", { phase: "cache" });
    const result = await this.call("cache.get", { key: rendition.key, deliver: "inline" }, performance.now() + 30_000, signal) as ImageResult;
    const [first] = result.renditions;
    if (typeof first?.data !== "string") {
      throw TintypeError.make("limitExceeded", `the ${first?.bytes} bytes are too many for TCP: give the address of an HTTP port as the option http`);
    }
    return { data: decode(first.data), type: first.contentType ?? unknownType };
  }

  close(): void {
    this.connector.close();
  }
}

/** Returns the terminal event of a receipt that had ended before its submit. */
export function terminal(answer: SubmitResult): WireEvent | undefined {
  if (answer.state === "succeeded" && answer.result) return { type: "succeeded", receipt: answer.receipt, result: answer.result };
  if (answer.state === "cancelled") return { type: "cancelled", receipt: answer.receipt, reason: answer.error?.data?.reason, phase: answer.error?.data?.phase };
  return answer.error ? { type: "failed", receipt: answer.receipt, error: answer.error } : undefined;
}

/** The error of a receipt that had no end in time. */
export function late(receipt: string): TintypeError {
  return TintypeError.make("deadlineExceeded", `the receipt ${receipt} had no end in time; ask for it again by its id`, { phase: "deliver" });
}

/** Returns the bytes of a text in base64. */
export function decode(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}
