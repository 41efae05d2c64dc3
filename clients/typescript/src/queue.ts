import type { Caller } from "./cache.ts";
import { TintypeError } from "./errors.ts";
import { type EventMaker, type TaskEvent, taskEvent } from "./events.ts";
import type { QueueConfigureParams, QueueInfo } from "./generated.ts";
import type { DeadLetter } from "./answers.ts";
import type { WireEvent } from "./transport.ts";

/** What a queue needs of its client. */
export interface QueueHost extends Caller, EventMaker {
  watch(queue: string, signal: AbortSignal): AsyncIterable<WireEvent>;
}

/** A fetch that has failed for good. */
export class Dead implements DeadLetter {
  readonly id: string;
  readonly url: string;
  readonly attempts: number;
  readonly at: number;
  readonly retryable: boolean;
  /** Why. */
  readonly failure: TintypeError;
  readonly error: DeadLetter["error"];
  #queue: Queue;

  constructor(letter: DeadLetter, queue: Queue) {
    ({ id: this.id, url: this.url, attempts: this.attempts, at: this.at, retryable: this.retryable, error: this.error } = letter);
    this.failure = new TintypeError(letter.error);
    this.#queue = queue;
  }

  /** Queues it again, under the receipt `retry-ID`. Returns whether it was still there. */
  async retry(): Promise<boolean> {
    return await this.#queue.retry([this.id]) > 0;
  }

  /** Forgets it. */
  async remove(): Promise<boolean> {
    return await this.#queue.remove([this.id]) > 0;
  }
}

/** One queue of the service. */
export class Queue {
  #host: QueueHost;

  constructor(readonly name: string, host: QueueHost) {
    this.#host = host;
  }

  /** Returns its limits and numbers. */
  get(): Promise<QueueInfo> {
    return this.#host.call("queue.get", { queue: this.name });
  }

  /** Changes it, or makes it. */
  configure(settings: Omit<QueueConfigureParams, "queue">): Promise<QueueInfo> {
    return this.#host.call("queue.configure", { ...settings, queue: this.name });
  }

  /** Begins no more fetches. Running ones go on. */
  pause(): Promise<QueueInfo> {
    return this.#host.call("queue.pause", { queue: this.name });
  }

  resume(): Promise<QueueInfo> {
    return this.#host.call("queue.resume", { queue: this.name });
  }

  /** Cancels every receipt. */
  cancelAll(): Promise<QueueInfo> {
    return this.#host.call("queue.cancelAll", { queue: this.name });
  }

  /** All fetches that have failed for good, the newest first. */
  async *deadLetters(): AsyncGenerator<Dead, void, void> {
    let cursor: string | undefined;
    do {
      const page = await this.#host.call("dead.list", { queue: this.name, ...cursor === undefined ? {} : { cursor } });
      for (const letter of page.items) yield new Dead(letter, this);
      cursor = page.cursor;
    } while (cursor !== undefined);
  }

  /** Queues dead letters again. Returns how many. */
  async retry(ids: readonly string[]): Promise<number> {
    return (await this.#host.call("dead.retry", { queue: this.name, ids })).retried;
  }

  /** Forgets dead letters. Returns how many. */
  async remove(ids: readonly string[]): Promise<number> {
    return (await this.#host.call("dead.remove", { queue: this.name, ids })).removed;
  }

  /** The ends of all its receipts from now on, until the loop is left. A `gap` says that some are missing. */
  async *events(signal?: AbortSignal): AsyncGenerator<TaskEvent, void, void> {
    const stop = new AbortController();
    const abort = () => stop.abort(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
    try {
      for await (const event of this.#host.watch(this.name, stop.signal)) yield taskEvent(event, this.#host);
    } finally {
      signal?.removeEventListener("abort", abort);
      stop.abort();
    }
  }
}
