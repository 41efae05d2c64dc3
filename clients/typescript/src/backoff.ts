/** Pauses between tries: each up to twice as long as the one before, with half of it by chance, so that clients do not come back together. */
export class Backoff {
  #tries = 0;

  /**
   * @param first The longest first pause, in seconds.
   * @param most The longest pause, in seconds.
   */
  constructor(readonly first = 0.1, readonly most = 5, readonly random: () => number = Math.random) {}

  /** Returns the next pause in seconds. */
  next(): number {
    const longest = Math.min(this.most, this.first * 2 ** this.#tries++);
    return longest * (0.5 + this.random() / 2);
  }

  /** Begins anew after a success. */
  reset(): void {
    this.#tries = 0;
  }
}

/** A timer of more milliseconds would fire at once. */
export const longestTimer = 2 ** 31 - 1;

/**
 * Waits some seconds, at most 24 days.
 *
 * @throws the reason of the signal, as soon as it is aborted.
 */
export function pause(seconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, Math.min(seconds * 1000, longestTimer));
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", stop, { once: true });
  });
}
