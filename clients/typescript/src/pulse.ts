import { longestTimer } from "./backoff.ts";
import { LostWay, TintypeError } from "./errors.ts";

/** One request that is watched. */
export interface Watched {
  /** Aborted when the request is given up. */
  readonly signal: AbortSignal;
  /** Says that bytes have come. */
  heard(): void;
  leave(): void;
}

interface OpenRequest {
  readonly controller: AbortController;
  readonly until: number;
  readonly what: string;
}

/** Watches the requests to one coordinator. When nothing comes for a while, the coordinator is asked whether it is alive, and all requests fail if it is not. */
export class Pulse {
  #open = new Set<OpenRequest>();
  #heard = 0;
  #timer?: ReturnType<typeof setInterval>;
  #isAsking = false;

  /**
   * @param patience Seconds without a sign of life before the question, and for its answer.
   * @param ask Asks whether the coordinator is alive; nothing where that would wait behind the requests themselves.
   */
  constructor(readonly name: string, readonly patience: number, readonly ask?: (signal: AbortSignal) => Promise<unknown>) {}

  /** Watches a request until it leaves. */
  enter(what: string, until: number, signal?: AbortSignal): Watched {
    const entry: OpenRequest = { controller: new AbortController(), until, what };
    const abort = () => entry.controller.abort(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
    if (!this.#open.size) this.#heard = performance.now();
    this.#open.add(entry);
    this.#timer ??= setInterval(() => this.#check(), Math.min(250, this.patience * 250));
    return {
      signal: entry.controller.signal,
      heard: () => this.#heard = performance.now(),
      leave: () => {
        signal?.removeEventListener("abort", abort);
        this.#open.delete(entry);
        if (this.#open.size) return;
        clearInterval(this.#timer);
        this.#timer = undefined;
      },
    };
  }

  /** Ends all requests. */
  end(error: unknown): void {
    for (const entry of this.#open) entry.controller.abort(error);
  }

  #check(): void {
    const now = performance.now();
    for (const { controller, until, what } of this.#open) {
      if (until <= now) controller.abort(TintypeError.make("deadlineExceeded", `${this.name}: ${what} had no answer in time; try again`, { phase: "deliver" }));
    }
    if (now - this.#heard > this.patience * 1000 && this.ask && !this.#isAsking) void this.#question(this.ask);
  }

  async #question(ask: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    this.#isAsking = true;
    try {
      await ask(AbortSignal.timeout(Math.min(this.patience * 1000, longestTimer)));
      this.#heard = performance.now();
    } catch (cause) {
      this.end(new LostWay(`${this.name}: the coordinator does not answer`, true, { cause }));
    } finally {
      this.#isAsking = false;
    }
  }
}
