import { longestTimer } from "./backoff.ts";
import { TintypeError } from "./errors.ts";

/** Lets a limited number of holders in at once; the others wait in their order. */
export class Turns {
  #free: number;
  #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#free = most;
  }

  /**
   * Waits for a place.
   *
   * @param until When it is given up, by `performance.now()`.
   * @returns A function that gives the place back.
   * @throws the reason of the signal; TintypeError `deadlineExceeded`.
   */
  async take(signal?: AbortSignal, until = Infinity): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else {
      await new Promise<void>((resolve, reject) => {
        const rest = () => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", abort);
        };
        const enter = () => {
          rest();
          resolve();
        };
        const leave = (reason: unknown) => {
          rest();
          this.#waiting.splice(this.#waiting.indexOf(enter), 1);
          reject(reason);
        };
        const abort = () => leave(signal?.reason);
        const expire = () => leave(TintypeError.make("deadlineExceeded", "the request waited for others of its client until its time was over"));
        const timer = until === Infinity ? undefined : setTimeout(expire, Math.min(Math.max(0, until - performance.now()), longestTimer));
        signal?.addEventListener("abort", abort, { once: true });
        this.#waiting.push(enter);
      });
    }
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    };
  }
}
